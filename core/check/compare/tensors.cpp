// What tensors.h declares; read it first.
//
// Contents: Sizes; Tensors.

#include "core/check/compare/tensors.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/check/compare/compare.h"
#include "core/check/model/model.h"
#include "core/words.h"

namespace ropescope {

// --- Sizes ---------------------------------------------------------------------------------------------------------

namespace {

/// Numbers of a row of a table: both of 4 096 pairs, twice, and as much again for what nobody foresaw.
constexpr std::int64_t kMostColumns = std::int64_t{1} << 16;
/// Numbers of a token of q or k: that many channels in 64 heads.
constexpr std::int64_t kMostOfToken = std::int64_t{1} << 22;
/// Of all ids: the largest layout's rows on 8 axes.
constexpr std::int64_t kMostIds = std::int64_t{1} << 30;

/// Tokens where the reference takes as many as there are.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;
/// A wrong length is a fault to be named, a padded buffer and the rows of a whole batch among them. Tensors of this
/// many times the tokens, or of this many where there are few, belong to something else.
constexpr std::int64_t kMostTimes = 64, kMostOfFew = 131072;

/// The one of the inputs that gives the number of tokens.
const StoredTensor& tensor_with_rows(const CheckInputs& inputs) {
  for (const auto* tensor : {&inputs.cosine, &inputs.table, &inputs.before}) {
    if (*tensor) return **tensor;
  }
  return *inputs.ids;
}

/// Rows that the inputs should have; none where a rope takes as many as there are.
std::optional<std::int64_t> expected_rows(const CheckReference& reference, const CheckInputs& inputs) {
  if (reference.rope && !reference.positions) return std::nullopt;
  return rows_of_part(reference.tokens, inputs.part).count;
}

void require_rows(const CheckReference& reference, const CheckInputs& inputs, std::int64_t rows) {
  if (rows == 0) return;
  const std::optional<std::int64_t> expected = expected_rows(reference, inputs);
  const std::int64_t most = expected ? std::max(kMostOfFew, kMostTimes * *expected) : kMostTokens;
  if (rows <= most) return;
  throw InputError(tensor_with_rows(inputs).name, expected ? "check.no_fault_of_length" : "check.many_rows",
                   {{"rows", rows}, {"due", expected.value_or(0)}, {"most", most}});
}

/// `error`: its key; `axis` where it names one.
void require_at_most(const StoredTensor& tensor, std::string_view error, std::int64_t found, std::int64_t most,
                     std::size_t axis = 0) {
  if (found <= most) return;
  throw InputError(tensor.name, error,
                   {{"shape", shape_text(tensor.shape)}, {"axis", axis}, {"found", found}, {"most", most}});
}

/// Of two dumps, whose axes are told apart by their numbers.
void require_axes(const CheckInputs& tables) {
  for (const auto* tensor : {&tables.cosine, &tables.sine}) {
    if (!*tensor) continue;
    for (std::size_t axis = 0; axis + 1 < (*tensor)->shape.size(); ++axis) {
      require_at_most(**tensor, "check.large_axis", (*tensor)->shape[axis], kMostTokens, axis);
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

/// Throws InputError if a tensor is empty, or a row, the frequencies or the ids are more than there can be.
void require_sizes(const CheckInputs& inputs) {
  require_numbers(inputs);
  for (const auto* tensor : {&inputs.cosine, &inputs.sine, &inputs.table, &inputs.before, &inputs.after}) {
    if (!*tensor || (*tensor)->shape.empty()) continue;
    require_at_most(**tensor, "check.large_row", (*tensor)->shape.back(), kMostColumns);
  }
  if (inputs.frequencies) {
    require_at_most(*inputs.frequencies, "check.large_frequencies", inputs.frequencies->count(), kMostColumns);
  }
  if (inputs.ids) require_at_most(*inputs.ids, "check.large_ids", inputs.ids->count(), kMostIds);
}

}  // namespace

void require_shapes(const CheckReference& reference, const CheckInputs& inputs) {
  for (const CheckReference& other : reference.others) {
    try {
      return require_shapes(other, inputs);
    } catch (const InputError&) {
      // Then it is said of the reference what is wrong.
    }
  }
  // What two dumps follow is read off their numbers: their shapes are judged with them.
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
  require_at_most(*inputs.before, "check.large_token", tensors.heads->heads * tensors.heads->channels, kMostOfToken);
}

// --- Tensors -------------------------------------------------------------------------------------------------------

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

/// The axis that turns each pair; empty of a single axis, and where several turn one.
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

/// Whether the first tokens of the tables are those of the reference. Of a text that begins at 0 the first one is not
/// turned and the next one is, whatever else is wrong.
bool begins_as(const CheckReference& reference, const CheckInputs& inputs, const TablePlanes& tables) {
  constexpr std::int64_t kFew = 32;
  CheckTensors few;
  few.tables = tables;
  few.rows = tables.rows;
  CheckInputs all = inputs;
  all.rows.reset();
  const CheckModel model = model_of(reference, all, tables.rows);
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

/// The rows from the first to the one before the end.
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
