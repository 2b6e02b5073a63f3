// Language-independent messages of core: text keys with named values, and the exception that carries them; also number
// formatting and truncation for display. Includes no other header of the project.
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

// --- Messages ------------------------------------------------------------------------------------------------------

/// A message without a language: the key of a text in assets/text and its named values. Core creates messages; app
/// renders them (Text::render). A message without a key is rendered verbatim: a name, a symbol or a formula.
struct Message {
  using List = std::vector<Message>;
  /// A string that is the same in every language (a path, a quoted field, a symbol), an integer (which chooses between
  /// singular and plural), a number, or nested messages, which are joined with the list's separator.
  using Value = std::variant<std::string, std::int64_t, double, List>;

  struct Named {
    template <std::integral T>
    Named(std::string_view given, T number) : name(given), value(static_cast<std::int64_t>(number)) {}
    template <std::floating_point T>
    Named(std::string_view given, T number) : name(given), value(static_cast<double>(number)) {}
    template <class T>
    requires std::is_convertible_v<T, std::string_view> Named(std::string_view given, const T& text)
        : name(given), value(std::string(std::string_view(text))) {}
    Named(std::string_view given, Message words);
    Named(std::string_view given, List words);
    bool operator==(const Named&) const = default;

    std::string name;
    Value value;
  };

  Message() = default;
  Message(std::string_view given, std::initializer_list<Named> named) : key(given), values(named) {}
  /// Creates a message without values, or with values that are added later.
  explicit Message(std::string_view given) : key(given) {}
  bool operator==(const Message&) const = default;
  bool empty() const { return key.empty() && values.empty(); }

  std::string key;            ///< "npz.no_array"; empty: the only value is rendered verbatim
  std::vector<Named> values;  ///< {name} in the text
};

inline Message::Named::Named(std::string_view given, Message words) : name(given), value(List{std::move(words)}) {}
inline Message::Named::Named(std::string_view given, List words) : name(given), value(std::move(words)) {}

/// Returns a message for a name, symbol or formula that is the same in every language.
Message verbatim(std::string_view text);

/// Returns "a, b or c", or "none" for an empty list. The text "list.or" defines the separators.
Message one_of(Message::List parts);
/// Returns "a, b or c" for names that are the same in every language.
Message one_of(const std::vector<std::string>& names);
/// Returns the messages joined as a sequence: the first; the second; …
Message join_sentences(const Message::List& parts);

/// Returns key and values on one line, for logs and test failures, not for users.
std::string debug_text(const Message& words);

/// Joins text_of(entry) of all entries with a separator: "linear, yarn". Leading empty texts add no separator.
template <class Entries, class TextOf = std::identity>
std::string joined(const Entries& entries, std::string_view between = ", ", const TextOf& text_of = {}) {
  std::string text;
  for (const auto& entry : entries) text.append(text.empty() ? "" : between).append(std::invoke(text_of, entry));
  return text;
}

// --- Errors --------------------------------------------------------------------------------------------------------

/// Invalid input: a file, a field or an option that cannot be used. Its message is one complete sentence for the user
/// that names the thing (file, field or option), the found and the expected value, without a trailing newline. Its key
/// begins with "error." in the texts. The command line prints it and exits with 2; the window shows it as a dismissible
/// message.
class InputError : public std::exception {
 public:
  /// Creates an error with the key "error." + `key`, e.g. "npz.no_array".
  InputError(std::string_view key, std::initializer_list<Message::Named> values)
      : InputError(Message("error." + std::string(key), values)) {}
  /// Creates an error within a named place (a file, an option): "PLACE: …". Place: a string or a Message.
  template <class Place>
  InputError(const Place& place, std::string_view key, std::initializer_list<Message::Named> values)
      : InputError(within(place, InputError(key, values))) {}
  explicit InputError(Message words) : words_(std::move(words)), what_(debug_text(words_)) {}
  /// Creates an error from an English sentence, for use only where no window can show it.
  explicit InputError(const std::string& sentence) : InputError(verbatim(sentence)) {}

  /// Returns `error` with the name of the place in which it occurred.
  template <class Place>
  static InputError within(const Place& place, const InputError& error) {
    return InputError(Message("error.within", {{"place", place}, {"what", error.words()}}));
  }

  const Message& words() const { return words_; }
  /// Key and values, for logs; users see Text::render(words()).
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  Message words_;
  std::string what_;
};

/// Returns the message for any exception. Lack of memory has its own message; any other exception that is not an
/// InputError is reported as unexpected, with its what().
Message words_of(const std::exception& error);

// --- Numbers as text -----------------------------------------------------------------------------------------------

/// Returns the shortest text that reads back to the same double, without an exponent from 0.0001 to 10¹⁵.
std::string number_text(double value);

// --- Numbers for display -------------------------------------------------------------------------------------------

/// The value from which a double no longer represents every integer digit exactly.
inline constexpr double kLargestPlainNumber = 1e15;

/// Sets the thousands separator of displayed numbers on this thread during its lifetime: "," in Japanese and Korean.
/// The default is a narrow no-break space (U+202F). Create one before drawing in a language.
class ThousandsMark {
 public:
  explicit ThousandsMark(std::string mark);
  ~ThousandsMark();
  ThousandsMark(const ThousandsMark&) = delete;
  ThousandsMark& operator=(const ThousandsMark&) = delete;

 private:
  std::string before_;
};

/// Removes the default thousands separator (U+202F) between digits, for text that is pasted or that programs read:
/// terminal output, JSON, CSV and the clipboard.
std::string without_separators(std::string text);

/// Formats a number for display: a true minus (U+2212), thousands separators (ThousandsMark), trailing zeros only if
/// keep_zeros. Digits before the point are never cut off: 54410.28 with 4 digits is "54 410". Below 1e-4, from 1e15 on,
/// and for fractional values from 1e9 on: "1.5 × 10⁻⁵" or "10⁻⁵". inf → "∞"; nan → "undefined".
std::string number_for_people(double value, int digits = 7, bool keep_zeros = false);
/// Formats a number for display with a fixed number of decimals; from 1e15 on as number_for_people().
std::string decimals_for_people(double value, int decimals);
/// Formats a power of ten: "10⁶", "10⁻³".
std::string ten_to_the(int exponent);

// --- Truncated strings ---------------------------------------------------------------------------------------------

/// Maximum length in characters of user input that is repeated in a message.
inline constexpr std::size_t kMaxEchoedLength = 80;

/// Returns the width of a string on screen in letters: two for Kana, Han and Hangul, zero for combining marks.
std::size_t screen_width(std::string_view text);

/// Removes the middle of a string of more than kMaxEchoedLength characters (not bytes): "aaa…zzz". A path keeps its
/// folder and its name.
std::string elide_middle(std::string_view text);

/// Truncates a string to `limit` characters (not bytes), followed by "...", if it has more.
std::string beginning_of(std::string_view text, std::size_t limit);

// --- Nearest words -------------------------------------------------------------------------------------------------

/// Returns the `count` known words nearest to a mistyped one (fewest insertions, deletions and substitutions, ignoring
/// case; a word that contains it counts as near), nearest first. Words with nothing in common are omitted.
std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known,
                                       std::size_t count = 3);
/// Returns those of many names (more than eight) that are near a mistyped one; all of them if none is, or of few.
std::vector<std::string> near_or_all(std::string_view word, const std::vector<std::string>& names);

}  // namespace ropescope
