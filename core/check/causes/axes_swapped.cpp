#include <algorithm>

#include "core/check/causes/other_sizes.h"

namespace ropescope {

namespace {

std::size_t along(const CheckModel& model, Along wanted) {
  for (const TokenBlock& block : model.tokens.blocks) {
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      if (block.ids[axis].along == wanted) return axis;
    }
  }
  return model.tokens.axes.size();
}

Proposal exchanged(const Situation& situation, std::size_t a, std::size_t b) {
  Proposal found = situation.proposal();
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  found.parameters = {{"kind", named_value("columns")}};
  const Words::Named first("first", axes[a].name), second("second", axes[b].name);
  found.evidence = Words("check.axes-swapped.evidence", {first, second});
  found.advice = Words("check.axes-swapped.advice", {first, second});
  return found;
}

void exchange_columns(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  Proposal found = exchanged(situation, a, b);
  for (TokenBlock& block : found.model.tokens.blocks) std::swap(block.ids[a], block.ids[b]);
  proposals.push_back(std::move(found));
}

/// The pairs of the two axes, where they are equally many, take each other's ladders with their ids.
void exchange_pairs(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  const auto row_a = static_cast<Eigen::Index>(a), row_b = static_cast<Eigen::Index>(b);
  std::vector<Eigen::Index> of_a, of_b;
  for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
    if (old(row_a, pair) != 0 && old(row_b, pair) != 0) return;
    if (old(row_a, pair) != 0) of_a.push_back(pair);
    if (old(row_b, pair) != 0) of_b.push_back(pair);
  }
  if (of_a.size() != of_b.size()) return;
  Proposal found = exchanged(situation, a, b);
  Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    frequencies(row_a, of_a[i]) = frequencies(row_b, of_b[i]) = 0;
    frequencies(row_b, of_a[i]) = old(row_b, of_b[i]);
    frequencies(row_a, of_b[i]) = old(row_a, of_a[i]);
  }
  proposals.push_back(std::move(found));
}

/// The tokens laid out as if the sides of the image, or of all images, were exchanged.
void exchange_sides(const Situation& situation, bool references, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !reference.request.image) return;
  LayoutRequest request = reference.request;
  const auto turn = [](ImageSize& size) { std::swap(size.rows, size.columns); };
  turn(*request.image);
  if (references) std::for_each(request.references.begin(), request.references.end(), turn);
  Proposal found = situation.proposal();
  auto turned = arranged(situation, request);
  if (!turned || turned->row_count() != situation.model.tokens.row_count()) return;
  found.model.tokens.blocks = std::move(turned->blocks);
  found.parameters = {{"kind", named_value("height-width")}};
  found.evidence = Words("check.axes-swapped.evidence_sides");
  found.advice = Words("check.axes-swapped.advice_sides");
  proposals.push_back(std::move(found));
}

void propose_axes_swapped(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::size_t axes = situation.model.tokens.axes.size();
  if (axes < 2 || situation.model.own_ids) return;
  const std::size_t row = along(situation.model, Along::row), column = along(situation.model, Along::column);
  if (row < axes && column < axes) {
    exchange_columns(situation, row, column, proposals);
    exchange_pairs(situation, row, column, proposals);
  }
  exchange_sides(situation, false, proposals);
  if (!situation.reference.request.references.empty()) exchange_sides(situation, true, proposals);
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t b = a + 1; b < axes; ++b) {
      if ((a == row && b == column) || (a == column && b == row)) continue;
      exchange_columns(situation, a, b, proposals);
      exchange_pairs(situation, a, b, proposals);
    }
  }
}

}  // namespace

/// Rows and columns exchanged: the two columns of ids, or the sides of the grid (invisible on a square one).
constinit const Cause kAxesSwapped{.name = "axes-swapped",
                                   .group = CauseGroup::ids,
                                   .seen_in = "huggingface/pytorch-image-models#2541",
                                   .propose = propose_axes_swapped};

}  // namespace ropescope
