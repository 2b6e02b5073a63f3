// Axes of a figure: their places (frame_of), grid, ticks and titles. Internal to lay_out() (scene.h). Read
// scene_parts.h first.
#pragma once

#include <string>
#include <vector>

#include "app/figure/scene/scene_items.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

/// Computes where the axes of a figure in this rectangle are. `legend_height`: the height of a legend above the plot.
Frame frame_of(const Figure& figure, const Rect& rect, const FigureOptions& options, const MeasureText& measure,
               double legend_height = 0);

/// Return the width left of the plot that a figure of this height needs (tick labels and axis label; linked panels use
/// their maximum as left_margin), and right of it (colour bars). The width matters only if ticks have names.
double left_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                      double width = 1e6);
double right_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                       double width = 1e6);

/// Returns the height of the labels below the plot: panels with x labels need that much more for equal plots.
double x_labels_height(const Figure& figure, const FigureOptions& options, const MeasureText& measure,
                       double width = 1e6);

/// Returns the numbers of lines for a figure laid out in this width.
LabelLines label_lines_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width);

inline constexpr double kLowPlot = 2.5;     ///< minimum plot height in ems for all labels
inline constexpr double kLowestPlot = 1.2;  ///< minimum plot height in ems for an axis label
/// Returns the minimum height at which a figure keeps its labels and a plot of `plot_ems` ems.
double least_height_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width,
                       double plot_ems);

/// Returns the label of an x tick in its place.
TextItem x_tick_label(const Tick& tick, const Frame& frame, const FigureOptions& options, const MeasureText& measure);
/// Returns whether the lines of a text begin where lines may begin: no word is split.
bool are_whole_words(const std::vector<std::string>& lines, const std::string& text);
/// Returns as many leading words of a text as fit; empty if not even one fits: "si…" is of no use.
std::string leading_words(const std::string& text, const TextStyle& style, double width, const MeasureText& measure);

/// Adds grid lines and the zero line.
void add_grid(Scene& scene, const SceneContext& context);
/// Adds tick labels, axis labels and the title.
void add_axis_labels(Scene& scene, const SceneContext& context);

}  // namespace ropescope
