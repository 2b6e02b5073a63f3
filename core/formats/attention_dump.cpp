#include "core/formats/attention_dump.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/formats/npy.h"
#include "core/formats/npz.h"

namespace ropescope {

namespace {

using Shape = std::vector<std::int64_t>;

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

bool is_zip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'};
}

/// An array as [tokens, heads, channels].
struct Vectors {
  std::int64_t tokens = 0, heads = 0, channels = 0;
  std::vector<double> values;
};

void check_format(const Tensor& tensor, const std::string& place) {
  if (tensor.format != NumberFormat::float64 && tensor.format != NumberFormat::float32 &&
      tensor.format != NumberFormat::float16) {
    throw InputError(place + ": the dtype is an integer; float64, float32 or float16 was expected");
  }
}

void check_finite(const Vectors& vectors, const std::string& place) {
  const auto found =
      std::find_if(vectors.values.begin(), vectors.values.end(), [](double value) { return !std::isfinite(value); });
  if (found == vectors.values.end()) return;
  const std::int64_t at = found - vectors.values.begin(), row = at / vectors.channels;
  throw InputError(place + ": the number at [" + std::to_string(row / vectors.heads) + ", " +
                   std::to_string(row % vectors.heads) + ", " + std::to_string(at % vectors.channels) + "] is " +
                   (std::isnan(*found) ? "NaN" : "infinite") + "; finite numbers were expected");
}

/// `shape` is that of one of q, k and v.
Vectors vectors_of(const Shape& shape, std::vector<double> values, const std::string& place) {
  if (shape.size() != 2 && shape.size() != 3) {
    throw InputError(place + ": the shape is " + shape_text(shape) +
                     "; [tokens, heads, head_dim] or [tokens, head_dim] was expected");
  }
  if (values.empty()) throw InputError(place + ": the shape is " + shape_text(shape) + ", which holds no numbers");
  Vectors vectors;
  vectors.tokens = shape[0];
  vectors.heads = shape.size() == 3 ? shape[1] : 1;
  vectors.channels = shape.back();
  vectors.values = std::move(values);
  check_finite(vectors, place);
  return vectors;
}

Vectors array_of_npz(std::span<const std::byte> bytes, const std::string& source, const std::string& name) {
  Tensor tensor = parse_npz_array(bytes, source, name);
  const std::string place = source + ": " + name;
  check_format(tensor, place);
  return vectors_of(tensor.shape, std::move(tensor.values), place);
}

std::vector<Vectors> read_npz(std::span<const std::byte> bytes, const std::string& source) {
  std::vector<Vectors> parts = {array_of_npz(bytes, source, "q"), array_of_npz(bytes, source, "k")};
  const std::vector<std::string> names = list_npz(bytes, source);
  if (std::find(names.begin(), names.end(), "v") != names.end()) parts.push_back(array_of_npz(bytes, source, "v"));
  return parts;
}

std::vector<Vectors> read_stacked(std::span<const std::byte> bytes, const std::string& source) {
  const Tensor tensor = parse_npy(bytes, source);
  check_format(tensor, source);
  const Shape& shape = tensor.shape;
  if ((shape.size() != 3 && shape.size() != 4) || (shape[0] != 2 && shape[0] != 3)) {
    throw InputError(source + ": the shape is " + shape_text(shape) +
                     "; q and k stacked as [2, tokens, heads, head_dim] or [2, tokens, head_dim] (3 with v), or a .npz "
                     "with arrays q and k was expected");
  }
  std::vector<Vectors> parts;
  const auto size = static_cast<std::ptrdiff_t>(tensor.values.size()) / shape[0];
  for (std::int64_t part = 0; part < shape[0]; ++part) {
    const auto first = tensor.values.begin() + part * size;
    parts.push_back(vectors_of(Shape(shape.begin() + 1, shape.end()), std::vector<double>(first, first + size),
                               source + ": part " + std::to_string(part)));
  }
  return parts;
}

void check_fit(const std::vector<Vectors>& parts, const std::string& source) {
  const Vectors &q = parts[0], &k = parts[1];
  const auto text = [](const Vectors& of) { return shape_text({of.tokens, of.heads, of.channels}); };
  if (k.tokens != q.tokens || k.channels != q.channels || q.heads % k.heads != 0) {
    throw InputError(source + ": q is " + text(q) + " and k is " + text(k) +
                     "; the same tokens and head_dim, and as many heads or a divisor of them, were expected");
  }
  if (parts.size() == 2) return;
  const Vectors& v = parts[2];
  if (v.tokens != k.tokens || v.heads != k.heads) {
    throw InputError(source + ": k is " + text(k) + " and v is " + text(v) +
                     "; the same tokens and heads were expected");
  }
}

/// Rows of one head.
TokenMatrix rows_of(const std::vector<double>& values, std::int64_t tokens, std::int64_t heads, std::int64_t channels,
                    std::int64_t head) {
  using Strided = Eigen::Map<const TokenMatrix, 0, Eigen::OuterStride<>>;
  return Strided(values.data() + head * channels, tokens, channels, Eigen::OuterStride<>(heads * channels));
}

}  // namespace

AttentionDump parse_attention_dump(std::span<const std::byte> bytes, const std::string& source) {
  std::vector<Vectors> parts = is_zip(bytes) ? read_npz(bytes, source) : read_stacked(bytes, source);
  check_fit(parts, source);
  AttentionDump dump;
  dump.tokens = parts[0].tokens;
  dump.heads = parts[0].heads;
  dump.key_heads = parts[1].heads;
  dump.head_dim = parts[0].channels;
  dump.q = std::move(parts[0].values);
  dump.k = std::move(parts[1].values);
  if (parts.size() > 2) {
    dump.value_dim = parts[2].channels;
    dump.v = std::move(parts[2].values);
  }
  return dump;
}

AttentionInput head_of(const AttentionDump& dump, std::int64_t head, std::int64_t tokens, const std::string& source) {
  if (head < 1 || head > dump.heads) {
    throw InputError(source + ": there is no head " + std::to_string(head) + "; 1 to " + std::to_string(dump.heads) +
                     " was expected");
  }
  const std::int64_t count = std::min(tokens, dump.tokens), shared = (head - 1) / (dump.heads / dump.key_heads);
  AttentionInput input;
  input.queries = rows_of(dump.q, count, dump.heads, dump.head_dim, head - 1);
  input.keys = rows_of(dump.k, count, dump.key_heads, dump.head_dim, shared);
  if (dump.value_dim > 0) input.values = rows_of(dump.v, count, dump.key_heads, dump.value_dim, shared);
  return input;
}

}  // namespace ropescope
