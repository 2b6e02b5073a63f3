// Implementation of system.h for Linux and macOS.

#include <fcntl.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <pwd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach/mach.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include "app/resources/system.h"

namespace ropescope::os {

namespace {

int descriptor_of(const File& file) {
  return static_cast<int>(file.handle());
}

int opened(int descriptor, File& file) {
  if (descriptor < 0) return errno;
  file = File(descriptor);
  return 0;
}

Status status_from(const struct stat& found) {
  Status status;
  status.kind = S_ISREG(found.st_mode) ? Kind::regular : S_ISDIR(found.st_mode) ? Kind::folder : Kind::other;
  status.size = static_cast<std::uint64_t>(found.st_size);
  status.node = static_cast<std::uint64_t>(found.st_ino);
#ifdef __APPLE__
  const timespec& time = found.st_mtimespec;
#else
  const timespec& time = found.st_mtim;
#endif
  status.seconds = static_cast<std::int64_t>(time.tv_sec);
  status.nanoseconds = static_cast<std::int64_t>(time.tv_nsec);
  status.mode = found.st_mode & 07777;
  return status;
}

int write_to(int descriptor, std::string_view text) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

struct GuardedRange {
  std::atomic<bool> taken = false;
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  std::atomic<bool> cut = false;
};

/// Global because a signal handler gets only the address: each is lock-free or set beforehand.
std::array<GuardedRange, 64> ranges;
std::once_flag installed;
std::uintptr_t page_bytes = 4096;
struct sigaction before {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// Calls only mmap and sigaction, which are system calls here.
void on_bus_error(int, siginfo_t* information, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(information->si_addr);
  for (GuardedRange& range : ranges) {
    const std::uintptr_t end = range.end.load();
    if (address < range.begin.load() || address >= end) continue;
    const std::uintptr_t page = address - address % page_bytes;
    // The rest of the range is beyond the file's end too.
    void* zeros =
        ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (zeros == MAP_FAILED) break;
    range.cut = true;
    return;
  }
  // Outside our ranges: the previous handler gets it when the access is repeated.
  ::sigaction(SIGBUS, &before, nullptr);
}

void install_guard() {
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);  // a macro on macOS
  ::sigaction(SIGBUS, &action, &before);
}

/// Returns nullptr if there are already 64. Thread-safe.
GuardedRange* guard_range(void* begin, std::size_t bytes) {
  std::call_once(installed, install_guard);
  for (GuardedRange& range : ranges) {
    if (range.taken.exchange(true)) continue;
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    range.cut = false;
    range.begin = first;
    range.end = first + bytes;
    return &range;
  }
  return nullptr;
}

void release_range(GuardedRange* range) {
  range->end = 0;
  range->begin = 0;
  range->taken = false;
}

constexpr std::array<int, 3> kEnding{SIGINT, SIGTERM, SIGHUP};

/// Data for a signal handler: plain memory filled beforehand. Static because a handler has no other data.
struct LookedAfter {
  std::atomic<bool> taken{false};
  std::atomic<bool> finished{true};
  std::mutex changing;  ///< for threads; a handler cannot wait for it, and is blocked while a file is created
  std::array<char, PATH_MAX> file{};
  std::array<char, PATH_MAX + 64> message{};
  std::size_t message_size = 0;
  std::array<bool, kEnding.size()> handled{};
};
LookedAfter looked_after;

void remove_and_end(int signal) {
  if (!looked_after.finished) {
    ::unlink(looked_after.file.data());
    // If this fails, it cannot be reported.
    if (::write(STDERR_FILENO, looked_after.message.data(), looked_after.message_size) < 0) errno = 0;
  }
  // The handler was reset when it was called: after its return the signal ends the program.
  std::raise(signal);
}

#ifdef __linux__

// Libraries that check no allocation (fontconfig, OpenGL drivers) or abort if one fails (GLib, LLVM) throw nothing.

constexpr std::array<int, 5> kFaults{SIGSEGV, SIGBUS, SIGABRT, SIGTRAP, SIGILL};
/// Addresses count as exhausted if less than this share of the limit is left, because the last request did not fit.
constexpr rlim_t kShareLeft = 4;
constexpr rlim_t kFewBytes = rlim_t{256} << 20;
constexpr std::string_view kNoMemory =
    "ropescope: there is not enough memory: the limit of the addresses that the program may take (ulimit -v) is "
    "reached; expected a higher one\n";
/// The handler's stack, for when the main thread's cannot grow; other threads have theirs reserved in full.
std::array<std::byte, std::size_t{1} << 16> handler_stack;

/// Returns the bytes of addresses in use, from the first number of a kernel file; uses only calls allowed in a handler.
rlim_t count_taken_addresses() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  std::array<char, 64> text{};
  const ssize_t size = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) ::close(file);
  rlim_t pages = 0;
  for (ssize_t i = 0; i < size && text[static_cast<std::size_t>(i)] >= '0' && text[static_cast<std::size_t>(i)] <= '9';
       ++i) {
    pages = 10 * pages + static_cast<rlim_t>(text[static_cast<std::size_t>(i)] - '0');
  }
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// Does the same as has_few_addresses(), with only those calls that are allowed in a signal handler.
bool few_addresses_left() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  const rlim_t left = limit.rlim_cur - std::min(limit.rlim_cur, count_taken_addresses());
  return left < std::max(limit.rlim_cur / kShareLeft, kFewBytes);
}

