#include "app/resources/session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace ropescope {

namespace {

namespace fs = std::filesystem;

/// Removes the file of a session where nobody holds its lock; true: there was one.
bool remove_abandoned(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool abandoned = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (abandoned) ::unlink(file.c_str());
  ::close(descriptor);
  return abandoned;
}

std::vector<fs::path> sessions_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with("running-")) found.push_back(it->path());
  }
  return found;
}

}  // namespace

Session::Session(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const fs::path& file : sessions_in(folder)) earlier_crashed_ |= remove_abandoned(file);
  // Locked before it has its name: another window that starts now must not take it for an abandoned one.
  std::string part = (folder / ".running-XXXXXX").string();
  descriptor_ = ::mkostemp(part.data(), O_CLOEXEC);
  if (descriptor_ < 0) return;
  file_ = folder / ("running-" + std::to_string(::getpid()));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 && ::rename(part.c_str(), file_.c_str()) == 0) return;
  ::unlink(part.c_str());
  ::close(descriptor_);
  descriptor_ = -1;
}

Session::~Session() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace ropescope
