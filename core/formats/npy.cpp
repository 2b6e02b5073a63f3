#include "core/formats/npy.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/npy_header.h"

namespace ropescope {

namespace {

struct FormatEntry {
  const char* code;  ///< kind and size as in descr, without the byte order
  Storage storage;
};

/// bfloat16 has no code of NumPy's own: ml_dtypes registers it as two bytes without a meaning.
constexpr FormatEntry kFormats[] = {
    {"f8", Storage::float64},   {"f4", Storage::float32},     {"f2", Storage::float16}, {"V2", Storage::bfloat16},
    {"i8", Storage::int64},     {"i4", Storage::int32},       {"i2", Storage::int16},   {"i1", Storage::int8},
    {"u1", Storage::uint8},     {"u2", Storage::uint16},      {"u4", Storage::uint32},  {"u8", Storage::uint64},
    {"c8", Storage::complex64}, {"c16", Storage::complex128},
};

const char* code_of(Storage storage) {
  return std::find_if(std::begin(kFormats), std::end(kFormats),
                      [&](const FormatEntry& entry) { return entry.storage == storage; })
      ->code;
}

struct Dtype {
  Storage storage = Storage::float64;
  bool big_endian = false;
};

Dtype parse_dtype(const std::string& descr, const std::string& source, NpyNumbers accepted) {
  const char order = descr.empty() ? ' ' : descr[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string code = descr.substr(has_order ? 1 : 0);
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const FormatEntry& entry) { return code == entry.code; });
  const bool plain = accepted == NpyNumbers::plain;
  if (found == std::end(kFormats) || (plain && (is_complex(found->storage) || found->storage == Storage::bfloat16))) {
    throw InputError(source, plain ? "npy.dtype_plain" : "npy.dtype", {{"dtype", in_quotes(descr)}});
  }
  return {found->storage, order == '>'};
}

/// Product of the shape. Throws where it does not fit; a 0 anywhere makes it 0.
std::uint64_t value_count(const std::vector<std::int64_t>& shape, std::uint64_t size, const std::string& source) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max() / size;
  for (const std::int64_t side : shape) {
    if (static_cast<std::uint64_t>(side) > most / count) {
      throw InputError(source, "npy.shape_too_large", {});
    }
    count *= static_cast<std::uint64_t>(side);
  }
  return count;
}

/// Column-major strides.
std::vector<std::int64_t> fortran_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t k = 1; k < shape.size(); ++k) strides[k] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// The tensor that the header at the beginning of a file declares, still without its numbers. `begin` is where they
/// begin in the file.
StoredTensor declared(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& source,
                      NpyNumbers accepted, std::size_t& begin) {
  NpyHeader header = parse_npy_header(bytes, file_bytes, source);
  const Dtype dtype = parse_dtype(header.descr, source, accepted);
  // Of 64 bits on every machine: a shape may claim more than a size_t holds.
  const std::uint64_t size = storage_bytes(dtype.storage), count = value_count(header.shape, size, source);
  begin = header.data_offset;
  const std::uint64_t there = file_bytes - begin;
  if (there != count * size) {
    throw InputError(source, there < count * size ? "npy.cut_short" : "npy.too_long",
                     {{"asked", count * size}, {"there", there}});
  }
  StoredTensor tensor;
  tensor.name = source;
  tensor.storage = dtype.storage;
  tensor.big_endian = dtype.big_endian;
  if (count == 0) {
    tensor.strides.assign(header.shape.size(), 0);
  } else {
    tensor.strides = header.fortran_order ? fortran_strides(header.shape) : row_major_strides(header.shape);
  }
  tensor.shape = std::move(header.shape);
  return tensor;
}

}  // namespace

StoredTensor view_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source,
                      NpyNumbers accepted) {
  std::size_t begin = 0;
  StoredTensor tensor = declared(bytes, bytes.size(), source, accepted, begin);
  tensor.bytes = bytes.subspan(begin);
  tensor.owner = std::move(owner);
  return tensor;
}

StoredTensor declare_npy(std::span<const std::byte> beginning, std::uint64_t file_bytes, const std::string& source,
                         NpyNumbers accepted) {
  std::size_t begin = 0;
  return declared_only(declared(beginning, file_bytes, source, accepted, begin));
}

std::string npy_header_of(const StoredTensor& tensor) {
  const std::string order = storage_bytes(tensor.storage) == 1 ? "|" : tensor.big_endian ? ">" : "<";
  return npy_header_text(order + code_of(tensor.storage), tensor.shape);
}

}  // namespace ropescope
