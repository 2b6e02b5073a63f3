// PyTorch's .pt and .pth: a zip of a pickle, which says what tensors there are, and of their storages. Read pickle.h
// first; tensor_file.h chooses by the file's kind.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"
#include "core/formats/zip.h"

namespace ropescope {

/// A zip whose files a torch.save of many tensors fills.
inline const ZipLimits kTorchLimits{std::uint64_t{1} << 32, std::uint64_t{1} << 16, {}};

// All of them throw InputError as ZipFile and read_pickled_tensors do, and: no data.pkl, one of more than 16 MiB,
// another byte order than "little" or "big". `source` names the file in errors.

/// Names of the tensors in the order of the pickle; one empty name where it holds a tensor alone.
std::vector<std::string> list_torch(std::span<const std::byte> bytes, const std::string& source,
                                    const ZipLimits& limits = kTorchLimits);

/// One tensor as it is stored, with its strides, named "SOURCE: NAME"; its storage is unpacked into memory of its own.
/// Throws InputError: no such tensor (lists those there are), a storage that is not there or of another size.
StoredTensor open_torch(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                        const ZipLimits& limits = kTorchLimits);

/// One tensor as far as the pickle tells (declared_only): its storage is not unpacked. Throws InputError as open_torch.
StoredTensor declare_torch(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                           const ZipLimits& limits = kTorchLimits);

}  // namespace ropescope
