#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ropescope {

inline constexpr const char* kEnglish = "en";

/// The languages that have a file in assets/text, English first, then in the order of their codes: "en", "ja", "ko".
std::vector<std::string> languages(const std::filesystem::path& assets);

/// One of those. Throws InputError that lists them.
std::string parse_language(const std::string& given, const std::filesystem::path& assets);

/// What the locale asks for, as GNU gettext reads it (LANGUAGE, which names several, where LC_ALL, LC_MESSAGES or LANG
/// names a language at all; else the first of these that is set): the first that there is, or English.
std::string language_of_locale(const std::filesystem::path& assets);

}  // namespace ropescope
