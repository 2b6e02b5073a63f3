// Reading and writing of numbers in every storage format, and half a unit of each. Read stored_tensor.h first.

#include "core/check/reading/stored_tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "core/message.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

struct StorageEntry {
  Storage storage;
  std::string_view name;
  std::size_t bytes;
};

constexpr StorageEntry kStorages[] = {
    {Storage::float64, "float64", 8},     {Storage::float32, "float32", 4},
    {Storage::float16, "float16", 2},     {Storage::bfloat16, "bfloat16", 2},
    {Storage::int8, "int8", 1},           {Storage::int16, "int16", 2},
    {Storage::int32, "int32", 4},         {Storage::int64, "int64", 8},
    {Storage::uint8, "uint8", 1},         {Storage::uint16, "uint16", 2},
    {Storage::uint32, "uint32", 4},       {Storage::uint64, "uint64", 8},
    {Storage::complex64, "complex64", 8}, {Storage::complex128, "complex128", 16},
};

const StorageEntry& entry_of(Storage storage) {
  return *std::find_if(std::begin(kStorages), std::end(kStorages),
                       [&](const StorageEntry& entry) { return entry.storage == storage; });
}

/// Returns the storage of a complex number's components; any other storage is its own component.
Storage component_of(Storage storage) {
  if (storage == Storage::complex64) return Storage::float32;
  if (storage == Storage::complex128) return Storage::float64;
  return storage;
}

/// Formats of 16 bits for which the language has no type.
struct Float16 {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};

double number_of_bits(Float16 number) {
  return float16_value(number.bits);
}
double number_of_bits(Bfloat16 number) {
  return bfloat16_value(number.bits);
}
template <class T>
double number_of_bits(T number) {
  return static_cast<double>(number);
}

template <class T>
T integer_of(double value) {
  const double rounded = std::nearbyint(value);
  // 2^63 and 2^64 are doubles, the largest integers are not: compare below the power.
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (!(rounded >= static_cast<double>(std::numeric_limits<T>::min()) && rounded < above)) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.17g", value);
    throw InputError("check.integer_bits", {{"number", text.data()}, {"bits", 8 * sizeof(T)}});
  }
  return static_cast<T>(rounded);
}

template <class T>
T stored_as(double value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return {float16_bits(value)};
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return {bfloat16_bits(value)};
  } else if constexpr (std::is_same_v<T, float>) {
    // Rounded first: a plain cast of a number beyond float's range is undefined.
    return static_cast<float>(round_to_float32(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return integer_of<T>(value);
  }
}

/// Calls act(T{}) with the component type of this storage.
template <class Act>
void visit_component_type(Storage storage, const Act& act) {
  switch (component_of(storage)) {
    case Storage::float64:
      return act(double{});
    case Storage::float32:
      return act(float{});
    case Storage::float16:
      return act(Float16{});
    case Storage::bfloat16:
      return act(Bfloat16{});
    case Storage::int8:
      return act(std::int8_t{});
    case Storage::int16:
      return act(std::int16_t{});
    case Storage::int32:
      return act(std::int32_t{});
    case Storage::int64:
      return act(std::int64_t{});
    case Storage::uint8:
      return act(std::uint8_t{});
    case Storage::uint16:
      return act(std::uint16_t{});
    case Storage::uint32:
      return act(std::uint32_t{});
    case Storage::uint64:
      return act(std::uint64_t{});
    case Storage::complex64:
    case Storage::complex128:
      return;  // excluded by component_of
  }
}

/// Returns whether the bytes of a number are in the opposite order to this machine's.
bool is_foreign(bool big_endian) {
  return big_endian != (std::endian::native == std::endian::big);
}

template <class T>
double load_stored_tensor(const std::byte* from, bool foreign) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (foreign) std::reverse(raw.begin(), raw.end());
  return number_of_bits(std::bit_cast<T>(raw));
}

/// One axis of a copy: the number of elements, and the strides at the source and the destination.
struct Axis {
  std::int64_t size, from, to;
};

template <class T>
void copy_axes(const std::byte* from, bool foreign, std::span<const Axis> axes, double* to) {
  const Axis& axis = axes.front();
  if (axes.size() > 1) {
    for (std::int64_t i = 0; i < axis.size; ++i) {
      copy_axes<T>(from + i * axis.from * static_cast<std::int64_t>(sizeof(T)), foreign, axes.subspan(1),
                   to + i * axis.to);
    }
  } else if (axis.from == 1 && axis.to == 1 && !foreign) {
    // The common case, without a stride, which the compiler can vectorise.
    for (std::int64_t i = 0; i < axis.size; ++i)
      to[i] = load_stored_tensor<T>(from + static_cast<std::size_t>(i) * sizeof(T), false);
  } else {
    for (std::int64_t i = 0; i < axis.size; ++i) {
      to[i * axis.to] = load_stored_tensor<T>(from + i * axis.from * static_cast<std::int64_t>(sizeof(T)), foreign);
    }
  }
}

