// The part of Python's pickle that torch.save writes for tensors, dicts and lists of them. It is read as data, by a
// small interpreter that knows these opcodes and a few objects by their names; no code of a file is ever run.
// torch_file.h reads the zip around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// A tensor as a pickle describes it; its numbers stand in a storage beside it, which others may share.
struct PickledTensor {
  std::string name;  ///< keys and places from the outermost on: "model.cos", "0"; empty where it stands alone
  Storage storage = Storage::float32;
  std::string key;                    ///< names the storage: "0"
  std::int64_t stored = 0;            ///< numbers of the storage
  std::int64_t first = 0;             ///< number of the storage that element [0, 0, …] is
  std::vector<std::int64_t> shape;    ///< at most 64 sides
  std::vector<std::int64_t> strides;  ///< in elements; all of it stays within the storage
};

/// Reads data.pkl of a .pt (pickle protocols 2 to 5): a tensor, or dicts, lists and tuples with tensors in them; what
/// else stands in them (numbers, texts, none) is left out. Memory grows with the bytes that are read. `source` names
/// the file in errors. Throws InputError: an object or an opcode that torch.save does not write for these (the
/// sentence says how to save as .safetensors), numbers that no table is made of, a view of conjugated numbers, a tensor
/// that reaches beyond its storage or claims more than 4 GiB, a name twice or of more than 1024 bytes, damaged or cut
/// short, more than 65 536 tensors or a million objects, deeper than 64. Source of the format: pytorch/pytorch,
/// torch/serialization.py (_legacy_save and _save), torch/_utils.py (_rebuild_tensor_v2); opcodes: python/cpython,
/// Lib/pickletools.py.
std::vector<PickledTensor> read_pickled_tensors(std::span<const std::byte> bytes, const std::string& source);

/// Whether these bytes begin as torch.save began before PyTorch 1.6: with its magic number, pickled.
bool begins_like_legacy_torch(std::span<const std::byte> bytes);

}  // namespace ropescope
