// Figures as files: PDF, SVG with selectable words, PNG with its density. Lays a view out on a page by scene.h and
// cells.h; page_canvas.h draws it.
#pragma once

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

/// Letters of a formula that look alike.
struct FormulaLetters {
  enum class Ink { text, query, key };
  std::string text;
  double rise = 0;  ///< of their baseline over the formula's, in its em
  double size = 1;  ///< times that em: scripts are smaller
  bool italic = false, overlined = false;
  Ink ink = Ink::text;
};
/// A formula as letters in their order; none where letters do not say it: a fraction, a matrix, the root of a sum.
std::optional<std::vector<FormulaLetters>> letters_of(std::string_view tex);

/// A part of a line, words or a formula of letters, and where it begins on the line; right after the part before it
/// where that is not said.
struct SvgRun {
  std::optional<double> x;
  TextRun run;
};
/// A text of the scene as an element of an SVG, in its colours and fonts. `corner`: of its box, the lower left one
/// where it is vertical; `baseline`: below the box's top.
std::string svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts,
                     const std::vector<SvgRun>& runs, const FormulaInk& ink);
/// Puts such elements at the end of an SVG, each unit of theirs so many of its own.
void add_svg_words(std::string& svg, const std::string& words, double scale);

// --- Pages ---------------------------------------------------------------------------------------------------------

enum class PageFormat { svg, pdf, png };

/// Size of a page: pixels (in SVG and PDF 1 px = 1/96 inch = 0.75 pt), or millimetres.
struct PageSize {
  double width = 1200, height = 800;
  bool millimetres = false;
};
/// Reads the size of a page: "1200x800" or "170x110mm". Throws InputError: not of that form, or outside 64…16384 pixels
/// (10…2000 mm).
PageSize parse_page_size(const std::string& text);
/// The size of a page in whole pixels; one of pixels stays as it is. Throws InputError: more than 16384 a side.
PageSize in_pixels(const PageSize& size, double dpi);

/// Where a page names its curves: beside its panels, or in a corner of the first one.
enum class LegendPlace { above, right, below, top_left, top_right, bottom_left, bottom_right, none };

/// The families that text can be written with, in the order of the alphabet.
std::vector<std::string> font_families();
/// What pages can be saved as here, the usual one first: "svg", "pdf", "png"; in a browser "png" alone.
std::vector<std::string> page_formats();

/// How a page looks beside its size.
struct PageStyle {
  ThemeName theme = ThemeName::dark;
  double dpi = 300;           ///< pixels per inch of a PNG in millimetres
  double text_percent = 100;  ///< of the size that text has on a page of this size
  bool outlines = true;       ///< text of an SVG as outlines; else as text, for those who go on drawing in it
  std::string carries = {};   ///< a text in ASCII that the file carries unseen (carried.h); empty: none
  LegendPlace legend = LegendPlace::above;
  std::string font = "sans";  ///< "sans", "serif", or one of font_families()
};
inline constexpr double kSmallestDpi = 36, kLargestDpi = 1200, kSmallestPageText = 50, kLargestPageText = 300;

/// All panels of a view under one another with linked x axes and a legend on top, as the bytes of a file. Same input,
/// same bytes (no dates, no random ids). Text is outlines in SVG unless asked otherwise, so that it looks the same
/// where Inter is missing, and text in embedded fonts in PDF; figures are tabular. What is said to a hand at the screen
/// is left out. Text grows with the page, from 11 px below 1020×680 over 13 px at 1200×800; pages in millimetres are
/// for print: 8.5 pt at 170×110 mm, never below 6 pt, and no panel under 20 mm; a PNG of them says its dpi. Throws
/// InputError: more panels than such a page has room for, a page of too many pixels or too large for the memory, no
/// such font, or whatever kept Cairo from drawing it.
std::string paint_page(const ViewResult& view, PageFormat format, const PageSize& size, const PageStyle& style);
inline std::string paint_page(const ViewResult& view, PageFormat format, const PageSize& size, ThemeName theme) {
  return paint_page(view, format, size, PageStyle{.theme = theme});
}

/// Where a view stands on a page with other things: the legend, then its panels, without what is said to a hand at the
/// screen.
struct PagePart {
  Rect room;
  Palette palette;
  FigureOptions options;
  LegendPlace legend = LegendPlace::above;
  double least_panel = 0;  ///< no panel is lower as long as others have height to spare
};
/// Returns the rectangles of its panels.
std::vector<Rect> add_view(Scene& scene, const ViewResult& view, const PagePart& part, const MeasureText& measure);

/// What the legend of a page says: one entry for each rope, to which its further lines belong, and one for each other
/// line and for points; what all ropes share first.
std::vector<LegendEntry> legend_entries(const ViewResult& view);

struct PageAsked {
  PageFormat format = PageFormat::svg;
  PageSize size;
  PageStyle style;
};
/// Adds a view to the scene of such a page, which is so wide and high in units of the painter that measures; returns
/// the rectangles of its panels.
std::vector<Rect> add_page(Scene& scene, const ViewResult& view, const PageAsked& page, Vec2 whole,
                           const MeasureText& measure);

}  // namespace ropescope
