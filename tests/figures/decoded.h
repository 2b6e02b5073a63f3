#pragma once

#include <cairo.h>

#include "app/figure/palette.h"
#include "tests/test.h"

namespace ropescope {

struct DecodedPicture {
  int width = 0, height = 0;
  std::vector<Colour> pixels;
  const Colour& at(int x, int y) const { return pixels[static_cast<std::size_t>(y * width + x)]; }
};

/// Decodes a PNG by Cairo.
inline DecodedPicture decoded(const std::string& png) {
  struct Source {
    const std::string& bytes;
    std::size_t at = 0;
  } source{png, 0};
  const auto read = [](void* closure, unsigned char* data, unsigned length) {
    auto* from = static_cast<Source*>(closure);
    if (from->at + length > from->bytes.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, from->bytes.data() + from->at, length);
    from->at += length;
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_t* surface = cairo_image_surface_create_from_png_stream(read, &source);
  EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
  DecodedPicture picture{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), {}};
  const int stride = cairo_image_surface_get_stride(surface);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      std::uint32_t pixel;
      std::memcpy(&pixel, data + y * stride + 4 * x, 4);
      picture.pixels.push_back({static_cast<std::uint8_t>(pixel >> 16), static_cast<std::uint8_t>(pixel >> 8),
                                static_cast<std::uint8_t>(pixel), 255});
    }
  }
  cairo_surface_destroy(surface);
  return picture;
}

}  // namespace ropescope
