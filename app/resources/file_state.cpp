#include "app/resources/file_state.h"

#include "app/resources/system.h"

namespace ropescope {

FileState state_of(const std::string& path) {
  FileState state;
  state.path = path;
  os::Status status;
  if (os::status_of(path, status)) return state;
  state.there = status.kind != os::Kind::other;
  state.size = status.size;
  state.node = status.node;
  state.seconds = status.seconds;
  state.nanoseconds = status.nanoseconds;
  return state;
}

}  // namespace ropescope
