// NumPy's zips of several .npy, read without trusting what they declare. Read npy.h first; tensor_file.h chooses by the
// file's kind.
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

/// The names of the arrays of a .npz (a zip of .npy files, stored or deflated, as numpy.savez and savez_compressed
/// write it) in the order of the file, without ".npy". `source` names the file in errors. Throws InputError: not a zip,
/// cut short, too many arrays.
std::vector<std::string> list_npz(std::span<const std::byte> bytes, const std::string& source,
                                  const NpzLimits& limits = {});

/// One array as it is stored, unpacked into memory of the tensor's own and no more of it, named "SOURCE: NAME"; errors
/// of its .npy name it as "SOURCE: NAME.npy". What its header declares is compared with what the zip says before.
/// Throws InputError as list_npz and view_npy do, and: no such array (lists those there are), encrypted, packed in
/// another way, larger than the limit, damaged (its checksum does not fit).
StoredTensor open_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                            const NpzLimits& limits = {}, NpyNumbers accepted = NpyNumbers::every);

/// One array as far as its header tells (declared_only): only that is unpacked. Throws InputError as open_npz_array.
StoredTensor declare_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                               const NpzLimits& limits = {}, NpyNumbers accepted = NpyNumbers::every);

}  // namespace ropescope
