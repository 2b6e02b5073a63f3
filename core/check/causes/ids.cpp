// Causes among ids that are neither shifts nor scales, one block each: what it proposes, in which words.
//
// Contents: Axes swapped; Order; Rows; Collisions.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"
#include "core/check/evidence/rows.h"
#include "core/check/model/model.h"
#include "core/words.h"

namespace ropescope {

// --- Axes swapped --------------------------------------------------------------------------------------------------

namespace {

std::size_t along(const CheckModel& model, Along wanted) {
  for (const TokenBlock& block : model.tokens.blocks) {
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      if (block.ids[axis].along == wanted) return axis;
    }
  }
  return model.tokens.axes.size();
}

Proposal& add_exchanged(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals);
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  found.parameters = {{"kind", named_value("columns")}};
  // In the order of the model, which may have columns before rows.
  const Words::Named first("first", axes[std::min(a, b)].name), second("second", axes[std::max(a, b)].name);
  found.evidence = Words("check.axes-swapped.evidence", {first, second});
  found.advice = Words("check.axes-swapped.advice", {first, second});
  return found;
}

void exchange_columns(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  Proposal& found = add_exchanged(situation, a, b, proposals);
  for (TokenBlock& block : found.model.tokens.blocks) std::swap(block.ids[a], block.ids[b]);
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
  Eigen::MatrixXd& frequencies = add_exchanged(situation, a, b, proposals).model.tokens.frequencies;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    frequencies(row_a, of_a[i]) = frequencies(row_b, of_b[i]) = 0;
    frequencies(row_b, of_a[i]) = old(row_b, of_b[i]);
    frequencies(row_a, of_b[i]) = old(row_a, of_a[i]);
  }
}

/// The tokens laid out as if the sides of the image, or of all images, were exchanged.
void exchange_sides(const Situation& situation, bool references, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !reference.request.image) return;
  LayoutRequest request = reference.request;
  const auto turn = [](ImageSize& size) { std::swap(size.rows, size.columns); };
  turn(*request.image);
  if (references) std::for_each(request.references.begin(), request.references.end(), turn);
  auto turned = arranged(situation, request);
  if (!turned || turned->row_count() != situation.model.tokens.row_count()) return;
  Proposal& found = situation.add_to(proposals);
  found.model.tokens.blocks = std::move(turned->blocks);
  found.parameters = {{"kind", named_value("height-width")}};
  found.evidence = Words("check.axes-swapped.evidence_sides");
  found.advice = Words("check.axes-swapped.advice_sides");
}

/// The columns of ids in any other order than that of the axes, two of them exchanged apart.
void permute_columns(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  constexpr std::size_t kMostAxes = 4, kExchanged = 2;
  if (axes.size() > kMostAxes) return;
  std::vector<std::size_t> own(axes.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  const auto names = [&](const std::vector<std::size_t>& order) {
    return joined(order, ", ", [&](std::size_t axis) { return axes[axis].name; });
  };
  for (std::vector<std::size_t> order = own; std::next_permutation(order.begin(), order.end());) {
    std::size_t moved = 0;
    for (std::size_t axis = 0; axis < order.size(); ++axis) moved += order[axis] != axis ? 1 : 0;
    if (moved <= kExchanged) continue;
    Proposal& found = situation.add_to(proposals);
    for (std::size_t block = 0; block < found.model.tokens.blocks.size(); ++block) {
      for (std::size_t axis = 0; axis < order.size(); ++axis)
        found.model.tokens.blocks[block].ids[axis] = situation.model.tokens.blocks[block].ids[order[axis]];
    }
    found.parameters = {{"kind", named_value("columns")}, {"order", as_it_is(names(order))}};
    found.evidence = Words("check.axes-swapped.evidence_order", {{"found", names(order)}, {"due", names(own)}});
    found.advice = Words("check.axes-swapped.advice_order", {{"due", names(own)}});
  }
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
  permute_columns(situation, proposals);
}

}  // namespace

/// Rows and columns exchanged: the two columns of ids, or the sides of the grid (invisible on a square one).
constinit const Cause kAxesSwapped{.name = "axes-swapped",
                                   .group = CauseGroup::ids,
                                   .seen_in = "huggingface/pytorch-image-models#2541",
                                   .id_change = IdChange::exchange,
                                   .propose = propose_axes_swapped};

// --- Order ---------------------------------------------------------------------------------------------------------

