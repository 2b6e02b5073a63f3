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
  throw InputError(tensor.name, "dump.integers", {});
}

/// One of q, k and v, and how errors name it.
struct Part {
  StoredTensor vectors;
  Words name;
};

/// As [tokens, heads, channels].
Part part_of(StoredTensor tensor, Words name) {
  const Shape shape = tensor.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw InputError(name, "dump.shape", {{"shape", shape_text(shape)}});
  }
  if (tensor.count() == 0) throw InputError(name, "dump.empty", {{"shape", shape_text(shape)}});
  if (shape.size() == 2) {
    tensor.shape.insert(tensor.shape.begin() + 1, 1);
    tensor.strides.insert(tensor.strides.begin() + 1, 0);
  }
  return {std::move(tensor), std::move(name)};
}

Part part_of(const StoredTensor& tensor) {
  return part_of(tensor, as_it_is(tensor.name));
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
std::vector<Part> declare_npz(std::span<const std::byte> bytes, const std::string& source, const NpzLimits& limits) {
  std::vector<Part> parts;
  for (const char* name : {"q", "k", "v"}) {
    if (name == std::string("v") && !has_array(bytes, source, name)) break;
    const StoredTensor declared = declare_npz_array(bytes, source, name, limits, NpyNumbers::plain);
    check_format(declared);
    parts.push_back(part_of(declared));
  }
  return parts;
}

std::vector<Part> view_stacked(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                               const std::string& source) {
  const StoredTensor tensor = view_npy(bytes, std::move(owner), source, NpyNumbers::plain);
  check_format(tensor);
  const Shape& shape = tensor.shape;
  if ((shape.size() != 3 && shape.size() != 4) || (shape[0] != 2 && shape[0] != 3)) {
    throw InputError(source, "dump.stacked_shape", {{"shape", shape_text(shape)}});
  }
  std::vector<Part> parts;
  for (std::int64_t part = 0; part < shape[0]; ++part) {
    parts.push_back(part_of(item_of(tensor, 0, part), {"dump.part", {{"file", source}, {"number", part}}}));
  }
  return parts;
}

void check_fit(const std::vector<Part>& parts, const std::string& source) {
  const Shape &q = parts[0].vectors.shape, &k = parts[1].vectors.shape;
  if (k[0] != q[0] || k[2] != q[2] || q[1] % k[1] != 0) {
    throw InputError(source, "dump.q_and_k", {{"q", shape_text(q)}, {"k", shape_text(k)}});
  }
  if (parts.size() == 2) return;
  const Shape& v = parts[2].vectors.shape;
  if (v[0] != k[0] || v[1] != k[1]) {
    throw InputError(source, "dump.k_and_v", {{"k", shape_text(k)}, {"v", shape_text(v)}});
  }
}

void take_shapes(const std::vector<Part>& parts, AttentionDump& dump) {
  const Shape& q = parts[0].vectors.shape;
  dump.tokens = q[0];
  dump.heads = q[1];
  dump.key_heads = parts[1].vectors.shape[1];
  dump.head_dim = q[2];
  dump.value_dim = parts.size() > 2 ? parts[2].vectors.shape[2] : 0;
}

/// Rows of one head.
TokenMatrix rows_of(const StoredTensor& vectors, const Words& name, std::int64_t tokens, std::int64_t head) {
  const StoredTensor mine = item_of(vectors, 1, head);
  TokenMatrix rows(tokens, mine.shape[1]);
  read_rows(mine, 0, tokens, rows.data());
  for (Eigen::Index token = 0; token < rows.rows(); ++token) {
    for (Eigen::Index channel = 0; channel < rows.cols(); ++channel) {
      const double number = rows(token, channel);
      if (std::isfinite(number)) continue;
      throw InputError(name, std::isnan(number) ? "dump.nan" : "dump.infinite",
                       {{"place", shape_text({token, head, channel})}});
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
  std::vector<Part> parts = packed ? declare_npz(bytes, source, limits) : view_stacked(bytes, std::move(owner), source);
  check_fit(parts, source);
  if (!reading.values) parts.resize(2);
  AttentionDump dump;
  take_shapes(parts, dump);
  if (reading.accept) reading.accept(dump);
  constexpr const char* kNames[] = {"q", "k", "v"};
  StoredTensor* const kept[] = {&dump.q, &dump.k, &dump.v};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (packed) parts[i] = part_of(open_npz_array(bytes, source, kNames[i], limits, NpyNumbers::plain));
    *kept[i] = std::move(parts[i].vectors);
    dump.names[i] = std::move(parts[i].name);
  }
  return dump;
}

AttentionInput head_of(const AttentionDump& dump, std::int64_t head, std::int64_t tokens, const std::string& source) {
  if (head < 1 || head > dump.heads) {
    throw InputError(source, "dump.no_head", {{"head", head}, {"heads", dump.heads}});
  }
  const std::int64_t count = std::min(tokens, dump.tokens), shared = (head - 1) / (dump.heads / dump.key_heads);
  AttentionInput input;
  input.queries = rows_of(dump.q, dump.names[0], count, head - 1);
  input.keys = rows_of(dump.k, dump.names[1], count, shared);
  if (dump.value_dim > 0) input.values = rows_of(dump.v, dump.names[2], count, shared);
  return input;
}

}  // namespace ropescope
