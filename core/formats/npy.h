#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// Which numbers a caller can do with: float64, float32, float16 and integers, or whatever StoredTensor holds.
enum class NpyNumbers { plain, every };

/// A .npy file as it lies (versions 1–3, little and big endian, C and Fortran order): the tensor points into `bytes`,
/// which `owner` keeps alive, and is named `source`. Plain numbers, complex64 and complex128; bfloat16 as NumPy writes
/// the one of ml_dtypes ("<V2", "|V2"). Throws InputError: bad magic, a header that lies about its length, truncated
/// data, trailing bytes, another dtype, a shape whose product overflows.
StoredTensor view_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source,
                      NpyNumbers accepted = NpyNumbers::every);

/// The same of a file of `file_bytes` of which only the beginning is there (all of it, or kNpyBeginning): its tensor,
/// declared_only(). Throws InputError as view_npy does.
StoredTensor declare_npy(std::span<const std::byte> beginning, std::uint64_t file_bytes, const std::string& source,
                         NpyNumbers accepted = NpyNumbers::every);

/// The bytes before the numbers of a .npy of this format and shape, which follow in C order.
std::string npy_header_of(const StoredTensor& tensor);

}  // namespace ropescope
