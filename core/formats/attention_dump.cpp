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

bool has_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name) {
  const std::vector<std::string> names = list_npz(bytes, source);
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_format(const StoredTensor& tensor) {
  if (!is_integer(tensor.storage)) return;
  throw InputError(tensor.name + ": the dtype is an integer; float64, float32 or float16 was expected");
}

/// One of q, k and v as [tokens, heads, channels].
StoredTensor vectors_of(StoredTensor tensor) {
  const Shape shape = tensor.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw InputError(tensor.name + ": the shape is " + shape_text(shape) +
                     "; [tokens, heads, head_dim] or [tokens, head_dim] was expected");
  }
  if (tensor.count() == 0) {
    throw InputError(tensor.name + ": the shape is " + shape_text(shape) + ", which holds no numbers");
  }
  if (shape.size() == 2) {
    tensor.shape.insert(tensor.shape.begin() + 1, 1);
    tensor.strides.insert(tensor.strides.begin() + 1, 0);
  }
  return tensor;
}

/// What lies at an index of one axis.
StoredTensor item_of(const StoredTensor& tensor, std::size_t axis, std::int64_t index) {
  StoredTensor item = tensor;
  const auto bytes = static_cast<std::int64_t>(storage_bytes(tensor.storage));
  item.bytes = tensor.bytes.subspan(static_cast<std::size_t>(index * tensor.strides[axis] * bytes));
  item.shape.erase(item.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  item.strides.erase(item.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return item;
}

/// The arrays of a .npz as far as their headers tell.
std::vector<StoredTensor> declare_npz(std::span<const std::byte> bytes, const std::string& source,
                                      const NpzLimits& limits) {
  std::vector<StoredTensor> parts;
  for (const char* name : {"q", "k", "v"}) {
    if (name == std::string("v") && !has_array(bytes, source, name)) break;
    const StoredTensor declared = declare_npz_array(bytes, source, name, limits, NpyNumbers::plain);
    check_format(declared);
    parts.push_back(vectors_of(declared));
  }
  return parts;
}

std::vector<StoredTensor> view_stacked(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                       const std::string& source) {
  const StoredTensor tensor = view_npy(bytes, std::move(owner), source, NpyNumbers::plain);
  check_format(tensor);
  const Shape& shape = tensor.shape;
  if ((shape.size() != 3 && shape.size() != 4) || (shape[0] != 2 && shape[0] != 3)) {
    throw InputError(source + ": the shape is " + shape_text(shape) +
                     "; q and k stacked as [2, tokens, heads, head_dim] or [2, tokens, head_dim] (3 with v), or a .npz "
                     "with arrays q and k was expected");
  }
  std::vector<StoredTensor> parts;
  for (std::int64_t part = 0; part < shape[0]; ++part) {
    StoredTensor one = item_of(tensor, 0, part);
    one.name = source + ": part " + std::to_string(part);
    parts.push_back(vectors_of(std::move(one)));
  }
  return parts;
}

void check_fit(const std::vector<StoredTensor>& parts, const std::string& source) {
  const Shape &q = parts[0].shape, &k = parts[1].shape;
  if (k[0] != q[0] || k[2] != q[2] || q[1] % k[1] != 0) {
    throw InputError(source + ": q is " + shape_text(q) + " and k is " + shape_text(k) +
                     "; the same tokens and head_dim, and as many heads or a divisor of them, were expected");
  }
  if (parts.size() == 2) return;
  const Shape& v = parts[2].shape;
  if (v[0] != k[0] || v[1] != k[1]) {
    throw InputError(source + ": k is " + shape_text(k) + " and v is " + shape_text(v) +
                     "; the same tokens and heads were expected");
  }
}

void take_shapes(const std::vector<StoredTensor>& parts, AttentionDump& dump) {
  dump.tokens = parts[0].shape[0];
  dump.heads = parts[0].shape[1];
  dump.key_heads = parts[1].shape[1];
  dump.head_dim = parts[0].shape[2];
  dump.value_dim = parts.size() > 2 ? parts[2].shape[2] : 0;
}

/// Rows of one head.
TokenMatrix rows_of(const StoredTensor& vectors, std::int64_t tokens, std::int64_t head) {
  const StoredTensor mine = item_of(vectors, 1, head);
  TokenMatrix rows(tokens, mine.shape[1]);
  read_rows(mine, 0, tokens, rows.data());
  for (Eigen::Index token = 0; token < rows.rows(); ++token) {
    for (Eigen::Index channel = 0; channel < rows.cols(); ++channel) {
      const double number = rows(token, channel);
      if (std::isfinite(number)) continue;
      throw InputError(vectors.name + ": the number at [" + std::to_string(token) + ", " + std::to_string(head) + ", " +
                       std::to_string(channel) + "] is " + (std::isnan(number) ? "NaN" : "infinite") +
                       "; finite numbers were expected");
    }
  }
  return rows;
}

}  // namespace

AttentionDump parse_attention_dump(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& source, const DumpReading& reading) {
  NpzLimits limits;
  limits.stop = reading.stop;
  const bool packed = is_zip(bytes);
  std::vector<StoredTensor> parts =
      packed ? declare_npz(bytes, source, limits) : view_stacked(bytes, std::move(owner), source);
  check_fit(parts, source);
  if (!reading.values) parts.resize(2);
  AttentionDump dump;
  take_shapes(parts, dump);
  if (reading.accept) reading.accept(dump);
  constexpr const char* kNames[] = {"q", "k", "v"};
  StoredTensor* const kept[] = {&dump.q, &dump.k, &dump.v};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    *kept[i] = packed ? vectors_of(open_npz_array(bytes, source, kNames[i], limits, NpyNumbers::plain)) : parts[i];
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
  input.queries = rows_of(dump.q, count, head - 1);
  input.keys = rows_of(dump.k, count, shared);
  if (dump.value_dim > 0) input.values = rows_of(dump.v, count, shared);
  return input;
}

}  // namespace ropescope
