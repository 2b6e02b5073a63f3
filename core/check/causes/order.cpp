#include <algorithm>
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

std::vector<std::string> names_of(const std::vector<Part>& parts, const std::vector<std::size_t>& order) {
  std::vector<std::string> names;
  for (const std::size_t i : order) names.push_back(parts[i].name);
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

void describe(Proposal& found, const std::vector<std::string>& order, const std::vector<std::string>& of_model) {
  found.parameters = {{"order", part_list(order)}};
  const Words::Named due("due", part_list(of_model));
  found.evidence = Words("check.order.evidence_parts", {{"found", part_list(order)}, due});
  found.advice = Words("check.order.advice_parts", {due});
}

/// Whole parts in another order, each with its own ids.
void propose_parts(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<Part> parts = parts_of(situation.model);
  constexpr std::size_t kMostParts = 9;
  if (parts.size() < 2 || parts.size() > kMostParts) return;
  std::vector<std::size_t> own(parts.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  for (const std::vector<std::size_t>& order : orders_of(parts.size())) {
    Proposal found = situation.proposal();
    found.model.rows.clear();
    for (const std::size_t i : order) found.model.rows.emplace_back(parts[i].first_row, parts[i].count);
    describe(found, names_of(parts, order), names_of(parts, own));
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
    describe(found, order, due);
    if (order == due) {
      found.evidence = Words(
          "check.order.evidence_text",
          {{"before", before}, {"after", all - before}, {"due_before", asked.text}, {"due_after", asked.text_after}});
    }
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

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.model.own_ids) return;
  propose_line(situation, proposals);
  propose_orders(situation, proposals);
  propose_parts(situation, proposals);
  propose_texts(situation, proposals);
}

}  // namespace

/// Another order of the tokens of a grid, or of whole parts.
constinit const Cause kOrder{.name = "order", .group = CauseGroup::ids, .seen_in = "", .propose = propose};

}  // namespace ropescope
