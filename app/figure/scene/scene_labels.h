// Text next to marks: names of ticks and lines, labels of rules and points, legends, without overlap. Internal to
// lay_out() (scene.h). Read scene_parts.h and scene_marks.h first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/scene/scene_items.h"
#include "app/figure/scene/scene_marks.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

/// Returns ticks at the integers that have a name, thinned out to a distance of `gap`.
std::vector<Tick> name_ticks(const FigureAxis& axis, double length, double gap);
/// Returns whether the names of an axis are words, which must all be shown; false for many ascending numbers, of which
/// some can be omitted.
bool has_words(const FigureAxis& axis);
/// Returns the ticks of make_ticks(). If the names are many ascending numbers, the ticks are at round numbers between
/// them, along their logarithm if that is evenly spaced.
std::vector<Tick> axis_ticks(const FigureAxis& axis, double length, double gap,
                             TickLabels labels = TickLabels::automatic);
/// Returns the height of the names under an x axis of about this width if they must be upright; else 0.
double upright_names_height(const FigureAxis& axis, double width, const FigureOptions& options,
                            const MeasureText& measure);
/// Cuts the names of x ticks to the available width and omits those that would still touch.
void fit_x_names(std::vector<Tick>& ticks, const Frame& frame, const FigureOptions& options,
                 const MeasureText& measure);

/// Returns the entry of a line.
LegendEntry legend_entry_of(const Line& line);
/// Adds entries in rows from the left, wrapped at the width, as many as fit; returns the height of the rows.
double add_legend_rows(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);
/// Adds entries one below the other, their labels wrapped at the width; returns the size of the column.
Vec2 add_legend_column(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);
/// Returns the height of a legend of these names above the plot, at most `most`.
double legend_height_above(const std::vector<LegendEntry>& entries, const SceneContext& context, double most);
/// Adds the legend above the plot, and inside it a legend, the message of an empty figure, labels of rules and spans,
/// and names of points, without overlap and without covering a curve. Returns those without a place.
std::vector<LegendEntry> add_inner_labels(Scene& scene, const SceneContext& context);

/// Returns the index of the line that a label names: a line of the label's colour through its point; the number of
/// lines if there is none.
std::size_t line_named_by(const Label& label, const Figure& figure);

}  // namespace ropescope
