#include <algorithm>
#include <array>
#include <cmath>

#include "core/check/shifts.h"

namespace ropescope {

namespace {

/// Whether a shift lies between two ways of placing 0 on a side: at its first token, below or above its middle, in it.
bool is_of_centring(double shift, double side) {
  const std::array<double, 4> zeros = {0, std::floor(side / 2), std::ceil(side / 2), (side - 1) / 2};
  for (const double a : zeros) {
    for (const double b : zeros) {
      if (std::abs(a - b - shift) < 1e-9) return true;
    }
  }
  return false;
}

bool is_centred_otherwise(const TokenBlock& block, const std::vector<double>& shift) {
  for (std::size_t axis = 0; axis < shift.size(); ++axis) {
    const Along along = block.ids[axis].along;
    const bool on_grid = along == Along::row || along == Along::column;
    const double side = along == Along::row ? block.rows : static_cast<double>(block.columns);
    if (on_grid ? !is_of_centring(shift[axis], side) : shift[axis] != 0) return false;
  }
  return true;
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  const BlockShifts& shifts = situation.shifts();
  const std::vector<double>* of_image = nullptr;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_shifted(shifts[i])) continue;
    const bool image = blocks[i].part == "image";
    if ((!image && !is_reference(blocks[i])) || !is_centred_otherwise(blocks[i], shifts[i])) return;
    if (image) of_image = &shifts[i];
  }
  if (of_image == nullptr) return;
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  found.parameters = {{"offset", *of_image}};
  found.evidence = "The ids of the image are shifted by " + list_text(*of_image) +
                   ": its grid is centred by another rule than the model's.";
  found.advice = "Place 0 where the model places it; an odd side has two middles.";
  proposals.push_back(std::move(found));
}

}  // namespace

/// The grid is centred, half-centred or not, against the model's rule.
constinit const Cause kCentring{.name = "centring",
                                .group = CauseGroup::ids,
                                .seen_in = "leejet/stable-diffusion.cpp (odd Qwen-Image grids)",
                                .by_shifts = true,
                                .propose = propose};

}  // namespace ropescope
