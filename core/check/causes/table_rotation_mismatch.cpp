#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

const char* words_of(Pairing pairing) {
  return pairing == Pairing::interleaved ? "neighbouring channels" : "channels half the width apart";
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_heads()) return;
  const CheckModel& model = situation.model;
  for (const Pairing repeats : {Pairing::interleaved, Pairing::half_split}) {
    for (const Pairing companions : {Pairing::interleaved, Pairing::half_split}) {
      const bool same = repeats == model.repeats && companions == model.companions;
      const bool matched = repeats == companions;
      if (same || (matched && model.repeats == model.companions)) continue;
      Proposal found = situation.proposal();
      found.model.repeats = repeats;
      found.model.companions = companions;
      found.parameters = {{"table", std::string(repeats == Pairing::interleaved ? "interleaved" : "half-split")},
                          {"rotation", std::string(companions == Pairing::interleaved ? "interleaved" : "half-split")}};
      found.evidence = std::string("The table repeats for ") + words_of(repeats) + ", the rotation turns " +
                       words_of(companions) +
                       (matched ? "; the model itself does not match them." : ": lengths of vectors are not kept.");
      found.advice = matched ? "Do as the released model does: its table and its rotation do not match."
                             : "Repeat the table for the channels that are turned together.";
      proposals.push_back(std::move(found));
    }
  }
}

}  // namespace

/// The table repeated one way, the rotation done the other: norms are not kept, scores not relative.
constinit const Cause kTableRotationMismatch{.name = "table-rotation-mismatch",
                                             .group = CauseGroup::channels,
                                             .seen_in = "baidu/ERNIE-Image#6",
                                             .propose = propose};

}  // namespace ropescope
