#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ropescope {

/// The bytes of a PNG of opaque RGBA rows from top to bottom. Precondition: rgba.size() == 4·width·height.
/// Throws InputError where there is no memory for it.
std::string encode_png(std::vector<std::uint8_t> rgba, int width, int height);

}  // namespace ropescope
