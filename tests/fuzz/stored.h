#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace tests {

/// All numbers of a tensor, read row by row; complex ones real, imaginary.
inline std::vector<double> rows_of(const ropescope::StoredTensor& tensor) {
  std::vector<double> values;
  if (tensor.strides.size() != tensor.shape.size()) __builtin_trap();
  const auto count = static_cast<std::size_t>(tensor.count());
  if (count * ropescope::storage_bytes(tensor.storage) > tensor.bytes.size()) __builtin_trap();
  if (count == 0) return values;
  values.resize(count * (ropescope::is_complex(tensor.storage) ? 2 : 1));
  const std::int64_t rows = tensor.shape.empty() ? 1 : tensor.shape[0];
  const std::size_t width = values.size() / static_cast<std::size_t>(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    ropescope::read_rows(tensor, row, 1, values.data() + static_cast<std::size_t>(row) * width);
  }
  return values;
}

/// Equal, where NaN equals NaN.
inline bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool both_nan = a[i] != a[i] && b[i] != b[i];
    if (!both_nan && a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace tests
