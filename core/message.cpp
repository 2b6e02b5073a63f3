// Messages, errors, number formatting and truncation. Read message.h first.
//
// Contents: Messages; Errors; Numbers as text; Numbers for display; Truncated strings; Nearest words.

#include "core/message.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <new>
#include <system_error>
#include <utility>

#include "core/utf8.h"

namespace ropescope {

// --- Messages ------------------------------------------------------------------------------------------------------

namespace {

std::string value_text(const Message::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  return "[" + joined(std::get<Message::List>(value), ", ", debug_text) + "]";
}

// --- Numbers for display -------------------------------------------------------------------------------------------

constexpr const char* kMinus = "\u2212";
thread_local std::string thousands_mark = "\u202f";

/// Returns the digits of a finite, non-negative value; std::to_chars does not depend on the locale.
std::string digits_of(double value, std::chars_format format, int precision) {
  std::array<char, 512> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
  return {buffer.data(), end};
}

std::string grouped_digits(const std::string& plain) {
  const std::size_t whole = std::min(plain.find('.'), plain.size());
  std::string text;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) text += thousands_mark;
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

/// Returns "∞" or "undefined", or an empty string for a finite value.
std::string special(double value) {
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return value < 0 ? std::string(kMinus) + "∞" : "∞";
  return {};
}

// --- Truncated strings ---------------------------------------------------------------------------------------------

constexpr std::string_view kGapBetween = "…";

/// Returns the byte offset of character `number`, or the size of a string that has fewer.
std::size_t place_of(std::string_view text, std::size_t number) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && characters++ == number) return at;
  }
  return text.size();
}

struct Block {
  char32_t first, last;
};
bool is_in(char32_t c, std::initializer_list<Block> blocks) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [c](const Block& block) { return c >= block.first && c <= block.last; });
}

std::size_t width_of(char32_t c) {
  if (is_in(c, {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20F0}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}})) return 0;
  const bool wide =
      is_in(c, {{0x1100, 0x115F},   {0x231A, 0x231B},  {0x23E9, 0x23EC}, {0x2614, 0x2615},   {0x2648, 0x2653},
                {0x2705, 0x2705},   {0x270A, 0x270B},  {0x274C, 0x274C}, {0x2753, 0x2755},   {0x2795, 0x2797},
                {0x2B50, 0x2B50},   {0x2E80, 0x303E},  {0x3041, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}});
  return wide ? 2 : 1;
}

// --- Nearest words -------------------------------------------------------------------------------------------------

/// Returns a text with the letters A to Z as small ones.
std::string in_small_letters(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Returns the Levenshtein distance, with one table row at a time.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, exchanged}));
    }
  }
  return row[b.size()];
}

}  // namespace

Message verbatim(std::string_view text) {
  Message words;
  words.values.emplace_back("text", text);
  return words;
}

Message one_of(Message::List parts) {
  if (parts.empty()) return Message("list.none");
  Message last = std::move(parts.back());
  parts.pop_back();
  return parts.empty() ? last : Message("list.or", {{"others", std::move(parts)}, {"last", std::move(last)}});
}

Message one_of(const std::vector<std::string>& names) {
  Message::List parts;
  for (const std::string& name : names) parts.push_back(verbatim(name));
  return one_of(std::move(parts));
}

Message join_sentences(const Message::List& parts) {
  Message said;
  for (const Message& part : parts) {
    said = said.empty() ? part : Message("list.then", {{"before", std::move(said)}, {"next", part}});
  }
  return said;
}

std::string debug_text(const Message& words) {
  if (words.empty()) return "";
  if (words.key.empty()) return value_text(words.values.front().value);
  std::string text = words.key;
  for (const Message::Named& named : words.values) text += " " + named.name + "=" + value_text(named.value);
  return text;
}

// --- Errors --------------------------------------------------------------------------------------------------------

Message words_of(const std::exception& error) {
  if (const auto* input = dynamic_cast<const InputError*>(&error)) return input->words();
  if (dynamic_cast<const std::bad_alloc*>(&error)) return Message("error.memory");
  // A thread that cannot start: its stack needs memory too.
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system &&
      (system->code() == std::errc::resource_unavailable_try_again || system->code() == std::errc::not_enough_memory)) {
    return Message("error.memory");
  }
  return Message("error.unexpected", {{"what", error.what()}});
}

