// All that app/resources asks of the operating system: files, locks, mapped bytes, folders, memory, signals. The twins
// system_posix.cpp (Linux and macOS) and system_windows.cpp answer; files.h and shelf.h are built on it.
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

/// All that this room asks of the operating system: system_posix.cpp answers on Linux and macOS, system_windows.cpp on
/// Windows. An int that is returned is the number of an error as in <cerrno> (reason() says it in words), 0: none.
namespace ropescope::os {

namespace fs = std::filesystem;

/// An open file; closed when it goes.
class File {
 public:
  /// A descriptor, or a HANDLE of Windows; kNone is no file for both.
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
  /// Closes the file; what could not be written may be known only now.
  int close();

 private:
  Handle handle_ = kNone;
};

enum class Kind { regular, folder, other };

/// What a file is, which one, and when it was written.
struct Status {
  Kind kind = Kind::other;
  std::uint64_t size = 0;                     ///< bytes
  std::uint64_t node = 0;                     ///< another one where another file has the name
  std::int64_t seconds = 0, nanoseconds = 0;  ///< of the last change; since when is the system's affair
  std::uint32_t mode = 0;                     ///< permissions of POSIX; 0 where there are none
};

/// The status of a file; links are followed.
int status_of(const fs::path& path, Status& status);
int status_of(const File& file, Status& status);

/// Opens a file of any kind for reading. It never waits: a pipe that nobody writes into would hold the program for
/// good.
int open_to_read(const fs::path& path, File& file);
/// Opens for writing what is there and cannot be replaced: a device, a pipe.
int open_to_write(const fs::path& path, File& file);
/// Creates a file; EEXIST where there is one of that name.
int create_new(const fs::path& path, File& file);
/// Reads bytes: `count` of `into` are filled, 0 at the end of the file.
int read_some(const File& file, std::span<char> into, std::size_t& count);
/// Writes all of a text in parts of a mebibyte: whoever removes the file meanwhile waits for no more.
int write_all(const File& file, std::string_view text);
int write_to_standard_output(std::string_view text);
/// Gives the file the permissions of another.
int take_mode(const File& file, const Status& from);
/// Returns once the disk has what was written.
int flush(const File& file);
/// `from` gets the name `to`; whoever had it is gone in the same moment. Windows refuses where that is mapped.
int replace(const fs::path& from, const fs::path& to);
int remove(const fs::path& path);
/// 0 where this user may write into a file that is there.
int may_write(const fs::path& path);

/// The bytes of a file in memory, as far as they are looked at; at most 64 at a time on POSIX. What another program
/// cuts off reads as 0 (without care SIGBUS would end the program). Windows lets nobody cut a file that is mapped.
class MappedBytes {
 public:
  MappedBytes();
  ~MappedBytes();
  MappedBytes(const MappedBytes&) = delete;
  MappedBytes& operator=(const MappedBytes&) = delete;

  /// Maps `size` > 0 bytes, which the file has. kTooMany where there are as many as can be guarded.
  int map(const File& file, std::size_t size);
  static constexpr int kTooMany = -1;
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Whether a part that is gone was looked at.
  bool was_cut() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::span<const std::byte> bytes_;
};

/// Creates a file that no other process can lock as long as it is open here. It has its name only once it is locked.
int create_locked(const fs::path& path, File& file);
/// Opens a file of which only the lock counts, and makes it where there is none. EBUSY where it is open so elsewhere,
/// in this program too.
int open_locked(const fs::path& path, File& file);
/// Removes a locked file that was left, whose lock nobody holds. True: it was there and is gone.
bool remove_unlocked(const fs::path& path);
/// Removes a file that is locked here.
void remove_locked(const fs::path& path, File& file);

/// To be called once, before anything is written or asked to stop. Windows shows what is written as the UTF-8 that it
/// is, and asks what remove_at_end() needs after all that hears requests later. Linux, where the memory of the program
/// is limited (ulimit -v), says so and ends with 2 where a library faults for the lack of it.
void prepare_program();

int process_id();
/// Whether there is no process of this number any more.
bool is_gone(int process);

/// Has `file` removed, and `message` written to standard error, where Ctrl+C, a closed terminal or the request to end
/// ends the program from now on; the program ends all the same. Who handles or ignores such a request goes on doing so.
/// False: another file is looked after, or the name is too long.
bool remove_at_end(const fs::path& file, const std::string& message);
/// Keeps that file: it stays, and nothing is said.
void keep_at_end();
/// Removes the file that is looked after at once, unless it stays: before the program ends without a request and
/// without waiting for whoever writes it. For any thread.
void remove_now();
/// Ends what a remove_at_end() that returned true began.
void forget_at_end();
/// Keeps such requests waiting while it lives: between the moment that a file is made and the one that it is known.
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

/// A path in an environment variable; empty where there is none.
fs::path environment_path(const char* variable);
/// The user's own folder; empty where the system does not say.
fs::path home_folder();
/// Where programs keep what they remember of a user: below it each has a folder.
fs::path state_folder();
/// The program's own file; empty where the system does not say.
fs::path executable();
/// The words of the command line in UTF-8, the program's name first.
std::vector<std::string> command_words(int argc, const char* const* argv);

/// Whether standard error is shown to somebody at a terminal, and not kept in a file.
bool errors_go_to_terminal();
/// Bytes that programs may still take, by the system's word; nothing where it says none.
std::optional<double> free_memory();
/// Gives the system back what was freed and is only kept for the next time; takes some milliseconds.
void give_back_memory();
/// A moment as clocks show it where the program runs.
std::tm local_time(std::time_t moment);

}  // namespace ropescope::os
