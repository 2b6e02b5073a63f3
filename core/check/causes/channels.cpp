// Causes among which channels turn, how they make pairs, and which axis has them, one block each.
//
// Contents: Pairs; Turned channels; Tables and rotation; Sections; Dimensions of axes; Arrangement.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Pairs ---------------------------------------------------------------------------------------------------------

namespace {

/// Which channels make a pair, and in which order they come out.
struct PairsOf {
  Pairing pairing = Pairing::interleaved;
  bool out_by_halves = false, halves_by_axis = false;
};

Words pairs_in_words(const PairsOf& pairs) {
  if (pairs.pairing == Pairing::interleaved) return Words("check.pairing.neighbours");
  return Words(pairs.halves_by_axis ? "check.pairing.halves_of_axes" : "check.pairing.halves");
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
  Proposal& found = situation.add_to(proposals);
  found.model = apply(situation.model);
  found.again = apply;
  found.doubt = Doubt::fitted;
  found.parameters = {{"columns", named_value(first_half ? "first_half" : "every_second")}};
  found.evidence = Words(first_half ? "check.pairing.evidence_first_half" : "check.pairing.evidence_every_second");
  found.advice = Words(first_half ? "check.pairing.advice_first_half" : "check.pairing.advice_every_second");
}

void propose_pairing(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  // How a table repeats its columns does not say how q is turned (GLM and DeepSeek store halves and turn neighbours):
  // vectors alone show it. A model that turns other channels than its table repeats (ERNIE-Image) has no such fault.
  const CheckModel& model = situation.model;
  if (situation.evidence.has_heads() && model.repeats == model.companions) {
    const PairsOf own{model.companions, model.out_by_halves, model.tokens.halves_by_axis};
    const Words::Named due("due", pairs_in_words(own));
    for (const PairsOf& other :
         {PairsOf{Pairing::interleaved, false, false}, PairsOf{Pairing::half_split, false, false},
          PairsOf{Pairing::interleaved, true, false}, PairsOf{Pairing::half_split, false, true}}) {
      const bool same = other.pairing == own.pairing && other.halves_by_axis == own.halves_by_axis;
      if (same || (other.halves_by_axis && model.tokens.axes.size() < 2)) continue;
      Proposal& found = situation.add_to(proposals);
      found.model.repeats = found.model.companions = found.model.tokens.pairing = other.pairing;
      found.model.out_by_halves = other.out_by_halves;
      found.model.tokens.halves_by_axis = other.halves_by_axis;
      found.evidence =
          Words(other.out_by_halves ? "check.pairing.evidence_out_by_halves" : "check.pairing.evidence_vectors",
                {{"found", pairs_in_words(other)}, due});
      found.advice = Words("check.pairing.advice", {due});
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
    .mended_by = kByRotation,
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
  Proposal& wide = situation.add_to(proposals);
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
}

/// Ladders over `dim` channels; of a proportional rope all pairs turn, or its fraction of them.
void add_first_pairs(const Situation& situation, int dim, std::vector<Proposal>& proposals) {
  std::optional<RotarySpec> other = with_channels(*situation.model.rope, dim);
  if (!other) return;
  if (find_scaling_method(other->extension.method).over_whole_head) {
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

/// One ladder over all pairs that are cut among the axes (`whole`), of the first axis' base whatever those of the
/// others are, or a ladder for the pairs of each axis; nothing where axes share pairs.
std::optional<CheckModel> cut_otherwise(const CheckModel& of, bool whole) {
  const Owned owned = owned_by(of.tokens.frequencies);
  const Ladders ladders = ladders_of(of);
  const double base = ladders.base.empty() ? 0 : ladders.base[0];
  if (owned.axis.empty() || !(base > 1)) return std::nullopt;
  CheckModel model = of;
  for (Eigen::Index pair = 0; pair < of.tokens.pair_count(); ++pair) {
    const auto p = static_cast<std::size_t>(pair), axis = static_cast<std::size_t>(owned.axis[p]);
    const double part = whole ? static_cast<double>(pair) / static_cast<double>(of.tokens.pair_count())
                              : static_cast<double>(owned.index[p]) / static_cast<double>(owned.count[axis]);
    model.tokens.frequencies(owned.axis[p], pair) = std::pow(whole ? base : ladders.base[axis], -part);
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
    Proposal& found = situation.add_to(proposals);
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
  const ScalingMethod& method = find_scaling_method(model.rope->extension.method);
  if (turned == 0 || turned == live || live == 0 || turned > pairs) return;
  if (!(ladders.base[0] > 1) || (method.name != "none" && !method.over_whole_head)) return;
  const double head = ladders.head_dim, due = 2.0 * static_cast<double>(live);
  for (const double over : {ladders.own_dim[0], static_cast<double>(channels), head}) {
    Proposal& found = situation.add_to(proposals);
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
  Proposal& found = situation.add_to(proposals);
  const double part = 2.0 * static_cast<double>(live) / ladders.own_dim[0];
  found.model.tokens.frequencies =
      with_exponents(situation.model, ladders, [&](std::size_t, double exponent) { return exponent / part; });
  describe_rotary_dimension(found, 2.0 * static_cast<double>(live), ladders.own_dim[0]);
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
    Proposal& found = situation.add_to(proposals);
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
  }
}

}  // namespace

/// The right number of channels, and others than the model turns: the first of a head whose last ones turn.
extern constinit const Cause kTurnedPart{
    .name = "rotary-dimension",
    .group = CauseGroup::channels,
    .seen_in = "pie-project/pie#603, vllm-project/vllm#30384, apple/coreai-models#66",
    .mended_by = kByLadder | kByMetadata,
    .propose = propose_part};

/// The exponent's denominator is the head where it should be the rotary dimension, or the reverse; the fraction applied
/// twice or not at all; another head; one ladder cut among the axes where each has its own, or the reverse.
constinit const Cause kRotaryDimension{
    .name = "rotary-dimension",
    .group = CauseGroup::frequencies,
    .seen_in = "pie-project/pie#603, vllm-project/vllm#30384, apple/coreai-models#66",
    .mended_by = kByLadder | kByMetadata,
    .propose = propose_rotary_dimension};

// --- Tables and rotation -------------------------------------------------------------------------------------------

namespace {

Words turned_in_words(Pairing pairing) {
  return Words(pairing == Pairing::interleaved ? "check.table-rotation-mismatch.neighbours"
                                               : "check.table-rotation-mismatch.halves");
}

Words pairing_value(Pairing pairing) {
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
      Proposal& found = situation.add_to(proposals);
      found.model.repeats = repeats;
      found.model.companions = companions;
      found.parameters = {{"table", pairing_value(repeats)}, {"rotation", pairing_value(companions)}};
      found.evidence =
          Words(matched ? "check.table-rotation-mismatch.evidence_matched" : "check.table-rotation-mismatch.evidence",
                {{"table", turned_in_words(repeats)}, {"rotation", turned_in_words(companions)}});
      // Of the two that do not match the one that is not the model's.
      const bool table = repeats != model.repeats;
      found.advice =
          table ? Words("check.table-rotation-mismatch.advice", {{"due", turned_in_words(model.repeats)}})
                : Words("check.table-rotation-mismatch.advice_rotation", {{"due", turned_in_words(model.companions)}});
      if (model.repeats != model.companions) found.advice = Words("check.table-rotation-mismatch.advice_matched");
    }
  }
}

}  // namespace

/// The table repeated one way, the rotation done the other: norms are not kept, scores not relative.
constinit const Cause kTableRotationMismatch{.name = "table-rotation-mismatch",
                                             .group = CauseGroup::channels,
                                             .seen_in = "baidu/ERNIE-Image#6",
                                             .mended_by = kByRotation,
                                             .propose = propose_table_rotation_mismatch};

// --- Sections ------------------------------------------------------------------------------------------------------

namespace {

/// Which of t, row and column turns each pair, dealt by turns or in contiguous sections (theory: M-RoPE).
std::vector<Eigen::Index> owners_of_section_layout(const std::vector<int>& sections, Eigen::Index pairs,
                                                   bool by_turns) {
  std::vector<Eigen::Index> owners;
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    if (by_turns) {
      const auto turn = pair % 3;
      owners.push_back(turn != 0 && pair < 3 * sections[static_cast<std::size_t>(turn)] ? turn : 0);
    } else {
      owners.push_back(pair < sections[0] ? 0 : pair < sections[0] + sections[1] ? 1 : 2);
    }
  }
  return owners;
}

void propose_section_layout(const Situation& situation, std::vector<Proposal>& proposals) {
  const Layout* layout = situation.reference.layout;
  if (layout == nullptr || !takes(*layout, "sections") || situation.model.tokens.axes.size() != 3) return;
  std::vector<int> sections = situation.reference.request.sections;
  if (sections.empty()) {
    for (const AxisDefault& axis : layout->axes) sections.push_back(axis.rotary_dim / 2);
  }
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  for (const bool by_turns : {false, true}) {
    Proposal found = situation.proposal();
    Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    frequencies.setZero();
    const std::vector<Eigen::Index> owners = owners_of_section_layout(sections, old.cols(), by_turns);
    for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
      frequencies(owners[static_cast<std::size_t>(pair)], pair) = old.col(pair).sum();
    }
    if (frequencies == old) continue;
    found.parameters = {{"kind", by_turns ? Words("check.value.section.interleaved") : named_value("contiguous")}};
    found.evidence =
        Words(by_turns ? "check.section-layout.evidence_by_turns" : "check.section-layout.evidence_contiguous");
    found.advice = Words(by_turns ? "check.section-layout.advice_contiguous" : "check.section-layout.advice_by_turns");
    proposals.push_back(std::move(found));
  }
}

}  // namespace

/// M-RoPE's sections contiguous where they are interleaved, or the reverse.
constinit const Cause kSectionLayout{.name = "section-layout",
                                     .group = CauseGroup::channels,
                                     .seen_in = "alibaba/MNN#4133",
                                     .mended_by = kByAxes,
                                     .propose = propose_section_layout};

// --- Dimensions of axes --------------------------------------------------------------------------------------------

namespace {

/// A run of pairs that one axis turns.
struct Share {
  std::size_t axis = 0;
  int pairs = 0;
};

/// How badly a deviation in units of its error fits, 0 … 1; outliers do not decide alone.
double cost_of(double deviation) {
  const double square = deviation * deviation / 16;
  return std::isfinite(square) ? square / (1 + square) : 1;
}

/// What the ladder of an axis may be beside the model's own.
enum class Freedom { none, base, base_and_start };

/// Costs of giving pairs q … q + n − 1 to an axis: its own ladder fits, and no other axis turns them.
class DealingCosts {
 public:
  DealingCosts(const Measured& measured, std::vector<double> bases, Freedom freedom)
      : measured_(measured), bases_(std::move(bases)), freedom_(freedom), pairs_(measured.frequency.cols()) {
    for (Eigen::Index axis = 0; axis < measured.frequency.rows(); ++axis) {
      seen_.push_back((measured.sigma.row(axis).array() < 1e30).any());
    }
    // Sums over the pairs before one of what it costs that an axis does not turn them.
    still_.assign(bases_.size(), std::vector<double>(static_cast<std::size_t>(pairs_) + 1, 0));
    for (std::size_t axis = 0; axis < bases_.size(); ++axis) {
      for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
        const auto p = static_cast<std::size_t>(pair);
        still_[axis][p + 1] = still_[axis][p] + deviation(axis, pair, 0);
      }
    }
  }

