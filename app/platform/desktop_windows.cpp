// Answers what desktop.h asks on Windows.
//
// Contents: A display that is lost; Pictures on the clipboard; Signals.

#include <windows.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "app/platform/desktop.h"
#include "app/resources/system.h"
#include "core/words.h"

namespace ropescope {

// --- A display that is lost ----------------------------------------------------------------------------------------

void on_lost_display(std::function<void()> /*told*/) {}

// --- Pictures on the clipboard -------------------------------------------------------------------------------------

namespace {

/// Opens the clipboard, which somebody else may have for a moment. It wants a window of ours: without one it takes
/// nothing.
bool open_clipboard() {
  constexpr int kTries = 10;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (::OpenClipboard(::GetActiveWindow())) return true;
    ::Sleep(10);
  }
  return false;
}

}  // namespace

// The format is called "PNG": the name that browsers and office programs look for.
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
  if (!done && memory) ::GlobalFree(memory);  // else it is the clipboard's
  if (!done) throw InputError("clipboard.refused", {});
}

// --- Signals -------------------------------------------------------------------------------------------------------

namespace {

/// Who hears. The console's handler may look at it when the program's own is gone.
struct Hearer {
  std::vector<StopRequest> requests;
  std::stop_source stop;
  std::function<void()> told;
};

/// The console's handler is given no data of ours: those who hear, the latest last.
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

/// The program ends once the handler of a closed console has returned: until who was asked to stop has stopped.
void wait_until_gone(const std::shared_ptr<Hearer>& hearer) {
  constexpr auto kMost = std::chrono::milliseconds(4500);  // after five seconds the system ends it
  std::unique_lock lock(hearers().mutex);
  const auto& all = hearers().all;
  hearers().changed.wait_for(lock, kMost, [&] { return std::find(all.begin(), all.end(), hearer) == all.end(); });
}

/// Called by a thread of the system, under a lock of its own: no lock of ours is held while it is registered, nor while
/// somebody is told. FALSE lets who came before answer (remove_at_end() of app/resources/system.h), in the end the
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
  // It was asked to stop before and has not: it ends.
  if (latest == all.rend() || !(*latest)->stop.request_stop()) return FALSE;
  if ((*latest)->told) (*latest)->told();
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) wait_until_gone(*latest);
  return TRUE;
}

}  // namespace

struct StopOnSignals::State {
  std::shared_ptr<Hearer> hearer;
};

StopOnSignals::StopOnSignals(const std::vector<StopRequest>& requests, std::function<void()> told)
    : state_(std::make_unique<State>()) {
  static const bool registered = [] {
    os::prepare_program();  // the latest is asked first: what removes files is to be asked after us
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

/// They do so here.
void let_writes_fail() {}

}  // namespace ropescope
