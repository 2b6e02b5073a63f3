#pragma once

#include <cstdint>
#include <string>

namespace ropescope {

/// Adds a character as UTF-8; false for a number that is none (above 10FFFF, half of a surrogate pair).
bool append_utf8(std::string& text, std::uint32_t code);

/// The value of a digit to base 10 or 16; −1: it is none.
int digit_of(char c, int base);

}  // namespace ropescope
