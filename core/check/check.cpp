// The steps of check() in order: the reference, reading of the inputs, the comparison, the search if they disagree, and
// the report.
//
// Contents: Reference; Reference tables; Verdict.

#include "core/check/check.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/check/causes/cause.h"
#include "core/check/compare/arrangement.h"
#include "core/check/compare/sides.h"
#include "core/check/compare/tensors.h"
#include "core/check/evidence/ropes.h"
#include "core/check/model/ladders.h"
#include "core/check/phrases.h"
#include "core/check/reading/planes.h"
#include "core/check/report/report.h"
#include "core/check/search/search.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/precision/precision.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Reference -----------------------------------------------------------------------------------------------------

std::vector<std::string_view> causes_with_allow_option() {
  std::vector<std::string_view> names;
  for (const Cause* cause : all_causes()) {
    if (cause->harm == Harm::by_weights) names.push_back(cause->name);
  }
  return names;
}

CheckReference reference_from_layout(const Layout& layout, const LayoutRequest& request) {
  CheckReference reference;
  reference.tokens = arrange(layout, request);
  reference.layout = &layout;
  reference.request = request;
  return reference;
}

namespace {

/// Returns the length that the positions imply, if it exceeds the trained length and the method depends on it.
std::optional<double> length_of(const RotarySpec& spec, const std::optional<std::vector<double>>& positions) {
  if (!positions || positions->empty() || !find_scaling_method(spec.extension.method).depends_on_length) return {};
  const double length = *std::max_element(positions->begin(), positions->end()) + 1;
  return std::isfinite(length) && length > spec.trained_length.value_or(length) ? std::optional(length) : std::nullopt;
}

// --- Reference tables ----------------------------------------------------------------------------------------------

/// Returns a rotary embedding over positions 0, 1, … with `pairs` pairs and an arbitrary base.
CheckReference begun(std::int64_t pairs, Pairing pairing) {
  RotarySpec spec;
  spec.head_dim = static_cast<int>(2 * pairs);
  spec.pairing = pairing;
  spec.axes = {RotaryAxis{.rotary_dim = static_cast<int>(2 * pairs), .base = 10000}};
  return reference_from_rope(spec);
}

/// Returns a reference with the column order of two tables: [rows, pairs], each column once unless all are repeated.
CheckReference make_column_order(const StoredTensor& cosine, const CheckInputs& tables) {
  if (cosine.shape.empty() || cosine.shape.back() < 1 || cosine.shape.back() > kLargestDimension) {
    throw InputError(cosine.name, "check.dump_shape", {{"shape", shape_text(cosine.shape)}, {"most", 4096}});
  }
  const std::int64_t width = cosine.shape.back();
  for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    if (width % 2 != 0) break;
    CheckReference half = begun(width / 2, pairing);
    try {
      const CheckTensors tensors = take_tensors(half, tables);
      const bool adjacent = tensors.tables.repeats == Repeats::adjacent;
      if (tensors.tables.repeats != Repeats::once && adjacent == (pairing == Pairing::interleaved)) return half;
    } catch (const InputError&) {
      // The columns do not repeat: as many pairs as columns.
      break;
    }
  }
  return begun(width, Pairing::half_split);
}

// --- Verdict -------------------------------------------------------------------------------------------------------

/// If the tables to check against follow a ladder, the ladder judges. The reported differences are those from the
/// tables themselves, so that a file differs from itself by 0.
void put_given_differences(const CheckReference& given, const CheckReference& ladder, const CheckInputs& inputs,
                           const CheckTensors& tensors, const CheckOptions& options, Comparison& baseline) {
  CheckReference tables = ladder;
  tables.cosine = given.cosine;
  tables.sine = given.sine;
  const CheckModel model = model_of(tables, inputs, std::max<std::int64_t>(tensors.rows, 1));
  if (baseline.cancelled || model.given_tables->pairs != tensors.tables.pairs) return;
  const Comparison direct = compare_overlap(model, tensors, options);
  baseline.cancelled = direct.cancelled;
  for (auto& [which, difference] : baseline.inputs) {
    const Difference* found = direct.find(which);
    if (found == nullptr) continue;
    const double excess = std::min(difference.excess, found->excess);
    difference = *found;
    difference.excess = excess;
  }
}

