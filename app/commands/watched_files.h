#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/resources/file_state.h"

namespace ropescope {

/// Of each path; of a folder also of the model's files in it (.json, .gguf), so that a config in it counts.
std::vector<FileState> states_of(const std::vector<std::string>& paths);

/// What is done with files that are watched.
struct FileWatcher {
  std::vector<std::string> paths;
  /// Looks at the files and gives an exit code. `still_same` is whether they are as they were when it was called: what
  /// is found in files that changed meanwhile counts for nothing, and it is called again. Throws InputError.
  std::function<std::optional<int>(const std::function<bool()>& still_same)> look;
  /// Told once each time that some of the files are gone; it waits for them.
  std::function<void(const std::vector<std::string>& missing)> missing;
  /// Told what InputError said of files that have not changed for a second; gives an exit code.
  std::function<int(const std::string& why)> unusable;
};

/// Calls `look` once, and again whenever one of the files has changed and rests: where two looks, a fifth of a second
/// apart, find the same. Ends at the request to stop: the last exit code; none where there was none.
std::optional<int> watch_files(const FileWatcher& watcher, const std::stop_token& stop);

}  // namespace ropescope
