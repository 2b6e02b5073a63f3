// A tensor as it lies in a file or in memory: how its numbers are stored, where they begin, and how exactly each is
// known. What check is asked with; readers in core/formats make them.
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

/// Bytes of one element.
std::size_t storage_bytes(Storage storage);
bool is_complex(Storage storage);
bool is_integer(Storage storage);
/// "float32", "bfloat16", …
std::string_view storage_name(Storage storage);

/// How exactly the numbers of a text were printed: the most decimals and the most significant digits that any of them
/// shows. A number says no more than both allow.
struct Printed {
  int decimals = 0;
  int digits = 17;
};

/// The numbers of a tensor that are functions of stored angles: computed whenever they are read, never kept.
struct OfAngles {
  Storage stored = Storage::float32;  ///< format of the angles, in radians
  bool sine = false;                  ///< sines of them; false: cosines
};

/// A tensor as it lies in a file or in memory: nothing is copied until it is read.
struct StoredTensor {
  std::string name;  ///< for messages: "dump.npz: cos", "cos.npy"
  Storage storage = Storage::float32;
  bool big_endian = false;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements, one per axis: row-major, Fortran order, or a slice
  std::span<const std::byte> bytes;   ///< element [0, 0, …] stands at its beginning
  std::shared_ptr<const void> owner;  ///< keeps the bytes alive (a mapped file, an unpacked array)
  std::optional<Printed> printed;     ///< of a .csv with fractions; float64 then holds what its text says
  /// The bytes are angles. `storage` is then what their cosines or sines are rounded to.
  std::optional<OfAngles> of_angles = {};

  std::int64_t count() const;  ///< product of the shape
};

/// A tensor of which only name, format and shape are known: every number of it is the same one, neither 0 nor infinite
/// in any format, so that its shape can be judged before anything is read or unpacked.
StoredTensor declared_only(StoredTensor tensor);
bool is_declared_only(const StoredTensor& tensor);

/// Bytes from one element to the next where the stride is 1.
std::size_t element_bytes(const StoredTensor& tensor);

/// Row-major strides of a shape.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);

/// Elements of rows first … first + count − 1 (slices along the first axis), row-major as doubles (complex ones: real,
/// imaginary). Out has count · (elements of a row) places, twice as many where complex.
/// Precondition: the rows are all there and the strides stay within the bytes (the readers have checked it).
void read_rows(const StoredTensor& tensor, std::int64_t first, std::int64_t count, double* out);

/// Half a unit in the last place of what the tensor is stored as, at a number of this size: how far storing moved it at
/// most. Of a printed number half a unit of its last digit, if that is more. 0 for integers, infinity beyond the
/// largest number of the format.
double half_unit(const StoredTensor& tensor, double value);

/// Numbers as bytes, one after another: floats round once to nearest even (beyond their range to infinity), integers to
/// the nearest. Complex storage takes components: real, imaginary. Throws InputError where an integer does not fit.
std::vector<std::byte> store_numbers(std::span<const double> values, Storage storage, bool big_endian = false);

}  // namespace ropescope
