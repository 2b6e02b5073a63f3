#include "app/resources/part_file.h"

#include <charconv>
#include <string>
#include <string_view>

#include "app/resources/system.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".ropescope-", kSuffix = ".part";

/// The process that writes a part; 0 where the name is none of ours.
int writer_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return 0;
  int id = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, id);
  return error == std::errc() && rest != end && *rest == '-' ? id : 0;
}

}  // namespace

PartFile::PartFile(const fs::path& part, const fs::path& target)
    : looked_after_(os::remove_at_end(part, "ropescope: stopped; " + target.string() + " was not written\n")) {}

PartFile::~PartFile() {
  if (looked_after_) os::forget_at_end();
}

void PartFile::finished() {
  if (looked_after_) os::keep_at_end();
}

void remove_part() {
  os::remove_now();
}

fs::path part_name(const fs::path& folder, int id, int number) {
  return folder / (std::string(kPrefix) + std::to_string(id) + "-" + std::to_string(number) + std::string(kSuffix));
}

void sweep_parts(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error)) {
    const int writer = writer_of(it->path().filename().string());
    if (writer > 0 && os::is_gone(writer)) os::remove(it->path());
  }
}

}  // namespace ropescope