  double of(std::size_t axis, Eigen::Index first, Eigen::Index count) const {
    double cost = 0;
    for (std::size_t other = 0; other < bases_.size(); ++other) {
      if (other == axis) continue;
      cost += still_[other][static_cast<std::size_t>(first + count)] - still_[other][static_cast<std::size_t>(first)];
    }
    if (!seen_[axis]) return cost;
    const auto [start, slope] = ladder_of(axis, first, count);
    const double step = std::exp(-slope);
    double frequency = start;
    for (Eigen::Index i = 0; i < count; ++i, frequency *= step) cost += deviation(axis, first + i, frequency);
    return cost;
  }
  Eigen::Index pairs() const { return pairs_; }
  std::size_t axes() const { return bases_.size(); }

 private:
  double deviation(std::size_t axis, Eigen::Index pair, double frequency) const {
    if (!seen_[axis]) return 0;
    const auto a = static_cast<Eigen::Index>(axis);
    const double sigma = measured_.sigma(a, pair), period = measured_.period(a, pair);
    if (!(sigma < 1e30)) return 0;
    double by = frequency - measured_.frequency(a, pair);
    if (std::isfinite(period)) by = wrapped(by, period);
    return cost_of(by / (sigma + 1e-6 * frequency));
  }
  /// The first frequency and −d ln θ / d pair: through θ = 1 at the first pair, or free, from those that are known
  /// well.
  std::pair<double, double> ladder_of(std::size_t axis, Eigen::Index first, Eigen::Index count) const {
    const auto a = static_cast<Eigen::Index>(axis);
    const std::pair own{1.0, std::log(bases_[axis]) / static_cast<double>(count)};
    if (freedom_ == Freedom::none) return own;
    LineFit fit;
    for (Eigen::Index i = 0; i < count; ++i) {
      const double frequency = measured_.frequency(a, first + i), sigma = measured_.sigma(a, first + i);
      if (!(frequency > 5 * sigma)) continue;
      fit.add(static_cast<double>(i), std::log(frequency), frequency * frequency / (sigma * sigma));
    }
    if (freedom_ == Freedom::base) {
      const double slope = -fit.slope_through_origin();
      return {1.0, slope != 0 ? std::max(slope, 1e-6) : own.second};
    }
    if (!fit.determined()) return own;
    return {std::exp(fit.start()), std::max(-fit.slope(), 1e-6)};
  }

