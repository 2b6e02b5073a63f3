#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/places.h"

namespace ropescope {

/// Where the verbatim configs lie beside a checkout; they are not part of it.
inline std::filesystem::path shared_configs() {
  return std::filesystem::path(source_folder()) / ".." / "shared" / "configs";
}

inline std::filesystem::path preset_folder() {
  return std::filesystem::path(source_folder()) / "assets" / "models";
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace ropescope
