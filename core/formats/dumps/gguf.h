// GGUF: header, metadata, tensors, files in several parts, without a word on what they mean. gguf_config.h reads the
// rope out of them.
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

/// Types of a metadata value, numbered as in the file.
enum class GgufType : std::uint32_t {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  float32,
  boolean,
  text,
  array,
  uint64,
  int64,
  float64
};
/// "uint32", "text", …
std::string_view gguf_type_name(GgufType type);

/// One metadata value where it lies: nothing is copied.
struct GgufEntry {
  std::string_view key;
  GgufType type = GgufType::uint8;
  GgufType element = GgufType::uint8;  ///< of an array; of any other value its own type
  std::uint64_t count = 1;             ///< elements of an array
  std::span<const std::byte> bytes;    ///< a text without its length; an array of texts with the length before each
};

/// One tensor as the directory declares it.
struct GgufTensor {
  std::string_view name;
  std::uint32_t type = 0;                ///< number in enum ggml_type: 0 is float32
  int dimensions = 0;                    ///< 0 … 4
  std::array<std::uint64_t, 4> shape{};  ///< the side that lies densest first; sides past `dimensions` are 1
  std::uint64_t begin = 0, end = 0;      ///< bytes of the file; equal where the size of the type is not known here
};
inline constexpr std::uint32_t kGgufFloat32 = 0;
/// "F32", "Q4_K", …; of a type that is newer its number.
std::string ggml_type_name(std::uint32_t type);

/// Header of one file. Its views point into the bytes that it was read from.
struct GgufFile {
  std::string source;  ///< names the file in errors
  std::uint32_t version = 0;
  bool big_endian = false;
  std::vector<GgufEntry> entries;
  std::vector<GgufTensor> tensors;
  std::span<const std::byte> bytes;
};

/// Whether the first four bytes are those of a GGUF.
bool begins_like_gguf(std::span<const std::byte> bytes);

/// Reads metadata and tensor directory: magic, version, two counts, the values, the tensors, then, aligned to
/// general.alignment (else 32 bytes), their numbers. Versions 2 and 3 in either byte order (which one follows from the
/// version: as a number of the other order it has no low bits). Memory grows with what is read, never with what a count
/// claims: a count that the remaining bytes cannot hold is refused first. Throws InputError: another kind of file,
/// another version, a file that is cut short (in the header or in a tensor's numbers), a value type that nobody knows,
/// arrays within arrays deeper than 4, an empty key, a key or a tensor twice, an alignment that is no power of 2, a
/// tensor of more than 4 dimensions, of more numbers than any file can hold, of rows that are no whole blocks, or not
/// aligned. Source of the format: ggml, docs/gguf.md and src/gguf.cpp.
GgufFile read_gguf(std::span<const std::byte> bytes, const std::string& source);

/// nullptr where there is no such key or tensor.
const GgufEntry* find_entry(const GgufFile& file, std::string_view key);
const GgufTensor* find_tensor(const GgufFile& file, std::string_view name);

/// The `index`th number of a value or an array of numbers or booleans, as float64 (whole numbers beyond 2⁵³ are
/// rounded).
double gguf_number(const GgufFile& file, const GgufEntry& entry, std::uint64_t index = 0);
/// Whether values of this type are whole numbers.
bool is_whole(GgufType type);

// --- Metadata ------------------------------------------------------------------------------------------------------

/// The values of a model that stand under its architecture: "rope.freq_base" is the key "llama.rope.freq_base". Every
/// reader throws InputError naming file and key where the value has another type or is out of range. Whole numbers may
/// have any width and sign, as the format recommends; llama.cpp itself takes the width that its own converter writes.
struct GgufMetadata {
  const GgufFile* file = nullptr;
  std::string architecture;

  /// "llama.rope.freq_base".
  std::string key(std::string_view name) const { return architecture + "." + std::string(name); }
  Words origin(std::string_view name) const { return as_it_is(key(name)); }
  const GgufEntry* find(std::string_view name) const { return find_entry(*file, key(name)); }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// A finite float32 (the shortest decimal number that it stands for) or float64.
  std::optional<Read<double>> number(std::string_view name) const;
  /// A number > 0.
  std::optional<Read<double>> positive(std::string_view name) const;
  /// A whole number in 0 … 10⁹; of an array (one number for each layer) the first above 0.
  std::optional<Read<int>> whole(std::string_view name) const;
  /// An array of whole numbers in 0 … 10⁹ or of booleans (0 and 1), at most 8192 of them.
  std::optional<Read<std::vector<int>>> wholes(std::string_view name) const;
  std::optional<Read<bool>> flag(std::string_view name) const;
  std::optional<Read<std::string>> text(std::string_view name) const;

  /// Throws InputError "SOURCE: KEY is FOUND; EXPECTED was expected".
  [[noreturn]] void reject(std::string_view name, const std::string& found, const Words& expected) const;
};

/// The shortest decimal number that a float32 reads back from: 0.707, not 0.7070000171661377. Numbers of the metadata
/// are taken so, as their writers had them in mind; the difference is below 6e-8 of the number.
double shortest_of_float(float number);

/// general.architecture. Throws InputError where it is missing, no text or no plain name.
GgufMetadata gguf_metadata(const GgufFile& file);

// --- Parts ---------------------------------------------------------------------------------------------------------

/// Paths of all files of the model that `path` belongs to, the one with the metadata first: NAME-00001-of-00004.gguf
/// and its sisters where split.count says so, else the path alone. Throws InputError: split.no or split.count of
/// another type or out of range, a name that does not end with the numbers that the file says.
std::vector<std::string> gguf_parts(const GgufFile& file, const std::string& path);

/// Throws InputError where these are not all files of one model in their order: another split.no or split.count than
/// its place asks for, files missing, another number of tensors than split.tensors.count.
void check_parts(std::span<const GgufFile> parts);

}  // namespace ropescope
