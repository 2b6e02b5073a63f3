#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

/// The first ids of each reference image, all axes: (1, 0, 0), (2, 0, 0).
Words::List starts_in(const CheckModel& model) {
  Words::List starts;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (!is_reference(block) || !is_looked_at(model, block)) continue;
    std::vector<double> first;
    for (const AxisIds& ids : block.ids) first.push_back(ids.at(0));
    starts.push_back(as_it_is(list_text(first)));
  }
  return starts;
}

void propose_reference_index(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  const BlockShifts& shifts = situation.shifts();
  bool some = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_shifted(shifts[i])) continue;
    if (!is_reference(blocks[i])) return;
    some = true;
  }
  if (!some) return;
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  const auto indices_of = [](const CheckModel& model) {
    std::vector<double> indices;
    for (const TokenBlock& block : model.tokens.blocks) {
      if (is_reference(block) && is_looked_at(model, block)) indices.push_back(block.ids[0].at(0));
    }
    return indices;
  };
  const std::vector<double> indices = indices_of(found.model), due = indices_of(situation.model);
  found.parameters = {{"indices", indices}};
  const bool by_index = indices != due;
  const auto of = [&](const CheckModel& model) {
    return by_index ? Words::List{as_it_is(list_text(indices_of(model)))} : starts_in(model);
  };
  const Words::Named wanted("due", of(situation.model));
  found.evidence = Words(by_index ? "check.reference-index.evidence" : "check.reference-index.evidence_starts",
                         {{"found", of(found.model)}, wanted});
  found.advice = Words(by_index ? "check.reference-index.advice" : "check.reference-index.advice_starts", {wanted});
  proposals.push_back(std::move(found));
}

}  // namespace

/// Reference images on another index.
constinit const Cause kReferenceIndex{.name = "reference-index",
                                      .group = CauseGroup::ids,
                                      .seen_in = "huggingface/diffusers#13811",
                                      .by_shifts = true,
                                      .propose = propose_reference_index};

}  // namespace ropescope