void report_low_memory(int signal) {
  if (few_addresses_left()) {
    if (!looked_after.finished) ::unlink(looked_after.file.data());
    if (::write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size()) < 0) errno = 0;
    ::_exit(2);
  }
  // The handler was reset when it was called: any other fault ends the program as usual.
  ::raise(signal);
}

#endif

}  // namespace

int File::close() {
  const Handle handle = release();
  return handle != kNone && ::close(static_cast<int>(handle)) ? errno : 0;
}

int status_of(const fs::path& path, Status& status) {
  struct stat found {};
  if (::stat(path.c_str(), &found)) return errno;
  status = status_from(found);
  return 0;
}

int status_of(const File& file, Status& status) {
  struct stat found {};
  if (::fstat(descriptor_of(file), &found)) return errno;
  status = status_from(found);
  return 0;
}

int open_to_read(const fs::path& path, File& file) {
  return opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), file);
}

int open_to_write(const fs::path& path, File& file) {
  return opened(::open(path.c_str(), O_WRONLY | O_CLOEXEC), file);
}

int create_new(const fs::path& path, File& file) {
  return opened(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), file);
}

int read_some(const File& file, std::span<char> into, std::size_t& count) {
  ssize_t got = ::read(descriptor_of(file), into.data(), into.size());
  while (got < 0 && errno == EINTR) got = ::read(descriptor_of(file), into.data(), into.size());
  if (got < 0) return errno;
  count = static_cast<std::size_t>(got);
  return 0;
}

int write_all(const File& file, std::string_view text) {
  return write_to(descriptor_of(file), text);
}

int write_to_standard_output(std::string_view text) {
  return write_to(STDOUT_FILENO, text);
}

int take_mode(const File& file, const Status& from) {
  return ::fchmod(descriptor_of(file), static_cast<mode_t>(from.mode)) ? errno : 0;
}

int flush(const File& file) {
#ifdef F_FULLFSYNC  // macOS: fsync() leaves it in the disk's cache; not every file system supports this
  if (::fcntl(descriptor_of(file), F_FULLFSYNC) == 0) return 0;
#endif
  return ::fsync(descriptor_of(file)) ? errno : 0;
}

int replace(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) ? errno : 0;
}

int remove(const fs::path& path) {
  return ::unlink(path.c_str()) ? errno : 0;
}

int may_write(const fs::path& path) {
  return ::access(path.c_str(), W_OK) ? errno : 0;
}

// Addresses of mapped files. If a mapped file becomes shorter, access to the missing part would end the program
// (SIGBUS). Within a guarded range that part reads as 0 instead, and the range records it.

struct MappedBytes::State {
  GuardedRange* range = nullptr;
};

MappedBytes::MappedBytes() : state_(std::make_unique<State>()) {}

MappedBytes::~MappedBytes() {
  if (!state_->range) return;
  // Unmapped first: a later mapping at its addresses must not be taken for this file.
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  release_range(state_->range);
}

int MappedBytes::map(const File& file, std::size_t size) {
  void* begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_of(file), 0);
  if (begin == MAP_FAILED) return errno;
  state_->range = guard_range(begin, size);
  if (!state_->range) {
    ::munmap(begin, size);
    return kTooMany;
  }
  bytes_ = {static_cast<const std::byte*>(begin), size};
  return 0;
}

bool MappedBytes::was_cut() const {
  return state_->range && state_->range->cut;
}

int create_locked(const fs::path& path, File& file) {
  std::string part = (path.parent_path() / ".running-XXXXXX").string();
  if (const int error = opened(::mkostemp(part.data(), O_CLOEXEC), file)) return error;
  if (::flock(descriptor_of(file), LOCK_EX | LOCK_NB) == 0 && ::rename(part.c_str(), path.c_str()) == 0) return 0;
  const int error = errno;
  ::unlink(part.c_str());
  file.close();
  return error;
}

