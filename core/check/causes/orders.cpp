// The cause "order": raster, blocks and windows of patches, token numbers divided by another width, and parts or texts
// in another order. Read cause.h first.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"
#include "core/check/evidence/rows.h"
#include "core/check/model/model.h"
#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

namespace {

void propose_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  // Patches that are stored block by block are in no order that a sentence describes.
  const bool own_order = std::any_of(blocks.begin(), blocks.end(), [](const TokenBlock& block) {
    return is_grid(block) && std::any_of(block.ids.begin(), block.ids.end(), [](const AxisIds& ids) {
             return ids.along == Along::token && !ids.listed.empty();
           });
  });
  for (const NamedOrder& named : other_orders()) {
    const bool shows = std::any_of(blocks.begin(), blocks.end(),
                                   [&](const TokenBlock& block) { return can_stand_in(named.order, block); });
    if (!shows) continue;
    Proposal& found = situation.add_to(proposals);
    found.model.order = named.order;
    found.parameters = {{"order", named_value(named.name)}};
    found.evidence = Message("check.order." + std::string(named.name));
    found.advice = Message(own_order ? "check.order.advice_line" : "check.order.advice");
    found.doubt = named.usual ? Doubt::none : Doubt::fitted;
  }
}

/// The order of a grid's tokens: in windows, in each block by block, in each row by row. A side of 1, or a window of 0,
/// means that there are none.
struct PatchesInOrder {
  std::int64_t block = 1, window = 0;
  bool operator==(const PatchesInOrder&) const = default;
};

/// Returns row and column of each token of one frame.
std::vector<std::pair<std::int64_t, std::int64_t>> places_of(const TokenBlock& grid, const PatchesInOrder& order) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  const std::int64_t rows = grid.rows, columns = grid.columns;
  const std::int64_t window = order.window > 0 ? order.window : std::max(rows, columns);
  for (std::int64_t top = 0; top < rows; top += window) {
    for (std::int64_t left = 0; left < columns; left += window) {
      const std::int64_t bottom = std::min(top + window, rows), right = std::min(left + window, columns);
      for (std::int64_t row = top; row < bottom; row += order.block) {
        for (std::int64_t column = left; column < right; column += order.block) {
          for (std::int64_t r = row; r < std::min(row + order.block, bottom); ++r) {
            for (std::int64_t c = column; c < std::min(column + order.block, right); ++c) places.emplace_back(r, c);
          }
        }
      }
    }
  }
  return places;
}

/// Returns the side of a grid that an axis follows: along it, or listed by token under its name; none for another axis.
Along side_of(const AxisIds& ids, const std::string& axis) {
  if (ids.along == Along::row || ids.along == Along::column) return ids.along;
  if (ids.along != Along::token || ids.listed.empty()) return Along::none;
  return side_of_name(axis);
}

/// Puts the tokens of the grids into another order.
void reorder_patches(CheckModel& model, const PatchesInOrder& order) {
  for (TokenBlock& block : model.tokens.blocks) {
    if (!is_grid(block) || block.rows < 2 || block.columns < 2) continue;
    const auto places = places_of(block, order);
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      AxisIds& ids = block.ids[axis];
      const Along side = side_of(ids, model.tokens.axes[axis].name);
      if (side == Along::none) continue;
      // If the layout lists ids token by token, its rows and columns count up from the smallest id.
      const double first = ids.along == Along::token ? *std::min_element(ids.listed.begin(), ids.listed.end()) : 0;
      AxisIds others{Along::token, 0, {}};
      for (int frame = 0; frame < block.frames; ++frame) {
        for (const auto& [row, column] : places) {
          const std::int64_t at = side == Along::row ? row : column;
          others.listed.push_back(ids.along == Along::token ? first + static_cast<double>(at) : ids.at(at));
        }
      }
      ids = std::move(others);
    }
  }
}

/// Returns whether reorder_patches() changes a model.
bool has_patches(const CheckModel& model) {
  return std::ranges::any_of(model.tokens.blocks, [&](const TokenBlock& block) {
    if (!is_grid(block) || block.rows < 2 || block.columns < 2) return false;
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      if (side_of(block.ids[axis], model.tokens.axes[axis].name) != Along::none) return true;
    }
    return false;
  });
}

Message patches_in_words(const PatchesInOrder& order) {
  if (order.window > 0) {
    return order.block > 1
               ? Message("check.order.of_windows_of_blocks", {{"window", order.window}, {"block", order.block}})
               : Message("check.order.of_windows", {{"window", order.window}});
  }
  return order.block > 1 ? Message("check.order.of_blocks", {{"block", order.block}})
                         : Message("check.order.of_raster");
}

