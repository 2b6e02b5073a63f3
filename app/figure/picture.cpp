#include "app/figure/picture.h"

#include <cairo.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "core/error.h"

namespace ropescope {

namespace {

cairo_status_t append_picture(void* out, const unsigned char* data, unsigned int length) {
  try {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string encode_png(std::vector<std::uint8_t> rgba, int width, int height) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height), cairo_surface_destroy);
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
    throw InputError("picture.no_memory", {{"width", width}, {"height", height}});
  }
  cairo_surface_flush(surface.get());
  unsigned char* pixels = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; y < height; ++y) {
    auto* row = reinterpret_cast<std::uint32_t*>(pixels + static_cast<std::ptrdiff_t>(y) * stride);
    const std::uint8_t* from = rgba.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * 4;
    for (int x = 0; x < width; ++x, from += 4) {
      row[x] = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
    }
  }
  // As large as what was made of it.
  rgba = {};
  cairo_surface_mark_dirty(surface.get());
  std::string png;
  if (cairo_surface_write_to_png_stream(surface.get(), append_picture, &png) != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error("cairo could not encode a PNG");
  }
  return png;
}

}  // namespace ropescope
