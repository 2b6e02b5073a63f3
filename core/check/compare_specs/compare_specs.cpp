// Comparison of two specifications, and of two layouts. Read compare_specs.h first.
//
// Contents: Fields; Change of scores; Layouts; Comparison.

#include "core/check/compare_specs/compare_specs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/check/causes/cause.h"
#include "core/check/phrases.h"
#include "core/check/tuning.h"
#include "core/decay/kernel.h"
#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/scaling/methods.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

namespace {

/// A field in which two embeddings differ, and A with B's value of it.
struct FieldDifference {
  SpecDifference found;  ///< not judged yet
  RotarySpec changed;
  bool is_pairing = false;  ///< `changed` pairs other channels; its ladders are those of A
};

using Differing = std::vector<FieldDifference>;

struct Sides {
  const RotarySpec& a;
  const RotarySpec& b;
};

/// Returns the value of a side as text for a sentence.
Message said(const SideValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return verbatim(number_for_people(*number, 17));
  return std::get<Message>(value);
}

void add_field(Differing& fields, std::string_view cause, const char* text, SideValue a, SideValue b,
               RotarySpec changed) {
  Message words(text, {{"a", said(a)}, {"b", said(b)}});
  fields.push_back({{std::string(cause), std::move(words), std::move(a), std::move(b)}, std::move(changed)});
}

// ---- axes -----------------------------------------------------------------------------------------------------------

/// Returns "row" for y and "column" for x, else the name itself.
std::string plain_axis_name(const std::string& name) {
  return name == "y" ? "row" : name == "x" ? "column" : name;
}

using Axes = std::vector<std::pair<std::string, int>>;

Axes axes_of(const RotarySpec& spec) {
  Axes axes;
  for (const RotaryAxis& axis : spec.axes) axes.emplace_back(plain_axis_name(axis.name), axis.rotary_dim);
  if (axes.size() == 1) axes.front().first.clear();
  return axes;
}

std::string to_spec_axes_text(const RotarySpec& spec) {
  if (spec.axes.size() == 1) return std::to_string(spec.axes.front().rotary_dim);
  return joined(spec.axes, ", ", [](const auto& axis) { return axis.name + " " + std::to_string(axis.rotary_dim); });
}

void add_axes(const Sides& of, Differing& fields) {
  Axes a = axes_of(of.a), b = axes_of(of.b);
  if (a == b) return;
  RotarySpec changed = of.a;
  changed.head_dim = std::max(of.a.head_dim, of.b.head_dim);
  changed.axes = of.b.axes;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const bool swapped = a == b;
  add_field(fields, swapped ? kAxesSwapped.name : kAxisDimensions.name,
            swapped ? "compare.axes_swapped" : "compare.axes", verbatim(to_spec_axes_text(of.a)),
            verbatim(to_spec_axes_text(of.b)), std::move(changed));
}

void add_rotary_dimension(const Sides& of, Differing& fields) {
  const int a = of.a.axes.front().rotary_dim, b = of.b.axes.front().rotary_dim;
  if (a == b) return;
  RotarySpec changed = of.a;
  changed.head_dim = std::max(of.a.head_dim, of.b.head_dim);
  changed.axes.front().rotary_dim = b;
  add_field(fields, kRotaryDimension.name, "compare.rotary_dimension", static_cast<double>(a), static_cast<double>(b),
            std::move(changed));
}

void add_head(const Sides& of, Differing& fields) {
  if (of.a.head_dim == of.b.head_dim || total_rotary_dim(of.a) != total_rotary_dim(of.b)) return;
  RotarySpec changed = of.a;
  changed.head_dim = of.b.head_dim;
  add_field(fields, "", "compare.head_dimension", static_cast<double>(of.a.head_dim),
            static_cast<double>(of.b.head_dim), std::move(changed));
}

// ---- ladders --------------------------------------------------------------------------------------------------------

template <class Number>
std::vector<double> numbers_of(const RotarySpec& spec, Number RotaryAxis::*member) {
  std::vector<double> numbers;
  for (const RotaryAxis& axis : spec.axes) numbers.push_back(static_cast<double>(axis.*member));
  return numbers;
}

/// Returns one number if all axes share it, else their list.
SideValue one_or_all(const std::vector<double>& numbers) {
  const bool one = std::all_of(numbers.begin(), numbers.end(), [&](double each) { return each == numbers.front(); });
  return one ? SideValue(numbers.front()) : SideValue(verbatim(list_text(numbers)));
}

void add_base_fields(const Sides& of, Differing& fields) {
  const std::vector<double> a = numbers_of(of.a, &RotaryAxis::base), b = numbers_of(of.b, &RotaryAxis::base);
  if (a == b) return;
  RotarySpec changed = of.a;
  for (std::size_t i = 0; i < changed.axes.size(); ++i) changed.axes[i].base = b[i];
  add_field(fields, kBase.name, "compare.base", one_or_all(a), one_or_all(b), std::move(changed));
}

/// Returns an extension in one line, the same in every language: "llama3 (factor 8, …)"; "none".
std::string extension_line(const Extension& extension) {
  const Extension whole = fill_defaults(extension);
  const std::string numbers =
      joined(whole.numbers, ", ", [](const auto& one) { return one.first + " " + number_text(one.second); });
  return whole.method + (numbers.empty() ? "" : " (" + numbers + ")");
}

/// Describes the ladder of each axis; a given ladder by its first numbers.
std::string ladder_text(const RotarySpec& spec) {
  return joined(spec.axes, ", ", [](const RotaryAxis& axis) {
    if (axis.ladder != Ladder::given) return extension_line(to_extension(axis));
    const auto end = axis.frequencies.begin() +
                     static_cast<std::ptrdiff_t>(std::min(tuned::kSaidFrequencies, axis.frequencies.size()));
    return "given (" + list_text({axis.frequencies.begin(), end}) +
           (axis.frequencies.size() > tuned::kSaidFrequencies ? ", …)" : ")");
  });
}

void add_ladder(const Sides& of, Differing& fields) {
  const std::string a = ladder_text(of.a), b = ladder_text(of.b);
  const bool same = std::equal(of.a.axes.begin(), of.a.axes.end(), of.b.axes.begin(),
                               [](const auto& x, const auto& y) { return x.frequencies == y.frequencies; });
  if (a == b && same) return;
  RotarySpec changed = of.a;
  for (std::size_t i = 0; i < changed.axes.size(); ++i) {
    changed.axes[i].ladder = of.b.axes[i].ladder;
    changed.axes[i].live_fraction = of.b.axes[i].live_fraction;
    changed.axes[i].factor = of.b.axes[i].factor;
    changed.axes[i].frequencies = of.b.axes[i].frequencies;
  }
  add_field(fields, kFrequencyLadder.name, "compare.ladder", verbatim(a), verbatim(b), std::move(changed));
}

// ---- context extension ----------------------------------------------------------------------------------------------

constexpr const char* kOfAmplitude[] = {"attention_factor", "mscale", "mscale_all_dim"};

bool is_amplitude_field(std::string_view name) {
  return std::find(std::begin(kOfAmplitude), std::end(kOfAmplitude), name) != std::end(kOfAmplitude);
}

void add_method(const Sides& of, Differing& fields) {
  RotarySpec changed = of.a;
  changed.extension = of.b.extension;
  changed.trained_length = of.b.trained_length;  // its L belongs to the method
  const bool in_a = !extends(of.b.extension.method), missing = in_a || !extends(of.a.extension.method);
  const char* text = !missing ? "compare.scaling_kind" : in_a ? "compare.scaling_only_a" : "compare.scaling_only_b";
  add_field(fields, missing ? kScalingMissing.name : kScalingKind.name, text, verbatim(extension_line(of.a.extension)),
            verbatim(extension_line(of.b.extension)), std::move(changed));
}

SideValue given(const Extension& extension, const std::string& name) {
  const auto found = extension.number(name);
  return found ? SideValue(*found) : SideValue(Message("compare.not_given"));
}

void add_numbers(const Sides& of, Differing& fields) {
  const Extension a = fill_defaults(of.a.extension), b = fill_defaults(of.b.extension);
  std::set<std::string> names;
  for (const Extension* extension : {&a, &b}) {
    for (const auto& [name, value] : extension->numbers) names.insert(name);
  }
  for (const std::string& name : names) {
    SideValue in_a = given(a, name), in_b = given(b, name);
    if (is_amplitude_field(name) || in_a == in_b) continue;
    RotarySpec changed = of.a;
    changed.extension.numbers.erase(name);
    if (const auto* number = std::get_if<double>(&in_b)) changed.extension.numbers[name] = *number;
    Message text("compare.scaling_parameter",
                 {{"parameter", name}, {"method", a.method}, {"a", said(in_a)}, {"b", said(in_b)}});
    fields.push_back(
        {{std::string(kScalingFields.name), std::move(text), std::move(in_a), std::move(in_b)}, std::move(changed)});
  }
}

void add_lists(const Sides& of, Differing& fields) {
  for (const auto& [name, a] : of.a.extension.lists) {
    const auto found = of.b.extension.lists.find(name);
    if (found == of.b.extension.lists.end() || found->second == a) continue;
    const std::vector<double>& b = found->second;
    const auto [first, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (first == a.end() || other == b.end()) continue;  // of another rotary dimension, which is reported
    RotarySpec changed = of.a;
    changed.extension.lists[name] = b;
    Message text("compare.scaling_list", {{"list", name},
                                          {"method", of.a.extension.method},
                                          {"pair", first - a.begin()},
                                          {"a", number_for_people(*first, 17)},
                                          {"b", number_for_people(*other, 17)}});
    fields.push_back({{std::string(kScalingFields.name), std::move(text), *first, *other}, std::move(changed)});
  }
}

/// Compares all parts of the amplitude together, because one can replace another.
void add_amplitude(const Sides& of, Differing& fields) {
  RotarySpec changed = of.a;
  changed.amplitude = of.b.amplitude;
  bool differs = of.a.amplitude != of.b.amplitude;
  for (const char* name : kOfAmplitude) {
    if (of.a.extension.method != of.b.extension.method) break;
    const SideValue a = given(of.a.extension, name), b = given(of.b.extension, name);
    if (a == b) continue;
    differs = true;
    changed.extension.numbers.erase(name);
    if (const auto* number = std::get_if<double>(&b)) changed.extension.numbers[name] = *number;
  }
  if (differs) {
    add_field(fields, kAmplitude.name, "compare.amplitude", head_ladder(of.a).amplitude, head_ladder(of.b).amplitude,
              std::move(changed));
  }
}

SideValue length_value(const RotarySpec& spec) {
  return spec.trained_length ? SideValue(*spec.trained_length) : SideValue(Message("compare.no_length"));
}

void add_lengths(const Sides& of, Differing& fields) {
  if (of.a.trained_length == of.b.trained_length) return;
  const ScalingMethod& method = find_scaling_method(of.a.extension.method);
  RotarySpec changed = of.a;
  // If the methods differ, their lengths were compared with them.
  const bool counts = of.a.extension.method == of.b.extension.method;
  if (counts) changed.trained_length = of.b.trained_length;
  std::string_view cause;
  if (counts && method.needs_trained_length) cause = kScalingFields.name;
  const bool stretches = method.depends_on_length && method.lists.empty() && find_parameter(method, "factor");
  if (counts && stretches) cause = kLengthSwitch.name;
  add_field(fields, cause, !cause.empty() ? "compare.length_of_method" : "compare.length", length_value(of.a),
            length_value(of.b), std::move(changed));
}

void add_pairing(const Sides& of, Differing& fields) {
  const auto name = [](const RotarySpec& spec) {
    return named_value(spec.pairing == Pairing::interleaved ? "interleaved" : "half-split");
  };
  RotarySpec changed = of.a;
  changed.pairing = of.b.pairing;
  add_field(fields, kPairing.name, "compare.pairing", name(of.a), name(of.b), std::move(changed));
  fields.back().is_pairing = true;
}

/// Returns the fields that differ, those of most interest first. Nothing is computed yet: some may change no score, and
/// `changed` need not be a valid embedding.
Differing differing_fields(const RotarySpec& a, const RotarySpec& b) {
  const Sides of{a, b};
  Differing fields;
  if (a.pairing != b.pairing) add_pairing(of, fields);
  const bool one_axis = a.axes.size() == 1 && b.axes.size() == 1;
  if (one_axis) {
    add_rotary_dimension(of, fields);
  } else {
    add_axes(of, fields);
  }
  add_head(of, fields);
  if (one_axis || axes_of(a) == axes_of(b)) {
    add_base_fields(of, fields);
    add_ladder(of, fields);
  }
  if (a.extension.method != b.extension.method) {
    add_method(of, fields);
  } else {
    add_numbers(of, fields);
    add_lists(of, fields);
  }
  add_amplitude(of, fields);
  add_lengths(of, fields);
  return fields;
}

// --- Change of scores ----------------------------------------------------------------------------------------------

constexpr double kLongestSpan = 1 << 20;
constexpr double kSpanOfText = 4096, kSpanOfAxis = 256;

bool same_in_float32(double a, double b) {
  constexpr double kUnits = 4.0 / (1 << 24);
  return std::abs(a - b) <= kUnits * std::max(std::abs(a), std::abs(b));
}

/// The frequencies of an axis under the extension at a length.
struct AxisPart {
  std::string name;
  Eigen::VectorXd frequencies;
};
struct Head {
  std::vector<AxisPart> axes;
  double amplitude = 1;
  Eigen::Index pairs = 0;
};

Head head_of(const RotarySpec& spec, const std::optional<double>& length) {
  Head head;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    ScaledLadder ladder = scaled_ladder(spec, axis, length);
    head.pairs += ladder.frequencies.size();
    head.amplitude = ladder.amplitude;
    head.axes.push_back({spec.axes.size() > 1 ? spec.axes[axis].name : "", std::move(ladder.frequencies)});
  }
  return head;
}

bool same_axis(const AxisPart& a, const AxisPart& b) {
  return a.name == b.name && a.frequencies.size() == b.frequencies.size() &&
         std::equal(a.frequencies.begin(), a.frequencies.end(), b.frequencies.begin(), same_in_float32);
}

bool same_head(const Head& a, const Head& b) {
  return same_in_float32(a.amplitude, b.amplitude) &&
         std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(), same_axis);
}

