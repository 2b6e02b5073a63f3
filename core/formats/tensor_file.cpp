// Safetensors, weight indexes, CSV, and selection of the reader by file type. Read tensor_file.h first.
//
// Contents: Safetensors; Index; CSV; All file types.

#include "core/formats/tensor_file.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/formats/dumps/ggml_dump.h"
#include "core/formats/dumps/gguf.h"
#include "core/formats/dumps/pickle.h"
#include "core/formats/dumps/torch_file.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/formats/npy.h"
#include "core/formats/npz.h"
#include "core/formats/zip.h"
#include "core/machine.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/utf8.h"

namespace ropescope {

// --- Safetensors ---------------------------------------------------------------------------------------------------

namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxSides = 64;
constexpr std::string_view kMetadata = "__metadata__";

struct DtypeEntry {
  std::string_view name;
  std::size_t bytes;
  std::optional<Storage> storage;  ///< nullopt: known, but not a number format for tables
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
  return find_named_entry(kDtypes, name);
}

/// Returns the JSON text between the length and the numbers.
std::string_view header_text(std::span<const std::byte> bytes, const std::string& source) {
  if (bytes.size() < kLengthBytes) {
    throw InputError(source, "safetensors.not_safetensors", {{"bytes", bytes.size()}, {"needed", kLengthBytes}});
  }
  const std::uint64_t length = from_little_endian<std::uint64_t>(characters_of(bytes).data());
  const std::size_t left = bytes.size() - kLengthBytes;
  if (length > left) {
    throw InputError(source, "safetensors.header_cut", {{"claimed", std::to_string(length)}, {"there", left}});
  }
  return characters_of(bytes).substr(kLengthBytes, static_cast<std::size_t>(length));
}

/// Calls `take` for each member of the header (the tensors and "__metadata__") or, with a key, of the header's object
/// of that name.
void for_each_in_header(std::string_view text, const std::string& source, std::string_view key,
                        const TakeMember& take) {
  for_each_member(text, Message("safetensors.header_of", {{"file", source}}), {DuplicateKeys::refused}, key, take);
}

[[noreturn]] void refuse_twice(std::string_view name, const std::string& source) {
  throw InputError(Message("safetensors.header_of", {{"file", source}}), "json.twice", {{"key", in_quotes(name)}});
}

/// Throws if a name occurs twice.
void check_tensor_names(std::vector<std::string_view> names, const std::string& source) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse_twice(*twice, source);
}

/// Reads integers ≥ 0 and below 2^63.
std::vector<std::int64_t> read_sizes(const Section& tensor, std::string_view key) {
  const json* list = tensor.find(key);
  if (!list || !list->is_array() || list->size() > kMaxSides) tensor.reject(key, Message("expected.whole_numbers"));
  std::vector<std::int64_t> sizes;
  for (const json& entry : *list) {
    if (!entry.is_number_unsigned() ||
        entry.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw InputError(tensor.source, "safetensors.size",
                       {{"field", tensor.field(key)}, {"found", describe_value(entry)}});
    }
    sizes.push_back(entry.get<std::int64_t>());
  }
  return sizes;
}

/// Returns the bytes of the numbers of this shape; nullopt above 2^63 - 1.
std::optional<std::uint64_t> count_shape_bytes(const std::vector<std::int64_t>& shape, std::size_t size) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t bytes = size;
  for (const std::int64_t side : shape) {
    if (static_cast<std::uint64_t>(side) > most / bytes) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(side);
  }
  return bytes;
}

[[noreturn]] void refuse(const std::string& source, const SafetensorsEntry& entry, const Message& problem) {
  throw InputError(source, "safetensors.tensor", {{"name", in_quotes(entry.name)}, {"problem", problem}});
}

void check_length(const SafetensorsEntry& entry, const std::string& source) {
  const DtypeEntry* dtype = find_dtype(entry.dtype);
  if (!dtype) return;  // rejected by name when it is opened; the other tensors are readable
  const std::optional<std::uint64_t> expected = count_shape_bytes(entry.shape, dtype->bytes);
  if (!expected) refuse(source, entry, Message("safetensors.shape_too_large"));
  if (entry.end - entry.begin != *expected) {
    refuse(source, entry, {"safetensors.length", {{"asked", *expected}, {"given", entry.end - entry.begin}}});
  }
}

