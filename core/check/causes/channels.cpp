// Causes in the rotated channels and their pairing, one block each; dealings.cpp assigns pairs to axes.
//
// Contents: Pairs; Rotated channels; Tables and rotation.

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/evidence/ropes.h"
#include "core/check/tuning.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Pairs ---------------------------------------------------------------------------------------------------------

namespace {

/// Which channels form a pair, and the order in which they are stored.
struct PairsOf {
  Pairing pairing = Pairing::interleaved;
  bool out_by_halves = false, halves_by_axis = false;
};

Message pairs_in_words(const PairsOf& pairs) {
  if (pairs.pairing == Pairing::interleaved) return Message("check.pairing.neighbours");
  return Message(pairs.halves_by_axis ? "check.pairing.halves_of_axes" : "check.pairing.halves");
}

/// Proposes a table with one column per pair that was cut wrongly from one with two. Either the first half of columns
/// that repeat adjacently (f0 f0 f1 f1 …), or every second one of columns whose halves repeat (f0 f2 f4 … f0 f2 f4 …).
void propose_cut(const Situation& situation, bool first_half, std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals, [first_half](CheckModel& model) {
    const Eigen::MatrixXd whole = model.tokens.frequencies;
    for (Eigen::Index column = 0; column < whole.cols(); ++column) {
      model.tokens.frequencies.col(column) = whole.col(first_half ? column / 2 : 2 * column % whole.cols());
    }
  });
  found.doubt = Doubt::fitted;
  found.parameters = {{"columns", named_value(first_half ? "first_half" : "every_second")}};
  found.evidence = Message(first_half ? "check.pairing.evidence_first_half" : "check.pairing.evidence_every_second");
  found.advice = Message(first_half ? "check.pairing.advice_first_half" : "check.pairing.advice_every_second");
}

void propose_pairing(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  // How a table repeats columns does not show how q is rotated (GLM and DeepSeek store halves and rotate adjacent
  // channels): only vectors do. A model that rotates other channels than its table repeats (ERNIE-Image) is correct.
  const CheckModel& model = situation.model;
  if (situation.evidence.has_heads() && model.repeats == model.companions) {
    const PairsOf own{model.companions, model.out_by_halves, model.tokens.halves_by_axis};
    const Message::Named due("due", pairs_in_words(own));
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
          Message(other.out_by_halves ? "check.pairing.evidence_out_by_halves" : "check.pairing.evidence_vectors",
                  {{"found", pairs_in_words(other)}, due});
      // A custom layout belongs to no released weights: its code may really pair channels this way (RoPE2D of CroCo).
      const bool spelled_out = situation.reference.layout != nullptr && situation.reference.layout->name == "custom";
      found.advice = Message(
          other.halves_by_axis && spelled_out ? "check.pairing.advice_axis_half" : "check.pairing.advice", {due});
    }
  }
  const bool once = situation.evidence.has_tables() && situation.evidence.tensors->tables.repeats == Repeats::once;
  for (const bool first_half : {true, false}) {
    if (once) propose_cut(situation, first_half, proposals);
  }
}

// --- Rotated channels ----------------------------------------------------------------------------------------------

void describe_rotary_dimension(Proposal& found, double dimension, double due) {
  found.parameters = {{"rotary_dimension", dimension}};
  found.evidence = Message("check.rotary-dimension.evidence", {{"found", dimension}, {"due", due}});
  found.advice = Message("check.rotary-dimension.advice", {{"due", due}});
}

/// The channels of a head that the vectors show as rotated.
struct RotatedPart {
  std::int64_t first = 0, count = 0;
};

/// Returns the range from the first to the last channel that differs before and after, in whole pairs; nullopt if none
/// does. The first pair is the fastest: in any format, it shows where the part begins.
std::optional<RotatedPart> find_rotated_part(const Evidence& evidence) {
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
  return RotatedPart{first, end - first + (end - first) % 2};
}

/// Returns the spec with `dim` rotary channels, in a head at least as wide; nullopt if it cannot have them.
std::optional<RotarySpec> change_channels(const RotarySpec& rope, int dim) {
  if (dim < 2 || dim % 2 != 0 || rope.axes.size() != 1) return std::nullopt;
  RotarySpec other = rope;
  other.head_dim = std::max(other.head_dim, dim);
  other.axes[0].rotary_dim = dim;
  other.axes[0].ladder = Ladder::plain;
  return other;
}