/// Returns the order of patches in the request for a layout; nullopt if its tokens are in no such order.
std::optional<PatchesInOrder> own_patches(const CheckReference& reference) {
  if (reference.layout == nullptr || !reference.request.image) return std::nullopt;
  PatchesInOrder own;
  const LayoutField* merge = find_field(*reference.layout, "merge_size");
  const bool listed = std::ranges::any_of(reference.tokens.blocks, [](const TokenBlock& block) {
    return is_grid(block) && std::ranges::any_of(block.ids, [](const AxisIds& ids) {
             return ids.along == Along::token && !ids.listed.empty();
           });
  });
  if (merge == nullptr) return own.block = listed ? 2 : 1, own;
  own.block = static_cast<std::int64_t>(value_of(reference.request, *merge).value_or(merge->initial));
  const LayoutField* window = find_field(*reference.layout, "window");
  if (window != nullptr) own.window = static_cast<std::int64_t>(value_of(reference.request, *window).value_or(0));
  return own;
}

/// Appends raster order, blocks and windows, whichever of these the model does not have.
void propose_patch_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto own = own_patches(situation.reference);
  if (!own || model.order != TokenOrder::row_major || model.tokens.row_count() > tuned::kMaxPatchTokens) return;
  std::vector<PatchesInOrder> orders = {{1, 0}, {own->block, 0}, {2, 0}, {3, 0}, {4, 0}};
  // Only towers have windows.
  const bool tower = find_field(*situation.reference.layout, "merge_size") != nullptr;
  for (const std::int64_t window : {8, 4, 16, 14, 7, 28, 24, 12, 32, 6, 10, 20}) {
    for (const std::int64_t block : {own->block, std::int64_t{2}, std::int64_t{1}}) {
      if (tower && window % block == 0 && window > block) orders.push_back({block, window});
    }
  }
  std::vector<PatchesInOrder> tried = {*own};
  for (const PatchesInOrder& order : orders) {
    if (std::find(tried.begin(), tried.end(), order) != tried.end()) continue;
    tried.push_back(order);
    situation.evidence.spend(model.tokens.row_count() / 4);
    if (!has_patches(model)) return;
    Proposal& found = situation.add_to(proposals, [order](CheckModel& other) { reorder_patches(other, order); });
    found.parameters = {{"order", named_value(order.window > 0  ? "windows"
                                              : order.block > 1 ? "blocks"
                                                                : "row-major")}};
    if (order.block > 1) found.parameters.push_back({"block", static_cast<double>(order.block)});
    if (order.window > 0) found.parameters.push_back({"window", static_cast<double>(order.window)});
    found.evidence =
        Message("check.order.evidence_patches", {{"found", patches_in_words(order)}, {"due", patches_in_words(*own)}});
    found.advice = Message("check.order.advice_patches", {{"due", patches_in_words(*own)}});
    // The likely ones: no blocks, the model's own blocks, blocks of two.
    const bool likely = order.window == own->window && (order.block <= 2 || order.block == own->block);
    found.doubt = likely ? Doubt::none : Doubt::fitted;
  }
}

/// A part of the sequence, with its rows in the tensors.
struct Part {
  std::string name;
  std::int64_t first_row = 0, count = 0;
};

/// Returns the parts in the rows, in order; empty if one of them is incomplete.
std::vector<Part> parts_of(const CheckModel& model) {
  std::vector<Part> parts;
  std::int64_t count = 0;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (!is_looked_at(model, block)) continue;
    parts.push_back({block.part, block.first_row, block.count()});
    count += block.count();
  }
  return count == model.row_count ? parts : std::vector<Part>{};
}

/// Returns the names of parts; several with one name, like the texts before and after an image, are numbered.
std::vector<std::string> part_names(const std::vector<Part>& parts, const std::vector<std::size_t>& order) {
  std::vector<std::string> names;
  for (const std::size_t i : order) {
    const auto same = [&](const Part& part) { return part.name == parts[i].name; };
    const auto before = std::count_if(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), same);
    const bool several = std::count_if(parts.begin(), parts.end(), same) > 1;
    names.push_back(parts[i].name + (several ? std::to_string(before + 1) : ""));
  }
  return names;
}

