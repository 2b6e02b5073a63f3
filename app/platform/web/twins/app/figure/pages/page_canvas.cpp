// Page painter stub for the web page: SVG and PDF report an error. A PNG is an empty picture with the experiment, which
// page.js replaces by that of the canvas while keeping the experiment.

#include "app/figure/pages/page_canvas.h"

#include <string>
#include <string_view>
#include <vector>

#include "app/figure/pages/page.h"
#include "core/message.h"
#include "core/utf8.h"

namespace ropescope {

namespace {

/// A PNG with a single pixel.
constexpr char kEmpty[] =
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01"
    "\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x0a\x49\x44\x41\x54\x78\xda\x63\x60\x00\x00\x00"
    "\x02\x00\x01\xe5\x27\xde\xfc\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

}  // namespace

PageCanvas::PageCanvas(PageFormat format, const PageSize& size, PageWriting)
    : format_(format), width_(size.width), height_(size.height) {
  if (format != PageFormat::png) throw InputError("web.no_pages", {});
}

MeasureText PageCanvas::measure() const {
  // Approximate: nothing is drawn with these measurements.
  return [](std::string_view text, const TextStyle& style) {
    double letters = 0;
    for (std::size_t at = 0; at < text.size(); at = next_character(text, at)) ++letters;
    return Vec2{0.5 * style.size * letters, 1.2 * style.size};
  };
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
  return {kEmpty, sizeof kEmpty - 1};
}

std::vector<std::string> font_families() {
  return {};
}

std::vector<std::string> page_formats() {
  return {"png"};
}

}  // namespace ropescope