/// Returns the tensors without the pairs after those of the reference if these are static (cos 1, sin 0): a table as
/// wide as the head. nullopt if there are no such pairs, or some of them rotate.
std::optional<CheckTensors> remove_static_pairs(const CheckReference& reference, const CheckTensors& tensors) {
  const Eigen::Index due = reference.tokens.pair_count();
  const TablePlanes& tables = tensors.tables;
  if (tables.planes.empty() || tables.pairs <= due || first_moving(tables, due)) return std::nullopt;
  CheckTensors fewer = tensors;
  fewer.still_behind = tables.pairs - due;
  fewer.tables = first_pairs(tables, due);
  return fewer;
}

/// Throws InputError if several rows, or all numbers of one, are not finite (unfilled rows, a mask's −∞): names them
/// and the longest run of finite rows. Returns if only single numbers are not finite.
void name_odd_rows(const CheckTensors& tensors) {
  std::vector<const StoredTensor*> all;
  for (const TablePlane& plane : tensors.tables.planes) all.push_back(&plane.numbers);
  if (tensors.heads) all.insert(all.end(), {&tensors.heads->before, &tensors.heads->after});
  if (tensors.ids) all.push_back(&*tensors.ids);
  for (const StoredTensor* tensor : all) {
    const std::int64_t rows = tensor->shape[0], width = rows == 0 ? 0 : tensor->count() / rows;
    std::vector<double> row(static_cast<std::size_t>(width));
    std::vector<std::pair<std::int64_t, std::int64_t>> odd;
    std::pair<std::int64_t, std::int64_t> longest;
    bool whole = false;
    for (std::int64_t r = 0, since = 0; r <= rows; ++r) {
      const auto is_odd = [](double number) { return !std::isfinite(number); };
      if (r < rows) read_rows(*tensor, r, 1, row.data());
      const auto count = r < rows ? std::count_if(row.begin(), row.end(), is_odd) : 1;
      if (count == 0) continue;
      if (r - since > longest.second - longest.first) longest = {since, r};
      since = r + 1;
      if (r == rows) break;
      whole = whole || (count == width && width > 1);
      if (!odd.empty() && odd.back().second == r) {
        ++odd.back().second;
      } else {
        odd.emplace_back(r, r + 1);
      }
    }
    if (odd.empty()) continue;
    const bool several = odd.size() > 1 || odd[0].second - odd[0].first > 1;
    if ((!several && !whole) || longest.second == 0) return;
    const std::int64_t first = tensors.first_row;
    for (auto& [begin, end] : odd) begin += first, end += first;
    throw InputError(tensor->name, "check.odd_rows",
                     {{"rows", list_of_runs(odd)},
                      {"keep", std::to_string(first + longest.first) + ":" + std::to_string(first + longest.second)}});
  }
}

/// Combines a report on rearranged vectors with the causes of their arrangement. `baseline`: of the original vectors.
CheckReport add_arrangement(std::vector<CheckCause> causes, const Comparison& baseline, const CheckTensors& tensors,
                            CheckReport report) {
  const Difference* as_they_are = baseline.find("after");
  for (CheckedInput& input : report.inputs) {
    if (bit_of(input.which) != kHeads) continue;
    for (CheckCause& cause : causes) {
      cause.residual_before = as_they_are->size(), cause.residual_after = input.largest_difference;
    }
    input.agrees = false, input.evidence = true;
    input.largest_difference = as_they_are->largest, input.tolerance = as_they_are->tolerance;
    input.row = as_they_are->row < 0 ? -1 : as_they_are->row + tensors.first_row;
    input.pair = as_they_are->pair, input.head = as_they_are->head;
  }
  const bool harmless = std::all_of(causes.begin(), causes.end(), [](const CheckCause& one) { return one.harmless; });
  if (!harmless) report.verdict = Verdict::disagrees;
  // The model applied to the reference does not include the arrangement of the vectors.
  report.explained.reset();
  for (CheckCause& cause : report.causes) cause.applied.reset();
  report.causes.insert(report.causes.begin(), causes.begin(), causes.end());
  std::stable_sort(report.causes.begin(), report.causes.end(),
                   [](const CheckCause& a, const CheckCause& b) { return a.harmless < b.harmless; });
  return report;
}

