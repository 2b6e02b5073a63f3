#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

Words channels_of_pairing(Pairing pairing) {
  return Words(pairing == Pairing::interleaved ? "check.pairing.neighbours" : "check.pairing.halves");
}

/// A table with one column for each pair that was cut out of one with two: the first half of its columns although they
/// repeat side by side (f0 f0 f1 f1 …), or every second one although the halves repeat (f0 f2 f4 … f0 f2 f4 …).
void propose_cut(const Situation& situation, bool first_half, std::vector<Proposal>& proposals) {
  const auto apply = [first_half](const CheckModel& model) {
    CheckModel cut = model;
    const Eigen::MatrixXd& whole = model.tokens.frequencies;
    for (Eigen::Index column = 0; column < whole.cols(); ++column) {
      cut.tokens.frequencies.col(column) = whole.col(first_half ? column / 2 : 2 * column % whole.cols());
    }
    return cut;
  };
  Proposal found = situation.proposal();
  found.model = apply(situation.model);
  found.again = apply;
  found.doubt = Doubt::fitted;
  found.parameters = {{"columns", named_value(first_half ? "first_half" : "every_second")}};
  found.evidence = Words(first_half ? "check.pairing.evidence_first_half" : "check.pairing.evidence_every_second");
  found.advice = Words(first_half ? "check.pairing.advice_first_half" : "check.pairing.advice_every_second");
  proposals.push_back(std::move(found));
}

void propose_pairing(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  // How a table repeats its columns does not say how q is turned (GLM and DeepSeek store halves and turn neighbours):
  // vectors alone show it. A model that turns other channels than its table repeats (ERNIE-Image) has no such fault.
  const CheckModel& model = situation.model;
  if (situation.evidence.has_heads() && model.repeats == model.companions) {
    const Pairing other = model.companions == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
    const Words::Named due("due", channels_of_pairing(model.companions));
    for (const bool out_by_halves : {false, true}) {
      if (out_by_halves && other != Pairing::interleaved) continue;
      Proposal found = situation.proposal();
      found.model.repeats = found.model.companions = found.model.tokens.pairing = other;
      found.model.out_by_halves = out_by_halves;
      found.evidence = Words(out_by_halves ? "check.pairing.evidence_out_by_halves" : "check.pairing.evidence_vectors",
                             {{"found", channels_of_pairing(other)}, due});
      found.advice = Words("check.pairing.advice", {due});
      proposals.push_back(std::move(found));
    }
  }
  const bool once = situation.evidence.has_tables() && situation.evidence.tensors->tables.repeats == Repeats::once;
  for (const bool first_half : {true, false}) {
    if (once) propose_cut(situation, first_half, proposals);
  }
}

}  // namespace

/// Half-split where the model is interleaved, or the reverse; position 0 hides it.
constinit const Cause kPairing{
    .name = "pairing",
    .group = CauseGroup::channels,
    .seen_in = "huggingface/transformers#25199, karpathy/llama2.c#286, NeuraLegion/shainet#111",
    .propose = propose_pairing};

}  // namespace ropescope
