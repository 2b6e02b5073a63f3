// In the page there is no painter of pages: who asks for one is told so.

#include "app/figure/pages/page_canvas.h"

#include "core/words.h"

namespace ropescope {

PageCanvas::PageCanvas(PageFormat, const PageSize&, PageWriting) : format_(PageFormat::png) {
  throw InputError("web.no_pages", {});
}

MeasureText PageCanvas::measure() const {
  return [](std::string_view, const TextStyle&) { return Vec2{}; };
}

void PageCanvas::fill(Colour) {}
void PageCanvas::draw(const Scene&) {}
void PageCanvas::translate(Vec2) {}
void PageCanvas::next_page() {}
void PageCanvas::set_title(const std::string&) {}
void PageCanvas::set_keywords(const std::string&) {}
void PageCanvas::name_place(const std::string&) {}
void PageCanvas::begin_link(const std::string&) {}
void PageCanvas::begin_web_link(const std::string&) {}
void PageCanvas::end_link() {}
int PageCanvas::add_bookmark(int, const std::string&, const std::string&) {
  return 0;
}
std::string PageCanvas::finish() {
  return {};
}

}  // namespace ropescope
