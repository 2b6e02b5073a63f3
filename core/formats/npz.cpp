// Lookup of arrays by name in a .npz; npy.h parses them. Read npz.h first.

#include "core/formats/npz.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>

#include "core/formats/json.h"
#include "core/formats/npy.h"
#include "core/message.h"

namespace ropescope {

namespace {

constexpr std::string_view kSuffix = ".npy";

/// Returns the array names as numpy.load does.
std::vector<std::string> list_array_names(const ZipFile& archive) {
  std::vector<std::string> names = archive.names();
  for (std::string& name : names) {
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  }
  return names;
}

/// Starts to unpack one array.
ZipMember open_member(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                      const NpzLimits& limits) {
  const ZipFile archive(bytes, source, ".npz", limits);
  const std::vector<std::string> names = list_array_names(archive);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InputError(source, "npz.no_array", {{"name", in_quotes(name)}, {"names", quoted_names(names)}});
  }
  return archive.open(static_cast<std::size_t>(found - names.begin()), source + ": " + one_line(name) + ".npy");
}

}  // namespace

std::vector<std::string> list_npz(std::span<const std::byte> bytes, const std::string& source,
                                  const NpzLimits& limits) {
  return list_array_names(ZipFile(bytes, source, ".npz", limits));
}

StoredTensor open_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                            const NpzLimits& limits, NpyNumbers accepted) {
  ZipMember array = open_member(bytes, source, name, limits);
  if (array.size() > std::string().max_size() / 2) throw std::bad_alloc();
  const auto size = static_cast<std::size_t>(array.size());
  // Uninitialised, so a false size costs nothing.
  const std::shared_ptr<std::byte[]> content(new std::byte[size]);
  const std::span<std::byte> all(content.get(), size), beginning = all.first(std::min(size, kNpyBeginning));
  array.read(beginning);
  declare_npy(beginning, size, array.place(), accepted);
  array.read(all.subspan(beginning.size()));
  array.finish();
  StoredTensor tensor = view_npy(all, content, array.place(), accepted);
  tensor.name = source + ": " + one_line(name);
  return tensor;
}

StoredTensor declare_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                               const NpzLimits& limits, NpyNumbers accepted) {
  ZipMember array = open_member(bytes, source, name, limits);
  std::vector<std::byte> beginning(static_cast<std::size_t>(std::min<std::uint64_t>(array.size(), kNpyBeginning)));
  array.read(beginning);
  StoredTensor tensor = declare_npy(beginning, array.size(), array.place(), accepted);
  tensor.name = source + ": " + one_line(name);
  return tensor;
}

}  // namespace ropescope
