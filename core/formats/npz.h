#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/formats/npy.h"

namespace ropescope {

/// What a .npz may cost: more is refused with a named error.
struct NpzLimits {
  std::uint64_t array_bytes = std::uint64_t{1} << 32;  ///< of one array after unpacking
  std::uint64_t arrays = 4096;                         ///< in the file
};

/// The names of the arrays of a .npz (a zip of .npy files, stored or deflated, as numpy.savez and savez_compressed
/// write it) in the order of the file, without ".npy". `source` names the file in errors. Throws InputError: not a zip,
/// cut short, too many arrays.
std::vector<std::string> list_npz(std::span<const std::byte> bytes, const std::string& source,
                                  const NpzLimits& limits = {});

/// Reads one array; errors of its .npy name it as "SOURCE: NAME.npy". Never allocates much more than is really
/// unpacked. Throws InputError as list_npz and parse_npy do, and: no such array (lists those there are), encrypted,
/// packed in another way, larger than the limit, damaged (its checksum does not fit).
Tensor parse_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                       const NpzLimits& limits = {});

/// The same array as it is stored: unpacked into memory of the tensor's own, named "SOURCE: NAME". Throws InputError as
/// parse_npz_array and view_npy do.
StoredTensor open_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                            const NpzLimits& limits = {});

}  // namespace ropescope
