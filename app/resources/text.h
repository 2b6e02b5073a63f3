#pragma once

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
  /// Its code: "ja".
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

/// What the command line says, whose language is English. Only words with a key need the texts: where these cannot be
/// read, key and values.
std::string said_in_english(const Words& words);
std::vector<std::string> said_in_english(const Words::List& list);

}  // namespace ropescope
