// An experiment carried in a picture: in text of SVG, chunks of PNG, streams of PDF. It stands by itself: what is
// carried is a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ropescope {

// --- Chunks of PNG -------------------------------------------------------------------------------------------------

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
/// Where a chunk may be added: after the signature (8 bytes) and the chunk IHDR (length, name, 13 bytes, sum).
inline constexpr std::size_t kAfterPngHeader = 33;

/// A chunk of a PNG: length, name (4 letters), data, and the sum of the last two.
std::string png_chunk(std::string_view name, std::string_view data);
/// Four bytes, the highest first.
void append_png_number(std::string& bytes, std::uint32_t number);
/// Precondition: four bytes are there.
std::uint32_t png_number_at(std::string_view bytes, std::size_t place);

/// Bytes as letters (RFC 4648, section 4), with "=" at the end where they are not a multiple of three.
std::string base64(std::string_view bytes);

// --- Text ----------------------------------------------------------------------------------------------------------

/// A picture's file may carry a text that nobody who looks at it sees: which experiment it shows. In a PNG it is a
/// chunk iTXt, in an SVG an element `metadata`, in a PDF the keywords of the document.

/// A picture with the text in it. Preconditions: `png` is one, `svg` begins with an element `svg` (after its
/// declaration), and they carry none yet.
std::string png_with_text(std::string png, std::string_view text);
std::string svg_with_text(std::string svg, std::string_view text);
/// What the keywords of a PDF are to be. Precondition: the text is ASCII.
std::string pdf_keywords(std::string_view text);

/// Whether these bytes begin like a PNG, an SVG or a PDF.
bool may_carry_text(std::string_view file);
/// The text of a PNG, SVG or PDF; none where it carries none (or is something else). No more memory is taken than the
/// file is long. Throws InputError that names `source` where the text goes on after the end of the file, is compressed
/// or damaged.
std::optional<std::string> carried_text(std::string_view file, const std::string& source);

}  // namespace ropescope
