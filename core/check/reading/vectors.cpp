#include <algorithm>
#include <cmath>

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

/// Whether nearly all pairs of some vectors are as long after as before, give or take one factor for each vector.
bool keeps_lengths(const CheckModel& model, const HeadVectors& heads) {
  constexpr std::int64_t kRows = 64;
  constexpr double kNear = 0.03, kNearlyAll = 0.9;
  const auto pairs = static_cast<std::int64_t>(model.tokens.pair_count());
  const std::int64_t width = heads.heads * heads.channels, rows = std::min(heads.rows, kRows);
  if (model.still + 2 * pairs > heads.channels) return false;
  std::vector<double> before(static_cast<std::size_t>(width)), after(before), ratios;
  std::int64_t kept = 0, all = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = i * (heads.rows - 1) / std::max<std::int64_t>(rows - 1, 1);
    read_rows(heads.before, row, 1, before.data());
    read_rows(heads.after, row, 1, after.data());
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      const std::int64_t begin = head * heads.channels + model.still;
      const auto length = [&](const std::vector<double>& of, std::int64_t a, std::int64_t b) {
        return std::hypot(of[static_cast<std::size_t>(begin + a)], of[static_cast<std::size_t>(begin + b)]);
      };
      ratios.clear();
      for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const std::int64_t out = model.out_by_halves ? pair : 2 * pair, step = model.out_by_halves ? pairs : 1;
        const double due = length(before, 2 * pair, 2 * pair + 1), found = length(after, out, out + step);
        if (due > 0) ratios.push_back(found / due);
      }
      if (ratios.empty()) continue;
      const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
      std::nth_element(ratios.begin(), middle, ratios.end());
      const double usual = *middle;
      all += static_cast<std::int64_t>(ratios.size());
      kept += std::count_if(ratios.begin(), ratios.end(),
                            [&](double ratio) { return std::abs(ratio - usual) <= kNear * usual; });
    }
  }
  return all > 0 && static_cast<double>(kept) >= kNearlyAll * static_cast<double>(all);
}

}  // namespace

bool take_channel_order(const HeadVectors& heads, CheckModel& model) {
  if (model.companions != Pairing::interleaved || model.out_by_halves) return false;
  CheckModel halves = model;
  halves.out_by_halves = true;
  if (!keeps_lengths(halves, heads) || keeps_lengths(model, heads)) return false;
  model.out_by_halves = true;
  return true;
}

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
  // Qwen's newer code keeps the position of the text before the three of M-RoPE: [1 + axes, batch, tokens].
  const bool led_by_text = axes == 3 && ids.shape.size() >= 2 && ids.shape[0] == width + 1 && ids.shape.back() != width;
  if (led_by_text) {
    ids.bytes = ids.bytes.subspan(static_cast<std::size_t>(ids.strides[0]) * storage_bytes(ids.storage));
    ids.shape[0] = width;
  }
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
