// What is written beside what: names of ticks and lines, labels of rules and points, legends, none over another. A
// part of lay_out() (scene.h) over what scene_parts.h and scene_marks.h declare; not for others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/scene/scene.h"
#include "app/figure/scene/scene_marks.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

/// Ticks at the whole numbers that have a name, so many left out that they stand `gap` apart.
std::vector<Tick> name_ticks(const FigureAxis& axis, double length, double gap);
/// Whether its names are words, each of which is to be read; not many ascending numbers, between which one counts.
bool has_words(const FigureAxis& axis);
/// The ticks of make_ticks(); where the names are many ascending numbers, ticks at round ones between them, along their
/// logarithm where that is even.
std::vector<Tick> axis_ticks(const FigureAxis& axis, double length, double gap,
                             TickLabels labels = TickLabels::automatic);
/// Height of the names under an x axis of about this width, where they have to stand upright; else 0.
double upright_names_height(const FigureAxis& axis, double width, const FigureOptions& options,
                            const MeasureText& measure);
/// Cuts the names of x ticks to what they have room for; those that would still touch are left out.
void fit_x_names(std::vector<Tick>& ticks, const Frame& frame, const FigureOptions& options,
                 const MeasureText& measure);

/// Adds entries in rows from the left, wrapped at the width, as many as have room; returns the height that they fill.
double add_legend_rows(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);
/// Adds entries one under the other, their words wrapped at the width; returns what they fill.
Vec2 add_legend_column(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);
/// Height that the legend needs above the plot, at most `most`: 0 where it has a place inside, or there is none.
double legend_height_above(const SceneContext& context, double most);
/// Adds the message of an empty figure, labels of rules and names of points, all inside the plot and clear of each
/// other.
void add_inner_labels(Scene& scene, const SceneContext& context);

/// The line that a label names: one of the label's colour, on which its point lies; as many as there are lines for
/// none.
std::size_t line_named_by(const Label& label, const Figure& figure);

}  // namespace ropescope
