// Tensor files by file type: safetensors, sharded indexes, CSV; NumPy, PyTorch and ggml files are read by npz.h,
// torch_file.h and ggml_dump.h. Tensors are returned as StoredTensor (core/check/reading/stored_tensor.h); their
// meaning is up to the caller.
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

/// A tensor as declared in the header of a .safetensors.
struct SafetensorsEntry : TensorEntry {
  std::string dtype;  ///< as in the file: "F32", "BF16", …
};

/// Parses the header of a .safetensors: 8 bytes of its length (little endian), a JSON object of the tensors, then their
/// numbers. Entries are in the order of their numbers. `source` names the file in errors. Throws InputError: a header
/// that is longer than the file, not JSON or with a duplicate name; a tensor without dtype, shape or data_offsets;
/// numbers that overlap, leave a gap or exceed the file; a length that does not match dtype and shape. Source of the
/// format: huggingface/safetensors, README.md.
std::vector<SafetensorsEntry> read_safetensors_header(std::span<const std::byte> bytes, const std::string& source);

/// Returns the strings in "__metadata__" whose keys begin with `prefix`, keyed without it; others are ignored. Throws
/// InputError: an invalid header, metadata that are not an object, one of these values that is not a string.
std::map<std::string, std::string> read_safetensors_notes(std::span<const std::byte> bytes, const std::string& source,
                                                          std::string_view prefix);

/// Returns the number format of a dtype; nullopt for an unknown one and for those that are not plain numbers.
std::optional<Storage> safetensors_storage(std::string_view dtype);

/// Views one tensor without copying: it points into `bytes`, which `owner` keeps alive, and is named "SOURCE: NAME".
/// Throws InputError as read_safetensors_header() does, and: no such tensor (lists the known ones), a dtype that is not
/// a plain number (BOOL, the eight-bit floats).
StoredTensor open_safetensors(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& source, const std::string& name);

// --- Index ---------------------------------------------------------------------------------------------------------

/// Returns the folder of a diffusers pipeline that contains its rotary transformer, from the text of its
/// model_index.json: "transformer". Throws InputError: not JSON, a pipeline without a transformer (a U-Net has no
/// rotary embedding).
std::string pipeline_transformer(std::string_view text, const std::string& source);

/// Returns the pixels per latent and side from the text of a VAE's config.json; nullopt if it has no such field.
/// scale_factor_spatial or spatial_compression_ratio; else 2^(entries of temperal_downsample) (Wan, Qwen-Image);
/// patch_size·2^(true entries of spatio_temporal_scaling) (LTX-Video); 2^(entries of block_out_channels − 1). Source:
/// the pipelines of huggingface/diffusers. Throws InputError: not JSON, one of these fields with another type.
std::optional<int> vae_stride(std::string_view text, const std::string& source);

/// Returns the file of each tensor that is wanted, from the text of a model.safetensors.index.json. Throws InputError:
/// not JSON, no weight_map, a file of any tensor that is not a plain name (it would lead out of the folder).
std::map<std::string, std::string> parse_weight_map(std::string_view text, const std::string& source,
                                                    const std::function<bool(std::string_view)>& wanted);

/// Returns whether a tensor has a language model's name of stored inverse frequencies: ….rotary_emb.inv_freq.
bool is_inverse_frequencies(std::string_view tensor);

// --- CSV -----------------------------------------------------------------------------------------------------------

/// Limits of a .csv, whose numbers are kept as float64; a larger file is rejected with a named error.
struct CsvLimits {
  std::size_t numbers = std::size_t{1} << 25;
  std::stop_token stop = {};  ///< cancels reading with an InputError
};

/// Parses comma-separated numbers, one row per line, as [rows, columns]; blanks around a number and blank lines at the
/// end are ignored. A first line in which no cell begins as a number is a header. The tensor owns its values; `source`
/// names the file in errors and is the tensor's name. Throws InputError naming line and column (both counted from 1):
/// text in a cell, NaN and infinity, an empty cell, a number beyond double, a row of another length; also for an empty
/// file or one above the limit.
StoredTensor parse_csv(std::span<const std::byte> bytes, const std::string& source, const CsvLimits& limits = {});
/// Returns the column names in a .csv header, without quotes around them; empty for no header or another file type.
std::vector<std::string> csv_header(std::string_view text);

// --- All file types ------------------------------------------------------------------------------------------------

/// Tensor files: .npy, .npz, .safetensors, .csv, PyTorch's .pt and .pth, .gguf, and the .bin of ggml's programs. They
/// are distinguished by their first bytes, else by the extension of `path` (which names the file in errors too). Every
/// function throws InputError for another file type.

/// File extensions of tensor files; a file with another extension may be one too.
inline constexpr std::string_view kTensorEndings = ".npy .npz .safetensors .csv .pt .pth .gguf .bin .dat";
/// Returns whether a name has one of these extensions, in upper or lower case.
bool ends_like_tensors(std::string_view path);

/// Returns the tensor names of a file in its order; one empty name for a .npy or .csv, whose tensor has none, and for a
/// .pt that contains a single tensor.
std::vector<std::string> list_tensors(std::span<const std::byte> bytes, const std::string& path);

/// Returns whether a file is a .safetensors, with the rules of the functions above. Throws as they do.
bool is_safetensors(std::span<const std::byte> bytes, const std::string& path);
/// Returns whether a file is a .pt, a .gguf or a ggml dump, whose tensors have names too; false if it is not a tensor
/// file.
bool is_of_torch_or_ggml(std::span<const std::byte> bytes, const std::string& path);

/// Options for opening a tensor.
struct TensorReading {
  /// Unpacks only the array's header of a .npz, and only the pickle of a .pt: the tensor is only declared
  /// (declared_only), so that its shape can be checked first.
  bool declared = false;
  std::stop_token stop;  ///< cancels unpacking and text parsing with an InputError
};

/// Opens one tensor of a file; it points into `bytes`, which `owner` keeps alive, unless it had to be unpacked (.npz,
/// .pt) or parsed (.csv). Without a name, the file must contain only one tensor. Throws InputError as the reader of the
/// file type, and: a name for a type without names, several tensors and no name (lists them).
StoredTensor open_tensor(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& path,
                         const std::optional<std::string>& name, const TensorReading& reading = {});

}  // namespace ropescope
