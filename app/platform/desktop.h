// Desktop interface: lost displays, the clipboard, videos, signals. Implemented by desktop_posix.cpp (Linux and macOS)
// and desktop_windows.cpp; used by app/commands.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace ropescope {

// --- A display that is lost ----------------------------------------------------------------------------------------

/// Sets the function to call if the display is lost (X server gone, connection cut), before the program ends with exit
/// code 1. Never called on systems whose display cannot be lost separately.
void on_lost_display(std::function<void()> told);

// --- Pictures on the clipboard -------------------------------------------------------------------------------------

/// Puts a PNG on the clipboard. GLFW's clipboard supports only text, so a helper program is used: wl-copy on Wayland,
/// xclip on X11. Throws InputError that names the package to install if neither exists.
void copy_picture_to_clipboard(const std::string& png);

// --- Videos --------------------------------------------------------------------------------------------------------

/// Returns whether the optional program ffmpeg is installed.
bool has_ffmpeg();
/// Writes the pictures of a GIF file as an MP4 file by ffmpeg, replacing it. Throws InputError if ffmpeg reports an
/// error.
void write_mp4(const std::string& gif, const std::string& mp4);

// --- Signals -------------------------------------------------------------------------------------------------------

/// A request to stop the program: Ctrl+C, termination (SIGTERM; on Windows only at the end of a session, and for
/// programs without a window), or a closed terminal (SIGHUP; Windows waits some seconds for the program to end).
enum class StopRequest { interrupt, terminate, hang_up };

/// Converts such requests to a stop request during its lifetime; a second one ends the program. Requests that the
/// program was started to ignore stay ignored. Construct it before starting work threads, which inherit the blocked
/// signals.
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

/// Converts events that would end the program silently to write errors with a message: a closed pipe, or a file that
/// exceeds the size limit.
void let_writes_fail();

}  // namespace ropescope