namespace {

void propose_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  // Patches that come block by block stand in no order that a sentence says.
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
    found.evidence = Words("check.order." + std::string(named.name));
    found.advice = Words(own_order ? "check.order.advice_line" : "check.order.advice");
    found.doubt = named.usual ? Doubt::none : Doubt::fitted;
  }
}

/// How the tokens of a grid follow each other: in windows, in each block by block, in each row by row. A side of 1, or
/// a window of 0, is none.
struct PatchesInOrder {
  std::int64_t block = 1, window = 0;
  bool operator==(const PatchesInOrder&) const = default;
};

/// Row and column of each token of one frame.
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

/// Which side of a grid the ids of an axis follow: along it, or listed token by token under its name; none if another.
Along side_of(const AxisIds& ids, const std::string& axis) {
  if (ids.along == Along::row || ids.along == Along::column) return ids.along;
  if (ids.along != Along::token || ids.listed.empty()) return Along::none;
  return axis == "row" || axis == "y" ? Along::row : axis == "column" || axis == "x" ? Along::column : Along::none;
}

/// The grids of a model with their tokens in another order; none if a grid has no rows and columns.
std::optional<CheckModel> in_patch_order(const CheckModel& of, const PatchesInOrder& order) {
  CheckModel model = of;
  bool some = false;
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
      some = true;
    }
  }
  return some ? std::optional(std::move(model)) : std::nullopt;
}

Words patches_in_words(const PatchesInOrder& order) {
  if (order.window > 0) {
    return order.block > 1
               ? Words("check.order.of_windows_of_blocks", {{"window", order.window}, {"block", order.block}})
               : Words("check.order.of_windows", {{"window", order.window}});
  }
  return order.block > 1 ? Words("check.order.of_blocks", {{"block", order.block}}) : Words("check.order.of_raster");
}

/// The order of the patches that a layout is asked for; none if its tokens are in no such order.
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

/// Raster, blocks and windows where the model has others, whichever of them it has.
void propose_patch_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto own = own_patches(situation.reference);
  constexpr std::int64_t kMostTokens = 1 << 16;
  if (!own || model.order != TokenOrder::row_major || model.tokens.row_count() > kMostTokens) return;
  std::vector<PatchesInOrder> orders = {{1, 0}, {own->block, 0}, {2, 0}, {3, 0}, {4, 0}};
  // Towers alone have windows.
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
    auto other = in_patch_order(model, order);
    if (!other) return;
    Proposal& found = situation.add_to(proposals);
    found.model = std::move(*other);
    found.again = [order](const CheckModel& of) { return in_patch_order(of, order).value_or(of); };
    found.parameters = {{"order", named_value(order.window > 0  ? "windows"
                                              : order.block > 1 ? "blocks"
                                                                : "row-major")}};
    if (order.block > 1) found.parameters.push_back({"block", static_cast<double>(order.block)});
    if (order.window > 0) found.parameters.push_back({"window", static_cast<double>(order.window)});
    found.evidence =
        Words("check.order.evidence_patches", {{"found", patches_in_words(order)}, {"due", patches_in_words(*own)}});
    found.advice = Words("check.order.advice_patches", {{"due", patches_in_words(*own)}});
    // The likely ones: none, the model's own blocks, blocks of two.
    const bool likely = order.window == own->window && (order.block <= 2 || order.block == own->block);
    found.doubt = likely ? Doubt::none : Doubt::fitted;
  }
}

/// A part as it stands among the rows of the tensors.
struct Part {
  std::string name;
  std::int64_t first_row = 0, count = 0;
};

/// The parts that the rows hold, one after the other; empty where one of them is there in pieces.
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

/// Several of one name, as the texts before and after an image, have numbers.
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

/// Orders of the parts, likely ones first: one part taken to another place, then all others where they are few.
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
  constexpr std::size_t kFew = 4;
  for (std::vector<std::size_t> order = own; count <= kFew && std::next_permutation(order.begin(), order.end());) {
    add(order);
  }
  return orders;
}

void describe_parts(Proposal& found, const std::vector<std::string>& order, const std::vector<std::string>& of_model) {
  found.parameters = {{"order", part_list(order)}};
  const Words::Named due("due", part_list(of_model));
  found.evidence = Words("check.order.evidence_parts", {{"found", part_list(order)}, due});
  found.advice = Words("check.order.advice_parts", {due});
}