/// Returns A²K(Δ), Δ = 0 … span, along the axis of that name. The pairs of other axes are static, and all pairs if
/// there is no such axis.
std::vector<double> scores_along(const Head& head, const std::string& name, double span, const Work& work) {
  const double square = head.amplitude * head.amplitude, pairs = static_cast<double>(head.pairs);
  const AxisPart* found = find_named_entry(head.axes, name);
  const auto count = static_cast<std::int64_t>(span) + 1;
  if (!found) return std::vector<double>(static_cast<std::size_t>(count), square);
  KernelRequest request;
  request.frequencies = found->frequencies;
  request.count = count;
  request.want_bound = false;
  request.threads = work.threads;
  std::vector<double> scores = kernel_curves(request, work.stop).similarity;
  const double turning = static_cast<double>(found->frequencies.size());
  for (double& score : scores) score = square * (turning * score + pairs - turning) / pairs;
  return scores;
}

/// Records the change at one distance. Distances may come in any order.
void note_score_change(ScoreChange& change, double difference, double distance) {
  const double size = std::abs(difference);
  if (size > change.largest) {
    change.largest = size;
    change.at = distance;
  }
  if (size > kNoticedChange && (!change.first || distance < *change.first)) change.first = distance;
}

std::vector<std::string> collect_axis_names(const Head& a, const Head& b) {
  std::vector<std::string> names;
  for (const Head* head : {&a, &b}) {
    for (const AxisPart& axis : head->axes) {
      if (std::find(names.begin(), names.end(), axis.name) == names.end()) names.push_back(axis.name);
    }
  }
  return names;
}

