// A tensor in a file or in memory: storage format, location and precision of its numbers. It is the input of check, and
// the readers in core/formats create it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// How a number of a tensor is stored.
enum class Storage {
  float64,
  float32,
  float16,
  bfloat16,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  complex64,   ///< two float32: real, imaginary
  complex128,  ///< two float64
};

/// Returns the bytes of one element.
std::size_t storage_bytes(Storage storage);
bool is_complex(Storage storage);
bool is_integer(Storage storage);
/// Returns the name: "float32", "bfloat16", …
std::string_view storage_name(Storage storage);

/// The precision of numbers printed as text: the maximum decimals and the maximum significant digits of any of them. A
/// number is no more precise than both allow.
struct Printed {
  int decimals = 0;
  int digits = 17;
};

/// Numbers that are functions of stored angles: computed on every read, never stored.
struct OfAngles {
  Storage stored = Storage::float32;  ///< format of the angles, in radians
  bool sine = false;                  ///< true: sines, false: cosines
};

/// A tensor as a file lists it, not yet opened.
struct TensorEntry {
  std::string name;
  std::vector<std::int64_t> shape = {};  ///< row-major: the fastest-varying side is last
  std::uint64_t begin = 0, end = 0;      ///< its bytes in the file
};

/// A tensor in a file or in memory, not copied until it is read.
struct StoredTensor {
  std::string name;  ///< for messages: "dump.npz: cos", "cos.npy"
  Storage storage = Storage::float32;
  bool big_endian = false;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements, one per axis: row-major, Fortran order, or a slice
  std::span<const std::byte> bytes;   ///< starts with element [0, 0, …]
  std::shared_ptr<const void> owner;  ///< keeps the bytes alive (a mapped file, an unpacked array)
  std::optional<Printed> printed;     ///< for a .csv with fractions; the storage is then float64
  /// The bytes are angles; `storage` is then the format to which their cosines or sines are rounded.
  std::optional<OfAngles> of_angles = {};

  std::int64_t count() const;  ///< product of the shape
};

/// Returns a tensor of which only name, format and shape are known, so that its shape can be validated before anything
/// is read or unpacked. All its numbers are equal, neither 0 nor infinite in any format.
StoredTensor declared_only(StoredTensor tensor);
bool is_declared_only(const StoredTensor& tensor);

/// Returns the bytes from one element to the next if the stride is 1.
std::size_t element_bytes(const StoredTensor& tensor);

/// Returns the row-major strides of a shape.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);

/// Reads rows first … first + count − 1 (slices along the first axis) into `out` as doubles, row-major; complex numbers
/// as real, imaginary. `out` has count · (elements per row) places, twice as many if complex. Precondition: the rows
/// exist and the strides stay within the bytes, as the readers verify.
void read_rows(const StoredTensor& tensor, std::int64_t first, std::int64_t count, double* out);

/// Returns half a unit in the last place of the storage format at a number of this size: the maximum change by storage.
/// For printed numbers, half a unit of the last digit if that is larger. 0 for integers, infinity beyond the largest
/// number of the format.
double half_unit(const StoredTensor& tensor, double value);

/// Returns numbers as consecutive bytes: floats rounded once to nearest even (infinity beyond their range), integers to
/// the nearest. Complex storage takes components: real, imaginary. Throws InputError if an integer does not fit.
std::vector<std::byte> store_numbers(std::span<const double> values, Storage storage, bool big_endian = false);

}  // namespace ropescope
