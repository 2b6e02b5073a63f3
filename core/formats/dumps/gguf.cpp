// GGUF reader: sizes of ggml types, header, metadata values, split files. Read gguf.h first.
//
// Contents: Blocks; Header; Metadata; Parts.

#include "core/formats/dumps/gguf.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "core/formats/families/gguf_config.h"
#include "core/formats/json.h"
#include "core/machine.h"
#include "core/message.h"
#include "core/registry.h"

namespace ropescope {

/// Storage of a ggml type: blocks with a fixed count of numbers and of bytes.
struct GgufBlock {
  std::uint32_t type;  ///< number in enum ggml_type
  const char* name;
  unsigned numbers;
  unsigned bytes;
};

// --- Blocks --------------------------------------------------------------------------------------------------------

namespace {

constexpr GgufBlock kBlocks[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
    {40, "NVFP4", 64, 36},    {41, "Q1_0", 128, 18},    {42, "Q2_0", 64, 18}};

/// Returns the block of a ggml type; nullptr for an unknown type. Source: ggml, include/ggml.h (enum ggml_type) and
/// src/ggml-common.h (the blocks).
const GgufBlock* find_gguf_block(std::uint32_t type) {
  const auto found = std::find_if(std::begin(kBlocks), std::end(kBlocks),
                                  [type](const GgufBlock& block) { return block.type == type; });
  return found == std::end(kBlocks) ? nullptr : found;
}

// --- Header --------------------------------------------------------------------------------------------------------

constexpr std::string_view kGgufMagic = "GGUF";
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr int kDeepestArray = 4;
constexpr const char* kArrayCount = "gguf.array_count";  ///< the error for a count of elements
/// Real files have hundreds of values and tens of thousands of tensors.
constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 20;
/// Minimum sizes: name length, a one-byte name, type, one-byte value; for a tensor dimensions, type and offset.
constexpr std::uint64_t kMinEntry = 8 + 1 + 4 + 1, kMinTensor = 8 + 1 + 4 + 4 + 8;

constexpr std::string_view kTypeNames[] = {"uint8",   "int8", "uint16", "int16",  "uint32", "int32",  "float32",
                                           "boolean", "text", "array",  "uint64", "int64",  "float64"};
/// Bytes per number; 0 for strings and arrays.
constexpr std::size_t kTypeBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

std::size_t gguf_type_bytes(GgufType type) {
  return kTypeBytes[static_cast<std::size_t>(type)];
}

/// Reads an unsigned number of 1 to 8 bytes.
std::uint64_t gguf_bits(std::span<const std::byte> bytes, bool big_endian) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const std::byte byte = bytes[big_endian ? k : bytes.size() - 1 - k];
    number = number << 8 | std::to_integer<std::uint64_t>(byte);
  }
  return number;
}

