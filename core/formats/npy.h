// NumPy's files: the header of a .npy and the numbers behind it, as a StoredTensor. npz.h reads several in a zip,
// tensor_file.h chooses by the file's kind.
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
/// beginning is there and the header goes beyond it; only records have headers that long. Source of the format: NEP 1,
/// numpy/lib/format.py.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& source);

/// The bytes before the numbers: version 1.0, C order, padded with blanks to a multiple of 64 and ended by a newline.
std::string npy_header_text(const std::string& descr, const std::vector<std::int64_t>& shape);

// --- Arrays --------------------------------------------------------------------------------------------------------

/// Which numbers a caller can do with: float64, float32, float16 and integers, or whatever StoredTensor holds.
enum class NpyNumbers { plain, every };

/// A .npy file as it lies (versions 1–3, little and big endian, C and Fortran order): the tensor points into `bytes`,
/// which `owner` keeps alive, and is named `source`. Plain numbers, complex64 and complex128; bfloat16 as NumPy writes
/// the one of ml_dtypes ("<V2", "|V2"). Throws InputError: bad magic, a header that lies about its length, truncated
/// data, trailing bytes, another dtype, a shape whose product overflows.
StoredTensor view_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source,
                      NpyNumbers accepted = NpyNumbers::every);

/// The tensor of a file of `file_bytes` of which only the beginning is there (all of it, or kNpyBeginning),
/// declared_only(). Throws InputError as view_npy does.
StoredTensor declare_npy(std::span<const std::byte> beginning, std::uint64_t file_bytes, const std::string& source,
                         NpyNumbers accepted = NpyNumbers::every);

/// The bytes before the numbers of a .npy of this format and shape, which follow in C order.
std::string npy_header_of(const StoredTensor& tensor);

}  // namespace ropescope
