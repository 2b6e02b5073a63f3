#pragma once

#include <optional>
#include <vector>

#include "app/figure/scene.h"

namespace ropescope {

/// The parts of lay_out, in the order in which they are drawn. Not for others.

/// Where the axes of a figure are, before anything is drawn.
struct Frame {
  Rect rect, plot;
  AxisMap x, y;
  std::vector<Tick> x_ticks, y_ticks;
  double title_height = 0;
};

Frame frame_of(const Figure& figure, const Rect& rect, const LayoutOptions& options, const MeasureText& measure);

/// What every part needs to know.
struct Layout {
  const Figure& figure;
  const Frame& frame;
  const Palette& palette;
  const LayoutOptions& options;
  const MeasureText& measure;

  TextStyle text_style() const { return {options.text_size, FontWeight::regular}; }
  TextStyle title_style() const { return {options.text_size * 1.1, FontWeight::semibold}; }
  double hairline() const { return options.line_width / 1.75; }
};

/// Grid lines and the zero line.
void add_grid(Scene& scene, const Layout& layout);
/// Shaded stretches with their labels at the bottom of the plot, under everything else.
void add_spans(Scene& scene, const Layout& layout);
/// Lines with their bands, rules and points, inside the plot.
void add_curves(Scene& scene, const Layout& layout);
/// Tick labels, axis labels, title.
void add_axis_labels(Scene& scene, const Layout& layout);
/// The legend inside the plot, where it hides least of the curves; the rectangle it takes, none where there is no
/// legend.
std::optional<Rect> add_legend(Scene& scene, const Layout& layout);
/// Message of an empty figure, labels of rules, names of points; all inside the plot and clear of each other.
void add_inner_labels(Scene& scene, const Layout& layout);

}  // namespace ropescope
