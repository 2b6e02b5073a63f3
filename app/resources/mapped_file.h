#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/check/reading/stored_tensor.h"
#include "core/formats/tensor_file.h"

namespace ropescope {

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

/// Opens a file for reading. Throws InputError as open_regular() does (app/resources/files.h).
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

/// Opens it (core/formats/tensor_file.h). Throws InputError as map_file and open_tensor do.
LoadedTensor load_tensor(const std::string& argument, const TensorReading& reading = {});

}  // namespace ropescope
