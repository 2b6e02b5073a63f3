#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ropescope {

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

}  // namespace ropescope