SafetensorsEntry read_safetensors_entry(const std::string& name, const Section& tensor, const std::string& source) {
  SafetensorsEntry entry;
  entry.name = name;
  const auto dtype = tensor.text("dtype");
  if (!dtype) tensor.reject("dtype", Message("safetensors.dtype_text"));
  entry.dtype = dtype->value;
  entry.shape = read_sizes(tensor, "shape");
  const std::vector<std::int64_t> offsets = read_sizes(tensor, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) tensor.reject("data_offsets", Message("safetensors.offsets"));
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  check_length(entry, source);
  return entry;
}

/// Throws unless the tensors fill the bytes after the header: no gap, no overlap, nothing beyond.
void check_places(const std::vector<SafetensorsEntry>& entries, std::uint64_t available, const std::string& source) {
  std::uint64_t filled = 0;
  const std::string* before = nullptr;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.end > available) {
      refuse(source, entry, {"safetensors.cut_short", {{"end", entry.end}, {"there", available}}});
    }
    if (entry.begin < filled) {
      const Message other = before ? verbatim(in_quotes(*before)) : Message("safetensors.header");
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

// --- Index ---------------------------------------------------------------------------------------------------------

constexpr std::size_t kMaxHalvings = 10;  ///< 1024 pixels per latent

/// Returns a list of the section; null if it is missing.
const json* list_of(const Section& section, const char* key) {
  const json* list = section.find(key);
  if (list && (!list->is_array() || list->empty() || list->size() > kMaxHalvings)) {
    section.reject(key, Message("config.short_list"));
  }
  return list;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string::npos &&
         name.find('\0') == std::string::npos;
}

// --- CSV -----------------------------------------------------------------------------------------------------------

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// Maximum length of a cell: the longest exact double has 1 078 characters.
constexpr std::size_t kLongestCell = 4096;
/// Maximum decimals of a double: the smallest has 1074.
constexpr int kMaxDecimals = 1100;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Removes and returns the text up to the separator; all of it if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

/// Takes a cell of a header line: up to the next comma that is not between quotes.
std::string_view take_name(std::string_view& line) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < line.size() && (quoted || line[end] != ','); ++end) quoted ^= line[end] == '"';
  if (quoted) return take_until(line, ',');
  const std::string_view name = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return name;
}

/// Parses a number with from_chars, which does not accept a plus sign.
std::from_chars_result read_number(std::string_view cell, double& number) {
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  return std::from_chars(cell.data(), cell.data() + cell.size(), number);
}

bool begins_a_number(std::string_view cell) {
  double number = 0;
  return read_number(cell, number).ec != std::errc::invalid_argument;
}

/// Returns whether a line is a header: it has cells, and none of them is empty or begins as a number.
bool is_header(std::string_view line) {
  bool any = false;
  while (!line.empty()) {
    const std::string_view cell = trimmed(take_name(line));
    if (cell.empty() || begins_a_number(cell)) return false;
    any = true;
  }
  return any;
}

/// Widens `printed` by a valid number: its digits after the point, and its digits from the first that is not 0.
void widen_by_digits(std::string_view cell, Printed& printed) {
  int decimals = 0, digits = 0;
  bool point = false;
  for (const char c : cell) {
    if (c == 'e' || c == 'E') break;
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    if (point) ++decimals;
    if (digits > 0 || c != '0') ++digits;
  }
  const std::size_t exponent = cell.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    int power = 0;
    std::string_view text = cell.substr(exponent + 1);
    if (!text.empty() && text[0] == '+') text.remove_prefix(1);
    // An exponent beyond int has made the number itself infinite or zero.
    std::from_chars(text.data(), text.data() + text.size(), power);
    decimals = std::clamp(decimals - std::clamp(power, -kMaxDecimals, kMaxDecimals), 0, kMaxDecimals);
  }
  printed.decimals = std::max(printed.decimals, std::min(decimals, kMaxDecimals));
  printed.digits = std::max(printed.digits, digits);
}

/// Parses the lines and stores the numbers.
class Reader {
 public:
  Reader(std::string_view text, const std::string& source, const CsvLimits& limits)
      : text_(text), source_(source), limits_(limits) {}

