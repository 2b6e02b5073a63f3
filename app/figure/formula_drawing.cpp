// Drawing of formulas with librsvg.

#include "app/figure/formula_drawing.h"

#include <cairo.h>
#include <librsvg/rsvg.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "app/figure/text_flow.h"

namespace ropescope {

namespace {

struct Unref {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
};

std::string css_colour(Colour colour) {
  const auto part = [](int value) { return std::to_string(value) + ","; };
  // Thousandths of 1 as digits: no locale puts a comma there.
  const std::string opacity = std::to_string(1000 + std::lround(1000 * colour.alpha / 255.0)).substr(1);
  return "rgba(" + part(colour.red) + part(colour.green) + part(colour.blue) +
         (colour.alpha == 255 ? "1)" : "0." + opacity + ")");
}

std::string style_sheet(const FormulaInk& ink) {
  const auto rule = [](const char* selector, Colour colour) {
    const std::string css = css_colour(colour);
    return std::string(selector) + "{fill:" + css + ";stroke:" + css + "}";
  };
  const auto thousandths = static_cast<int>(std::lround(1000 * ink.growth));
  // Translucent strokes over translucent letters would show twice.
  const int growth = ink.text.alpha == 255 ? thousandths : 0;
  std::string lit;  // the letters of query and key within it, too
  for (std::size_t i = 0; i < ink.lit.size(); ++i) {
    const std::string name = ".lit" + std::to_string(i);
    std::string selector = name;
    selector.append(",").append(name).append(" .query,").append(name).append(" .key");
    lit += rule(selector.c_str(), ink.lit[i]);
  }
  return rule("svg", ink.text) + rule(".query", ink.query) + rule(".key", ink.key) + lit +
         "path{stroke-width:" + std::to_string(growth) + "}rect{stroke-width:0}";
}

/// Appends 0xAARRGGBB, premultiplied by alpha, as straight red, green, blue, alpha.
void append_straight(std::uint32_t word, std::vector<std::uint8_t>& values) {
  const std::uint32_t alpha = word >> 24;
  const auto straight = [&](int shift) {
    const std::uint32_t channel = word >> shift & 0xFF;
    return static_cast<std::uint8_t>(alpha == 0 ? 0
                                                : std::min<std::uint32_t>(255, (channel * 255 + alpha / 2) / alpha));
  };
  values.insert(values.end(), {straight(16), straight(8), straight(0), static_cast<std::uint8_t>(alpha)});
}

}  // namespace

void draw_formula(cairo_t* cairo, const Formula& formula, double em, const FormulaInk& ink) {
  const std::unique_ptr<RsvgHandle, Unref> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(formula.svg.data()), formula.svg.size(), nullptr));
  if (!handle) return;
  const std::string style = style_sheet(ink);
  rsvg_handle_set_stylesheet(handle.get(), reinterpret_cast<const guint8*>(style.data()), style.size(), nullptr);
  const FormulaBox box = formula_box(formula, em);
  const RsvgRectangle place{0, -box.ascent, box.width, box.ascent + box.descent};
  rsvg_handle_render_document(handle.get(), cairo, &place, nullptr);
}

FormulaPixels formula_pixels(const Formula& formula, double em, const FormulaInk& ink) {
  const FormulaBox box = formula_box(formula, em);
  const int width = static_cast<int>(std::ceil(box.width)), ascent = static_cast<int>(std::ceil(box.ascent));
  const int height = ascent + static_cast<int>(std::ceil(box.descent));
  if (width <= 0 || height <= 0) return {};
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t* cairo = cairo_create(surface);
  cairo_translate(cairo, (width - box.width) / 2, ascent);
  draw_formula(cairo, formula, em, ink);
  cairo_destroy(cairo);
  cairo_surface_flush(surface);
  const auto pixels = std::make_shared<Pixels>();
  pixels->columns = static_cast<std::size_t>(width);
  pixels->rows = static_cast<std::size_t>(height);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; data && y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint32_t word = 0;
      std::memcpy(&word, data + y * stride + 4 * x, sizeof word);
      append_straight(word, pixels->values);
    }
  }
  cairo_surface_destroy(surface);
  if (pixels->values.empty()) return {};
  return {pixels, ascent};
}

}  // namespace ropescope
