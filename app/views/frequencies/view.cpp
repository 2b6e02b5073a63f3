#include "app/views/frequencies/view.h"

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/frequencies/figures.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"
#include "core/decay/limits.h"

namespace ropescope {

namespace {

LadderCurve curve_of_frequencies(const ShownRope& shown) {
  const RopeReading rope = read_rope(*shown.rope);
  LadderCurve curve{shown, rope.ladder, rope.plain, {}};
  curve.trained = trained_frequencies(curve.plain, curve.scaled.frequencies);
  return curve;
}

void describe_frequencies(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.rope);
  describe(fields, experiment.frequencies);
}

Figure no_frequencies(const Experiment& experiment, const Text& text) {
  return empty_frequencies_figure(experiment.frequencies, text);
}

ViewResult frequencies_figures(const Experiment& experiment, const Text& text, Store&) {
  const FrequenciesKnobs& knobs = experiment.frequencies;
  std::vector<LadderCurve> curves;
  for (const ShownRope& shown : shown_ropes(experiment, text)) curves.push_back(curve_of_frequencies(shown));
  if (curves.empty()) return hint_result(no_frequencies(experiment, text), text["view.decay.all_hidden"]);
  ViewResult result;
  result.panels.push_back({quantity_figure(curves, knobs, text), knobs.show_ratio ? 0.66 : 1.0});
  if (knobs.show_ratio) result.panels.push_back({ratio_figure(curves, knobs, text), 0.34});
  const LadderCurve* pinned = curves.size() > 1 ? &curves[1] : nullptr;
  result.readouts = frequencies_readouts(curves.front(), pinned, text);
  add_ladder_in_use(result.readouts, "frequencies", *curves.front().shown.rope, text);
  result.status =
      text.format("view.frequencies.status", {{"pairs", counted(curves.front().plain.size())},
                                              {"amplitude", readable_number(curves.front().scaled.amplitude, 5)}});
  return result;
}

}  // namespace

constinit const View kFrequenciesView{.id = "frequencies",
                                      .group = "explore",
                                      .describe = describe_frequencies,
                                      .figures = frequencies_figures,
                                      .empty = no_frequencies,
                                      .length = [](const Experiment&) { return 0.0; }};

}  // namespace ropescope
