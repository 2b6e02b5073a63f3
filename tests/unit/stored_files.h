#pragma once

#include "tests/said.h"
#include "tests/store_values.h"

namespace ropescope {

inline std::span<const std::byte> bytes_of(const std::string& content) {
  return std::as_bytes(std::span(content));
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