/// Sequential reader of the header.
class GgufReader {
 public:
  GgufReader(std::span<const std::byte> bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  void set_byte_order(bool big_endian) { big_endian_ = big_endian; }
  std::uint64_t place() const { return at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }

  /// Takes `count` bytes; the error names `what` if the file ends before.
  std::span<const std::byte> take(std::uint64_t count, const Message& what) {
    if (count > left()) {
      throw InputError(source_, "gguf.cut_short",
                       {{"what", what}, {"at", std::to_string(at_)}, {"bytes", std::to_string(bytes_.size())}});
    }
    const auto taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }
  std::uint64_t number(std::size_t size, const Message& what) { return gguf_bits(take(size, what), big_endian_); }
  std::string_view text(const Message& what) { return characters_of(take(number(8, what), what)); }
  /// Reads a count of items that take at least `least` bytes each; `error` is the message if the file has fewer.
  std::uint64_t count(std::uint64_t least, const Message& what, const char* error = "gguf.count") {
    const std::uint64_t claimed = number(8, what);
    if (claimed > left() / least) {
      throw InputError(source_, error,
                       {{"what", what}, {"claimed", std::to_string(claimed)}, {"there", std::to_string(left())}});
    }
    return claimed;
  }
  GgufType type(const Message& what) {
    const std::uint64_t number_of_type = number(4, what);
    if (number_of_type >= std::size(kTypeNames)) {
      throw InputError(source_, "gguf.type", {{"what", what}, {"type", std::to_string(number_of_type)}});
    }
    return static_cast<GgufType>(number_of_type);
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& source_;
  std::size_t at_ = 0;
  bool big_endian_ = false;
};

Message named(std::string_view key, std::string_view name) {
  return {key, {{"name", in_quotes(name)}}};
}

/// Skips `count` elements of a type.
void skip_elements(GgufReader& cursor, GgufType type, std::uint64_t count, const Message& what,
                   const std::string& source, int depth) {
  if (const std::size_t size = gguf_type_bytes(type)) {
    // The count was checked against the remaining bytes, so the product does not overflow.
    cursor.take(count * size, what);
    return;
  }
  if (depth > kDeepestArray) throw InputError(source, "gguf.nested", {{"what", what}, {"most", kDeepestArray}});
  for (std::uint64_t i = 0; i < count; ++i) {
    if (type == GgufType::text) {
      cursor.text(what);
      continue;
    }
    const GgufType inner = cursor.type(what);
    skip_elements(cursor, inner, cursor.count(std::max<std::size_t>(gguf_type_bytes(inner), 1), what, kArrayCount),
                  what, source, depth + 1);
  }
}

GgufEntry read_gguf_entry(GgufReader& cursor, std::span<const std::byte> bytes, const std::string& source) {
  GgufEntry entry;
  entry.key = cursor.text(Message("gguf.a_key"));
  if (entry.key.empty()) throw InputError(source, "gguf.empty_key", {});
  const Message what = named("gguf.the_value", entry.key);
  entry.type = entry.element = cursor.type(what);
  if (entry.type == GgufType::text) {
    const std::string_view text = cursor.text(what);
    entry.bytes = std::as_bytes(std::span(text.data(), text.size()));
    return entry;
  }
  if (entry.type == GgufType::array) {
    entry.element = cursor.type(what);
    entry.count = cursor.count(std::max<std::size_t>(gguf_type_bytes(entry.element), 1), what, kArrayCount);
  }
  const std::uint64_t begin = cursor.place();
  skip_elements(cursor, entry.element, entry.count, what, source, 1);
  entry.bytes = bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(cursor.place() - begin));
  return entry;
}

/// Returns the product of all sides. Throws if it is more than 2^63 - 1.
std::uint64_t numbers_of(const GgufTensor& tensor, const std::string& source) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t numbers = 1;
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) return 0;
  for (const std::uint64_t side : tensor.shape) {
    if (side > most / numbers) {
      throw InputError(source, "gguf.tensor",
                       {{"name", in_quotes(tensor.name)}, {"problem", Message("gguf.shape_too_large")}});
    }
    numbers *= side;
  }
  return numbers;
}

/// Returns the size of the numbers in bytes; 0 for an unknown type.
std::uint64_t size_of(const GgufTensor& tensor, const std::string& source) {
  const std::uint64_t numbers = numbers_of(tensor, source);
  const GgufBlock* block = find_gguf_block(tensor.type);
  if (!block) return 0;
  if (tensor.shape[0] % block->numbers != 0) {
    throw InputError(source, "gguf.tensor",
                     {{"name", in_quotes(tensor.name)},
                      {"problem", Message("gguf.blocks", {{"side", std::to_string(tensor.shape[0])},
                                                          {"type", block->name},
                                                          {"block", block->numbers}})}});
  }
  const std::uint64_t blocks = numbers / block->numbers;
  if (blocks > std::numeric_limits<std::uint64_t>::max() / 2 / block->bytes) {
    throw InputError(source, "gguf.tensor",
                     {{"name", in_quotes(tensor.name)}, {"problem", Message("gguf.shape_too_large")}});
  }
  return blocks * block->bytes;
}

/// Reads a tensor's declaration; its `begin` is relative to the first number of all tensors.
GgufTensor read_tensor(GgufReader& cursor, const std::string& source) {
  GgufTensor tensor;
  tensor.name = cursor.text(Message("gguf.a_tensor"));
  const Message what = named("gguf.the_tensor", tensor.name);
  const std::uint64_t dimensions = cursor.number(4, what);
  if (dimensions > tensor.shape.size()) {
    throw InputError(source, "gguf.dimensions",
                     {{"name", in_quotes(tensor.name)}, {"count", std::to_string(dimensions)}});
  }
  tensor.dimensions = static_cast<int>(dimensions);
  tensor.shape.fill(1);
  for (int side = 0; side < tensor.dimensions; ++side) {
    tensor.shape[static_cast<std::size_t>(side)] = cursor.number(8, what);
  }
  tensor.type = static_cast<std::uint32_t>(cursor.number(4, what));
  tensor.begin = cursor.number(8, what);
  return tensor;
}