  const Measured& measured_;
  std::vector<double> bases_;
  Freedom freedom_;
  Eigen::Index pairs_;
  std::vector<bool> seen_;
  std::vector<std::vector<double>> still_;
};

/// The cheapest way to give all pairs to the axes, each at most once, in any order.
std::vector<Share> cheapest(const DealingCosts& costs) {
  const auto pairs = static_cast<std::size_t>(costs.pairs());
  const std::size_t axes = costs.axes(), sets = std::size_t{1} << axes;
  struct State {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t before = 0, axis = 0, from = 0;
  };
  std::vector<std::vector<State>> best(pairs + 1, std::vector<State>(sets));
  best[0][0].cost = 0;
  for (std::size_t from = 0; from < pairs; ++from) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      for (std::size_t to = from + 1; to <= pairs; ++to) {
        double cost = -1;
        for (std::size_t used = 0; used < sets; ++used) {
          if ((used >> axis & 1) != 0 || !(best[from][used].cost < 1e30)) continue;
          if (cost < 0) cost = costs.of(axis, static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(to - from));
          State& state = best[to][used | std::size_t{1} << axis];
          if (best[from][used].cost + cost < state.cost) state = {best[from][used].cost + cost, used, axis, from};
        }
      }
    }
  }
  std::size_t used = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    if (best[pairs][set].cost < best[pairs][used].cost || used == 0) used = set;
  }
  std::vector<Share> shares;
  for (std::size_t at = pairs; at > 0;) {
    const State& state = best[at][used];
    shares.insert(shares.begin(), Share{state.axis, static_cast<int>(at - state.from)});
    at = state.from, used = state.before;
  }
  return shares;
}

