#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/formula_ink.h"
#include "app/figure/scene.h"

namespace ropescope {

/// Letters of a formula that look alike.
struct FormulaLetters {
  enum class Ink { text, query, key };
  std::string text;
  double rise = 0;  ///< of their baseline over the formula's, in its em
  double size = 1;  ///< times that em: scripts are smaller
  bool italic = false, overlined = false;
  Ink ink = Ink::text;
};
/// A formula as letters in their order; none where letters do not say it: a fraction, a matrix, the root of a sum.
std::optional<std::vector<FormulaLetters>> letters_of(std::string_view tex);

/// A part of a line, words or a formula of letters, and where it begins on the line; right after the part before it
/// where that is not said.
struct SvgRun {
  std::optional<double> x;
  TextRun run;
};
/// A text of the scene as an element of an SVG, in its colours and fonts. `corner`: of its box, the lower left one
/// where it is vertical; `baseline`: below the box's top.
std::string svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts,
                     const std::vector<SvgRun>& runs, const FormulaInk& ink);
/// Puts such elements at the end of an SVG, each unit of theirs so many of its own.
void add_svg_words(std::string& svg, const std::string& words, double scale);

}  // namespace ropescope
