// Files with tensors, by their names: safetensors, an index of several, CSV; NumPy's, PyTorch's and ggml's are read by
// npz.h, torch_file.h and ggml_dump.h. Tensors are the StoredTensor of core/check/reading/stored_tensor.h; what they
// mean, check and dumps say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

// --- Safetensors ---------------------------------------------------------------------------------------------------

/// One tensor as the header of a .safetensors declares it.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;  ///< as in the file: "F32", "BF16", …
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< bytes of the file
};

/// Reads the header of a .safetensors: 8 bytes of its length (little endian), a JSON object of the tensors, then their
/// numbers. Entries in the order of their numbers. `source` names the file in errors. Throws InputError: a header that
/// is longer than the file, no JSON or that has a name twice, a tensor without dtype, shape or data_offsets, numbers
/// that overlap, leave a gap or go beyond the file, a length that does not fit dtype and shape. Source of the format:
/// huggingface/safetensors, README.md.
std::vector<SafetensorsEntry> read_safetensors_header(std::span<const std::byte> bytes, const std::string& source);

/// The texts of "__metadata__" whose keys begin with `prefix`, without it; others do not matter. Throws InputError: a
/// header that cannot be read, metadata that are no object, one of these that is no text.
std::map<std::string, std::string> read_safetensors_notes(std::span<const std::byte> bytes, const std::string& source,
                                                          std::string_view prefix);

/// One tensor as it lies: it points into `bytes`, which `owner` keeps alive, and is named "SOURCE: NAME". Throws
/// InputError as read_safetensors_header does, and: no such tensor (lists those there are), a dtype that is not a plain
/// number (BOOL, the eight-bit floats).
StoredTensor open_safetensors(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& source, const std::string& name);

// --- Index ---------------------------------------------------------------------------------------------------------

/// The folder of a diffusers pipeline that holds its rotary transformer, from the text of its model_index.json:
/// "transformer". Throws InputError: no JSON, a pipeline without a transformer (one with a U-Net knows no rotary
/// embedding).
std::string pipeline_transformer(std::string_view text, const std::string& source);

/// Pixels of a side that one latent stands for, from the text of a VAE's config.json; none where it does not say.
/// scale_factor_spatial or spatial_compression_ratio; else 2^(entries of temperal_downsample) (Wan, Qwen-Image);
/// patch_size·2^(true entries of spatio_temporal_scaling) (LTX-Video); 2^(entries of block_out_channels − 1). Source:
/// the pipelines of huggingface/diffusers. Throws InputError: no JSON, one of these fields that is something else.
std::optional<int> vae_stride(std::string_view text, const std::string& source);

/// Which file holds each tensor that is wanted, from the text of a model.safetensors.index.json. Throws InputError: no
/// JSON, no weight_map, a file of any tensor that is no plain name (it would lead out of the folder).
std::map<std::string, std::string> parse_weight_map(std::string_view text, const std::string& source,
                                                    const std::function<bool(std::string_view)>& wanted);

/// Whether a tensor's name is that of stored inverse frequencies of a language model: ….rotary_emb.inv_freq.
bool is_inverse_frequencies(std::string_view tensor);

// --- CSV -----------------------------------------------------------------------------------------------------------

/// What a .csv may cost: its numbers are kept as float64. More is refused with a named error.
struct CsvLimits {
  std::size_t numbers = std::size_t{1} << 25;
  std::stop_token stop = {};  ///< ends reading by an InputError
};

/// Numbers separated by commas, one row a line, as [rows, columns]; blanks around a number and blank lines at the end
/// do not matter. A first line none of whose cells begins as a number is a header. The tensor owns its values; `source`
/// names the file in errors and is the tensor's name. Throws InputError that names line and column (both counted from
/// 1): text in a cell, NaN and infinity, an empty cell, a number beyond double, a row of another length; and: nothing
/// in it, more than the limit.
StoredTensor parse_csv(std::span<const std::byte> bytes, const std::string& source, const CsvLimits& limits = {});
/// The names in the header of a .csv, without quotes around them; none where it has no header, or is another file.
std::vector<std::string> csv_header(std::string_view text);

// --- Any of them ---------------------------------------------------------------------------------------------------

/// Files of tensors: .npy, .npz, .safetensors, .csv, PyTorch's .pt and .pth, .gguf, and the .bin of ggml's programs,
/// told apart by how they begin, else by the ending of `path` (which names the file in errors too). Every function
/// throws InputError for another kind of file.

/// How their names end; what ends otherwise may be one too.
inline constexpr std::string_view kTensorEndings = ".npy .npz .safetensors .csv .pt .pth .gguf .bin .dat";
/// Whether a name ends like one of them, in lower case.
bool ends_like_tensors(std::string_view path);

/// Names of the tensors in a file in its order; one empty name for a .npy or .csv, whose tensor has none, and for a .pt
/// that holds a tensor alone.
std::vector<std::string> list_tensors(std::span<const std::byte> bytes, const std::string& path);

/// Whether a file is a .safetensors, as the functions above tell it. Throws as they do.
bool is_safetensors(std::span<const std::byte> bytes, const std::string& path);
/// Whether it is a .pt, a .gguf or a dump of ggml, whose tensors have names too; false of one that is no file of
/// tensors.
bool is_of_torch_or_ggml(std::span<const std::byte> bytes, const std::string& path);

/// How a tensor is opened.
struct TensorReading {
  /// Nothing of a .npz is unpacked but the header of the array, and of a .pt its pickle: the tensor is only declared
  /// (declared_only), so that its shape can be judged first.
  bool declared = false;
  std::stop_token stop;  ///< ends unpacking and reading of text by an InputError
};

/// One tensor of a file; it points into `bytes`, which `owner` keeps alive, unless it had to be unpacked (.npz, .pt) or
/// read (.csv). Without a name the file must hold one tensor only. Throws InputError as the reader of the kind does,
/// and: a name for a kind without names, several tensors and no name (lists them).
StoredTensor open_tensor(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& path,
                         const std::optional<std::string>& name, const TensorReading& reading = {});

}  // namespace ropescope
