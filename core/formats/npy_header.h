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

/// Reads magic, version (1.0, 2.0, 3.0) and the Python dictionary literal after it. Throws InputError naming `source`.
/// Source of the format: NEP 1, numpy/lib/format.py.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& source);

/// The bytes before the numbers: version 1.0, C order, padded with blanks to a multiple of 64 and ended by a newline.
std::string npy_header_text(const std::string& descr, const std::vector<std::int64_t>& shape);

}  // namespace ropescope
