#include "app/views/limits/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/experiment/ladder.h"
#include "app/views/limits/cards.h"
#include "app/views/limits/figures.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

/// Distances × pairs that are looked at on the spot: a quarter of a millisecond.
constexpr double kFirstChunk = 2.5e6;

/// The first negative sum: found at once where it is near, and far out by the worker.
std::shared_ptr<const FirstNegative> negative_of(const std::string& key, const Eigen::VectorXd& frequencies,
                                                 Store& store, bool& current) {
  FirstNegativeInput input;
  input.frequencies = frequencies;
  input.limit = static_cast<std::int64_t>(std::max(16.0, kFirstChunk / static_cast<double>(frequencies.size())));
  const auto near = store.get(key + ".near", input);
  if (near.result && near.current && near.result->distance) return near.result;
  input.limit = kFarthestDistance;
  const auto far = store.get(key + ".far", input);
  current &= far.current;
  return far.result;
}

LimitsOf limits_of(const ShownRope& shown, double context, Store& store) {
  LimitsOf of;
  of.shown = shown;
  const RopeReading rope = read_rope(*shown.rope);
  of.axis = rope.shown_axis();
  of.frequencies = rope.ladder.frequencies;
  of.trained = trained_frequencies(rope.plain, of.frequencies);
  of.effective_base = rope.ladder.effective_base;
  of.negative = negative_of(shown.key, of.frequencies, store, of.current);
  const auto shaken = store.get(shown.key, ShakenInput{*shown.rope});
  of.shaken = shaken.result;
  of.current &= shaken.current;
  const auto information = store.get(shown.key, InformationInput{of.frequencies, context});
  of.information = information.result;
  of.current &= information.current;
  return of;
}

/// What a base must be comes last, the robust ones after all others: the curve may be seen meanwhile.
void add_bases(LimitsCards cards, std::vector<LimitsOf>& ropes, double context, Store& store) {
  for (LimitsOf& of : ropes) {
    const SmallestBaseInput input{of.axis.rotary_dim, static_cast<std::int64_t>(context)};
    const auto answer = store.get(of.shown.key, input);
    of.smallest = answer.result;
    of.smallest_current = answer.current;
    of.current &= answer.current;
  }
  if (cards != LimitsCards::of_bases) return;
  for (LimitsOf& of : ropes) {
    const RobustBaseInput input{of.axis.rotary_dim, static_cast<std::int64_t>(context)};
    const auto answer = store.get(of.shown.key, input);
    of.robust = answer.result;
    of.current &= answer.current;
  }
}

Figure no_curve(const Experiment&, const Text&) {
  return empty_figure("largest_context", "base", "largest_context");
}

std::string status_of_limits(const ViewResult& result, const LimitsOf& of, const LimitsProgress& progress,
                             const Text& text) {
  if (progress.finished < progress.parts) {
    return text.format("view.limits.progress",
                       {{"finished", counted(progress.finished)}, {"parts", counted(progress.parts)}});
  }
  if (result.stale) return {};
  return text.format("view.limits.status",
                     {{"pairs", counted(of.frequencies.size())},
                      {"values", counted(result.panels.front().figure.lines.front().series->ys.size())}});
}

void describe_limits(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.rope);
  describe(fields, experiment.limits);
}

ViewResult limits_figures(const Experiment& experiment, const Text& text, Store& store) {
  const LimitsKnobs& knobs = experiment.limits;
  std::vector<LimitsOf> ropes;
  for (const ShownRope& shown : shown_ropes(experiment, text)) {
    ropes.push_back(limits_of(shown, knobs.context, store));
  }
  if (ropes.empty()) return hint_result(no_curve(experiment, text), text["view.decay.all_hidden"]);
  const LimitsCards cards = knobs.show == "curve" ? LimitsCards::of_bases : LimitsCards::of_pairs;
  add_bases(cards, ropes, knobs.context, store);
  ViewResult result;
  LimitsProgress progress;
  if (knobs.show == "information") {
    result.panels.push_back({turns_figure(experiment, ropes, text), 0.55});
    result.panels.push_back({variance_figure(experiment, ropes, text), 0.45});
  } else if (knobs.show == "dropped") {
    result.panels.push_back({dropped_figure(experiment, ropes, text, store), 1});
  } else {
    result.panels.push_back({largest_context_figure(experiment, ropes, text, store, progress), 1});
  }
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  for (const LimitsOf& of : ropes) result.stale |= !of.current;
  result.readouts = limits_readouts(cards, ropes.front(), ropes.size() > 1 ? &ropes[1] : nullptr, knobs.context, text);
  add_ladder_in_use(result.readouts, "limits", *ropes.front().shown.rope, text);
  result.status = status_of_limits(result, ropes.front(), progress, text);
  return result;
}

}  // namespace

constinit const View kLimitsView{.id = "limits",
                                 .group = "explore",
                                 .describe = describe_limits,
                                 .figures = limits_figures,
                                 .empty = no_curve,
                                 .length = [](const Experiment& experiment) { return experiment.limits.context; }};

}  // namespace ropescope
