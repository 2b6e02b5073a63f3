// Causes among which channels turn and how they make pairs, one block each.
//
// Contents: Order; Pairs; Turned channels; Tables; Tables and rotation.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"

namespace ropescope {

// --- Order ---------------------------------------------------------------------------------------------------------

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

// --- Pairs ---------------------------------------------------------------------------------------------------------

namespace {

Words channels_of_pairing(Pairing pairing) {
  return Words(pairing == Pairing::interleaved ? "check.pairing.neighbours" : "check.pairing.halves");
}

/// A table with one column for each pair that was cut out of one with two: the first half of its columns although they
/// repeat side by side (f0 f0 f1 f1 …), or every second one although the halves repeat (f0 f2 f4 … f0 f2 f4 …).
void propose_cut(const Situation& situation, bool first_half, std::vector<Proposal>& proposals) {
  const auto apply = [first_half](const CheckModel& model) {
    CheckModel cut = model;
    const Eigen::MatrixXd& whole = model.tokens.frequencies;
    for (Eigen::Index column = 0; column < whole.cols(); ++column) {
      cut.tokens.frequencies.col(column) = whole.col(first_half ? column / 2 : 2 * column % whole.cols());
    }
    return cut;
  };
  Proposal found = situation.proposal();
  found.model = apply(situation.model);
  found.again = apply;
  found.doubt = Doubt::fitted;
  found.parameters = {{"columns", named_value(first_half ? "first_half" : "every_second")}};
  found.evidence = Words(first_half ? "check.pairing.evidence_first_half" : "check.pairing.evidence_every_second");
  found.advice = Words(first_half ? "check.pairing.advice_first_half" : "check.pairing.advice_every_second");
  proposals.push_back(std::move(found));
}

void propose_pairing(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  // How a table repeats its columns does not say how q is turned (GLM and DeepSeek store halves and turn neighbours):
  // vectors alone show it. A model that turns other channels than its table repeats (ERNIE-Image) has no such fault.
  const CheckModel& model = situation.model;
  if (situation.evidence.has_heads() && model.repeats == model.companions) {
    const Pairing other = model.companions == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
    const Words::Named due("due", channels_of_pairing(model.companions));
    for (const bool out_by_halves : {false, true}) {
      if (out_by_halves && other != Pairing::interleaved) continue;
      Proposal found = situation.proposal();
      found.model.repeats = found.model.companions = found.model.tokens.pairing = other;
      found.model.out_by_halves = out_by_halves;
      found.evidence = Words(out_by_halves ? "check.pairing.evidence_out_by_halves" : "check.pairing.evidence_vectors",
                             {{"found", channels_of_pairing(other)}, due});
      found.advice = Words("check.pairing.advice", {due});
      proposals.push_back(std::move(found));
    }
  }
  const bool once = situation.evidence.has_tables() && situation.evidence.tensors->tables.repeats == Repeats::once;
  for (const bool first_half : {true, false}) {
    if (once) propose_cut(situation, first_half, proposals);
  }
}

}  // namespace

/// Half-split where the model is interleaved, or the reverse; position 0 hides it.
constinit const Cause kPairing{
    .name = "pairing",
    .group = CauseGroup::channels,
    .seen_in = "huggingface/transformers#25199, karpathy/llama2.c#286, NeuraLegion/shainet#111",
    .propose = propose_pairing};

// --- Turned channels -----------------------------------------------------------------------------------------------

namespace {

void describe_rotary_dimension(Proposal& found, double dimension, double due) {
  found.parameters = {{"rotary_dimension", dimension}};
  found.evidence = Words("check.rotary-dimension.evidence", {{"found", dimension}, {"due", due}});
  found.advice = Words("check.rotary-dimension.advice", {{"due", due}});
}

/// Which channels of a head the vectors show turned.
struct TurnedPart {
  std::int64_t first = 0, count = 0;
};

/// From the first to the last channel that is not the same before and after, in whole pairs; none where all are. The
/// first pair turns fastest: whatever the format, it shows where the part begins.
std::optional<TurnedPart> turned_part(const Evidence& evidence) {
  if (!evidence.has_heads()) return std::nullopt;
  const std::int64_t channels = evidence.tensors->heads->channels;
  const auto turns = [&](std::int64_t channel) {
    for (Eigen::Index at = channel; at < evidence.before.cols(); at += channels) {
      if (evidence.before.col(at) != evidence.after.col(at)) return true;
    }
    return false;
  };
  std::int64_t first = 0, end = channels;
  while (first < channels && !turns(first)) ++first;
  while (end > first && !turns(end - 1)) --end;
  if (first == end) return std::nullopt;
  return TurnedPart{first, end - first + (end - first) % 2};
}

/// The rope with `dim` rotary channels, in a head that has as many at least; nothing where it cannot have them.
std::optional<RotarySpec> with_channels(const RotarySpec& rope, int dim) {
  if (dim < 2 || dim % 2 != 0 || rope.axes.size() != 1) return std::nullopt;
  RotarySpec other = rope;
  other.head_dim = std::max(other.head_dim, dim);
  other.axes[0].rotary_dim = dim;
  other.axes[0].ladder = Ladder::plain;
  return other;
}

/// A ladder over the channels of `other` of which the model has the first pairs, and that ladder as it is.
void add_ladder_of(const Situation& situation, const RotarySpec& other, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const int head = model.rope->head_dim, dim = other.axes[0].rotary_dim;
  const double due = situation.ladders().own_dim[0];
  const Eigen::MatrixXd ladder = frequencies_or_nan(other, model.length);
  if (!ladder.allFinite()) return;
  const Eigen::Index pairs = model.tokens.pair_count();
  if (ladder.cols() >= pairs) {
    Proposal found = situation.proposal();
    found.model.tokens.frequencies = ladder.leftCols(pairs);
    describe_rotary_dimension(found, dim, due);
    if (!found.model.tokens.frequencies.isApprox(model.tokens.frequencies, 1e-12))
      proposals.push_back(std::move(found));
  }
  // The fraction applied twice, or not at all: another number of pairs.
  if (ladder.cols() == pairs) return;
  Proposal wide = situation.proposal();
  if (const auto part = turned_part(situation.evidence)) wide.model.still = part->first;
  wide.model.tokens.frequencies = ladder;
  wide.model.rope = other;
  wide.parameters = {{"rotary_dimension", static_cast<double>(dim)}};
  const Words::Named due_channels("due", 2 * pairs), of_head("head", head);
  wide.evidence = Words(2 * pairs == head ? "check.rotary-dimension.evidence_pairs_of_all"
                                          : "check.rotary-dimension.evidence_pairs_of_part",
                        {{"pairs", ladder.cols()}, {"channels", dim}, due_channels, of_head});
  wide.advice = dim > head ? Words(2 * pairs == head ? "check.rotary-dimension.advice_head"
                                                     : "check.rotary-dimension.advice_head_part",
                                   {of_head, due_channels})
                           : Words("check.rotary-dimension.advice_fraction", {due_channels});
  proposals.push_back(std::move(wide));
}

/// Ladders over `dim` channels; of a proportional rope all pairs turn, or its fraction of them.
void add_first_pairs(const Situation& situation, int dim, std::vector<Proposal>& proposals) {
  std::optional<RotarySpec> other = with_channels(*situation.model.rope, dim);
  if (!other) return;
  if (other->extension.method == "proportional") {
    if (dim != situation.model.rope->axes[0].rotary_dim) add_ladder_of(situation, *other, proposals);
    other->extension = Extension{};
  }
  add_ladder_of(situation, *other, proposals);
}

/// The exponents divided by the head in place of the axis' own channels, or the reverse of that mistake.
CheckModel divided(const CheckModel& of, const Ladders& ladders, bool by_head) {
  CheckModel model = of;
  model.tokens.frequencies = with_exponents(of, ladders, [&](std::size_t axis, double exponent) {
    const double part = ladders.own_dim[axis] / ladders.head_dim;
    return by_head ? exponent * part : exponent / part;
  });
  return model;
}

/// Number of pairs before each one that the same axis turns, and of each axis.
struct Owned {
  std::vector<Eigen::Index> axis, index;
  std::vector<Eigen::Index> count;
};

/// Which axis turns each pair; empty where several do, or one stands still.
Owned owned_by(const Eigen::MatrixXd& frequencies) {
  Owned owned;
  owned.count.assign(static_cast<std::size_t>(frequencies.rows()), 0);
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    Eigen::Index axis = 0;
    frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
    if ((frequencies.col(pair).array() != 0).count() != 1) return {};
    owned.axis.push_back(axis);
    owned.index.push_back(owned.count[static_cast<std::size_t>(axis)]++);
  }
  return owned;
}

/// One ladder over all pairs that are cut among the axes (`whole`), or a ladder for the pairs of each axis; nothing
/// where axes share pairs or have other bases.
std::optional<CheckModel> cut_otherwise(const CheckModel& of, bool whole) {
  const Owned owned = owned_by(of.tokens.frequencies);
  const Ladders ladders = ladders_of(of);
  const double base = ladders.base.empty() ? 0 : ladders.base[0];
  if (owned.axis.empty() || !(base > 1)) return std::nullopt;
  for (const double other : ladders.base) {
    if (whole && other != base) return std::nullopt;
  }
  CheckModel model = of;
  for (Eigen::Index pair = 0; pair < of.tokens.pair_count(); ++pair) {
    const auto p = static_cast<std::size_t>(pair), axis = static_cast<std::size_t>(owned.axis[p]);
    const double part = whole ? static_cast<double>(pair) / static_cast<double>(of.tokens.pair_count())
                              : static_cast<double>(owned.index[p]) / static_cast<double>(owned.count[axis]);
    model.tokens.frequencies(owned.axis[p], pair) = std::pow(ladders.base[axis], -part);
  }
  return model;
}

void propose_cuts(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const bool extended = model.rope && model.rope->extension.method != "none";
  if (model.tokens.axes.size() < 2 || extended) return;
  std::vector<double> own;
  for (const Eigen::Index pairs : owned_by(model.tokens.frequencies).count) own.push_back(2.0 * pairs);
  const double all = 2.0 * static_cast<double>(model.tokens.pair_count());
  for (const bool whole : {true, false}) {
    auto cut = cut_otherwise(model, whole);
    if (!cut || cut->tokens.frequencies.isApprox(model.tokens.frequencies, 1e-12)) continue;
    Proposal found = situation.proposal();
    found.model = std::move(*cut);
    found.again = [whole](const CheckModel& other) { return cut_otherwise(other, whole).value_or(other); };
    const Words::Named channels("channels", all), of_each("own", list_text(own));
    if (whole) {
      found.parameters = {{"rotary_dimension", all}};
      found.evidence = Words("check.rotary-dimension.evidence_slices", {channels, of_each});
      found.advice = Words("check.rotary-dimension.advice_slices", {of_each});
    } else {
      found.parameters = {{"rotary_dimension", own}};
      found.evidence = Words("check.rotary-dimension.evidence_own", {of_each, channels});
      found.advice = Words("check.rotary-dimension.advice_own", {channels});
    }
    proposals.push_back(std::move(found));
  }
}

/// As many pairs as the inputs have, where these are no others that a fraction makes.
void add_given_pairs(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  std::int64_t pairs = evidence.has_tables() ? evidence.cosine.cols() : 0;
  if (pairs == 0 && evidence.has_heads()) pairs = evidence.tensors->heads->channels / 2;
  if (pairs == 0) pairs = static_cast<std::int64_t>(evidence.frequencies.size());
  constexpr std::int64_t kMost = 4096;
  // Every ladder begins with 1: a single pair shows none.
  if (pairs == situation.model.tokens.pair_count() || pairs < 2 || pairs > kMost) return;
  add_first_pairs(situation, static_cast<int>(2 * pairs), proposals);
}

/// Channels that the vectors show turned, or of a table the columns that turn; 0 where nothing shows.
int turned_channels(const Situation& situation) {
  const Evidence& evidence = situation.evidence;
  if (evidence.has_tables()) {
    for (Eigen::Index pair = evidence.sine.cols(); pair > 0; --pair) {
      if ((evidence.sine.col(pair - 1).array() != 0).any()) return static_cast<int>(2 * pair);
    }
    return 0;
  }
  const auto part = turned_part(evidence);
  return part ? static_cast<int>(part->count) : 0;
}

/// Another number of pairs that turn: of a table the others stand still, of vectors they are not there. Exponents are
/// divided as the model does it, by the channels that turn, or by the head.
void add_turned(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Ladders& ladders = situation.ladders();
  const Eigen::MatrixXd& own = model.tokens.frequencies;
  const auto live = static_cast<Eigen::Index>((own.array() != 0).count());
  const int channels = turned_channels(situation);
  const Eigen::Index turned = channels / 2;
  const bool tables = situation.evidence.has_tables();
  const Eigen::Index pairs = tables ? own.cols() : std::max<Eigen::Index>(turned, 1);
  const std::string& method = model.rope->extension.method;
  if (turned == 0 || turned == live || live == 0 || turned > pairs) return;
  if (!(ladders.base[0] > 1) || (method != "none" && method != "proportional")) return;
  const double head = ladders.head_dim, due = 2.0 * static_cast<double>(live);
  for (const double over : {ladders.own_dim[0], static_cast<double>(channels), head}) {
    Proposal found = situation.proposal();
    if (const auto part = turned_part(situation.evidence)) found.model.still = part->first;
    Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    frequencies = Eigen::MatrixXd::Zero(1, pairs);
    for (Eigen::Index pair = 0; pair < turned; ++pair) {
      frequencies(0, pair) = own(0, 0) * std::pow(ladders.base[0], -2.0 * static_cast<double>(pair) / over);
    }
    found.parameters = {{"rotary_dimension", static_cast<double>(channels)}};
    found.evidence = Words("check.rotary-dimension.evidence_live",
                           {{"pairs", turned}, {"channels", channels}, {"due", due}, {"head", head}});
    found.advice = Words("check.rotary-dimension.advice_live", {{"due", due}, {"over", ladders.own_dim[0]}});
    proposals.push_back(std::move(found));
  }
}

void propose_rotary_dimension(const Situation& situation, std::vector<Proposal>& proposals) {
  const Ladders& ladders = situation.ladders();
  if (!ladders.known()) return;
  const auto head = ladders.head_dim;
  const auto add = [&](bool by_head) {
    Proposal found = situation.proposal();
    found.model = divided(situation.model, ladders, by_head);
    found.again = [by_head](const CheckModel& other) { return divided(other, ladders_of(other), by_head); };
    const std::vector<double>& own = ladders.own_dim;
    const double largest = *std::max_element(own.begin(), own.end());
    describe_rotary_dimension(found, by_head ? head : largest * largest / head, largest);
    if (std::any_of(own.begin(), own.end(), [&](double dim) { return dim != largest; })) {
      std::vector<double> divisors = own;
      for (double& dim : divisors) dim = by_head ? head : dim * dim / head;
      found.evidence =
          Words("check.rotary-dimension.evidence_axes", {{"found", list_text(divisors)}, {"due", list_text(own)}});
      found.advice = Words("check.rotary-dimension.advice_slices", {{"own", list_text(own)}});
    }
    if (found.model.tokens.frequencies.isApprox(situation.model.tokens.frequencies, 1e-12)) return;
    proposals.push_back(std::move(found));
  };
  add(true);
  add(false);
  propose_cuts(situation, proposals);
  if (!situation.model.rope || situation.model.rope->axes.size() != 1) return;
  const double own = situation.model.rope->axes[0].rotary_dim;
  add_first_pairs(situation, situation.model.rope->head_dim, proposals);
  add_first_pairs(situation, static_cast<int>(own * own / head), proposals);
  add_given_pairs(situation, proposals);
  add_turned(situation, proposals);
  // A ladder over the head of which only some pairs turn (Gemma 4): the exponents divided by those.
  const auto live = (situation.model.tokens.frequencies.array() != 0).count();
  if (live == 0 || live == situation.model.tokens.pair_count()) return;
  Proposal found = situation.proposal();
  const double part = 2.0 * static_cast<double>(live) / ladders.own_dim[0];
  found.model.tokens.frequencies =
      with_exponents(situation.model, ladders, [&](std::size_t, double exponent) { return exponent / part; });
  describe_rotary_dimension(found, 2.0 * static_cast<double>(live), ladders.own_dim[0]);
  proposals.push_back(std::move(found));
}

/// The channels that turn stand elsewhere in the head.
void propose_part(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto part = turned_part(situation.evidence);
  if (!part) return;
  const CheckModel& model = situation.model;
  const std::int64_t channels = situation.evidence.tensors->heads->channels, count = 2 * model.tokens.pair_count();
  std::vector<std::int64_t> tried{model.still};
  for (const std::int64_t first : {part->first, channels - count, std::int64_t{0}}) {
    if (first < 0 || first + count > channels || std::find(tried.begin(), tried.end(), first) != tried.end()) continue;
    tried.push_back(first);
    Proposal found = situation.proposal();
    found.model.still = first;
    // Where the model's own part stands still the order of its channels is not known before this.
    if (model.companions == Pairing::interleaved) take_channel_order(*situation.evidence.tensors->heads, found.model);
    found.again = [first, halves = found.model.out_by_halves](const CheckModel& other) {
      CheckModel moved = other;
      moved.still = first;
      moved.out_by_halves = halves;
      return moved;
    };
    found.parameters = {{"first_channel", static_cast<double>(first)}};
    const Words::Named due("due", model.still), due_last("due_last", model.still + count - 1);
    found.evidence = Words("check.rotary-dimension.evidence_part",
                           {{"first", first}, {"last", first + count - 1}, due, due_last, {"head", channels}});
    found.advice = Words("check.rotary-dimension.advice_part", {due, due_last});
    proposals.push_back(std::move(found));
  }
}

}  // namespace

