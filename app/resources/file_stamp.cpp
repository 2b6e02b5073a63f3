#include "app/resources/file_stamp.h"

#include <filesystem>

namespace ropescope {

FileStamp stamp_of(const std::string& path) {
  FileStamp stamp;
  stamp.path = path;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return stamp;
  stamp.size = size;
  const auto time = std::filesystem::last_write_time(path, error);
  if (!error) stamp.time = static_cast<std::int64_t>(time.time_since_epoch().count());
  return stamp;
}

}  // namespace ropescope
