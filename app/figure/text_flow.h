// Text in lines: break opportunities, words between formulas, the ink of a formula, and paragraphs as items of a scene.
// Pages, screen and handouts break text with it. Read scene_items.h and app/resources/formulas.h first.
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
#include "app/figure/scene/scene_items.h"
#include "app/resources/formulas.h"

namespace ropescope {

// --- Where lines begin ---------------------------------------------------------------------------------------------

/// Breaks a text into at most `most` lines: at line feeds, else where a phrase or at least a line may begin, and
/// anywhere within a word wider than a line. Spaces at a break belong to no line. `fitting`: returns how many leading
/// bytes of a text fit in a line.
std::vector<std::string_view> text_lines(std::string_view text,
                                         const std::function<std::size_t(std::string_view)>& fitting,
                                         std::size_t most = std::string_view::npos);

// --- Ink of formulas -----------------------------------------------------------------------------------------------

/// Returns the ink of formulas among text of this colour.
FormulaInk formula_ink(const Palette& palette, Colour text, bool semibold);

/// The extent of a formula from its origin, in units of the page, next to text with this em.
struct FormulaBox {
  double width = 0, ascent = 0, descent = 0;
};
FormulaBox formula_box(const Formula& formula, double em);

/// A part of a text: words or one formula.
struct TextRun {
  std::string_view words;
  const Formula* formula = nullptr;
};
/// Returns the parts of a text in their order; one run of words if there are no formulas.
std::vector<TextRun> runs_of(std::string_view text, const Formulas* formulas);

// --- Flow ----------------------------------------------------------------------------------------------------------

/// A part of a paragraph with one style.
struct FlowWords {
  std::string text;
  FontWeight weight = FontWeight::regular;
  Colour colour = {};
  bool whole = false;  ///< no line begins within it, unless it is wider than a line: for text that readers type
};

/// A paragraph set in lines: texts from (0, 0), each at the left of its line, and their extent. `lines` contains the
/// top of every line and, at the end, the height.
struct TextFlow {
  std::vector<TextItem> items;
  std::vector<double> lines;
  double width = 0;
  double height() const { return lines.empty() ? 0 : lines.back(); }
};

/// Sets words of several weights and colours in lines up to this width: broken where line_starts() allows it, and
/// anywhere within a word wider than a line. A line is `spacing` times as high as its text, or as its formulas need.
struct FlowStyle {
  double size = 13;  ///< size of the em
  double width = 0;  ///< maximum width of a line
  double spacing = 1.4;
};
TextFlow flow_text(const std::vector<FlowWords>& words, const FlowStyle& style, const Formulas* formulas,
                   const MeasureText& measure);

/// Adds the texts of a paragraph to a scene, its top left corner at `at`.
void add_flow(Scene& scene, const TextFlow& flow, Vec2 at);

}  // namespace ropescope