std::optional<double> far_length(const RotarySpec& spec) {
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  if (!method.depends_on_length || !spec.trained_length) return std::nullopt;
  return *spec.trained_length * std::max(spec.extension.number("factor").value_or(0), 2.0);
}

/// Returns the pair to which a channel of the rotary part belongs.
Eigen::Index pair_of(Eigen::Index channel, Pairing pairing, Eigen::Index pairs) {
  return pairing == Pairing::interleaved ? channel / 2 : channel % pairs;
}

/// The distances and lengths at which two embeddings are compared.
struct ScorePlaces {
  double span = 0;                             ///< distances 0 … span, in integer positions
  std::vector<std::optional<double>> lengths;  ///< current lengths to compare; nullopt: the trained length
};

/// Returns as span the longest context of both, that of an extension (factor·L) included, at most 2²⁰ positions;
/// without one 4 096, or 256 along each of several axes (4 096 pixels at 16 per token). Lengths: the trained one and,
/// if a method depends on the length, the longest context that either requests (factor·L, at least 2·L).
ScorePlaces score_places(const RotarySpec& a, const RotarySpec& b) {
  ScorePlaces places;
  for (const RotarySpec* spec : {&a, &b}) {
    const double factor = extends(spec->extension.method) ? spec->extension.number("factor").value_or(1) : 1;
    places.span = std::max(places.span, spec->trained_length.value_or(0) * std::max(factor, 1.0));
  }
  if (places.span == 0) places.span = std::max(a.axes.size(), b.axes.size()) > 1 ? kSpanOfAxis : kSpanOfText;
  places.span = std::floor(std::clamp(places.span, 1.0, kLongestSpan));
  places.lengths = {std::nullopt};
  const std::optional<double> far = std::max(far_length(a), far_length(b));
  if (far) places.lengths.push_back(far);
  return places;
}

