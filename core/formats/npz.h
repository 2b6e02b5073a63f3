// NumPy .npz archives of several .npy, read without trusting declared sizes. Read npy.h first; tensor_file.h selects
// the reader by file type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/formats/npy.h"
#include "core/formats/zip.h"

namespace ropescope {

using NpzLimits = ZipLimits;

/// Returns the array names of a .npz in file order, without ".npy". A .npz is a zip of .npy files, stored or deflated,
/// as written by numpy.savez and savez_compressed. `source` names the file in errors. Throws InputError: not a zip,
/// truncated, too many arrays.
std::vector<std::string> list_npz(std::span<const std::byte> bytes, const std::string& source,
                                  const NpzLimits& limits = {});

/// Returns one array, unpacked only into the tensor's own memory and named "SOURCE: NAME"; errors of its .npy name it
/// "SOURCE: NAME.npy". The size that its header declares is first compared with that in the zip. Throws InputError as
/// list_npz() and view_npy(), and: no such array (lists the known ones), encrypted, another compression, larger than
/// the limit, damaged (wrong checksum).
StoredTensor open_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                            const NpzLimits& limits = {}, NpyNumbers accepted = NpyNumbers::every);

/// Returns one array as declared by its header (declared_only): only that is unpacked. Throws InputError as above.
StoredTensor declare_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                               const NpzLimits& limits = {}, NpyNumbers accepted = NpyNumbers::every);

}  // namespace ropescope
