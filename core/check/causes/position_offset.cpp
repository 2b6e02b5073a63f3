#include <algorithm>

#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  const BlockShifts& shifts = situation.shifts();
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  // What all parts have in common, or what the image has.
  const std::vector<double>* offset = nullptr;
  bool everywhere = true;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!is_looked_at(situation.model, blocks[i])) continue;
    if (is_shifted(shifts[i]) && (offset == nullptr || blocks[i].part == "image")) offset = &shifts[i];
  }
  if (offset == nullptr) return;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    everywhere = everywhere && (!is_looked_at(situation.model, blocks[i]) || shifts[i] == *offset);
  }
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  found.parameters = {{"offset", *offset}};
  found.evidence = Words(everywhere ? "check.position-offset.evidence" : "check.position-offset.evidence_part",
                         {{"offset", list_text(*offset)}});
  found.advice = Words("check.position-offset.advice");
  proposals.push_back(std::move(found));
}

}  // namespace

/// Ids shifted by a constant: counted from 1, an offset of a cache, the length of a caption.
constinit const Cause kPositionOffset{.name = "position-offset",
                                      .group = CauseGroup::ids,
                                      .seen_in = "huggingface/transformers#43082, vllm-project/vllm#16878",
                                      .by_shifts = true,
                                      .propose = propose};

}  // namespace ropescope
