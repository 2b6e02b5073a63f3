// Localisation: texts by key with values, system error messages, and suggestions for mistyped words. Core returns keys
// with values (core/message.h); this module renders them with the sentences in assets/text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/message.h"

namespace ropescope {

// --- Languages -----------------------------------------------------------------------------------------------------

inline constexpr const char* kEnglish = "en";

/// Lists the languages with a file in assets/text, English first, then in the order of their codes: "en", "ja", "ko".
std::vector<std::string> languages(const std::filesystem::path& assets);

/// Returns `given` if it is one of languages(). Throws InputError with the list if not.
std::string parse_language(const std::string& given, const std::filesystem::path& assets);

/// Returns the locale's language as GNU gettext determines it: from LANGUAGE, a list, if LC_ALL, LC_MESSAGES or LANG
/// names a language, else from the first of these three that is set. The first one available in the program is
/// returned, or English.
std::string find_locale_language(const std::filesystem::path& assets);

// --- Text ----------------------------------------------------------------------------------------------------------

class Formulas;

/// The value for a {name}: its displayed form, and its number if the text has a plural for it.
struct TextValue {
  TextValue(std::string text) : shown(std::move(text)) {}
  TextValue(const char* text) : shown(text) {}
  TextValue(std::string text, double counted) : shown(std::move(text)), number(counted) {}

  std::string shown;
  std::optional<double> number = {};
};

/// All texts on screen, from assets/text/LANGUAGE.json: an object of key → text (keys of nested objects are joined with
/// dots). English is used for a key that another language lacks.
///
/// In a text, {name} is a value, and {name, plural, one {…} other {…}} is its first form if the number is 1 (languages
/// without a plural have only "other"); # in a form is the displayed number. A formula is TeX between dollars; \$ is a
/// dollar.
class Text {
 public:
  /// The form of formulas in the texts: plain Unicode, for terminals and tables, or the characters that painters draw
  /// as formulas (see Formulas).
  enum class FormulaForm { plain, drawn };
  static Text load(const std::filesystem::path& assets, const std::string& language = "en",
                   FormulaForm form = FormulaForm::plain);
  /// Returns the language code: "ja".
  const std::string& language() const { return language_; }
  /// Returns the formulas behind the characters; null if there are none.
  const std::shared_ptr<const Formulas>& formulas() const { return formulas_; }

  /// Returns the text of a key. An unknown key is a bug: throws std::logic_error with its name.
  const std::string& operator[](std::string_view key) const;
  bool has(std::string_view key) const;
  using NamedValue = std::pair<std::string_view, TextValue>;
  /// Returns the text with each {name} replaced.
  std::string format(std::string_view key, std::initializer_list<NamedValue> values) const;
  /// Renders a message of core: numbers as number_text() writes them, lists joined by the text "list.between".
  std::string render(const Message& words) const;
  /// Formats numbers without thousands separators from now on, for output that programs read.
  void use_plain_numbers() { texts_["language.thousands"] = ""; }
  /// Returns every text, for the glyphs of the font atlas.
  const std::map<std::string, std::string, std::less<>>& all() const { return texts_; }

 private:
  TextValue shown(const Message::Value& value) const;

  std::string language_ = "en";
  std::shared_ptr<const Formulas> formulas_;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// Renders words in English, the language of the command line. Only messages with a key need the texts: if the texts
/// cannot be read, key and values are returned.
std::string to_english(const Message& words);
std::vector<std::string> to_english(const Message::List& list);

// --- Training text -------------------------------------------------------------------------------------------------

/// Returns the program's own lessons and texts in all languages, alternating between files so the last tenth is like
/// the rest: training text for small models by default. Throws InputError if a file cannot be read, and
/// std::filesystem::filesystem_error if a folder cannot.
std::string bundled_training_text(const std::filesystem::path& assets);

// --- Reasons -------------------------------------------------------------------------------------------------------

/// Returns the reason for a system error, for the placeholder {why}. `error`: a value of errno, or that of a
/// std::error_code of its category. Unusual ones are given as a number.
Message reason(int error);

}  // namespace ropescope
