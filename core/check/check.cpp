#include "core/check/check.h"

#include <algorithm>
#include <cmath>

#include "core/check/model/ladders.h"
#include "core/check/report/report.h"
#include "core/check/search/search.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Numbers of pairs that a wrong rotary dimension would give.
std::vector<std::int64_t> other_pair_counts(const CheckReference& reference) {
  if (!reference.rope) return {};
  const auto head = static_cast<std::int64_t>(reference.rope->head_dim);
  const auto pairs = static_cast<std::int64_t>(reference.tokens.pair_count());
  std::vector<std::int64_t> counts;
  for (const std::int64_t count : {head / 2, 2 * pairs * pairs / head}) {
    if (count > 0 && count != pairs) counts.push_back(count);
  }
  return counts;
}

StoredTensor flat_frequencies(const StoredTensor& tensor, std::size_t expected) {
  StoredTensor flat = tensor;
  if (is_complex(flat.storage)) throw InputError(tensor.name, "check.complex_frequencies", {});
  while (flat.shape.size() > 1 && flat.shape[0] == 1) flat = slice_of(flat, 0, 0);
  while (flat.shape.size() > 1 && flat.shape.back() == 1) flat = slice_of(flat, flat.shape.size() - 1, 0);
  const bool all_axes = flat.shape.size() == 2 && flat.strides[0] == flat.shape[1] * flat.strides[1];
  if (all_axes) {
    flat.shape = {flat.shape[0] * flat.shape[1]};
    flat.strides = {flat.strides[1]};
  }
  if (flat.shape.size() != 1 || flat.shape[0] < 1) {
    throw InputError(tensor.name, "check.frequencies_shape", {{"shape", shape_text(tensor.shape)}, {"due", expected}});
  }
  return flat;
}

/// A list that gives every frequency twice, whole or by neighbours, holds half as many. One of as many numbers as there
/// are pairs does where one axis turns them all: two axes may have one ladder.
void take_once(const ExpectedShape& expected, CheckTensors& tensors) {
  StoredTensor& list = *tensors.frequencies;
  if (list.shape[0] == expected.pairs && !expected.any_pairs) return;
  tensors.frequency_repeats = repeats_of(list);
  if (tensors.frequency_repeats == Repeats::once) return;
  list = columns_of(list, 0, tensors.frequency_repeats == Repeats::adjacent ? 2 : 1, list.shape[0] / 2);
}

void require_same_rows(const std::string& name, std::int64_t rows, const CheckTensors& tensors) {
  if (tensors.rows == 0 || tensors.rows == rows) return;
  throw InputError(name, "check.other_rows", {{"rows", rows}, {"due", tensors.rows}});
}

/// Where the tables to check against follow a ladder, the ladder judges; what is said to differ is the difference to
/// the tables themselves, so that a file differs from itself by 0.
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

/// Whether the first tokens of the tables are those of the reference. Of a text that begins at 0 the first one is not
/// turned and the next one is, whatever else is wrong.
bool begins_as(const CheckReference& reference, const CheckInputs& inputs, const TablePlanes& tables) {
  constexpr std::int64_t kFew = 32;
  CheckTensors few;
  few.tables = tables;
  few.rows = tables.rows;
  const CheckModel model = model_of(reference, inputs, tables.rows);
  few = rows_of(few, 0, std::min({kFew, tables.rows, model.row_count}));
  if (model.given_tables || few.rows < 2) return false;
  const bool fits = tables.pairs == model.tokens.pair_count();
  if (fits && compare_all(model, few, {}).agrees()) return true;
  const RowEvaluator evaluator(model);
  std::vector<double> first(static_cast<std::size_t>(evaluator.axes()));
  evaluator.ids(0, first.data());
  if (!reference.rope || first.size() != 1 || first[0] != 0) return false;
  constexpr double kStill = 1e-6, kTurned = 0.05;
  std::vector<double> sines(static_cast<std::size_t>(2 * tables.pairs));
  double still = 0, turned = 0;
  for (const TablePlane& plane : few.tables.planes) {
    if (plane.holds != Holds::sine) continue;
    read_rows(plane.numbers, 0, 2, sines.data());
    for (std::size_t i = 0; i < sines.size(); ++i) {
      double& most = i < sines.size() / 2 ? still : turned;
      most = std::max(most, std::abs(sines[i]));
    }
  }
  return still <= kStill && turned >= kTurned;
}

