#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ropescope {

/// Number formats of tensors in files.
enum class NumberFormat { float64, float32, float16, int64, int32, int16, int8, uint8, uint16, uint32, uint64 };

/// A tensor read into doubles, row-major whatever the order in the file.
struct Tensor {
  std::vector<std::int64_t> shape;
  NumberFormat format = NumberFormat::float64;  ///< as stored in the file
  bool big_endian = false;                      ///< as stored in the file
  std::vector<double> values;
};

/// Reads the bytes of a .npy file (versions 1–3, little and big endian, Fortran order). `source` names the file in
/// errors. Throws InputError: bad magic, a header that lies about its length, truncated data, trailing bytes, a dtype
/// that is not a plain number, a shape whose product overflows. Never allocates more than the bytes justify.
Tensor parse_npy(std::span<const std::byte> bytes, const std::string& source);

/// The bytes of a .npy (version 1.0, C order) in the tensor's own format and byte order; floats round to nearest even.
std::vector<std::byte> write_npy(const Tensor& tensor);

}  // namespace ropescope
