// Folders of assets, shaders and saved state. Included by files.h for all code that reads files.
#pragma once

#include <filesystem>

namespace ropescope {

/// The folders in use. Two can be overridden: ROPESCOPE_ASSETS for assets, XDG_STATE_HOME for state on every system.
struct Places {
  std::filesystem::path assets;   ///< next to the source tree, or ../share/ropescope from the installed binary
  std::filesystem::path shaders;  ///< next to the assets, or where assets would be searched; may be missing
  std::filesystem::path state;    ///< ~/.local/state/ropescope or its equivalent: last experiment, settings
};
/// Finds the places. Throws InputError with the searched folders if the assets are missing.
Places find_places();

}  // namespace ropescope
