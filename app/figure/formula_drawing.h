// Drawing of formulas on a page and as pixels. text_flow.h measures formulas and sets them among words.
#pragma once

#include <array>
#include <memory>

#include "app/figure/figure.h"
#include "app/figure/palette.h"
#include "app/resources/formulas.h"

typedef struct _cairo cairo_t;

namespace ropescope {

/// The colours of a formula (its letters, the query's and the key's, as in the pictures) and the growth of its strokes
/// in em.
struct FormulaInk {
  Colour text, query, key;
  double growth = 0;
  std::array<Colour, FormulaTerm::kAccent + 1> lit = {};  ///< of lit terms: FormulaTerm::colour
  bool operator==(const FormulaInk&) const = default;
};

/// Draws a formula with the start of its baseline at the origin of the current coordinates. Draws nothing if librsvg
/// cannot read the SVG.
void draw_formula(cairo_t* cairo, const Formula& formula, double em, const FormulaInk& ink);

/// A formula drawn as pixels, its box rounded up to whole pixels; the baseline is at the bottom of row `ascent` - 1.
/// `pixels` is null if the formula would have no pixel.
struct FormulaPixels {
  std::shared_ptr<const Pixels> pixels;
  int ascent = 0;
};
FormulaPixels formula_pixels(const Formula& formula, double em, const FormulaInk& ink);

}  // namespace ropescope