  StoredTensor read() {
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) text_.remove_prefix(kByteOrderMark.size());
    const std::size_t last = text_.find_last_not_of(" \t\r\n");
    text_ = text_.substr(0, last == std::string_view::npos ? 0 : last + 1);
    require_bytes_of_text();
    // Reserve the maximum count once: a growing vector takes up to three times its content.
    const auto ends = [](char c) { return c == ',' || c == '\n'; };
    const auto numbers = static_cast<std::size_t>(std::count_if(text_.begin(), text_.end(), ends)) + 1;
    values_.reserve(std::min(numbers, limits_.numbers));
    for (line_ = 1; !text_.empty(); ++line_) {
      if (limits_.stop.stop_requested()) throw InputError(source_, "csv.stopped", {});
      const std::string_view line = take_until(text_, '\n');
      if (line_ > 1 || !is_header(line)) read_row(line);
    }
    if (rows_ == 0) throw InputError(source_, "csv.empty", {});
    const auto owned = std::make_shared<const std::vector<double>>(std::move(values_));
    StoredTensor tensor;
    tensor.name = source_;
    tensor.storage = Storage::float64;
    tensor.big_endian = std::endian::native == std::endian::big;
    tensor.shape = {rows_, columns_};
    tensor.strides = row_major_strides(tensor.shape);
    tensor.bytes = std::as_bytes(std::span(*owned));
    tensor.owner = owned;
    // Integers are taken as exact.
    if (printed_.decimals > 0) tensor.printed = printed_;
    return tensor;
  }

 private:
  [[noreturn]] void refuse_cell(std::int64_t column, const Message& problem) const {
    throw InputError(source_, "csv.cell", {{"line", line_}, {"column", column}, {"problem", problem}});
  }

  /// Throws for UTF-16, as written by spreadsheets, which would look like a header without numbers.
  void require_bytes_of_text() const {
    const std::string_view begin = text_.substr(0, 2);
    if (begin != "\xFF\xFE" && begin != "\xFE\xFF") return;
    throw InputError(source_, "csv.utf16", {});
  }

  void require_utf8(std::string_view cell, std::int64_t column) const {
    const auto at = find_not_utf8(cell);
    if (at) refuse_cell(column, {"csv.not_utf8", {{"byte", static_cast<unsigned char>(cell[*at])}}});
  }

  double read_cell(std::string_view cell, std::int64_t column) {
    if (cell.empty()) refuse_cell(column, Message("csv.empty_cell"));
    if (cell.size() > kLongestCell) refuse_cell(column, {"csv.long_cell", {{"characters", cell.size()}}});
    double number = 0;
    const auto [end, error] = read_number(cell, number);
    if (error == std::errc::invalid_argument || end != cell.data() + cell.size()) {
      require_utf8(cell, column);
      refuse_cell(column, {"csv.no_number", {{"found", in_quotes(cell)}}});
    }
    if (error == std::errc::result_out_of_range || !std::isfinite(number)) {
      refuse_cell(column, {"csv.not_finite", {{"found", in_quotes(cell)}}});
    }
    widen_by_digits(cell, printed_);
    return number;
  }

  void read_row(std::string_view line) {
    std::int64_t column = 0;
    for (bool more = true; more;) {
      more = line.find(',') != std::string_view::npos;
      const double number = read_cell(trimmed(take_until(line, ',')), ++column);
      if (values_.size() == limits_.numbers) throw InputError(source_, "csv.too_many", {{"most", limits_.numbers}});
      values_.push_back(number);
    }
    if (rows_ > 0 && column != columns_) {
      throw InputError(source_, "csv.length", {{"line", line_}, {"numbers", column}, {"before", columns_}});
    }
    columns_ = column;
    ++rows_;
  }

  std::string_view text_;
  const std::string& source_;
  const CsvLimits& limits_;
  std::vector<double> values_;
  std::int64_t line_ = 0, rows_ = 0, columns_ = 0;
  Printed printed_{0, 0};
};

// --- All file types ------------------------------------------------------------------------------------------------

enum class FileKind { npy, npz, safetensors, csv, torch, gguf, ggml };