std::uint64_t alignment_of(const GgufFile& file) {
  const GgufEntry* entry = find_entry(file, "general.alignment");
  if (!entry) return kDefaultAlignment;
  if (entry->type != GgufType::uint32) {
    throw InputError(file.source, "gguf.wrong_type",
                     {{"key", entry->key}, {"found", gguf_type_name(entry->type)}, {"expected", "uint32"}});
  }
  const std::uint64_t alignment = gguf_bits(entry->bytes, file.big_endian);
  if (!std::has_single_bit(alignment)) {
    throw InputError(file.source, "gguf.alignment", {{"found", std::to_string(alignment)}});
  }
  return alignment;
}

/// Converts tensor offsets to byte positions in the file. Throws if a tensor ends after the end of the file.
void place_tensors(GgufFile& file, std::uint64_t header_end) {
  if (file.tensors.empty()) return;
  const std::uint64_t alignment = alignment_of(file), size = file.bytes.size();
  const std::uint64_t first = (header_end + alignment - 1) / alignment * alignment;
  for (GgufTensor& tensor : file.tensors) {
    const std::uint64_t length = size_of(tensor, file.source);
    if (tensor.begin % alignment != 0) {
      throw InputError(file.source, "gguf.tensor",
                       {{"name", in_quotes(tensor.name)},
                        {"problem", Message("gguf.not_aligned",
                                            {{"begin", std::to_string(tensor.begin)}, {"alignment", alignment}})}});
    }
    const bool inside = first <= size && tensor.begin <= size - first && length <= size - first - tensor.begin;
    if (!inside) {
      throw InputError(file.source, "gguf.tensor",
                       {{"name", in_quotes(tensor.name)},
                        {"problem", Message("gguf.tensor_cut", {{"bytes", std::to_string(size)}})}});
    }
    tensor.begin += first;
    tensor.end = tensor.begin + length;
  }
}

/// Throws if a name occurs twice.
template <class Things, class Name>
void check_gguf_names(const Things& things, Name name_of, const std::string& source) {
  std::vector<std::string_view> names;
  for (const auto& thing : things) names.push_back(name_of(thing));
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw InputError(source, "gguf.twice", {{"name", in_quotes(*twice)}});
}

/// Reads version and byte order. Throws unless the file is a GGUF of version 2 or 3.
void read_version(GgufReader& cursor, GgufFile& file) {
  if (!begins_like_gguf(file.bytes)) throw InputError(file.source, "gguf.not_gguf", {});
  cursor.take(kGgufMagic.size(), Message("gguf.header"));
  const auto version = cursor.take(4, Message("gguf.header"));
  const std::uint64_t little = gguf_bits(version, false);
  file.big_endian = (little & 0xFFFF) == 0;
  file.version = static_cast<std::uint32_t>(gguf_bits(version, file.big_endian));
  cursor.set_byte_order(file.big_endian);
  if (file.version == 2 || file.version == 3) return;
  throw InputError(file.source, "gguf.version", {{"version", std::to_string(file.version)}});
}

// --- Metadata ------------------------------------------------------------------------------------------------------

constexpr double kMaxGgufInteger = 1e9;
constexpr std::uint64_t kMaxListed = 8192;
constexpr std::size_t kLongestName = 64;

[[noreturn]] void reject_type(const GgufFile& file, const GgufEntry& entry, const Message& expected) {
  Message found = verbatim(gguf_type_name(entry.type));
  if (entry.type == GgufType::array) found = Message("gguf.array_of", {{"type", gguf_type_name(entry.element)}});
  throw InputError(file.source, "gguf.wrong_type",
                   {{"key", one_line(entry.key)}, {"found", found}, {"expected", expected}});
}

[[noreturn]] void reject_value(const GgufFile& file, std::string_view key, const std::string& found,
                               const Message& expected) {
  throw InputError(file.source, "gguf.value", {{"key", one_line(key)}, {"found", found}, {"expected", expected}});
}

Message whole_range() {
  return {"expected.whole", {{"least", 0}, {"most", static_cast<std::int64_t>(kMaxGgufInteger)}}};
}

/// Reads integer `index` of a value or an array.
int whole_at(const GgufFile& file, const GgufEntry& entry, std::uint64_t index) {
  const double number = gguf_number(file, entry, index);
  if (!(number >= 0 && number <= kMaxGgufInteger)) reject_value(file, entry.key, number_text(number), whole_range());
  return static_cast<int>(number);
}

std::string_view gguf_text(const GgufEntry& entry) {
  return characters_of(entry.bytes);
}

/// Reads an integer of a key without architecture prefix, such as split.count.
std::optional<int> gguf_whole(const GgufFile& file, std::string_view key) {
  const GgufEntry* entry = find_entry(file, key);
  if (!entry) return std::nullopt;
  if (!is_whole(entry->type)) reject_type(file, *entry, verbatim("uint16"));
  return whole_at(file, *entry, 0);
}

