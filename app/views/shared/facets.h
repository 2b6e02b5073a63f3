// Small multiples and grids of readouts over fields: the same view asked several times with other values. draw_view()
// and the command `sweep` use it. Read app/experiment/sweeps.h and app/figure/cells.h before.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/sweeps.h"
#include "app/figure/cells.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/view.h"
#include "core/parallel.h"

namespace ropescope {

// --- Grids ---------------------------------------------------------------------------------------------------------

/// Readouts over fields: at every combination of the fields' values, of which the last field's run fastest.
struct SweepGrid {
  Experiment experiment;
  std::vector<std::string> readouts;  ///< names, as numbers_of() takes them
  std::vector<FieldValues> over;
  std::vector<std::string> sets = {};  ///< --set arguments that go over what a swept model brings
  bool operator==(const SweepGrid&) const = default;

  /// How many combinations there are; more than kMostPointsOfSweep count as one more.
  std::size_t points() const;
  /// The value of every field at a point.
  std::vector<double> values(std::size_t point) const;
};

/// The experiment with these --set arguments, and everything brought into range, as `render` makes it. Throws
/// InputError where a value cannot be.
Experiment with_settings(Experiment experiment, const std::vector<std::string>& settings);
/// Throws InputError that names `option` where one of the field's words should be a preset and is none.
void require_presets(const FieldValues& field, const char* option);
/// The experiment of a point of the grid: a model first, as opening it gives it, then words, then numbers.
Experiment experiment_of_point(const SweepGrid& grid, std::size_t point);

/// What the readouts say at a point: none, one or several numbers each.
struct SweptPoint {
  std::vector<std::vector<ShownNumber>> cells;
  std::vector<std::string> texts = {};  ///< what the cards say; empty of a part of one, or where there is none
  std::string fault = {};               ///< why nothing could be computed there; empty: it could
};

/// Draws every view that the readouts need once. The store must be synchronous.
SweptPoint swept_point(const SweepGrid& grid, std::size_t point, const Text& text, Store& store);

/// Takes the points in their order, one at a time, from whichever thread.
using TakePoint = std::function<void(std::size_t point, const SweptPoint& swept)>;
/// Points from `first` on and before `last`.
struct PointRange {
  std::size_t first = 0, last = 0;
};
/// Computes the points of the range, several at a time (threads 0: as many as there are cores), until `stop` is
/// requested. What is taken is the same for any number of threads.
void sweep_points(const SweepGrid& grid, const PointRange& range, const Text& text, const Work& work,
                  const TakePoint& take);

// --- Facets --------------------------------------------------------------------------------------------------------

/// Draws one experiment without facets.
using DrawOnce = ViewResult (*)(const View&, const Experiment&, const Text&, Store&);

/// Small multiples: the view of every cell's experiment (the same with its fields at the cell's values), joined into a
/// grid of panels. Many cells of one field are several rows. Each panel has the caption of its cell; panels of the same
/// figure share the ranges of x, y and colours. Where cells have other names for the current rope, the legend says that
/// it is each panel's own. Painters lay the cells out (app/figure/cells.h).
///
/// Figures are called "similarity@1", "similarity@2", … row by row. Cards are those of the first cell and say so; those
/// of all cells are in files (Readout::aside, Readout::cell). A cell that cannot be drawn says why in its place, and
/// that is the fault of the whole. A view without curves and maps is shown once, and the result says so (undone); so is
/// one that a field changes nothing in, as it does not look at it: without that facet.
/// Throws InputError as facets_of().
ViewResult draw_facets(const View& view, const Experiment& experiment, const Text& text, Store& store, DrawOnce draw);

/// Throws InputError where a cell's values do not go together.
void check_facets(const Experiment& experiment);

/// read_facet() as the experiment's view understands a short key: "base" is the layout's where that is looked at.
Facet read_facet_of_view(const std::string& text, const Experiment& experiment, const char* option);
/// Such a facet as text, with its whole key and the values as they were written: a range stays a range.
std::string facet_as_given(const std::string& text, const Experiment& experiment, const char* option);

/// The panels of a figure given by its name as views know it; none where it has no such figure.
std::vector<Panel> panels_of_cells(const std::vector<Panel>& panels, const std::string& figure);

}  // namespace ropescope
