#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/check/causes/other_sizes.h"
#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

void propose_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  for (const NamedOrder& named : other_orders()) {
    const bool shows = std::any_of(blocks.begin(), blocks.end(),
                                   [&](const TokenBlock& block) { return can_stand_in(named.order, block); });
    if (!shows) continue;
    Proposal found = situation.proposal();
    found.model.order = named.order;
    found.parameters = {{"order", named_value(named.name)}};
    found.evidence = Words("check.order." + std::string(named.name));
    found.advice = Words("check.order.advice");
    found.doubt = named.usual ? Doubt::none : Doubt::fitted;
    proposals.push_back(std::move(found));
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
std::vector<std::string> names_of_order(const std::vector<Part>& parts, const std::vector<std::size_t>& order) {
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

void describe_causes_order(Proposal& found, const std::vector<std::string>& order,
                           const std::vector<std::string>& of_model) {
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
    Proposal found = situation.proposal();
    found.model.rows.clear();
    for (const std::size_t i : order) found.model.rows.emplace_back(parts[i].first_row, parts[i].count);
    describe_causes_order(found, names_of_order(parts, order), names_of_order(parts, own));
    if (parts.size() > 2) found.doubt = Doubt::fitted;
    proposals.push_back(std::move(found));
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
    Proposal found = situation.proposal();
    found.model.tokens.blocks = std::move(tokens->blocks);
    found.model.rows = {{0, situation.model.row_count}};
    const auto names = [](const std::vector<TokenBlock>& blocks) {
      std::vector<std::string> list;
      for (const TokenBlock& block : blocks) list.push_back(block.part);
      return list;
    };
    const auto order = names(found.model.tokens.blocks), due = names(reference.tokens.blocks);
    describe_causes_order(found, order, due);
    if (order == due) {
      found.evidence = Words(
          "check.order.evidence_text",
          {{"before", before}, {"after", all - before}, {"due_before", asked.text}, {"due_after", asked.text_after}});
    }
    found.advice = Words("check.order.advice_text", {{"due_before", asked.text}, {"due_after", asked.text_after}});
    proposals.push_back(std::move(found));
  }
}

/// All tokens in one line, as a text is: every axis counts them from the first row on.
void propose_line(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  const bool grids = std::any_of(blocks.begin(), blocks.end(), is_grid);
  if (!grids || model.tokens.axes.size() < 2 || model.rows.empty()) return;
  Proposal found = situation.proposal();
  const std::int64_t first = model.rows.front().first;
  for (TokenBlock& block : found.model.tokens.blocks) {
    const auto start = static_cast<double>(block.first_row - first);
    for (AxisIds& ids : block.ids) ids = AxisIds{Along::token, start, {}};
  }
  found.parameters = {{"order", named_value("one_line")}};
  found.evidence = Words("check.order.evidence_line");
  found.advice = Words("check.order.advice_line");
  proposals.push_back(std::move(found));
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
std::size_t axis_of_order(const TokenBlock& block, Along along) {
  const auto found =
      std::find_if(block.ids.begin(), block.ids.end(), [along](const AxisIds& ids) { return ids.along == along; });
  return static_cast<std::size_t>(found - block.ids.begin());
}

/// Tokens from the first one of an image to the next one in its column, as the inputs show it; 0: nothing shows.
std::int64_t stride_of(const Situation& situation, const TokenBlock& block) {
  const std::size_t row_axis = axis_of_order(block, Along::row), column_axis = axis_of_order(block, Along::column);
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
  Proposal found = situation.proposal();
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
  proposals.push_back(std::move(found));
}

void propose_order(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.model.own_ids) return;
  propose_line(situation, proposals);
  propose_orders(situation, proposals);
  propose_strides(situation, proposals);
  propose_parts_order(situation, proposals);
  propose_texts(situation, proposals);
}

}  // namespace

/// Another order of the tokens of a grid, their numbers divided by another width, or whole parts in another order.
constinit const Cause kOrder{.name = "order", .group = CauseGroup::ids, .seen_in = "", .propose = propose_order};

}  // namespace ropescope
