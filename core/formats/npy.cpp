#include "core/formats/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/npy_header.h"
#include "core/precision/short_floats.h"

namespace ropescope {

namespace {

struct FormatEntry {
  const char* code;  ///< kind and size as in descr, without the byte order
  NumberFormat format;
  std::size_t size;
};

constexpr FormatEntry kFormats[] = {
    {"f8", NumberFormat::float64, 8}, {"f4", NumberFormat::float32, 4}, {"f2", NumberFormat::float16, 2},
    {"i8", NumberFormat::int64, 8},   {"i4", NumberFormat::int32, 4},   {"i2", NumberFormat::int16, 2},
    {"i1", NumberFormat::int8, 1},    {"u1", NumberFormat::uint8, 1},   {"u2", NumberFormat::uint16, 2},
    {"u4", NumberFormat::uint32, 4},  {"u8", NumberFormat::uint64, 8},
};

const FormatEntry& entry_of(NumberFormat format) {
  for (const FormatEntry& entry : kFormats) {
    if (entry.format == format) return entry;
  }
  throw InputError("a tensor has a number format that .npy does not know");
}

struct Dtype {
  FormatEntry entry;
  bool big_endian = false;
};

Dtype parse_dtype(const std::string& descr, const std::string& source) {
  const char order = descr.empty() ? ' ' : descr[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  for (const FormatEntry& entry : kFormats) {
    if (descr.substr(has_order ? 1 : 0) == entry.code) return {entry, order == '>'};
  }
  throw InputError(source + ": the .npy holds numbers of dtype " + in_quotes(descr) +
                   "; float64, float32, float16 or integers (i1 to i8, u1 to u8) were expected");
}

/// Product of the shape. Throws where it does not fit; a 0 anywhere makes it 0.
std::size_t value_count(const std::vector<std::int64_t>& shape, std::size_t size, const std::string& source) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max() / size;
  for (const std::int64_t side : shape) {
    if (static_cast<std::uint64_t>(side) > most / count) {
      throw InputError(source + ": the shape of the .npy has more numbers than any file can hold");
    }
    count *= static_cast<std::uint64_t>(side);
  }
  return static_cast<std::size_t>(count);
}

/// The unsigned integer as wide as T.
template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

template <class T>
double stored(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<T>(static_cast<Bits<T>>(bits)));
}

double decode(NumberFormat format, std::uint64_t bits) {
  switch (format) {
    case NumberFormat::float64:
      return stored<double>(bits);
    case NumberFormat::float32:
      return stored<float>(bits);
    case NumberFormat::float16:
      return float16_value(static_cast<std::uint16_t>(bits));
    case NumberFormat::int64:
      return stored<std::int64_t>(bits);
    case NumberFormat::int32:
      return stored<std::int32_t>(bits);
    case NumberFormat::int16:
      return stored<std::int16_t>(bits);
    case NumberFormat::int8:
      return stored<std::int8_t>(bits);
    case NumberFormat::uint8:
      return stored<std::uint8_t>(bits);
    case NumberFormat::uint16:
      return stored<std::uint16_t>(bits);
    case NumberFormat::uint32:
      return stored<std::uint32_t>(bits);
    case NumberFormat::uint64:
      return stored<std::uint64_t>(bits);
  }
  return 0;
}

template <class T>
std::uint64_t integer_bits(double value) {
  const double rounded = std::nearbyint(value);
  // 2^63 and 2^64 are doubles, the largest integers are not: compare below the power.
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (!(rounded >= static_cast<double>(std::numeric_limits<T>::min()) && rounded < above)) {
    throw InputError("the number " + number_text(value) + " does not fit the integer format of the .npy");
  }
  return static_cast<std::uint64_t>(static_cast<T>(rounded));
}

/// A double beyond float32's range becomes infinity, which the language leaves open for a plain cast.
float rounded_float(double value) {
  constexpr double kHalfStepAbove = 0x1.ffffffp127;
  if (std::abs(value) >= kHalfStepAbove)
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(std::copysign(1.0, value)));
  return static_cast<float>(value);
}