/// Whole parts in another order, each with its own ids.
void propose_parts_order(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<Part> parts = parts_of(situation.model);
  constexpr std::size_t kMostParts = 9;
  if (parts.size() < 2 || parts.size() > kMostParts) return;
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

/// Where ids count on from part to part (M-RoPE): the text before the image after it, or the reverse.
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
      found.evidence = Words(
          "check.order.evidence_text",
          {{"before", before}, {"after", all - before}, {"due_before", asked.text}, {"due_after", asked.text_after}});
    }
    found.advice = Words("check.order.advice_text", {{"due_before", asked.text}, {"due_after", asked.text_after}});
  }
}

/// All tokens in one line, as a text is: every axis counts them from the first row on.
void propose_line(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  const bool grids = std::any_of(blocks.begin(), blocks.end(), is_grid);
  if (!grids || model.tokens.axes.size() < 2 || model.rows.empty()) return;
  Proposal& found = situation.add_to(proposals);
  const std::int64_t first = model.rows.front().first;
  for (TokenBlock& block : found.model.tokens.blocks) {
    const auto start = static_cast<double>(block.first_row - first);
    for (AxisIds& ids : block.ids) ids = AxisIds{Along::token, start, {}};
  }
  found.parameters = {{"order", named_value("one_line")}};
  found.evidence = Words("check.order.evidence_line");
  found.advice = Words("check.order.advice_line");
}

/// Whether two of the rows that are looked at stand in the same column, as the pairs that it alone turns show it, and
/// whether in the same row.
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
    // Angles of large ids err by more than their storing does.
    constexpr double kErrors = 4, kOfAngle = 1e-4;
    if (std::abs(wrapped(observed.phase(a, pair) - observed.phase(b, pair), 2 * std::numbers::pi)) >
        kErrors * noise + kOfAngle)
      return false;
    some = true;
  }
  return some;
}

/// The axis that follows a counter in a block; as many as there are where none does.
std::size_t axis_along(const TokenBlock& block, Along along) {
  const auto found =
      std::find_if(block.ids.begin(), block.ids.end(), [along](const AxisIds& ids) { return ids.along == along; });
  return static_cast<std::size_t>(found - block.ids.begin());
}

