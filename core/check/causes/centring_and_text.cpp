#include <algorithm>

#include "core/check/search/search.h"
#include "core/check/search/shifts.h"

namespace ropescope {

Explanation centring_and_text(const Situation& situation) {
  Explanation explanation;
  const BlockShifts& shifts = situation.shifts();
  const auto of_images = centring_shifts(situation.model, shifts);
  if (!of_images) return explanation;
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  BlockShifts of_texts = shifts;
  bool apart = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool text = blocks[i].part == "text";
    if (!text) std::fill(of_texts[i].begin(), of_texts[i].end(), 0.0);
    if (text && is_shifted(shifts[i])) apart = true;
    if (!text && !is_shifted((*of_images)[i]) && is_shifted(shifts[i])) return explanation;
  }
  for (std::size_t i = 0; i < blocks.size() && apart; ++i) {
    for (std::size_t j = 0; j < blocks.size(); ++j) {
      if (blocks[i].part == "text" && blocks[j].part == "image" && shifts[i] == shifts[j]) return explanation;
    }
  }
  if (!apart) return explanation;
  Proposal grid = centred_otherwise(situation, *of_images), text = text_started_at(situation, of_texts);
  const CheckModel grid_alone = grid.model, text_alone = text.model;
  shift_blocks(grid.model, of_texts);
  text.model = explanation.model = grid.model;
  const std::string tied(kPositionOffset.name);
  explanation.causes.push_back({&kCentring, std::move(grid), {tied}, grid_alone, text_alone});
  explanation.causes.push_back({&kTextStart, std::move(text), {tied}, text_alone, grid_alone});
  return explanation;
}

}  // namespace ropescope
