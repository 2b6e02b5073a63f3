#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

/// The exponent of a rung of an axis of these ladders.
using Exponent = double (*)(const Ladders&, std::size_t axis, double exponent);

CheckModel with(const CheckModel& of, const Ladders& ladders, Exponent exponent) {
  CheckModel model = of;
  model.tokens.frequencies =
      with_exponents(of, ladders, [&](std::size_t axis, double old) { return exponent(ladders, axis, old); });
  return model;
}

void add(const Situation& situation, const std::string& kind, std::string_view evidence, Exponent exponent,
         std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model = with(situation.model, situation.ladders(), exponent);
  if (!found.model.tokens.frequencies.allFinite()) return;
  found.again = [exponent](const CheckModel& other) { return with(other, ladders_of(other), exponent); };
  found.parameters = {{"kind", named_value(kind)}};
  found.evidence = Words(evidence);
  // A model whose exponents have both ends is no plain ladder.
  found.advice =
      Words(kind == "exclusive" ? "check.frequency-ladder.advice_inclusive" : "check.frequency-ladder.advice");
  proposals.push_back(std::move(found));
}

double rungs(const Ladders& ladders, std::size_t axis) {
  return ladders.own_dim[axis] / 2;
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  const Ladders& ladders = situation.ladders();
  if (!ladders.known()) return;
  add(
      situation, "shifted", "check.frequency-ladder.evidence_from_1",
      [](const Ladders& of, std::size_t axis, double exponent) { return exponent + of.step[axis]; }, proposals);
  add(
      situation, "shifted", "check.frequency-ladder.evidence_from_minus_1",
      [](const Ladders& of, std::size_t axis, double exponent) { return exponent - of.step[axis]; }, proposals);
  for (std::size_t axis = 0; axis < ladders.own_dim.size(); ++axis) {
    if (ladders.base[axis] > 1 && rungs(ladders, axis) == 1) return;
  }
  add(
      situation, "inclusive", "check.frequency-ladder.evidence_inclusive",
      [](const Ladders& of, std::size_t axis, double exponent) {
        return of.step[axis] < 0 ? exponent : exponent * rungs(of, axis) / (rungs(of, axis) - 1);
      },
      proposals);
  add(
      situation, "exclusive", "check.frequency-ladder.evidence_exclusive",
      [](const Ladders& of, std::size_t axis, double exponent) {
        return of.step[axis] < 0 ? exponent * (rungs(of, axis) - 1) / rungs(of, axis) : exponent;
      },
      proposals);
}

}  // namespace

/// θ_i shifted by one, or spaced over [0, 1] inclusive.
constinit const Cause kFrequencyLadder{
    .name = "frequency-ladder", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose};

}  // namespace ropescope
