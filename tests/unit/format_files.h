#pragma once

#include "app/resources/files.h"
#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {

/// Where the verbatim configs lie beside a checkout; they are not part of it.
inline fs::path shared_configs() {
  return fs::path(source_folder()) / ".." / "shared" / "configs";
}

inline fs::path preset_folder() {
  return fs::path(source_folder()) / "assets" / "models";
}

}  // namespace ropescope
