#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/palette.h"
#include "app/resources/formulas.h"

typedef struct _cairo cairo_t;

namespace ropescope {

/// The colours of a formula: of its letters, of the query's and of the key's, as in the pictures; and how much its
/// strokes grow, in em.
struct FormulaInk {
  Colour text, query, key;
  double growth = 0;
  bool operator==(const FormulaInk&) const = default;
};
FormulaInk formula_ink(const Palette& palette, Colour text, bool semibold);

/// How far a formula reaches from its origin, in units of the page, beside text with an em of that size.
struct FormulaBox {
  double width = 0, ascent = 0, descent = 0;
};
FormulaBox formula_box(const Formula& formula, double em);

/// Draws with the beginning of the baseline at the origin of the current coordinates; nothing where librsvg cannot read
/// the SVG.
void draw_formula(cairo_t* cairo, const Formula& formula, double em, const FormulaInk& ink);

/// The same as pixels, whose box is rounded up to whole ones; the baseline is at the bottom of row `ascent` - 1. Null
/// where the formula would have no pixel.
struct FormulaPixels {
  std::shared_ptr<const Pixels> pixels;
  int ascent = 0;
};
FormulaPixels formula_pixels(const Formula& formula, double em, const FormulaInk& ink);

/// A part of a text: words, or one formula.
struct TextRun {
  std::string_view words;
  const Formula* formula = nullptr;
};
/// The text in its order; one run of words where there are no formulas.
std::vector<TextRun> runs_of(std::string_view text, const Formulas* formulas);

}  // namespace ropescope
