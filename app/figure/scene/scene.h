// Layout of figures: lay_out() converts a Figure (figure.h) into the items of a scene (scene_items.h); stack_panels()
// places several figures.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/figure/palette.h"
#include "app/figure/scene/scene_items.h"

namespace ropescope {

/// Rows of panels one below the other, each panel with padding around its figure.
struct PanelColumn {
  Rect room;
  double gap = 0, padding = 0;
  double least = 0;  ///< no row is lower while others have height to spare
};
struct PanelPlace {
  Rect rect;              ///< padding included
  FigureOptions options;  ///< as passed, except show_x_labels and left_margin
};
/// Distributes the height among the plots; the x labels, which only the last of linked panels has, are added to its
/// share. All plots, linked or not, start at the same x. Panels in a row share its width in the same way, with colour
/// bars added, and all have x labels. Rows with equal shares have their plots aligned.
std::vector<PanelPlace> stack_panels(const std::vector<Panel>& panels, const PanelColumn& column,
                                     const FigureOptions& options, const MeasureText& measure);

/// Returns the minimum height at which a column of panels keeps the figures' labels and plots of `plot_ems` ems.
double least_height_of(const std::vector<Panel>& panels, const PanelColumn& column, const FigureOptions& options,
                       const MeasureText& measure, double plot_ems);

/// Lays out one figure: maps with colour bars, pictures, grid, ticks at round numbers or names, axis labels, boxes,
/// paths, lines (dense parts as band from minimum to maximum, 22 % opaque, and mean as line), points, arrows, rules.
/// With equal axes the range that is too short for the space grows; a map's plot takes the shape of all its data
/// instead, and grows only if zoomed. Texts never overlap or leave the rectangle, whatever its size: labels are cut or
/// omitted. They never cover a curve either: a label next to its mark, else away from it with a line to it, else in a
/// legend above the plot.
FigureLayout lay_out(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                     const MeasureText& measure);

}  // namespace ropescope
