// Replaces core/formats/npz.cpp if there is no libzip: a .npz is rejected.

#include "core/formats/npz.h"
#include "core/message.h"

namespace ropescope {

namespace {

[[noreturn]] void refuse(const std::string& source) {
  throw InputError(source + ": this build has no libzip and reads no .npz");
}

}  // namespace

std::vector<std::string> list_npz(std::span<const std::byte>, const std::string& source, const NpzLimits&) {
  refuse(source);
}

StoredTensor open_npz_array(std::span<const std::byte>, const std::string& source, const std::string&, const NpzLimits&,
                            NpyNumbers) {
  refuse(source);
}

StoredTensor declare_npz_array(std::span<const std::byte>, const std::string& source, const std::string&,
                               const NpzLimits&, NpyNumbers) {
  refuse(source);
}

}  // namespace ropescope
