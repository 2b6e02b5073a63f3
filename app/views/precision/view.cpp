#include "app/views/precision/view.h"

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/precision/cards.h"
#include "app/views/precision/figures.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"

namespace ropescope {

namespace {

/// The length that is asked about: the trained one, else the whole span.
double length_of(const RopeKnobs& rope, const PrecisionKnobs& knobs) {
  return rope.trained_length > 0 ? rope.trained_length : knobs.span;
}

std::string status_of_precision(const PrecisionCurves& curves, const ShownRope& rope, Eigen::Index pairs,
                                const Text& text) {
  return text.format("view.precision.status", {{"rope", rope.label},
                                               {"positions", counted(curves.positions)},
                                               {"pairs", counted(pairs)},
                                               {"time", readable_number(curves.seconds * 1e3, 2)}});
}

ViewResult draw(const ShownRope& rope, const PrecisionKnobs& knobs, const Text& text, Store& store) {
  PrecisionInput input;
  input.policies = chosen_policies(knobs);
  input.frequencies = read_rope(*rope.rope).ladder.frequencies;
  input.span = knobs.span;
  input.distance = knobs.distance;
  input.length = length_of(*rope.rope, knobs);
  const auto answer = store.get(rope.key, input);
  ViewResult result;
  result.stale = !answer.current;
  if (!answer.result) return message_result(empty_precision_figure(knobs, text), {}, true);
  const PrecisionCurves& curves = *answer.result;
  result.panels.push_back({error_figure(curves, *rope.rope, knobs, text), 0.6});
  result.panels.push_back({score_figure(curves, *rope.rope, knobs, text), 0.4});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = precision_readouts(curves, input.length, knobs, text);
  add_ladder_in_use(result.readouts, "precision", *rope.rope, text);
  if (!result.stale) result.status = status_of_precision(curves, rope, input.frequencies.size(), text);
  return result;
}

void describe_precision(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.rope);
  describe(fields, experiment.precision);
}

Figure no_errors(const Experiment& experiment, const Text& text) {
  return empty_precision_figure(experiment.precision, text);
}

ViewResult precision_figures(const Experiment& experiment, const Text& text, Store& store) {
  const std::vector<ShownRope> ropes = shown_ropes(experiment, text);
  if (ropes.empty()) return hint_result(no_errors(experiment, text), text["view.precision.all_hidden"]);
  return draw(ropes.front(), experiment.precision, text, store);
}

}  // namespace

constinit const View kPrecisionView{.id = "precision",
                                    .group = "explore",
                                    .describe = describe_precision,
                                    .figures = precision_figures,
                                    .empty = no_errors,
                                    .length = [](const Experiment& experiment) { return experiment.precision.span; }};

}  // namespace ropescope