// --- Numbers as text -----------------------------------------------------------------------------------------------

std::string number_text(double value) {
  // By default, the shortest form of 500000 is 5e+05.
  const bool readable = std::abs(value) >= 1e-4 && std::abs(value) < 1e15;
  char buffer[40];
  const auto end = (readable ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed)
                             : std::to_chars(buffer, buffer + sizeof buffer, value))
                       .ptr;
  return std::string(buffer, end);
}

std::string without_separators(std::string text) {
  constexpr std::string_view kSeparator = "\u202f";
  const auto is_digit = [&text](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size();) {
    // Only within a number: the space may be part of a file's name.
    const bool within = kept > 0 && is_digit(kept - 1) && is_digit(i + kSeparator.size());
    if (within && text.compare(i, kSeparator.size(), kSeparator) == 0) {
      i += kSeparator.size();
    } else {
      text[kept++] = text[i++];
    }
  }
  text.resize(kept);
  return text;
}

ThousandsMark::ThousandsMark(std::string mark) : before_(std::exchange(thousands_mark, std::move(mark))) {}

ThousandsMark::~ThousandsMark() {
  thousands_mark = std::move(before_);
}

std::string ten_to_the(int exponent) {
  constexpr std::array<const char*, 10> kSuperscripts{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char digit : std::to_string(exponent)) {
    text += digit == '-' ? "⁻" : kSuperscripts[static_cast<std::size_t>(digit - '0')];
  }
  return text;
}

std::string number_for_people(double value, int digits, bool keep_zeros) {
  if (std::string text = special(value); !text.empty()) return text;
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
  return sign + grouped_digits(text);
}

std::string decimals_for_people(double value, int decimals) {
  if (std::string text = special(value); !text.empty()) return text;
  if (std::abs(value) >= kLargestPlainNumber) return number_for_people(value, 4);
  const std::string digits = digits_of(std::abs(value), std::chars_format::fixed, std::clamp(decimals, 0, 30));
  return (value < 0 && !is_zero(digits) ? kMinus : "") + grouped_digits(digits);
}

std::size_t screen_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_character(text[at])) width += width_of(character_at(text, at).code);
  }
  return width;
}

std::string beginning_of(std::string_view text, std::size_t limit) {
  const std::size_t end = place_of(text, limit);
  return end == text.size() ? std::string(text) : std::string(text.substr(0, end)) + "...";
}

std::string elide_middle(std::string_view text) {
  const auto characters = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
  if (characters <= kMaxEchoedLength) return std::string(text);
  const std::size_t end = (kMaxEchoedLength - 1) / 2, begin = kMaxEchoedLength - 1 - end;
  return std::string(text.substr(0, place_of(text, begin))) + std::string(kGapBetween) +
         std::string(text.substr(place_of(text, characters - end)));
}

// --- Nearest words -------------------------------------------------------------------------------------------------

std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known,
                                       std::size_t count) {
  constexpr std::size_t kLongestWord = 200;
  if (word.empty() || word.size() > kLongestWord) return {};
  const std::string wanted = in_small_letters(word);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : known) {
    const std::string name = in_small_letters(candidate);
    const std::size_t distance = edit_distance(wanted, name);
    if (name.find(wanted) != std::string::npos) {
      found.emplace_back(0, candidate);
    } else if (2 * distance <= std::max(wanted.size(), name.size())) {
      found.emplace_back(distance, candidate);
    }
  }
  // Of equally near ones first those that begin alike.
  const auto alike = [&wanted](const std::string& name) {
    const std::string letters = in_small_letters(name);
    return std::mismatch(wanted.begin(), wanted.end(), letters.begin(), letters.end()).first - wanted.begin();
  };
  std::stable_sort(found.begin(), found.end(), [&alike](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : alike(a.second) > alike(b.second);
  });
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) result.push_back(found[i].second);
  return result;
}

std::vector<std::string> near_or_all(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 8;
  const std::vector<std::string> near = names.size() > kFew ? nearest_words(word, names) : std::vector<std::string>();
  return near.empty() ? names : near;
}

}  // namespace ropescope
