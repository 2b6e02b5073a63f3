// Whether a test takes its whole product or a sample of it.
#pragma once

#include <cstdlib>
#include <string_view>

namespace ropescope {

/// Returns true if the environment variable ROPESCOPE_LONG is 1: a test may then take minutes.
inline bool is_long_run() {
  const char* const value = std::getenv("ROPESCOPE_LONG");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace ropescope
