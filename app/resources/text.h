// The words of all languages: texts by key with values, reasons of errors, the nearest of mistyped words. Core says
// keys with values (core/words.h); here they become sentences of assets/text.
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

#include "core/words.h"

namespace ropescope {

// --- Languages -----------------------------------------------------------------------------------------------------

inline constexpr const char* kEnglish = "en";

/// The languages that have a file in assets/text, English first, then in the order of their codes: "en", "ja", "ko".
std::vector<std::string> languages(const std::filesystem::path& assets);

/// The language that was given, where it is one of languages(). Throws InputError that lists them.
std::string parse_language(const std::string& given, const std::filesystem::path& assets);

/// What the locale asks for, as GNU gettext reads it (LANGUAGE, which names several, where LC_ALL, LC_MESSAGES or LANG
/// names a language at all; else the first of these that is set): the first that there is, or English.
std::string language_of_locale(const std::filesystem::path& assets);

// --- Text ----------------------------------------------------------------------------------------------------------

class Formulas;

/// What stands in place of a {name}: as shown, and the number behind it where the text has a plural for it.
struct TextValue {
  TextValue(std::string text) : shown(std::move(text)) {}
  TextValue(const char* text) : shown(text) {}
  TextValue(std::string text, double counted) : shown(std::move(text)), number(counted) {}

  std::string shown;
  std::optional<double> number = {};
};

/// All words on screen, from assets/text/LANGUAGE.json: an object of key → text (nested objects join their keys with
/// dots). English stands in for a key that another language lacks.
///
/// In a text, {name} is a value, and {name, plural, one {…} other {…}} is the first of the two where the number is 1
/// (languages without a plural have only "other"); # within them is the number as shown. A formula is TeX between
/// dollars; \$ is a dollar.
class Text {
 public:
  /// How formulas stand in the texts: in plain Unicode, for terminals and tables, or as the characters that painters
  /// draw them for (see Formulas).
  enum class FormulaForm { plain, drawn };
  static Text load(const std::filesystem::path& assets, const std::string& language = "en",
                   FormulaForm form = FormulaForm::plain);
  /// The code of its language: "ja".
  const std::string& language() const { return language_; }
  /// What the characters of drawn formulas stand for; null where there are none.
  const std::shared_ptr<const Formulas>& formulas() const { return formulas_; }

  /// The text of a key. An unknown key is a mistake of ours: throws std::logic_error that names it.
  const std::string& operator[](std::string_view key) const;
  bool has(std::string_view key) const;
  using NamedValue = std::pair<std::string_view, TextValue>;
  /// The text with each {name} replaced.
  std::string format(std::string_view key, std::initializer_list<NamedValue> values) const;
  /// What core says, in these words: numbers as number_text() writes them, lists with the text "list.between" between
  /// their parts.
  std::string say(const Words& words) const;
  /// Every text, for the glyphs of the font atlas.
  const std::map<std::string, std::string, std::less<>>& all() const { return texts_; }

 private:
  TextValue shown(const Words::Value& value) const;

  std::string language_ = "en";
  std::shared_ptr<const Formulas> formulas_;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// Words in the language of the command line, which is English. Only words with a key need the texts: where these
/// cannot be read, key and values are said.
std::string said_in_english(const Words& words);
std::vector<std::string> said_in_english(const Words::List& list);

// --- One's own words -----------------------------------------------------------------------------------------------

/// The program's own lessons and texts in all languages, pieces of every file in turn, so that the last tenth is like
/// the rest: what small models learn where no text is given. Throws InputError where a file cannot be read, and
/// std::filesystem::filesystem_error where the folders cannot.
std::string own_text(const std::filesystem::path& assets);

// --- Reasons -------------------------------------------------------------------------------------------------------

/// Why the system refused something, for the place {why} of a sentence. `error`: a value of errno, or that of a
/// std::error_code of its category. Those nobody expects are said as a number.
Words reason(int error);

// --- Nearest words -------------------------------------------------------------------------------------------------

/// The `count` known words that differ least from a mistyped one (fewest insertions, deletions and exchanges, without
/// regard to case; a word that contains it counts as near), nearest first; words with nothing in common are left out.
std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known,
                                       std::size_t count = 3);

/// Words in a sentence: "a, b or c"; empty for no words.
std::string or_list(const std::vector<std::string>& words);

}  // namespace ropescope
