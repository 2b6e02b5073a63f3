// Content of the axes: curves, spans, maps with their colour bars, pictures and arrows. Internal to lay_out()
// (scene.h). Read scene_parts.h first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/figure/scene/scene_items.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

/// Returns the colour of a mark; faint ones are half transparent.
Colour ink_of(const SceneContext& context, Role role, const LineStyle& style);

/// Returns the figure's colour bars: one per range, kind of colours and label among its maps.
std::vector<const Map*> bars_of(const Figure& figure);
/// Returns the width of the bars, ticks and labels next to a plot of this height; 0 without bars.
double bars_width(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure);

/// Adds the cells of maps.
void add_maps(Scene& scene, const SceneContext& context);
/// Adds photographs over the maps.
void add_pictures(Scene& scene, const SceneContext& context);
/// Adds the colour bars of the maps on the right of the plot.
void add_bars(Scene& scene, const SceneContext& context);
/// Adds short tick lines outside a plot that a map covers.
void add_tick_marks(Scene& scene, const SceneContext& context);
/// Adds boxes and paths, which are drawn under the lines.
void add_boxes_and_paths(Scene& scene, const SceneContext& context);
/// Adds arrows, which are drawn over the lines.
void add_arrows(Scene& scene, const SceneContext& context);
/// Adds an arrow in the text colour between two points of the plot.
void add_pointer(Scene& scene, const SceneContext& context, Vec2 from, Vec2 tip);

/// Returns the part of the plot that a span covers; empty if none of it is visible.
Rect find_shown_part(const SceneContext& context, const Span& span);
/// Returns the translucent colour of a span.
Colour tint_of(const SceneContext& context, const Span& span);
/// Adds shaded intervals, under everything else.
void add_spans(Scene& scene, const SceneContext& context);
/// Adds lines with their bands, rules and points, inside the plot.
void add_curves(Scene& scene, const SceneContext& context);
/// The highest and lowest pixel of a line, band included, between two pixels of x; NaN if it has a gap.
struct CurveExtent {
  double top = 0, bottom = 0;
};
CurveExtent extent_of(const Frame& frame, const Line& line, double left, double right);

/// Places of everything in a scene that shows numbers (PathItem::data), so text can avoid it.
class Obstacles {
 public:
  /// Notes the places inside `plot` in columns a few pixels wide.
  Obstacles(const Scene& scene, const Rect& plot, const FigureOptions& options);
  /// Counts the pieces that a box would hide; stops at `most`.
  int hidden_by(const Rect& box, int most = 1) const;
  /// Counts the pieces that a line would cross.
  int crossed_by(Vec2 from, Vec2 to) const;

 private:
  struct Piece {
    double top = 0, bottom = 0;
  };
  void add_path(const PathItem& path);
  void add_band(const BandItem& band);
  /// Notes the part of a stroke between two points, or of an area above `low` and below `high`.
  void add(Vec2 from, Vec2 to, double above, double below);
  int count(std::size_t column, double top, double bottom) const;
  std::size_t column_of(double x) const;

  Rect plot_;
  double step_ = 1;
  std::vector<std::vector<Piece>> columns_;
};

}  // namespace ropescope
