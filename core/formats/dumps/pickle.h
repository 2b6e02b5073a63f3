// Reader for the part of Python's pickle that torch.save uses for tensors, dicts and lists. A small interpreter with a
// fixed set of opcodes and object names reads it as data; no code in the file is executed. torch_file.h reads the zip
// archive around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// A tensor as a pickle describes it; its numbers are in a separate storage, which tensors may share.
struct PickledTensor {
  std::string name;  ///< keys and indices from the outermost on: "model.cos", "0"; empty for a bare tensor
  Storage storage = Storage::float32;
  std::string key;                    ///< name of the storage: "0"
  std::int64_t stored = 0;            ///< how many numbers the storage has
  std::int64_t first = 0;             ///< index in the storage of element [0, 0, …]
  std::vector<std::int64_t> shape;    ///< at most 64 sides
  std::vector<std::int64_t> strides;  ///< in elements; every element is within the storage
};

/// Reads data.pkl of a .pt (pickle protocols 2 to 5): a tensor, or dicts, lists and tuples that contain tensors; other
/// contents (numbers, strings, None) are ignored. Memory grows with the bytes read. `source` names the file in errors.
/// Throws InputError for: an object or opcode that torch.save does not write for these (the error explains how to save
/// as .safetensors), a number type unsuitable for tables, a view of conjugated numbers, a tensor that exceeds its
/// storage or 4 GiB, a repeated name or one longer than 1024 bytes, damaged or truncated data, more than 65 536 tensors
/// or a million objects, nesting deeper than 64. Source of the format: pytorch/pytorch, torch/serialization.py
/// (_legacy_save and _save), torch/_utils.py (_rebuild_tensor_v2); opcodes: python/cpython, Lib/pickletools.py.
std::vector<PickledTensor> read_pickled_tensors(std::span<const std::byte> bytes, const std::string& source);

/// Returns whether these bytes begin as in torch.save before PyTorch 1.6: with its magic number, pickled.
bool begins_like_legacy_torch(std::span<const std::byte> bytes);

}  // namespace ropescope
