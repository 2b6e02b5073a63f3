#include "core/formats/carried_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "core/formats/carried_pdf_text.h"
#include "core/formats/png_chunk.h"
#include "core/formats/utf8.h"

namespace ropescope {

namespace {

/// By which readers know it: the keyword of the chunk, the id of the element, the first of the keywords.
constexpr std::string_view kName = "ropescope-experiment";
constexpr std::size_t kCarriedTextBeginning = 4096;  ///< bytes of a file that say what it is
constexpr std::size_t kAroundChunk = 12;             ///< bytes of a chunk beside its data

/// What stands before the text in a chunk: the keyword, that it is not compressed, no language, no translated keyword.
std::string png_head() {
  return std::string(kName) + std::string(5, '\0');
}

std::optional<std::string> text_of_png(std::string_view png, const std::string& source) {
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
      // Language and translated keyword, each with a zero at its end, are somebody else's.
      const std::size_t language = data.find('\0', kName.size() + 3);
      const std::size_t translated = language == std::string_view::npos ? language : data.find('\0', language + 1);
      if (translated == std::string_view::npos) throw InputError(source, "carried_text.cut", {});
      return std::string(data.substr(translated + 1));
    }
    at += kAroundChunk + length;
  }
  return std::nullopt;
}

std::string escaped(std::string_view text) {
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

/// The character of "&amp;" or "&#x41;" at the beginning of a text, and how long it is there; 0: it is none.
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

std::string unescaped(std::string_view xml) {
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

std::optional<std::string> text_of_svg(std::string_view svg, const std::string& source) {
  constexpr std::string_view kElement = "<metadata", kEnd = "</metadata>";
  for (std::size_t at = svg.find(kElement); at != std::string_view::npos; at = svg.find(kElement, at + 1)) {
    const std::size_t close = svg.find_first_of("<>", at + 1);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view tag = svg.substr(at, close - at);
    const std::size_t name = tag.find(kName);
    // Another element begins where this one's tag has no end.
    if (svg[close] != '>' || name == std::string_view::npos || !tag.substr(0, name - 1).ends_with("id=")) continue;
    const std::size_t end = svg.find(kEnd, close);
    if (end == std::string_view::npos) throw InputError(source, "carried_text.cut", {});
    return unescaped(svg.substr(close + 1, end - close - 1));
  }
  return std::nullopt;
}

bool is_svg(std::string_view file) {
  return file.substr(0, kCarriedTextBeginning).find("<svg") != std::string_view::npos;
}

/// An SVG may speak of PDFs, in the text that it carries too.
bool is_pdf(std::string_view file) {
  const std::string_view beginning = file.substr(0, 1024);
  return beginning.substr(0, beginning.find("<svg")).find("%PDF-") != std::string_view::npos;
}

}  // namespace

std::string png_with_text(std::string png, std::string_view text) {
  if (png.size() < kAfterPngHeader) return png;
  return png.insert(kAfterPngHeader, png_chunk("iTXt", png_head() + std::string(text)));
}

std::string svg_with_text(std::string svg, std::string_view text) {
  const std::size_t tag = svg.find("<svg"), end = tag == std::string::npos ? tag : svg.find('>', tag);
  if (end == std::string::npos) return svg;
  return svg.insert(end + 1, "\n<metadata id=\"" + std::string(kName) + "\">" + escaped(text) + "</metadata>");
}

std::string pdf_keywords(std::string_view text) {
  return std::string(kName) + " " + std::string(text);
}

bool may_carry_text(std::string_view file) {
  return file.starts_with(kPngSignature) || is_pdf(file) || is_svg(file);
}

std::optional<std::string> carried_text(std::string_view file, const std::string& source) {
  if (file.starts_with(kPngSignature)) return text_of_png(file, source);
  if (is_pdf(file)) return pdf_keywords_after(file, std::string(kName) + " ", source);
  return is_svg(file) ? text_of_svg(file, source) : std::nullopt;
}

}  // namespace ropescope
