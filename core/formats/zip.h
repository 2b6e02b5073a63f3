// Reading of zip archives without trusting their headers: declared sizes are checked against limits before anything is
// decompressed. The contents are interpreted by npz.h and torch_file.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

// Types of libzip.
struct zip;
struct zip_file;

namespace ropescope {

/// Limits of a zip; a larger one is rejected with a named error before anything is unpacked.
struct ZipLimits {
  std::uint64_t array_bytes = std::uint64_t{1} << 32;  ///< of one file after unpacking
  std::uint64_t arrays = 4096;                         ///< files in the zip
  std::stop_token stop = {};                           ///< cancels unpacking with an InputError
};

/// A file of a zip that is unpacked sequentially from its beginning.
class ZipMember {
 public:
  std::uint64_t size() const { return size_; }
  const std::string& place() const { return place_; }
  /// Fills `to` with the next bytes. Throws InputError: damaged, truncated, cancelled.
  void read(std::span<std::byte> to);
  /// Compares the checksum; call it after the last byte. Throws InputError if the checksum does not match or more bytes
  /// follow.
  void finish();

 private:
  friend class ZipFile;
  std::size_t read_some(std::span<std::byte> to);

  std::string place_, kind_;
  std::stop_token stop_;
  std::shared_ptr<zip> archive_;
  std::shared_ptr<zip_file> member_;
  std::uint64_t size_ = 0;
};

/// A zip in memory, whose bytes must outlive it. `source` names the file in errors, `kind` (".npz") its type. The
/// constructor throws InputError: not a zip, truncated, too many files.
class ZipFile {
 public:
  ZipFile(std::span<const std::byte> bytes, std::string source, std::string_view kind, const ZipLimits& limits);

  const std::string& source() const { return source_; }
  /// Returns the names of its files in archive order, unmodified.
  std::vector<std::string> names() const;
  /// Starts to unpack a file, which errors call `place`. Throws InputError: encrypted, neither stored nor deflated,
  /// larger than the limit or than is plausible for its packed bytes.
  ZipMember open(std::size_t index, std::string place) const;

 private:
  std::string source_, kind_;
  ZipLimits limits_;
  std::uint64_t bytes_ = 0;  ///< of the zip
  std::shared_ptr<zip> archive_;
};

/// An unpacked file with its own memory.
struct Unpacked {
  std::shared_ptr<const std::byte[]> owner;
  std::span<const std::byte> bytes;
};
/// Unpacks a whole file. Throws InputError as ZipMember does.
Unpacked unpack(ZipMember member);

}  // namespace ropescope
