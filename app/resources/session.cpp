#include "app/resources/session.h"

#include <string>
#include <vector>

namespace ropescope {

namespace {

namespace fs = std::filesystem;

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
  for (const fs::path& file : sessions_in(folder)) earlier_crashed_ |= os::remove_unlocked(file);
  path_ = folder / ("running-" + std::to_string(os::process_id()));
  // Locked before it has its name: another window that starts now must not take it for an abandoned one.
  os::create_locked(path_, file_);
}

Session::~Session() {
  if (file_.is_open()) os::remove_locked(path_, file_);
}

}  // namespace ropescope
