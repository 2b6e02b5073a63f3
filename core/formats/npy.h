// NumPy .npy files: their header, and their numbers as a StoredTensor. npz.h reads several in a zip; tensor_file.h
// selects the reader by file type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

// --- Header --------------------------------------------------------------------------------------------------------

/// The header of a .npy.
struct NpyHeader {
  std::string descr;  ///< e.g. "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  ///< offset of the first number in bytes
};

/// Size of the beginning of a .npy that contains any supported header completely.
constexpr std::size_t kNpyBeginning = 12 + (std::size_t{1} << 16);

/// Parses magic, version (1.0, 2.0, 3.0) and the Python dictionary literal after it. `bytes` is the whole file or at
/// least kNpyBeginning of its `file_bytes`. Throws InputError naming `source`, also if the header extends beyond a
/// partial file; only structured arrays have headers that long. Source of the format: NEP 1, numpy/lib/format.py.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& source);

/// Returns the header bytes: version 1.0, C order, padded with blanks to a multiple of 64, with a final newline.
std::string npy_header_text(const std::string& descr, const std::vector<std::int64_t>& shape);

// --- Arrays --------------------------------------------------------------------------------------------------------

/// Number formats that a caller accepts: float64, float32, float16 and integers, or all of StoredTensor.
enum class NpyNumbers { plain, every };

/// Views a .npy without copying (versions 1–3, little and big endian, C and Fortran order). The tensor points into
/// `bytes`, which `owner` keeps alive, and is named `source`. Plain numbers, complex64 and complex128; bfloat16 as
/// NumPy writes the type of ml_dtypes ("<V2", "|V2"). Throws InputError: bad magic, a wrong header length, truncated
/// data, trailing bytes, another dtype, a shape whose product overflows.
StoredTensor view_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source,
                      NpyNumbers accepted = NpyNumbers::every);

/// Returns a declared_only() tensor for a file of `file_bytes`, from its beginning (the whole file or kNpyBeginning).
/// Throws InputError as view_npy() does.
StoredTensor declare_npy(std::span<const std::byte> beginning, std::uint64_t file_bytes, const std::string& source,
                         NpyNumbers accepted = NpyNumbers::every);

/// Returns the bytes before the numbers of a .npy for a tensor's format and shape; numbers follow in C order.
std::string to_npy_header(const StoredTensor& tensor);

}  // namespace ropescope