/// Returns the extension in lower case: ".npy" for "Some.NPY".
std::string to_lower_extension(const std::string& path) {
  const std::size_t slash = path.rfind('/'), point = path.rfind('.');
  if (point == std::string::npos || (slash != std::string::npos && point < slash)) return "";
  std::string ending = path.substr(point);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

constexpr std::string_view kZipEntry = "PK\3\4", kEmptyZip = "PK\5\6";

/// Returns the name of the first file in a zip; empty if there is none.
std::string_view first_in_zip(std::string_view text) {
  constexpr std::size_t kLength = 26, kName = 30;
  if (text.size() < kName || !text.starts_with(kZipEntry)) return {};
  const auto byte = [text](std::size_t at) { return std::size_t{static_cast<unsigned char>(text[at])}; };
  return text.substr(kName, byte(kLength) + 256 * byte(kLength + 1));
}

/// Returns whether a zip was written by torch.save: it begins with pickled Python objects.
bool is_torch_zip(std::string_view text, std::string_view ending) {
  if (!text.starts_with(kZipEntry)) return false;
  const std::string_view first = first_in_zip(text);
  if (first.ends_with("data.pkl")) return true;
  constexpr std::string_view kEndings[] = {".pt", ".pth", ".bin", ".ckpt"};
  return std::ranges::count(kEndings, ending) > 0 && !first.ends_with(".npy");
}

/// Returns whether a file contains only pickled Python objects.
bool is_pickle(std::string_view text) {
  constexpr char kOldestProtocol = 2, kNewestProtocol = 5;
  return text.size() >= 2 && text[0] == '\x80' && text[1] >= kOldestProtocol && text[1] <= kNewestProtocol;
}

FileKind kind_of(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text = characters_of(bytes);
  const std::string ending = to_lower_extension(path);
  if (text.starts_with("\x93NUMPY")) return FileKind::npy;
  // A JSON object follows the eight bytes of its header's length.
  if (text.substr(std::min<std::size_t>(text.size(), 8)).starts_with("{\"")) return FileKind::safetensors;
  if (begins_like_gguf(bytes)) return FileKind::gguf;
  if (is_torch_zip(text, ending)) return FileKind::torch;
  if (begins_like_legacy_torch(bytes)) throw InputError(path, "torch.legacy", {});
  if (is_pickle(text)) throw InputError(path, "tensor_file.pickled", {});
  if (text.starts_with(kZipEntry) || text.starts_with(kEmptyZip)) return FileKind::npz;
  constexpr std::pair<std::string_view, FileKind> kByEnding[] = {{".npy", FileKind::npy},
                                                                 {".npz", FileKind::npz},
                                                                 {".safetensors", FileKind::safetensors},
                                                                 {".csv", FileKind::csv},
                                                                 {".txt", FileKind::csv}};
  for (const auto& [name, kind] : kByEnding) {
    if (ending == name) return kind;
  }
  constexpr std::string_view kDumpEndings[] = {".bin", ".dat", ".tensor"};
  if (std::ranges::count(kDumpEndings, ending) > 0 && begins_like_ggml_dump(bytes)) return FileKind::ggml;
  throw InputError(path, "tensor_file.unknown", {});
}

template <class Entries>
std::vector<std::string> names_of_entries(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

std::vector<std::string> tensor_names(FileKind kind, std::span<const std::byte> bytes, const std::string& path) {
  switch (kind) {
    case FileKind::npz:
      return list_npz(bytes, path);
    case FileKind::torch:
      return list_torch(bytes, path);
    case FileKind::safetensors:
      return names_of_entries(read_safetensors_header(bytes, path));
    case FileKind::gguf:
      return names_of_entries(gguf_tensors(read_gguf(bytes, path)));
    case FileKind::ggml:
      return names_of_entries(read_ggml_dump(bytes, path));
    default:
      return {""};
  }
}

/// Returns the only name.
std::string only_name(FileKind kind, std::span<const std::byte> bytes, const std::string& path) {
  const std::vector<std::string> names = tensor_names(kind, bytes, path);
  if (names.empty()) throw InputError(path, "tensor_file.empty", {});
  if (names.size() > 1) {
    throw InputError(
        path, "tensor_file.several",
        {{"count", names.size()}, {"example", path + ":" + one_line(names.front())}, {"names", quoted_names(names)}});
  }
  return names.front();
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
      throw InputError(source, "safetensors.no_object", {{"name", in_quotes(name)}, {"found", describe_value(value)}});
    }
    entries.push_back(
        read_safetensors_entry(name, Section{&value, verbatim(in_quotes(name)), verbatim(source)}, source));
  });
  std::vector<std::string_view> names(notes, kMetadata);
  for (const SafetensorsEntry& entry : entries) names.push_back(entry.name);
  check_tensor_names(std::move(names), source);
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
      const Message field = Section{nullptr, verbatim(kMetadata), verbatim(source)}.field(key);
      throw InputError(source, "field",
                       {{"field", field}, {"found", describe_value(value)}, {"expected", Message("expected.text")}});
    }
    if (!notes.emplace(key.substr(prefix.size()), value.get<std::string>()).second) refuse_twice(key, source);
  };
  for_each_in_header(header_text(bytes, source), source, kMetadata, take);
  return notes;
}

