// Parsing of .npy files: the header as a Python literal; the numbers are viewed without copying. Read npy.h first.
//
// Contents: Header; Arrays.

#include "core/formats/npy.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Header --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMaxNpyDimensions = 64;

/// Parses the dictionary literal; every step throws if the text is not valid.
struct NpyHeaderReader {
  std::string_view text;
  std::size_t at = 0;
  const std::string* source;

  [[noreturn]] void fail(const Message& expected) const {
    throw InputError(*source, "npy.damaged", {{"at", at + 1}, {"expected", expected}});
  }
  void skip_blanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
  }
  bool take(char c) {
    skip_blanks();
    if (at == text.size() || text[at] != c) return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(verbatim(std::string("'") + c + "'"));
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (text.substr(at, word.size()) != word) return false;
    at += word.size();
    return true;
  }
  std::string read_text() {
    skip_blanks();
    if (at == text.size() || (text[at] != '\'' && text[at] != '"')) fail(Message("expected.quoted_text"));
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos) fail(Message("expected.closing_quote"));
    std::string found(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return found;
  }
  std::int64_t read_size() {
    skip_blanks();
    const std::size_t start = at;
    std::int64_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      const int digit = text[at] - '0';
      if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10) fail(Message("npy.dimension_below"));
      value = 10 * value + digit;
      ++at;
    }
    if (at == start) fail(Message("npy.dimension"));
    if (at < text.size() && text[at] == 'L') ++at;  // Python 2 wrote long integers with an L.
    return value;
  }
  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!take(')')) {
      if (shape.size() == kMaxNpyDimensions) fail({"npy.dimensions", {{"most", kMaxNpyDimensions}}});
      shape.push_back(read_size());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }
};

std::size_t header_length(std::span<const std::byte> bytes, std::size_t& start, const std::string& source) {
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  if (bytes.size() < kNpyMagic.size() ||
      !std::equal(kNpyMagic.begin(), kNpyMagic.end(), bytes.begin(), [](char c, std::byte b) {
        return static_cast<unsigned char>(c) == std::to_integer<unsigned char>(b);
      })) {
    throw InputError(source, "npy.not_npy", {});
  }
  if (bytes.size() < 10) throw InputError(source, "npy.ends_in_header", {});
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0) {
    throw InputError(source, "npy.version", {{"major", major}, {"minor", byte(7)}});
  }
  start = major == 1 ? 10 : 12;
  if (bytes.size() < start) throw InputError(source, "npy.ends_in_header", {});
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  return length;
}

// --- Arrays --------------------------------------------------------------------------------------------------------

struct FormatEntry {
  const char* code;  ///< kind and size as in descr, without the byte order
  Storage storage;
};

/// bfloat16 has no NumPy code: ml_dtypes registers it as two bytes of no type.
constexpr FormatEntry kFormats[] = {
    {"f8", Storage::float64},   {"f4", Storage::float32},     {"f2", Storage::float16}, {"V2", Storage::bfloat16},
    {"i8", Storage::int64},     {"i4", Storage::int32},       {"i2", Storage::int16},   {"i1", Storage::int8},
    {"u1", Storage::uint8},     {"u2", Storage::uint16},      {"u4", Storage::uint32},  {"u8", Storage::uint64},
    {"c8", Storage::complex64}, {"c16", Storage::complex128},
};

const char* code_of(Storage storage) {
  return std::find_if(std::begin(kFormats), std::end(kFormats),
                      [&](const FormatEntry& entry) { return entry.storage == storage; })
      ->code;
}

struct Dtype {
  Storage storage = Storage::float64;
  bool big_endian = false;
};

Dtype parse_dtype(const std::string& descr, const std::string& source, NpyNumbers accepted) {
  const char order = descr.empty() ? ' ' : descr[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string code = descr.substr(has_order ? 1 : 0);
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const FormatEntry& entry) { return code == entry.code; });
  const bool plain = accepted == NpyNumbers::plain;
  if (found == std::end(kFormats) || (plain && (is_complex(found->storage) || found->storage == Storage::bfloat16))) {
    throw InputError(source, plain ? "npy.dtype_plain" : "npy.dtype", {{"dtype", in_quotes(descr)}});
  }
  return {found->storage, order == '>'};
}

/// Returns the product of the shape; a 0 anywhere makes it 0. Throws if it overflows.
std::uint64_t value_count(const std::vector<std::int64_t>& shape, std::uint64_t size, const std::string& source) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max() / size;
  for (const std::int64_t side : shape) {
    if (static_cast<std::uint64_t>(side) > most / count) {
      throw InputError(source, "npy.shape_too_large", {});
    }
    count *= static_cast<std::uint64_t>(side);
  }
  return count;
}

