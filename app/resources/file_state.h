#pragma once

#include <cstdint>
#include <string>

namespace ropescope {

/// What tells a file from what it was before: it is another one of that name, or its size or time changed.
struct FileState {
  std::string path;
  bool there = false;  ///< a regular file, or a folder
  std::uintmax_t size = 0, node = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  bool operator==(const FileState&) const = default;
};
FileState state_of(const std::string& path);

}  // namespace ropescope
