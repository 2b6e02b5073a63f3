// Where the assets, the shaders and what the program remembers lie. files.h includes it for all who read files.
#pragma once

#include <filesystem>

namespace ropescope {

/// Where things live. Both are overridable: ROPESCOPE_ASSETS for the assets, XDG_STATE_HOME on every system.
struct Places {
  std::filesystem::path assets;   ///< beside the source tree or ../share/ropescope beside the installed binary
  std::filesystem::path shaders;  ///< beside the assets, or where assets would be looked for; may be missing
  std::filesystem::path state;    ///< ~/.local/state/ropescope or what is its like: last experiment, settings
};
/// Finds the places. Throws InputError where the assets are nowhere to be found (says where it looked).
Places find_places();

}  // namespace ropescope