std::optional<Storage> safetensors_storage(std::string_view dtype) {
  const DtypeEntry* found = find_dtype(dtype);
  return found ? found->storage : std::nullopt;
}

StoredTensor open_safetensors(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& source, const std::string& name) {
  std::vector<SafetensorsEntry> entries = read_safetensors_header(bytes, source);
  const SafetensorsEntry* found = find_named_entry(entries, name);
  if (!found) {
    std::vector<std::string> names;
    for (SafetensorsEntry& entry : entries) names.push_back(std::move(entry.name));
    throw InputError(source, "safetensors.no_tensor", {{"name", in_quotes(name)}, {"names", quoted_names(names)}});
  }
  const std::optional<Storage> storage = safetensors_storage(found->dtype);
  if (!storage) {
    refuse(source, *found, {"safetensors.dtype", {{"dtype", in_quotes(found->dtype)}}});
  }
  StoredTensor tensor;
  tensor.name = source + ": " + one_line(name);
  tensor.storage = *storage;
  tensor.shape = std::move(found->shape);
  tensor.strides =
      found->begin == found->end ? std::vector<std::int64_t>(tensor.shape.size(), 0) : row_major_strides(tensor.shape);
  tensor.bytes = bytes.subspan(found->begin, found->end - found->begin);
  tensor.owner = std::move(owner);
  return tensor;
}

std::string pipeline_transformer(std::string_view text, const std::string& source) {
  const json root_json = parse_json_object(text, source, kPublishedJson);
  const Section root{&root_json, {}, verbatim(source)};
  const char* key = "transformer";
  const json* component = root.find(key);
  // [null, null]: an optional part that this pipeline does not use.
  const bool there = component && component->is_array() && component->size() == 2 && (*component)[1].is_string();
  if (there) return key;
  if (component && !component->is_array()) root.reject(key, Message("config.component"));
  throw InputError(source, "config.no_transformer", {});
}

std::optional<int> vae_stride(std::string_view text, const std::string& source) {
  const json root_json = parse_json_object(text, source, kPublishedJson);
  const Section root{&root_json, {}, verbatim(source)};
  for (const char* key : {"scale_factor_spatial", "spatial_compression_ratio"}) {
    const auto stride = root.whole(key);
    if (!stride) continue;
    if (stride->value > (1 << kMaxHalvings)) root.reject(key, {"expected.whole", {{"least", 1}, {"most", 1024}}});
    return stride->value;
  }
  if (const json* halvings = list_of(root, "temperal_downsample")) return 1 << halvings->size();
  if (const json* scaling = list_of(root, "spatio_temporal_scaling")) {
    const auto patch = root.whole("patch_size");
    const auto halves = std::count(scaling->begin(), scaling->end(), json(true));
    return patch && patch->value <= 64 ? std::optional(patch->value << halves) : std::nullopt;
  }
  // LTX-Video's block list does not specify which blocks halve.
  const auto type = root.text("_class_name");
  if (type && type->value.find("LTX") != std::string::npos) return std::nullopt;
  for (const char* key : {"encoder_block_out_channels", "block_out_channels"}) {
    if (const json* blocks = list_of(root, key)) return 1 << (blocks->size() - 1);
  }
  return std::nullopt;
}