// --- Parts ---------------------------------------------------------------------------------------------------------

/// The format stores the number of parts as uint16.
constexpr int kMaxParts = 65535;

/// Returns the name's ending: "-00001-of-00004.gguf" for the first of four.
std::string split_ending(int number, int count) {
  char text[40];
  std::snprintf(text, sizeof text, "-%05d-of-%05d.gguf", number + 1, count);
  return text;
}

/// split.no and split.count; 0 and 1 if the file is not split.
struct SplitPlace {
  int number = 0, count = 1;
};

SplitPlace split_of(const GgufFile& file) {
  SplitPlace split;
  split.count = std::max(gguf_whole(file, "split.count").value_or(1), 1);
  if (split.count == 1) return split;
  const auto number = gguf_whole(file, "split.no");
  if (!number) throw InputError(file.source, "gguf.no_number", {{"count", split.count}});
  split.number = *number;
  if (split.count > kMaxParts || split.number >= split.count) {
    throw InputError(file.source, "gguf.split", {{"number", split.number + 1}, {"count", split.count}});
  }
  return split;
}

}  // namespace

std::string ggml_type_name(std::uint32_t type) {
  const GgufBlock* block = find_gguf_block(type);
  return block ? block->name : std::to_string(type);
}

// --- Header --------------------------------------------------------------------------------------------------------

std::string_view gguf_type_name(GgufType type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

bool begins_like_gguf(std::span<const std::byte> bytes) {
  return characters_of(bytes).starts_with(kGgufMagic);
}

bool is_whole(GgufType type) {
  return gguf_type_bytes(type) > 0 && type != GgufType::boolean && type != GgufType::float32 &&
         type != GgufType::float64;
}

double gguf_number(const GgufFile& file, const GgufEntry& entry, std::uint64_t index) {
  const std::size_t size = gguf_type_bytes(entry.element);
  const auto bytes = entry.bytes.subspan(static_cast<std::size_t>(index) * size, size);
  const std::uint64_t bits = gguf_bits(bytes, file.big_endian);
  switch (entry.element) {
    case GgufType::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case GgufType::float64:
      return std::bit_cast<double>(bits);
    case GgufType::int8:
      return static_cast<std::int8_t>(bits);
    case GgufType::int16:
      return static_cast<std::int16_t>(bits);
    case GgufType::int32:
      return static_cast<std::int32_t>(bits);
    case GgufType::int64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

const GgufEntry* find_entry(const GgufFile& file, std::string_view key) {
  return find_entry_by(file.entries, &GgufEntry::key, key);
}

const GgufTensor* find_tensor(const GgufFile& file, std::string_view name) {
  return find_named_entry(file.tensors, name);
}

GgufFile read_gguf(std::span<const std::byte> bytes, const std::string& source) {
  GgufFile file;
  file.source = source;
  file.bytes = bytes;
  GgufReader cursor(bytes, source);
  read_version(cursor, file);
  const Message tensors("gguf.tensors"), values("gguf.values");
  const std::uint64_t tensor_count = cursor.count(kMinTensor, tensors);
  const std::uint64_t entry_count = cursor.count(kMinEntry, values);
  for (const auto& [count, what] : {std::pair(tensor_count, &tensors), std::pair(entry_count, &values)}) {
    if (count <= kMaxEntries) continue;
    throw InputError(source, "gguf.many", {{"what", *what}, {"count", std::to_string(count)}, {"most", kMaxEntries}});
  }
  for (std::uint64_t i = 0; i < entry_count; ++i) file.entries.push_back(read_gguf_entry(cursor, bytes, source));
  check_gguf_names(
      file.entries, [](const GgufEntry& entry) { return entry.key; }, source);
  for (std::uint64_t i = 0; i < tensor_count; ++i) file.tensors.push_back(read_tensor(cursor, source));
  check_gguf_names(
      file.tensors, [](const GgufTensor& tensor) { return tensor.name; }, source);
  place_tensors(file, cursor.place());
  return file;
}

// --- Metadata ------------------------------------------------------------------------------------------------------

std::optional<Read<double>> GgufMetadata::number(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::float32 && entry->type != GgufType::float64) {
    reject_type(*file, *entry, verbatim("float32"));
  }
  const double stored = gguf_number(*file, *entry);
  const bool single = entry->type == GgufType::float32;
  const double found = single ? shortest_of_float(static_cast<float>(stored)) : stored;
  if (!std::isfinite(found)) reject(name, number_text(found), Message("expected.finite"));
  return Read<double>{found, origin(name)};
}

std::optional<Read<double>> GgufMetadata::positive(std::string_view name) const {
  const auto found = number(name);
  if (found && found->value <= 0) reject(name, number_text(found->value), Message("expected.above_0"));
  return found;
}

std::optional<Read<int>> GgufMetadata::whole(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::array) {
    if (!is_whole(entry->type)) reject_type(*file, *entry, verbatim("uint32"));
    return Read<int>{whole_at(*file, *entry, 0), origin(name)};
  }
  const auto listed = wholes(name);
  const auto above = std::find_if(listed->value.begin(), listed->value.end(), [](int count) { return count > 0; });
  return Read<int>{above == listed->value.end() ? 0 : *above, origin(name)};
}

std::optional<Read<std::vector<int>>> GgufMetadata::wholes(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  const bool counts = is_whole(entry->element) || entry->element == GgufType::boolean;
  if (entry->type != GgufType::array || !counts) {
    reject_type(*file, *entry, Message("gguf.array_of", {{"type", "int32"}}));
  }
  if (entry->count > kMaxListed) {
    reject(name, std::to_string(entry->count), Message("expected.numbers_up_to", {{"most", kMaxListed}}));
  }
  Read<std::vector<int>> read{{}, origin(name)};
  for (std::uint64_t i = 0; i < entry->count; ++i) read.value.push_back(whole_at(*file, *entry, i));
  return read;
}

std::optional<Read<bool>> GgufMetadata::flag(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::boolean) reject_type(*file, *entry, verbatim("boolean"));
  return Read<bool>{gguf_number(*file, *entry) != 0, origin(name)};
}

