// Files: read and written as wholes, in parts, mapped, and whether they changed. Everything above reads and writes by
// this; system.h asks the operating system, places.h says where things lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/resources/places.h"
#include "app/resources/system.h"
#include "core/check/reading/stored_tensor.h"
#include "core/formats/tensor_file.h"

namespace ropescope {

// --- Stamps --------------------------------------------------------------------------------------------------------

/// What tells a file from another, or from what it was before.
struct FileStamp {
  std::string path;
  std::uintmax_t size = 0;
  std::int64_t time = 0;
  bool operator==(const FileStamp&) const = default;
};
/// The stamp of a file as it is now; size and time are 0 where there is no such file.
FileStamp stamp_of(const std::string& path);

// --- States --------------------------------------------------------------------------------------------------------

/// What tells a file from what it was before: it is another one of that name, or its size or time changed.
struct FileState {
  std::string path;
  bool there = false;  ///< a regular file, or a folder
  std::uintmax_t size = 0, node = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  bool operator==(const FileState&) const = default;
};
FileState state_of(const std::string& path);

// --- Files ---------------------------------------------------------------------------------------------------------

/// Opens a file for reading, and says its status. Never waits. Throws InputError: missing, a folder, unreadable, a pipe
/// or a device, whose size nobody knows.
os::File open_regular(const std::filesystem::path& path, os::Status& status);

/// Whole content of a file. Throws InputError as open_regular() does, and: larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{4} << 30);

/// Writes a file, which appears whole (written beside as a temporary, flushed, renamed) or not at all. Path "-" writes
/// to standard output. Throws InputError: no such folder, not writable, a folder in its place, disk full.
void write_file(const std::filesystem::path& path, const std::string& content);

/// Throws InputError where the folder of a file to write is missing: better said before what takes long.
void require_folder(const std::filesystem::path& path);

/// Content that is made while it is written: every call gives the next piece, an empty one ends it.
using Pieces = std::function<std::string_view()>;
/// Writes content that comes in pieces, as above; nothing appears where a piece throws.
void write_file(const std::filesystem::path& path, const Pieces& pieces);

// --- Inputs --------------------------------------------------------------------------------------------------------

/// Protects what a command reads: while one lives, write_file() throws InputError for a file that has been opened for
/// reading, under whatever name (a link, another path). One at a time; for all threads. Windows save over what they
/// opened and have none.
class ProtectedInputs {
 public:
  ProtectedInputs();
  ~ProtectedInputs();
  ProtectedInputs(const ProtectedInputs&) = delete;
  ProtectedInputs& operator=(const ProtectedInputs&) = delete;

  /// Lets a file be written that was read: one that a command continues. Does nothing if nothing is protected.
  static void release(const std::filesystem::path& path);
};

/// Whether two paths are one file, or would be.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// --- Parts ---------------------------------------------------------------------------------------------------------

/// Removes the file that is looked after, if it has not become its target: before the program ends without a signal and
/// without waiting for whoever writes it. For any thread.
void remove_part();

/// The name of the part of a file that process `id` writes into this folder, the `number`th of them.
std::filesystem::path part_name(const std::filesystem::path& folder, int id, int number);

// --- Mapped --------------------------------------------------------------------------------------------------------

/// A file whose bytes stand in memory as far as they are looked at: a large one costs nothing.
///
/// What is guaranteed where another program changes the file meanwhile: nothing crashes. The bytes that were cut off
/// read as 0 (without care the system would end the program by SIGBUS), and check_unchanged() throws from then on, so
/// that a result is believed only if that call comes after the last look at the bytes. It sees a cut for certain, other
/// changes by size and time of the file. A file that is replaced (another one renamed to its name) does not change.
class MappedFile {
 public:
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  virtual ~MappedFile() = default;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Throws InputError where the file was changed since it was opened.
  virtual void check_unchanged() const = 0;

 protected:
  MappedFile() = default;
  std::span<const std::byte> bytes_;
};

/// Opens a file for reading. Throws InputError as open_regular() does.
std::shared_ptr<const MappedFile> map_file(const std::string& path);

/// A tensor and the file that it came from.
struct LoadedTensor {
  StoredTensor tensor;
  std::shared_ptr<const MappedFile> file;
};

/// What "FILE" or "FILE:TENSOR" names. A file whose own name is the whole text wins, then the longest file name that
/// exists before a colon; without any, what stands before the last colon. Throws InputError: nothing after the colon.
struct TensorArgument {
  std::string path;
  std::optional<std::string> name;
};
TensorArgument read_tensor_argument(const std::string& argument);

/// Opens the tensor that an argument names (core/formats/tensor_file.h). Throws InputError as map_file and open_tensor
/// do.
LoadedTensor load_tensor(const std::string& argument, const TensorReading& reading = {});

}  // namespace ropescope
