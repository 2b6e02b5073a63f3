// How a formula is drawn: its ink, on a page and as pixels. text_flow.h says how large it is, and sets it among words.
#pragma once

#include <memory>

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

/// Draws a formula with the beginning of its baseline at the origin of the current coordinates; nothing where librsvg
/// cannot read the SVG.
void draw_formula(cairo_t* cairo, const Formula& formula, double em, const FormulaInk& ink);

/// A formula drawn as pixels, whose box is rounded up to whole ones; the baseline is at the bottom of row `ascent` - 1.
/// `pixels` is null where the formula would have no pixel.
struct FormulaPixels {
  std::shared_ptr<const Pixels> pixels;
  int ascent = 0;
};
FormulaPixels formula_pixels(const Formula& formula, double em, const FormulaInk& ink);

}  // namespace ropescope
