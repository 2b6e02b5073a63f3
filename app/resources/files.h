#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/resources/system.h"

namespace ropescope {

/// Opens a file for reading, and says its status. Never waits. Throws InputError: missing, a folder, unreadable, a pipe
/// or a device, whose size nobody knows.
os::File open_regular(const std::filesystem::path& path, os::Status& status);

/// Whole content of a file. Throws InputError as open_regular() does, and: larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{4} << 30);

/// The file appears whole (written beside as a temporary, flushed, renamed) or not at all. Path "-" writes to standard
/// output. Throws InputError: no such folder, not writable, a folder in its place, disk full.
void write_file(const std::filesystem::path& path, const std::string& content);

/// Throws InputError where the folder of a file to write is missing: better said before what takes long.
void require_folder(const std::filesystem::path& path);

/// Content that is made while it is written: every call gives the next piece, an empty one ends it.
using Pieces = std::function<std::string_view()>;
/// The same for content in pieces; nothing appears where a piece throws.
void write_file(const std::filesystem::path& path, const Pieces& pieces);

/// Where things live. Both are overridable: ROPESCOPE_ASSETS for the assets, XDG_STATE_HOME on every system.
struct Places {
  std::filesystem::path assets;   ///< beside the source tree or ../share/ropescope beside the installed binary
  std::filesystem::path shaders;  ///< beside the assets, or where assets would be looked for; may be missing
  std::filesystem::path state;    ///< ~/.local/state/ropescope or what is its like: last experiment, settings
};
/// Throws InputError where the assets are nowhere to be found (says where it looked).
Places find_places();

}  // namespace ropescope
