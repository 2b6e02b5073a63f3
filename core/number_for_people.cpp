#include "core/number_for_people.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ropescope {

namespace {

constexpr const char* kMinus = "\u2212";
constexpr const char* kThousands = "\u202f";

/// Digits of a finite, non-negative value; std::to_chars because it knows no locale.
std::string digits_of(double value, std::chars_format format, int precision) {
  std::array<char, 512> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
  return {buffer.data(), end};
}

std::string number_for_people_grouped(const std::string& plain) {
  const std::size_t whole = std::min(plain.find('.'), plain.size());
  std::string text;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) text += kThousands;
    text += plain[i];
  }
  return text + plain.substr(whole);
}

void strip_zeros(std::string& text) {
  if (text.find('.') == std::string::npos) return;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
}

bool is_zero(const std::string& digits) {
  return digits.find_first_not_of("0.") == std::string::npos;
}

/// "∞" and "undefined"; empty for a finite value.
std::string special(double value) {
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return value < 0 ? std::string(kMinus) + "∞" : "∞";
  return {};
}

}  // namespace

std::string ten_to_the(int exponent) {
  constexpr std::array<const char*, 10> kSuperscripts{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char digit : std::to_string(exponent)) {
    text += digit == '-' ? "⁻" : kSuperscripts[static_cast<std::size_t>(digit - '0')];
  }
  return text;
}

std::string number_for_people(double value, int digits, bool keep_zeros) {
  if (const std::string text = special(value); !text.empty()) return text;
  digits = std::clamp(digits, 1, 17);
  const double size = std::abs(value);
  if (size == 0) return decimals_for_people(0, keep_zeros ? digits - 1 : 0);
  const std::string sign = value < 0 ? kMinus : "";
  // The exponent after rounding: 999.96 is 1 000 with four digits.
  const std::string scientific = digits_of(size, std::chars_format::scientific, digits - 1);
  const std::size_t mark = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(mark + 1));
  const bool whole = size == std::floor(size);
  if (size >= kLargestPlainNumber || exponent < -4 || (exponent >= 9 && !whole)) {
    std::string mantissa = scientific.substr(0, mark);
    if (!keep_zeros) strip_zeros(mantissa);
    return sign + (mantissa == "1" ? "" : mantissa + " × ") + ten_to_the(exponent);
  }
  std::string text = digits_of(size, std::chars_format::fixed, std::max(0, digits - 1 - exponent));
  if (!keep_zeros) strip_zeros(text);
  return sign + number_for_people_grouped(text);
}

std::string decimals_for_people(double value, int decimals) {
  if (const std::string text = special(value); !text.empty()) return text;
  if (std::abs(value) >= kLargestPlainNumber) return number_for_people(value, 4);
  const std::string digits = digits_of(std::abs(value), std::chars_format::fixed, std::clamp(decimals, 0, 30));
  return (value < 0 && !is_zero(digits) ? kMinus : "") + number_for_people_grouped(digits);
}

}  // namespace ropescope
