// File access: atomic reads and writes, streaming, memory mapping, and change detection. All higher layers use this;
// system.h wraps the operating system, places.h locates files.
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

/// Identity of a file version: distinguishes it from other files and from earlier versions.
struct FileStamp {
  std::string path;
  std::uintmax_t size = 0;
  std::int64_t time = 0;
  bool operator==(const FileStamp&) const = default;
};
/// Returns the current stamp of a file; size and time are 0 if there is no such file.
FileStamp stamp_of(const std::string& path);

// --- Endings -------------------------------------------------------------------------------------------------------

/// Returns a path's extension in lower case: ".npz".
std::string lower_ending(const std::string& path);
/// Returns whether an extension is in a list such as ".npy .npz".
bool is_ending_among(std::string_view ending, std::string_view endings);

// --- States --------------------------------------------------------------------------------------------------------

/// State of a path for change detection: it differs if the file was replaced, or its size or time changed.
struct FileState {
  std::string path;
  bool there = false;  ///< a regular file, or a folder
  std::uintmax_t size = 0, node = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  bool operator==(const FileState&) const = default;
};
FileState state_of(const std::string& path);

/// Returns whether a path ends in an extension: ".json".
bool has_extension(const std::filesystem::path& path, std::string_view extension);
inline constexpr std::string_view kMarkdownExtension = ".md", kJsonExtension = ".json", kGgufExtension = ".gguf",
                                  kSafetensorsExtension = ".safetensors";
/// The file of a model's configuration in its folder.
inline constexpr std::string_view kConfigFile = "config.json";

// --- Files ---------------------------------------------------------------------------------------------------------

/// Opens a file for reading and sets its status. Never waits. Throws InputError if it is missing, a folder, unreadable,
/// or a pipe or device, which have no known size.
os::File open_regular(const std::filesystem::path& path, os::Status& status);

/// Returns a file's whole content. Throws InputError as open_regular() does, and if it is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{4} << 30);

/// Returns at most the first `bytes` of a regular file; empty if there is none or it cannot be read. The file is not
/// protected as an input (see below). Never waits.
std::string read_beginning(const std::filesystem::path& path, std::size_t bytes);

/// Writes a file, which appears whole (written as a temporary in the same folder, flushed, renamed) or not at all. Path
/// "-" writes to standard output. Throws InputError: no such folder, not writable, a folder in its place, disk full.
void write_file(const std::filesystem::path& path, const std::string& content);

/// Throws InputError if the folder of an output file is missing, or if no file can have its name, which may be too
/// long: call it before long computations.
void require_folder(const std::filesystem::path& path);

/// A generator of file content: every call returns the next piece; an empty one ends it.
using Pieces = std::function<std::string_view()>;
/// Writes content from pieces, as above; no file appears if a piece throws.
void write_file(const std::filesystem::path& path, const Pieces& pieces);

// --- Inputs --------------------------------------------------------------------------------------------------------

/// Protects a command's inputs: while an instance lives, write_file() throws InputError for a file that was opened for
/// reading, under any name (a link, another path). At most one instance; for all threads. Windows of the program have
/// none because they save over opened files.
class ProtectedInputs {
 public:
  ProtectedInputs();
  ~ProtectedInputs();
  ProtectedInputs(const ProtectedInputs&) = delete;
  ProtectedInputs& operator=(const ProtectedInputs&) = delete;

  /// Allows writing to a file that was read: one that a command continues. No effect if nothing is protected.
  static void release(const std::filesystem::path& path);
};

/// Throws InputError if the file is protected: call it before long computations whose results go there.
void require_not_input(const std::filesystem::path& path);

/// Returns whether two paths are, or would be, one file.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// --- Parts ---------------------------------------------------------------------------------------------------------

/// Removes the temporary file of an unfinished write, unless it has already been renamed to its target. Call it before
/// the program ends without a signal and without waiting for the writing thread. Thread-safe.
void remove_part();

/// Returns the name for the `number`th part file that process `id` writes into this folder.
std::filesystem::path part_name(const std::filesystem::path& folder, int id, int number);

// --- Mapped --------------------------------------------------------------------------------------------------------

/// A file mapped into memory: only the bytes in use are loaded, so a large file costs nothing.
///
/// If another program changes the file meanwhile, nothing crashes. Truncated bytes read as 0 (unguarded, SIGBUS would
/// end the program), and check_unchanged() throws from then on, so call it after the last access and before using a
/// result. It always detects truncation, and other changes by size and time. A file that is replaced (another one
/// renamed to its name) does not change.
class MappedFile {
 public:
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  virtual ~MappedFile() = default;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Throws InputError if the file changed after it was opened.
  virtual void check_unchanged() const = 0;

 protected:
  MappedFile() = default;
  std::span<const std::byte> bytes_;
};

/// Maps a file for reading. Throws InputError as open_regular() does.
std::shared_ptr<const MappedFile> map_file(const std::string& path);

/// A tensor and its file.
struct LoadedTensor {
  StoredTensor tensor;
  std::shared_ptr<const MappedFile> file;
};

/// The file and tensor named by "FILE" or "FILE:TENSOR". A file named by the whole text has priority, then the longest
/// existing file name before a colon; else the text before the last colon. Throws InputError if nothing follows the
/// colon.
struct TensorArgument {
  std::string path;
  std::optional<std::string> name;
};
TensorArgument read_tensor_argument(const std::string& argument);

/// Opens the tensor that an argument names (core/formats/tensor_file.h). Throws InputError as map_file and open_tensor
/// do.
LoadedTensor load_tensor(const std::string& argument, const TensorReading& reading = {});

}  // namespace ropescope
