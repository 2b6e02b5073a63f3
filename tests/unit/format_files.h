#pragma once

#include <filesystem>

#include "app/resources/files.h"
#include "tests/places.h"

namespace ropescope {

/// Where the verbatim configs lie beside a checkout; they are not part of it.
inline std::filesystem::path shared_configs() {
  return std::filesystem::path(source_folder()) / ".." / "shared" / "configs";
}

inline std::filesystem::path preset_folder() {
  return std::filesystem::path(source_folder()) / "assets" / "models";
}

}  // namespace ropescope