/// Tokens from the first one of an image to the next one in its column, as the inputs show it; 0: nothing shows.
std::int64_t stride_of(const Situation& situation, const TokenBlock& block) {
  const std::size_t row_axis = axis_along(block, Along::row), column_axis = axis_along(block, Along::column);
  if (std::max(row_axis, column_axis) >= block.ids.size()) return 0;
  // Nobody pads a side to more.
  constexpr std::int64_t kTimes = 4, kMore = 64;
  const std::int64_t most = std::min<std::int64_t>(block.rows * block.columns, kTimes * block.columns + kMore);
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

/// Rows and columns from a token's number with another width than the image's: that of a padded latent.
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
  // Widths that divide the tokens are those of images of another size, or with exchanged sides.
  if (!padded) return;
  Proposal& found = situation.add_to(proposals);
  found.model.strides = strides;
  found.again = [strides](const CheckModel& other) {
    CheckModel strided = other;
    strided.strides = strides;
    return strided;
  };
  found.parameters = {{"order", named_value("row-stride")}, {"stride", found_ones[0]}};
  if (found_ones.size() > 1) found.parameters[1].value = found_ones;
  found.evidence = Words("check.order.evidence_stride", {{"stride", found_ones[0]}, {"due", due}});
  found.advice = Words("check.order.advice_stride");
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

/// Another order of the tokens of a grid, their numbers divided by another width, or whole parts in another order.
extern constinit const Cause kOrder{.name = "order",
                                    .group = CauseGroup::ids,
                                    .seen_in = "",
                                    .id_change = IdChange::exchange,
                                    .propose = propose_order};

// --- Rows ----------------------------------------------------------------------------------------------------------

namespace {

using Runs = std::vector<PositionRun>;

/// How the rows of a text stand, by its name and the keys of what is said of it.
struct PositionRowsKind {
  std::string_view name, evidence, advice = "check.position-offset.advice_rows";
};
constexpr PositionRowsKind kAnyRows{"rows", "check.position-offset.evidence_rows"};
constexpr PositionRowsKind kSlice{"slice", "check.position-offset.evidence_slice",
                                  "check.position-offset.advice_slice"};
constexpr PositionRowsKind kPacked{"restart", "check.position-offset.evidence_packed",
                                   "check.position-offset.advice_restart"};
constexpr PositionRowsKind kPositionRowsWrapped{"wrapped", "check.position-offset.evidence_wrapped",
                                                "check.position-offset.advice_restart"};
constexpr PositionRowsKind kPaddedLeft{"left-padded", "check.position-offset.evidence_padded",
                                       "check.position-offset.advice_left_padded"};
constexpr PositionRowsKind kRightPadded{"right-padded", "check.position-offset.evidence_padded",
                                        "check.position-offset.advice_right_padded"};
constexpr PositionRowsKind kOverflow{"overflow", "check.position-offset.evidence_overflow",
                                     "check.position-offset.advice_overflow"};
constexpr PositionRowsKind kStill{"still", "check.position-offset.evidence_rows"};
constexpr PositionRowsKind kReversed{"reversed", "check.position-offset.evidence_rows"};

bool is_whole(double number) {
  return number == std::nearbyint(number);
}

/// Whether no two rows stand at one position.
bool are_apart(const Runs& runs) {
  std::vector<std::pair<double, double>> reaches;
  for (const PositionRun& run : runs) reaches.emplace_back(run.start, run.last());
  std::sort(reaches.begin(), reaches.end());
  for (std::size_t i = 1; i < reaches.size(); ++i) {
    if (reaches[i].first <= reaches[i - 1].second) return false;
  }
  return true;
}

bool are_counts(const Runs& runs, std::size_t from, std::size_t to) {
  return std::all_of(runs.begin() + static_cast<std::ptrdiff_t>(from), runs.begin() + static_cast<std::ptrdiff_t>(to),
                     [](const PositionRun& run) { return run.step == 1; });
}

/// The bits of the signed integers beyond whose largest number the runs go on from the smallest; 0: they do not.
int overflowing_bits(const Runs& runs) {
  for (const int bits : {8, 16}) {
    const double most = std::exp2(bits - 1);
    bool fits = runs.size() > 1;
    for (std::size_t i = 1; i < runs.size(); ++i)
      fits = fits && runs[i].start == -most && runs[i].step == 1 && runs[i - 1].last() == most - 1;
    if (fits) return bits;
  }
  return 0;
}

/// What the runs of a text are, whose first row is due at `first`.
PositionRowsKind kind_of(const Runs& runs, double first) {
  if (runs.size() == 1) {
    return runs[0].step < 0 ? kReversed : runs[0].step > 1 ? kSlice : runs[0].step == 0 ? kStill : kAnyRows;
  }
  if (overflowing_bits(runs) > 0) return kOverflow;
  if (are_counts(runs, 0, runs.size())) {
    const bool begin = std::all_of(runs.begin() + 1, runs.end(), [&](const PositionRun& run) {
      return run.start <= std::max(first, runs[0].start) + 1;
    });
    return are_apart(runs) ? kSlice : begin ? kPacked : kAnyRows;
  }
  const auto stands = [](const PositionRun& run) { return run.step == 0 && run.count > 1; };
  if (runs.size() == 2 && stands(runs[0]) && runs[1].step == 1) return kPaddedLeft;
  if (stands(runs.back()) && are_counts(runs, 0, runs.size() - 1)) return kRightPadded;
  return kAnyRows;
}

/// The text cut into its runs.
void cut_into_runs(CheckModel& model, const Runs& runs) {
  const TokenBlock whole = model.tokens.blocks[0];
  const double factor = model.id_factor == 0 ? 1 : model.id_factor;
  std::vector<TokenBlock> parts;
  for (const PositionRun& run : runs) {
    TokenBlock part = whole;
    part.rows = part.frames = 1;
    part.columns = run.count;
    part.first_row += run.row;
    part.first_token += run.row;
    AxisIds ids{run.step == 0 ? Along::none : Along::token, run.start / factor, {}};
    if (run.step != 0 && run.step != factor) {
      for (std::int64_t i = 0; i < run.count; ++i) ids.listed.push_back(run.at(run.row + i) / factor);
    }
    part.ids = {std::move(ids)};
    parts.push_back(std::move(part));
  }
  model.tokens.blocks = std::move(parts);
}

Proposal made(const Situation& situation, const std::function<void(CheckModel&)>& change) {
  Proposal found = situation.proposal();
  change(found.model);
  found.again = [change](const CheckModel& other) {
    CheckModel moved = other;
    change(moved);
    return moved;
  };
  found.doubt = Doubt::round_number;
  return found;
}

void describe_runs(Proposal& found, const PositionRowsKind& kind, const Runs& runs) {
  std::vector<double> rows, starts;
  for (const PositionRun& run : runs) rows.push_back(static_cast<double>(run.row)), starts.push_back(run.start);
  found.parameters = {{"kind", named_value(kind.name)}, {"rows", rows}, {"positions", starts}};
  if (runs.size() == 1)
    found.parameters = {{"kind", named_value(kind.name)}, {"positions", starts}, {"step", runs[0].step}};
  found.evidence = Words(kind.evidence, {{"runs", runs_text(runs)}});
  found.advice = Words(kind.advice);
  const std::int64_t end = runs.back().row + runs.back().count;
  if (kind.name == kPaddedLeft.name)
    found.advice.values = {{"first", runs[1].row}, {"end", end}, {"last", end - runs[1].row - 1}};
  if (kind.name == kRightPadded.name) found.advice.values = {{"end", runs.back().row}};
  if (const int bits = overflowing_bits(runs); bits > 0) {
    const std::string format = "int" + std::to_string(bits);
    found.parameters.push_back({"format", as_it_is(format)});
    found.evidence.values.emplace_back("format", format);
    found.advice.values.emplace_back("format", format);
  }
}

/// Each position in several rows, one after the other, as the heads of a token or the items of a batch follow each
/// other; or so many positions again and again.
bool propose_counts(const Situation& situation, const RowPositions& positions, std::vector<Proposal>& proposals) {
  const Eigen::Index last = positions.id.rows() - 1;
  const std::int64_t row = positions.rows[static_cast<std::size_t>(last)];
  const double first = positions.id(0, 0);
  // What all positions are whole multiples of, from the first on.
  std::int64_t step = 0;
  for (Eigen::Index k = 0; k <= last; ++k) {
    const double by = positions.id(k, 0) - first;
    constexpr double kMost = 1e9;
    step = is_whole(by) && std::abs(by) < kMost ? std::gcd(step, static_cast<std::int64_t>(by)) : 1;
    if (step == 1) break;
  }
  step = std::max<std::int64_t>(step, 1);
  const auto all = [&](const auto& id_at) {
    for (Eigen::Index k = 0; k <= last; ++k) {
      if (positions.id(k, 0) != first + static_cast<double>(step * id_at(positions.rows[static_cast<std::size_t>(k)])))
        return false;
    }
    return true;
  };
  std::int64_t times = 0, every = 0;
  const double reached = (positions.id(last, 0) - first) / static_cast<double>(step);
  if (reached > 0 && is_whole(reached)) {
    for (std::int64_t count = static_cast<std::int64_t>(static_cast<double>(row) / (reached + 1)); times == 0;
         ++count) {
      if (static_cast<double>(count) > static_cast<double>(row) / reached + 1) break;
      if (count > 1 && all([count](std::int64_t at) { return at / count; })) times = count;
    }
  }
  if (times == 0 && step > 1) return false;
  if (times == 0) {
    for (Eigen::Index k = 0; k <= last; ++k) {
      const double behind =
          static_cast<double>(positions.rows[static_cast<std::size_t>(k)]) - (positions.id(k, 0) - first);
      if (!is_whole(behind) || behind < 0) return false;
      every = std::gcd(every, static_cast<std::int64_t>(behind));
    }
    if (every < 2 || !all([every](std::int64_t at) { return at % every; })) return false;
  }
  const std::int64_t rows = situation.model.row_count;
  const auto counted = [times, every](std::int64_t at) { return times > 0 ? at / times : at % every; };
  Proposal found = made(situation, [=](CheckModel& model) {
    const double factor = model.id_factor == 0 ? 1 : model.id_factor;
    TokenBlock& block = model.tokens.blocks[0];
    block.ids[0] = AxisIds{Along::token, 0, {}};
    block.ids[0].listed.resize(static_cast<std::size_t>(rows));
    for (std::int64_t at = 0; at < rows; ++at)
      block.ids[0].listed[static_cast<std::size_t>(at)] = (first + static_cast<double>(step * counted(at))) / factor;
  });
  const PositionRowsKind kind =
      times > 0 ? PositionRowsKind{"repeats", "check.position-offset.evidence_repeats"} : kPositionRowsWrapped;
  const std::int64_t shown = times > 0 ? times : every;
  found.parameters = {{"kind", named_value(kind.name)}, {"rows", static_cast<double>(shown)}};
  found.evidence = Words(kind.evidence, {{"rows", shown}});
  found.advice = Words(kind.advice);
  if (step > 1) {
    found.parameters.push_back({"step", static_cast<double>(step)});
    found.evidence = Words("check.position-offset.evidence_steps", {{"rows", shown}, {"step", step}});
  }
  proposals.push_back(std::move(found));
  return true;
}

void propose_text(const Situation& situation, const RowPositions& positions, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.tokens.blocks.size() != 1 || positions.sure.minCoeff() < 1) return;
  // Positions that are all below those that there are belong to sines of the other sign.
  const bool some_below = positions.id.minCoeff() < std::min(0.0, positions.due.minCoeff());
  if (some_below && positions.id.maxCoeff() <= 0) return;
  if (propose_counts(situation, positions, proposals)) return;
  const Runs runs = position_runs(situation, positions);
  constexpr std::int64_t kRowsOfRun = 8;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(2, model.row_count / kRowsOfRun));
  const bool halves =
      std::all_of(runs.begin(), runs.end(), [](const PositionRun& run) { return is_whole(2 * run.start); });
  if (runs.empty() || runs.size() > most || !halves) return;
  if (runs.size() == 1) {
    // One run of another step is a factor, but for a slice by turns or a text from its end.
    const double step = runs[0].step, start = runs[0].start;
    const bool by_turns = step > 1 && is_whole(step) && start > 0 && start < step && is_whole(start);
    const bool of_others = step == 1 && !model.tokens.blocks[0].ids[0].listed.empty();
    const bool stands = step == 0 && start != 0;
    if (!by_turns && !of_others && !stands && step != -1) return;
  }
  Proposal found = made(situation, [runs](CheckModel& other) { cut_into_runs(other, runs); });
  describe_runs(found, kind_of(runs, positions.due(0, 0)), runs);
  proposals.push_back(std::move(found));
}