/// The right number of channels, and others than the model turns: the first of a head whose last ones turn.
constinit const Cause kTurnedPart{.name = "rotary-dimension",
                                  .group = CauseGroup::channels,
                                  .seen_in = "pie-project/pie#603, vllm-project/vllm#30384, apple/coreai-models#66",
                                  .propose = propose_part};

/// The exponent's denominator is the head where it should be the rotary dimension, or the reverse; the fraction applied
/// twice or not at all; another head; one ladder cut among the axes where each has its own, or the reverse.
constinit const Cause kRotaryDimension{
    .name = "rotary-dimension",
    .group = CauseGroup::frequencies,
    .seen_in = "pie-project/pie#603, vllm-project/vllm#30384, apple/coreai-models#66",
    .propose = propose_rotary_dimension};

// --- Tables --------------------------------------------------------------------------------------------------------

namespace {

void propose_table_format(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  const bool in_tables = evidence.table_format != ShortFormat::none;
  const ShortFormat format = in_tables ? evidence.table_format : evidence.vector_format;
  const CheckModel& model = situation.model;
  const bool known = model.table_format == evidence.table_format && model.vector_format == evidence.vector_format;
  if (format == ShortFormat::none || known) return;
  Proposal found = situation.proposal();
  found.model = with_told_formats(model, evidence);
  const std::string name(format_name(format));
  found.parameters = {{"format", as_it_is(name)}};
  found.evidence =
      Words(in_tables ? "check.table-format.evidence" : "check.table-format.evidence_vectors", {{"format", name}});
  found.advice = Words("check.table-format.advice", {{"format", name}});
  proposals.push_back(std::move(found));
}

}  // namespace

