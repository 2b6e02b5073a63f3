#include "app/commands/watched_files.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/resources/text.h"
#include "core/error.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks(200), kDoubt(1000), kStep(20);

/// Folders in which a model may keep its config: a pipeline's transformer, its VAE.
constexpr int kDeepest = 1;

void add_models_in(const std::string& folder, std::vector<FileState>& states) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    const std::string ending = at->path().extension().string();
    if (ending == ".json" || ending == ".gguf") found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  for (const std::string& path : found) states.push_back(state_of(path));
}

/// False where it was stopped meanwhile.
bool rest(milliseconds duration, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kStep);
  return !stop.stop_requested();
}

/// The states once two looks find the same.
std::vector<FileState> at_rest(const std::vector<std::string>& paths, const std::stop_token& stop) {
  std::vector<FileState> states = states_of(paths);
  while (rest(kBetweenLooks, stop)) {
    std::vector<FileState> next = states_of(paths);
    if (next == states) break;
    states = std::move(next);
  }
  return states;
}

std::vector<std::string> missing_in(const std::vector<FileState>& states) {
  std::vector<std::string> missing;
  for (const FileState& state : states) {
    if (!state.there) missing.push_back(state.path);
  }
  return missing;
}

}  // namespace

std::vector<FileState> states_of(const std::vector<std::string>& paths) {
  std::vector<FileState> states;
  for (const std::string& path : paths) {
    states.push_back(state_of(path));
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) continue;
    // Other files may come and go in it.
    states.back() = {};
    states.back().path = path;
    states.back().there = true;
    add_models_in(path, states);
  }
  return states;
}

std::optional<int> watch_files(const FileWatcher& watcher, const std::stop_token& stop) {
  std::optional<int> last;
  std::optional<std::vector<FileState>> seen;
  while (!stop.stop_requested()) {
    const std::vector<FileState> now = at_rest(watcher.paths, stop);
    if (stop.stop_requested()) break;
    if (seen && now == *seen) continue;
    if (const std::vector<std::string> missing = missing_in(now); !missing.empty()) {
      watcher.missing(missing);
      seen = now;
      continue;
    }
    const auto still_same = [&] { return states_of(watcher.paths) == now; };
    try {
      const std::optional<int> code = watcher.look(still_same);
      if (!code) continue;
      last = code;
    } catch (const InputError& error) {
      // Perhaps its writer only paused.
      if (!rest(kDoubt, stop) || !still_same()) continue;
      last = watcher.unusable(said_in_english(error.words()));
    }
    seen = now;
  }
  return last;
}

}  // namespace ropescope