/// Appends a ladder over the channels of `other`, cut to the pairs of the model, and that ladder uncut.
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
  if (const auto part = find_rotated_part(situation.evidence)) wide.model.still = part->first;
  wide.model.tokens.frequencies = ladder;
  wide.model.rope = other;
  wide.parameters = {{"rotary_dimension", static_cast<double>(dim)}};
  const auto live = (model.tokens.frequencies.array() != 0).count();
  if (live > 0 && live < pairs && dim != due) {
    wide.evidence = Message("check.rotary-dimension.evidence", {{"found", dim}, {"due", due}});
    wide.advice = Message("check.rotary-dimension.advice_live", {{"due", 2 * live}, {"over", due}});
    return;
  }
  const Message::Named expected_channels("due", 2 * pairs), of_head("head", head);
  wide.evidence = Message(2 * pairs == head ? "check.rotary-dimension.evidence_pairs_of_all"
                                            : "check.rotary-dimension.evidence_pairs_of_part",
                          {{"pairs", ladder.cols()}, {"channels", dim}, expected_channels, of_head});
  wide.advice = dim > head ? Message(2 * pairs == head ? "check.rotary-dimension.advice_head"
                                                       : "check.rotary-dimension.advice_head_part",
                                     {of_head, expected_channels})
                           : Message("check.rotary-dimension.advice_fraction", {expected_channels});
}

/// Appends ladders over `dim` channels; for a proportional rope, with all pairs rotated, and with its fraction of them.
void add_first_pairs(const Situation& situation, int dim, std::vector<Proposal>& proposals) {
  std::optional<RotarySpec> other = change_channels(*situation.model.rope, dim);
  if (!other) return;
  if (find_scaling_method(other->extension.method).exponents_over_head) {
    if (dim != situation.model.rope->axes[0].rotary_dim) add_ladder_of(situation, *other, proposals);
    other->extension = Extension{};
  }
  add_ladder_of(situation, *other, proposals);
}

/// Appends a plain ladder over other channels if the model's is extended: the report names both differences.
void add_plain_pairs(const Situation& situation, int dim, std::vector<Proposal>& proposals) {
  const std::string method = situation.model.rope->extension.method;
  std::optional<RotarySpec> other = change_channels(*situation.model.rope, dim);
  if (!other || !situation.model.is_extended()) return;
  other->extension = Extension{};
  const std::size_t before = proposals.size();
  add_ladder_of(situation, *other, proposals);
  for (std::size_t i = before; i < proposals.size(); ++i) {
    const Message::Named of_method("method", method);
    proposals[i].evidence =
        sentences(std::move(proposals[i].evidence), Message("check.scaling-missing.evidence", {of_method}));
    proposals[i].advice =
        sentences(std::move(proposals[i].advice), Message("check.scaling-missing.advice", {of_method}));
  }
}

/// Divides the exponents by the head instead of the axis' channels, or reverses that mistake.
void divide_exponents(CheckModel& model, bool by_head) {
  const Ladders ladders = ladders_of(model);
  model.tokens.frequencies = replace_exponents(model, ladders, [&](std::size_t axis, double exponent) {
    const double part = ladders.own_dim[axis] / ladders.head_dim;
    return by_head ? exponent * part : exponent / part;
  });
}

/// Per pair: the axis that rotates it, and its index in that axis; per axis: its number of pairs.
struct Owned {
  std::vector<Eigen::Index> axis, index;
  std::vector<Eigen::Index> count;
};

