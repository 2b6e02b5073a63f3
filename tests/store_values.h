#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// A tensor over computed numbers: owns a copy in the storage asked for, as store_numbers makes it. As many values as
/// the shape asks for, twice as many where complex.
inline StoredTensor store_values(const std::string& name, const std::vector<std::int64_t>& shape,
                                 const std::vector<double>& values, Storage storage = Storage::float64) {
  StoredTensor tensor;
  tensor.name = name;
  tensor.storage = storage;
  tensor.shape = shape;
  tensor.strides = row_major_strides(shape);
  if (static_cast<std::size_t>(tensor.count()) * (is_complex(storage) ? 2 : 1) != values.size()) {
    throw std::invalid_argument(name + ": the shape does not fit the values");
  }
  const auto owned = std::make_shared<const std::vector<std::byte>>(store_numbers(values, storage));
  tensor.bytes = *owned;
  tensor.owner = owned;
  return tensor;
}

/// All numbers of a tensor, row-major; complex ones real, imaginary.
inline std::vector<double> numbers_of(const StoredTensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.count()) * (is_complex(tensor.storage) ? 2 : 1));
  read_rows(tensor, 0, tensor.shape.empty() ? 1 : tensor.shape[0], values.data());
  return values;
}

}  // namespace ropescope
