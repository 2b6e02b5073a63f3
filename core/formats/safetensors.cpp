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
constexpr std::size_t kSafetensorsMostDimensions = 64;
constexpr std::string_view kMetadata = "__metadata__";

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
    throw InputError(source, "safetensors.not_safetensors", {{"bytes", bytes.size()}, {"needed", kLengthBytes}});
  }
  const std::uint64_t length = little_endian(bytes.first(kLengthBytes));
  const std::size_t left = bytes.size() - kLengthBytes;
  if (length > left) {
    throw InputError(source, "safetensors.header_cut", {{"claimed", std::to_string(length)}, {"there", left}});
  }
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, static_cast<std::size_t>(length)};
}

/// Hands over the members of the header (the tensors and "__metadata__"), or with a key what the header has there, one
/// by one.
void for_each_in_header(std::string_view text, const std::string& source, std::string_view key,
                        const TakeMember& take) {
  for_each_member(text, Words("safetensors.header_of", {{"file", source}}), {DuplicateKeys::refused}, key, take);
}

[[noreturn]] void refuse_twice(std::string_view name, const std::string& source) {
  throw InputError(Words("safetensors.header_of", {{"file", source}}), "json.twice", {{"key", in_quotes(name)}});
}

/// Throws where one name is there twice.
void check_names_safetensors(std::vector<std::string_view> names, const std::string& source) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse_twice(*twice, source);
}

/// Whole numbers ≥ 0 and below 2^63.
std::vector<std::int64_t> read_sizes(const Section& tensor, std::string_view key) {
  const json* list = tensor.find(key);
  if (!list || !list->is_array() || list->size() > kSafetensorsMostDimensions)
    tensor.reject(key, Words("expected.whole_numbers"));
  std::vector<std::int64_t> sizes;
  for (const json& entry : *list) {
    if (!entry.is_number_unsigned() ||
        entry.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw InputError(tensor.source, "safetensors.size", {{"field", tensor.field(key)}, {"found", describe(entry)}});
    }
    sizes.push_back(entry.get<std::int64_t>());
  }
  return sizes;
}

/// Bytes that the numbers of this shape take; none where that is more than 2^63 - 1.
std::optional<std::uint64_t> bytes_of_safetensors(const std::vector<std::int64_t>& shape, std::size_t size) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t bytes = size;
  for (const std::int64_t side : shape) {
    if (static_cast<std::uint64_t>(side) > most / bytes) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(side);
  }
  return bytes;
}

[[noreturn]] void refuse(const std::string& source, const SafetensorsEntry& entry, const Words& problem) {
  throw InputError(source, "safetensors.tensor", {{"name", in_quotes(entry.name)}, {"problem", problem}});
}

void check_length(const SafetensorsEntry& entry, const std::string& source) {
  const DtypeEntry* dtype = find_dtype(entry.dtype);
  if (!dtype) return;  // refused by name where it is asked for; the others can be read
  const std::optional<std::uint64_t> expected = bytes_of_safetensors(entry.shape, dtype->bytes);
  if (!expected) refuse(source, entry, Words("safetensors.shape_too_large"));
  if (entry.end - entry.begin != *expected) {
    refuse(source, entry, {"safetensors.length", {{"asked", *expected}, {"given", entry.end - entry.begin}}});
  }
}

SafetensorsEntry read_entry_safetensors(const std::string& name, const Section& tensor, const std::string& source) {
  SafetensorsEntry entry;
  entry.name = name;
  const auto dtype = tensor.text("dtype");
  if (!dtype) tensor.reject("dtype", Words("safetensors.dtype_text"));
  entry.dtype = dtype->value;
  entry.shape = read_sizes(tensor, "shape");
  const std::vector<std::int64_t> offsets = read_sizes(tensor, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) tensor.reject("data_offsets", Words("safetensors.offsets"));
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  check_length(entry, source);
  return entry;
}

/// The tensors fill the bytes after the header: no gap, nothing twice, nothing beyond.
void check_places(const std::vector<SafetensorsEntry>& entries, std::uint64_t available, const std::string& source) {
  std::uint64_t filled = 0;
  const std::string* before = nullptr;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.end > available) {
      refuse(source, entry, {"safetensors.cut_short", {{"end", entry.end}, {"there", available}}});
    }
    if (entry.begin < filled) {
      const Words other = before ? as_it_is(in_quotes(*before)) : Words("safetensors.header");
      refuse(source, entry, {"safetensors.overlap", {{"other", other}}});
    }
    if (entry.begin > filled) {
      refuse(source, entry, {"safetensors.gap", {{"begin", entry.begin}, {"expected", filled}}});
    }
    filled = entry.end;
    before = &entry.name;
  }
  if (filled != available) throw InputError(source, "safetensors.too_long", {{"bytes", available - filled}});
}

}  // namespace

std::vector<SafetensorsEntry> read_safetensors_header(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view text = header_text(bytes, source);
  std::vector<SafetensorsEntry> entries;
  std::size_t notes = 0;
  for_each_in_header(text, source, {}, [&](const std::string& name, const json& value) {
    if (name == kMetadata) {
      ++notes;
      return;
    }
    if (!value.is_object()) {
      throw InputError(source, "safetensors.no_object", {{"name", in_quotes(name)}, {"found", describe(value)}});
    }
    entries.push_back(
        read_entry_safetensors(name, Section{&value, as_it_is(in_quotes(name)), as_it_is(source)}, source));
  });
  std::vector<std::string_view> names(notes, kMetadata);
  for (const SafetensorsEntry& entry : entries) names.push_back(entry.name);
  check_names_safetensors(std::move(names), source);
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

std::map<std::string, std::string> read_safetensors_notes(std::span<const std::byte> bytes, const std::string& source,
                                                          std::string_view prefix) {
  std::map<std::string, std::string> notes;
  const auto take = [&](const std::string& key, const json& value) {
    if (!key.starts_with(prefix) || value.is_null()) return;
    if (!value.is_string()) {
      const Words field = Section{nullptr, as_it_is(kMetadata), as_it_is(source)}.field(key);
      throw InputError(source, "field",
                       {{"field", field}, {"found", describe(value)}, {"expected", Words("expected.text")}});
    }
    if (!notes.emplace(key.substr(prefix.size()), value.get<std::string>()).second) refuse_twice(key, source);
  };
  for_each_in_header(header_text(bytes, source), source, kMetadata, take);
  return notes;
}

StoredTensor open_safetensors(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& source, const std::string& name) {
  std::vector<SafetensorsEntry> entries = read_safetensors_header(bytes, source);
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const SafetensorsEntry& entry) { return entry.name == name; });
  if (found == entries.end()) {
    std::vector<std::string> names;
    for (SafetensorsEntry& entry : entries) names.push_back(std::move(entry.name));
    throw InputError(source, "safetensors.no_tensor", {{"name", in_quotes(name)}, {"names", quoted_names(names)}});
  }
  const DtypeEntry* dtype = find_dtype(found->dtype);
  if (!dtype || !dtype->storage) {
    refuse(source, *found, {"safetensors.dtype", {{"dtype", in_quotes(found->dtype)}}});
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
