#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/formats/npz.h"

namespace ropescope {

/// Number formats of tensors in files.
using NumberFormat = Storage;

/// A tensor read into doubles, row-major whatever the order in the file.
struct Tensor {
  std::vector<std::int64_t> shape;
  NumberFormat format = NumberFormat::float64;  ///< as stored in the file
  bool big_endian = false;                      ///< as stored in the file
  std::vector<double> values;                   ///< of complex formats real, imaginary
};

inline Tensor read_tensor(const StoredTensor& stored) {
  Tensor tensor{stored.shape, stored.storage, stored.big_endian,
                std::vector<double>(static_cast<std::size_t>(stored.count()))};
  if (!tensor.values.empty()) read_rows(stored, 0, stored.shape.empty() ? 1 : stored.shape[0], tensor.values.data());
  return tensor;
}

/// Plain numbers of a .npy.
inline Tensor parse_npy(std::span<const std::byte> bytes, const std::string& source) {
  return read_tensor(view_npy(bytes, nullptr, source, NpyNumbers::plain));
}
inline Tensor parse_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                              const NpzLimits& limits = {}) {
  return read_tensor(open_npz_array(bytes, source, name, limits, NpyNumbers::plain));
}

/// The bytes of a .npy in the tensor's own format and byte order, as the program writes them. As many values as the
/// shape asks for, twice as many where complex.
inline std::vector<std::byte> write_npy(const Tensor& tensor) {
  StoredTensor stored;
  stored.storage = tensor.format;
  stored.big_endian = tensor.big_endian;
  stored.shape = tensor.shape;
  const std::string header = to_npy_header(stored);
  const std::vector<std::byte> numbers = store_numbers(tensor.values, tensor.format, tensor.big_endian);
  std::vector<std::byte> bytes(header.size() + numbers.size());
  const auto after =
      std::transform(header.begin(), header.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  std::copy(numbers.begin(), numbers.end(), after);
  return bytes;
}

}  // namespace ropescope
