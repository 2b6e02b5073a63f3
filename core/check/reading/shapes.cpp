#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/check/check.h"
#include "core/check/report/report.h"
#include "core/error.h"

namespace ropescope {

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

}  // namespace

void require_sizes(const CheckInputs& inputs) {
  for (const auto* tensor : {&inputs.cosine, &inputs.sine, &inputs.table, &inputs.before, &inputs.after}) {
    if (!*tensor || (*tensor)->shape.empty()) continue;
    require_at_most(**tensor, "check.large_row", (*tensor)->shape.back(), kMostColumns);
  }
  if (inputs.frequencies) {
    require_at_most(*inputs.frequencies, "check.large_frequencies", inputs.frequencies->count(), kMostColumns);
  }
  if (inputs.ids) require_at_most(*inputs.ids, "check.large_ids", inputs.ids->count(), kMostIds);
}

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

}  // namespace ropescope
