// Lost displays, the clipboard, videos and signals on Linux and macOS. Read desktop.h first.
//
// Contents: A display that is lost; Pictures on the clipboard; Videos; Signals.

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/platform/desktop.h"
#include "core/message.h"

#ifdef __APPLE__
extern char** environ;
#endif

namespace ropescope {

// --- A display that is lost ----------------------------------------------------------------------------------------

namespace {

/// A global, because Xlib's handler has no user data.
std::function<void()>& lost_display() {
  static std::function<void()> told;
  return told;
}

// --- Pictures on the clipboard -------------------------------------------------------------------------------------

bool on_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (std::filesystem::exists(std::filesystem::path(folder) / program, error)) return true;
  }
  return false;
}

const char* clipboard_command() {
  if (std::getenv("WAYLAND_DISPLAY") && on_path("wl-copy")) return "wl-copy --type image/png 2>/dev/null";
  if (std::getenv("DISPLAY") && on_path("xclip"))
    return "xclip -selection clipboard -t image/png 2>/dev/null >/dev/null";
  return nullptr;
}

// --- Signals -------------------------------------------------------------------------------------------------------

#ifdef __APPLE__
constexpr int kWake = SIGUSR1;  ///< wakes the waiting thread
#else
constexpr long kPollNanoseconds = 50'000'000;
#endif

int signal_of(StopRequest request) {
  switch (request) {
    case StopRequest::interrupt:
      return SIGINT;
    case StopRequest::terminate:
      return SIGTERM;
    case StopRequest::hang_up:
      break;
  }
  return SIGHUP;
}

/// Returns the signals of these requests that the program was not started to ignore.
sigset_t heard(const std::vector<StopRequest>& requests, bool& any) {
  sigset_t set;
  sigemptyset(&set);
  any = false;
  for (const StopRequest request : requests) {
    struct sigaction action {};
    if (sigaction(signal_of(request), nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    sigaddset(&set, signal_of(request));
    any = true;
  }
  return set;
}

/// Returns the next of the signals; a negative number if none arrives for a while.
int next_signal(const sigset_t& set) {
#ifdef __APPLE__
  // macOS has no sigtimedwait(), and a thread cannot see signals pending for the process: another thread ends the wait.
  sigset_t also = set;
  sigaddset(&also, kWake);
  int taken = 0;
  return sigwait(&also, &taken) == 0 && taken != kWake ? taken : -1;
#else
  const timespec poll{0, kPollNanoseconds};
  return sigtimedwait(&set, nullptr, &poll);
#endif
}

/// Waits for signals synchronously instead of in a handler, in which hardly anything is allowed.
void wait_for_signals(const std::stop_token& done, const sigset_t& set, const std::stop_source& stop,
                      const std::function<void()>& told) {
  while (!done.stop_requested()) {
    const int signal = next_signal(set);
    if (signal < 0) continue;
    if (stop.request_stop()) {
      if (told) told();
      continue;
    }
    // A second request: the program ends. A partly written file is removed (PartFile).
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(signal);
  }
}

}  // namespace

void on_lost_display(std::function<void()> callback) {
  lost_display() = std::move(callback);
  // Xlib ends the program when its connection breaks; it is loaded only if GLFW uses X11.
  using Handler = int (*)(void*);
  using SetHandler = Handler (*)(Handler);
  if (const auto set = reinterpret_cast<SetHandler>(::dlsym(RTLD_DEFAULT, "XSetIOErrorHandler"))) {
    set([](void*) -> int {
      if (lost_display()) lost_display()();
      ::_exit(1);
    });
  }
}

void copy_picture_to_clipboard(const std::string& png) {
  const char* command = clipboard_command();
  if (!command) {
    throw InputError("clipboard.no_program", {});
  }
  const auto previous = std::signal(SIGPIPE, SIG_IGN);  // a failing helper must not end the window
  std::FILE* pipe = popen(command, "w");
  const bool written = pipe && std::fwrite(png.data(), 1, png.size(), pipe) == png.size();
  const bool closed = pipe && pclose(pipe) == 0;
  std::signal(SIGPIPE, previous);
  if (!written || !closed) throw InputError("clipboard.refused", {});
}

// --- Videos --------------------------------------------------------------------------------------------------------

bool has_ffmpeg() {
  return on_path("ffmpeg");
}

void write_mp4(const std::string& gif, const std::string& mp4) {
  // Names that begin with a hyphen are no options; MP4 players require even sides and this form of colours.
  const auto whole = [](const std::string& path) { return std::filesystem::absolute(path).string(); };
  std::vector<std::string> words = {"ffmpeg",   "-loglevel", "error",
                                    "-nostdin", "-y",        "-i",
                                    whole(gif), "-vf",       "scale=trunc(iw/2)*2:trunc(ih/2)*2",
                                    "-pix_fmt", "yuv420p",   whole(mp4)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // It hears Ctrl+C, which this program may be holding back.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  int status = 0;
  bool ran = posix_spawnp(&child, "ffmpeg", nullptr, &attributes, arguments.data(), environ) == 0;
  posix_spawnattr_destroy(&attributes);
  pid_t ended = -1;
  while (ran && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  ran = ran && ended == child;
  if (!ran || !WIFEXITED(status) || WEXITSTATUS(status) != 0) throw InputError("video.refused", {{"file", mp4}});
}

// --- Signals -------------------------------------------------------------------------------------------------------

struct StopOnSignals::State {
  bool active = false;
  sigset_t before{};
  std::jthread waiter;
};

StopOnSignals::StopOnSignals(const std::vector<StopRequest>& requests, std::function<void()> told)
    : state_(std::make_unique<State>()) {
  const sigset_t set = heard(requests, state_->active);
  sigset_t held = set;
#ifdef __APPLE__
  sigaddset(&held, kWake);
#endif
  state_->active = state_->active && pthread_sigmask(SIG_BLOCK, &held, &state_->before) == 0;
  if (!state_->active) return;
  state_->waiter = std::jthread([set, stop = stop_, told = std::move(told)](const std::stop_token& done) {
    wait_for_signals(done, set, stop, told);
  });
}

StopOnSignals::~StopOnSignals() {
  if (!state_->active) return;
  state_->waiter.request_stop();
#ifdef __APPLE__
  pthread_kill(state_->waiter.native_handle(), kWake);
#endif
  state_->waiter.join();
  pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

void let_writes_fail() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace ropescope
