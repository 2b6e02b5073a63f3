#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

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

}  // namespace ropescope
