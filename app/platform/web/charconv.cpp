// Conversion between floating-point numbers and text, missing in libc++ of emscripten 3.1.6; declared in std/charconv.

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace std {

namespace {

to_chars_result put(char* first, char* last, const string& text) {
  if (last - first < static_cast<ptrdiff_t>(text.size())) return {last, errc::value_too_large};
  memcpy(first, text.data(), text.size());
  return {first + text.size(), errc()};
}

string special(double value) {
  const string sign = signbit(value) ? "-" : "";
  return sign + (isnan(value) ? "nan" : "inf");
}

/// Digits of a number without a decimal point or trailing zeros, and the power of ten of the first digit.
struct Digits {
  string digits;
  int power = 0;
};

Digits digits_of(double value, int count) {
  char text[48];
  snprintf(text, sizeof text, "%.*e", count - 1, fabs(value));
  const char* exponent = strchr(text, 'e');
  Digits found;
  for (const char* at = text; at < exponent; ++at) {
    if (*at != '.') found.digits += *at;
  }
  found.power = atoi(exponent + 1);
  while (found.digits.size() > 1 && found.digits.back() == '0') found.digits.pop_back();
  return found;
}

/// Returns the fewest digits that read back as the number, and of those the nearest. With `sure` digits all numbers are
/// distinguishable, so the shortest form has at most that many, except for numbers near 0 with fewer bits.
template <class Number>
Digits shortest(Number value, int sure, int most) {
  for (int count = fabs(value) < numeric_limits<Number>::min() ? 1 : sure; count < most; ++count) {
    const Digits found = digits_of(static_cast<double>(value), count);
    const string text = found.digits.substr(0, 1) + "." + found.digits.substr(1) + "e" + to_string(found.power);
    if (static_cast<Number>(sizeof(Number) == sizeof(float) ? strtof(text.c_str(), nullptr)
                                                            : strtod(text.c_str(), nullptr)) == fabs(value)) {
      return found;
    }
  }
  return digits_of(static_cast<double>(value), most);
}

string scientific_text(const Digits& d) {
  string text = d.digits.substr(0, 1);
  if (d.digits.size() > 1) text += "." + d.digits.substr(1);
  const int size = d.power < 0 ? -d.power : d.power;
  return text + (d.power < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + to_string(size);
}

/// Returns decimal notation. `value`: large numbers need all digits, because the shortest ones end before the point.
string fixed_text(const Digits& d, double value) {
  const int count = static_cast<int>(d.digits.size());
  if (d.power < 0) return "0." + string(static_cast<size_t>(-d.power - 1), '0') + d.digits;
  if (count > d.power + 1) {
    return d.digits.substr(0, static_cast<size_t>(d.power + 1)) + "." +
           d.digits.substr(static_cast<size_t>(d.power + 1));
  }
  char text[340];
  snprintf(text, sizeof text, "%.0f", fabs(value));
  return text;
}

template <class Number>
to_chars_result shortest_text(char* first, char* last, Number value, int sure, int most, const chars_format* format) {
  if (!isfinite(value)) return put(first, last, special(static_cast<double>(value)));
  const string sign = signbit(value) ? "-" : "";
  if (value == 0) {
    return put(first, last, sign + (format && *format == chars_format::scientific ? "0e+00" : "0"));
  }
  const Digits digits = shortest(value, sure, most);
  const string exponential = scientific_text(digits);
  if (format && *format == chars_format::scientific) return put(first, last, sign + exponential);
  const string plain = fixed_text(digits, static_cast<double>(value));
  const bool general = format && *format == chars_format::general;
  const bool as_plain = (format && *format == chars_format::fixed) ||
                        (general ? digits.power >= -4 && digits.power < 6 : plain.size() <= exponential.size());
  return put(first, last, sign + (as_plain ? plain : exponential));
}

/// Returns the number of leading characters that form a number in this format.
size_t length_of(const char* first, const char* last, chars_format format) {
  const char* at = first;
  if (at < last && *at == '-') ++at;
  for (const char* word : {"infinity", "inf", "nan"}) {
    const size_t size = strlen(word);
    if (static_cast<size_t>(last - at) >= size && strncasecmp(at, word, size) == 0) {
      return static_cast<size_t>(at - first) + size;
    }
  }
  const auto digits = [&] {
    const char* begin = at;
    while (at < last && *at >= '0' && *at <= '9') ++at;
    return at - begin;
  };
  auto seen = digits();
  if (at < last && *at == '.') {
    ++at;
    const auto after = digits();
    if (seen + after == 0) return 0;
    seen += after;
  }
  if (seen == 0) return 0;
  const char* mantissa = at;
  if (format != chars_format::fixed && at < last && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < last && (*at == '+' || *at == '-')) ++at;
    if (digits() > 0) mantissa = at;
  }
  return static_cast<size_t>(mantissa - first);
}

template <class Number>
from_chars_result read(const char* first, const char* last, Number& value, chars_format format) {
  const size_t length = length_of(first, last, format);
  if (length == 0) return {first, errc::invalid_argument};
  const string text(first, length);
  const Number found = sizeof(Number) == sizeof(float) ? static_cast<Number>(strtof(text.c_str(), nullptr))
                                                       : static_cast<Number>(strtod(text.c_str(), nullptr));
  const bool is_number = text.find_first_of("123456789") != string::npos;
  const bool named = text.find_first_of("iInN") != string::npos;
  if (!named && ((is_number && found == 0) || isinf(found))) return {first + length, errc::result_out_of_range};
  value = found;
  return {first + length, errc()};
}

}  // namespace

to_chars_result to_chars(char* first, char* last, double value) {
  return shortest_text(first, last, value, 15, 17, nullptr);
}

to_chars_result to_chars(char* first, char* last, double value, chars_format format) {
  return shortest_text(first, last, value, 15, 17, &format);
}

to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision) {
  if (!isfinite(value)) return put(first, last, special(value));
  char text[1500];
  const char* pattern = format == chars_format::fixed ? "%.*f" : format == chars_format::scientific ? "%.*e" : "%.*g";
  snprintf(text, sizeof text, pattern, precision, value);
  return put(first, last, text);
}

to_chars_result to_chars(char* first, char* last, float value) {
  return shortest_text(first, last, value, 6, 9, nullptr);
}

from_chars_result from_chars(const char* first, const char* last, double& value, chars_format format) {
  return read(first, last, value, format);
}

from_chars_result from_chars(const char* first, const char* last, float& value, chars_format format) {
  return read(first, last, value, format);
}

}  // namespace std
