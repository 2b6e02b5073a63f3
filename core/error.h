#pragma once

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/words.h"

namespace ropescope {

/// Bad input: a file, a field or an option that cannot be used. Its words are one complete sentence for the user that
/// names the thing (file, field or option), what was found and what was expected, without a trailing newline; their key
/// stands under "error" in the texts. The command line says it and exits with 2; the window shows it as a dismissible
/// message.
class InputError : public std::exception {
 public:
  /// `key` without "error.": "npz.no_array".
  InputError(std::string_view key, std::initializer_list<Words::Named> values)
      : InputError(Words("error." + std::string(key), values)) {}
  /// The same within something that must be named too (a file, an option): "PLACE: …". Place: a text or Words.
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

}  // namespace ropescope
