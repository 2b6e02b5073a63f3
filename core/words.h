// What core says to people: keys of the text files with their values, and the error that carries them. Numbers as
// people read them, and cut texts. Everything else in core may include it; it includes nothing of ours.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ropescope {

// --- Words ---------------------------------------------------------------------------------------------------------

/// What is to be said to people, without a language: the key of a text (assets/text) and its named values. Core makes
/// these; app puts them into words (Text::say). A text without a key is said as it is: a name, a symbol, a formula.
struct Words {
  using List = std::vector<Words>;
  /// A text that is the same in every language (a path, a quoted field, a symbol), a whole number (which chooses
  /// between singular and plural), a number, or words within the words: several are said with the list's separator
  /// between them.
  using Value = std::variant<std::string, std::int64_t, double, List>;

  struct Named {
    template <std::integral T>
    Named(std::string_view given, T number) : name(given), value(static_cast<std::int64_t>(number)) {}
    template <std::floating_point T>
    Named(std::string_view given, T number) : name(given), value(static_cast<double>(number)) {}
    template <class T>
    requires std::is_convertible_v<T, std::string_view> Named(std::string_view given, const T& text)
        : name(given), value(std::string(std::string_view(text))) {}
    Named(std::string_view given, Words words);
    Named(std::string_view given, List words);
    bool operator==(const Named&) const = default;

    std::string name;
    Value value;
  };

  Words() = default;
  Words(std::string_view given, std::initializer_list<Named> named) : key(given), values(named) {}
  /// What needs no values, or none yet.
  explicit Words(std::string_view given) : key(given) {}
  bool operator==(const Words&) const = default;
  bool empty() const { return key.empty() && values.empty(); }

  std::string key;            ///< "npz.no_array"; empty: the only value is said as it is
  std::vector<Named> values;  ///< {name} in the text
};

inline Words::Named::Named(std::string_view given, Words words) : name(given), value(List{std::move(words)}) {}
inline Words::Named::Named(std::string_view given, List words) : name(given), value(std::move(words)) {}

/// A name, symbol or formula that is the same in every language, where words are expected.
Words as_it_is(std::string_view text);

/// "a, b or c": one of them; "none" of none. The text decides what stands between them.
Words one_of(Words::List parts);
/// Names that are the same in every language.
Words one_of(const std::vector<std::string>& names);
/// The first; the second; …
Words one_after_another(const Words::List& parts);

/// Key and values on one line, for logs and failing tests; not for people.
std::string key_text(const Words& words);

/// What `text_of` gives of each entry, with something between them: "linear, yarn". Empty texts in front leave nothing.
template <class Entries, class TextOf = std::identity>
std::string joined(const Entries& entries, std::string_view between = ", ", const TextOf& text_of = {}) {
  std::string text;
  for (const auto& entry : entries) text.append(text.empty() ? "" : between).append(std::invoke(text_of, entry));
  return text;
}

// --- Errors --------------------------------------------------------------------------------------------------------

/// Bad input: a file, a field or an option that cannot be used. Its words are one complete sentence for the user that
/// names the thing (file, field or option), what was found and what was expected, without a trailing newline; their key
/// stands under "error" in the texts. The command line says it and exits with 2; the window shows it as a dismissible
/// message.
class InputError : public std::exception {
 public:
  /// `key` without "error.": "npz.no_array".
  InputError(std::string_view key, std::initializer_list<Words::Named> values)
      : InputError(Words("error." + std::string(key), values)) {}
  /// An error within something that must be named too (a file, an option): "PLACE: …". Place: a text or Words.
  template <class Place>
  InputError(const Place& place, std::string_view key, std::initializer_list<Words::Named> values)
      : InputError(within(place, InputError(key, values))) {}
  explicit InputError(Words words) : words_(std::move(words)), what_(key_text(words_)) {}
  /// A sentence in the language of the command line, which has no other: only where no window can show it.
  explicit InputError(const std::string& sentence) : InputError(as_it_is(sentence)) {}

  /// What `error` says, within something that must be named.
  template <class Place>
  static InputError within(const Place& place, const InputError& error) {
    return InputError(Words("error.within", {{"place", place}, {"what", error.words()}}));
  }

  const Words& words() const { return words_; }
  /// Key and values, for logs; people are told Text::say(words()).
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  Words words_;
  std::string what_;
};

/// What is said about any exception: a lack of memory has words of its own, one that is no InputError is said to be
/// unexpected, with its what().
Words words_of(const std::exception& error);

// --- Numbers as text -----------------------------------------------------------------------------------------------

/// The shortest text that reads back to the same double; without an exponent from 0.0001 to 10¹⁵.
std::string number_text(double value);

// --- Numbers for people --------------------------------------------------------------------------------------------

/// From here on not every digit of a double is its own.
inline constexpr double kLargestPlainNumber = 1e15;

/// What stands between thousands in numbers for people on this thread while it lives, "," in Japanese and Korean;
/// without one a narrow no-break space (U+202F). Whoever draws in a language makes one first.
class ThousandsMark {
 public:
  explicit ThousandsMark(std::string mark);
  ~ThousandsMark();
  ThousandsMark(const ThousandsMark&) = delete;
  ThousandsMark& operator=(const ThousandsMark&) = delete;

 private:
  std::string before_;
};

/// A number as it stands in sentences: a true minus (U+2212), the mark between thousands (ThousandsMark), trailing
/// zeros kept only if keep_zeros; digits before the point are never cut off: 54410.28 with 4 digits is "54 410". Below
/// 1e-4, from 1e15 on, and for fractional values from 1e9 on as "1.5 × 10⁻⁵" or "10⁻⁵". inf → "∞"; nan → "undefined".
std::string number_for_people(double value, int digits = 7, bool keep_zeros = false);
/// A number as in sentences with a fixed number of decimals; from 1e15 on as number_for_people.
std::string decimals_for_people(double value, int decimals);
/// "10⁶", "10⁻³".
std::string ten_to_the(int exponent);

// --- Cut texts -----------------------------------------------------------------------------------------------------

/// What people read of a text that they gave themselves.
inline constexpr std::size_t kMostEchoed = 80;

/// How wide a text is on screen, in letters: two for Kana, Han and Hangul, none for what stands over another letter.
std::size_t screen_width(std::string_view text);

/// A text of more than kMostEchoed characters (not bytes) without its middle, "aaa…zzz", so that a path keeps its
/// folder and its name.
std::string without_middle(std::string_view text);

/// The first `limit` characters (not bytes) of a text that has more, and "..." after them.
std::string beginning_of(std::string_view text, std::size_t limit);

}  // namespace ropescope