std::optional<Read<std::string>> GgufMetadata::text(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::text) reject_type(*file, *entry, verbatim("text"));
  return Read<std::string>{std::string(gguf_text(*entry)), origin(name)};
}

void GgufMetadata::reject(std::string_view name, const std::string& found, const Message& expected) const {
  reject_value(*file, key(name), found, expected);
}

double shortest_of_float(float number) {
  if (!std::isfinite(number)) return number;
  char text[32];
  const auto written = std::to_chars(std::begin(text), std::end(text), number);
  double read = number;
  std::from_chars(std::begin(text), written.ptr, read);
  return read;
}

GgufMetadata gguf_metadata(const GgufFile& file) {
  constexpr std::string_view kKey = "general.architecture";
  const GgufEntry* entry = find_entry(file, kKey);
  if (!entry) throw InputError(file.source, "gguf.no_architecture", {{"key", kKey}});
  if (entry->type != GgufType::text) reject_type(file, *entry, verbatim("text"));
  const std::string_view name = gguf_text(*entry);
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), is_plain)) {
    reject_value(file, kKey, in_quotes(name), Message("gguf.a_name"));
  }
  return {&file, std::string(name)};
}

// --- Parts ---------------------------------------------------------------------------------------------------------

std::vector<std::string> gguf_parts(const GgufFile& file, const std::string& path) {
  const SplitPlace split = split_of(file);
  if (split.count == 1) return {path};
  const std::string ending = split_ending(split.number, split.count);
  if (!std::string_view(path).ends_with(ending)) {
    throw InputError(file.source, "gguf.split_name",
                     {{"number", split.number + 1}, {"count", split.count}, {"ending", ending}});
  }
  const std::string stem = path.substr(0, path.size() - ending.size());
  std::vector<std::string> paths;
  for (int number = 0; number < split.count; ++number) paths.push_back(stem + split_ending(number, split.count));
  return paths;
}

void check_parts(std::span<const GgufFile> parts) {
  const int count = split_of(parts.front()).count;
  std::uint64_t tensors = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SplitPlace split = split_of(parts[i]);
    tensors += parts[i].tensors.size();
    if (split.count == count && static_cast<std::size_t>(split.number) == i) continue;
    throw InputError(parts[i].source, "gguf.other_part",
                     {{"number", split.number + 1},
                      {"count", split.count},
                      {"expected", static_cast<std::int64_t>(i) + 1},
                      {"of", count}});
  }
  if (parts.size() != static_cast<std::size_t>(count)) {
    throw InputError(parts.front().source, "gguf.parts_missing", {{"there", parts.size()}, {"count", count}});
  }
  const auto declared = gguf_whole(parts.front(), "split.tensors.count");
  if (count > 1 && declared && static_cast<std::uint64_t>(*declared) != tensors) {
    throw InputError(parts.front().source, "gguf.split_tensors",
                     {{"declared", *declared}, {"there", std::to_string(tensors)}});
  }
}

}  // namespace ropescope
