// Files in a zip, read without trusting what it declares: its sizes are held against limits before anything is
// unpacked. npz.h and torch_file.h say what lies in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

// Of libzip.
struct zip;
struct zip_file;

namespace ropescope {

/// What a zip may cost: more is refused with a named error before anything is unpacked.
struct ZipLimits {
  std::uint64_t array_bytes = std::uint64_t{1} << 32;  ///< of one file after unpacking
  std::uint64_t arrays = 4096;                         ///< files in the zip
  std::stop_token stop = {};                           ///< ends unpacking by an InputError
};

/// One file of a zip that is being unpacked from its beginning on.
class ZipMember {
 public:
  std::uint64_t size() const { return size_; }
  const std::string& place() const { return place_; }
  /// Fills `to` with what comes next. Throws InputError: damaged, cut short, stopped.
  void read(std::span<std::byte> to);
  /// To be called after the last byte: the checksum is compared where the end is met. Throws InputError where it does
  /// not fit or more follows.
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

/// A zip in memory, whose bytes must outlive it. `source` names the file in errors, `kind` (".npz") its kind. The
/// constructor throws InputError: not a zip, cut short, too many files.
class ZipFile {
 public:
  ZipFile(std::span<const std::byte> bytes, std::string source, std::string_view kind, const ZipLimits& limits);

  const std::string& source() const { return source_; }
  /// Names of its files in their order, as they stand there.
  std::vector<std::string> names() const;
  /// Begins to unpack one of them, which errors call `place`. Throws InputError: encrypted, packed in another way than
  /// stored or deflated, larger than the limit or than its packed bytes make plausible.
  ZipMember open(std::size_t index, std::string place) const;

 private:
  std::string source_, kind_;
  ZipLimits limits_;
  std::uint64_t bytes_ = 0;  ///< of the zip
  std::shared_ptr<zip> archive_;
};

/// A whole file, unpacked into memory of its own.
struct Unpacked {
  std::shared_ptr<const std::byte[]> owner;
  std::span<const std::byte> bytes;
};
/// Throws InputError as ZipMember does.
Unpacked unpack(ZipMember member);

}  // namespace ropescope
