#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ropescope {

/// What the header of a .npy says.
struct NpyHeader {
  std::string descr;  ///< e.g. "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  ///< first byte of the numbers
};

/// Bytes at the beginning of a .npy that hold the whole header of every one that is read.
constexpr std::size_t kNpyBeginning = 12 + (std::size_t{1} << 16);

/// Reads magic, version (1.0, 2.0, 3.0) and the Python dictionary literal after it. `bytes` are the whole file or at
/// least kNpyBeginning of its `file_bytes`. Throws InputError naming `source`, also where only the
/// beginning is there and the header goes beyond it, as only that of records does. Source of the format: NEP 1,
/// numpy/lib/format.py.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& source);

/// The bytes before the numbers: version 1.0, C order, padded with blanks to a multiple of 64 and ended by a newline.
std::string npy_header_text(const std::string& descr, const std::vector<std::int64_t>& shape);

}  // namespace ropescope
