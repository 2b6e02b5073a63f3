#include "core/check/cause.h"

namespace ropescope {

namespace {

const char* words_of(Pairing pairing) {
  return pairing == Pairing::interleaved ? "neighbouring channels (2i, 2i + 1)"
                                         : "channels half the width apart (i, i + n)";
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  // A model that turns other channels than its table repeats (ERNIE-Image) has no such fault in its vectors.
  if (situation.evidence.has_heads() && situation.model.repeats != situation.model.companions) return;
  const Pairing expected = situation.model.repeats;
  const Pairing other = expected == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
  Proposal found = situation.proposal();
  if (found.model.companions == found.model.repeats) found.model.companions = other;
  found.model.repeats = found.model.tokens.pairing = other;
  const char* what =
      situation.evidence.has_heads() ? "The vectors are turned in pairs of " : "The table repeats for pairs of ";
  found.evidence = what + std::string(words_of(other)) + "; the reference pairs " + words_of(expected) + ".";
  found.advice = std::string("Pair ") + words_of(expected) + ", or permute the channels of the weights to match.";
  proposals.push_back(std::move(found));
}

}  // namespace

/// Half-split where the model is interleaved, or the reverse; position 0 hides it.
constinit const Cause kPairing{
    .name = "pairing",
    .group = CauseGroup::channels,
    .seen_in = "huggingface/transformers#25199, karpathy/llama2.c#286, NeuraLegion/shainet#111",
    .propose = propose};

}  // namespace ropescope
