#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/figure/page_canvas.h"

namespace ropescope {

namespace {

constexpr double kMostCells = 1280;    ///< of a picture in a vector file, each way; more are averaged
constexpr double kSharpPicture = 600;  ///< pixels that few cells are enlarged to: viewers may blur what they enlarge

/// Colours as a Cairo picture; with transparency only where some pixel needs it. Pixels are opaque or fully
/// transparent.
cairo_surface_t* picture_of(const std::vector<Colour>& pixels, int width, int height, bool holes) {
  cairo_surface_t* surface =
      cairo_image_surface_create(holes ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24, width, height);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) return surface;
  const int stride = cairo_image_surface_get_stride(surface);
  unsigned char* data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Colour& c =
          pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
      const std::uint32_t packed = c.alpha == 0 ? 0
                                                : 0xff000000u | static_cast<std::uint32_t>(c.red) << 16 |
                                                      static_cast<std::uint32_t>(c.green) << 8 | c.blue;
      std::memcpy(data + y * stride + 4 * x, &packed, 4);
    }
  }
  cairo_surface_mark_dirty(surface);
  return surface;
}

/// The cells to be seen in one direction: [first, last), and the pixels that stand for them.
struct Extent {
  double first = 0, last = 0;
  int pixels = 0;
};

Extent extent_of(double from, double to, std::size_t cells, double most) {
  Extent extent;
  const double count = static_cast<double>(cells);
  extent.first = std::clamp(std::floor(std::min(from, to)), 0.0, count - 1);
  extent.last = std::clamp(std::ceil(std::max(from, to)), extent.first + 1, count);
  const double shown = extent.last - extent.first, limit = std::clamp(most, 64.0, kMostCells);
  const double each = shown > limit ? 1 : std::max(1.0, std::ceil(kSharpPicture / shown));
  extent.pixels = static_cast<int>(std::min(shown, std::ceil(limit)) * each);
  return extent;
}

/// A picture of whole cells for a vector file, and where it belongs.
struct CellPicture {
  MapWindow window;
  Rect at;
  bool sharp = true;  ///< no cell was averaged away
};

CellPicture cell_picture(const MapItem& item, const MapWindow& shown, double pixels_per_unit) {
  CellPicture picture;
  picture.window = shown;
  MapWindow& window = picture.window;
  const double right = shown.first_column + shown.width * shown.column_step;
  const double bottom = shown.first_row + shown.height * shown.row_step;
  const Extent x = extent_of(shown.first_column, right, item.cells->columns, pixels_per_unit * shown.width);
  const Extent y = extent_of(shown.first_row, bottom, item.cells->rows, pixels_per_unit * shown.height);
  const double cell_width = item.rect.width / static_cast<double>(item.cells->columns);
  const double cell_height = item.rect.height / static_cast<double>(item.cells->rows);
  picture.sharp = x.pixels >= x.last - x.first && y.pixels >= y.last - y.first;
  window.width = x.pixels;
  window.height = y.pixels;
  window.column_step = (x.last - x.first) / x.pixels * (item.flip_x ? -1 : 1);
  window.first_column = item.flip_x ? x.last : x.first;
  window.row_step = (y.last - y.first) / y.pixels * (item.flip_y ? -1 : 1);
  window.first_row = item.flip_y ? y.last : y.first;
  const double left = item.flip_x ? static_cast<double>(item.cells->columns) - x.last : x.first;
  const double top = item.flip_y ? static_cast<double>(item.cells->rows) - y.last : y.first;
  picture.at = {item.rect.left + left * cell_width, item.rect.top + top * cell_height, (x.last - x.first) * cell_width,
                (y.last - y.first) * cell_height};
  return picture;
}

}  // namespace

void PageCanvas::fill_hatched(const MapPaint& paint, const Rect& rect) {
  cairo_t* cairo = cairo_.get();
  const double period = paint.hatch_period;
  set_colour(cairo, paint.ground);
  cairo_rectangle(cairo, rect.left, rect.top, rect.width, rect.height);
  cairo_fill(cairo);
  set_colour(cairo, paint.hatch);
  cairo_set_dash(cairo, nullptr, 0, 0);
  cairo_set_line_width(cairo, period / 7);
  for (double at = period / 2; at < rect.width + rect.height; at += period) {
    cairo_move_to(cairo, rect.left + at, rect.top);
    cairo_line_to(cairo, rect.left + at - rect.height, rect.bottom());
  }
  cairo_stroke(cairo);
}

void PageCanvas::draw_item(const MapItem& item) {
  Rect at;
  MapWindow window = window_of(item, at);
  if (!window.cells) return;
  const bool pixels = format_ == PageFormat::png;
  bool sharp = true;
  if (!pixels) {
    // As sharp as the cells are, however the page is enlarged.
    const CellPicture picture = cell_picture(item, window, pixels_per_unit_);
    sharp = picture.sharp;
    sharp_pictures_.push_back(sharp);
    window = picture.window;
    at = picture.at;
  }
  const std::vector<Colour> colours = paint_window(window, pixels ? Holes::hatched : Holes::transparent);
  const bool holes = std::any_of(colours.begin(), colours.end(), [](Colour c) { return c.alpha == 0; });
  cairo_t* cairo = cairo_.get();
  cairo_surface_t* surface = picture_of(colours, window.width, window.height, holes);
  cairo_save(cairo);
  if (!pixels) {
    const Rect& clip = item.clip;
    cairo_rectangle(cairo, clip.left, clip.top, clip.width, clip.height);
    cairo_clip(cairo);
    cairo_rectangle(cairo, at.left, at.top, at.width, at.height);
    cairo_clip(cairo);
    if (holes) fill_hatched(item.paint, at);
  }
  cairo_translate(cairo, at.left, at.top);
  cairo_scale(cairo, at.width / window.width, at.height / window.height);
  cairo_set_source_surface(cairo, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), sharp ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_paint(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(surface);
}

void PageCanvas::draw_item(const GradientItem& item) {
  if (item.colours.size() < 2 || !(item.rect.height > 0)) return;
  cairo_t* cairo = cairo_.get();
  cairo_pattern_t* pattern = cairo_pattern_create_linear(0, item.rect.bottom(), 0, item.rect.top);
  const double steps = static_cast<double>(item.colours.size() - 1);
  for (std::size_t i = 0; i < item.colours.size(); ++i) {
    const Colour& c = item.colours[i];
    cairo_pattern_add_color_stop_rgba(pattern, static_cast<double>(i) / steps, c.red / 255.0, c.green / 255.0,
                                      c.blue / 255.0, c.alpha / 255.0);
  }
  cairo_set_source(cairo, pattern);
  cairo_pattern_destroy(pattern);
  cairo_rectangle(cairo, item.rect.left, item.rect.top, item.rect.width, item.rect.height);
  cairo_fill(cairo);
}

void PageCanvas::draw_item(const PolygonItem& item) {
  cairo_t* cairo = cairo_.get();
  set_colour(cairo, item.fill);
  cairo_new_path(cairo);
  for (const Vec2& p : item.points) cairo_line_to(cairo, p.x, p.y);
  cairo_close_path(cairo);
  cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING);
  cairo_fill(cairo);
}

}  // namespace ropescope
