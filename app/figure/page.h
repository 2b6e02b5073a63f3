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

/// All panels of a view under one another with linked x axes and a legend on top, as the bytes of a file. Same input,
/// same bytes (no dates, no random ids). Text is outlines in SVG, so that it looks the same where Inter is missing, and
/// text in embedded fonts in PDF; figures are tabular. Text grows with the page, from 11 px below 1020×680 over 13 px
/// at 1200×800; pages in millimetres are for print: 8.5 pt at 170×110 mm. Throws InputError: a PNG in millimetres, a
/// page too large for the memory, no font, or whatever kept Cairo from drawing it.
std::string paint_page(const ViewResult& view, PageFormat format, const PageSize& size, ThemeName theme);

}  // namespace ropescope
