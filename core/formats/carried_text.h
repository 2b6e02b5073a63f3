#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ropescope {

/// A picture's file may carry a text that nobody who looks at it sees: which experiment it shows. In a PNG it is a
/// chunk iTXt, in an SVG an element `metadata`, in a PDF the keywords of the document.

/// The same picture with the text. Preconditions: `png` is one, `svg` begins with an element `svg` (after its
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
