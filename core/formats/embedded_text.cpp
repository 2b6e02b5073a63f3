// Embedding and extraction of text in PNG, SVG and PDF files. Read embedded_text.h first.
//
// Contents: PNG chunks; PDF; Embedded text.

#include "core/formats/embedded_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/formats/json.h"
#include "core/message.h"
#include "core/utf8.h"

namespace ropescope {

// --- PNG chunks ----------------------------------------------------------------------------------------------------

namespace {

/// Returns the CRC of ISO 3309 that ends a chunk.
std::uint32_t png_checksum(std::string_view bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

// --- PDF -----------------------------------------------------------------------------------------------------------

constexpr std::string_view kKeywords = "/Keywords", kSpace = " \t\r\n\f";
/// Bytes read to detect how a string begins. Files may be full of strings that do not end.
constexpr std::size_t kStringBeginning = 512;

/// The bytes of a string, and whether it ended within the file.
struct PdfString {
  std::string bytes;
  bool ended = false;
};

/// Appends the meaning of a backslash in parentheses; `at` is on the byte after it, and moves to its last byte.
void add_escape(std::string_view pdf, std::size_t& at, std::string& bytes) {
  constexpr std::string_view kLetters = "nrtbf", kMeant = "\n\r\t\b\f";
  const char c = pdf[at];
  if (const std::size_t letter = kLetters.find(c); letter != std::string_view::npos) {
    bytes += kMeant[letter];
  } else if (c >= '0' && c <= '7') {
    unsigned code = 0;
    std::size_t end = at;
    for (; end < pdf.size() && end < at + 3 && pdf[end] >= '0' && pdf[end] <= '7'; ++end) {
      code = 8 * code + static_cast<unsigned>(pdf[end] - '0');
    }
    bytes += static_cast<char>(code);
    at = end - 1;
  } else if (c == '\r' || c == '\n') {  // the line continues
    if (c == '\r' && at + 1 < pdf.size() && pdf[at + 1] == '\n') ++at;
  } else {
    bytes += c;
  }
}

/// Parses a string in parentheses; `at` is after the first parenthesis.
PdfString literal_string(std::string_view pdf, std::size_t at) {
  PdfString string;
  for (int depth = 1; at < pdf.size(); ++at) {
    const char c = pdf[at];
    if (c == '\\') {
      if (++at < pdf.size()) add_escape(pdf, at, string.bytes);
      continue;
    }
    depth += (c == '(') - (c == ')');
    if (depth == 0) {
      string.ended = true;
      break;
    }
    // Every end of a line, however it is written, is a line feed.
    if (c == '\r' && at + 1 < pdf.size() && pdf[at + 1] == '\n') ++at;
    string.bytes += c == '\r' ? '\n' : c;
  }
  return string;
}

/// Parses a hexadecimal string; `at` is after the angle bracket.
PdfString hexadecimal_string(std::string_view pdf, std::size_t at) {
  PdfString string;
  int high = -1;
  for (; at < pdf.size(); ++at) {
    const int digit = digit_of(pdf[at], 16);
    if (digit < 0 && kSpace.find(pdf[at]) != std::string_view::npos) continue;
    string.ended = pdf[at] == '>';
    if (digit < 0) break;
    if (high >= 0) string.bytes += static_cast<char>(16 * high + digit);
    high = high >= 0 ? -1 : digit;
  }
  // A last single digit is followed by a 0.
  if (high >= 0) string.bytes += static_cast<char>(16 * high);
  return string;
}

std::string from_utf16(std::string_view bytes) {
  const auto unit = [&bytes](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]) << 8 |
                                      static_cast<unsigned char>(bytes[at + 1]));
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code >= 0xd800 && code < 0xdc00 && at + 3 < bytes.size() && (unit(at + 2) & 0xfc00) == 0xdc00) {
      code = 0x10000 + ((code & 0x3ff) << 10) + (unit(at + 2) & 0x3ff);
      at += 2;
    }
    if (!append_utf8(text, code)) text += '?';
  }
  return text;
}

