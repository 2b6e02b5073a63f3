#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace ropescope {

/// An empty folder of its own, removed at the end.
struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::random_device random;
    do {
      path = std::filesystem::temp_directory_path() / ("ropescope-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path));  // somebody's already
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace ropescope