/// Returns orders of the parts, likely ones first: one part moved, then all others if there are few.
std::vector<std::vector<std::size_t>> orders_of(std::size_t count) {
  std::vector<std::size_t> own(count);
  std::iota(own.begin(), own.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> orders;
  const auto add = [&](const std::vector<std::size_t>& order) {
    if (order != own && std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
  };
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      std::vector<std::size_t> order = own;
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
      add(order);
    }
  }
  for (std::vector<std::size_t> order = own;
       count <= tuned::kFewParts && std::next_permutation(order.begin(), order.end());) {
    add(order);
  }
  return orders;
}

void describe_parts(Proposal& found, const std::vector<std::string>& order, const std::vector<std::string>& of_model) {
  found.parameters = {{"order", part_list(order)}};
  const Message::Named due("due", part_list(of_model));
  found.evidence = Message("check.order.evidence_parts", {{"found", part_list(order)}, due});
  found.advice = Message("check.order.advice_parts", {due});
}

/// Appends whole parts in another order, each with its own ids.
void propose_parts_order(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<Part> parts = parts_of(situation.model);
  if (parts.size() < 2 || parts.size() > tuned::kMaxParts) return;
  std::vector<std::size_t> own(parts.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  for (const std::vector<std::size_t>& order : orders_of(parts.size())) {
    Proposal& found = situation.add_to(proposals);
    found.model.rows.clear();
    for (const std::size_t i : order) found.model.rows.emplace_back(parts[i].first_row, parts[i].count);
    describe_parts(found, part_names(parts, order), part_names(parts, own));
    if (parts.size() > 2) found.doubt = Doubt::fitted;
  }
}

/// If ids continue from part to part (M-RoPE): appends the text before the image after it, or the reverse.
void propose_texts(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !takes(*reference.layout, "text_after")) return;
  const LayoutRequest& asked = reference.request;
  const bool whole = situation.model.row_count == reference.tokens.row_count();
  if (!whole || asked.text + asked.text_after == 0) return;
  const std::int64_t all = asked.text + asked.text_after;
  for (const std::int64_t before : {asked.text_after, std::int64_t{0}, all}) {
    if (before == asked.text) continue;
    LayoutRequest request = asked;
    request.text = before, request.text_after = all - before;
    auto tokens = arranged(situation, request);
    if (!tokens) continue;
    Proposal& found = situation.add_to(proposals);
    found.model.tokens.blocks = std::move(tokens->blocks);
    found.model.rows = {{0, situation.model.row_count}};
    const auto names = [](const std::vector<TokenBlock>& blocks) {
      std::vector<std::string> list;
      for (const TokenBlock& block : blocks) list.push_back(block.part);
      return list;
    };
    const auto order = names(found.model.tokens.blocks), due = names(reference.tokens.blocks);
    describe_parts(found, order, due);
    if (order == due) {
      found.evidence = Message(
          "check.order.evidence_text",
          {{"before", before}, {"after", all - before}, {"due_before", asked.text}, {"due_after", asked.text_after}});
    }
    found.advice = Message("check.order.advice_text", {{"due_before", asked.text}, {"due_after", asked.text_after}});
  }
}

/// Appends all tokens in one line, as in a text: every axis counts them from the first row.
void propose_line(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  const bool grids = std::any_of(blocks.begin(), blocks.end(),
                                 [&](const TokenBlock& block) { return is_grid(block) && is_looked_at(model, block); });
  if (!grids || model.tokens.axes.size() < 2 || model.rows.empty()) return;
  Proposal& found = situation.add_to(proposals);
  const std::int64_t first = model.rows.front().first;
  for (TokenBlock& block : found.model.tokens.blocks) {
    const auto start = static_cast<double>(block.first_row - first);
    for (AxisIds& ids : block.ids) ids = AxisIds{Along::token, start, {}};
  }
  found.parameters = {{"order", named_value("one_line")}};
  found.evidence = Message("check.order.evidence_line");
  found.advice = Message("check.order.advice_line");
}