/// [pairs, tokens] where [tokens, pairs] is due: told where the tables are read (take_tensors()), and looked through.
constinit const Cause kTableTransposed{.name = "table-transposed",
                                       .group = CauseGroup::values,
                                       .seen_in = "",
                                       .propose = [](const Situation&, std::vector<Proposal>&) {}};

/// The tensors of another embedding of the same model: told before anything is looked for (check()).
constinit const Cause kProfile{.name = "profile",
                               .group = CauseGroup::frequencies,
                               .seen_in = "",
                               .propose = [](const Situation&, std::vector<Proposal>&) {}};

/// Only cos and sin rounded: the error is flat. Told from the numbers themselves, beside any other cause.
constinit const Cause kTableFormat{.name = "table-format",
                                   .group = CauseGroup::values,
                                   .seen_in = "",
                                   .harm = Harm::none,
                                   .propose = propose_table_format};

// --- Tables and rotation -------------------------------------------------------------------------------------------

namespace {

Words channels_of_table_rotation_mismatch(Pairing pairing) {
  return Words(pairing == Pairing::interleaved ? "check.table-rotation-mismatch.neighbours"
                                               : "check.table-rotation-mismatch.halves");
}

Words name_of_table_rotation_mismatch(Pairing pairing) {
  return named_value(pairing == Pairing::interleaved ? "interleaved" : "half-split");
}

void propose_table_rotation_mismatch(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_heads()) return;
  const CheckModel& model = situation.model;
  for (const Pairing repeats : {Pairing::interleaved, Pairing::half_split}) {
    for (const Pairing companions : {Pairing::interleaved, Pairing::half_split}) {
      const bool same = repeats == model.repeats && companions == model.companions;
      const bool matched = repeats == companions;
      if (same || (matched && model.repeats == model.companions)) continue;
      Proposal found = situation.proposal();
      found.model.repeats = repeats;
      found.model.companions = companions;
      found.parameters = {{"table", name_of_table_rotation_mismatch(repeats)},
                          {"rotation", name_of_table_rotation_mismatch(companions)}};
      found.evidence =
          Words(matched ? "check.table-rotation-mismatch.evidence_matched" : "check.table-rotation-mismatch.evidence",
                {{"table", channels_of_table_rotation_mismatch(repeats)},
                 {"rotation", channels_of_table_rotation_mismatch(companions)}});
      // Of the two that do not match the one that is not the model's.
      const bool table = repeats != model.repeats;
      found.advice = table ? Words("check.table-rotation-mismatch.advice",
                                   {{"due", channels_of_table_rotation_mismatch(model.repeats)}})
                           : Words("check.table-rotation-mismatch.advice_rotation",
                                   {{"due", channels_of_table_rotation_mismatch(model.companions)}});
      if (model.repeats != model.companions) found.advice = Words("check.table-rotation-mismatch.advice_matched");
      proposals.push_back(std::move(found));
    }
  }
}

}  // namespace

/// The table repeated one way, the rotation done the other: norms are not kept, scores not relative.
constinit const Cause kTableRotationMismatch{.name = "table-rotation-mismatch",
                                             .group = CauseGroup::channels,
                                             .seen_in = "baidu/ERNIE-Image#6",
                                             .propose = propose_table_rotation_mismatch};

}  // namespace ropescope
