#include "app/resources/kinds.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "app/resources/mapped_file.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr std::size_t kLooked = 4096;  ///< bytes

/// Empty of what is no file on a disc: a pipe would be waited for.
std::string beginning_of(const std::filesystem::path& path) {
  try {
    const auto file = map_file(path.string());
    const auto bytes = file->bytes().first(std::min(file->bytes().size(), kLooked));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const InputError&) {
    return {};
  }
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

bool is_saved_as(const std::filesystem::path& path, const std::string& format) {
  if (lower_extension(path) != "." + format) return false;
  const std::string bytes = beginning_of(path);
  const auto holds = [&bytes](std::string_view word) { return bytes.find(word) != std::string::npos; };
  if (format == "svg") return holds("<svg");
  if (format == "pdf") return bytes.starts_with("%PDF");
  if (format == "png") return bytes.starts_with("\x89PNG");
  if (format == "gif") return bytes.starts_with("GIF8");
  if (format == "json") return holds("\"ropescope\"");
  return bytes.find('\0') == std::string::npos && bytes.substr(0, bytes.find('\n')).find(',') != std::string::npos;
}

}  // namespace ropescope
