// Size limits of the inputs, then the decoding of all inputs of a check. Read tensors.h first.
//
// Contents: Sizes; Tensors.

#include "core/check/compare/tensors.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/check/compare/compare.h"
#include "core/check/model/model.h"
#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

// --- Sizes ---------------------------------------------------------------------------------------------------------

namespace {

/// Maximum numbers per table row: cos and sin of 4 096 pairs, each twice, with ample reserve.
constexpr std::int64_t kMaxColumns = std::int64_t{1} << 16;
/// Maximum numbers per token of q or k: that many channels in 64 heads.
constexpr std::int64_t kMaxValuesPerToken = std::int64_t{1} << 22;
/// Maximum number of ids: the rows of the largest layout on 8 axes.
constexpr std::int64_t kMaxIds = std::int64_t{1} << 30;

/// Maximum number of tokens if the reference accepts any number.
constexpr std::int64_t kMaxTokens = std::int64_t{1} << 24;
/// A wrong length is an error to report, for example a padded buffer or the rows of a whole batch. Tensors with more
/// than this multiple of the tokens, or this many if few are expected, belong to something else.
constexpr std::int64_t kMaxRowsRatio = 64, kMaxRowsForFew = 131072;

/// Returns the input that determines the number of tokens.
const StoredTensor& tensor_with_rows(const CheckInputs& inputs) {
  for (const auto* tensor : {&inputs.cosine, &inputs.table, &inputs.before}) {
    if (*tensor) return **tensor;
  }
  return *inputs.ids;
}

/// Returns the expected number of rows; nullopt if a rope accepts any number.
std::optional<std::int64_t> expected_rows(const CheckReference& reference, const CheckInputs& inputs) {
  if (reference.rope && !reference.positions) return std::nullopt;
  return find_part_rows(reference.tokens, inputs.part).count;
}

void require_rows(const CheckReference& reference, const CheckInputs& inputs, std::int64_t rows) {
  if (rows == 0) return;
  const std::optional<std::int64_t> expected = expected_rows(reference, inputs);
  const std::int64_t most = expected ? std::max(kMaxRowsForFew, kMaxRowsRatio * *expected) : kMaxTokens;
  if (rows <= most) return;
  throw InputError(tensor_with_rows(inputs).name, expected ? "check.no_fault_of_length" : "check.many_rows",
                   {{"rows", rows}, {"due", expected.value_or(0)}, {"most", most}});
}

/// Throws InputError with the key `error` if `found` exceeds `most`. `axis`: for messages that name one.
void require_at_most(const StoredTensor& tensor, std::string_view error, std::int64_t found, std::int64_t most,
                     std::size_t axis = 0) {
  if (found <= most) return;
  throw InputError(tensor.name, error,
                   {{"shape", shape_text(tensor.shape)}, {"axis", axis}, {"found", found}, {"most", most}});
}

/// Throws InputError if an axis of a dump is too long. The axes of two dumps are distinguished by their numbers.
void require_axes(const CheckInputs& tables) {
  for (const auto* tensor : {&tables.cosine, &tables.sine}) {
    if (!*tensor) continue;
    for (std::size_t axis = 0; axis + 1 < (*tensor)->shape.size(); ++axis) {
      require_at_most(**tensor, "check.large_axis", (*tensor)->shape[axis], kMaxTokens, axis);
    }
  }
}

/// Throws InputError if one of the axes has length 0. Such a tensor has no numbers, whatever its other axes claim, and
/// nothing after this point expects one.
void require_numbers(const CheckInputs& inputs) {
  for (const CheckRoleNames& names : kCheckRoles) {
    const auto input = input_of(names.role);
    if (!input || !(inputs.*input) || (inputs.*input)->count() > 0) continue;
    throw InputError((inputs.*input)->name, "check.empty_tensor", {{"shape", shape_text((inputs.*input)->shape)}});
  }
}

/// Throws InputError if a tensor is empty, or if a row, the frequencies or the ids exceed their maximum.
void require_sizes(const CheckInputs& inputs) {
  require_numbers(inputs);
  for (const auto* tensor : {&inputs.cosine, &inputs.sine, &inputs.table, &inputs.before, &inputs.after}) {
    if (!*tensor || (*tensor)->shape.empty()) continue;
    require_at_most(**tensor, "check.large_row", (*tensor)->shape.back(), kMaxColumns);
  }
  if (inputs.frequencies) {
    require_at_most(*inputs.frequencies, "check.large_frequencies", inputs.frequencies->count(), kMaxColumns);
  }
  if (inputs.ids) require_at_most(*inputs.ids, "check.large_ids", inputs.ids->count(), kMaxIds);
}

// --- Tensors -------------------------------------------------------------------------------------------------------

/// Returns the pair counts that a wrong rotary dimension would give.
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

/// Returns the axis that rotates each pair; empty for a single axis, or if several axes rotate one pair.
std::vector<Eigen::Index> turning_axes(const Eigen::MatrixXd& frequencies) {
  std::vector<Eigen::Index> owners;
  for (Eigen::Index pair = 0; pair < frequencies.cols() && frequencies.rows() > 1; ++pair) {
    Eigen::Index axis = 0;
    frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
    if ((frequencies.col(pair).array() != 0).count() > 1) return {};
    owners.push_back(axis);
  }
  return owners;
}

StoredTensor flat_frequencies(const StoredTensor& tensor, std::size_t expected) {
  StoredTensor flat = tensor;
  if (is_complex(flat.storage)) throw InputError(tensor.name, "check.complex_frequencies", {});
  while (flat.shape.size() > 1 && flat.shape[0] == 1) flat = select_slice(flat, 0, 0);
  while (flat.shape.size() > 1 && flat.shape.back() == 1) flat = select_slice(flat, flat.shape.size() - 1, 0);
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

/// Halves a list that gives every frequency twice, as a whole or adjacently. A list with one number per pair is halved
/// only if a single axis rotates all pairs, because two axes may share a ladder.
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

/// Returns whether the first tokens of the tables are those of the reference. In a text that starts at 0, the first
/// token is not rotated and the second is, whatever else is wrong.
bool begins_as(const CheckReference& reference, const CheckInputs& inputs, const TablePlanes& tables) {
  CheckTensors few;
  few.tables = tables;
  few.rows = tables.rows;
  CheckInputs all = inputs;
  all.rows.reset();
  const CheckModel model = model_of(reference, all, tables.rows);
  few = rows_of(few, 0, std::min({tuned::kFewRows, tables.rows, model.row_count}));
  if (model.given_tables || few.rows < 2) return false;
  const bool fits = tables.pairs == model.tokens.pair_count();
  if (fits && compare_all(model, few, {}).agrees()) return true;
  const RowEvaluator evaluator(model);
  std::vector<double> first(static_cast<std::size_t>(evaluator.axes()));
  evaluator.ids(0, first.data());
  if (!reference.rope || first.size() != 1 || first[0] != 0) return false;
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
  return still <= tuned::kStillSine && turned >= tuned::kTurnedSine;
}

/// Reads tables as [tokens, pairs]; transposed only if they cannot be read directly, or if their numbers show it.
TablePlanes read_either_way(const CheckReference& reference, const CheckInputs& inputs, const ExpectedShape& expected) {
  const auto turned = transpose_tables(inputs, expected);
  if (!turned || reference.cosine) return read_planes(inputs, expected);
  // If only the shape is known, any orientation that can be read is accepted.
  const bool only_shapes = is_declared_only(inputs.cosine ? *inputs.cosine : *inputs.table);
  std::optional<TablePlanes> verbatim;
  try {
    verbatim = read_planes(inputs, expected);
    if (only_shapes || begins_as(reference, inputs, *verbatim)) return *verbatim;
  } catch (const InputError&) {
    // It may be readable when transposed; if not, this error is reported.
  }
  try {
    TablePlanes other = read_planes(*turned, expected);
    // The expected number of tokens, which cannot be the pairs: no other interpretation has this shape.
    const bool only_so = expected.tokens && !verbatim;
    if (only_so || only_shapes || begins_as(reference, *turned, other)) {
      other.transposed = true;
      for (auto& [which, words] : other.understood) words.push_back(Message("check.read.transposed"));
      return other;
    }
  } catch (const InputError&) {
    // Not readable in either orientation.
  }
  return verbatim ? *verbatim : read_planes(inputs, expected);
}

/// Keeps the rows from the first to the one before the end.
void keep_reference_rows(std::pair<std::int64_t, std::int64_t> kept, CheckTensors& tensors) {
  const auto [first, end] = kept;
  if (tensors.rows == 0 || first < 0 || first >= end || end > tensors.rows) {
    throw InputError("check.no_such_rows", {{"first", first}, {"end", end}, {"rows", tensors.rows}});
  }
  CheckTensors some = rows_of(tensors, first, end - first);
  some.frequencies = std::move(tensors.frequencies);
  some.first_row = first;
  tensors = std::move(some);
}

}  // namespace

void require_shapes(const CheckReference& reference, const CheckInputs& inputs) {
  for (const CheckReference& other : reference.others) {
    try {
      return require_shapes(other, inputs);
    } catch (const InputError&) {
      // The error is then reported for the main reference.
    }
  }
  // The rule of two dumps is inferred from their numbers, and their shapes are validated with them.
  if (reference.cosine) {
    CheckInputs tables;
    tables.cosine = reference.cosine;
    tables.sine = reference.sine;
    for (const CheckInputs* one : {static_cast<const CheckInputs*>(&tables), &inputs}) {
      require_sizes(*one);
      require_axes(*one);
    }
    return;
  }
  CheckInputs declared = inputs;
  for (auto* tensor : {&declared.ids, &declared.cosine, &declared.sine, &declared.table, &declared.frequencies,
                       &declared.before, &declared.after}) {
    if (*tensor) *tensor = declared_only(std::move(**tensor));
  }
  const CheckTensors tensors = take_tensors(reference, declared);
  require_rows(reference, inputs, tensors.rows);
  if (!tensors.heads) return;
  require_at_most(*inputs.before, "check.large_token", tensors.heads->heads * tensors.heads->channels,
                  kMaxValuesPerToken);
}

CheckTensors take_tensors(const CheckReference& reference, const CheckInputs& inputs) {
  require_sizes(inputs);
  CheckTensors tensors;
  ExpectedShape expected;
  expected.tokens = expected_rows(reference, inputs);
  expected.pairs = reference.tokens.pair_count();
  expected.other_pairs = other_pair_counts(reference);
  expected.any_pairs = reference.rope && reference.rope->axes.size() == 1;
  expected.sines_first = reference.sines_first;
  expected.pairing = inputs.pairing.value_or(reference.tokens.pairing);
  expected.owners = turning_axes(reference.tokens.frequencies);
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
  if (inputs.rows) keep_reference_rows(*inputs.rows, tensors);
  return tensors;
}

}  // namespace ropescope
