// What is asked of a desktop and its system: a lost display, the clipboard, signals. The twins desktop_posix.cpp (Linux
// and macOS) and desktop_windows.cpp answer; app/commands asks.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace ropescope {

// --- A display that is lost ----------------------------------------------------------------------------------------

/// Called where the display goes away (X server gone, connection cut), before the program ends with exit code 1. Where
/// a display cannot go away by itself it is never called.
void on_lost_display(std::function<void()> told);

// --- Pictures on the clipboard -------------------------------------------------------------------------------------

/// Puts a PNG on the clipboard. GLFW's clipboard holds text only, so a helper program does it: wl-copy on Wayland,
/// xclip on X11. Throws InputError that names what to install where there is neither.
void copy_picture_to_clipboard(const std::string& png);

// --- Signals -------------------------------------------------------------------------------------------------------

/// How a program is asked to stop: Ctrl+C, the request to end (SIGTERM; Windows has it at the end of a session alone,
/// and for programs without a window), a terminal that is closed (SIGHUP; Windows waits for some seconds until it has
/// stopped).
enum class StopRequest { interrupt, terminate, hang_up };

/// Turns such requests into one to stop while it lives; a second one ends the program. A program that was told to
/// ignore one of them still does. Construct it before the threads of the work start: they inherit that signals are held
/// back.
class StopOnSignals {
 public:
  /// `told` is called by another thread after the request to stop.
  explicit StopOnSignals(const std::vector<StopRequest>& requests, std::function<void()> told = {});
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  struct State;
  std::stop_source stop_;
  std::unique_ptr<State> state_;
};

/// Makes errors of writing, which have words, of what would end the program without any: a reader that went away, a
/// file that grows over the limit of its size.
void let_writes_fail();

}  // namespace ropescope
