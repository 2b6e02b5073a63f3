#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/figure/page_canvas.h"

namespace ropescope {

namespace {

/// As Cairo keeps them: 0xAARRGGBB, colours times alpha, with the opacity in it, as not every file has one beside.
cairo_surface_t* surface_of(const Pixels& pixels, double opacity) {
  cairo_surface_t* surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(pixels.columns), static_cast<int>(pixels.rows));
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) return surface;
  cairo_surface_flush(surface);
  unsigned char* data = cairo_image_surface_get_data(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  for (std::size_t row = 0; row < pixels.rows; ++row) {
    const std::uint8_t* from = pixels.values.data() + 4 * row * pixels.columns;
    for (std::size_t column = 0; column < pixels.columns; ++column, from += 4) {
      const auto alpha = static_cast<std::uint32_t>(std::lround(from[3] * opacity));
      const auto times_alpha = [alpha](std::uint8_t channel) { return (channel * alpha + 127) / 255; };
      const std::uint32_t word =
          alpha << 24 | times_alpha(from[0]) << 16 | times_alpha(from[1]) << 8 | times_alpha(from[2]);
      std::memcpy(data + row * stride + 4 * column, &word, sizeof word);
    }
  }
  cairo_surface_mark_dirty(surface);
  return surface;
}

/// Fewer pixels, each the mean of what falls into it.
cairo_surface_t* reduced(cairo_surface_t* surface, int columns, int rows) {
  cairo_surface_t* smaller = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows);
  cairo_t* cairo = cairo_create(smaller);
  cairo_scale(cairo, static_cast<double>(columns) / cairo_image_surface_get_width(surface),
              static_cast<double>(rows) / cairo_image_surface_get_height(surface));
  cairo_set_source_surface(cairo, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
  cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE);
  cairo_paint(cairo);
  cairo_destroy(cairo);
  return smaller;
}

}  // namespace

void PageCanvas::draw_item(const PictureItem& item) {
  cairo_surface_t* surface = surface_of(*item.pixels, item.opacity);
  const auto needed = [this](double length, std::size_t pixels) {
    const double wanted = std::ceil(length * (format_ == PageFormat::png ? 1 : 2 * pixels_per_unit_));
    return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(pixels)));
  };
  int columns = needed(item.rect.width, item.pixels->columns), rows = needed(item.rect.height, item.pixels->rows);
  if (columns < static_cast<int>(item.pixels->columns) || rows < static_cast<int>(item.pixels->rows)) {
    cairo_surface_t* smaller = reduced(surface, columns, rows);
    cairo_surface_destroy(surface);
    surface = smaller;
  }
  if (format_ != PageFormat::png) sharp_pictures_.push_back(false);
  cairo_t* cairo = cairo_.get();
  cairo_save(cairo);
  cairo_rectangle(cairo, item.clip.left, item.clip.top, item.clip.width, item.clip.height);
  cairo_clip(cairo);
  cairo_translate(cairo, item.flip_x ? item.rect.right() : item.rect.left,
                  item.flip_y ? item.rect.bottom() : item.rect.top);
  cairo_scale(cairo, (item.flip_x ? -1 : 1) * item.rect.width / columns,
              (item.flip_y ? -1 : 1) * item.rect.height / rows);
  cairo_set_source_surface(cairo, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
  cairo_rectangle(cairo, 0, 0, columns, rows);
  cairo_fill(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(surface);
}

}  // namespace ropescope