/// Judges the tensors by the formats of their numbers, and by ggml's recurrence if that explains the rest.
Judged judge_by_formats(const CheckModel& model, const Comparison& baseline, const Evidence& evidence,
                        const CheckOptions& options) {
  Judged judged{set_detected_formats(model, evidence), baseline};
  if (judged.model.part<StoredFormats>() != model.part<StoredFormats>()) {
    judged.comparison = compare_overlap(judged.model, *evidence.tensors, options);
  }
  if (judged.comparison.agrees() || !evidence.has_rotation() || !could_recur(model)) return judged;
  CheckModel recurrent = judged.model;
  recurrent.recurrence = true;
  Comparison by_recurrence = compare_overlap(recurrent, *evidence.tensors, options);
  if (const auto found = by_recurrence.agrees() ? find_recurrence(recurrent, evidence) : std::nullopt) {
    judged = {std::move(recurrent), std::move(by_recurrence), *found};
  }
  return judged;
}

/// Searches for what explains a disagreement. If nothing does, finds the parts that agree.
Explained explain_difference(const CheckReference& reference, const CheckModel& model, const Judged& judged,
                             const Evidence& evidence, const CheckOptions& options) {
  Explained found;
  const bool agrees = judged.comparison.agrees();
  unsigned wrong = 0;
  for (const auto& [which, difference] : judged.comparison.inputs) {
    if (!difference.agrees()) wrong |= bit_of(which);
  }
  // Before any cause of a rotation: none gives such vectors, but all would be tried.
  if (wrong == kHeads && !agrees) {
    for (CheckCause& cause : tell_causes({.reference = reference, .model = &judged.model, .evidence = &evidence})) {
      found.between = std::move(cause);
    }
  }
  if (!found.between && find_head_reordering(model, *evidence.tensors, options) == HeadMixUp::none) {
    CheckModel begun = model;
    begun.recurrence = judged.model.recurrence;
    found.explanation = explain(reference, begun, evidence, wrong, options);
  }
  if (found.between || !found.explanation.causes.empty() || agrees) return found;
  found.agreeing = agreeing_parts(judged.model, evidence);
  // Heads whose frequencies differ (LTX-2): those of one head were expected for all.
  const bool some_heads = std::any_of(found.agreeing.begin(), found.agreeing.end(),
                                      [](const Message& note) { return note.key == "check.note.agreeing.heads"; });
  if (some_heads && reference.layout != nullptr && takes(*reference.layout, "head")) {
    throw InputError("check.head_ladders", {{"layout", reference.layout->name}});
  }
  found.axes = agreeing_axes(judged.model, evidence);
  return found;
}

/// Compares the tensors with the reference, after setting the order of channels that the vectors show.
Comparison compare_as_read(CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  try {
    Comparison baseline = compare_overlap(model, tensors, options);
    const Difference* after = baseline.find("after");
    if (after != nullptr && !after->agrees() && take_channel_order(*tensors.heads, model)) {
      baseline = compare_overlap(model, tensors, options);
    }
    return baseline;
  } catch (const InputError&) {
    name_odd_rows(tensors);
    throw;
  }
}

