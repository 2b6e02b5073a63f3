// Axes of a figure: where they stand (frame_of), their grid, ticks and titles. A part of lay_out() (scene.h) over what
// scene_parts.h declares; not for others.
#pragma once

#include <string>
#include <vector>

#include "app/figure/scene/scene.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

/// Where the axes of a figure in this rectangle are. `legend_height`: the height of a legend above the plot.
Frame frame_of(const Figure& figure, const Rect& rect, const FigureOptions& options, const MeasureText& measure,
               double legend_height = 0);

inline constexpr double kLowPlot = 2.5;     ///< ems of a plot that is worth its labels
inline constexpr double kLowestPlot = 1.2;  ///< the least that goes with an axis label
/// The height below which a figure loses something: its labels, or a plot of so many ems.
double least_height_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width,
                       double plot_ems);

/// Where the label of an x tick stands.
TextItem x_tick_label(const Tick& tick, const Frame& frame, const FigureOptions& options, const MeasureText& measure);
/// Whether the lines of a text begin where lines may: no word is torn.
bool are_whole_words(const std::vector<std::string>& lines, const std::string& text);
/// As many words from the beginning of the text as fit; none where the first one does not: "si…" says nothing.
std::string leading_words(const std::string& text, const TextStyle& style, double width, const MeasureText& measure);

/// Adds grid lines and the zero line.
void add_grid(Scene& scene, const SceneContext& context);
/// Adds tick labels, axis labels and the title.
void add_axis_labels(Scene& scene, const SceneContext& context);

}  // namespace ropescope
