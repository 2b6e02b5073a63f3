#include "app/resources/part_file.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

namespace ropescope {

namespace {

namespace fs = std::filesystem;

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view kPrefix = ".ropescope-", kSuffix = ".part";

/// What a signal handler may look at: plain memory that was filled before. Static, as a handler has no other data.
struct Registered {
  std::atomic<bool> taken{false};
  std::atomic<bool> finished{true};
  std::mutex changing;  ///< for threads; a handler cannot wait for it, and is kept away while a part is made
  std::array<char, PATH_MAX> part{};
  std::array<char, PATH_MAX + 64> message{};
  std::size_t message_size = 0;
  std::array<bool, kSignals.size()> handled{};
};
Registered registered;

void remove_and_end(int signal) {
  if (!registered.finished) ::unlink(registered.part.data());
  // Nobody is left to tell where this fails.
  if (!registered.finished && ::write(STDERR_FILENO, registered.message.data(), registered.message_size) < 0) errno = 0;
  // The handler was reset when it was called: once it has returned the signal ends the program.
  std::raise(signal);
}

/// The process that writes a part; 0 where the name is none of ours.
pid_t writer_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return 0;
  pid_t id = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, id);
  return error == std::errc() && rest != end && *rest == '-' ? id : 0;
}

}  // namespace

PartFile::PartFile(const fs::path& part, const fs::path& target) {
  const std::string message = "ropescope: stopped; " + target.string() + " was not written\n";
  if (part.string().size() >= registered.part.size() || message.size() > registered.message.size()) return;
  if (registered.taken.exchange(true)) return;
  registered_ = true;
  const std::lock_guard lock(registered.changing);
  std::strcpy(registered.part.data(), part.c_str());
  std::memcpy(registered.message.data(), message.data(), message.size());
  registered.message_size = message.size();
  registered.finished = false;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction before {
    }, ours{};
    ours.sa_handler = remove_and_end;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    registered.handled[i] = ::sigaction(kSignals[i], nullptr, &before) == 0 && before.sa_handler == SIG_DFL &&
                            ::sigaction(kSignals[i], &ours, nullptr) == 0;
  }
}

PartFile::~PartFile() {
  if (!registered_) return;
  const std::lock_guard lock(registered.changing);
  registered.finished = true;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (registered.handled[i]) std::signal(kSignals[i], SIG_DFL);
  }
  registered.taken = false;
}

void PartFile::finished() {
  if (registered_) registered.finished = true;
}

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kSignals) sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void remove_part() {
  const std::lock_guard lock(registered.changing);
  if (!registered.finished) ::unlink(registered.part.data());
}

fs::path part_name(const fs::path& folder, int id, int number) {
  return folder / (std::string(kPrefix) + std::to_string(id) + "-" + std::to_string(number) + std::string(kSuffix));
}

void sweep_parts(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error)) {
    const pid_t writer = writer_of(it->path().filename().string());
    if (writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH) ::unlink(it->path().c_str());
  }
}

}  // namespace ropescope
