#pragma once

#include <string>

#include "app/experiment/facets.h"
#include "app/figure/cells.h"
#include "app/views/view.h"

namespace ropescope {

/// Draws one experiment without facets.
using DrawOnce = ViewResult (*)(const View&, const Experiment&, const Text&, Store&);

/// Small multiples: the view of every cell's experiment (the same with its knobs at the cell's values), joined into a
/// grid of panels. Many cells of one knob are several rows. Each panel has the caption of its cell; panels of the same
/// figure share the ranges of x, y and colours. Where cells have other names for the current rope, the legend says that
/// it is each panel's own. Painters lay the cells out (app/figure/cells.h).
///
/// Figures are called "similarity@1", "similarity@2", … row by row. Cards are those of the first cell and say so; those
/// of all cells are in files (Readout::aside, Readout::cell). A cell that cannot be drawn says why in its place, and
/// that is the fault of the whole. A view without curves and maps is shown once, and the result says so (undone); so is
/// one that a knob changes nothing in, as it does not look at it: without that facet.
/// Throws InputError as facets_of().
ViewResult draw_facets(const View& view, const Experiment& experiment, const Text& text, Store& store, DrawOnce draw);

/// Throws InputError where a cell's values do not go together.
void check_facets(const Experiment& experiment);

/// read_facet() as the experiment's view understands a short key: "base" is the layout's where that is looked at.
Facet read_facet_of_view(const std::string& text, const Experiment& experiment, const char* option);

/// The panels of a figure given by its name as views know it; none where it has no such figure.
std::vector<Panel> panels_of_cells(const std::vector<Panel>& panels, const std::string& figure);

}  // namespace ropescope
