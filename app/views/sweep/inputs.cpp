#include "app/views/sweep/inputs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/resources/files.h"
#include "app/views/shared/readouts.h"
#include "app/views/sweep/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// In so many parts the figure fills in.
constexpr std::size_t kParts = 24;
constexpr double kSweepNothing = std::numeric_limits<double>::quiet_NaN();

KnobValues read_knob(const std::string& text, const SweepGrid& grid, const char* key) {
  const View& view = find_view(grid.experiment.view);
  const char* looks_at = view.shows_layout && view.shows_layout(grid.experiment) ? "layout" : "";
  KnobValues knob = parse_knob_values(text, grid.experiment, looks_at, key);
  require_presets(knob, key);
  // Words keep the order in which they were given.
  std::sort(knob.values.begin(), knob.values.end());
  return knob;
}

}  // namespace

double SweptNumbersInput::cost() const {
  // Always by the worker: nobody knows how long the other views take.
  return 1e9;
}

std::shared_ptr<const SweptNumbers> SweptNumbersInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<SweptNumbers>();
  const Text text = Text::load(find_places().assets);  // numbers are the same in every language
  sweep_points(grid, {first, last}, text, threads, stop, [&result](std::size_t, const SweptPoint& swept) {
    const std::vector<ShownNumber>& cell = swept.cells.front();
    result->numbers.push_back(cell.empty() ? kSweepNothing : cell.front().value);
    if (!swept.fault.empty()) ++result->faults;
  });
  if (stop.stop_requested()) return nullptr;
  return result;
}

SweepGrid grid_of(const Experiment& experiment) {
  const SweepKnobs& knobs = experiment.sweep;
  SweepGrid grid{experiment, {knobs.readout}, {}};
  Experiment& base = grid.experiment;
  const View& view = view_of_readout(knobs.readout, base);
  if (&view == &kSweepView) throw InputError("sweep.own", {{"name", knobs.readout}});
  base.view = view.id;
  base.sweep = {};
  // What compares two ropes is of the first pinned one and the present one.
  if (!knobs.readout.starts_with("decay.compare")) base.pins.clear();
  base.notes.clear();
  base.hidden.clear();
  base.pointer.reset();
  reset_ranges(base);
  grid.over.push_back(read_knob(knobs.over, grid, "sweep.over"));
  if (!knobs.second.empty()) {
    grid.over.push_back(read_knob(knobs.second, grid, "sweep.second"));
    if (grid.over[0].key == grid.over[1].key) throw InputError("sweep.same_knob", {{"key", grid.over[0].key}});
  }
  if (grid.points() > kMostPointsShown) throw InputError("sweep.too_many", {{"most", kMostPointsShown}});
  return grid;
}

SweptGrid swept_of(const SweepGrid& grid, Store& store) {
  SweptGrid swept{grid, std::vector<double>(grid.points(), kSweepNothing)};
  const std::size_t count = swept.numbers.size(), part = std::max<std::size_t>(1, (count + kParts - 1) / kParts);
  for (std::size_t first = 0; first < count; first += part) {
    const std::size_t last = std::min(count, first + part);
    const auto answer = store.get("part" + std::to_string(first / part), SweptNumbersInput{grid, first, last});
    // What stands in meanwhile is of another grid.
    if (!answer.current || !answer.result) continue;
    std::copy(answer.result->numbers.begin(), answer.result->numbers.end(),
              swept.numbers.begin() + static_cast<std::ptrdiff_t>(first));
    swept.finished += last - first;
    swept.faults += answer.result->faults;
  }
  return swept;
}

}  // namespace ropescope
