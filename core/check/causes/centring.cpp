#include <algorithm>
#include <array>
#include <cmath>

#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

/// Whether a shift lies between two ways of placing 0 on a side: at its first token, below or above its middle, in it.
bool is_of_centring(double shift, double side) {
  const std::array<double, 4> zeros = {0, std::floor(side / 2), std::ceil(side / 2), (side - 1) / 2};
  for (const double a : zeros) {
    for (const double b : zeros) {
      if (a - b == shift) return true;
    }
  }
  return false;
}

/// From one id of a side to the next; 0 where there is one only.
double step_of_centring(const AxisIds& ids, std::int64_t count) {
  return count > 1 ? (ids.at(count - 1) - ids.at(0)) / static_cast<double>(count - 1) : 0;
}

bool is_grid_axis(const AxisIds& ids) {
  return ids.along == Along::row || ids.along == Along::column;
}

/// Whether the model's own ids stand on both sides of 0.
bool is_centred(const TokenBlock& block) {
  return std::any_of(block.ids.begin(), block.ids.end(), [&](const AxisIds& ids) {
    return is_grid_axis(ids) && ids.at(0) < 0 && ids.at(block.count(ids.along) - 1) >= 0;
  });
}

/// A shift of an axis as a difference of two centrings, in units of the steps between its ids; none: it is no such one.
std::optional<double> centring_shift(const TokenBlock& block, std::size_t axis, double shift) {
  const AxisIds& ids = block.ids[axis];
  if (shift == 0) return 0.0;
  const std::int64_t side = block.count(ids.along);
  const double step = step_of_centring(ids, side);
  if (!is_grid_axis(ids) || step == 0) return std::nullopt;
  // Where ids are fractions the shift was recovered with an error.
  const double halves = std::nearbyint(2 * shift / step), reach = step == std::floor(step) ? 1e-9 : 1e-3;
  if (std::abs(2 * shift / step - halves) > reach || !is_of_centring(halves / 2, static_cast<double>(side))) {
    return std::nullopt;
  }
  return halves / 2 * step;
}

}  // namespace

std::optional<BlockShifts> centring_shifts(const CheckModel& model, const BlockShifts& shifts) {
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  BlockShifts found = shifts;
  bool centred = false, image = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool of_image = blocks[i].part == "image";
    if (!of_image && !is_reference(blocks[i])) {
      std::fill(found[i].begin(), found[i].end(), 0.0);
      continue;
    }
    centred = centred || is_centred(blocks[i]);
    for (std::size_t axis = 0; axis < shifts[i].size(); ++axis) {
      const auto shift = centring_shift(blocks[i], axis, shifts[i][axis]);
      if (!shift) return std::nullopt;
      found[i][axis] = *shift;
    }
    image = image || (of_image && is_shifted(found[i]));
  }
  if (!centred || !image) return std::nullopt;
  return found;
}

Proposal centred_otherwise(const Situation& situation, const BlockShifts& shifts) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  std::vector<double> of_image, due, start;
  bool from_zero = true, rounded = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].part != "image" || !is_shifted(shifts[i])) continue;
    of_image = shifts[i];
    due.clear(), start.clear();
    for (std::size_t axis = 0; axis < of_image.size(); ++axis) {
      const AxisIds& ids = blocks[i].ids[axis];
      const std::int64_t side = blocks[i].count(ids.along);
      due.push_back(ids.at(0)), start.push_back(ids.at(0) + of_image[axis]);
      if (of_image[axis] == 0) continue;
      const double step = step_of_centring(ids, side);
      from_zero = from_zero && std::abs(start.back()) < 1e-3 * step;
      rounded = rounded && side % 2 == 1 && std::abs(of_image[axis]) == step;
    }
  }
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  found.parameters = {{"offset", of_image}};
  found.evidence = Words(from_zero ? "check.centring.evidence_from_zero"
                         : rounded ? "check.centring.evidence_rounded"
                                   : "check.centring.evidence",
                         {{"offset", list_text(of_image)}, {"start", list_text(start)}});
  found.advice = Words("check.centring.advice", {{"due", list_text(due)}});
  return found;
}

namespace {

/// Coordinates from 0 to 1 taken as they are where the model stretches them to −1 … 1 (LTX).
CheckModel not_stretched(const CheckModel& of) {
  CheckModel model = of;
  for (LayoutAxis& axis : model.tokens.axes) {
    if (axis.id_offset != 0) axis.id_scale = 1, axis.id_offset = 0;
  }
  return model;
}

void propose_not_stretched(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  if (std::all_of(axes.begin(), axes.end(), [](const LayoutAxis& axis) { return axis.id_offset == 0; })) return;
  Proposal found = situation.proposal();
  found.model = not_stretched(situation.model);
  found.again = not_stretched;
  found.parameters = {{"kind", named_value("not-stretched")}};
  found.evidence = Words("check.centring.evidence_not_stretched");
  found.advice = Words("check.centring.advice_not_stretched");
  proposals.push_back(std::move(found));
}

void propose_centring(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.evidence.has_rotation()) propose_not_stretched(situation, proposals);
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  const BlockShifts& shifts = situation.shifts();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool grid = is_grid(blocks[i]);
    if (!grid && is_shifted(shifts[i])) return;
  }
  if (const auto found = centring_shifts(situation.model, shifts)) {
    proposals.push_back(centred_otherwise(situation, *found));
  }
}

}  // namespace

/// The grid is centred, half-centred or not, against the model's rule (seen with odd grids of Qwen-Image).
constinit const Cause kCentring{.name = "centring",
                                .group = CauseGroup::ids,
                                .seen_in = "leejet/stable-diffusion.cpp",
                                .by_shifts = true,
                                .propose = propose_centring};

}  // namespace ropescope