Eigen::MatrixXd dealt(const CheckModel& model, const std::vector<Share>& shares) {
  Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(model.tokens.frequencies.rows(), model.tokens.pair_count());
  Eigen::Index first = 0;
  for (const Share& share : shares) {
    if (share.pairs < 1) continue;
    frequencies.row(static_cast<Eigen::Index>(share.axis)).segment(first, share.pairs) =
        plain_frequencies(2 * share.pairs, model.tokens.axes[share.axis].base).transpose();
    first += share.pairs;
  }
  return frequencies;
}

/// "row, column, t", or where runs come back the rule that makes them: "(t, row, column) x 20, t x 4".
std::string order_of(const CheckModel& model, const std::vector<Share>& shares) {
  std::vector<std::size_t> owners;
  for (const Share& share : shares) owners.insert(owners.end(), static_cast<std::size_t>(share.pairs), share.axis);
  std::vector<std::size_t> seen;
  for (const Share& share : shares) seen.push_back(share.axis);
  std::sort(seen.begin(), seen.end());
  const bool once = std::adjacent_find(seen.begin(), seen.end()) == seen.end();
  std::string order;
  const auto add = [&](const std::string& words) { order += (order.empty() ? "" : ", ") + words; };
  const auto name = [&](std::size_t axis) { return model.tokens.axes[axis].name; };
  if (once) {
    for (const Share& share : shares) add(name(share.axis));
    return order;
  }
  const std::size_t longest = model.tokens.axes.size() + 1;
  for (std::size_t at = 0; at < owners.size();) {
    // The turn that covers most of what follows; of equal ones the shortest.
    std::size_t turn = 1, most = 0;
    for (std::size_t length = 1; length <= longest && at + length <= owners.size(); ++length) {
      std::size_t covered = length;
      while (covered < owners.size() - at && owners[at + covered] == owners[at + covered - length]) ++covered;
      covered -= covered % length;
      if (covered > most && (length == 1 || covered > length)) most = covered, turn = length;
    }
    std::string names;
    for (std::size_t i = 0; i < turn; ++i) names += (i == 0 ? "" : ", ") + name(owners[at + i]);
    if (turn > 1) names = "(" + names + ")";
    if (most > turn) names += " x " + std::to_string(most / turn);
    add(names);
    at += most;
  }
  return order;
}

