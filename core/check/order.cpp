#include <algorithm>

#include "core/check/cause.h"

namespace ropescope {

namespace {

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  const bool has_grid = std::any_of(blocks.begin(), blocks.end(),
                                    [](const TokenBlock& block) { return block.rows > 1 && block.columns > 1; });
  if (!has_grid || situation.model.own_ids) return;
  for (const TokenOrder order : {TokenOrder::column_major, TokenOrder::serpentine}) {
    const std::string words = order == TokenOrder::column_major ? "column-major" : "serpentine";
    Proposal found = situation.proposal();
    found.model.order = order;
    found.parameters = {{"order", words}};
    found.evidence = order == TokenOrder::column_major ? "The tokens run down each column before the next one."
                                                       : "Every second row of tokens runs from right to left.";
    found.advice = "Order the tokens row by row, each from left to right.";
    proposals.push_back(std::move(found));
  }
}

}  // namespace

/// Column-major or serpentine order of the tokens of a grid.
constinit const Cause kOrder{.name = "order", .group = CauseGroup::ids, .seen_in = "", .propose = propose};

}  // namespace ropescope
