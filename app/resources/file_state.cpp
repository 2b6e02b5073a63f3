#include "app/resources/file_state.h"

#include <sys/stat.h>

namespace ropescope {

FileState state_of(const std::string& path) {
  FileState state;
  state.path = path;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return state;
  state.there = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
  state.size = static_cast<std::uintmax_t>(status.st_size);
  state.node = static_cast<std::uintmax_t>(status.st_ino);
  state.seconds = static_cast<std::int64_t>(status.st_mtim.tv_sec);
  state.nanoseconds = static_cast<std::int64_t>(status.st_mtim.tv_nsec);
  return state;
}

}  // namespace ropescope