/// Returns column-major strides.
std::vector<std::int64_t> fortran_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t k = 1; k < shape.size(); ++k) strides[k] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// Returns the tensor that a file's header declares, still without numbers; `begin` is their offset in the file.
StoredTensor declared(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& source,
                      NpyNumbers accepted, std::size_t& begin) {
  NpyHeader header = parse_npy_header(bytes, file_bytes, source);
  const Dtype dtype = parse_dtype(header.descr, source, accepted);
  // 64 bits on every machine: a shape may exceed a size_t.
  const std::uint64_t size = storage_bytes(dtype.storage), count = value_count(header.shape, size, source);
  begin = header.data_offset;
  const std::uint64_t there = file_bytes - begin;
  if (there != count * size) {
    throw InputError(source, there < count * size ? "npy.cut_short" : "npy.too_long",
                     {{"asked", count * size}, {"there", there}});
  }
  StoredTensor tensor;
  tensor.name = source;
  tensor.storage = dtype.storage;
  tensor.big_endian = dtype.big_endian;
  if (count == 0) {
    tensor.strides.assign(header.shape.size(), 0);
  } else {
    tensor.strides = header.fortran_order ? fortran_strides(header.shape) : row_major_strides(header.shape);
  }
  tensor.shape = std::move(header.shape);
  return tensor;
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& source) {
  std::size_t start = 0;
  const std::size_t length = header_length(bytes, start, source);
  if (length > file_bytes - start) {
    throw InputError(source, "npy.header_cut", {{"claimed", length}, {"there", file_bytes - start}});
  }
  if (length > bytes.size() - start) {
    throw InputError(source, "npy.header_too_long", {{"claimed", length}, {"most", bytes.size() - start}});
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + start, length);
  NpyHeaderReader cursor{text, 0, &source};
  NpyHeader header;
  header.data_offset = start + length;
  bool seen_descr = false;
  bool seen_order = false;
  bool seen_shape = false;
  cursor.expect('{');
  while (!cursor.take('}')) {
    const std::string key = cursor.read_text();
    cursor.expect(':');
    if (key == "descr") {
      if (cursor.take('[')) throw InputError(source, "npy.records", {});
      header.descr = cursor.read_text();
      seen_descr = true;
    } else if (key == "fortran_order") {
      header.fortran_order = cursor.take_word("True");
      if (!header.fortran_order && !cursor.take_word("False"))
        cursor.fail(one_of(std::vector<std::string>{"True", "False"}));
      seen_order = true;
    } else if (key == "shape") {
      header.shape = cursor.read_shape();
      seen_shape = true;
    } else {
      throw InputError(source, "npy.unknown_key", {{"key", in_quotes(key)}});
    }
    if (!cursor.take(',')) {
      cursor.expect('}');
      break;
    }
  }
  cursor.skip_blanks();
  if (cursor.at != text.size()) cursor.fail(Message("npy.end_of_header"));
  if (!seen_descr || !seen_order || !seen_shape) {
    throw InputError(source, "npy.lacks", {{"key", !seen_descr ? "descr" : !seen_order ? "fortran_order" : "shape"}});
  }
  return header;
}

std::string npy_header_text(const std::string& descr, const std::vector<std::int64_t>& shape) {
  std::string tuple = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    tuple += (i == 0 ? "" : " ") + std::to_string(shape[i]) + (i + 1 < shape.size() || shape.size() == 1 ? "," : "");
  }
  std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + tuple + "), }";
  const std::size_t before = kNpyMagic.size() + 4;
  const std::size_t total = (before + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(total - before - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string header(kNpyMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

StoredTensor view_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source,
                      NpyNumbers accepted) {
  std::size_t begin = 0;
  StoredTensor tensor = declared(bytes, bytes.size(), source, accepted, begin);
  tensor.bytes = bytes.subspan(begin);
  tensor.owner = std::move(owner);
  return tensor;
}

StoredTensor declare_npy(std::span<const std::byte> beginning, std::uint64_t file_bytes, const std::string& source,
                         NpyNumbers accepted) {
  std::size_t begin = 0;
  return declared_only(declared(beginning, file_bytes, source, accepted, begin));
}

std::string to_npy_header(const StoredTensor& tensor) {
  const std::string order = storage_bytes(tensor.storage) == 1 ? "|" : tensor.big_endian ? ">" : "<";
  return npy_header_text(order + code_of(tensor.storage), tensor.shape);
}

}  // namespace ropescope
