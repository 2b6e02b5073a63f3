#pragma once

#include <string>

namespace ropescope {

/// A PNG that says how large its pixels are (its chunk pHYs), so that it has its size in millimetres where it is
/// placed.
std::string with_dpi(std::string png, double dpi);

}  // namespace ropescope