std::string decode_keywords(std::string_view bytes) {
  if (bytes.starts_with("\xfe\xff")) return from_utf16(bytes.substr(2));
  if (bytes.starts_with("\xef\xbb\xbf")) return std::string(bytes.substr(3));
  std::string text;
  for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
  return text;
}

PdfString string_at(std::string_view pdf, std::size_t at) {
  return pdf[at] == '(' ? literal_string(pdf, at + 1) : hexadecimal_string(pdf, at + 1);
}

/// Returns the PDF keywords after `begin`, from the last dictionary that has it; nullopt if none begins so or they are
/// in a compressed stream. Strings in parentheses and in hexadecimal digits are supported, in UTF-16, UTF-8 or one byte
/// per character. Throws InputError naming `source` if such keywords continue after the end of the file.
std::optional<std::string> pdf_keywords_after(std::string_view pdf, std::string_view begin, const std::string& source) {
  // From the end: an edited PDF may have another dictionary after the first one.
  for (std::size_t at = pdf.rfind(kKeywords); at != std::string_view::npos; at = pdf.rfind(kKeywords, at - 1)) {
    const std::size_t value = pdf.find_first_not_of(kSpace, at + kKeywords.size());
    const bool string = value != std::string_view::npos && (pdf[value] == '(' || pdf[value] == '<');
    if (string && decode_keywords(string_at(pdf.substr(value, kStringBeginning), 0).bytes).starts_with(begin)) {
      const PdfString whole = string_at(pdf, value);
      if (!whole.ended) throw InputError(source, "carried_text.cut", {});
      return decode_keywords(whole.bytes).substr(begin.size());
    }
    if (at == 0) break;
  }
  return std::nullopt;
}

// --- Embedded text -------------------------------------------------------------------------------------------------

/// The name that readers search for: keyword of the chunk, id of the element, first of the keywords.
constexpr std::string_view kName = "ropescope-experiment";
constexpr std::size_t kFileBeginning = 4096;  ///< bytes of a file that identify its type
constexpr std::size_t kAroundChunk = 12;      ///< bytes of a chunk in addition to its data

/// Returns the bytes before the text in a chunk: keyword, not compressed, no language, no translated keyword.
std::string png_head() {
  return std::string(kName) + std::string(5, '\0');
}

std::optional<std::string> extract_png_text(std::string_view png, const std::string& source) {
  for (std::size_t at = kPngSignature.size(); at + kAroundChunk <= png.size();) {
    const std::size_t length = png_number_at(png, at), left = png.size() - at - kAroundChunk;
    const std::string_view name = png.substr(at + 4, 4), data = png.substr(at + 8, length);
    const bool ours =
        name == "iTXt" && data.starts_with(kName) && data.size() > kName.size() + 2 && data[kName.size()] == '\0';
    if (length > left) {
      if (ours) throw InputError(source, "carried_text.cut", {});
      return std::nullopt;
    }
    if (ours) {
      if (data[kName.size() + 1] != '\0') throw InputError(source, "carried_text.compressed", {});
      if (png_checksum(png.substr(at + 4, 4 + length)) != png_number_at(png, at + 8 + length)) {
        throw InputError(source, "carried_text.damaged", {});
      }
      // Language and translated keyword, each with a final zero, may have been set by other programs.
      const std::size_t language = data.find('\0', kName.size() + 3);
      const std::size_t translated = language == std::string_view::npos ? language : data.find('\0', language + 1);
      if (translated == std::string_view::npos) throw InputError(source, "carried_text.cut", {});
      return std::string(data.substr(translated + 1));
    }
    at += kAroundChunk + length;
  }
  return std::nullopt;
}

std::string escape_xml(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '>') {
      xml += "&gt;";
    } else {
      xml += c;
    }
  }
  return xml;
}

/// Decodes the character of "&amp;" or "&#x41;" at the start of a text; returns its length there, 0 if there is none.
std::size_t take_entity(std::string_view text, std::string& out) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  for (const auto& [name, character] : kNamed) {
    if (!text.starts_with(name)) continue;
    out += character;
    return name.size();
  }
  if (!text.starts_with("&#")) return 0;
  const bool hexadecimal = text.starts_with("&#x");
  std::size_t at = hexadecimal ? 3 : 2;
  std::uint32_t code = 0;
  for (; at < text.size() && text[at] != ';'; ++at) {
    const int digit = digit_of(text[at], hexadecimal ? 16 : 10);
    if (digit < 0 || code > 0x10ffff) return 0;
    code = code * (hexadecimal ? 16 : 10) + static_cast<std::uint32_t>(digit);
  }
  if (at >= text.size() || !append_utf8(out, code)) return 0;
  return at + 1;
}