void add_dealt(const Situation& situation, const std::vector<Share>& shares, Eigen::MatrixXd frequencies,
               std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (frequencies.isApprox(model.tokens.frequencies, 1e-9)) return;
  Proposal& found = situation.add_to(proposals);
  found.model.tokens.frequencies = std::move(frequencies);
  std::vector<double> dimensions(model.tokens.axes.size(), 0);
  bool in_order = true;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    dimensions[shares[i].axis] += 2.0 * shares[i].pairs;
    found.model.blocks_of_pairs.emplace_back(shares[i].axis, 2 * shares[i].pairs);
    in_order = in_order && (i == 0 || shares[i].axis > shares[i - 1].axis);
  }
  const std::string order = order_of(model, shares);
  std::vector<double> of_reference;
  for (const LayoutAxis& axis : model.tokens.axes) of_reference.push_back(axis.rotary_dim);
  found.parameters = {{"dimensions", dimensions}};
  if (!in_order) found.parameters.push_back({"order", as_it_is(order)});
  found.doubt = in_order ? Doubt::none : Doubt::fitted;
  const Words::Named there("found", list_text(dimensions)), due("due", list_text(of_reference));
  found.evidence = in_order ? Words("check.axis-dimensions.evidence", {there, due})
                            : Words("check.axis-dimensions.evidence_order", {there, due, {"order", order}});
  found.advice = Words("check.axis-dimensions.advice", {due});
}

bool has_plain_blocks(const CheckModel& model) {
  Eigen::Index first = 0;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    const LayoutAxis& of = model.tokens.axes[axis];
    if (!(of.base > 1)) return false;
    if (of.rotary_dim == 0) continue;
    const Eigen::VectorXd own =
        model.tokens.frequencies.row(static_cast<Eigen::Index>(axis)).segment(first, of.rotary_dim / 2).transpose();
    const Eigen::VectorXd ladder = plain_frequencies(of.rotary_dim, 2);
    // Whatever the base: a geometric ladder from 1.
    if (std::abs(own[0] - 1) > 1e-9 || ladder.size() != own.size()) return false;
    first += of.rotary_dim / 2;
    if (first > model.tokens.pair_count()) return false;
  }
  return first == model.tokens.pair_count();
}

/// The axes with their own widths, one after the other in another order.
void add_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < situation.model.tokens.axes.size(); ++axis) order.push_back(axis);
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<Share> shares;
    for (const std::size_t axis : order) {
      const int pairs = situation.model.tokens.axes[axis].rotary_dim / 2;
      if (pairs > 0) shares.push_back({axis, pairs});
    }
    add_dealt(situation, shares, dealt(situation.model, shares), proposals);
  }
}

