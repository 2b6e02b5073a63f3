#include "tests/places.h"

#include <filesystem>

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

std::string written_file(const std::string& name) {
  const std::filesystem::path folder = ROPESCOPE_BINARY_DIR "/test_written";
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

}  // namespace ropescope