/// Returns which axis rotates each pair; empty if several do, or a pair is static.
Owned find_pair_owners(const Eigen::MatrixXd& frequencies) {
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

/// Returns one ladder over all pairs that is cut among the axes (`whole`), with the first axis' base whatever the
/// others are, or a ladder for each axis' pairs; nullopt if axes share pairs.
std::optional<CheckModel> cut_otherwise(const CheckModel& of, bool whole) {
  const Owned owned = find_pair_owners(of.tokens.frequencies);
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
  if (model.tokens.axes.size() < 2 || model.is_extended()) return;
  // One ladder cut in another way is the cause "section-layout".
  const LadderCut cut = cut_of(situation.reference.tokens);
  std::vector<double> own;
  for (const Eigen::Index pairs : find_pair_owners(model.tokens.frequencies).count) own.push_back(2.0 * pairs);
  const double all = 2.0 * static_cast<double>(model.tokens.pair_count());
  for (const bool whole : {true, false}) {
    auto other = whole && cut == LadderCut::shared ? std::nullopt : cut_otherwise(model, whole);
    if (!other || other->tokens.frequencies.isApprox(model.tokens.frequencies, 1e-12)) continue;
    Proposal& found = situation.add_to(proposals);
    found.model = std::move(*other);
    found.change = [whole](CheckModel& of) {
      if (auto cut_again = cut_otherwise(of, whole)) of = std::move(*cut_again);
    };
    const Message::Named channels("channels", all), of_each("own", list_text(own));
    if (whole) {
      found.parameters = {{"rotary_dimension", all}};
      found.evidence = Message("check.rotary-dimension.evidence_slices", {channels, of_each});
      found.advice = Message("check.rotary-dimension.advice_slices", {of_each});
    } else {
      found.parameters = {{"rotary_dimension", own}};
      found.evidence = Message("check.rotary-dimension.evidence_own", {of_each, channels});
      found.advice = Message("check.rotary-dimension.advice_own",
                             {channels, {"order", order_of_shared_ladder(situation.reference.tokens)}});
    }
  }
}

/// Appends ladders over as many pairs as the inputs have.
void add_given_pairs(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  std::int64_t pairs = evidence.has_tables() ? evidence.cosine.cols() : 0;
  if (pairs == 0 && evidence.has_heads()) pairs = evidence.tensors->heads->channels / 2;
  if (pairs == 0) pairs = static_cast<std::int64_t>(evidence.frequencies.size());
  // Every ladder starts with 1: a single pair shows nothing.
  if (pairs == situation.model.tokens.pair_count() || pairs < 2 || pairs > tuned::kMaxGivenPairs) return;
  add_first_pairs(situation, static_cast<int>(2 * pairs), proposals);
  add_plain_pairs(situation, static_cast<int>(2 * pairs), proposals);
}

/// Appends half as many pairs in the same number of columns, each stored twice: the ladder of half the channels.
void add_half_twice(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Evidence& evidence = situation.evidence;
  const Eigen::Index pairs = model.tokens.pair_count();
  const bool once = evidence.has_tables() && evidence.tensors->tables.repeats == Repeats::once;
  if (!once || evidence.cosine.cols() != pairs || pairs % 4 != 0) return;
  const auto other = change_channels(*model.rope, static_cast<int>(pairs));
  const Eigen::MatrixXd half = other ? frequencies_or_nan(*other, model.length) : Eigen::MatrixXd();
  if (half.cols() != pairs / 2 || !half.allFinite()) return;
  for (const bool adjacent : {false, true}) {
    Proposal& found = situation.add_to(proposals);
    for (Eigen::Index column = 0; column < pairs; ++column) {
      found.model.tokens.frequencies.col(column) = half.col(adjacent ? column / 2 : column % (pairs / 2));
    }
    found.parameters = {{"rotary_dimension", static_cast<double>(pairs)}};
    found.evidence =
        Message("check.rotary-dimension.evidence_half",
                {{"columns", pairs}, {"pairs", pairs / 2}, {"found", pairs}, {"due", situation.ladders().own_dim[0]}});
    found.advice = Message("check.rotary-dimension.advice", {{"due", situation.ladders().own_dim[0]}});
  }
}

/// Does what add_half_twice() does if each of several axes has a ladder over its own channels.
void add_half_of_axes_twice(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Ladders& ladders = situation.ladders();
  const Eigen::Index pairs = model.tokens.pair_count();
  const Evidence& evidence = situation.evidence;
  const bool once = evidence.has_tables() && evidence.tensors->tables.repeats == Repeats::once;
  if (!once || model.rope || model.tokens.axes.size() < 2 || pairs % 2 != 0) return;
  std::vector<double> halves;
  for (const double dim : ladders.own_dim) halves.push_back(dim / 2);
  for (const bool adjacent : {false, true}) {
    Proposal& found = situation.add_to(proposals);
    found.model.tokens.frequencies = replace_exponents(model, ladders, [&](std::size_t axis, double exponent) {
      const double count = ladders.own_dim[axis] / 2, half = std::max(1.0, std::floor(count / 2));
      const double index = std::nearbyint(exponent * count);
      return (adjacent ? std::floor(index / 2) : std::fmod(index, half)) / half;
    });
    found.parameters = {{"rotary_dimension", halves}};
    const Message::Named due("due", list_text(ladders.own_dim));
    found.evidence = Message("check.rotary-dimension.evidence_half",
                             {{"columns", pairs}, {"pairs", pairs / 2}, {"found", list_text(halves)}, due});
    found.advice = Message("check.rotary-dimension.advice", {due});
  }
}

/// Returns how many channels the vectors show as rotated, or the columns of a table; 0 if nothing shows it.
int count_rotated_channels(const Situation& situation) {
  const Evidence& evidence = situation.evidence;
  if (evidence.has_tables()) {
    for (Eigen::Index pair = evidence.sine.cols(); pair > 0; --pair) {
      if ((evidence.sine.col(pair - 1).array() != 0).any()) return static_cast<int>(2 * pair);
    }
    return 0;
  }
  const auto part = find_rotated_part(evidence);
  return part ? static_cast<int>(part->count) : 0;
}

/// Appends another number of rotated pairs: in a table the others are static, in vectors they are missing. Exponents
/// are divided as in the model, by the rotated channels, or by the head.
void add_rotated_channels(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Ladders& ladders = situation.ladders();
  const Eigen::MatrixXd& own = model.tokens.frequencies;
  const auto live = static_cast<Eigen::Index>((own.array() != 0).count());
  const int channels = count_rotated_channels(situation);
  const Eigen::Index turned = channels / 2;
  const bool tables = situation.evidence.has_tables();
  const Eigen::Index pairs = tables ? own.cols() : std::max<Eigen::Index>(turned, 1);
  // An extension that changes more than the exponents.
  const bool bent = model.is_extended() && !find_scaling_method(model.rope->extension.method).exponents_over_head;
  if (turned == 0 || turned == live || live == 0 || turned > pairs) return;
  if (bent && !tables) {
    add_first_pairs(situation, channels, proposals);
    add_plain_pairs(situation, channels, proposals);
  }
  if (!(ladders.base[0] > 1) || bent) return;
  const double head = ladders.head_dim, due = 2.0 * static_cast<double>(live);
  for (const double over : {ladders.own_dim[0], static_cast<double>(channels), head}) {
    Proposal& found = situation.add_to(proposals);
    if (const auto part = find_rotated_part(situation.evidence)) found.model.still = part->first;
    Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    frequencies = Eigen::MatrixXd::Zero(1, pairs);
    for (Eigen::Index pair = 0; pair < turned; ++pair) {
      frequencies(0, pair) = own(0, 0) * std::pow(ladders.base[0], -2.0 * static_cast<double>(pair) / over);
    }
    found.parameters = {{"rotary_dimension", static_cast<double>(channels)}};
    found.evidence = Message("check.rotary-dimension.evidence_live",
                             {{"pairs", turned}, {"channels", channels}, {"due", due}, {"head", head}});
    found.advice = Message("check.rotary-dimension.advice_live", {{"due", due}, {"over", ladders.own_dim[0]}});
  }
}

void propose_rotary_dimension(const Situation& situation, std::vector<Proposal>& proposals) {
  const Ladders& ladders = situation.ladders();
  if (!ladders.known()) return;
  const auto head = ladders.head_dim;
  const auto add = [&](bool by_head) {
    Proposal found = situation.proposal([by_head](CheckModel& other) { divide_exponents(other, by_head); });
    const std::vector<double>& own = ladders.own_dim;
    const double largest = *std::max_element(own.begin(), own.end());
    describe_rotary_dimension(found, by_head ? head : largest * largest / head, largest);
    if (std::any_of(own.begin(), own.end(), [&](double dim) { return dim != largest; })) {
      std::vector<double> divisors = own;
      for (double& dim : divisors) dim = by_head ? head : dim * dim / head;
      found.evidence =
          Message("check.rotary-dimension.evidence_axes", {{"found", list_text(divisors)}, {"due", list_text(own)}});
      found.advice = Message("check.rotary-dimension.advice_slices", {{"own", list_text(own)}});
    }
    if (found.model.tokens.frequencies.isApprox(situation.model.tokens.frequencies, 1e-12)) return;
    proposals.push_back(std::move(found));
  };
  add(true);
  add(false);
  propose_cuts(situation, proposals);
  add_half_of_axes_twice(situation, proposals);
  if (!situation.model.rope || situation.model.rope->axes.size() != 1) return;
  const double own = situation.model.rope->axes[0].rotary_dim;
  add_first_pairs(situation, situation.model.rope->head_dim, proposals);
  add_first_pairs(situation, static_cast<int>(own * own / head), proposals);
  add_given_pairs(situation, proposals);
  add_half_twice(situation, proposals);
  add_rotated_channels(situation, proposals);
  // A ladder over the head with some pairs static (Gemma 4): the exponents divided by the rotated channels.
  const auto live = (situation.model.tokens.frequencies.array() != 0).count();
  if (live == 0 || live == situation.model.tokens.pair_count()) return;
  Proposal& found = situation.add_to(proposals);
  const double part = 2.0 * static_cast<double>(live) / ladders.own_dim[0];
  found.model.tokens.frequencies =
      replace_exponents(situation.model, ladders, [&](std::size_t, double exponent) { return exponent / part; });
  describe_rotary_dimension(found, 2.0 * static_cast<double>(live), ladders.own_dim[0]);
}

/// Proposes another place in the head for the rotated channels.
void propose_part(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto part = find_rotated_part(situation.evidence);
  if (!part) return;
  const CheckModel& model = situation.model;
  const std::int64_t channels = situation.evidence.tensors->heads->channels, count = 2 * model.tokens.pair_count();
  std::vector<std::int64_t> tried{model.still};
  for (const std::int64_t first : {part->first, channels - count, std::int64_t{0}}) {
    if (first < 0 || first + count > channels || std::find(tried.begin(), tried.end(), first) != tried.end()) continue;
    tried.push_back(first);
    Proposal& found = situation.add_to(proposals);
    found.model.still = first;
    // If the model's own part is static, the order of its channels is unknown until now.
    if (model.companions == Pairing::interleaved) take_channel_order(*situation.evidence.tensors->heads, found.model);
    found.change = [first, halves = found.model.out_by_halves](CheckModel& other) {
      other.still = first;
      other.out_by_halves = halves;
    };
    found.parameters = {{"first_channel", static_cast<double>(first)}};
    const Message::Named due("due", model.still), due_last("due_last", model.still + count - 1);
    found.evidence = Message("check.rotary-dimension.evidence_part",
                             {{"first", first}, {"last", first + count - 1}, due, due_last, {"head", channels}});
    found.advice = Message("check.rotary-dimension.advice_part", {due, due_last});
  }
}

// --- Tables and rotation -------------------------------------------------------------------------------------------

Message describe_rotation_pairing(Pairing pairing) {
  return Message(pairing == Pairing::interleaved ? "check.table-rotation-mismatch.neighbours"
                                                 : "check.table-rotation-mismatch.halves");
}

Message pairing_value(Pairing pairing) {
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
          Message(matched ? "check.table-rotation-mismatch.evidence_matched" : "check.table-rotation-mismatch.evidence",
                  {{"table", describe_rotation_pairing(repeats)}, {"rotation", describe_rotation_pairing(companions)}});
      // Of the two that do not match, the one that differs from the model.
      const bool table = repeats != model.repeats;
      found.advice =
          table ? Message("check.table-rotation-mismatch.advice", {{"due", describe_rotation_pairing(model.repeats)}})
                : Message("check.table-rotation-mismatch.advice_rotation",
                          {{"due", describe_rotation_pairing(model.companions)}});
      if (model.repeats != model.companions) found.advice = Message("check.table-rotation-mismatch.advice_matched");
    }
  }
}

}  // namespace

