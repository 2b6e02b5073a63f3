#pragma once

#include <string>
#include <vector>

#include "app/figure/scene.h"

namespace ropescope {

/// A part of a paragraph that is written alike.
struct FlowWords {
  std::string text;
  FontWeight weight = FontWeight::regular;
  Colour colour;
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

/// Puts its texts into a scene, its top left corner at a place.
void add_flow(Scene& scene, const TextFlow& flow, Vec2 at);

}  // namespace ropescope
