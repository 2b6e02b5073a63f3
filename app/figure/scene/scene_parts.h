// What the parts of lay_out() (scene.h) share; not for others. scene.cpp defines it and calls the parts in the order in
// which they are drawn: scene_axes.h, scene_marks.h, scene_labels.h.
#pragma once

#include <string>
#include <vector>

#include "app/figure/scene/scene.h"

namespace ropescope {

// --- Parts ---------------------------------------------------------------------------------------------------------

/// Distances in ems of the tick labels.
inline constexpr double kTickGap = 0.7;   ///< from the y tick labels to the plot
inline constexpr double kLabelGap = 0.5;  ///< between tick labels and axis label

/// Where the axes of a figure are, before anything is drawn.
struct Frame {
  Rect rect, plot;
  AxisMap x, y, right;  ///< right: y where the figure has no axis there
  std::vector<Tick> x_ticks, y_ticks, right_ticks;
  double title_height = 0;
  double label_left = 0;                    ///< where the y axis label begins
  double names_height = 0;                  ///< of names that stand upright under the x axis; 0: labels lie
  double bars_width = 0;                    ///< at the right of the plot, kept for colour bars
  std::vector<std::string> title, x_label;  ///< in lines
  Rect legend;                              ///< between title and plot, where the plot has no room for it

  const AxisMap& y_of(const Line& line) const { return line.right ? right : y; }
};

/// What every part needs to know.
struct SceneContext {
  const Figure& figure;
  const Frame& frame;
  const Palette& palette;
  const FigureOptions& options;
  const MeasureText& measure;

  TextStyle text_style() const { return {options.text_size, FontWeight::regular}; }
  TextStyle title_style() const { return {options.text_size * 1.1, FontWeight::semibold}; }
  double hairline() const { return options.line_width / 1.75; }
};

/// A figure of paragraphs: set smaller where the room is short, then without those that are spare, at last cut.
FigureLayout lay_out_paragraphs(const Figure& figure, const Rect& rect, const Palette& palette,
                                const FigureOptions& options, const MeasureText& measure);

/// A table: words at the left of their column, numbers at its right; set smaller where the room is short, at last
/// without the rows that do not fit, which a last one counts.
FigureLayout lay_out_grid(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                          const MeasureText& measure);

/// A polyline cut to a rectangle, drawn like `like`; and an area. Painters get no coordinates far outside: Cairo's have
/// 24 bits before the point.
void add_polyline(Scene& scene, const std::vector<Vec2>& points, const Rect& rect, const PathItem& like);
void add_polygon(Scene& scene, std::vector<Vec2> points, const Rect& rect, Colour fill);

/// The height below which a column of panels loses something: labels of a figure, or plots of so many ems.
double least_height_of(const std::vector<Panel>& panels, const PanelColumn& column, const FigureOptions& options,
                       const MeasureText& measure, double plot_ems);

// --- Places of words -----------------------------------------------------------------------------------------------

/// Texts inside the plot, placed one after the other, each clear of those before.
struct Placer {
  Scene& scene;
  const SceneContext& context;
  std::vector<Rect> taken;

  bool is_clear(const Rect& box) const;
  /// Whether the box is clear of what is taken, and inside the plot.
  bool is_free(const Rect& box) const;
  void take(const Rect& box);
  /// Adds the text to the scene, with a backdrop, as it may lie on a curve.
  void place(const Rect& box, const std::string& text, Colour colour);
};

/// Adds the notes of the figure: they stand where somebody put them, so that all other words give way.
void add_notes(Placer& placer);
/// Adds the labels of the figure and those of its arrows.
void add_words(Placer& placer);

bool overlap(const Rect& a, const Rect& b);
bool is_inside(const Rect& inner, const Rect& outer);

}  // namespace ropescope