/// Tables as [tokens, pairs]; the other way round only where they cannot be read so, or where what they hold says it.
TablePlanes read_either_way(const CheckReference& reference, const CheckInputs& inputs, const ExpectedShape& expected) {
  const auto turned = turned_tables(inputs, expected);
  if (!turned || reference.cosine) return read_planes(inputs, expected);
  // Of which only the shape is known, any that can be read will do.
  const bool only_shapes = is_declared_only(inputs.cosine ? *inputs.cosine : *inputs.table);
  std::optional<TablePlanes> as_it_is;
  try {
    as_it_is = read_planes(inputs, expected);
    if (only_shapes || begins_as(reference, inputs, *as_it_is)) return *as_it_is;
  } catch (const InputError&) {
    // Perhaps it is understood when it is turned; if not, this is what is wrong with it.
  }
  try {
    TablePlanes other = read_planes(*turned, expected);
    // As many tokens as there should be, which cannot be the pairs: nothing else has this shape.
    const bool only_so = expected.tokens && !as_it_is;
    if (only_so || only_shapes || begins_as(reference, *turned, other)) {
      other.transposed = true;
      for (auto& [which, words] : other.understood) words.push_back(Words("check.read.transposed"));
      return other;
    }
  } catch (const InputError&) {
    // Not understood either way.
  }
  return as_it_is ? *as_it_is : read_planes(inputs, expected);
}

}  // namespace

std::optional<std::int64_t> expected_rows(const CheckReference& reference, const CheckInputs& inputs) {
  if (reference.rope && !reference.positions) return std::nullopt;
  return rows_of_part(reference.tokens, inputs.part).count;
}

CheckTensors take_tensors(const CheckReference& reference, const CheckInputs& inputs) {
  require_sizes(inputs);
  CheckTensors tensors;
  ExpectedShape expected;
  expected.tokens = expected_rows(reference, inputs);
  expected.pairs = reference.tokens.pair_count();
  expected.other_pairs = other_pair_counts(reference);
  expected.any_pairs = reference.rope && reference.rope->axes.size() == 1;
  expected.pairing = inputs.pairing.value_or(reference.tokens.pairing);
  tensors.tables = read_either_way(reference, inputs, expected);
  if (!tensors.tables.planes.empty()) tensors.rows = tensors.tables.rows;
  if (tensors.rows > 0) expected.tokens = tensors.rows;
  tensors.heads = read_heads(inputs, expected);
  if (tensors.heads) {
    require_same_rows(inputs.before->name, tensors.heads->rows, tensors);
    tensors.rows = tensors.heads->rows;
  }
  tensors.ids = read_ids(inputs, reference.tokens.axes.size(), expected.tokens);
  if (tensors.ids) {
    require_same_rows(inputs.ids->name, tensors.ids->shape[0], tensors);
    tensors.rows = tensors.ids->shape[0];
  }
  if (inputs.frequencies) {
    tensors.frequencies = flat_frequencies(*inputs.frequencies, static_cast<std::size_t>(expected.pairs));
    take_once(expected, tensors);
  }
  if (tensors.rows == 0 && !tensors.frequencies) throw InputError("check.nothing", {});
  return tensors;
}

CheckReport check(const CheckReference& given, const CheckInputs& inputs, const CheckOptions& options) {
  // Positions may be a million: they are not copied where nothing is modelled.
  std::optional<CheckReference> ladder;
  const CheckReference& reference = given.cosine ? ladder.emplace(modelled(given, inputs)) : given;
  const CheckTensors tensors = take_tensors(reference, inputs);
  const CheckModel model = model_of(reference, inputs, std::max<std::int64_t>(tensors.rows, 1));
  Comparison baseline = compare_overlap(model, tensors, options);
  if (given.cosine && !model.given_tables) put_given_differences(given, reference, inputs, tensors, options, baseline);
  CheckReport report;
  if (baseline.cancelled) {
    report.cancelled = true;
    return report;
  }
  Explanation explanation;
  Comparison judged = baseline;
  CheckModel told = model;
  Recurrence way = Recurrence::cpu;
  if (!baseline.agrees()) {
    const Evidence evidence = gather(tensors, model, options);
    told = with_told_formats(model, evidence);
    const bool formats = told.table_format != model.table_format || told.vector_format != model.vector_format;
    if (formats) judged = compare_overlap(told, tensors, options);
    CheckModel begun = model;
    if (!judged.agrees() && evidence.has_rotation() && could_recur(model)) {
      CheckModel recurrent = told;
      recurrent.recurrence = true;
      Comparison by_recurrence = compare_overlap(recurrent, tensors, options);
      if (by_recurrence.agrees()) {
        begun.recurrence = true;
        told = std::move(recurrent);
        judged = std::move(by_recurrence);
      }
    }
    unsigned wrong = 0;
    for (const auto& [which, difference] : judged.inputs) {
      if (!difference.agrees()) wrong |= bit_of(which);
    }
    if (!are_turned_by_heads(model, tensors, options))
      explanation = explain(reference, begun, evidence, wrong, options);
    report.effort = evidence.effort->spent();
    const CheckModel& found = explanation.causes.empty() ? told : explanation.model;
    if (found.recurrence) way = nearest_recurrence(found, evidence);
  }
  write_report({reference, inputs, tensors, told, baseline, judged, explanation, way, options}, report);
  if (options.stop.stop_requested()) report.cancelled = true;
  return report;
}

}  // namespace ropescope