/// Blocks whose ids run along another counter, or stand still; or, if `listed`, those that are another list of numbers.
void propose_block_courses(const Situation& situation, const RowPositions& positions, bool listed,
                           std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto courses = block_courses(situation, positions);
  if (!courses || courses->empty()) return;
  Proposal found = made(situation, [courses = *courses](CheckModel& other) {
    for (const BlockCourse& course : courses) {
      if (course.block < other.tokens.blocks.size()) other.tokens.blocks[course.block].ids[course.axis] = course.ids;
    }
  });
  const auto along = [&](const BlockCourse& course) { return course.ids.along; };
  const auto every = [&](const auto& holds) { return std::all_of(courses->begin(), courses->end(), holds); };
  // All that a block turns by has one course.
  const bool alike = every([&](const BlockCourse& course) {
    const std::vector<AxisIds>& ids = found.model.tokens.blocks[course.block].ids;
    return ids.size() > 1 && std::all_of(ids.begin(), ids.end(), [&](const AxisIds& one) {
             return one.along == course.ids.along && one.first == course.ids.first && one.listed == course.ids.listed;
           });
  });
  std::string_view kind = "axes";
  // The same counters on other axes are an exchange, whatever is shifted beside it.
  const auto counters = [](const TokenBlock& block) {
    std::vector<Along> all;
    for (const AxisIds& ids : block.ids) all.push_back(block.count(ids.along) > 1 ? ids.along : Along::none);
    std::sort(all.begin(), all.end());
    return all;
  };
  if (every([&](const BlockCourse& course) {
        return counters(found.model.tokens.blocks[course.block]) == counters(model.tokens.blocks[course.block]) &&
               course.times == 1 && course.ids.listed.empty();
      }))
    return;
  if (every([](const BlockCourse& course) { return course.times == 1 && !course.ids.listed.empty(); })) kind = "some";
  const auto has_own_list = [&](const BlockCourse& course) {
    return course.times == 1 && !course.ids.listed.empty() && along(course) != Along::frame &&
           along(course) != Along::token;
  };
  if (listed != std::any_of(courses->begin(), courses->end(), has_own_list)) return;
  if (every([&](const BlockCourse& course) { return along(course) == Along::none; })) kind = "still";
  if (alike) kind = "one-axis";
  if (every([&](const BlockCourse& course) { return along(course) == Along::token || along(course) == Along::none; }) &&
      std::any_of(courses->begin(), courses->end(),
                  [&](const BlockCourse& course) { return along(course) == Along::token; }))
    kind = "flat";
  if (std::any_of(courses->begin(), courses->end(), [](const BlockCourse& course) { return course.times > 1; }))
    kind = "repeats";
  std::vector<std::string> axes, parts;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const BlockCourse& course : *courses) {
    add(axes, model.tokens.axes[course.axis].name), add(parts, model.tokens.blocks[course.block].part);
  }
  Words::List names;
  for (const std::string& axis : axes) names.push_back(as_it_is(axis));
  found.parameters = {{"kind", named_value(kind)}, {"part", part_list(parts)}, {"axis", list_of(std::move(names))}};
  found.evidence = Words("check.position-offset.evidence_axes", {{"runs", courses_text(model, *courses)}});
  found.advice = Words("check.position-offset.advice_axes", {{"part", part_list(parts)}});
  proposals.push_back(std::move(found));
}

