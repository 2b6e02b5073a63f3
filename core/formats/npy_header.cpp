#include "core/formats/npy_header.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

constexpr std::string_view kNpyHeaderMagic = "\x93NUMPY";
constexpr std::size_t kNpyHeaderMostDimensions = 64;

/// Walks through the dictionary literal; every step throws where the text is not what it must be.
struct NpyHeaderCursor {
  std::string_view text;
  std::size_t at = 0;
  const std::string* source;

  [[noreturn]] void fail(const Words& expected) const {
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
    if (!take(c)) fail(as_it_is(std::string("'") + c + "'"));
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (text.substr(at, word.size()) != word) return false;
    at += word.size();
    return true;
  }
  std::string read_text() {
    skip_blanks();
    if (at == text.size() || (text[at] != '\'' && text[at] != '"')) fail(Words("expected.quoted_text"));
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos) fail(Words("expected.closing_quote"));
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
      if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10) fail(Words("npy.dimension_below"));
      value = 10 * value + digit;
      ++at;
    }
    if (at == start) fail(Words("npy.dimension"));
    if (at < text.size() && text[at] == 'L') ++at;  // Python 2 wrote long integers so.
    return value;
  }
  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!take(')')) {
      if (shape.size() == kNpyHeaderMostDimensions) fail({"npy.dimensions", {{"most", kNpyHeaderMostDimensions}}});
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
  if (bytes.size() < kNpyHeaderMagic.size() ||
      !std::equal(kNpyHeaderMagic.begin(), kNpyHeaderMagic.end(), bytes.begin(), [](char c, std::byte b) {
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
  NpyHeaderCursor cursor{text, 0, &source};
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
  if (cursor.at != text.size()) cursor.fail(Words("npy.end_of_header"));
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
  const std::size_t before = kNpyHeaderMagic.size() + 4;
  const std::size_t total = (before + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(total - before - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string header(kNpyHeaderMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace ropescope
