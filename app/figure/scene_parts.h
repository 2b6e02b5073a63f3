#pragma once

#include <optional>
#include <vector>

#include "app/figure/scene.h"

namespace ropescope {

/// The parts of lay_out, in the order in which they are drawn. Not for others.

/// Distances in ems of the tick labels.
inline constexpr double kTickGap = 0.7;   ///< from the y tick labels to the plot
inline constexpr double kLabelGap = 0.5;  ///< between tick labels and axis label

/// Where the axes of a figure are, before anything is drawn.
struct Frame {
  Rect rect, plot;
  AxisMap x, y;
  std::vector<Tick> x_ticks, y_ticks;
  double title_height = 0;
  double label_left = 0;                    ///< where the y axis label begins
  double names_height = 0;                  ///< of names that stand upright under the x axis; 0: labels lie
  double bars_width = 0;                    ///< at the right of the plot, kept for colour bars
  std::vector<std::string> title, x_label;  ///< in lines
  Rect legend;                              ///< between title and plot, where the plot has no room for it
};

/// `legend_height`: of a legend above the plot.
Frame frame_of(const Figure& figure, const Rect& rect, const FigureOptions& options, const MeasureText& measure,
               double legend_height = 0);

/// The height below which a figure loses something: its labels, or a plot of so many ems.
inline constexpr double kLowPlot = 2.5;     ///< ems of a plot that is worth its labels
inline constexpr double kLowestPlot = 1.2;  ///< the least that goes with an axis label
double least_height_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width,
                       double plot_ems);
/// That of a column of panels.
double least_height_of(const std::vector<Panel>& panels, const PanelColumn& column, const FigureOptions& options,
                       const MeasureText& measure, double plot_ems);

/// Ticks at the whole numbers that have a name, so many left out that they stand `gap` apart.
std::vector<Tick> name_ticks(const FigureAxis& axis, double length, double gap);
/// Whether its names are words, each of which is to be read; not many ascending numbers, between which one counts.
bool has_words(const FigureAxis& axis);
/// make_ticks(); where names are such numbers, at round ones between them, along their logarithm where it is even.
std::vector<Tick> axis_ticks(const FigureAxis& axis, double length, double gap,
                             TickLabels labels = TickLabels::automatic);
/// Height of the names under an x axis in a rectangle of this width, where they have to stand upright; else 0.
double upright_names_height(const FigureAxis& axis, double width, const FigureOptions& options,
                            const MeasureText& measure);
/// Names cut to what they have room for; those that would still touch are left out.
void fit_x_names(std::vector<Tick>& ticks, const Frame& frame, const FigureOptions& options,
                 const MeasureText& measure);
/// Where the label of an x tick stands.
TextItem x_tick_label(const Tick& tick, const Frame& frame, const FigureOptions& options, const MeasureText& measure);
/// Whether the lines of a text begin where lines may: no word is torn.
bool are_whole_words(const std::vector<std::string>& lines, const std::string& text);
/// As many words from the beginning as fit; none where the first one does not: "si…" says nothing.
std::string leading_words(const std::string& text, const TextStyle& style, double width, const MeasureText& measure);
/// The label of the y axis may reach half a line over the plot's ends: the x labels start lower, the title is inside
/// the plot's width. What two lines cannot hold is left out by whole words from the end.
std::vector<std::string> y_label_lines(const Figure& figure, double plot_height, bool has_title,
                                       const FigureOptions& options, const MeasureText& measure);

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

/// The colour of a mark; faint ones are half transparent.
Colour ink_of(const SceneContext& context, Role role, const LineStyle& style);

/// A polyline cut to a rectangle, drawn like `like`; and an area. Painters get no coordinates far outside: Cairo's have
/// 24 bits before the point.
void add_polyline(Scene& scene, const std::vector<Vec2>& points, const Rect& rect, const PathItem& like);
void add_polygon(Scene& scene, std::vector<Vec2> points, const Rect& rect, Colour fill);

/// The figure's colour bars: one for each range, kind of colours and label among its maps.
std::vector<const Map*> bars_of(const Figure& figure);
/// Width of the bars with their ticks and labels beside a plot of this height; 0 without bars.
double bars_width(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure);

/// Cells of maps; the maps' colour bars at the right of the plot.
void add_maps(Scene& scene, const SceneContext& context);
/// Photographs over the maps.
void add_pictures(Scene& scene, const SceneContext& context);
void add_bars(Scene& scene, const SceneContext& context);
/// Short lines outside of a plot that a map covers, where ticks are.
void add_tick_marks(Scene& scene, const SceneContext& context);
/// Boxes and paths, under the lines; arrows, over them.
void add_boxes_and_paths(Scene& scene, const SceneContext& context);
void add_arrows(Scene& scene, const SceneContext& context);
/// An arrow of text colour between two points of the plot.
void add_pointer(Scene& scene, const SceneContext& context, Vec2 from, Vec2 tip);

/// Grid lines and the zero line.
void add_grid(Scene& scene, const SceneContext& context);
/// Shaded stretches with their labels at the bottom of the plot, under everything else.
void add_spans(Scene& scene, const SceneContext& context);
/// Lines with their bands, rules and points, inside the plot.
void add_curves(Scene& scene, const SceneContext& context);
/// Tick labels, axis labels, title.
void add_axis_labels(Scene& scene, const SceneContext& context);
/// From the highest to the lowest pixel of what a line is between two pixels of x, its band as well; NaN where it has a
/// gap.
struct LineExtent {
  double top = 0, bottom = 0;
};
LineExtent extent_of(const Frame& frame, const Series& series, double left, double right);

/// Where curves and rules run, so that words need not hide them.
class CurveSamples {
 public:
  explicit CurveSamples(const SceneContext& context);
  /// How much of them a box would hide, in samples of half an em; of all lines of the figure but one.
  int hidden_by(const Rect& box, std::size_t but = SIZE_MAX) const;

 private:
  double left_ = 0, step_ = 1;                  ///< pixels
  std::vector<std::vector<LineExtent>> lines_;  ///< column by column
  std::vector<double> across_, upright_;        ///< pixels, of rules
};
/// One entry of a legend: a sample of the stroke, or of the disc, and what it is.
struct LegendEntry {
  std::string label;
  LineStyle style;
  bool points = false;
};
/// Rows of entries from the left, wrapped at the width, as many as have room; the height that they fill.
double add_legend_rows(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);
/// Height that the legend needs above the plot, at most `most`: 0 where it has a place inside, or there is none.
double legend_height_above(const SceneContext& context, double most);
/// The legend inside the plot, where it hides least of the curves, or above it; the rectangle it takes, none where
/// there is no legend.
std::optional<Rect> add_legend(Scene& scene, const SceneContext& context);
/// Message of an empty figure, labels of rules, names of points; all inside the plot and clear of each other.
void add_inner_labels(Scene& scene, const SceneContext& context);

}  // namespace ropescope
