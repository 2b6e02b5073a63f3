#include <algorithm>
#include <cmath>

#include "core/check/ropes.h"

namespace ropescope {

namespace {

void describe(Proposal& found, double dimension, double due) {
  found.parameters = {{"rotary_dimension", dimension}};
  found.evidence =
      "The exponents are divided by " + number_text(dimension) + "; the reference divides by " + number_text(due) + ".";
  found.advice = "Divide the exponents by " + number_text(due) + ".";
}

/// A ladder over `dim` channels of which the model has the first pairs.
void add_first_pairs(const Situation& situation, int dim, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  RotarySpec other = *model.rope;
  if (dim < 2 || dim % 2 != 0 || dim > other.head_dim || other.axes.size() != 1) return;
  const double due = situation.ladders().own_dim[0];
  other.axes[0].rotary_dim = dim;
  other.axes[0].ladder = Ladder::plain;
  if (other.extension.method == "proportional") other.extension = Extension{};
  const Eigen::MatrixXd ladder = frequencies_or_nan(other, model.length);
  if (!ladder.allFinite()) return;
  const Eigen::Index pairs = model.tokens.pair_count();
  if (ladder.cols() >= pairs) {
    Proposal found = situation.proposal();
    found.model.tokens.frequencies = ladder.leftCols(pairs);
    describe(found, dim, due);
    if (!found.model.tokens.frequencies.isApprox(model.tokens.frequencies, 1e-12))
      proposals.push_back(std::move(found));
  }
  // The fraction applied twice, or not at all: another number of pairs.
  if (ladder.cols() == pairs) return;
  Proposal wide = situation.proposal();
  wide.model.tokens.frequencies = ladder;
  wide.model.rope = other;
  wide.parameters = {{"rotary_dimension", static_cast<double>(dim)}};
  wide.evidence = "There are " + std::to_string(ladder.cols()) + " pairs, " + number_text(dim) +
                  " channels; the reference turns " + std::to_string(2 * pairs) + " of " +
                  std::to_string(other.head_dim) + ".";
  wide.advice = "Apply the rotary fraction once: turn " + std::to_string(2 * pairs) + " channels.";
  proposals.push_back(std::move(wide));
}

/// The exponents divided by the head in place of the axis' own channels, or the reverse of that mistake.
CheckModel divided(const CheckModel& of, const Ladders& ladders, bool by_head) {
  CheckModel model = of;
  model.tokens.frequencies = with_exponents(of, ladders, [&](std::size_t axis, double exponent) {
    const double part = ladders.own_dim[axis] / ladders.head_dim;
    return by_head ? exponent * part : exponent / part;
  });
  return model;
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  const Ladders& ladders = situation.ladders();
  if (!ladders.known()) return;
  const auto head = ladders.head_dim;
  const auto add = [&](bool by_head) {
    Proposal found = situation.proposal();
    found.model = divided(situation.model, ladders, by_head);
    found.again = [by_head](const CheckModel& other) { return divided(other, ladders_of(other), by_head); };
    const double largest = *std::max_element(ladders.own_dim.begin(), ladders.own_dim.end());
    describe(found, by_head ? head : largest * largest / head, largest);
    if (found.model.tokens.frequencies.isApprox(situation.model.tokens.frequencies, 1e-12)) return;
    proposals.push_back(std::move(found));
  };
  add(true);
  add(false);
  if (!situation.model.rope || situation.model.rope->axes.size() != 1) return;
  const double own = situation.model.rope->axes[0].rotary_dim;
  add_first_pairs(situation, situation.model.rope->head_dim, proposals);
  add_first_pairs(situation, static_cast<int>(own * own / head), proposals);
  // A ladder over the head of which only some pairs turn (Gemma 4): the exponents divided by those.
  const auto live = (situation.model.tokens.frequencies.array() != 0).count();
  if (live == 0 || live == situation.model.tokens.pair_count()) return;
  Proposal found = situation.proposal();
  const double part = 2.0 * static_cast<double>(live) / ladders.own_dim[0];
  found.model.tokens.frequencies =
      with_exponents(situation.model, ladders, [&](std::size_t, double exponent) { return exponent / part; });
  describe(found, 2.0 * static_cast<double>(live), ladders.own_dim[0]);
  proposals.push_back(std::move(found));
}

}  // namespace

/// The exponent's denominator is the head where it should be the rotary dimension, or the reverse; the fraction applied
/// twice or not at all.
constinit const Cause kRotaryDimension{
    .name = "rotary-dimension",
    .group = CauseGroup::frequencies,
    .seen_in = "pie-project/pie#603, vllm-project/vllm#30384, apple/coreai-models#66",
    .propose = propose};

}  // namespace ropescope
