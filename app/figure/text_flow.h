// Text in lines: where a line may begin, words between formulas, the ink of a formula, and paragraphs as items of a
// scene. Pages, screen and handouts break text by this. Read scene.h and app/resources/formulas.h before.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/formula_drawing.h"
#include "app/figure/line_starts.h"
#include "app/figure/palette.h"
#include "app/figure/scene/scene.h"
#include "app/resources/formulas.h"

namespace ropescope {

// --- Where lines begin ---------------------------------------------------------------------------------------------

/// The lines of a text, at most `most`: broken at line feeds, else where a phrase or at least a line may begin, and
/// within what is wider than a line. Spaces at a break belong to no line. `fitting`: how many bytes of the beginning of
/// a text a line has room for.
std::vector<std::string_view> text_lines(std::string_view text,
                                         const std::function<std::size_t(std::string_view)>& fitting,
                                         std::size_t most = std::string_view::npos);

// --- Ink of formulas -----------------------------------------------------------------------------------------------

/// The ink of formulas among text of that colour.
FormulaInk formula_ink(const Palette& palette, Colour text, bool semibold);

/// How far a formula reaches from its origin, in units of the page, beside text with an em of that size.
struct FormulaBox {
  double width = 0, ascent = 0, descent = 0;
};
FormulaBox formula_box(const Formula& formula, double em);

/// A part of a text: words, or one formula.
struct TextRun {
  std::string_view words;
  const Formula* formula = nullptr;
};
/// The parts of a text in their order; one run of words where there are no formulas.
std::vector<TextRun> runs_of(std::string_view text, const Formulas* formulas);

// --- Flow ----------------------------------------------------------------------------------------------------------

/// A part of a paragraph that is written alike.
struct FlowWords {
  std::string text;
  FontWeight weight = FontWeight::regular;
  Colour colour = {};
  bool whole = false;  ///< no line begins within it, if it is not wider than one: what is to be typed
};

/// A paragraph set in lines: texts from (0, 0), each at the left of its line, and what they fill. `lines` holds the top
/// of every line and, at its end, the height.
struct TextFlow {
  std::vector<TextItem> items;
  std::vector<double> lines;
  double width = 0;
  double height() const { return lines.empty() ? 0 : lines.back(); }
};

/// Sets words of several weights and colours in lines of at most this width: broken where line_starts() allows it, and
/// anywhere within what is wider than a line. A line is `spacing` times as high as its text, or as its formulas need.
struct FlowStyle {
  double size = 13;  ///< of the em
  double width = 0;  ///< of a line at most
  double spacing = 1.4;
};
TextFlow flow_text(const std::vector<FlowWords>& words, const FlowStyle& style, const Formulas* formulas,
                   const MeasureText& measure);

/// Puts the texts of a paragraph into a scene, its top left corner at a place.
void add_flow(Scene& scene, const TextFlow& flow, Vec2 at);

}  // namespace ropescope