/// Returns whether two sampled rows have the same coordinate on an axis, as the given ids or the pairs that only this
/// axis rotates show it.
bool same_on(const Situation& situation, std::size_t axis, Eigen::Index a, Eigen::Index b) {
  const Evidence& evidence = situation.evidence;
  const auto column = static_cast<Eigen::Index>(axis);
  if (evidence.has_ids()) return evidence.ids(a, column) == evidence.ids(b, column);
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Observed& observed = situation.observed();
  if (observed.phase.cols() != frequencies.cols()) return false;
  bool some = false;
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const double turns = std::abs(frequencies(column, pair));
    if (turns == 0 || frequencies.col(pair).cwiseAbs().sum() != turns) continue;
    const double noise = observed.noise(a, pair) + observed.noise(b, pair);
    if (!std::isfinite(noise)) continue;
    evidence.spend(1);
    // Angles of large ids have larger errors than their storage.
    if (std::abs(wrapped(observed.phase(a, pair) - observed.phase(b, pair), 2 * std::numbers::pi)) >
        tuned::kErrorsOfPhase * noise + tuned::kPhaseOfGrid)
      return false;
    some = true;
  }
  return some;
}

/// Returns the axis that follows a counter in a block; the number of axes if none does.
std::size_t axis_along(const TokenBlock& block, Along along) {
  const auto found =
      std::find_if(block.ids.begin(), block.ids.end(), [along](const AxisIds& ids) { return ids.along == along; });
  return static_cast<std::size_t>(found - block.ids.begin());
}

/// Returns the number of tokens from the first one of an image to the next in its column; 0 if nothing shows it.
std::int64_t stride_of(const Situation& situation, const TokenBlock& block) {
  const std::size_t row_axis = axis_along(block, Along::row), column_axis = axis_along(block, Along::column);
  if (std::max(row_axis, column_axis) >= block.ids.size()) return 0;
  // Sides are never padded to more.
  const std::int64_t most =
      std::min<std::int64_t>(block.rows * block.columns, tuned::kTimesOfStride * block.columns + tuned::kMoreOfStride);
  std::vector<Eigen::Index> place(static_cast<std::size_t>(most), -1);
  for (std::size_t i = 0; i < situation.evidence.rows.size(); ++i) {
    const std::int64_t at = reference_row(situation.model, situation.evidence.rows[i]) - block.first_row;
    if (at >= 0 && at < most) place[static_cast<std::size_t>(at)] = static_cast<Eigen::Index>(i);
  }
  for (std::int64_t i = 2; i < most && place[0] >= 0; ++i) {
    const Eigen::Index here = place[static_cast<std::size_t>(i)];
    if (here < 0 || !same_on(situation, column_axis, here, place[0])) continue;
    return same_on(situation, row_axis, here, place[0]) ? 0 : i;
  }
  return 0;
}

/// Appends rows and columns computed from a token's number with another width than the image's: of a padded latent.
void propose_strides(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  if (!model.strides.empty() || situation.evidence.tensors->rows != model.row_count) return;
  const bool grids = std::any_of(blocks.begin(), blocks.end(), [](const TokenBlock& block) {
    return is_grid(block) && block.rows > 1 && block.columns > 1;
  });
  if (!grids) return;
  std::vector<std::int64_t> strides(blocks.size(), 0);
  std::vector<double> found_ones;
  std::int64_t due = 0;
  bool padded = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_grid(blocks[i]) || blocks[i].rows < 2 || !is_looked_at(model, blocks[i])) continue;
    const std::int64_t stride = stride_of(situation, blocks[i]);
    if (stride == 0 || stride == blocks[i].columns) continue;
    padded = padded || blocks[i].rows * blocks[i].columns % stride != 0;
    strides[i] = stride;
    found_ones.push_back(static_cast<double>(stride));
    if (due == 0) due = blocks[i].columns;
  }
  // Widths that divide the tokens are those of images of another size, or with swapped sides.
  if (!padded) return;
  Proposal& found = situation.add_to(proposals, [strides](CheckModel& other) { other.strides = strides; });
  found.parameters = {{"order", named_value("row-stride")}, {"stride", found_ones[0]}};
  if (found_ones.size() > 1) found.parameters[1].value = found_ones;
  found.evidence = Message("check.order.evidence_stride", {{"stride", found_ones[0]}, {"due", due}});
  found.advice = Message("check.order.advice_stride");
}

void propose_order(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.model.own_ids) return;
  propose_line(situation, proposals);
  propose_orders(situation, proposals);
  propose_patch_orders(situation, proposals);
  propose_strides(situation, proposals);
  propose_parts_order(situation, proposals);
  propose_texts(situation, proposals);
}

}  // namespace

/// Another order of the tokens of a grid, token numbers divided by another width, or whole parts in another order.
extern constinit const Cause kOrder{.name = "order",
                                    .group = CauseGroup::ids,
                                    .seen_in = "",
                                    .id_change = IdChange::exchange,
                                    .propose = propose_order};

}  // namespace ropescope
