#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// What a list of whole numbers may hold.
struct WholeNumbers {
  std::string_view field;  ///< whose text it is: "atlas.columns"
  std::int64_t most = 0;   ///< the largest number
  std::size_t count = 0;   ///< how many there may be
};
/// "0,1" or "0:7": whole numbers from 0 on; none of an empty text. Throws InputError that names the field.
std::vector<std::int64_t> whole_numbers_of(const std::string& text, const WholeNumbers& expected);

}  // namespace ropescope
