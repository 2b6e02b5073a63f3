// Tensors that ggml programs write without a container (.bin, .dat, .tensor), and those in a .gguf. Read gguf.h first;
// tensor_file.h selects this reader by file type.
//
// Two little-endian forms are supported, distinguished by their first numbers:
// - records, concatenated to the end of the file: int32 dimensions (1 … 4), int32 name length in bytes, int32 type
// (enum ggml_type), int32 for each side, the fastest-varying first, the name, the numbers. Source:
// leejet/stable-diffusion.cpp at 97d29908, src/core/ggml_extend.hpp (load_tensor_from_file);
// - the importance matrix of llama.cpp's imatrix --output-format dat: int32 entries; for each, int32 name length, the
// name, int32 calls, int32 count and that many float32; then optionally int32 calls, int32 length and the name of the
// input text. Source: ggml-org/llama.cpp at 006e7ef9, tools/imatrix/imatrix.cpp (save_imatrix_legacy); without that
// option it writes a .gguf of tensors NAME.in_sum2 and NAME.counts. eval-callback writes no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"
#include "core/formats/dumps/gguf.h"

namespace ropescope {

/// A ggml tensor, independent of the file format.
struct GgmlTensor : TensorEntry {
  std::uint32_t type = 0;  ///< number in enum ggml_type
};

/// Returns the number format of a ggml type whose numbers are stored individually; nullopt for blocks and unknown
/// types.
std::optional<Storage> plain_ggml_storage(std::uint32_t type);

/// Returns whether a file begins with one of the two forms.
bool begins_like_ggml_dump(std::span<const std::byte> bytes);
/// Reads the tensors of a dump in file order. Throws InputError for: neither form, a truncated file, an unknown type, a
/// side below 1, more numbers than a file can contain, more than 65 536 tensors, a repeated name.
std::vector<GgmlTensor> read_ggml_dump(std::span<const std::byte> bytes, const std::string& source);

/// Returns the tensors of a .gguf in file order. Precondition: `file` was read by read_gguf.
std::vector<GgmlTensor> gguf_tensors(const GgufFile& file);

/// Opens one of `tensors` without copying: it points into `bytes`, which `owner` keeps alive, and is named "SOURCE:
/// NAME". Throws InputError: no such tensor (the error lists the tensors), a type stored in blocks (only F32, F16,
/// BF16, F64 and integers are supported).
StoredTensor open_ggml_tensor(const std::vector<GgmlTensor>& tensors, std::span<const std::byte> bytes,
                              std::shared_ptr<const void> owner, const std::string& source, const std::string& name,
                              bool big_endian = false);

// --- Blocks --------------------------------------------------------------------------------------------------------

/// Numbers and bytes of a block.
struct GgmlBlock {
  std::int64_t numbers = 32;
  std::int64_t bytes = 0;
};
/// Returns the block of a ggml type that unpack_blocks() supports: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K,
/// Q5_K, Q6_K; nullopt for others.
std::optional<GgmlBlock> find_ggml_block(std::uint32_t type);

/// Unpacks whole little-endian blocks to float64: scale · q, scale · q + minimum or scale · (q − centre) with the
/// block's own scales. `out` has place for all their numbers. Precondition: find_ggml_block supports the type, and
/// `bytes` are whole blocks. Source of the layouts: ggml, src/ggml-common.h.
void unpack_blocks(std::uint32_t type, std::span<const std::byte> bytes, double* out);

}  // namespace ropescope
