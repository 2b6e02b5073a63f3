#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ropescope {

/// The bytes of a PNG of opaque RGBA rows from top to bottom. Precondition: rgba.size() == 4·width·height.
std::string encode_png(const std::vector<std::uint8_t>& rgba, int width, int height);

}  // namespace ropescope