/// Checks the tensors of some inputs. `reference`: `given`, or the ladder that its tables follow. `search`: whether to
/// search for causes.
CheckReport check_tensors(const CheckReference& given, const CheckReference& reference, const CheckInputs& inputs,
                          const CheckTensors& tensors, const CheckOptions& options, bool search) {
  CheckModel model = model_of(reference, inputs, std::max<std::int64_t>(tensors.rows, 1));
  Comparison baseline = compare_as_read(model, tensors, options);
  if (given.cosine && !model.given_tables) put_given_differences(given, reference, inputs, tensors, options, baseline);
  CheckReport report;
  if (baseline.cancelled) {
    report.cancelled = true;
    return report;
  }
  const Difference* vectors = baseline.find("after");
  if (vectors != nullptr && !vectors->agrees()) {
    if (const auto arrangement = find_arrangement(*tensors.heads, model)) {
      CheckTensors due = tensors;
      due.heads = restore_order(*tensors.heads, *arrangement, model);
      const Sighting seen{
          .reference = reference, .model = &model, .arrangement = &*arrangement, .vectors = &*tensors.heads};
      return add_arrangement(tell_causes(seen), baseline, tensors,
                             check_tensors(given, reference, inputs, due, options, search));
    }
  }
  Judged judged{model, baseline};
  Explained found;
  if (!baseline.agrees()) {
    const Evidence evidence = gather(tensors, model, options);
    judged = judge_by_formats(model, baseline, evidence, options);
    if (search) {
      found = explain_difference(reference, model, judged, evidence, options);
      report.effort = evidence.effort->spent();
    }
    const bool explained = !found.explanation.causes.empty();
    if (explained && found.explanation.model.recurrence) {
      judged.way = find_recurrence(found.explanation.model, evidence).value_or(judged.way);
    }
  }
  write_report({reference, inputs, tensors, baseline, judged, found, options}, report);
  if (options.stop.stop_requested()) report.cancelled = true;
  return report;
}

bool is_unknown(const CheckCause& cause) {
  return cause.name == "unknown";
}

/// Checks against one embedding.
CheckReport check_one(const CheckReference& given, const CheckInputs& inputs, const CheckOptions& options,
                      bool search) {
  // There may be a million positions: they are not copied if nothing is modelled.
  std::optional<CheckReference> ladder;
  const CheckReference& reference = given.cosine ? ladder.emplace(make_modelled_reference(given, inputs)) : given;
  const CheckTensors tensors = take_tensors(reference, inputs);
  if (const auto fewer = remove_static_pairs(reference, tensors)) {
    CheckReport report = check_tensors(given, reference, inputs, *fewer, options, search);
    // A ladder with other pairs may end in static ones, as Gemma 4's does.
    if (report.cancelled || report.verdict != Verdict::disagrees ||
        (search && std::ranges::none_of(report.causes, is_unknown)))
      return report;
  }
  return check_tensors(given, reference, inputs, tensors, options, search);
}

/// Returns the number of errors that a report needs; more than there can be if some are unknown.
std::size_t faults_of(const CheckReport& report) {
  constexpr std::size_t kUnknown = 9;
  std::size_t faults = 0;
  for (const CheckCause& cause : report.causes) faults += is_unknown(cause) ? kUnknown : cause.harmless ? 0 : 1;
  return faults;
}

/// Returns whether a cause of the report is about frequencies, which those of another profile would cause.
bool has_ladder_fault(const CheckReport& report) {
  return std::any_of(report.causes.begin(), report.causes.end(), [](const CheckCause& cause) {
    return std::any_of(all_causes().begin(), all_causes().end(), [&](const Cause* one) {
      return one->name == cause.name && one->group == CauseGroup::frequencies;
    });
  });
}

/// Reports that another profile of the model gives the tensors: an error if the user selected a profile, a note if not.
CheckReport as_profile(const CheckReference& given, const CheckReference& other, const CheckReport* own,
                       CheckReport report) {
  report.profile = other.profile;
  if (!given.profile_was_requested) {
    report.notes.insert(report.notes.begin(),
                        Message("check.profile.note", {{"profile", other.profile}, {"own", given.profile}}));
    return report;
  }
  CheckCause cause = tell_causes({.reference = given, .agreeing = &other}).front();
  for (const CheckedInput& input : report.inputs) {
    if (!cause.input.empty()) break;
    cause.input = input.which, cause.residual_after = cause.residual_before = input.largest_difference;
    for (const CheckedInput& of_own : own ? own->inputs : report.inputs) {
      if (of_own.which == input.which) cause.residual_before = of_own.largest_difference;
    }
  }
  report.causes.insert(report.causes.begin(), std::move(cause));
  report.verdict = Verdict::disagrees;
  return report;
}

/// Returns whether the vectors are as wide as the heads of an embedding, or may have any width.
bool has_head(const CheckReference& of, const CheckInputs& inputs) {
  if (!inputs.before || !of.rope || inputs.before->shape.empty()) return true;
  return of.rotates_last_channels || inputs.before->shape.back() == of.rope->head_dim;
}

