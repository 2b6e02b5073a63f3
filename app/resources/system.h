// Operating-system interface of app/resources: files, locks, memory mapping, folders, memory, signals. Implemented in
// system_posix.cpp (Linux and macOS) and system_windows.cpp; files.h and result_cache.h are built on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The complete interface to the operating system: system_posix.cpp implements it on Linux and macOS,
/// system_windows.cpp on Windows. A returned int is an error number as in <cerrno> (reason() describes it); 0: success.
namespace ropescope::os {

namespace fs = std::filesystem;

/// An open file; closed on destruction.
class File {
 public:
  /// A descriptor, or a HANDLE on Windows; kNone is invalid for both.
  using Handle = std::intptr_t;
  static constexpr Handle kNone = -1;

  File() = default;
  explicit File(Handle handle) : handle_(handle) {}
  ~File() { close(); }
  File(File&& other) noexcept : handle_(other.release()) {}
  File& operator=(File&& other) noexcept;

  bool is_open() const { return handle_ != kNone; }
  Handle handle() const { return handle_; }
  Handle release();
  /// Closes the file; write errors may be reported only now.
  int close();

 private:
  Handle handle_ = kNone;
};

enum class Kind { regular, folder, other };

/// Kind, identity and time of last change of a file.
struct Status {
  Kind kind = Kind::other;
  std::uint64_t size = 0;                     ///< bytes
  std::uint64_t node = 0;                     ///< differs if another file has the name
  std::int64_t seconds = 0, nanoseconds = 0;  ///< time of the last change; the epoch depends on the system
  std::uint32_t mode = 0;                     ///< POSIX permissions; 0 on other systems
};

/// Gets the status of a file; links are followed.
int status_of(const fs::path& path, Status& status);
int status_of(const File& file, Status& status);

/// Opens a file of any kind for reading. Never waits: a pipe without a writer would block the program forever.
int open_to_read(const fs::path& path, File& file);
/// Opens an existing file that cannot be replaced for writing: a device, a pipe.
int open_to_write(const fs::path& path, File& file);
/// Creates a file; EEXIST if there is already one of that name.
int create_new(const fs::path& path, File& file);
/// Reads bytes: fills `count` bytes of `into`; 0 at the end of the file.
int read_some(const File& file, std::span<char> into, std::size_t& count);
/// Writes all of a text in parts of a mebibyte: a concurrent removal waits for one part at most.
int write_all(const File& file, std::string_view text);
int write_to_standard_output(std::string_view text);
/// Sets the permissions of the file to those of another.
int take_mode(const File& file, const Status& from);
/// Waits until the data is on the disk.
int flush(const File& file);
/// Renames `from` to `to`, atomically replacing any file there. Windows refuses if that file is mapped.
int replace(const fs::path& from, const fs::path& to);
int remove(const fs::path& path);
/// Returns 0 if this user may write to an existing file.
int may_write(const fs::path& path);

/// The bytes of a file mapped on demand; at most 64 maps at a time on POSIX. Bytes that another program truncates read
/// as 0 (unguarded, SIGBUS would end the program). Windows prevents truncation of a mapped file.
class MappedBytes {
 public:
  MappedBytes();
  ~MappedBytes();
  MappedBytes(const MappedBytes&) = delete;
  MappedBytes& operator=(const MappedBytes&) = delete;

  /// Maps the first `size` > 0 bytes of a file. Returns kTooMany at the limit of guarded maps.
  int map(const File& file, std::size_t size);
  static constexpr int kTooMany = -1;
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Returns whether a truncated part was accessed.
  bool was_cut() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::span<const std::byte> bytes_;
};

/// Creates a file that no other process can lock while it is open here. It gets its name only once it is locked.
int create_locked(const fs::path& path, File& file);
/// Opens a file used only as a lock, creating it if needed. EBUSY if it is open elsewhere, including in this program.
int open_locked(const fs::path& path, File& file);
/// Removes an abandoned locked file that no process locks. Returns true if it existed and was removed.
bool remove_unlocked(const fs::path& path);
/// Removes a file that is locked here.
void remove_locked(const fs::path& path, File& file);

/// Prepares the process; call once before any output and any request to stop. Windows: sets the console to UTF-8 and
/// orders the handlers so that remove_at_end() works. Linux with limited memory (ulimit -v): if a library faults from
/// lack of memory, reports it and exits with 2.
void prepare_program();
/// Returns whether the program is near its limit of addresses (ulimit -v), so that a library that failed probably
/// lacked memory; always false outside Linux.
bool has_few_addresses();

int process_id();
/// Returns whether no process has this number any more.
bool is_gone(int process);

/// Removes `file` and writes `message` to standard error if Ctrl+C, a closed terminal or a termination request ends the
/// program from now on; the program still ends. Existing handlers of such requests, or ignoring them, stay in effect.
/// Returns false if another file is registered, or the name is too long.
bool remove_at_end(const fs::path& file, const std::string& message);
/// Keeps that file, without a message.
void keep_at_end();
/// Removes the registered file at once, unless it is kept: call it before the program ends without a request and
/// without waiting for the writing thread. Thread-safe.
void remove_now();
/// Ends the effect of a remove_at_end() that returned true.
void forget_at_end();
/// Defers such requests while it lives: between the creation of a file and its registration.
class HeldRequests {
 public:
  HeldRequests();
  ~HeldRequests();
  HeldRequests(const HeldRequests&) = delete;
  HeldRequests& operator=(const HeldRequests&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns a path from an environment variable; empty if it is not set.
fs::path environment_path(const char* variable);
/// Returns the user's home folder; empty if unknown.
fs::path home_folder();
/// Returns the folder for user state, in which each program has a folder.
fs::path state_folder();
/// Returns the program's own file; empty if unknown.
fs::path executable();
/// Returns the command-line arguments in UTF-8, the program's name first.
std::vector<std::string> command_words(int argc, const char* const* argv);

/// Returns whether standard error goes to a terminal, not to a file.
bool errors_go_to_terminal();
/// Returns whether standard output goes to a terminal, not to a file or another program.
bool output_goes_to_terminal();
/// Returns the bytes still available to programs; nullopt if the system does not report them.
std::optional<double> free_memory();
/// Returns freed but retained memory to the system; takes some milliseconds.
void give_back_memory();
/// Converts a time to local time.
std::tm local_time(std::time_t moment);

}  // namespace ropescope::os

namespace ropescope {

/// Decides when a window returns freed memory (os::give_back_memory(), some hundred megabytes over time) to the system:
/// once after every `computations`, after kBefore seconds without events and with no worker busy.
class IdleMemory {
 public:
  static constexpr double kBefore = 3;

  /// Returns whether there may be memory to return, so that the window must check again.
  bool holds(std::int64_t computations) const { return computations != given_back_; }
  /// Updates after `seconds` of waiting, ended by an event (`something`) or not. Returns true to return memory now.
  bool rest(double seconds, bool something, std::int64_t computations, bool busy) {
    idle_ = something ? 0 : idle_ + seconds;
    if (idle_ < kBefore || busy || !holds(computations)) return false;
    given_back_ = computations;
    return true;
  }

 private:
  double idle_ = 0;
  std::int64_t given_back_ = 0;
};

}  // namespace ropescope