/// Half split instead of interleaved, or the reverse; position 0 hides it.
constinit const Cause kPairing{
    .name = "pairing",
    .group = CauseGroup::channels,
    .seen_in = "huggingface/transformers#25199, karpathy/llama2.c#286, NeuraLegion/shainet#111",
    .fix_kinds = kByRotation,
    .propose = propose_pairing};

/// The correct number of channels at another place: the first of a head whose last ones should be rotated.
extern constinit const Cause kTurnedPart{
    .name = "rotary-dimension",
    .group = CauseGroup::channels,
    .seen_in = "pie-project/pie#603, vllm-project/vllm#30384, apple/coreai-models#66",
    .fix_kinds = kByLadder | kByMetadata,
    .propose = propose_part};

/// The exponents are divided by the head instead of the rotary dimension, or the reverse; the fraction is applied twice
/// or not at all; another head; one ladder cut among the axes instead of one per axis, or the reverse.
constinit const Cause kRotaryDimension{
    .name = "rotary-dimension",
    .group = CauseGroup::frequencies,
    .seen_in = "pie-project/pie#603, vllm-project/vllm#30384, apple/coreai-models#66",
    .fix_kinds = kByLadder | kByMetadata,
    .propose = propose_rotary_dimension};

/// The table repeated one way, the vectors rotated the other: norms are not kept, and scores are not relative.
constinit const Cause kTableRotationMismatch{.name = "table-rotation-mismatch",
                                             .group = CauseGroup::channels,
                                             .seen_in = "baidu/ERNIE-Image#6",
                                             .fix_kinds = kByRotation,
                                             .propose = propose_table_rotation_mismatch};

}  // namespace ropescope