/// Returns whether frequencies and amplitudes are equal in float32 (within 4 units) at all lengths, so that all scores
/// are equal. Axis names count only if there are several. Throws InputError as head_ladder().
bool same_ladders(const RotarySpec& a, const RotarySpec& b, const ScorePlaces& places) {
  return std::all_of(places.lengths.begin(), places.lengths.end(), [&](const std::optional<double>& length) {
    return same_head(head_of(a, length), head_of(b, length));
  });
}

/// Returns the largest change of A²K(Δ), K(Δ) = (2/d) Σ cos(Δθ_i), A the amplitude, over all places. With several axes,
/// Δ varies along one axis at a time, matched by name, while the pairs of the others are static. Returns no change if
/// cancelled. Throws InputError as head_ladder().
ScoreChange score_change(const RotarySpec& a, const RotarySpec& b, const ScorePlaces& places, const Work& work = {}) {
  ScoreChange change;
  change.span = places.span;
  for (const std::optional<double>& length : places.lengths) {
    const Head of_a = head_of(a, length), of_b = head_of(b, length);
    if (same_head(of_a, of_b)) continue;
    for (const std::string& name : collect_axis_names(of_a, of_b)) {
      const std::vector<double> before = scores_along(of_a, name, places.span, work);
      const std::vector<double> after = scores_along(of_b, name, places.span, work);
      if (work.stopped()) return {};
      for (std::size_t i = 0; i < before.size(); ++i)
        note_score_change(change, after[i] - before[i], static_cast<double>(i));
    }
  }
  return change;
}