/// Other dealings that models have: the same widths in another order, and the usual ones.
void add_usual(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto pairs = static_cast<int>(model.tokens.pair_count());
  const auto axes = static_cast<int>(model.tokens.axes.size());
  const auto try_pairs = [&](const std::vector<int>& of_axes) {
    std::vector<Share> shares;
    for (std::size_t axis = 0; axis < of_axes.size(); ++axis) {
      if (of_axes[axis] > 0) shares.push_back({axis, of_axes[axis]});
    }
    add_dealt(situation, shares, dealt(model, shares), proposals);
  };
  add_orders(situation, proposals);
  std::vector<int> own;
  for (const LayoutAxis& axis : model.tokens.axes) own.push_back(axis.rotary_dim / 2);
  std::vector<int> order(own);
  std::sort(order.begin(), order.end());
  do {
    try_pairs(order);
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<int> equal(static_cast<std::size_t>(axes), pairs / axes);
  equal[0] += pairs % axes;
  try_pairs(equal);
  if (axes != 3) return;
  const int wan = pairs / 3;
  for (const std::vector<int>& dims : {std::vector<int>{pairs - 2 * wan, wan, wan},
                                       {8, (pairs - 8) / 2, (pairs - 8) / 2},
                                       {pairs / 4, pairs * 3 / 8, pairs * 3 / 8},
                                       {pairs / 2, pairs / 4, pairs / 4}}) {
    const bool fits = std::accumulate(dims.begin(), dims.end(), 0) == pairs &&
                      std::all_of(dims.begin(), dims.end(), [](int dim) { return dim > 0; });
    if (fits) try_pairs(dims);
  }
}

/// One ladder over the head, dealt pair by pair: each to the axis that the evidence shows.
void propose_sections(const Situation& situation, const Measured& measured, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  const Eigen::Index axes = old.rows();
  std::vector<Share> shares;
  Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(axes, old.cols());
  for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
    const double frequency = old.col(pair).sum();
    Eigen::Index owner = shares.empty() ? 0 : static_cast<Eigen::Index>(shares.back().axis);
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index nth = -1; nth < axes; ++nth) {
      // That of the pair before comes first.
      const Eigen::Index axis = nth < 0 ? owner : nth;
      double cost = 0;
      for (Eigen::Index other = 0; other < axes; ++other) {
        const double sigma = measured.sigma(other, pair);
        if (sigma < 1e30) cost += cost_of((measured.frequency(other, pair) - (other == axis ? frequency : 0)) / sigma);
      }
      if (cost < least - 0.3) least = cost, owner = axis;
    }
    frequencies(owner, pair) = frequency;
    if (shares.empty() || shares.back().axis != static_cast<std::size_t>(owner)) {
      shares.push_back({static_cast<std::size_t>(owner), 0});
    }
    ++shares.back().pairs;
  }
  add_dealt(situation, shares, std::move(frequencies), proposals);
}

