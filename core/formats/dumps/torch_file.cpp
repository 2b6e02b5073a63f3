// Tensors of a .pt; each storage is a zip member in the folder of data.pkl: "archive/data/0". Read torch_file.h first.

#include "core/formats/dumps/torch_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/formats/dumps/pickle.h"
#include "core/formats/json.h"
#include "core/machine.h"
#include "core/message.h"
#include "core/registry.h"

namespace ropescope {

namespace {

constexpr std::string_view kPickle = "data.pkl";
constexpr std::uint64_t kMaxPickleBytes = std::uint64_t{1} << 24, kMaxWordBytes = 16;

/// Contents of a .pt: its tensors and their storages.
class TorchArchive {
 public:
  TorchArchive(std::span<const std::byte> bytes, const std::string& source, const ZipLimits& limits)
      : zip_(bytes, source, ".pt", limits), names_(zip_.names()) {
    const auto pickle = std::find_if(names_.begin(), names_.end(), [](const std::string& name) {
      return name == kPickle || name.ends_with("/" + std::string(kPickle));
    });
    if (pickle == names_.end()) throw InputError(source, "torch.no_pickle", {});
    folder_ = pickle->substr(0, pickle->size() - kPickle.size());
    const Unpacked unpacked = unpack(open(std::string(kPickle), kMaxPickleBytes));
    tensors_ = read_pickled_tensors(unpacked.bytes, source);
  }

  const std::vector<PickledTensor>& tensors() const { return tensors_; }

  const PickledTensor& tensor(const std::string& name) const {
    if (const PickledTensor* found = find_named_entry(tensors_, name)) return *found;
    std::vector<std::string> names;
    for (const PickledTensor& each : tensors_) names.push_back(each.name);
    throw InputError(zip_.source(), "torch.no_tensor", {{"name", in_quotes(name)}, {"names", quoted_names(names)}});
  }

  /// Reads the byte order. Older writers omit it; they used the machine's order, in practice always little endian.
  bool is_big_endian() const {
    constexpr const char* kOrder = "byteorder";
    if (!has(kOrder)) return false;
    const Unpacked word = unpack(open(kOrder, kMaxWordBytes));
    const std::string_view text = characters_of(word.bytes);
    if (text != "little" && text != "big") {
      throw InputError(zip_.source(), "torch.byte_order", {{"found", in_quotes(text)}});
    }
    return text == "big";
  }

  /// Returns the packed storage of a tensor.
  ZipMember storage(const PickledTensor& tensor) const {
    ZipMember member = open("data/" + tensor.key, std::uint64_t{1} << 63);
    const std::uint64_t each = storage_bytes(tensor.storage);
    if (member.size() % each != 0 || member.size() / each != static_cast<std::uint64_t>(tensor.stored)) {
      throw InputError(member.place(), "torch.bytes",
                       {{"count", tensor.stored}, {"bytes", std::to_string(member.size())}, {"each", each}});
    }
    return member;
  }

 private:
  bool has(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), folder_ + name) != names_.end();
  }

  ZipMember open(const std::string& name, std::uint64_t most) const {
    const auto found = std::find(names_.begin(), names_.end(), folder_ + name);
    if (found == names_.end()) throw InputError(zip_.source(), "torch.no_file", {{"name", in_quotes(folder_ + name)}});
    ZipMember member =
        zip_.open(static_cast<std::size_t>(found - names_.begin()), zip_.source() + ": " + one_line(folder_ + name));
    if (member.size() > most) {
      throw InputError(member.place(), "npz.too_large", {{"bytes", std::to_string(member.size())}, {"most", most}});
    }
    return member;
  }

  ZipFile zip_;
  std::vector<std::string> names_;
  std::string folder_;
  std::vector<PickledTensor> tensors_;
};

/// Returns the tensor's description without its bytes.
StoredTensor described(const TorchArchive& archive, const PickledTensor& pickled, const std::string& source) {
  StoredTensor tensor;
  tensor.name = pickled.name.empty() ? source : source + ": " + one_line(pickled.name);
  tensor.storage = pickled.storage;
  tensor.big_endian = archive.is_big_endian();
  tensor.shape = pickled.shape;
  tensor.strides = tensor.count() == 0 ? std::vector<std::int64_t>(tensor.shape.size(), 0) : pickled.strides;
  return tensor;
}

}  // namespace

std::vector<std::string> list_torch(std::span<const std::byte> bytes, const std::string& source,
                                    const ZipLimits& limits) {
  const TorchArchive archive(bytes, source, limits);
  std::vector<std::string> names;
  for (const PickledTensor& tensor : archive.tensors()) names.push_back(tensor.name);
  return names;
}

StoredTensor open_torch(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                        const ZipLimits& limits) {
  const TorchArchive archive(bytes, source, limits);
  const PickledTensor& pickled = archive.tensor(name);
  StoredTensor tensor = described(archive, pickled, source);
  Unpacked storage = unpack(archive.storage(pickled));
  if (tensor.count() > 0) {
    tensor.bytes = storage.bytes.subspan(static_cast<std::size_t>(pickled.first) * storage_bytes(tensor.storage));
  }
  tensor.owner = std::move(storage.owner);
  return tensor;
}

StoredTensor declare_torch(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                           const ZipLimits& limits) {
  const TorchArchive archive(bytes, source, limits);
  const PickledTensor& pickled = archive.tensor(name);
  archive.storage(pickled);
  return declared_only(described(archive, pickled, source));
}

}  // namespace ropescope
