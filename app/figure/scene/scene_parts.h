// Shared declarations of the parts of lay_out() (scene.h); internal to it. scene.cpp calls the parts in drawing order:
// scene_axes.h, scene_marks.h, scene_labels.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/figure/scene/scene_items.h"

namespace ropescope {

/// Distances in ems of the tick labels.
inline constexpr double kTickGap = 0.7;   ///< from the y tick labels to the plot
inline constexpr double kLabelGap = 0.5;  ///< between tick labels and axis label

/// The places of a figure's axes, before anything is drawn.
struct Frame {
  Rect rect, plot;
  AxisMap x, y, right;  ///< right: equals y if the figure has no axis there
  std::vector<Tick> x_ticks, y_ticks, right_ticks;
  double title_height = 0;
  double label_left = 0;                    ///< where the y axis label begins
  double names_height = 0;                  ///< height of upright names under the x axis; 0: names are horizontal
  double bars_width = 0;                    ///< reserved on the right of the plot for colour bars
  std::vector<std::string> title, x_label;  ///< in lines
  Rect legend;                              ///< between title and plot, if it does not fit in the plot

  const AxisMap& y_of(const Line& line) const { return line.right ? right : y; }
};

/// The context shared by every part.
struct SceneContext {
  const Figure& figure;
  const Frame& frame;
  const Palette& palette;
  const FigureOptions& options;
  const MeasureText& measure;
  std::vector<LegendEntry> above = {};  ///< names in the legend above the plot

  TextStyle text_style() const { return {options.text_size, FontWeight::regular}; }
  TextStyle title_style() const { return {options.text_size * 1.1, FontWeight::semibold}; }
  double hairline() const { return options.hairline(); }
};

/// Lays out a figure of paragraphs: smaller if space is short, then without the spare paragraphs, finally cut.
FigureLayout lay_out_paragraphs(const Figure& figure, const Rect& rect, const Palette& palette,
                                const FigureOptions& options, const MeasureText& measure);

/// Lays out a table: words left-aligned, numbers right-aligned; smaller if space is short, finally without the rows
/// that do not fit, which a last row counts.
FigureLayout lay_out_grid(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                          const MeasureText& measure);

/// Returns the part of a segment inside a rectangle; nullopt if none is.
std::optional<std::pair<Vec2, Vec2>> clip_segment(Vec2 a, Vec2 b, const Rect& rect);
/// Add a polyline, or an area, cut to a rectangle; the line is drawn like `like`. Painters get no coordinates far
/// outside: Cairo's have 24 bits before the point.
void add_polyline(Scene& scene, const std::vector<Vec2>& points, const Rect& rect, const PathItem& like);
void add_polygon(Scene& scene, std::vector<Vec2> points, const Rect& rect, Colour fill);

// --- Places of words -----------------------------------------------------------------------------------------------

class Obstacles;

/// A straight line between two points.
struct Segment {
  Vec2 from, to;
};

/// Texts inside the plot, placed one after the other without overlap.
struct Placer {
  Scene& scene;
  const SceneContext& context;
  const Obstacles& data;
  std::vector<Rect> taken = {};
  std::vector<Segment> leaders = {};       ///< from labels to their marks
  std::vector<LegendEntry> unplaced = {};  ///< labels without a place, for the legend

  /// Returns whether the box overlaps nothing taken and no leader.
  bool is_clear(const Rect& box) const;
  /// Returns whether the box is clear and inside the plot.
  bool is_free(const Rect& box) const;
  /// Returns whether the box is free and hides no curve.
  bool is_open(const Rect& box) const;
  /// Returns whether a leader may be there: it crosses no other leader, and only boxes that contain its tip.
  bool can_lead(const Segment& leader) const;
  void take(const Rect& box);
  /// Adds the text to the scene, with a backdrop because it may cover a curve.
  void place(const Rect& box, const std::string& text, Colour colour);
};

/// Adds the notes of the figure. The user chose their places, so all other texts avoid them.
void add_notes(Placer& placer);
/// Adds the labels of the figure and those of its arrows.
void add_words(Placer& placer);

bool overlap(const Rect& a, const Rect& b);
/// Returns whether a line passes through a box.
bool crosses(const Segment& line, const Rect& box);
bool is_inside(const Rect& inner, const Rect& outer);

}  // namespace ropescope