/// The sections of one ladder given to the axes in another order. Of HunYuan-VL's four axes one counts the tokens that
/// two others count: whose a pair is cannot be read off.
void propose_exchanged_sections(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  constexpr Eigen::Index kReadOff = 3;
  if (own.rows() <= kReadOff) return;
  std::vector<std::size_t> order(static_cast<std::size_t>(own.rows()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::next_permutation(order.begin(), order.end())) {
    Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(own.rows(), own.cols());
    std::vector<Share> shares;
    for (Eigen::Index pair = 0; pair < own.cols(); ++pair) {
      Eigen::Index owner = 0;
      own.col(pair).cwiseAbs().maxCoeff(&owner);
      const std::size_t axis = order[static_cast<std::size_t>(owner)];
      frequencies(static_cast<Eigen::Index>(axis), pair) = own(owner, pair);
      if (shares.empty() || shares.back().axis != axis) shares.push_back({axis, 0});
      ++shares.back().pairs;
    }
    const std::size_t before = proposals.size();
    add_dealt(situation, shares, std::move(frequencies), proposals);
    if (proposals.size() > before) proposals.back().doubt = Doubt::none;
  }
}

/// The same pairs in other places: axis after axis, or by turns where all axes have as many.
void propose_places(const Situation& situation, bool plain, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  std::vector<std::vector<double>> rungs(static_cast<std::size_t>(own.rows()));
  for (Eigen::Index pair = 0; pair < own.cols(); ++pair) {
    Eigen::Index axis = 0;
    own.col(pair).cwiseAbs().maxCoeff(&axis);
    rungs[static_cast<std::size_t>(axis)].push_back(own(axis, pair));
  }
  std::vector<std::size_t> order;
  bool alike = true;
  for (std::size_t axis = 0; axis < rungs.size(); ++axis) {
    if (rungs[axis].empty()) continue;
    order.push_back(axis);
    alike = alike && rungs[axis].size() == rungs[order.front()].size();
  }
  const auto add = [&](const std::vector<Share>& shares) {
    Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(own.rows(), own.cols());
    std::vector<std::size_t> next(rungs.size(), 0);
    Eigen::Index pair = 0;
    for (const Share& share : shares) {
      for (int i = 0; i < share.pairs; ++i)
        frequencies(static_cast<Eigen::Index>(share.axis), pair++) = rungs[share.axis][next[share.axis]++];
    }
    const std::size_t before = proposals.size();
    add_dealt(situation, shares, std::move(frequencies), proposals);
    if (proposals.size() > before) proposals.back().doubt = Doubt::none;
  };
  if (order.size() < 2) return;
  for (const bool backwards : {false, true}) {
    if (backwards) std::reverse(order.begin(), order.end());
    std::vector<Share> blocks, turns;
    for (const std::size_t axis : order) blocks.push_back({axis, static_cast<int>(rungs[axis].size())});
    for (std::size_t turn = 0; turn < rungs[order.front()].size(); ++turn) {
      for (const std::size_t axis : order) turns.push_back({axis, 1});
    }
    // Blocks of plain ladders in every order are among the usual ones.
    if (!plain) add(blocks);
    if (alike) add(turns);
  }
}

void propose_axis_dimensions(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::size_t axes = model.tokens.axes.size();
  constexpr std::size_t kMostAxes = 4;
  constexpr Eigen::Index kMostPairs = 256;
  if (axes < 2 || axes > kMostAxes || model.rope || model.tokens.pair_count() > kMostPairs) return;
  if (!situation.evidence.has_rotation()) return;
  const bool plain = has_plain_blocks(model);
  if (is_mixed(model.tokens.frequencies)) return;
  const Measured measured = measure(situation.evidence, situation.observed(), model, true);
  propose_places(situation, plain, proposals);
  if (!plain) {
    // One ladder, dealt to the axes.
    const Eigen::RowVectorXd rungs = model.tokens.frequencies.colwise().sum();
    if (std::is_sorted(rungs.begin(), rungs.end(), std::greater<>())) {
      propose_sections(situation, measured, proposals);
      propose_exchanged_sections(situation, proposals);
    }
    return;
  }
  std::vector<double> bases;
  for (const LayoutAxis& axis : model.tokens.axes) bases.push_back(axis.base);
  for (const Freedom freedom : {Freedom::none, Freedom::base, Freedom::base_and_start}) {
    if (measured.is_spent()) return;
    // Every run of pairs is laid over the ladder of every axis.
    measured.spend(static_cast<Eigen::Index>(axes) * model.tokens.pair_count() * model.tokens.pair_count() *
                   model.tokens.pair_count() / 24);
    const std::vector<Share> shares = cheapest(DealingCosts(measured, bases, freedom));
    add_dealt(situation, shares, dealt(model, shares), proposals);
  }
  add_usual(situation, proposals);
}

}  // namespace

/// Pairs given to the axes in other numbers or another order.
constinit const Cause kAxisDimensions{.name = "axis-dimensions",
                                      .group = CauseGroup::channels,
                                      .seen_in = "huggingface/diffusers#12538",
                                      .mended_by = kByAxes,
                                      .propose = propose_axis_dimensions};

// --- Arrangement ---------------------------------------------------------------------------------------------------

// Heads and channels that stand elsewhere: told before anything is looked for (compare/arrangement.h).

/// Heads of q or k in another order after than before: in turn where grouped queries want each repeated, turned over,
/// groups and members exchanged.
constinit const Cause kHeadOrder{
    .name = "head-order", .group = CauseGroup::channels, .seen_in = "", .mended_by = kByNothing};

/// The rows of wq and wk permuted by the converter's rule where they should not be, or by another one. With
/// n_head //= n_head_kv, as the first versions for grouped queries had it, wk is permuted as if it had other heads.
constinit const Cause kWeightPermutation{.name = "weight-permutation",
                                         .group = CauseGroup::channels,
                                         .seen_in = "ggml-org/llama.cpp",
                                         .mended_by = kByPermutation};

}  // namespace ropescope
