#pragma once

#include <span>
#include <string>

namespace ropescope {

/// The bytes of float64 numbers as they stand in a .npy of "<f8" after its header, to be appended to `bytes`.
void append_npy_numbers(std::span<const double> numbers, std::string& bytes);

/// What an option that takes a list of numbers or a .npy means: a file where it ends so or where there is one, but a
/// list where it can be one.
bool names_npy_file(const std::string& text);

}  // namespace ropescope
