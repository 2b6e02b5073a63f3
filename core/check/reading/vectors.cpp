#include <algorithm>

#include "core/check/reading/planes.h"
#include "core/error.h"

namespace ropescope {

namespace {

StoredTensor with_axis(const StoredTensor& tensor, std::size_t at) {
  StoredTensor more = tensor;
  more.shape.insert(more.shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
  more.strides.insert(more.strides.begin() + static_cast<std::ptrdiff_t>(at), 0);
  return more;
}

StoredTensor swapped_axes(const StoredTensor& tensor, std::size_t a, std::size_t b) {
  StoredTensor swapped = tensor;
  std::swap(swapped.shape[a], swapped.shape[b]);
  std::swap(swapped.strides[a], swapped.strides[b]);
  return swapped;
}

/// Whether the first axis of a 3-D tensor counts heads.
bool heads_come_first(const StoredTensor& tensor, bool had_batch, HeadOrder order, std::optional<std::int64_t> tokens) {
  if (order != HeadOrder::automatic) return order == HeadOrder::heads_first;
  const bool single = tensor.shape[0] == 1 || tensor.shape[1] == 1;
  if (!tokens && !had_batch && !single) {
    throw InputError(tensor.name, "check.no_token_axis", {{"shape", shape_text(tensor.shape)}});
  }
  if (!tokens) return had_batch;
  const bool first = tensor.shape[0] == *tokens, second = tensor.shape[1] == *tokens;
  if (first && second && !single && !had_batch) {
    throw InputError(tensor.name, "check.heads_as_tokens", {{"shape", shape_text(tensor.shape)}});
  }
  if (first != second) return second;
  return had_batch;
}

StoredTensor tokens_heads_channels(const StoredTensor& tensor, const CheckInputs& inputs,
                                   const ExpectedShape& expected) {
  StoredTensor q = tensor;
  const bool had_batch = q.shape.size() >= 4;
  if (const auto rest = without_batch(q, 3); had_batch && rest) q = *rest;
  if (q.shape.size() == 2) q = with_axis(q, 1);
  if (q.shape.size() != 3 || std::find(q.shape.begin(), q.shape.end(), 0) != q.shape.end()) {
    throw InputError(tensor.name, "check.vectors_shape", {{"shape", shape_text(tensor.shape)}});
  }
  if (tensor.shape.size() != 2 && heads_come_first(q, had_batch, inputs.head_order, expected.tokens)) {
    q = swapped_axes(q, 0, 1);
  }
  return q;
}

}  // namespace

std::optional<HeadVectors> read_heads(const CheckInputs& inputs, const ExpectedShape& expected) {
  if (inputs.before.has_value() != inputs.after.has_value()) {
    throw InputError((inputs.before ? inputs.before : inputs.after)->name, "check.vectors_alone", {});
  }
  if (!inputs.before) return std::nullopt;
  if (inputs.before->shape != inputs.after->shape) throw other_shape(*inputs.after, *inputs.before);
  for (const auto* one : {&*inputs.before, &*inputs.after}) {
    if (is_complex(one->storage)) throw InputError(one->name, "check.complex_vectors", {});
  }
  HeadVectors heads;
  heads.before = tokens_heads_channels(*inputs.before, inputs, expected);
  heads.after = tokens_heads_channels(*inputs.after, inputs, expected);
  heads.rows = heads.before.shape[0];
  heads.heads = heads.before.shape[1];
  heads.channels = heads.before.shape[2];
  if (heads.channels < 2 * expected.pairs) {
    throw InputError(inputs.before->name, "check.channels",
                     {{"channels", heads.channels}, {"least", 2 * expected.pairs}});
  }
  heads.understood =
      Words("check.read.vectors", {{"rows", heads.rows}, {"heads", heads.heads}, {"channels", heads.channels}});
  return heads;
}

std::optional<StoredTensor> read_ids(const CheckInputs& inputs, std::size_t axes, std::optional<std::int64_t> tokens) {
  if (!inputs.ids) return std::nullopt;
  const StoredTensor& given = *inputs.ids;
  if (is_complex(given.storage)) throw InputError(given.name, "check.complex_ids", {});
  const auto width = static_cast<std::int64_t>(axes);
  StoredTensor ids = given;
  // M-RoPE keeps [axes, batch, tokens], LTX [batch, axes, tokens].
  if (axes > 1 && ids.shape.size() == 3 && ids.shape[0] == width && ids.shape[1] == 1 && ids.shape[2] != width) {
    ids = slice_of(ids, 1, 0);
  }
  while (ids.shape.size() > (axes == 1 ? 1u : 2u) && ids.shape.size() > 0 && ids.shape[0] == 1 &&
         !(tokens && *tokens == 1 && ids.shape.size() == 2)) {
    ids = slice_of(ids, 0, 0);
  }
  if (axes == 1 && ids.shape.size() == 1) ids = with_axis(ids, 1);
  if (ids.shape.size() == 3) ids = *without_batch(ids, 2);
  const bool is_turned = ids.shape.size() == 2 && ids.shape[1] != width && ids.shape[0] == width;
  if (is_turned) ids = swapped_axes(ids, 0, 1);
  if (ids.shape.size() != 2 || ids.shape[1] != width || ids.shape[0] < 1) {
    throw InputError(given.name, axes == 1 ? "check.ids_of_one_axis" : "check.ids_shape",
                     {{"shape", shape_text(given.shape)}, {"axes", axes}});
  }
  return ids;
}

}  // namespace ropescope
