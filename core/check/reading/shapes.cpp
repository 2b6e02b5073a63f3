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

void require_at_most(const StoredTensor& tensor, const std::string& what, std::int64_t found, std::int64_t most) {
  if (found <= most) return;
  throw InputError(tensor.name + ": the shape is " + shape_text(tensor.shape) + ", " + what + " " +
                   std::to_string(found) + " numbers; at most " + std::to_string(most) + " were expected");
}

}  // namespace

void require_sizes(const CheckInputs& inputs) {
  for (const auto* tensor : {&inputs.cosine, &inputs.sine, &inputs.table, &inputs.before, &inputs.after}) {
    if (!*tensor || (*tensor)->shape.empty()) continue;
    require_at_most(**tensor, "a row of", (*tensor)->shape.back(), kMostColumns);
  }
  if (inputs.frequencies) {
    require_at_most(*inputs.frequencies, "frequencies of", inputs.frequencies->count(), kMostColumns);
  }
  if (inputs.ids) require_at_most(*inputs.ids, "ids of", inputs.ids->count(), kMostIds);
}

void require_shapes(const CheckReference& reference, const CheckInputs& inputs) {
  // What two dumps follow is read off their numbers: their shapes are judged with them.
  if (reference.cosine) {
    CheckInputs tables;
    tables.cosine = reference.cosine;
    tables.sine = reference.sine;
    require_sizes(tables);
    return require_sizes(inputs);
  }
  CheckInputs declared = inputs;
  for (auto* tensor : {&declared.ids, &declared.cosine, &declared.sine, &declared.table, &declared.frequencies,
                       &declared.before, &declared.after}) {
    if (*tensor) *tensor = declared_only(std::move(**tensor));
  }
  const CheckTensors tensors = take_tensors(reference, declared);
  if (!tensors.heads) return;
  require_at_most(*inputs.before, "a token of", tensors.heads->heads * tensors.heads->channels, kMostOfToken);
}

}  // namespace ropescope