std::uint64_t encode(NumberFormat format, double value) {
  switch (format) {
    case NumberFormat::float64:
      return std::bit_cast<std::uint64_t>(value);
    case NumberFormat::float32:
      return std::bit_cast<std::uint32_t>(rounded_float(value));
    case NumberFormat::float16:
      return float16_bits(value);
    case NumberFormat::int64:
      return integer_bits<std::int64_t>(value);
    case NumberFormat::int32:
      return integer_bits<std::int32_t>(value);
    case NumberFormat::int16:
      return integer_bits<std::int16_t>(value);
    case NumberFormat::int8:
      return integer_bits<std::int8_t>(value);
    case NumberFormat::uint8:
      return integer_bits<std::uint8_t>(value);
    case NumberFormat::uint16:
      return integer_bits<std::uint16_t>(value);
    case NumberFormat::uint32:
      return integer_bits<std::uint32_t>(value);
    case NumberFormat::uint64:
      return integer_bits<std::uint64_t>(value);
  }
  return 0;
}

std::vector<double> decode_all(std::span<const std::byte> data, const Dtype& dtype, std::size_t count) {
  const std::size_t size = dtype.entry.size;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t place = dtype.big_endian ? size - 1 - k : k;
      bits |= std::to_integer<std::uint64_t>(data[i * size + k]) << (8 * place);
    }
    values[i] = decode(dtype.entry.format, bits);
  }
  return values;
}

/// Column-major values in row-major order.
std::vector<double> row_major(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  std::vector<double> ordered(values.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  std::vector<std::size_t> stride(shape.size(), 1);
  for (std::size_t k = 1; k < shape.size(); ++k) stride[k] = stride[k - 1] * static_cast<std::size_t>(shape[k - 1]);
  std::size_t source = 0;
  for (double& value : ordered) {
    value = values[source];
    for (std::size_t k = shape.size(); k-- > 0;) {
      source += stride[k];
      if (++index[k] < shape[k]) break;
      source -= stride[k] * static_cast<std::size_t>(shape[k]);
      index[k] = 0;
    }
  }
  return ordered;
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, const std::string& source) {
  const NpyHeader header = parse_npy_header(bytes, source);
  const Dtype dtype = parse_dtype(header.descr, source);
  const std::size_t count = value_count(header.shape, dtype.entry.size, source);
  const std::span<const std::byte> data = bytes.subspan(header.data_offset);
  const std::size_t expected = count * dtype.entry.size;
  if (data.size() != expected) {
    throw InputError(source + ": the .npy " + (data.size() < expected ? "is cut short" : "has bytes after its end") +
                     ": its shape asks for " + std::to_string(expected) + " bytes of numbers, " +
                     std::to_string(data.size()) + " are there");
  }
  Tensor tensor;
  tensor.shape = header.shape;
  tensor.format = dtype.entry.format;
  tensor.big_endian = dtype.big_endian;
  tensor.values = decode_all(data, dtype, count);
  if (header.fortran_order && header.shape.size() > 1 && count > 1) {
    tensor.values = row_major(tensor.values, header.shape);
  }
  return tensor;
}

std::vector<std::byte> write_npy(const Tensor& tensor) {
  const FormatEntry& entry = entry_of(tensor.format);
  const auto negative = [](std::int64_t side) { return side < 0; };
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), negative) ||
      value_count(tensor.shape, entry.size, "tensor") != tensor.values.size()) {
    throw InputError("a tensor's shape does not fit its " + std::to_string(tensor.values.size()) + " numbers");
  }
  const std::string order = entry.size == 1 ? "|" : tensor.big_endian ? ">" : "<";
  const std::string header = npy_header_text(order + entry.code, tensor.shape);
  std::vector<std::byte> bytes(header.size() + tensor.values.size() * entry.size);
  std::transform(header.begin(), header.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  std::byte* next = bytes.data() + header.size();
  for (const double value : tensor.values) {
    const std::uint64_t bits = encode(tensor.format, value);
    for (std::size_t k = 0; k < entry.size; ++k) {
      const std::size_t place = tensor.big_endian ? entry.size - 1 - k : k;
      *next++ = static_cast<std::byte>(bits >> (8 * place) & 0xFF);
    }
  }
  return bytes;
}

}  // namespace ropescope
