#include "app/figure/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/number_for_people.h"

namespace ropescope {

std::string power_of_ten(int exponent) {
  return ten_to_the(exponent);
}

std::string readable_number(double value, int digits, bool keep_zeros) {
  return number_for_people(value, digits, keep_zeros);
}

std::string readable_fixed(double value, int decimals) {
  return decimals_for_people(value, decimals);
}

std::string readable_integer(double value) {
  return std::abs(value) < kLargestPlainNumber ? readable_fixed(std::round(value), 0) : readable_number(value, 4);
}

std::string ids_text(const std::vector<double>& ids) {
  std::string words;
  for (const double id : ids) words += (words.empty() ? "" : ", ") + readable_number(id, 5);
  return ids.size() == 1 ? words : "(" + words + ")";
}

std::string readable(const ShownNumber& number) {
  if (number.as == ShownNumber::As::digits) return readable_number(number.value, number.digits);
  return number.as == ShownNumber::As::fixed ? readable_fixed(number.value, number.digits)
                                             : readable_integer(number.value);
}

std::string shortest_number(double value) {
  if (std::isnan(value)) return "nan";  // of any sign: to_chars tells the two apart
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace ropescope
