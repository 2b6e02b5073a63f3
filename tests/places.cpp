#include "tests/places.h"

namespace ropescope {

std::string source_folder() {
  return ROPESCOPE_SOURCE_DIR;
}

std::string program_file() {
  return ROPESCOPE_BINARY_DIR "/ropescope";
}

std::string state_folder() {
  return ROPESCOPE_BINARY_DIR "/test_state";
}

}  // namespace ropescope
