#include "core/formats/carried_pdf_text.h"

#include <cstdint>

#include "core/error.h"
#include "core/formats/utf8.h"

namespace ropescope {

namespace {

constexpr std::string_view kKeywords = "/Keywords", kSpace = " \t\r\n\f";
/// Bytes of a file that say how a string begins. Files may be full of strings that do not end.
constexpr std::size_t kCarriedPdfTextBeginning = 512;

/// The bytes of a string, and whether it ended within the file.
struct PdfString {
  std::string bytes;
  bool ended = false;
};

/// What a backslash in parentheses stands for; `at` is on the byte after it, and goes on to the last one of it.
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
  } else if (c == '\r' || c == '\n') {  // the line goes on
    if (c == '\r' && at + 1 < pdf.size() && pdf[at + 1] == '\n') ++at;
  } else {
    bytes += c;
  }
}

/// `at` is after the first parenthesis.
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
    // An end of a line is a line feed, however it is written.
    if (c == '\r' && at + 1 < pdf.size() && pdf[at + 1] == '\n') ++at;
    string.bytes += c == '\r' ? '\n' : c;
  }
  return string;
}

/// `at` is after the angle bracket.
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
  // A last digit without another one is followed by a 0.
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

std::string text_of_carried_pdf_text(std::string_view bytes) {
  if (bytes.starts_with("\xfe\xff")) return from_utf16(bytes.substr(2));
  if (bytes.starts_with("\xef\xbb\xbf")) return std::string(bytes.substr(3));
  std::string text;
  for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
  return text;
}

PdfString string_at(std::string_view pdf, std::size_t at) {
  return pdf[at] == '(' ? literal_string(pdf, at + 1) : hexadecimal_string(pdf, at + 1);
}

}  // namespace

std::optional<std::string> pdf_keywords_after(std::string_view pdf, std::string_view begin, const std::string& source) {
  // From the end: who changes a PDF may add another dictionary after the first one.
  for (std::size_t at = pdf.rfind(kKeywords); at != std::string_view::npos; at = pdf.rfind(kKeywords, at - 1)) {
    const std::size_t value = pdf.find_first_not_of(kSpace, at + kKeywords.size());
    const bool string = value != std::string_view::npos && (pdf[value] == '(' || pdf[value] == '<');
    if (string &&
        text_of_carried_pdf_text(string_at(pdf.substr(value, kCarriedPdfTextBeginning), 0).bytes).starts_with(begin)) {
      const PdfString whole = string_at(pdf, value);
      if (!whole.ended) throw InputError(source, "carried_text.cut", {});
      return text_of_carried_pdf_text(whole.bytes).substr(begin.size());
    }
    if (at == 0) break;
  }
  return std::nullopt;
}

}  // namespace ropescope
