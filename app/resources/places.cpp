// Search for the assets next to the program, in the source tree, and at the package's install path.

#include "app/resources/places.h"

#include <fstream>
#include <string>
#include <vector>

#include "app/resources/system.h"
#include "core/message.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

bool holds_assets(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "text" / "en.json", ignored);
}

/// Returns an environment variable if it is an absolute folder; the XDG specification says to ignore relative ones.
fs::path absolute_folder(const char* variable) {
  fs::path folder = os::environment_path(variable);
  return folder.is_absolute() ? folder : fs::path();
}

/// Returns the assets of the checkout recorded in a file of the build folder: in the program it would also be in every
/// package.
std::string assets_of_build(const fs::path& folder) {
  std::ifstream file(folder / "source_assets.txt");
  std::string line;
  std::getline(file, line);
  return line;
}

/// Returns the possible asset folders, likelier ones first.
std::vector<fs::path> asset_folders() {
  std::vector<fs::path> candidates;
  if (const fs::path file = os::executable(); !file.empty()) {
    const fs::path folder = file.parent_path();
    candidates.push_back((folder / "../share/ropescope/assets").lexically_normal());
    candidates.push_back((folder / "../assets").lexically_normal());
    if (const std::string assets = assets_of_build(folder); !assets.empty()) candidates.emplace_back(assets);
  }
  candidates.emplace_back(ROPESCOPE_INSTALL_ASSETS);
  return candidates;
}

/// Returns the shaders folder, installed next to the assets. Only a window needs it, and reports a missing shader.
fs::path find_shaders(const fs::path& assets) {
  std::vector<fs::path> candidates = asset_folders();
  candidates.insert(candidates.begin(), assets);
  for (const fs::path& candidate : candidates) {
    const fs::path folder = candidate.parent_path() / "shaders";
    std::error_code ignored;
    if (fs::is_regular_file(folder / "map.frag", ignored)) return folder;
  }
  return assets.parent_path() / "shaders";
}

/// Finds the assets. Errors here are in plain English: there are no texts yet.
fs::path find_assets() {
  if (const fs::path named = os::environment_path("ROPESCOPE_ASSETS"); !named.empty()) {
    if (holds_assets(named)) return named;
    throw InputError("ROPESCOPE_ASSETS names " + named.string() + ", which has no text/en.json");
  }
  const std::vector<fs::path> candidates = asset_folders();
  std::string looked;
  for (const fs::path& candidate : candidates) {
    if (holds_assets(candidate)) return candidate;
    looked += (looked.empty() ? "" : ", ") + candidate.string();
  }
  throw InputError("the assets of ropescope were not found in " + looked + "; ROPESCOPE_ASSETS can name their folder");
}

}  // namespace

Places find_places() {
  Places places;
  places.assets = find_assets();
  places.shaders = find_shaders(places.assets);
  fs::path state = absolute_folder("XDG_STATE_HOME");
  if (state.empty()) state = os::state_folder();
  places.state = state / "ropescope";
  return places;
}

}  // namespace ropescope