int open_locked(const fs::path& path, File& file) {
  for (;;) {
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    if (const int error = opened(::open(path.c_str(), flags, 0600), file)) return error;
    if (::flock(descriptor_of(file), LOCK_EX | LOCK_NB) != 0) {
      const int error = errno == EWOULDBLOCK ? EBUSY : errno;
      file.close();
      return error;
    }
    // The previous holder may have removed it between opening and locking.
    struct stat mine {
    }, named{};
    const bool same = ::fstat(descriptor_of(file), &mine) == 0 && ::stat(path.c_str(), &named) == 0 &&
                      mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
    if (same) return 0;
  }
}

bool remove_unlocked(const fs::path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) return false;
  const bool abandoned = ::flock(descriptor_of(file), LOCK_EX | LOCK_NB) == 0;
  if (abandoned) ::unlink(path.c_str());
  return abandoned;
}

void remove_locked(const fs::path& path, File& file) {
  ::unlink(path.c_str());
  file.close();
}

int process_id() {
  return ::getpid();
}

bool is_gone(int process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

bool remove_at_end(const fs::path& file, const std::string& message) {
  if (file.string().size() >= looked_after.file.size() || message.size() > looked_after.message.size()) return false;
  if (looked_after.taken.exchange(true)) return false;
  const std::lock_guard lock(looked_after.changing);
  std::strcpy(looked_after.file.data(), file.c_str());
  std::memcpy(looked_after.message.data(), message.data(), message.size());
  looked_after.message_size = message.size();
  looked_after.finished = false;
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    struct sigaction present {
    }, ours{};
    ours.sa_handler = remove_and_end;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    looked_after.handled[i] = ::sigaction(kEnding[i], nullptr, &present) == 0 && present.sa_handler == SIG_DFL &&
                              ::sigaction(kEnding[i], &ours, nullptr) == 0;
  }
  return true;
}

bool has_few_addresses() {
#ifdef __linux__
  return few_addresses_left();
#else
  return false;
#endif
}

void prepare_program() {
#ifdef __linux__
  ::setenv("EGL_LOG_LEVEL", "fatal", 0);  // Mesa warns of each driver that it cannot load; the program reports failures
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  ::sigaltstack(&stack, nullptr);
  for (const int signal : kFaults) {
    struct sigaction action {};
    action.sa_handler = report_low_memory;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
#endif
}

void keep_at_end() {
  looked_after.finished = true;
}

void remove_now() {
  const std::lock_guard lock(looked_after.changing);
  if (!looked_after.finished) ::unlink(looked_after.file.data());
}

void forget_at_end() {
  const std::lock_guard lock(looked_after.changing);
  looked_after.finished = true;
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    if (looked_after.handled[i]) std::signal(kEnding[i], SIG_DFL);
  }
  looked_after.taken = false;
}

struct HeldRequests::State {
  sigset_t before{};
};

HeldRequests::HeldRequests() : state_(std::make_unique<State>()) {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kEnding) sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &state_->before);
}

HeldRequests::~HeldRequests() {
  pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

fs::path environment_path(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

fs::path home_folder() {
  if (fs::path folder = environment_path("HOME"); folder.is_absolute()) return folder;
  if (const passwd* user = ::getpwuid(::getuid())) return user->pw_dir;
  return {};
}

fs::path state_folder() {
  const fs::path home = home_folder();
  const fs::path above = home.empty() ? fs::temp_directory_path() : home;
#ifdef __APPLE__
  return above / "Library/Application Support";
#else
  return above / ".local/state";
#endif
}

fs::path executable() {
  std::error_code unknown;
#ifdef __APPLE__
  std::string path(4096, '\0');
  std::uint32_t size = static_cast<std::uint32_t>(path.size());
  if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return fs::canonical(path.c_str(), unknown);
#else
  const fs::path path = fs::read_symlink("/proc/self/exe", unknown);
  return unknown ? fs::path() : path;
#endif
}

std::vector<std::string> command_words(int argc, const char* const* argv) {
  return {argv, argv + argc};
}

bool errors_go_to_terminal() {
  return ::isatty(STDERR_FILENO) != 0;
}

bool output_goes_to_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

std::optional<double> free_memory() {
#ifdef __APPLE__
  // Memory the kernel can provide without evicting anything: free and purgeable pages.
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  static const mach_port_t host = ::mach_host_self();  // each call creates a right that would need to be released
  const kern_return_t told = ::host_statistics64(host, HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count);
  if (told != KERN_SUCCESS) return std::nullopt;
  const double free = static_cast<double>(pages.free_count) + static_cast<double>(pages.inactive_count);
  return free * static_cast<double>(vm_kernel_page_size);
#else
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    double kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) return 1024 * kibibytes;
    std::getline(file, name);
  }
  return std::nullopt;
#endif
}

void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

std::tm local_time(std::time_t moment) {
  std::tm parts{};
  ::localtime_r(&moment, &parts);
  return parts;
}

}  // namespace ropescope::os
