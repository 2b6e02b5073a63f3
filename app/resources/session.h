#pragma once

#include <filesystem>

#include "app/resources/system.h"

namespace ropescope {

/// A window at work on the state of a folder: a file `running-PID` there, locked as long as the process lives and
/// removed where it ends in good order. One that nobody holds the lock of was left by a window that crashed or was
/// killed.
class Session {
 public:
  /// Never throws: where nothing can be written there is nothing to tell the next window.
  explicit Session(const std::filesystem::path& folder);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Whether an earlier window of this folder ended without saying so; told once.
  bool earlier_crashed() const { return earlier_crashed_; }

 private:
  std::filesystem::path path_;
  os::File file_;
  bool earlier_crashed_ = false;
};

}  // namespace ropescope
