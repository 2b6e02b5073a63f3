#pragma once

#include <span>
#include <string>

namespace ropescope {

/// The bytes of float64 numbers as they stand in a .npy of "<f8" after its header, to be appended to `bytes`.
void append_npy_numbers(std::span<const double> numbers, std::string& bytes);

}  // namespace ropescope
