#include "app/resources/language.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "app/resources/nearest.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// "ja" of "ja_JP.UTF-8".
std::string_view code_of(std::string_view locale) {
  return locale.substr(0, locale.find_first_of("_.@"));
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

}  // namespace

std::vector<std::string> languages(const std::filesystem::path& assets) {
  std::vector<std::string> codes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(assets / "text", ignored)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() == ".json" && file.stem() != kEnglish) codes.push_back(file.stem().string());
  }
  std::sort(codes.begin(), codes.end());
  codes.insert(codes.begin(), kEnglish);
  return codes;
}

std::string parse_language(const std::string& given, const std::filesystem::path& assets) {
  const std::vector<std::string> known = languages(assets);
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  throw InputError("language", {{"language", given}, {"expected", one_of(known)}});
}

std::string language_of_locale(const std::filesystem::path& assets) {
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (locale.empty()) locale = environment(name);
  }
  if (locale.empty() || code_of(locale) == "C" || code_of(locale) == "POSIX") return kEnglish;
  const std::vector<std::string> known = languages(assets);
  const auto is_known = [&known](std::string_view code) {
    return std::find(known.begin(), known.end(), code) != known.end();
  };
  std::string_view asked = environment("LANGUAGE");
  while (!asked.empty()) {
    const std::string_view code = code_of(asked.substr(0, asked.find(':')));
    if (is_known(code)) return std::string(code);
    asked = asked.find(':') == std::string_view::npos ? std::string_view() : asked.substr(asked.find(':') + 1);
  }
  return is_known(code_of(locale)) ? std::string(code_of(locale)) : kEnglish;
}

}  // namespace ropescope
