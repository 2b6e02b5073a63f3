#include "app/views/sweep/view.h"

#include <algorithm>
#include <utility>

#include "app/views/shared/counted.h"
#include "app/views/shared/readouts.h"
#include "app/views/sweep/figures.h"

namespace ropescope {

namespace {

/// What is swept, then everything that the numbers depend on: the knobs of the view whose card it is.
void describe_sweep(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.sweep);
  const View& view = view_of_readout(experiment.sweep.readout, experiment);
  if (&view == &kSweepView) return describe(fields, experiment.rope);
  view.describe(fields, experiment);
}

/// Those that are there.
bool all_positive(const std::vector<double>& numbers) {
  return std::none_of(numbers.begin(), numbers.end(), [](double number) { return number <= 0; });
}

/// Says what to do.
ViewResult nothing_asked(const Experiment& experiment, const Text& text) {
  ViewResult result;
  Figure figure = empty_sweep_figure(experiment, text);
  figure.empty_message = text["view.sweep.empty"];
  result.panels.push_back({std::move(figure), 1});
  return result;
}

ViewResult sweep_figures(const Experiment& experiment, const Text& text, Store& store) {
  if (experiment.sweep.readout.empty() || experiment.sweep.over.empty()) return nothing_asked(experiment, text);
  const SweptGrid swept = swept_of(grid_of(experiment), store);
  // Where no point can be computed it throws why, in the present language.
  if (swept.complete() && swept.faults == swept.numbers.size()) experiment_of_point(swept.grid, 0);
  ViewResult result;
  result.panels.push_back({sweep_figure(experiment, swept, text), 1});
  result.readouts = sweep_readouts(swept, text);
  result.stale = !swept.complete();
  const TextValue points = counted(swept.numbers.size());
  if (swept.complete()) {
    result.status = text.format("view.sweep.status", {{"points", points}});
    for (const KnobValues& knob : swept.grid.over) {
      if (knob.values.size() >= knob.asked) continue;
      result.status += " · " + text.format("view.sweep.fewer", {{"key", knob.key},
                                                                {"values", counted(knob.values.size())},
                                                                {"asked", counted(knob.asked)}});
    }
    if (experiment.sweep.value_axis == "log" && !all_positive(swept.numbers)) {
      result.status += " · " + text["view.sweep.no_logarithm"];
    }
  } else {
    result.progress = static_cast<double>(swept.finished) / static_cast<double>(swept.numbers.size());
    result.status = text.format("view.sweep.progress", {{"finished", counted(swept.finished)}, {"points", points}});
  }
  return result;
}

}  // namespace

constinit const View kSweepView{.id = "sweep",
                                .group = "explore",
                                .describe = describe_sweep,
                                .figures = sweep_figures,
                                .empty = empty_sweep_figure,
                                .compares_ropes = false};

}  // namespace ropescope
