#include "core/formats/safetensors.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostDimensions = 64;

struct DtypeEntry {
  std::string_view name;
  std::size_t bytes;
  std::optional<Storage> storage;  ///< none: known, but no numbers that a table is made of
};

constexpr DtypeEntry kDtypes[] = {
    {"F64", 8, Storage::float64},   {"F32", 4, Storage::float32}, {"F16", 2, Storage::float16},
    {"BF16", 2, Storage::bfloat16}, {"I64", 8, Storage::int64},   {"I32", 4, Storage::int32},
    {"I16", 2, Storage::int16},     {"I8", 1, Storage::int8},     {"U64", 8, Storage::uint64},
    {"U32", 4, Storage::uint32},    {"U16", 2, Storage::uint16},  {"U8", 1, Storage::uint8},
    {"C64", 8, Storage::complex64}, {"BOOL", 1, std::nullopt},    {"F8_E4M3", 1, std::nullopt},
    {"F8_E5M2", 1, std::nullopt},   {"F8_E8M0", 1, std::nullopt},
};

const DtypeEntry* find_dtype(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kDtypes), std::end(kDtypes), [&](const DtypeEntry& entry) { return entry.name == name; });
  return found == std::end(kDtypes) ? nullptr : found;
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) number |= std::to_integer<std::uint64_t>(bytes[k]) << (8 * k);
  return number;
}

/// The JSON text between the length and the numbers.
std::string_view header_text(std::span<const std::byte> bytes, const std::string& source) {
  if (bytes.size() < kLengthBytes) {
    throw InputError(source + ": not a .safetensors file (it has " + std::to_string(bytes.size()) +
                     " bytes; the length of its header takes 8)");
  }
  const std::uint64_t length = little_endian(bytes.first(kLengthBytes));
  const std::size_t left = bytes.size() - kLengthBytes;
  if (length > left) {
    throw InputError(source + ": the .safetensors header claims " + std::to_string(length) + " bytes, but only " +
                     std::to_string(left) + " follow");
  }
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, static_cast<std::size_t>(length)};
}

/// Whole numbers ≥ 0 and below 2^63.
std::vector<std::int64_t> read_sizes(const Section& tensor, std::string_view key) {
  const json* list = tensor.find(key);
  if (!list || !list->is_array() || list->size() > kMostDimensions) tensor.reject(key, "a list of whole numbers");
  std::vector<std::int64_t> sizes;
  for (const json& entry : *list) {
    if (!entry.is_number_unsigned() ||
        entry.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw InputError(tensor.source + ": " + tensor.field(key) + " has " + describe(entry) +
                       "; whole numbers from 0 to 2^63 - 1 were expected");
    }
    sizes.push_back(entry.get<std::int64_t>());
  }
  return sizes;
}

/// Bytes that the numbers of this shape take; none where that is more than 2^63 - 1.
std::optional<std::uint64_t> bytes_of(const std::vector<std::int64_t>& shape, std::size_t size) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t bytes = size;
  for (const std::int64_t side : shape) {
    if (static_cast<std::uint64_t>(side) > most / bytes) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(side);
  }
  return bytes;
}

void check_length(const SafetensorsEntry& entry, const std::string& source) {
  const DtypeEntry* dtype = find_dtype(entry.dtype);
  if (!dtype) return;  // refused by name where it is asked for; the others can be read
  const std::optional<std::uint64_t> expected = bytes_of(entry.shape, dtype->bytes);
  if (!expected)
    throw InputError(source + ": " + in_quotes(entry.name) + ": the shape has more numbers than any file can hold");
  if (entry.end - entry.begin != *expected) {
    throw InputError(source + ": " + in_quotes(entry.name) + ": dtype and shape ask for " + std::to_string(*expected) +
                     " bytes, but data_offsets give it " + std::to_string(entry.end - entry.begin));
  }
}

