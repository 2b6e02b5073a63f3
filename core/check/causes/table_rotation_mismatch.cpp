#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

Words channels_of_table_rotation_mismatch(Pairing pairing) {
  return Words(pairing == Pairing::interleaved ? "check.table-rotation-mismatch.neighbours"
                                               : "check.table-rotation-mismatch.halves");
}

Words name_of_table_rotation_mismatch(Pairing pairing) {
  return named_value(pairing == Pairing::interleaved ? "interleaved" : "half-split");
}

void propose_table_rotation_mismatch(const Situation& situation, std::vector<Proposal>& proposals) {
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
      found.parameters = {{"table", name_of_table_rotation_mismatch(repeats)},
                          {"rotation", name_of_table_rotation_mismatch(companions)}};
      found.evidence =
          Words(matched ? "check.table-rotation-mismatch.evidence_matched" : "check.table-rotation-mismatch.evidence",
                {{"table", channels_of_table_rotation_mismatch(repeats)},
                 {"rotation", channels_of_table_rotation_mismatch(companions)}});
      // Of the two that do not match the one that is not the model's.
      const bool table = repeats != model.repeats;
      found.advice = table ? Words("check.table-rotation-mismatch.advice",
                                   {{"due", channels_of_table_rotation_mismatch(model.repeats)}})
                           : Words("check.table-rotation-mismatch.advice_rotation",
                                   {{"due", channels_of_table_rotation_mismatch(model.companions)}});
      if (model.repeats != model.companions) found.advice = Words("check.table-rotation-mismatch.advice_matched");
      proposals.push_back(std::move(found));
    }
  }
}

}  // namespace

/// The table repeated one way, the rotation done the other: norms are not kept, scores not relative.
constinit const Cause kTableRotationMismatch{.name = "table-rotation-mismatch",
                                             .group = CauseGroup::channels,
                                             .seen_in = "baidu/ERNIE-Image#6",
                                             .propose = propose_table_rotation_mismatch};

}  // namespace ropescope
