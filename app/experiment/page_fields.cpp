// The fields of pages. Read page_fields.h first.

#include "app/experiment/page_fields.h"

namespace ropescope {

void declare_fields(FieldList& list, PageFields& fields) {
  Declare declare(list, fields);
  declare.text("save.size", &PageFields::size);
  declare.choice("save.theme", &PageFields::theme);
  NumberField percent = number_between(kSmallestPageText, kLargestPageText);
  percent.step = 5;
  percent.unit = "unit.percent";
  declare.number("save.text_size", &PageFields::text_size, percent).typed = Range{percent.minimum, percent.maximum};
  declare.choice("save.words", &PageFields::words);
  declare.choice("save.legend", &PageFields::legend);
  declare.text("save.font", &PageFields::font);
  NumberField dpi = logarithmic_between(kSmallestDpi, kLargestDpi, "unit.dpi");
  dpi.step = 1;
  declare.number("save.dpi", &PageFields::dpi, dpi).typed = Range{dpi.minimum, dpi.maximum};
}

FieldList typed_fields_of(PageFields& fields) {
  FieldList list = fields_of(fields);
  std::erase(find_field(list, "save.theme")->options, word_of(PageTheme::window));
  return list;
}

PageStyle style_of(const PageFields& fields, ThemeName window) {
  PageStyle style;
  style.theme = fields.theme == PageTheme::window ? window
                : fields.theme == PageTheme::dark ? ThemeName::dark
                                                  : ThemeName::light;
  style.dpi = fields.dpi;
  style.text_percent = fields.text_size;
  style.outlines = fields.words == PageWords::outlines;
  style.legend = fields.legend;
  style.font = fields.font;
  return style;
}

}  // namespace ropescope
