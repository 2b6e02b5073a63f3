// Tensors that programs of ggml write without a container, as .bin, .dat or .tensor; those in a .gguf. Read gguf.h
// first; tensor_file.h chooses by the file's kind.
//
// Two forms are read, both little endian, told apart by their first numbers:
// - records, one after another to the end of the file: int32 dimensions (1 … 4), int32 bytes of the name, int32 type
//   (enum ggml_type), int32 of each side, the densest first, the name, the numbers. Source: leejet/stable-diffusion.cpp
//   at 97d29908, src/core/ggml_extend.hpp (load_tensor_from_file);
// - the importance matrix of llama.cpp's imatrix --output-format dat: int32 entries; of each int32 bytes of the name,
//   the name, int32 calls, int32 count, the count of float32; then perhaps int32 calls, int32 bytes and the name of
//   the text that was read. Source: ggml-org/llama.cpp at 006e7ef9, tools/imatrix/imatrix.cpp (save_imatrix_legacy);
//   without that option it is a .gguf of tensors NAME.in_sum2 and NAME.counts. eval-callback prints, it writes no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"
#include "core/formats/dumps/gguf.h"

namespace ropescope {

/// A tensor as ggml knows it, whichever file it stands in.
struct GgmlTensor {
  std::string name;
  std::uint32_t type = 0;            ///< number in enum ggml_type
  std::vector<std::int64_t> shape;   ///< row-major: the side that lies densest comes last
  std::uint64_t begin = 0, end = 0;  ///< bytes of the file
};

/// Whether a file begins as one of the two forms.
bool begins_like_ggml_dump(std::span<const std::byte> bytes);
/// Its tensors in the order of the file. Throws InputError: neither form, cut short, a type that is not known here, a
/// side below 1, more numbers than any file can hold, more than 65 536 tensors, a name twice.
std::vector<GgmlTensor> read_ggml_dump(std::span<const std::byte> bytes, const std::string& source);

/// The tensors of a .gguf in the order of the file. Throws InputError as read_gguf does.
std::vector<GgmlTensor> gguf_tensors(const GgufFile& file);

/// One of these tensors as it lies: it points into `bytes`, which `owner` keeps alive, and is named "SOURCE: NAME".
/// Throws InputError: no such tensor (lists those there are), a type that is stored in blocks (only F32, F16, BF16, F64
/// and whole numbers are read).
StoredTensor open_ggml_tensor(const std::vector<GgmlTensor>& tensors, std::span<const std::byte> bytes,
                              std::shared_ptr<const void> owner, const std::string& source, const std::string& name,
                              bool big_endian = false);

}  // namespace ropescope