void propose_courses(const Situation& situation, bool listed, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.order != TokenOrder::row_major || !model.strides.empty() || model.rows.size() != 1) return;
  if (situation.evidence.tensors->first_row != 0) return;  // runs are counted from the first row of a file
  const auto positions = row_positions(situation);
  if (!positions || positions->id == positions->due) return;
  if (model.tokens.axes.size() == 1) {
    if (!listed) propose_text(situation, *positions, proposals);
  } else {
    propose_block_courses(situation, *positions, listed, proposals);
  }
}

void propose_position_rows(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_courses(situation, false, proposals);
}

void propose_listed_positions(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_courses(situation, true, proposals);
}

}  // namespace

/// Rows that stand elsewhere in runs, as every row tells it alone: slices of a sequence, several packed sequences,
/// padding, an axis that stands still or counts tokens in one part.
extern constinit const Cause kPositionRows{.name = "position-offset",
                                           .group = CauseGroup::ids,
                                           .seen_in = "",
                                           .id_change = IdChange::shift,
                                           .propose = propose_position_rows};

/// Rows or columns that have other ids, one for each, by no rule that is known. Frames are few: they come before.
extern constinit const Cause kListedPositions{.name = "position-offset",
                                              .group = CauseGroup::ids,
                                              .seen_in = "",
                                              .id_change = IdChange::shift,
                                              .after_pairs = true,
                                              .propose = propose_listed_positions};