/// Returns the effect of the other pairing, which K does not show because it is the mean over all pairs. q = k have
/// content only in the two channels of one pair i of `spec`, with the score cos(Δθ_i). Under the other pairing the
/// channels belong to pairs j and j', and the score is (cos(Δθ_j) + cos(Δθ_j'))/2. Both are multiplied by amplitude².
/// The result is the largest over all pairs and the distances up to 65 536.
ScoreChange pairing_change(const RotarySpec& spec, const ScorePlaces& places, const std::stop_token& stop = {}) {
  ScoreChange change;
  const HeadLadder head = head_ladder(spec);
  const Eigen::Index pairs = head.frequencies.size();
  const Pairing other = spec.pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
  const double squared = head.amplitude * head.amplitude;
  Eigen::ArrayXd cosines(pairs);
  constexpr double kLongest = 1 << 16;
  const double last = change.span = std::min(places.span, kLongest);
  for (double distance = 0; distance <= last && !stop.stop_requested(); ++distance) {
    for (Eigen::Index pair = 0; pair < pairs; ++pair) {
      cosines[pair] = squared * std::cos(head.frequencies[pair] * distance);
    }
    for (Eigen::Index pair = 0; pair < pairs; ++pair) {
      const bool neighbours = spec.pairing == Pairing::interleaved;
      const Eigen::Index first = neighbours ? 2 * pair : pair, second = neighbours ? first + 1 : pair + pairs;
      const double mixed = (cosines[pair_of(first, other, pairs)] + cosines[pair_of(second, other, pairs)]) / 2;
      note_score_change(change, mixed - cosines[pair], distance);
    }
  }
  return change;
}