/// Checks against another profile; nullopt if the tensors do not have its shape.
std::optional<CheckReport> check_other(const CheckReference& given, const CheckReference& other,
                                       const CheckInputs& inputs, const CheckOptions& options, bool search) {
  if (!has_head(other, inputs)) return std::nullopt;
  try {
    CheckReference one = other;
    one.allowed = given.allowed;
    one.strict = given.strict;
    if (!one.positions) one.positions = given.positions;
    return check_one(one, inputs, options, search);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Returns whether a tensor is named as attention output: "o.npy", "dump.npz: attn_out". "attn_q" names a query.
bool names_output(std::string_view name) {
  name.remove_prefix(name.find_last_of("/: ") == name.npos ? 0 : name.find_last_of("/: ") + 1);
  std::vector<std::string> words(1);
  for (const unsigned char c : name) {
    if (std::isalpha(c) != 0) {
      words.back() += static_cast<char>(std::tolower(c));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  static constexpr std::string_view kOutputs[] = {"o", "out", "output", "outputs", "attn", "attention", "context"};
  static constexpr std::string_view kTurned[] = {"q", "k", "query", "queries", "key", "keys"};
  const auto is_turned = [](const std::string& word) {
    return std::find(std::begin(kTurned), std::end(kTurned), word) != std::end(kTurned);
  };
  return std::find(std::begin(kOutputs), std::end(kOutputs), words.front()) != std::end(kOutputs) &&
         std::none_of(words.begin(), words.end(), is_turned);
}

}  // namespace

CheckReference reference_from_rope(const RotarySpec& spec, std::optional<double> length,
                                   std::optional<std::vector<double>> positions) {
  validate(spec);
  if (!length) length = length_of(spec, positions);
  check_extension(spec, length);
  CheckReference reference;
  const RopeLadders ladders = rope_ladders(spec, length);
  reference.rope = spec;
  reference.length = length;
  reference.amplitude = ladders.amplitude;
  reference.positions = std::move(positions);
  TokenLayout& tokens = reference.tokens;
  tokens.frequencies = ladders.frequencies;
  tokens.pairing = spec.pairing;
  TokenBlock block;
  block.part = "text";
  block.columns = 0;
  AxisIds ids{Along::token, 0, {}};
  if (reference.positions) {
    ids.listed = *reference.positions;
    block.columns = static_cast<std::int64_t>(ids.listed.size());
    if (ids.listed.empty()) throw InputError("check.no_positions", {});
    for (const double position : ids.listed) {
      if (!std::isfinite(position)) throw InputError("check.odd_position", {});
    }
    bool counts = true;
    for (std::size_t i = 1; i < ids.listed.size(); ++i) {
      counts = counts && ids.listed[i] == ids.listed[0] + static_cast<double>(i);
    }
    if (counts) ids = {Along::token, ids.listed[0], {}};
  }
  for (const RotaryAxis& axis : spec.axes) {
    // A specified ladder has no base that could be wrong.
    tokens.axes.push_back({axis.name, axis.rotary_dim, axis.ladder == Ladder::given ? 0 : axis.base});
    block.ids.push_back(ids);
  }
  tokens.blocks.push_back(std::move(block));
  return reference;
}

CheckReference reference_from_tables(const StoredTensor& cosine, const StoredTensor& sine) {
  CheckReference reference;
  reference.cosine = cosine;
  reference.sine = sine;
  return reference;
}

CheckReference make_modelled_reference(const CheckReference& given, const CheckInputs& inputs) {
  if (!given.cosine) return given;
  CheckInputs tables;
  tables.cosine = given.cosine;
  tables.sine = given.sine;
  CheckReference reference = make_column_order(*given.cosine, tables);
  reference.allowed = given.allowed;
  reference.strict = given.strict;
  const CheckTensors tensors = take_tensors(reference, tables);
  CheckModel model = model_of(reference, tables, tensors.rows);
  const Evidence evidence = gather(tensors, model);
  ObservedCache cache(evidence);
  const Situation situation(reference, model, evidence, cache);
  std::vector<Proposal> proposals;
  kBase.propose(situation, proposals);
  const auto settle = [&](CheckModel found) {
    // Zeros fit any ladder.
    if (!(situation.observed().radius > 4 * evidence.table_unit.scale)) return false;
    found.amplitude = 1;
    found.table_format = evidence.table_format;
    if (std::abs(situation.observed().radius - 1) > 4 * evidence.table_unit.scale)
      found.amplitude = situation.observed().radius;
    if (!reproduces(found, evidence, kTables)) return false;
    reference.amplitude = found.amplitude;
    reference.tokens.frequencies = found.tokens.frequencies;
    reference.tokens.axes = found.tokens.axes;
    reference.rope = found.rope;
    return true;
  };
  bool choose_axis_values = settle(model);
  for (Proposal& proposal : proposals) {
    if (choose_axis_values) break;
    choose_axis_values = settle(std::move(proposal.model));
  }
  if (!choose_axis_values) {
    // Not the positions 0, 1, 2, … of one ladder: the tables themselves are expected.
    reference.tokens.frequencies.setZero();
    reference.tokens.axes[0].base = 0;
    reference.rope.reset();
    reference.cosine = given.cosine;
    reference.sine = given.sine;
  }
  if (!inputs.cosine) throw InputError("check.dump_alone", {});
  const CheckTensors found = take_tensors(reference, inputs);
  if (!choose_axis_values || found.rows != tensors.rows) {
    std::vector<double> positions(static_cast<std::size_t>(tensors.rows));
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i);
    reference.positions = std::move(positions);
    reference.tokens.blocks[0].columns = tensors.rows;
  }
  return reference;
}

const CheckReference& find_reported_reference(const CheckReference& reference, const CheckReport& report) {
  for (const CheckReference& other : reference.others) {
    if (!report.profile.empty() && other.profile == report.profile) return other;
  }
  return reference;
}

CheckReport check(const CheckReference& given, const CheckInputs& inputs, const CheckOptions& options) {
  if (given.rotates_output_back && inputs.before && !names_output(inputs.before->name)) {
    CheckReference forwards = given;
    forwards.rotates_output_back = false;
    for (CheckReference& other : forwards.others) other.rotates_output_back = false;
    return check(forwards, inputs, options);
  }
  if (given.others.empty()) return check_one(given, inputs, options, true);
  std::optional<InputError> unfit;
  std::optional<CheckReport> own;
  try {
    own = check_one(given, inputs, options, false);
  } catch (const InputError& error) {
    unfit = error;
  }
  if (own && (own->verdict != Verdict::disagrees || own->cancelled)) return *own;
  for (const CheckReference& other : given.others) {
    auto found = check_other(given, other, inputs, options, false);
    if (found && (found->cancelled || found->verdict == Verdict::agrees)) {
      return as_profile(given, other, own ? &*own : nullptr, std::move(*found));
    }
  }
  // No profile agrees: keep the selected one unless another needs fewer errors (a shift, where the first would need
  // another base and a shift).
  if (own) own = check_one(given, inputs, options, true);
  if (own && (own->cancelled || faults_of(*own) == 0 || (faults_of(*own) == 1 && !has_ladder_fault(*own)))) return *own;
  // The others get part of the remaining effort, however much the first has spent.
  CheckOptions rest = options;
  rest.most_effort = std::max(options.most_effort / 4, options.most_effort - (own ? own->effort : 0));
  // An indexer has its own head: with equally many errors, its width decides which profile the vectors are of.
  const bool own_head = given.rope && inputs.before && !inputs.before->shape.empty() &&
                        inputs.before->shape.back() == given.rope->head_dim;
  for (const CheckReference& other : given.others) {
    auto found = check_other(given, other, inputs, rest, true);
    if (!found) continue;
    const bool by_head = inputs.before && !own_head && !other.rotates_last_channels;
    const std::size_t most = own ? faults_of(*own) + (by_head ? 1 : 0) : 2;
    if (!found->cancelled && faults_of(*found) >= most) continue;
    return as_profile(given, other, own ? &*own : nullptr, std::move(*found));
  }
  if (!own) throw *unfit;
  return *own;
}

}  // namespace ropescope
