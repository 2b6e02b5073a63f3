#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// Files of tensors: .npy, .npz, .safetensors and .csv, told apart by how they begin, else by the ending of `path`
/// (which names the file in errors too). Every function throws InputError for another kind of file.

/// Names of the tensors in a file in its order; one empty name for a .npy or .csv, whose tensor has none.
std::vector<std::string> list_tensors(std::span<const std::byte> bytes, const std::string& path);

/// Whether a file is a .safetensors, as the functions above tell it. Throws as they do.
bool is_safetensors(std::span<const std::byte> bytes, const std::string& path);

/// How a tensor is opened.
struct TensorReading {
  /// Nothing of a .npz is unpacked but the header of the array: the tensor is only declared (declared_only), so that
  /// its shape can be judged first.
  bool declared = false;
  std::stop_token stop;  ///< ends unpacking and reading of text by an InputError
};

/// One tensor of a file; it points into `bytes`, which `owner` keeps alive, unless it had to be unpacked (.npz) or read
/// (.csv). Without a name the file must hold one tensor only. Throws InputError as the reader of the kind does, and: a
/// name for a kind without names, several tensors and no name (lists them).
StoredTensor open_tensor(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& path,
                         const std::optional<std::string>& name, const TensorReading& reading = {});

}  // namespace ropescope