// --- Layouts -------------------------------------------------------------------------------------------------------

constexpr int kComparedRows = 24, kColumns = 40, kLayoutText = 16, kLayoutFrames = 3;

struct Arranged {
  TokenLayout a, b;
  ScoreChange change;
};

TokenLayout arrange_image(const FixedLayout& of, bool text, bool frames) {
  LayoutRequest request = of.request;
  request.image = ImageSize::tokens(kComparedRows, kColumns);
  if (text) request.text = kLayoutText;
  if (frames) request.frames = kLayoutFrames;
  return arrange(*of.layout, request);
}

bool has_block(const TokenLayout& tokens, std::string_view part) {
  return find_entry_by(tokens.blocks, &TokenBlock::part, part) != nullptr;
}

const TokenBlock& find_block_or_first(const TokenLayout& tokens, std::string_view part) {
  const TokenBlock* found = find_entry_by(tokens.blocks, &TokenBlock::part, part);
  return found == nullptr ? tokens.blocks.front() : *found;
}

/// Returns the positions that rotate the tokens of a part, ids · scale + offset, [tokens × axes].
Eigen::MatrixXd positions_of(const TokenLayout& tokens, std::string_view part) {
  const TokenBlock& block = find_block_or_first(tokens, part);
  Eigen::MatrixXd positions = id_rows(tokens, block.first_row, block.count());
  for (std::size_t i = 0; i < tokens.axes.size(); ++i) {
    auto column = positions.col(static_cast<Eigen::Index>(i));
    column = column.array() * tokens.axes[i].id_scale + tokens.axes[i].id_offset;
  }
  return positions;
}

ScoreChange change_between(const TokenLayout& a, const TokenLayout& b) {
  ScoreChange change;
  const std::int64_t from_a = find_block_or_first(a, "image").first_row,
                     from_b = find_block_or_first(b, "image").first_row;
  const Eigen::VectorXd before = similarity_from(LayoutTables(a), from_a).total;
  const Eigen::VectorXd after = similarity_from(LayoutTables(b), from_b).total;
  for (const char* part : {"image", "text"}) {
    if (!has_block(a, part) || !has_block(b, part)) continue;
    const TokenBlock &of_a = find_block_or_first(a, part), &of_b = find_block_or_first(b, part);
    for (std::int64_t i = 0; i < std::min(of_a.count(), of_b.count()); ++i) {
      const TokenPlace place = place_of(a, of_a.first_row + i);
      const double distance = static_cast<double>(std::max<std::int64_t>(place.row, place.column));
      note_score_change(change, after[of_b.first_row + i] - before[of_a.first_row + i], distance);
    }
  }
  return change;
}

using Differences = std::vector<SpecDifference>;

void add_layout_difference(Differences& found, std::string_view cause, const char* key, const Arranged& of,
                           const std::string& a, const std::string& b) {
  found.push_back({std::string(cause), Message(key, {{"a", a}, {"b", b}}), verbatim(a), verbatim(b), false, of.change});
}

