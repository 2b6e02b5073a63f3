// PyTorch's .pt and .pth: a zip archive with a pickle, which describes the tensors, and their storages. Read pickle.h
// first; tensor_file.h selects this reader by file type.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/check/reading/stored_tensor.h"
#include "core/formats/zip.h"

namespace ropescope {

/// Limits for a zip archive in which torch.save stored many tensors.
inline const ZipLimits kTorchLimits{std::uint64_t{1} << 32, std::uint64_t{1} << 16, {}};

// All functions throw InputError as ZipFile and read_pickled_tensors do, and for: a missing data.pkl or one above 16
// MiB, a byte order other than "little" or "big". `source` names the file in errors.

/// Returns the tensor names in pickle order; one empty name for a bare tensor.
std::vector<std::string> list_torch(std::span<const std::byte> bytes, const std::string& source,
                                    const ZipLimits& limits = kTorchLimits);

/// Opens one tensor with its strides, named "SOURCE: NAME"; its storage is unpacked into new memory. Throws InputError
/// if there is no such tensor (the error lists the tensors) or if a storage is missing or has another size.
StoredTensor open_torch(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                        const ZipLimits& limits = kTorchLimits);

/// Declares one tensor from the pickle (declared_only) without unpacking. Throws InputError as open_torch does.
StoredTensor declare_torch(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                           const ZipLimits& limits = kTorchLimits);

}  // namespace ropescope
