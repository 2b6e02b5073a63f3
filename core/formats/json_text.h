#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/words.h"

namespace ropescope {

/// "line 3, column 14" of a byte offset, both counted from 1, columns in characters.
Words place_in(std::string_view text, std::size_t offset);

/// Where the first byte stands that begins no UTF-8 character (one that is cut short, overlong, a surrogate or beyond
/// U+10FFFF); none in a text that is UTF-8.
std::optional<std::size_t> find_not_utf8(std::string_view text);

/// Throws InputError that names `source`, line, column and byte where a text is not UTF-8.
void require_utf8(std::string_view text, const Words& source);

/// Where the text that begins with the quote at this offset has its closing quote; the size of all where it has none.
std::size_t end_of_json_text(std::string_view json, std::size_t quote);

/// A JSON text in which NaN, Infinity and -Infinity, which Python's json writes although JSON has no such numbers, are
/// texts of the same length: what an error says about lines and columns stays right.
struct PythonNumbers {
  struct Found {
    double value;
    std::size_t offset;
  };
  std::string text;                    ///< empty where there are none: the original one will do
  std::map<std::size_t, Found> found;  ///< by the number of the quoted text that stands for it, counted from 0
};
PythonNumbers find_python_numbers(std::string_view text);

}  // namespace ropescope