std::string to_layout_axes_text(const TokenLayout& tokens) {
  return joined(tokens.axes, ", ", [](const LayoutAxis& axis) {
    return plain_axis_name(axis.name) + " " + std::to_string(axis.rotary_dim);
  });
}

std::string bases_text(const TokenLayout& tokens) {
  std::vector<double> bases;
  for (const LayoutAxis& axis : tokens.axes) bases.push_back(axis.base);
  return list_text(bases);
}

bool near(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  constexpr double kSame = 1e-9;
  return a.rows() == b.rows() && a.cols() == b.cols() && (a - b).cwiseAbs().maxCoeff() <= kSame;
}

/// Compares ladders: the same one assigned to other axes, or another ladder.
void add_ladders(const Arranged& of, Differences& found) {
  const TokenLayout &a = of.a, &b = of.b;
  if (near(a.frequencies, b.frequencies)) return;
  const bool reassigned = a.frequencies.cols() == b.frequencies.cols() &&
                          near(a.frequencies.colwise().sum(), b.frequencies.colwise().sum());
  add_layout_difference(found, reassigned ? kSectionLayout.name : kFrequencyLadder.name,
                        reassigned ? "compare.sections" : "compare.layout_ladder", of, a.name, b.name);
}

/// Returns the cause that maps the ids of one layout to the other's: a shift of the image, a factor, or unknown.
std::string_view cause_of_ids(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return "unknown";
  const Eigen::MatrixXd shift = (b - a).rowwise() - (b - a).row(0);
  if (shift.cwiseAbs().maxCoeff() == 0) return kCentring.name;
  for (Eigen::Index axis = 0; axis < a.cols(); ++axis) {
    const double reach_a = a.col(axis).maxCoeff() - a.col(axis).minCoeff();
    const double reach_b = b.col(axis).maxCoeff() - b.col(axis).minCoeff();
    if ((reach_a == 0) != (reach_b == 0)) return "unknown";
  }
  return kPositionScale.name;
}

void add_ids(const Arranged& of, Differences& found) {
  const Eigen::MatrixXd a = positions_of(of.a, "image"), b = positions_of(of.b, "image");
  if (!near(a, b)) add_layout_difference(found, cause_of_ids(a, b), "compare.ids", of, of.a.name, of.b.name);
  if (!has_block(of.a, "text") || !has_block(of.b, "text")) return;
  if (!near(positions_of(of.a, "text"), positions_of(of.b, "text"))) {
    add_layout_difference(found, kTextStart.name, "compare.text_ids", of, of.a.name, of.b.name);
  }
}

void add_patches(const FixedLayout& a, const FixedLayout& b, Differences& found) {
  const int of_a = pixels_per_token(*a.layout, a.request), of_b = pixels_per_token(*b.layout, b.request);
  if (of_a == of_b) return;
  found.push_back({"",
                   Message("compare.pixels", {{"a", of_a}, {"b", of_b}}),
                   static_cast<double>(of_a),
                   static_cast<double>(of_b),
                   true,
                   {}});
}

const char* pairing_name(const TokenLayout& tokens) {
  if (tokens.halves_by_axis) return "half-split by axis";
  return tokens.pairing == Pairing::interleaved ? "interleaved" : "half-split";
}

// --- Comparison ----------------------------------------------------------------------------------------------------

/// Returns the specification with the names row and column in place of y and x.
RotarySpec simplify_axis_names(RotarySpec spec) {
  for (RotaryAxis& axis : spec.axes) axis.name = plain_axis_name(axis.name);
  return spec;
}