std::map<std::string, std::string> parse_weight_map(std::string_view text, const std::string& source,
                                                    const std::function<bool(std::string_view)>& wanted) {
  std::map<std::string, std::string> tensors;
  const auto take = [&](const std::string& tensor, const json& file) {
    if (!file.is_string() || !is_plain_name(file.get_ref<const std::string&>())) {
      throw InputError(source, "config.no_plain_name",
                       {{"tensor", in_quotes(tensor)}, {"found", describe_value(file)}});
    }
    if (wanted(tensor)) tensors.insert_or_assign(tensor, file.get<std::string>());
  };
  if (!for_each_member(text, verbatim(source), {}, "weight_map", take)) {
    throw InputError(source, "config.no_weight_map", {});
  }
  return tensors;
}

bool is_inverse_frequencies(std::string_view tensor) {
  constexpr std::string_view kEnd = "rotary_emb.inv_freq";
  const bool vision = tensor.find("vis") != std::string_view::npos;
  return !vision && tensor.ends_with(kEnd);
}

std::vector<std::string> csv_header(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view line = take_until(text, '\n');
  std::vector<std::string> names;
  if (find_not_utf8(line) || !is_header(line)) return names;
  while (!line.empty()) {
    std::string_view name = trimmed(take_name(line));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    names.emplace_back(name);
  }
  return names;
}

StoredTensor parse_csv(std::span<const std::byte> bytes, const std::string& source, const CsvLimits& limits) {
  return Reader(characters_of(bytes), source, limits).read();
}

std::vector<std::string> list_tensors(std::span<const std::byte> bytes, const std::string& path) {
  return tensor_names(kind_of(bytes, path), bytes, path);
}

bool is_safetensors(std::span<const std::byte> bytes, const std::string& path) {
  return kind_of(bytes, path) == FileKind::safetensors;
}

bool is_of_torch_or_ggml(std::span<const std::byte> bytes, const std::string& path) {
  try {
    const FileKind kind = kind_of(bytes, path);
    return kind == FileKind::torch || kind == FileKind::gguf || kind == FileKind::ggml;
  } catch (const InputError&) {
    return false;
  }
}

bool ends_like_tensors(std::string_view path) {
  const std::string ending = to_lower_extension(std::string(path));
  const std::string endings = " " + std::string(kTensorEndings) + " ";
  return !ending.empty() && endings.find(" " + ending + " ") != std::string::npos;
}

StoredTensor open_tensor(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& path,
                         const std::optional<std::string>& name, const TensorReading& reading) {
  const FileKind kind = kind_of(bytes, path);
  if (kind == FileKind::npy || kind == FileKind::csv) {
    if (name) {
      throw InputError(path, "tensor_file.no_names",
                       {{"kind", kind == FileKind::npy ? ".npy" : ".csv"}, {"name", in_quotes(*name)}});
    }
    if (kind == FileKind::npy) return view_npy(bytes, std::move(owner), path);
    CsvLimits limits;
    limits.stop = reading.stop;
    return parse_csv(bytes, path, limits);
  }
  const std::string wanted = name ? *name : only_name(kind, bytes, path);
  if (kind == FileKind::safetensors) return open_safetensors(bytes, std::move(owner), path, wanted);
  if (kind == FileKind::ggml) {
    return open_ggml_tensor(read_ggml_dump(bytes, path), bytes, std::move(owner), path, wanted);
  }
  if (kind == FileKind::gguf) {
    const GgufFile file = read_gguf(bytes, path);
    return open_ggml_tensor(gguf_tensors(file), bytes, std::move(owner), path, wanted, file.big_endian);
  }
  ZipLimits limits = kind == FileKind::torch ? kTorchLimits : NpzLimits{};
  limits.stop = reading.stop;
  if (kind == FileKind::torch) {
    return reading.declared ? declare_torch(bytes, path, wanted, limits) : open_torch(bytes, path, wanted, limits);
  }
  return reading.declared ? declare_npz_array(bytes, path, wanted, limits)
                          : open_npz_array(bytes, path, wanted, limits);
}

}  // namespace ropescope
