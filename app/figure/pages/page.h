// Figures as files: PDF, SVG with selectable text, PNG with its density. Lays a view out on a page with scene.h and
// cells.h; page_canvas.h draws it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/palette.h"
#include "app/figure/scene/scene.h"
#include "app/figure/text_flow.h"

namespace ropescope {

// --- Words of SVG --------------------------------------------------------------------------------------------------

/// Letters of a formula in one style.
struct FormulaLetters {
  enum class Ink { text, query, key };
  std::string text;
  double rise = 0;  ///< height of their baseline above the formula's, in its em
  double size = 1;  ///< factor on that em: scripts are smaller
  bool italic = false, overlined = false;
  Ink ink = Ink::text;
};
/// Returns a formula as letters in order; nullopt if it needs more: a fraction, a matrix, the root of a sum.
std::optional<std::vector<FormulaLetters>> letters_of(std::string_view tex);

/// A part of a line, words or a formula of letters, and its x on the line; without x it follows the previous part.
struct SvgRun {
  std::optional<double> x;
  TextRun run;
};
/// Returns a text of the scene as an SVG element, in its colours and fonts. `corner`: the corner of its box, the lower
/// left one if it is vertical; `baseline`: distance below the box's top.
std::string svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts,
                     const std::vector<SvgRun>& runs, const FormulaInk& ink);
/// A formula drawn as paths, as invisible words over them: its x on the line, its plain form and its width.
struct HiddenWords {
  double x = 0;
  std::string plain;
  double width = 0;
};
/// Returns such words as an SVG element that can be selected and found, as wide as the formula.
std::string hidden_svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts,
                            const HiddenWords& words);
/// Appends such elements to an SVG, scaled by `scale` to its units.
void add_svg_words(std::string& svg, const std::string& words, double scale);

// --- Pages ---------------------------------------------------------------------------------------------------------

enum class PageFormat { svg, pdf, png };

/// Size of a page: pixels (in SVG and PDF 1 px = 1/96 inch = 0.75 pt), or millimetres.
struct PageSize {
  double width = 1200, height = 800;
  bool millimetres = false;
};
/// Parses the size of a page: "1200x800" or "170x110mm". Throws InputError if the form is wrong or the size outside
/// 64…16384 pixels (10…2000 mm).
PageSize parse_page_size(const std::string& text);
/// Returns the size of a page in whole pixels; sizes in pixels are unchanged. Throws InputError above 16384 per side.
PageSize in_pixels(const PageSize& size, double dpi);

/// The place of curve names on a page: around its panels, or in a corner of the first one.
enum class LegendPlace { above, right, below, top_left, top_right, bottom_left, bottom_right, none };

/// Returns the font families available for text, in alphabetical order.
std::vector<std::string> font_families();
/// Returns the page formats available on this system, the default first: "svg", "pdf", "png"; in a browser only "png".
std::vector<std::string> page_formats();
/// Returns whether pages of paper can be written: not in a browser.
inline bool writes_paper() {
  const std::vector<std::string> formats = page_formats();
  return std::find(formats.begin(), formats.end(), "pdf") != formats.end();
}

/// The look of a page apart from its size.
struct PageStyle {
  ThemeName theme = ThemeName::dark;
  double dpi = 300;           ///< pixels per inch of a PNG in millimetres
  double text_percent = 100;  ///< relative to the standard text size of this page size
  bool outlines = true;       ///< text of an SVG as outlines; else as text, for editing the drawing
  std::string carries = {};   ///< an invisible ASCII text in the file (carried.h); empty: none
  LegendPlace legend = LegendPlace::above;
  std::string font = "sans";  ///< "sans", "serif", or one of font_families()
};
inline constexpr double kSmallestDpi = 36, kLargestDpi = 1200, kSmallestPageText = 50, kLargestPageText = 300;

/// Draws all panels of a view one below the other with linked x axes and a legend on top; returns the bytes of the
/// file. Equal input gives equal bytes (no dates, no random ids). Text is outlines in SVG by default, so it looks the
/// same without Inter, and embedded fonts in PDF; digits are tabular. Text for interactive use is omitted. Text grows
/// with the page: 11 px below 1020×680, 13 px at 1200×800. Pages in millimetres are for print: 8.5 pt at 170×110 mm, at
/// least 6 pt, no panel under 20 mm; their PNG records its dpi. Throws InputError if the panels do not fit, the page
/// has too many pixels or exceeds the memory, the font is unknown, or Cairo fails.
std::string paint_page(const ViewResult& view, PageFormat format, const PageSize& size, const PageStyle& style);
inline std::string paint_page(const ViewResult& view, PageFormat format, const PageSize& size, ThemeName theme) {
  return paint_page(view, format, size, PageStyle{.theme = theme});
}

/// The place of a view on a page with other content: the legend, then its panels, without text for interactive use.
struct PagePart {
  Rect room;
  Palette palette;
  FigureOptions options;
  LegendPlace legend = LegendPlace::above;
  double least_panel = 0;  ///< no panel is shorter than this while others have height to spare
};
/// Adds a view to a scene; returns the rectangles of its panels.
std::vector<Rect> add_view(Scene& scene, const ViewResult& view, const PagePart& part, const MeasureText& measure);

/// Returns the legend of a page: settings that all ropes share first, then one entry per rope, which covers its further
/// lines, and one per other line and point set.
std::vector<LegendEntry> legend_entries(const ViewResult& view);

struct PageRequest {
  PageFormat format = PageFormat::svg;
  PageSize size;
  PageStyle style;
};
/// Adds a view to the scene of a page with size `whole` in units of the painter that measures; returns the rectangles
/// of its panels.
std::vector<Rect> add_page(Scene& scene, const ViewResult& view, const PageRequest& page, Vec2 whole,
                           const MeasureText& measure);

}  // namespace ropescope
