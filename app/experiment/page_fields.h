// The look of a figure in a file, as fields: the Save dialog, the options of `render` and its kin and Python's keywords
// all set these. Read fields.h and app/figure/pages/page.h first.
#pragma once

#include <string>
#include <string_view>

#include "app/experiment/experiment.h"
#include "app/figure/pages/page.h"

namespace ropescope {

/// The colours of a figure in a file.
enum class PageTheme { light, dark, window };
template <>
inline constexpr std::string_view kWordsOf<PageTheme>[] = {"light", "dark", "window"};
/// The text of an SVG: as outlines, or as text for editing the drawing.
enum class PageWords { outlines, text };
template <>
inline constexpr std::string_view kWordsOf<PageWords>[] = {"outlines", "text"};

/// Size and look of a page. The window keeps them among its settings.
struct PageFields {
  std::string size = "1200x800";  ///< as for parse_page_size()
  PageTheme theme = PageTheme::light;
  double text_size = 100;  ///< percent, as PageStyle::text_percent
  PageWords words = PageWords::outlines;
  LegendPlace legend = {};
  std::string font = "sans";  ///< as PageStyle::font
  double dpi = 300;           ///< for a PNG in millimetres
  bool operator==(const PageFields&) const = default;
};
void declare_fields(FieldList& list, PageFields& fields);  // keys "save.size", "save.theme", …
/// Returns the fields as options and keywords set them: without the window's theme.
FieldList typed_fields_of(PageFields& fields);

/// Returns the style of a page. `window`: the theme that stands for PageTheme::window.
PageStyle style_of(const PageFields& fields, ThemeName window = ThemeName::light);

}  // namespace ropescope
