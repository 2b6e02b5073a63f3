#include "core/check/cause.h"

namespace ropescope {

namespace {

void add(const Situation& situation, const std::string& kind, const std::string& words,
         const std::function<double(std::size_t, double)>& exponent, std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model.tokens.frequencies = with_exponents(situation.model, situation.ladders(), exponent);
  if (!found.model.tokens.frequencies.allFinite()) return;
  found.parameters = {{"kind", kind}};
  found.evidence = words;
  found.advice = "Give pair i of an axis with d channels the frequency base^(-2i/d), i from 0.";
  proposals.push_back(std::move(found));
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  const Ladders& ladders = situation.ladders();
  if (!ladders.known()) return;
  add(
      situation, "shifted", "Every frequency stands one rung too far down: pairs are counted from 1.",
      [&](std::size_t axis, double exponent) { return exponent + ladders.step[axis]; }, proposals);
  add(
      situation, "shifted", "Every frequency stands one rung too far up: pairs are counted from -1.",
      [&](std::size_t axis, double exponent) { return exponent - ladders.step[axis]; }, proposals);
  const auto rungs = [&](std::size_t axis) { return ladders.own_dim[axis] / 2; };
  for (std::size_t axis = 0; axis < ladders.own_dim.size(); ++axis) {
    if (ladders.base[axis] > 1 && rungs(axis) == 1) return;
  }
  add(
      situation, "inclusive", "The exponents are spaced from 0 to 1 with both ends.",
      [&](std::size_t axis, double exponent) {
        return ladders.step[axis] < 0 ? exponent : exponent * rungs(axis) / (rungs(axis) - 1);
      },
      proposals);
  add(
      situation, "exclusive", "The exponents are spaced from 0 to 1 without the last.",
      [&](std::size_t axis, double exponent) {
        return ladders.step[axis] < 0 ? exponent * (rungs(axis) - 1) / rungs(axis) : exponent;
      },
      proposals);
}

}  // namespace

/// θ_i shifted by one, or spaced over [0, 1] inclusive.
constinit const Cause kFrequencyLadder{
    .name = "frequency-ladder", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose};

}  // namespace ropescope
