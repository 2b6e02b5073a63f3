// Formulas of texts and lessons, in plain Unicode and as drawings: prepared with MathJax (assets/formulas), or set here
// for a user's lecture. app/figure/text_flow.h draws them. Texts contain them as TeX between dollars (text.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

class ResultCache;

// --- XML -----------------------------------------------------------------------------------------------------------

/// Escapes a text for an element or a quoted attribute of XML or HTML: & < > " become entities. Characters that XML 1.0
/// forbids (control characters except tab and line ends, bytes that are not UTF-8, U+FFFE and U+FFFF) become U+FFFD.
std::string xml_escaped(std::string_view text);

// --- Formulas ------------------------------------------------------------------------------------------------------

/// One formula set by MathJax: sizes in em, `height` above the baseline and `depth` below it.
struct Formula {
  std::string tex, plain;  ///< its source without dollars, and its plain Unicode form
  double width = 0, height = 0, depth = 0;
  /// In thousandths of an em; currentColor except for the classes "query", "key" and "lit0" to "lit5".
  std::string svg;
};

/// A term of a formula, "\class{term-NAME}{…}" in its source, that is lit: in the colour of a slot of Palette::curves,
/// or in the accent colour; or that is not drawn yet, its space empty.
struct FormulaTerm {
  static constexpr int kAccent = 5, kUnseen = -1;
  std::string name;
  int colour = kAccent;  ///< 0 to 4: the slot
};
inline constexpr std::string_view kTermClass = "term-";

/// All formulas of the texts. In a text to be drawn, each is one character of a private plane: cutting, wrapping and
/// filling in cannot split it, and its braces are not taken for {names}.
class Formulas {
 public:
  /// Loads the formulas from assets/formulas/index.json. Without `pictures` only the plain form is loaded and `svg` is
  /// empty. Throws InputError if the files are missing or malformed.
  static std::shared_ptr<const Formulas> load(const std::filesystem::path& assets, bool pictures = true);

  /// Finds a formula by its source; null if there is none.
  const Formula* find(std::string_view tex) const;
  /// Returns the formula whose character begins a text; null if another character does.
  const Formula* at_start(std::string_view text) const;
  const std::vector<Formula>& all() const { return formulas_; }

  /// Returns a formula set by MathJax (assets/formulas/mathjax.js, run by Duktape), now or earlier and cached; find()
  /// then finds it too. The first one takes half a second, each further one about 30 ms. Throws InputError if MathJax
  /// does not support it or lacks a glyph, or if it exceeds kFormulaAllocations, kFormulaMemory or kMaxUserFormulas.
  /// Thread-safe.
  const Formula& typeset(std::string_view tex) const;
  /// Sets the cache in which they are kept between sessions; call before the first one. Null: no cache.
  void keep_on(std::shared_ptr<ResultCache> shelf) const;
  /// Caches the formulas set since the last call. Never throws: a formula that cannot be cached is set again later.
  void keep() const;

  /// Replaces each $TeX$ by its character or plain Unicode, each \$ by a dollar. Unknown formulas stay as written.
  std::string with_signs(std::string_view text) const { return replaced(text, true); }
  std::string without_tex(std::string_view text) const { return replaced(text, false); }
  /// Returns a text whose formula characters are replaced by plain Unicode.
  std::string plain(std::string_view text) const;
  /// Returns a text with signs whose formulas have these terms lit or unseen. A formula without any of them keeps its
  /// sign; so do all once kMaxUserFormulas are in use. Thread-safe.
  std::string with_terms(std::string_view text, const std::vector<FormulaTerm>& terms) const;

 private:
  struct Own;
  std::string replaced(std::string_view text, bool signs) const;
  std::size_t index_of(std::string_view tex) const;
  const Formula* at(std::size_t index) const;

  std::vector<Formula> formulas_;  // in the order of their sources
  std::shared_ptr<Own> own_;       // those set by typeset(), in addition
};

/// Limits on the cost of user TeX: formulas per program run; bytes for the script, its fonts included; allocations per
/// formula, used instead of a time limit so the result is the same on every machine.
inline constexpr std::size_t kMaxUserFormulas = 1000;
inline constexpr std::size_t kFormulaMemory = std::size_t{128} << 20;
inline constexpr std::size_t kFormulaAllocations = 2'000'000;

/// The bytes of a formula's character, and the first ones of all; and whether a text begins with one.
inline constexpr std::size_t kFormulaSignBytes = 4;
inline constexpr std::string_view kFormulaSignBegin = "\xF3\xB0";
bool begins_with_formula_sign(std::string_view text);
/// Returns the text in plain Unicode; unchanged if it has no formulas.
std::string plain_text(const Formulas* formulas, std::string_view text);

/// Returns every $TeX$ of a text, without its dollars.
std::vector<std::string> tex_of(std::string_view text);

}  // namespace ropescope
