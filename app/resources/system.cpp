// The system-independent part of system.h.

#include "app/resources/system.h"

#include <utility>

namespace ropescope::os {

File& File::operator=(File&& other) noexcept {
  if (this == &other) return *this;
  close();
  handle_ = other.release();
  return *this;
}

File::Handle File::release() {
  return std::exchange(handle_, kNone);
}

}  // namespace ropescope::os