// --- Collisions ----------------------------------------------------------------------------------------------------

namespace {

/// Part of the numbers that have to be right: where most are others something else is wrong.
constexpr double kMostlyRight = 0.4;

RowMatrixXd ids_of_model(const CheckModel& model) {
  const RowEvaluator evaluator(model);
  RowMatrixXd ids(static_cast<Eigen::Index>(model.row_count), evaluator.axes());
  for (Eigen::Index row = 0; row < ids.rows(); ++row) evaluator.ids(row, ids.row(row).data());
  return ids;
}

/// The ids of all rows, read off or recovered from the angles of those that are not the model's; null where that is not
/// possible.
std::shared_ptr<RowMatrixXd> found_ids(const Situation& situation, const RowMatrixXd& due) {
  const Evidence& evidence = situation.evidence;
  const CheckTensors& tensors = *evidence.tensors;
  auto ids = std::make_shared<RowMatrixXd>(due);
  if (tensors.ids) {
    read_rows(*tensors.ids, 0, tensors.rows, ids->data());
    return ids;
  }
  if (share_reproduced(situation.model, evidence) < kMostlyRight) return nullptr;
  const bool all_are_looked_at = static_cast<std::int64_t>(evidence.rows.size()) == tensors.rows;
  if (!all_are_looked_at) evidence.spend(tensors.rows * situation.model.tokens.pair_count());
  if (evidence.is_spent()) return nullptr;
  std::vector<std::int64_t> wrong =
      all_are_looked_at ? wrong_rows(situation.model, evidence) : all_wrong_rows(situation.model, evidence);
  if (wrong.empty() || 2 * static_cast<std::int64_t>(wrong.size()) > tensors.rows) return nullptr;
  const Evidence there = at_rows(evidence, std::move(wrong));
  ObservedCache cache(there);
  return recover_ids(Situation(situation.reference, situation.model, there, cache), *ids) ? ids : nullptr;
}

/// Part of the rows whose ids are those of the reference.
double share_kept(const RowMatrixXd& due, const RowMatrixXd& ids) {
  const auto kept = (due.array() == ids.array()).rowwise().all().count();
  return ids.rows() > 0 ? static_cast<double>(kept) / static_cast<double>(ids.rows()) : 0;
}

using TwoRows = std::pair<std::int64_t, std::int64_t>;

/// The first token that shares its id with one before it although the reference keeps them apart, among those asked
/// for: both rows.
template <class Asked>
std::optional<TwoRows> shared_id(const RowMatrixXd& due, const RowMatrixXd& ids, const Asked& asked) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index row = 0; row < ids.rows(); ++row) {
    if (asked(row)) rows.push_back(row);
  }
  const auto before = [&](Eigen::Index a, Eigen::Index b) {
    return std::lexicographical_compare(ids.row(a).begin(), ids.row(a).end(), ids.row(b).begin(), ids.row(b).end());
  };
  std::stable_sort(rows.begin(), rows.end(), before);
  std::optional<TwoRows> found;
  for (std::size_t first = 0, i = 0; i < rows.size(); ++i) {
    if (ids.row(rows[i]) != ids.row(rows[first])) first = i;
    const bool apart = due.row(rows[i]) != due.row(rows[first]);
    if (apart && (!found || rows[i] < found->second)) found = TwoRows(rows[first], rows[i]);
  }
  return found;
}

