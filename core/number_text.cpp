#include "core/number_text.h"

#include <charconv>
#include <cmath>

namespace ropescope {

std::string number_text(double value) {
  // Left to itself, the shortest form of 500000 is 5e+05.
  const bool readable = std::abs(value) >= 1e-4 && std::abs(value) < 1e15;
  char buffer[40];
  const auto end = (readable ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed)
                             : std::to_chars(buffer, buffer + sizeof buffer, value))
                       .ptr;
  return std::string(buffer, end);
}

}  // namespace ropescope
