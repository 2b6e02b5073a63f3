// Small multiples and grids of readouts over fields: one view drawn several times with different values. draw_view()
// and the command `sweep` use it. Read app/experiment/sweeps.h and app/figure/cells.h first.
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

/// A grid of readouts over fields: one point per combination of the fields' values; the last field varies fastest.
struct SweepGrid {
  Experiment experiment;
  std::vector<std::string> readouts;  ///< names, in the form that numbers_of() accepts
  std::vector<Variation> over;
  std::vector<std::string> sets = {};  ///< --set arguments that override those of a swept model
  bool operator==(const SweepGrid&) const = default;

  /// Returns the number of combinations, capped at kMaxSweepPoints + 1.
  std::size_t points() const;
  /// Returns the value of every field at a point.
  std::vector<double> values(std::size_t point) const;
};

/// Returns the experiment with these --set arguments and all fields clamped to their ranges, as in `render`. Throws
/// InputError if a value is invalid.
Experiment apply_settings_to(Experiment experiment, const std::vector<std::string>& settings,
                             const char* option = "--set");
/// Adds a variation to the grid, which has a readout. Throws InputError that names `option`: as parse_variation(), an
/// unknown preset, or a field that varies already.
void vary(SweepGrid& grid, const std::string& text, const char* option);
/// Returns the experiment at a grid point: first a model, set as if it were opened, then words, then numbers.
Experiment apply_sweep_point(const SweepGrid& grid, std::size_t point);

/// The values of the readouts at a point: zero or more numbers each.
struct SweptPoint {
  std::vector<std::vector<ShownNumber>> cells;
  std::vector<std::string> texts = {};  ///< text of the cards; empty for a part of a card, or if there is none
  std::string unit = {};                ///< of the last readout that has one: "tokens"
  std::string fault = {};               ///< why the point could not be computed; empty: it could
};

/// Draws each view that the readouts need once. The store must be synchronous.
SweptPoint swept_point(const SweepGrid& grid, std::size_t point, const Text& text, Store& store);

/// Receives the points in order, one at a time, on any thread.
using TakePoint = std::function<void(std::size_t point, const SweptPoint& swept)>;
/// The points from `first` up to, not including, `last`.
struct PointRange {
  std::size_t first = 0, last = 0;
};
/// Computes the points of the range in parallel (threads 0: one per core) until `stop` is requested. The results do not
/// depend on the number of threads.
void sweep_points(const SweepGrid& grid, const PointRange& range, const Text& text, const Work& work,
                  const TakePoint& take);

/// Returns all views that have their own numbers.
std::vector<const View*> swept_views();
/// Throws InputError if a readout is neither in the grid's experiment nor at one of the grid's ends; the text names the
/// setting that shows it, or similar names. The store must be synchronous.
void check_readouts(const SweepGrid& grid, const Text& text, Store& store);

// --- Facets --------------------------------------------------------------------------------------------------------

/// Draws one experiment without facets.
using DrawOnce = ViewResult (*)(const View&, const Experiment&, const Text&, Store&);

/// Draws small multiples: the view of every cell's experiment (the experiment with its fields at the cell's values),
/// joined into a grid of panels. Many cells of one field are wrapped into rows. Each panel has its cell's caption;
/// panels of one figure share the ranges of x, y and colours. If the cells name the current rope differently, the
/// legend states that it is each panel's own. Painters lay out the cells (app/figure/cells.h).
///
/// Figures are called "similarity@1", "similarity@2", … row by row. Only the first cell's cards are shown, with a note;
/// files contain those of all cells (Readout::aside, Readout::cell). A cell that cannot be drawn shows the reason,
/// which is also the fault of the whole result. A view without curves and maps is drawn once. A facet over a field that
/// the view ignores is omitted. `undone` reports both. Throws InputError as facets_of() does.
ViewResult draw_facets(const View& view, const Experiment& experiment, const Text& text, Store& store, DrawOnce draw);

/// Returns a field's symbol, or its label if it has none, with its value: "b = 10 000"; of a choice its option alone.
/// Empty for a range that fits its data.
std::string field_caption(const Field& field, const Text& text);

/// Throws InputError if a cell's values are not compatible with each other.
void check_facets(const Experiment& experiment);

/// Returns a facet as text, with its full key and the values as typed: a range remains a range. A short key has the
/// view's meaning: "base" is the layout's base if the view shows a layout. Throws InputError as parse_variation().
std::string facet_as_given(const std::string& text, const Experiment& experiment, const char* option);

/// Returns the panels of the figure with this name before facets ("similarity"); empty if there is none.
std::vector<Panel> panels_of_cells(const std::vector<Panel>& panels, const std::string& figure);

/// Returns the group of fields that a short key may also refer to: "layout" if the view shows one, else empty.
std::string_view find_short_key_group(const View& view, const Experiment& experiment);

}  // namespace ropescope
