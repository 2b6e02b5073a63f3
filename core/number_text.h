#pragma once

#include <string>

namespace ropescope {

/// The shortest text that reads back to the same double; without an exponent from 0.0001 to 10¹⁵.
std::string number_text(double value);

}  // namespace ropescope