/// How the ids of one axis came to be shared: from some id on they are all the same, or begin again.
struct Stop {
  std::size_t axis = 0;
  bool begins_again = false;
  double at = 0;  ///< the last id, or how many there are
};

/// None where the rows asked for have other ids than such ones.
template <class Asked>
std::optional<Stop> stop_of(const RowMatrixXd& due, const RowMatrixXd& ids, const Asked& asked) {
  std::optional<Stop> found;
  for (Eigen::Index axis = 0; axis < ids.cols(); ++axis) {
    if (ids.col(axis) == due.col(axis)) continue;
    if (found) return std::nullopt;
    double first = 0, last = 0, wrong = std::numeric_limits<double>::infinity();
    bool some = false;
    for (Eigen::Index row = 0; row < ids.rows(); ++row) {
      if (!asked(row)) continue;
      first = some ? std::min(first, due(row, axis)) : due(row, axis);
      last = some ? std::max(last, ids(row, axis)) : ids(row, axis);
      if (ids(row, axis) != due(row, axis)) wrong = std::min(wrong, due(row, axis));
      some = true;
    }
    const double count = wrong - first;
    bool stops = true, begins_again = true;
    for (Eigen::Index row = 0; row < ids.rows(); ++row) {
      const double id = ids(row, axis), own = due(row, axis);
      stops = stops && id == (asked(row) ? std::min(own, last) : own);
      begins_again = begins_again && id == (asked(row) ? first + std::fmod(own - first, count) : own);
    }
    if (!stops && !begins_again) return std::nullopt;
    found = Stop{static_cast<std::size_t>(axis), !stops, stops ? last : count};
  }
  return found;
}

void propose_collision(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  const CheckModel& model = situation.model;
  if (situation.evidence.tensors->rows != model.row_count) return;
  const RowMatrixXd due = ids_of_model(model);
  const auto ids = found_ids(situation, due);
  if (!ids || share_kept(due, *ids) < 0.5) return;
  const auto block_of = [&](std::int64_t row) -> const TokenBlock& {
    return model.tokens.blocks[place_in(model, row).block];
  };
  const auto of_image = [&](Eigen::Index row) { return is_grid(block_of(row)); };
  const auto shared = shared_id(due, *ids, of_image);
  if (!shared) return;
  Proposal& found = situation.add_to(proposals);
  found.model.own_ids = ids;
  found.model.slack = 0.5;
  const std::string &first = block_of(shared->first).part, &second = block_of(shared->second).part;
  const std::vector<double> id(ids->row(shared->first).begin(), ids->row(shared->first).end());
  found.parameters = {
      {"rows", std::vector<double>{static_cast<double>(shared->first), static_cast<double>(shared->second)}},
      {"id", id}};
  const std::int64_t first_token = place_in(model, shared->first).token, token = place_in(model, shared->second).token;
  found.evidence =
      Words("check.collision.evidence", {{"first", first_token}, {"second", token}, {"id", list_text(id)}});
  if (first == second) {
    found.evidence.key = "check.collision.evidence_part";
    found.evidence.values.emplace_back("part", part_words(first));
  }
  found.advice = Words("check.collision.advice");
  if (const auto stop = stop_of(due, *ids, of_image)) {
    const Words axis = as_it_is(model.tokens.axes[stop->axis].name);
    found.parameters.push_back({"kind", named_value(stop->begins_again ? "wrapped" : "clamped")});
    found.parameters.push_back({"axis", axis});
    Words course(stop->begins_again ? "check.collision.evidence_wrapped" : "check.collision.evidence_clamped",
                 {{"axis", axis}, {"at", stop->at}});
    found.evidence = sentences(std::move(found.evidence), std::move(course));
    found.advice = Words("check.collision.advice_axis", {{"axis", axis}});
  }
}

}  // namespace

/// Two image tokens share an id; named only where nothing else explains it.
extern constinit const Cause kCollision{
    .name = "collision", .group = CauseGroup::ids, .seen_in = "", .last_resort = true, .propose = propose_collision};

}  // namespace ropescope