/// Merges axes as far as their strides allow, and sorts the one with the smallest stride last: a tensor in Fortran
/// order is then read in the order of its bytes too.
std::vector<Axis> merge_axes(std::vector<Axis> axes) {
  std::erase_if(axes, [](const Axis& axis) { return axis.size == 1; });
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.from > b.from; });
  std::vector<Axis> kept;
  for (const Axis& axis : axes) {
    if (!kept.empty() && kept.back().from == axis.size * axis.from && kept.back().to == axis.size * axis.to) {
      kept.back() = {kept.back().size * axis.size, axis.from, axis.to};
    } else {
      kept.push_back(axis);
    }
  }
  if (kept.empty()) kept.push_back({1, 1, 1});
  return kept;
}

FloatFormat format_of(Storage component) {
  switch (component) {
    case Storage::float32:
      return kFloat32Format;
    case Storage::float16:
      return kFloat16Format;
    case Storage::bfloat16:
      return kBfloat16Format;
    default:
      return kFloat64Format;
  }
}

/// Returns half a unit of the last digit with which a number of this size was printed.
double printed_half_unit(const Printed& printed, double value) {
  const double leading =
      value == 0 ? -std::numeric_limits<double>::infinity() : std::floor(std::log10(std::abs(value)));
  return 0.5 * std::max(std::pow(10.0, -printed.decimals), std::pow(10.0, leading - printed.digits + 1));
}

/// Bytes of a declared tensor's number, as many as the largest element has.
constexpr std::array<std::byte, 16> kStandIn = [] {
  std::array<std::byte, 16> bytes{};
  for (std::byte& byte : bytes) byte = std::byte{0x3C};
  return bytes;
}();

}  // namespace

StoredTensor declared_only(StoredTensor tensor) {
  tensor.strides.assign(tensor.shape.size(), 0);
  tensor.bytes = kStandIn;
  tensor.owner.reset();
  return tensor;
}

bool is_declared_only(const StoredTensor& tensor) {
  return tensor.bytes.data() == kStandIn.data();
}

std::size_t storage_bytes(Storage storage) {
  return entry_of(storage).bytes;
}

bool is_complex(Storage storage) {
  return storage == Storage::complex64 || storage == Storage::complex128;
}

bool is_integer(Storage storage) {
  return storage >= Storage::int8 && storage <= Storage::uint64;
}

std::string_view storage_name(Storage storage) {
  return entry_of(storage).name;
}

std::int64_t StoredTensor::count() const {
  // The other axes of an empty tensor may have any length.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t element_bytes(const StoredTensor& tensor) {
  return storage_bytes(tensor.of_angles ? tensor.of_angles->stored : tensor.storage);
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  return strides;
}

void read_rows(const StoredTensor& tensor, std::int64_t first, std::int64_t count, double* out) {
  std::vector<std::int64_t> shape = tensor.shape, strides = tensor.strides;
  std::int64_t begin = 0;
  if (!shape.empty()) {
    shape[0] = count;
    begin = first * strides[0];
  } else if (count < 1) {
    return;
  }
  if (is_complex(tensor.storage)) {
    for (std::int64_t& stride : strides) stride *= 2;
    begin *= 2;
    shape.push_back(2);
    strides.push_back(1);
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  const std::vector<std::int64_t> to = row_major_strides(shape);
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < shape.size(); ++k) axes.push_back({shape[k], strides[k], to[k]});
  axes = merge_axes(std::move(axes));
  visit_component_type(tensor.of_angles ? tensor.of_angles->stored : tensor.storage, [&](auto type) {
    using T = decltype(type);
    copy_axes<T>(tensor.bytes.data() + begin * static_cast<std::int64_t>(sizeof(T)), is_foreign(tensor.big_endian),
                 axes, out);
  });
  if (!tensor.of_angles) return;
  const bool sine = tensor.of_angles->sine, rounds = tensor.storage == Storage::float32;
  const std::int64_t numbers = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  std::transform(out, out + numbers, out, [sine, rounds](double angle) {
    const double number = sine ? std::sin(angle) : std::cos(angle);
    return rounds ? round_to_float32(number) : number;
  });
}

double half_unit(const StoredTensor& tensor, double value) {
  if (is_integer(tensor.storage)) return 0;
  const FloatFormat format = format_of(component_of(tensor.storage));
  const int exponent = std::max(value == 0 ? format.smallest_normal : std::ilogb(value), format.smallest_normal);
  if (exponent > format.largest_exponent) return std::numeric_limits<double>::infinity();
  const double binary = std::ldexp(1.0, exponent - format.fraction_bits - 1);
  return tensor.printed ? std::max(binary, printed_half_unit(*tensor.printed, value)) : binary;
}

std::vector<std::byte> store_numbers(std::span<const double> values, Storage storage, bool big_endian) {
  std::vector<std::byte> bytes;
  visit_component_type(storage, [&](auto type) {
    using T = decltype(type);
    bytes.reserve(values.size() * sizeof(T));
    for (const double value : values) {
      auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(stored_as<T>(value));
      if (is_foreign(big_endian)) std::reverse(raw.begin(), raw.end());
      bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
  });
  return bytes;
}

}  // namespace ropescope
