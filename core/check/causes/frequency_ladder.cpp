#include <cmath>

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

void add_frequency_ladder(const Situation& situation, const std::string& kind, std::string_view evidence,
                          Exponent exponent, std::vector<Proposal>& proposals) {
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

/// What is dealt from the last pair to the first: the frequencies of each axis, those of its pairs that do not turn
/// too, or the one ladder that several axes share while each keeps its pairs.
enum class Reversed { turning, with_still, across_axes };

CheckModel reversed(const CheckModel& of, Reversed what) {
  CheckModel model = of;
  Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  if (what == Reversed::across_axes) {
    const Eigen::RowVectorXd ladder = frequencies.colwise().sum();
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
      Eigen::Index axis = 0;
      of.tokens.frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
      frequencies(axis, pair) = ladder[frequencies.cols() - 1 - pair];
    }
    return model;
  }
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    std::vector<Eigen::Index> pairs;
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
      const bool of_other = frequencies.col(pair).cwiseAbs().sum() != std::abs(frequencies(axis, pair));
      if (what == Reversed::with_still ? !of_other : frequencies(axis, pair) != 0) pairs.push_back(pair);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      frequencies(axis, pairs[i]) = of.tokens.frequencies(axis, pairs[pairs.size() - 1 - i]);
    }
  }
  return model;
}

/// Whether the ladders rise from pair to pair, as LTX has them.
bool rise(const Eigen::MatrixXd& frequencies) {
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    double before = 0;
    for (const double frequency : frequencies.row(axis)) {
      if (before != 0 && frequency != 0) return std::abs(frequency) > std::abs(before);
      if (frequency != 0) before = frequency;
    }
  }
  return false;
}

void propose_reversed(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  const bool some_still = own.rows() == 1 && (own.array() == 0).any(), shared = own.rows() > 1 && !is_mixed(own);
  for (const Reversed what : {Reversed::turning, Reversed::with_still, Reversed::across_axes}) {
    if (what == Reversed::with_still && !some_still) continue;
    if (what == Reversed::across_axes && !shared) continue;
    Proposal found = situation.proposal();
    found.model = reversed(situation.model, what);
    if (found.model.tokens.frequencies == own) continue;
    found.again = [what](const CheckModel& other) { return reversed(other, what); };
    found.parameters = {{"kind", named_value("reversed")}};
    const bool rising = rise(own);
    found.evidence = Words(rising ? "check.frequency-ladder.evidence_falls" : "check.frequency-ladder.evidence_rises");
    found.advice = Words(rising ? "check.frequency-ladder.advice_rises" : "check.frequency-ladder.advice_falls");
    proposals.push_back(std::move(found));
  }
}

double rungs(const Ladders& ladders, std::size_t axis) {
  return ladders.own_dim[axis] / 2;
}

void propose_frequency_ladder(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_reversed(situation, proposals);
  const Ladders& ladders = situation.ladders();
  if (!ladders.known()) return;
  add_frequency_ladder(
      situation, "shifted", "check.frequency-ladder.evidence_from_1",
      [](const Ladders& of, std::size_t axis, double exponent) { return exponent + of.step[axis]; }, proposals);
  add_frequency_ladder(
      situation, "shifted", "check.frequency-ladder.evidence_from_minus_1",
      [](const Ladders& of, std::size_t axis, double exponent) { return exponent - of.step[axis]; }, proposals);
  if (!rise(situation.model.tokens.frequencies)) {
    const std::size_t before = proposals.size();
    add_frequency_ladder(
        situation, "reciprocal", "check.frequency-ladder.evidence_reciprocal",
        [](const Ladders&, std::size_t, double exponent) { return -exponent; }, proposals);
    if (proposals.size() > before) proposals.back().model.too_fast = true;
  }
  for (std::size_t axis = 0; axis < ladders.own_dim.size(); ++axis) {
    if (ladders.base[axis] > 1 && rungs(ladders, axis) == 1) return;
  }
  add_frequency_ladder(
      situation, "inclusive", "check.frequency-ladder.evidence_inclusive",
      [](const Ladders& of, std::size_t axis, double exponent) {
        return of.step[axis] < 0 ? exponent : exponent * rungs(of, axis) / (rungs(of, axis) - 1);
      },
      proposals);
  add_frequency_ladder(
      situation, "exclusive", "check.frequency-ladder.evidence_exclusive",
      [](const Ladders& of, std::size_t axis, double exponent) {
        return of.step[axis] < 0 ? exponent * (rungs(of, axis) - 1) / rungs(of, axis) : exponent;
      },
      proposals);
}

}  // namespace

/// θ_i shifted by one, spaced over [0, 1] inclusive, its reciprocal, or dealt from the last pair to the first.
constinit const Cause kFrequencyLadder{
    .name = "frequency-ladder", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose_frequency_ladder};

}  // namespace ropescope