std::string unescape_xml(std::string_view xml) {
  constexpr std::string_view kBegin = "<![CDATA[", kEnd = "]]>";
  std::string text;
  while (!xml.empty()) {
    if (xml.starts_with(kBegin)) {
      const std::size_t end = std::min(xml.find(kEnd, kBegin.size()), xml.size());
      text += xml.substr(kBegin.size(), end - kBegin.size());
      xml.remove_prefix(std::min(end + kEnd.size(), xml.size()));
      continue;
    }
    std::size_t taken = xml.front() == '&' ? take_entity(xml, text) : 0;
    if (taken == 0) {
      text += xml.front();
      taken = 1;
    }
    xml.remove_prefix(taken);
  }
  return text;
}

std::optional<std::string> extract_svg_text(std::string_view svg, const std::string& source) {
  constexpr std::string_view kElement = "<metadata", kEnd = "</metadata>";
  for (std::size_t at = svg.find(kElement); at != std::string_view::npos; at = svg.find(kElement, at + 1)) {
    const std::size_t close = svg.find_first_of("<>", at + 1);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view tag = svg.substr(at, close - at);
    const std::size_t name = tag.find(kName);
    // Another element begins before the end of this tag.
    if (svg[close] != '>' || name == std::string_view::npos || !tag.substr(0, name - 1).ends_with("id=")) continue;
    const std::size_t end = svg.find(kEnd, close);
    if (end == std::string_view::npos) throw InputError(source, "carried_text.cut", {});
    return unescape_xml(svg.substr(close + 1, end - close - 1));
  }
  return std::nullopt;
}

bool is_svg(std::string_view file) {
  return file.substr(0, kFileBeginning).find("<svg") != std::string_view::npos;
}

/// Returns whether a file is a PDF. An SVG may mention PDFs too, also in its embedded text.
bool is_pdf(std::string_view file) {
  const std::string_view beginning = file.substr(0, 1024);
  return beginning.substr(0, beginning.find("<svg")).find("%PDF-") != std::string_view::npos;
}

}  // namespace

std::string png_chunk(std::string_view name, std::string_view data) {
  const std::string named = std::string(name) + std::string(data);
  std::string chunk;
  append_png_number(chunk, static_cast<std::uint32_t>(data.size()));
  chunk += named;
  append_png_number(chunk, png_checksum(named));
  return chunk;
}

void append_png_number(std::string& bytes, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255);
}

std::uint32_t png_number_at(std::string_view bytes, std::size_t place) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[place + i]);
  return number;
}

std::string png_with_text(std::string png, std::string_view text) {
  if (png.size() < kAfterPngHeader) return png;
  return png.insert(kAfterPngHeader, png_chunk("iTXt", png_head() + std::string(text)));
}

std::string svg_with_text(std::string svg, std::string_view text) {
  const std::size_t tag = svg.find("<svg"), end = tag == std::string::npos ? tag : svg.find('>', tag);
  if (end == std::string::npos) return svg;
  return svg.insert(end + 1, "\n<metadata id=\"" + std::string(kName) + "\">" + escape_xml(text) + "</metadata>");
}

std::string pdf_keywords(std::string_view text) {
  return std::string(kName) + " " + std::string(text);
}

std::string base64(std::string_view bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
  }
  return out;
}

bool may_carry_text(std::string_view file) {
  return file.starts_with(kPngSignature) || is_pdf(file) || is_svg(file);
}

std::optional<std::string> carried_text(std::string_view file, const std::string& source) {
  if (file.starts_with(kPngSignature)) return extract_png_text(file, source);
  if (is_pdf(file)) return pdf_keywords_after(file, std::string(kName) + " ", source);
  return is_svg(file) ? extract_svg_text(file, source) : std::nullopt;
}

}  // namespace ropescope
