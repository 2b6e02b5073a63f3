#pragma once

#include <cstdint>
#include <string>

namespace ropescope {

/// What tells a file from another, or from what it was before.
struct FileStamp {
  std::string path;
  std::uintmax_t size = 0;
  std::int64_t time = 0;
  bool operator==(const FileStamp&) const = default;
};
/// Size and time are 0 where there is no such file.
FileStamp stamp_of(const std::string& path);

}  // namespace ropescope
