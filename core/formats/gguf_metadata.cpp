#include "core/formats/gguf_metadata.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "core/error.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr double kMostWhole = 1e9;
constexpr std::uint64_t kMostListed = 8192;
constexpr std::size_t kLongestName = 64;

[[noreturn]] void reject_type(const GgufFile& file, const GgufEntry& entry, const Words& expected) {
  Words found = as_it_is(gguf_type_name(entry.type));
  if (entry.type == GgufType::array) found = Words("gguf.array_of", {{"type", gguf_type_name(entry.element)}});
  throw InputError(file.source, "gguf.wrong_type",
                   {{"key", one_line(entry.key)}, {"found", found}, {"expected", expected}});
}

[[noreturn]] void reject_value(const GgufFile& file, std::string_view key, const std::string& found,
                               const Words& expected) {
  throw InputError(file.source, "gguf.value", {{"key", one_line(key)}, {"found", found}, {"expected", expected}});
}

Words whole_range() {
  return {"expected.whole", {{"least", 0}, {"most", static_cast<std::int64_t>(kMostWhole)}}};
}

/// One of the whole numbers of a value or an array.
int whole_at(const GgufFile& file, const GgufEntry& entry, std::uint64_t index) {
  const double number = gguf_number(file, entry, index);
  if (!(number >= 0 && number <= kMostWhole)) reject_value(file, entry.key, number_text(number), whole_range());
  return static_cast<int>(number);
}

std::string_view text_of_gguf_metadata(const GgufEntry& entry) {
  return {reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()};
}

}  // namespace

std::optional<Read<double>> GgufMetadata::number(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::float32 && entry->type != GgufType::float64) {
    reject_type(*file, *entry, as_it_is("float32"));
  }
  const double stored = gguf_number(*file, *entry);
  const bool single = entry->type == GgufType::float32;
  const double found = single ? shortest_of_float(static_cast<float>(stored)) : stored;
  if (!std::isfinite(found)) reject(name, number_text(found), Words("expected.finite"));
  return Read<double>{found, origin(name)};
}

std::optional<Read<double>> GgufMetadata::positive(std::string_view name) const {
  const auto found = number(name);
  if (found && found->value <= 0) reject(name, number_text(found->value), Words("expected.above_0"));
  return found;
}

std::optional<Read<int>> GgufMetadata::whole(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::array) {
    if (!is_whole(entry->type)) reject_type(*file, *entry, as_it_is("uint32"));
    return Read<int>{whole_at(*file, *entry, 0), origin(name)};
  }
  const auto listed = wholes(name);
  const auto above = std::find_if(listed->value.begin(), listed->value.end(), [](int count) { return count > 0; });
  return Read<int>{above == listed->value.end() ? 0 : *above, origin(name)};
}

std::optional<Read<std::vector<int>>> GgufMetadata::wholes(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::array || !is_whole(entry->element)) {
    reject_type(*file, *entry, Words("gguf.array_of", {{"type", "int32"}}));
  }
  if (entry->count > kMostListed) {
    reject(name, std::to_string(entry->count), Words("expected.numbers_up_to", {{"most", kMostListed}}));
  }
  Read<std::vector<int>> read{{}, origin(name)};
  for (std::uint64_t i = 0; i < entry->count; ++i) read.value.push_back(whole_at(*file, *entry, i));
  return read;
}

std::optional<Read<bool>> GgufMetadata::flag(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::boolean) reject_type(*file, *entry, as_it_is("boolean"));
  return Read<bool>{gguf_number(*file, *entry) != 0, origin(name)};
}

std::optional<Read<std::string>> GgufMetadata::text(std::string_view name) const {
  const GgufEntry* entry = find(name);
  if (!entry) return std::nullopt;
  if (entry->type != GgufType::text) reject_type(*file, *entry, as_it_is("text"));
  return Read<std::string>{std::string(text_of_gguf_metadata(*entry)), origin(name)};
}

void GgufMetadata::reject(std::string_view name, const std::string& found, const Words& expected) const {
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
  if (entry->type != GgufType::text) reject_type(file, *entry, as_it_is("text"));
  const std::string_view name = text_of_gguf_metadata(*entry);
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), is_plain)) {
    reject_value(file, kKey, in_quotes(name), Words("gguf.a_name"));
  }
  return {&file, std::string(name)};
}

std::optional<int> gguf_whole(const GgufFile& file, std::string_view key) {
  const GgufEntry* entry = find_entry(file, key);
  if (!entry) return std::nullopt;
  if (!is_whole(entry->type)) reject_type(file, *entry, as_it_is("uint16"));
  return whole_at(file, *entry, 0);
}

}  // namespace ropescope
