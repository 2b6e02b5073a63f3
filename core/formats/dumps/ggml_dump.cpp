// Reader of ggml dumps: detects the form, walks over the records, opens tensors. Read ggml_dump.h first.

#include "core/formats/dumps/ggml_dump.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/formats/json.h"
#include "core/machine.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/utf8.h"

namespace ropescope {

namespace {

/// A ggml type that stores its numbers individually, not in blocks.
struct PlainType {
  std::uint32_t type;
  Storage storage;
};
constexpr PlainType kPlainTypes[] = {{0, Storage::float32},  {1, Storage::float16}, {30, Storage::bfloat16},
                                     {28, Storage::float64}, {24, Storage::int8},   {25, Storage::int16},
                                     {26, Storage::int32},   {27, Storage::int64}};

constexpr std::int32_t kMaxDimensions = 4, kLongestDumpName = 256;
constexpr std::size_t kMaxDumped = std::size_t{1} << 16;

/// Sequential reader of a dump.
class GgmlReader {
 public:
  GgmlReader(std::span<const std::byte> bytes, const std::string& source)
      : text_(characters_of(bytes)), source_(source) {}

  bool at_end() const { return at_ == text_.size(); }
  std::uint64_t place() const { return at_; }
  std::string_view take(std::uint64_t count) {
    if (count > text_.size() - at_) {
      throw InputError(source_, "ggml.cut_short", {{"at", at_}, {"bytes", text_.size()}});
    }
    const std::string_view taken = text_.substr(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }
  std::int32_t number() { return from_little_endian<std::int32_t>(take(4).data()); }
  /// Reads a count and throws unless it is at least `least`.
  std::int32_t count(std::int32_t least) {
    const std::size_t at = at_;
    const std::int32_t found = number();
    if (found < least) throw InputError(source_, "ggml.count", {{"at", at}, {"found", found}, {"least", least}});
    return found;
  }

 private:
  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
};

enum class GgmlForm { none, records, importance };

bool may_be_name(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  return !find_not_utf8(name) && std::none_of(name.begin(), name.end(), is_control);
}

/// Detects the form from the first record or entry.
GgmlForm form_of(std::span<const std::byte> bytes) {
  constexpr std::size_t kNumbers = 3, kNumberBytes = 4;
  constexpr std::int32_t kMaxTypes = 256;
  const std::string_view text = characters_of(bytes);
  if (text.size() < kNumbers * kNumberBytes) return GgmlForm::none;
  const auto number = [text](std::size_t place) {
    return from_little_endian<std::int32_t>(text.data() + place * kNumberBytes);
  };
  const auto name_at = [text](std::size_t place, std::int32_t length) {
    return may_be_name(text.substr(std::min(text.size(), place), static_cast<std::size_t>(length)));
  };
  const std::int32_t dimensions = number(0), length = number(1), type = number(2);
  if (length < 0 || length > kLongestDumpName) return GgmlForm::none;
  const bool record = dimensions >= 1 && dimensions <= kMaxDimensions && type >= 0 && type < kMaxTypes;
  if (record && name_at((kNumbers + static_cast<std::size_t>(dimensions)) * kNumberBytes, length)) {
    return GgmlForm::records;
  }
  return dimensions >= 1 && length >= 1 && name_at(2 * kNumberBytes, length) ? GgmlForm::importance : GgmlForm::none;
}

/// Returns the size in bytes of a record's numbers. Throws for an unknown type: the next record cannot be located.
std::uint64_t record_bytes(const GgmlTensor& tensor, const std::string& source) {
  const std::optional<Storage> storage = plain_ggml_storage(tensor.type);
  if (!storage) {
    throw InputError(source, "ggml.type", {{"name", in_quotes(tensor.name)}, {"type", ggml_type_name(tensor.type)}});
  }
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t size = storage_bytes(*storage);
  for (const std::int64_t side : tensor.shape) {
    if (static_cast<std::uint64_t>(side) > most / size) {
      throw InputError(source, "gguf.tensor",
                       {{"name", in_quotes(tensor.name)}, {"problem", Message("gguf.shape_too_large")}});
    }
    size *= static_cast<std::uint64_t>(side);
  }
  return size;
}

void add_tensor(GgmlTensor tensor, std::vector<GgmlTensor>& tensors, const std::string& source) {
  if (tensors.size() == kMaxDumped) throw InputError(source, "ggml.too_many", {{"most", kMaxDumped}});
  tensors.push_back(std::move(tensor));
}

std::vector<GgmlTensor> read_records(GgmlReader& reader, const std::string& source) {
  std::vector<GgmlTensor> tensors;
  while (!reader.at_end()) {
    GgmlTensor tensor;
    const std::int32_t dimensions = reader.count(1), length = reader.count(0);
    if (dimensions > kMaxDimensions) {
      throw InputError(source, "ggml.dimensions", {{"count", dimensions}, {"at", reader.place()}});
    }
    tensor.type = static_cast<std::uint32_t>(reader.count(0));
    for (std::int32_t side = 0; side < dimensions; ++side) tensor.shape.push_back(reader.count(1));
    std::reverse(tensor.shape.begin(), tensor.shape.end());
    tensor.name = std::string(reader.take(static_cast<std::uint64_t>(length)));
    const std::uint64_t size = record_bytes(tensor, source);
    tensor.begin = reader.place();
    reader.take(size);
    tensor.end = reader.place();
    add_tensor(std::move(tensor), tensors, source);
  }
  return tensors;
}

std::vector<GgmlTensor> read_importance(GgmlReader& reader, const std::string& source) {
  std::vector<GgmlTensor> tensors;
  const std::int32_t entries = reader.count(1);
  for (std::int32_t entry = 0; entry < entries; ++entry) {
    GgmlTensor tensor;
    tensor.name = std::string(reader.take(static_cast<std::uint64_t>(reader.count(1))));
    reader.number();
    tensor.shape = {reader.count(1)};
    tensor.begin = reader.place();
    reader.take(static_cast<std::uint64_t>(tensor.shape[0]) * storage_bytes(Storage::float32));
    tensor.end = reader.place();
    add_tensor(std::move(tensor), tensors, source);
  }
  // Older files end here; newer ones append the number of calls and the name of the input text.
  if (reader.at_end()) return tensors;
  reader.number();
  if (!reader.at_end()) reader.take(static_cast<std::uint64_t>(reader.count(0)));
  return tensors;
}

}  // namespace

std::optional<Storage> plain_ggml_storage(std::uint32_t type) {
  const auto found = std::find_if(std::begin(kPlainTypes), std::end(kPlainTypes),
                                  [type](const PlainType& plain) { return plain.type == type; });
  return found == std::end(kPlainTypes) ? std::nullopt : std::optional(found->storage);
}

bool begins_like_ggml_dump(std::span<const std::byte> bytes) {
  return form_of(bytes) != GgmlForm::none;
}

std::vector<GgmlTensor> read_ggml_dump(std::span<const std::byte> bytes, const std::string& source) {
  const GgmlForm form = form_of(bytes);
  if (form == GgmlForm::none) throw InputError(source, "tensor_file.unknown", {});
  GgmlReader reader(bytes, source);
  std::vector<GgmlTensor> tensors =
      form == GgmlForm::records ? read_records(reader, source) : read_importance(reader, source);
  if (!reader.at_end()) {
    throw InputError(source, "ggml.too_long", {{"at", reader.place()}, {"bytes", bytes.size()}});
  }
  std::vector<std::string_view> names;
  for (const GgmlTensor& tensor : tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw InputError(source, "ggml.twice", {{"name", in_quotes(*twice)}});
  return tensors;
}

std::vector<GgmlTensor> gguf_tensors(const GgufFile& file) {
  std::vector<GgmlTensor> tensors;
  for (const GgufTensor& each : file.tensors) {
    GgmlTensor tensor{{std::string(each.name), {}, each.begin, each.end}, each.type};
    for (int side = each.dimensions; side-- > 0;) {
      tensor.shape.push_back(static_cast<std::int64_t>(each.shape[static_cast<std::size_t>(side)]));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

StoredTensor open_ggml_tensor(const std::vector<GgmlTensor>& tensors, std::span<const std::byte> bytes,
                              std::shared_ptr<const void> owner, const std::string& source, const std::string& name,
                              bool big_endian) {
  const GgmlTensor* found = find_named_entry(tensors, name);
  if (!found) {
    std::vector<std::string> names;
    for (const GgmlTensor& tensor : tensors) names.push_back(tensor.name);
    throw InputError(source, "ggml.no_tensor", {{"name", in_quotes(name)}, {"names", quoted_names(names)}});
  }
  const std::optional<Storage> storage = plain_ggml_storage(found->type);
  if (!storage) {
    throw InputError(source, "ggml.type", {{"name", in_quotes(name)}, {"type", ggml_type_name(found->type)}});
  }
  StoredTensor tensor;
  tensor.name = name.empty() ? source : source + ": " + one_line(name);
  tensor.storage = *storage;
  tensor.big_endian = big_endian;
  tensor.shape = found->shape;
  tensor.strides =
      found->begin == found->end ? std::vector<std::int64_t>(tensor.shape.size(), 0) : row_major_strides(tensor.shape);
  tensor.bytes =
      bytes.subspan(static_cast<std::size_t>(found->begin), static_cast<std::size_t>(found->end - found->begin));
  tensor.owner = std::move(owner);
  return tensor;
}

}  // namespace ropescope
