// Formulas of texts and lessons as drawings that MathJax made (assets/formulas) or makes here, where a lecture has its
// own, and in plain Unicode. app/figure/text_flow.h draws them. Texts hold them as TeX between dollars (text.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

class Shelf;

// --- XML -----------------------------------------------------------------------------------------------------------

/// A text as it stands in an element or a quoted attribute of XML or HTML: & < > " are written as entities; what XML
/// 1.0 cannot hold (control characters but tab and line ends, bytes that are no UTF-8, U+FFFE and U+FFFF) becomes
/// U+FFFD.
std::string xml_escaped(std::string_view text);

// --- Formulas ------------------------------------------------------------------------------------------------------

/// One formula as MathJax set it: sizes in em, `height` above the baseline and `depth` below it.
struct Formula {
  std::string tex, plain;  ///< its source without dollars; in plain Unicode
  double width = 0, height = 0, depth = 0;
  std::string svg;  ///< in thousandths of an em; currentColor but for the classes "query" and "key"
};

/// All formulas of the texts. In a text that is to be drawn, each is one character of a private plane: nothing that
/// cuts, wraps or fills in a text can tear it, and {names} are not mistaken for TeX's braces.
class Formulas {
 public:
  /// Loads the formulas from assets/formulas/index.json. Without pictures, for who wants them in plain Unicode, `svg`
  /// is empty. Throws InputError: no such files, or not of that form.
  static std::shared_ptr<const Formulas> load(const std::filesystem::path& assets, bool pictures = true);

  /// Null where there is none of this source.
  const Formula* find(std::string_view tex) const;
  /// The formula whose character a text begins with; null where it begins with another one.
  const Formula* at_start(std::string_view text) const;
  const std::vector<Formula>& all() const { return formulas_; }

  /// A formula that is none of these, set now by MathJax (assets/formulas/mathjax.js, run by Duktape), or before and
  /// kept: from then on it is found like any other. The first one takes half a second, each other one some 30 ms.
  /// Throws InputError: MathJax does not understand it or has no glyph, it takes more than kFormulaAllocations or
  /// kFormulaMemory, or there are kMostOwnFormulas. Several threads may ask.
  const Formula& typeset(std::string_view tex) const;
  /// Where those are kept between two starts; before the first one. Null: nowhere.
  void keep_on(std::shared_ptr<Shelf> shelf) const;
  /// Keeps what was set since the last call. Never throws: what cannot be kept is set again.
  void keep() const;

  /// Each $TeX$ as its character or in plain Unicode, each \$ as a dollar. What is not known stays as written.
  std::string with_signs(std::string_view text) const { return replaced(text, true); }
  std::string without_tex(std::string_view text) const { return replaced(text, false); }
  /// A text with signs in plain Unicode.
  std::string plain(std::string_view text) const;

 private:
  struct Own;
  std::string replaced(std::string_view text, bool signs) const;
  std::size_t index_of(std::string_view tex) const;
  const Formula* at(std::size_t index) const;

  std::vector<Formula> formulas_;  // in the order of their sources
  std::shared_ptr<Own> own_;       // those that typeset() made, after them
};

/// Bounds of what somebody's own TeX may cost: formulas of a program's run; bytes that the script may hold, its fonts
/// among them; pieces of memory that it may take for one formula, in place of a time, so that it ends alike everywhere.
inline constexpr std::size_t kMostOwnFormulas = 1000;
inline constexpr std::size_t kFormulaMemory = std::size_t{128} << 20;
inline constexpr std::size_t kFormulaAllocations = 2'000'000;

/// The bytes of a formula's character; and whether a text begins with one.
inline constexpr std::size_t kFormulaSignBytes = 4;
bool begins_with_formula_sign(std::string_view text);
/// The text in plain Unicode; as it is where there are no formulas.
std::string plain_text(const Formulas* formulas, std::string_view text);

/// Every $TeX$ of a text, without its dollars.
std::vector<std::string> tex_of(std::string_view text);

}  // namespace ropescope
