#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// What a .csv may cost: its numbers are kept as float64. More is refused with a named error.
struct CsvLimits {
  std::size_t numbers = std::size_t{1} << 25;
  std::stop_token stop = {};  ///< ends reading by an InputError
};

/// Numbers separated by commas, one row a line, as [rows, columns]; blanks around a number and blank lines at the end
/// do not matter. A first line none of whose cells begins as a number is a header. The tensor owns its values; `source`
/// names the file in errors and is the tensor's name. Throws InputError that names line and column (both counted from
/// 1): text in a cell, NaN and infinity, an empty cell, a number beyond double, a row of another length; and: nothing
/// in it, more than the limit.
StoredTensor parse_csv(std::span<const std::byte> bytes, const std::string& source, const CsvLimits& limits = {});

}  // namespace ropescope
