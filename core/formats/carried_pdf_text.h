#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ropescope {

/// What follows `begin` in the keywords of a PDF, the last where several begin so; none: no keywords do, or they stand
/// in a compressed stream. Strings in parentheses and in hexadecimal digits are read, in UTF-16, UTF-8 or one byte a
/// character. Throws InputError that names `source`: such keywords go on after the end of the file.
std::optional<std::string> pdf_keywords_after(std::string_view pdf, std::string_view begin, const std::string& source);

}  // namespace ropescope
