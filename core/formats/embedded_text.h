// Experiments embedded in pictures: in text of SVG, chunks of PNG, keywords of PDF. Independent of the rest of core:
// the embedded experiment is a string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ropescope {

// --- PNG chunks ----------------------------------------------------------------------------------------------------

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
/// The first offset for an added chunk: after the signature (8 bytes) and IHDR (length, name, 13 bytes, sum).
inline constexpr std::size_t kAfterPngHeader = 33;

/// Returns a PNG chunk: length, name (4 letters), data, and the checksum of name and data.
std::string png_chunk(std::string_view name, std::string_view data);
/// Appends a number as four bytes, big endian.
void append_png_number(std::string& bytes, std::uint32_t number);
/// Returns the big-endian number at `place`. Precondition: four bytes are there.
std::uint32_t png_number_at(std::string_view bytes, std::size_t place);

/// Encodes bytes in base64 (RFC 4648, section 4), padded with "=".
std::string base64(std::string_view bytes);

// --- Embedded text -------------------------------------------------------------------------------------------------

/// Picture files may contain an invisible string: the experiment that they show. A PNG contains it in a chunk iTXt, an
/// SVG in an element `metadata`, a PDF in the keywords of the document.

/// Returns the picture with the text embedded. Preconditions: `png` is a PNG, `svg` begins with an element `svg` (after
/// its declaration), and they contain no embedded text yet.
std::string png_with_text(std::string png, std::string_view text);
std::string svg_with_text(std::string svg, std::string_view text);
/// Returns the PDF keywords that contain the text. Precondition: the text is ASCII.
std::string pdf_keywords(std::string_view text);

/// Returns whether the bytes begin like a PNG, an SVG or a PDF.
bool may_carry_text(std::string_view file);
/// Returns the text embedded in a PNG, SVG or PDF; nullopt if there is none, or the file is something else. Uses no
/// more memory than the length of the file. Throws InputError naming `source` if the text is truncated, compressed or
/// damaged.
std::optional<std::string> carried_text(std::string_view file, const std::string& source);

}  // namespace ropescope