bool can_be_computed(const RotarySpec& spec) {
  try {
    validate(spec);
    check_extension(spec);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Two embeddings, and how they are compared.
struct Pair {
  RotarySpec a, b;
  ScorePlaces places;
  const Work& work;
};

SpecDifference judge_field(const FieldDifference& field, const Pair& pair) {
  SpecDifference found = field.found;
  if (field.is_pairing) {
    found.change = pairing_change(pair.a, pair.places, pair.work.stop);
    found.harmless = found.change.largest == 0;  // a single pair has only one pairing
    return found;
  }
  const RotarySpec changed = simplify_axis_names(field.changed);
  const RotarySpec& other = can_be_computed(changed) ? changed : pair.b;
  found.harmless = same_ladders(pair.a, other, pair.places);
  if (!found.harmless) {
    found.change = score_change(pair.a, other, pair.places, pair.work);
  }
  return found;
}

/// Renames a difference in a length or method parameter that changes only the amplitude.
void name_amplitude(const FieldDifference& field, const Pair& pair, SpecDifference& found) {
  if (found.harmless || field.is_pairing || found.cause != kScalingFields.name) return;
  RotarySpec changed = simplify_axis_names(field.changed);
  if (!can_be_computed(changed)) return;
  const double before = head_ladder(pair.a).amplitude, after = head_ladder(changed).amplitude;
  changed.amplitude *= before / after;
  if (before != after && same_ladders(pair.a, changed, pair.places)) found.cause = kAmplitude.name;
}

void make_harmless(SpecDifference& found) {
  found.harmless = true;
  found.change = {};
}

}  // namespace

Differences compare_layouts(const FixedLayout& a, const FixedLayout& b) {
  const auto both = [&](std::string_view setting) { return takes(*a.layout, setting) && takes(*b.layout, setting); };
  Arranged of{arrange_image(a, both("text"), both("frames")), arrange_image(b, both("text"), both("frames")), {}};
  of.change = change_between(of.a, of.b);
  Differences found;
  const bool same_axes = to_layout_axes_text(of.a) == to_layout_axes_text(of.b);
  if (!same_axes) {
    add_layout_difference(found, kAxisDimensions.name, "compare.axes", of, to_layout_axes_text(of.a),
                          to_layout_axes_text(of.b));
  } else if (bases_text(of.a) != bases_text(of.b)) {
    add_layout_difference(found, kBase.name, "compare.base", of, bases_text(of.a), bases_text(of.b));
  } else {
    add_ladders(of, found);
  }
  if (of.a.pairing != of.b.pairing || of.a.halves_by_axis != of.b.halves_by_axis) {
    add_layout_difference(found, kPairing.name, "compare.layout_pairing", of, pairing_name(of.a), pairing_name(of.b));
  }
  if (of.a.table_mismatch != of.b.table_mismatch) {
    add_layout_difference(found, kTableRotationMismatch.name, "compare.mismatch", of, of.a.name, of.b.name);
  }
  if (same_axes) add_ids(of, found);
  add_patches(a, b, found);
  return found;
}

SpecComparison compare_specs(const RotarySpec& a, const RotarySpec& b, const Work& work) {
  const Pair pair{simplify_axis_names(a), simplify_axis_names(b), score_places(a, b), work};
  SpecComparison comparison;
  bool pairs_differ = false;
  for (const FieldDifference& field : differing_fields(a, b)) {
    SpecDifference found = judge_field(field, pair);
    name_amplitude(field, pair, found);
    pairs_differ |= field.is_pairing && !found.harmless;
    comparison.differences.push_back(std::move(found));
  }
  // Different fields may compensate each other (a base for NTK), or have an effect only together.
  const bool same = same_ladders(pair.a, pair.b, pair.places);
  comparison.agrees = same && !pairs_differ;
  bool named = false;
  for (SpecDifference& found : comparison.differences) {
    if (same && found.cause != kPairing.name) make_harmless(found);
    named |= !found.harmless && found.cause != kPairing.name;
  }
  if (!same && !named) {
    SpecDifference all{"unknown",
                       Message("compare.together"),
                       Message("compare.all_fields"),
                       Message("compare.all_fields"),
                       false,
                       score_change(pair.a, pair.b, pair.places, work)};
    comparison.differences.push_back(std::move(all));
  }
  std::stable_partition(comparison.differences.begin(), comparison.differences.end(),
                        [](const SpecDifference& found) { return !found.harmless; });
  return comparison;
}

}  // namespace ropescope
