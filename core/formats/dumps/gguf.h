// GGUF container format: header, metadata, tensors and split files, without interpretation. gguf_config.h derives the
// rotary embedding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/json.h"

namespace ropescope {

// --- Header --------------------------------------------------------------------------------------------------------

// clang-format off
/// Types of a metadata value, numbered as in the file.
enum class GgufType : std::uint32_t {
  uint8, int8, uint16, int16, uint32, int32, float32, boolean, text, array, uint64, int64, float64
};
// clang-format on
/// Returns the name of a value type: "uint32", "text", …
std::string_view gguf_type_name(GgufType type);

/// One metadata value in the file, without copying.
struct GgufEntry {
  std::string_view key;
  GgufType type = GgufType::uint8;
  GgufType element = GgufType::uint8;  ///< element type of an array; else `type`
  std::uint64_t count = 1;             ///< number of array elements
  std::span<const std::byte> bytes;    ///< a string without its length; an array of strings with a length before each
};

/// Tensor as declared in the directory.
struct GgufTensor {
  std::string_view name;
  std::uint32_t type = 0;                ///< number in enum ggml_type: 0 is float32
  int dimensions = 0;                    ///< 0 … 4
  std::array<std::uint64_t, 4> shape{};  ///< the fastest-varying side first; sides past `dimensions` are 1
  std::uint64_t begin = 0, end = 0;      ///< byte range in the file; equal if the type's size is unknown
};
inline constexpr std::uint32_t kGgufFloat32 = 0;
/// Returns the name of a ggml type: "F32", "Q4_K", …; for an unknown, newer type its number.
std::string ggml_type_name(std::uint32_t type);

/// Header of one file. Its views point into the bytes it was read from.
struct GgufFile {
  std::string source;  ///< names the file in errors
  std::uint32_t version = 0;
  bool big_endian = false;
  std::vector<GgufEntry> entries;
  std::vector<GgufTensor> tensors;
  std::span<const std::byte> bytes;
};

/// Returns whether the first four bytes are the GGUF magic.
bool begins_like_gguf(std::span<const std::byte> bytes);

/// Reads metadata and tensor directory: magic, version, two counts, the values, the tensors, then their numbers,
/// aligned to general.alignment (default: 32 bytes). Supports versions 2 and 3 in either byte order, which is inferred
/// from the version (in the wrong order its low bits are 0). Memory grows with the data read, not with claimed counts:
/// a count that the remaining bytes cannot contain is rejected first. Throws InputError for: another file type or
/// version, a truncated file (header or tensor data), an unknown value type, arrays nested deeper than 4, an empty key,
/// a repeated key or tensor, an alignment that is not a power of 2, and a tensor with more than 4 dimensions, with more
/// numbers than a file can contain, with rows that are not whole blocks, or not aligned. Source of the format: ggml,
/// docs/gguf.md and src/gguf.cpp.
GgufFile read_gguf(std::span<const std::byte> bytes, const std::string& source);

/// Return the entry or tensor with that name; nullptr if there is none.
const GgufEntry* find_entry(const GgufFile& file, std::string_view key);
const GgufTensor* find_tensor(const GgufFile& file, std::string_view name);

/// Returns number `index` (from 0) of a value or an array of numbers or booleans, as float64; integers beyond 2⁵³ are
/// rounded.
double gguf_number(const GgufFile& file, const GgufEntry& entry, std::uint64_t index = 0);
/// Returns whether values of this type are integers.
bool is_whole(GgufType type);

// --- Metadata ------------------------------------------------------------------------------------------------------

/// Metadata of a model under its architecture: "rope.freq_base" is the key "llama.rope.freq_base". Each reader throws
/// InputError, which names file and key, if the value has another type or is out of range. Integers may have any width
/// and sign, as the format recommends; llama.cpp itself accepts only the width that its converter writes.
struct GgufMetadata {
  const GgufFile* file = nullptr;
  std::string architecture;

  /// Returns the full key: "llama.rope.freq_base".
  std::string key(std::string_view name) const { return architecture + "." + std::string(name); }
  Message origin(std::string_view name) const { return verbatim(key(name)); }
  const GgufEntry* find(std::string_view name) const { return find_entry(*file, key(name)); }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Reads a finite float32 (as its shortest decimal number) or float64.
  std::optional<Read<double>> number(std::string_view name) const;
  /// Reads a number > 0.
  std::optional<Read<double>> positive(std::string_view name) const;
  /// Reads an integer in 0 … 10⁹; from an array (one number per layer) the first above 0.
  std::optional<Read<int>> whole(std::string_view name) const;
  /// Reads an array of integers in 0 … 10⁹ or of booleans (as 0 and 1), at most 8192 of them.
  std::optional<Read<std::vector<int>>> wholes(std::string_view name) const;
  std::optional<Read<bool>> flag(std::string_view name) const;
  std::optional<Read<std::string>> text(std::string_view name) const;

  /// Throws InputError "SOURCE: KEY is FOUND; expected EXPECTED".
  [[noreturn]] void reject(std::string_view name, const std::string& found, const Message& expected) const;
};

/// Returns the shortest decimal number that rounds to a float32: 0.707, not 0.7070000171661377. Metadata numbers are
/// read this way because it is what their writers intended; the relative difference is below 6e-8.
double shortest_of_float(float number);

/// Returns the metadata. Throws InputError if general.architecture is missing, not a string or not a plain name.
GgufMetadata gguf_metadata(const GgufFile& file);

// --- Parts ---------------------------------------------------------------------------------------------------------

/// Returns the paths of all files of the model that `path` belongs to, the one with the metadata first:
/// NAME-00001-of-00004.gguf and so on if split.count says so, else `path` alone. Throws InputError: split.no or
/// split.count has another type or is out of range, or the name does not end with these numbers.
std::vector<std::string> gguf_parts(const GgufFile& file, const std::string& path);

/// Throws InputError unless these are all files of one model in order: a split.no or split.count does not match the
/// file's place, files are missing, or the number of tensors is not split.tensors.count.
void check_parts(std::span<const GgufFile> parts);

}  // namespace ropescope
