#include "app/figure/photograph.h"

#include <cairo.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace ropescope {

namespace {

constexpr std::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8), kJpegMagic("\xff\xd8\xff", 3);

struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;

cairo_status_t read_bytes(void* closure, unsigned char* data, unsigned length) {
  auto& rest = *static_cast<std::string_view*>(closure);
  if (rest.size() < length) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(data, rest.data(), length);
  rest.remove_prefix(length);
  return CAIRO_STATUS_SUCCESS;
}

/// Four bytes, the highest first.
std::size_t big_endian(std::string_view bytes, std::size_t at) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number * 256 + static_cast<unsigned char>(bytes[at + i]);
  return number;
}

void check_surface(cairo_surface_t* surface, const std::string& source) {
  const cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) return;
  // Cairo has no status for what libpng finds wrong and calls it a lack of memory; sizes are bounded before.
  const std::string reason = status == CAIRO_STATUS_NO_MEMORY ? "it is damaged" : cairo_status_to_string(status);
  throw InputError(source + ": the PNG cannot be read (" + reason + "); a whole PNG was expected");
}

/// Painted at this size: any format of Cairo becomes four channels of one byte.
Surface repainted(cairo_surface_t* original, int columns, int rows) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows));
  cairo_t* cairo = cairo_create(surface.get());
  cairo_scale(cairo, static_cast<double>(columns) / cairo_image_surface_get_width(original),
              static_cast<double>(rows) / cairo_image_surface_get_height(original));
  cairo_set_source_surface(cairo, original, 0, 0);
  cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
  cairo_paint(cairo);
  cairo_destroy(cairo);
  cairo_surface_flush(surface.get());
  return surface;
}

/// From Cairo's multiplied 0xAARRGGBB.
Pixels pixels_of(cairo_surface_t* surface) {
  Pixels pixels;
  pixels.columns = static_cast<std::size_t>(cairo_image_surface_get_width(surface));
  pixels.rows = static_cast<std::size_t>(cairo_image_surface_get_height(surface));
  pixels.values.resize(4 * pixels.columns * pixels.rows);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  for (std::size_t row = 0; row < pixels.rows; ++row) {
    for (std::size_t column = 0; column < pixels.columns; ++column) {
      std::uint32_t word = 0;
      std::memcpy(&word, data + row * stride + 4 * column, sizeof word);
      const std::uint32_t alpha = word >> 24;
      std::uint8_t* out = pixels.values.data() + 4 * (row * pixels.columns + column);
      for (int channel = 0; channel < 3; ++channel) {
        const std::uint32_t value = word >> (16 - 8 * channel) & 255;
        out[channel] = static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255u, (value * 255 + alpha / 2) / alpha));
      }
      out[3] = static_cast<std::uint8_t>(alpha);
    }
  }
  return pixels;
}

}  // namespace

void check_photograph_size(std::size_t columns, std::size_t rows, const std::string& source) {
  constexpr std::size_t kMostSide = 32'767;
  if (columns > 0 && rows > 0 && columns <= kMostSide && rows <= kMostSide && columns * rows <= kMostPhotographPixels) {
    return;
  }
  throw InputError(source + ": the picture is " + std::to_string(columns) + "x" + std::to_string(rows) +
                   " pixels; at most 100 million pixels and 32767 on a side were expected");
}

Pixels decode_png(std::string_view bytes, const std::string& source) {
  if (bytes.size() < 24) throw InputError(source + ": the PNG ends within its header; a whole PNG was expected");
  check_photograph_size(big_endian(bytes, 16), big_endian(bytes, 20), source);
  std::string_view rest = bytes;
  const Surface original(cairo_image_surface_create_from_png_stream(read_bytes, &rest));
  check_surface(original.get(), source);
  const int columns = cairo_image_surface_get_width(original.get());
  const int rows = cairo_image_surface_get_height(original.get());
  const double shrink = std::min(1.0, static_cast<double>(Pixels::kMost) / std::max(columns, rows));
  const auto side = [shrink](int length) { return std::max(1, static_cast<int>(length * shrink)); };
  const Surface surface = repainted(original.get(), side(columns), side(rows));
  check_surface(surface.get(), source);
  return pixels_of(surface.get());
}

std::shared_ptr<const Pixels> decode_photograph(std::string_view bytes, const std::string& source) {
  if (bytes.substr(0, kPngMagic.size()) == kPngMagic) {
    return std::make_shared<const Pixels>(decode_png(bytes, source));
  }
  if (bytes.substr(0, kJpegMagic.size()) == kJpegMagic) {
    return std::make_shared<const Pixels>(decode_jpeg(bytes, source));
  }
  throw InputError(source + ": this is neither a PNG nor a JPEG; a picture of one of these two was expected");
}

}  // namespace ropescope
