#pragma once

#include "core/check/reading/stored_tensor.h"
#include "tests/said.h"

namespace ropescope {

inline std::span<const std::byte> bytes_of(const std::string& content) {
  return std::as_bytes(std::span(content));
}

/// All numbers of a tensor, row-major; complex ones real, imaginary.
inline std::vector<double> numbers_of(const StoredTensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.count()) * (is_complex(tensor.storage) ? 2 : 1));
  read_rows(tensor, 0, tensor.shape.empty() ? 1 : tensor.shape[0], values.data());
  return values;
}

/// A .safetensors of this header and these numbers.
inline std::string safetensors_file(const std::string& header, const std::string& numbers) {
  std::string content;
  for (int k = 0; k < 8; ++k) content += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  return content + header + numbers;
}

inline std::string raw(const std::vector<double>& values, Storage storage, bool big_endian = false) {
  const std::vector<std::byte> bytes = store_numbers(values, storage, big_endian);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace ropescope
