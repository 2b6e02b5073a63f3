#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

const char* words_of(Pairing pairing) {
  return pairing == Pairing::interleaved ? "neighbouring channels (2i, 2i + 1)"
                                         : "channels half the width apart (i, i + n)";
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
  found.parameters = {{"columns", std::string(first_half ? "first half" : "every second")}};
  found.evidence = first_half
                       ? "Neighbouring columns are the same: the first half of a table that repeats side by side."
                       : "Every second pair is missing, and the others are there twice: every second column of a "
                         "table whose halves repeat.";
  found.advice = first_half ? "Take every second column of a table that repeats side by side."
                            : "Take the first half of a table whose halves repeat.";
  proposals.push_back(std::move(found));
}

/// Frequencies that were given twice each show how they repeat.
bool are_given_twice(const Situation& situation) {
  const std::vector<double> once = stored_frequencies(situation.model);
  return !once.empty() && situation.evidence.frequencies.size() == 2 * once.size();
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !are_given_twice(situation)) return;
  // A model that turns other channels than its table repeats (ERNIE-Image) has no such fault in its vectors.
  if (situation.evidence.has_heads() && situation.model.repeats != situation.model.companions) return;
  const Pairing expected = situation.model.repeats;
  const Pairing other = expected == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
  Proposal found = situation.proposal();
  if (found.model.companions == found.model.repeats) found.model.companions = other;
  found.model.repeats = found.model.tokens.pairing = other;
  const char* what = situation.evidence.has_heads()    ? "The vectors are turned in pairs of "
                     : situation.evidence.has_tables() ? "The table repeats for pairs of "
                                                       : "The frequencies repeat for pairs of ";
  found.evidence = what + std::string(words_of(other)) + "; the reference pairs " + words_of(expected) + ".";
  found.advice = std::string("Pair ") + words_of(expected) + ", or permute the channels of the weights to match.";
  proposals.push_back(std::move(found));
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
    .propose = propose};

}  // namespace ropescope
