#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/sweep_text.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

/// Readouts over knobs: at every combination of the knobs' values, of which the last knob's run fastest.
struct SweepGrid {
  Experiment experiment;
  std::vector<std::string> readouts;  ///< names, as numbers_of() takes them
  std::vector<KnobValues> over;
  std::vector<std::string> sets = {};  ///< --set arguments that go over what a swept model brings
  bool operator==(const SweepGrid&) const = default;

  /// How many combinations there are; more than kMostPointsOfSweep count as one more.
  std::size_t points() const;
  /// The value of every knob at a point.
  std::vector<double> values(std::size_t point) const;
};

/// The experiment with these --set arguments, and everything brought into range, as `render` makes it. Throws
/// InputError where a value cannot be.
Experiment with_settings(Experiment experiment, const std::vector<std::string>& settings);
/// Throws InputError that names `option` where one of the knob's words should be a preset and is none.
void require_presets(const KnobValues& knob, const char* option);
/// The experiment of a point of the grid: a model first, as opening it gives it, then words, then numbers.
Experiment experiment_of_point(const SweepGrid& grid, std::size_t point);

/// What the readouts say at a point: none, one or several numbers each.
struct SweptPoint {
  std::vector<std::vector<ShownNumber>> cells;
  std::string fault = {};  ///< why nothing could be computed there; empty: it could
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
void sweep_points(const SweepGrid& grid, const PointRange& range, const Text& text, int threads,
                  const std::stop_token& stop, const TakePoint& take);

}  // namespace ropescope