SafetensorsEntry read_entry(const std::string& name, const Section& tensor) {
  SafetensorsEntry entry;
  entry.name = name;
  const auto dtype = tensor.text("dtype");
  if (!dtype) tensor.reject("dtype", "a text, as \"F32\",");
  entry.dtype = dtype->value;
  entry.shape = read_sizes(tensor, "shape");
  const std::vector<std::int64_t> offsets = read_sizes(tensor, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) tensor.reject("data_offsets", "a list of begin and end");
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  check_length(entry, tensor.source);
  return entry;
}

/// The tensors fill the bytes after the header: no gap, nothing twice, nothing beyond.
void check_places(const std::vector<SafetensorsEntry>& entries, std::uint64_t available, const std::string& source) {
  std::uint64_t filled = 0;
  const std::string* before = nullptr;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.end > available) {
      throw InputError(source + ": " + in_quotes(entry.name) + ": its numbers end at byte " +
                       std::to_string(entry.end) + ", but only " + std::to_string(available) +
                       " follow the header; the file is cut short");
    }
    if (entry.begin < filled) {
      throw InputError(source + ": " + in_quotes(entry.name) + ": its numbers overlap those of " +
                       (before ? in_quotes(*before) : "the header"));
    }
    if (entry.begin > filled) {
      throw InputError(source + ": " + in_quotes(entry.name) + ": its numbers begin at byte " +
                       std::to_string(entry.begin) + ", where byte " + std::to_string(filled) +
                       " was expected; no tensor may leave a gap");
    }
    filled = entry.end;
    before = &entry.name;
  }
  if (filled != available) {
    throw InputError(source + ": the .safetensors has " + std::to_string(available - filled) +
                     " bytes after its last tensor");
  }
}

}  // namespace

std::vector<SafetensorsEntry> read_safetensors_header(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view text = header_text(bytes, source);
  const json root = parse_json_object(text, source + ": the header", {DuplicateKeys::refused});
  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, value] : root.items()) {
    if (name == "__metadata__") continue;
    if (!value.is_object()) {
      throw InputError(source + ": " + in_quotes(name) + " is " + describe(value) +
                       "; an object with dtype, shape and data_offsets was expected");
    }
    entries.push_back(read_entry(name, Section{&value, in_quotes(name), source}));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const std::size_t data_begin = kLengthBytes + text.size();
  check_places(entries, bytes.size() - data_begin, source);
  for (SafetensorsEntry& entry : entries) {
    entry.begin += data_begin;
    entry.end += data_begin;
  }
  return entries;
}

StoredTensor open_safetensors(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& source, const std::string& name) {
  std::vector<SafetensorsEntry> entries = read_safetensors_header(bytes, source);
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const SafetensorsEntry& entry) { return entry.name == name; });
  if (found == entries.end()) {
    std::vector<std::string> names;
    for (SafetensorsEntry& entry : entries) names.push_back(std::move(entry.name));
    throw InputError(source + ": the .safetensors has no tensor named " + in_quotes(name) + "; it holds " +
                     quoted_names(names));
  }
  const DtypeEntry* dtype = find_dtype(found->dtype);
  if (!dtype || !dtype->storage) {
    throw InputError(source + ": " + in_quotes(name) + ": the dtype is " + in_quotes(found->dtype) +
                     "; F64, F32, F16, BF16, C64 or an integer (I8 to I64, U8 to U64) was expected");
  }
  StoredTensor tensor;
  tensor.name = source + ": " + one_line(name);
  tensor.storage = *dtype->storage;
  tensor.shape = std::move(found->shape);
  tensor.strides =
      found->begin == found->end ? std::vector<std::int64_t>(tensor.shape.size(), 0) : row_major_strides(tensor.shape);
  tensor.bytes = bytes.subspan(found->begin, found->end - found->begin);
  tensor.owner = std::move(owner);
  return tensor;
}

}  // namespace ropescope
