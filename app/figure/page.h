#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/palette.h"

namespace ropescope {

enum class PageFormat { svg, pdf, png };

/// Size of a page: pixels for PNG; for SVG and PDF 1 px = 1/96 inch = 0.75 pt, or given in millimetres.
struct PageSize {
  double width = 1200, height = 800;
  bool millimetres = false;
};
/// "1200x800" or "170x110mm". Throws InputError: not of that form, or outside 64…16384 pixels (10…2000 mm).
PageSize parse_page_size(const std::string& text);

/// All panels of a view under one another with linked x axes and a legend on top, as the bytes of a file. Same input, same
/// bytes (no dates, no random ids). Text stays text in SVG (Pango's fonts embedded in PDF), tabular figures.
std::string paint_page(const ViewResult& view, PageFormat format, const PageSize& size, ThemeName theme);

}  // namespace ropescope
