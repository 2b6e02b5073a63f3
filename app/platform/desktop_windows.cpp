// Lost displays, the clipboard, videos and signals on Windows. Read desktop.h first.
//
// Contents: A display that is lost; Pictures on the clipboard; Signals; Videos.

#include <windows.h>

#include <process.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

#include "app/platform/desktop.h"
#include "app/resources/system.h"
#include "core/message.h"

namespace ropescope {

// --- A display that is lost ----------------------------------------------------------------------------------------

void on_lost_display(std::function<void()> /*told*/) {}

// --- Pictures on the clipboard -------------------------------------------------------------------------------------

namespace {

/// Opens the clipboard, which another program may be using for a moment. It requires a window of this program.
bool open_clipboard() {
  constexpr int kTries = 10;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (::OpenClipboard(::GetActiveWindow())) return true;
    ::Sleep(10);
  }
  return false;
}

// --- Signals -------------------------------------------------------------------------------------------------------

/// A receiver of requests. The console's handler may access it after its owner is destroyed.
struct Hearer {
  std::vector<StopRequest> requests;
  std::stop_source stop;
  std::function<void()> told;
};

/// The receivers, in order of construction. Global, because the console's handler has no user data.
struct Hearers {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::shared_ptr<Hearer>> all;
};
Hearers& hearers() {
  static Hearers one;
  return one;
}

StopRequest request_of(DWORD event) {
  switch (event) {
    case CTRL_C_EVENT:
    case CTRL_BREAK_EVENT:
      return StopRequest::interrupt;
    case CTRL_CLOSE_EVENT:
      return StopRequest::hang_up;
    default:
      return StopRequest::terminate;
  }
}

/// Waits until a stopped receiver has finished: the program ends when the handler of a closed console returns.
void wait_until_gone(const std::shared_ptr<Hearer>& hearer) {
  constexpr auto kMax = std::chrono::milliseconds(4500);  // after five seconds the system ends it
  std::unique_lock lock(hearers().mutex);
  const auto& all = hearers().all;
  hearers().changed.wait_for(lock, kMax, [&] { return std::find(all.begin(), all.end(), hearer) == all.end(); });
}

/// Called by a system thread, under a system lock: our lock is not held during registration, nor while receivers are
/// notified. FALSE passes the event to earlier handlers (remove_at_end() of app/resources/system.h) and finally to the
/// system, which ends the program.
BOOL WINAPI on_event(DWORD event) {
  std::vector<std::shared_ptr<Hearer>> all;
  {
    const std::scoped_lock lock(hearers().mutex);
    all = hearers().all;
  }
  const StopRequest request = request_of(event);
  const auto hears = [request](const auto& one) {
    return std::find(one->requests.begin(), one->requests.end(), request) != one->requests.end();
  };
  const auto latest = std::find_if(all.rbegin(), all.rend(), hears);
  // A second request: the program ends.
  if (latest == all.rend() || !(*latest)->stop.request_stop()) return FALSE;
  if ((*latest)->told) (*latest)->told();
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) wait_until_gone(*latest);
  return TRUE;
}

}  // namespace

// The format is called "PNG", the name that browsers and office programs use.
void copy_picture_to_clipboard(const std::string& png) {
  const UINT format = ::RegisterClipboardFormatW(L"PNG");
  const HGLOBAL memory = ::GlobalAlloc(GMEM_MOVEABLE, png.size());
  void* bytes = memory ? ::GlobalLock(memory) : nullptr;
  bool done = false;
  if (bytes) {
    std::copy(png.begin(), png.end(), static_cast<char*>(bytes));
    ::GlobalUnlock(memory);
    if (format && open_clipboard()) {
      done = ::EmptyClipboard() && ::SetClipboardData(format, memory);
      ::CloseClipboard();
    }
  }
  if (!done && memory) ::GlobalFree(memory);  // otherwise owned by the clipboard
  if (!done) throw InputError("clipboard.refused", {});
}

// --- Videos --------------------------------------------------------------------------------------------------------

bool has_ffmpeg() {
  return ::SearchPathA(nullptr, "ffmpeg", ".exe", 0, nullptr, nullptr) > 0;
}

void write_mp4(const std::string& gif, const std::string& mp4) {
  const auto quoted = [](const std::string& path) { return "\"" + std::filesystem::absolute(path).string() + "\""; };
  const std::string from = quoted(gif), to = quoted(mp4);
  // MP4 players require even sides and this form of colours.
  const char* const arguments[] = {"ffmpeg",     "-loglevel", "error",
                                   "-nostdin",   "-y",        "-i",
                                   from.c_str(), "-vf",       "scale=trunc(iw/2)*2:trunc(ih/2)*2",
                                   "-pix_fmt",   "yuv420p",   to.c_str(),
                                   nullptr};
  if (::_spawnvp(_P_WAIT, "ffmpeg", arguments) != 0) throw InputError("video.refused", {{"file", mp4}});
}

struct StopOnSignals::State {
  std::shared_ptr<Hearer> hearer;
};

StopOnSignals::StopOnSignals(const std::vector<StopRequest>& requests, std::function<void()> told)
    : state_(std::make_unique<State>()) {
  static const bool registered = [] {
    os::prepare_program();  // the latest handler runs first; the one that removes files must run after this one
    return ::SetConsoleCtrlHandler(on_event, TRUE) != 0;
  }();
  if (!registered) return;
  state_->hearer = std::make_shared<Hearer>(requests, stop_, std::move(told));
  const std::scoped_lock lock(hearers().mutex);
  hearers().all.push_back(state_->hearer);
}

StopOnSignals::~StopOnSignals() {
  {
    const std::scoped_lock lock(hearers().mutex);
    std::erase(hearers().all, state_->hearer);
  }
  hearers().changed.notify_all();
}

/// Write errors are already reported on Windows.
void let_writes_fail() {}

}  // namespace ropescope
