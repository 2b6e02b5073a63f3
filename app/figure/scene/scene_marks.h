// What stands inside the axes: curves, spans, maps with their colour bars, pictures and arrows. A part of lay_out()
// (scene.h) over what scene_parts.h declares; not for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/figure/scene/scene.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

/// The colour of a mark; faint ones are half transparent.
Colour ink_of(const SceneContext& context, Role role, const LineStyle& style);

/// The figure's colour bars: one for each range, kind of colours and label among its maps.
std::vector<const Map*> bars_of(const Figure& figure);
/// Width of the bars with their ticks and labels beside a plot of this height; 0 without bars.
double bars_width(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure);

/// Adds the cells of maps.
void add_maps(Scene& scene, const SceneContext& context);
/// Adds photographs over the maps.
void add_pictures(Scene& scene, const SceneContext& context);
/// Adds the colour bars of the maps at the right of the plot.
void add_bars(Scene& scene, const SceneContext& context);
/// Adds short lines outside of a plot that a map covers, where ticks are.
void add_tick_marks(Scene& scene, const SceneContext& context);
/// Adds boxes and paths, which are drawn under the lines.
void add_boxes_and_paths(Scene& scene, const SceneContext& context);
/// Adds arrows, which are drawn over the lines.
void add_arrows(Scene& scene, const SceneContext& context);
/// Adds an arrow of text colour between two points of the plot.
void add_pointer(Scene& scene, const SceneContext& context, Vec2 from, Vec2 tip);

/// Adds shaded stretches with their labels at the bottom of the plot, under everything else.
void add_spans(Scene& scene, const SceneContext& context);
/// Adds lines with their bands, rules and points, inside the plot.
void add_curves(Scene& scene, const SceneContext& context);
/// The highest and the lowest pixel of what a line is between two pixels of x, its band as well; NaN where it has a
/// gap.
struct CurveExtent {
  double top = 0, bottom = 0;
};
CurveExtent extent_of(const Frame& frame, const Line& line, double left, double right);

/// Where curves and rules run, so that words need not hide them.
class CurveSamples {
 public:
  explicit CurveSamples(const SceneContext& context);
  /// How much of the curves and rules a box would hide, in samples of half an em; of all lines of the figure but one.
  int hidden_by(const Rect& box, std::size_t but = SIZE_MAX) const;

 private:
  double left_ = 0, step_ = 1;                   ///< pixels
  std::vector<std::vector<CurveExtent>> lines_;  ///< column by column
  std::vector<double> across_, upright_;         ///< pixels, of rules
};

}  // namespace ropescope
