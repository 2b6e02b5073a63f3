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

struct Bytes {
  std::string_view rest;
  const std::stop_token& stop;
};

/// libpng asks for a few kilobytes at a time.
cairo_status_t read_bytes(void* closure, unsigned char* data, unsigned length) {
  auto& [rest, stop] = *static_cast<Bytes*>(closure);
  if (rest.size() < length || stop.stop_requested()) return CAIRO_STATUS_READ_ERROR;
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

[[noreturn]] void refuse_damaged(const std::string& source) {
  throw InputError(source, "picture.png", {{"why", Words("picture.damaged")}});
}

void check_surface(cairo_surface_t* surface, const std::string& source) {
  const cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) return;
  // What libpng finds wrong is a lack of memory to Cairo 1.16; sizes are bounded before.
  if (status == CAIRO_STATUS_NO_MEMORY || status == CAIRO_STATUS_PNG_ERROR) refuse_damaged(source);
  throw InputError(source, "picture.png", {{"why", cairo_status_to_string(status)}});
}

[[noreturn]] void refuse_stopped(const std::string& source) {
  throw InputError(source, "picture.stopped", {});
}

struct PngHeader {
  std::size_t columns = 0, rows = 0;
};

/// What is not there cannot be unpacked: deflate makes at most 1032 bytes of one.
bool holds_rows(const PngHeader& header, std::string_view bytes) {
  constexpr std::size_t kMostExpansion = 1032;
  const auto byte = [bytes](std::size_t at) { return std::size_t{static_cast<unsigned char>(bytes[at])}; };
  const std::size_t depth = byte(24), colours = byte(25);
  const std::size_t channels = colours == 2 ? 3 : colours == 4 ? 2 : colours == 6 ? 4 : 1;
  return header.rows * (header.columns * channels * depth / 8) / kMostExpansion <= bytes.size();
}

PngHeader png_header(std::string_view bytes, const std::string& source) {
  if (bytes.size() < 26) throw InputError(source, "picture.png_header", {});
  const PngHeader header{big_endian(bytes, 16), big_endian(bytes, 20)};
  check_photograph_size(header.columns, header.rows, source);
  if (!holds_rows(header, bytes)) refuse_damaged(source);
  return header;
}

/// Reduced to what is kept.
PhotographSize png_size(const PngHeader& header) {
  const auto longest = static_cast<double>(std::max(header.columns, header.rows));
  const double shrink = std::min(1.0, static_cast<double>(Pixels::kMost) / longest);
  const auto side = [shrink](std::size_t length) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(length) * shrink));
  };
  return {side(header.columns), side(header.rows)};
}

void paint_photograph(cairo_t* cairo, cairo_surface_t* original, int columns, int rows) {
  cairo_scale(cairo, static_cast<double>(columns) / cairo_image_surface_get_width(original),
              static_cast<double>(rows) / cairo_image_surface_get_height(original));
  cairo_set_source_surface(cairo, original, 0, 0);
  cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
  cairo_paint(cairo);
}

/// Painted at this size, some rows at a time: any format of Cairo becomes four channels of one byte.
Surface repainted(cairo_surface_t* original, int columns, int rows, const std::stop_token& stop) {
  constexpr int kBand = 64;
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows));
  cairo_t* cairo = cairo_create(surface.get());
  for (int top = 0; top < rows && !stop.stop_requested(); top += kBand) {
    cairo_save(cairo);
    cairo_rectangle(cairo, 0, top, columns, kBand);
    cairo_clip(cairo);
    paint_photograph(cairo, original, columns, rows);
    cairo_restore(cairo);
  }
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
  throw InputError(source, "picture.size", {{"columns", columns}, {"rows", rows}});
}

namespace {

Pixels decode_png(std::string_view bytes, const std::string& source, const std::stop_token& stop) {
  const PhotographSize size = png_size(png_header(bytes, source));
  Bytes rest{bytes, stop};
  const Surface original(cairo_image_surface_create_from_png_stream(read_bytes, &rest));
  if (stop.stop_requested()) refuse_stopped(source);
  check_surface(original.get(), source);
  const Surface surface = repainted(original.get(), static_cast<int>(size.columns), static_cast<int>(size.rows), stop);
  if (stop.stop_requested()) refuse_stopped(source);
  check_surface(surface.get(), source);
  return pixels_of(surface.get());
}

enum class PhotographKind { png, jpeg };

PhotographKind kind_of(std::string_view bytes, const std::string& source) {
  if (bytes.size() > kMostPhotographBytes) {
    throw InputError(source, "file.too_large", {{"most", kMostPhotographBytes >> 20}});
  }
  if (bytes.substr(0, kPngMagic.size()) == kPngMagic) return PhotographKind::png;
  if (bytes.substr(0, kJpegMagic.size()) == kJpegMagic) return PhotographKind::jpeg;
  throw InputError(source, "picture.neither", {});
}

}  // namespace

std::shared_ptr<const Pixels> decode_photograph(std::string_view bytes, const std::string& source,
                                                const std::stop_token& stop) {
  const bool png = kind_of(bytes, source) == PhotographKind::png;
  return std::make_shared<const Pixels>(png ? decode_png(bytes, source, stop) : decode_jpeg(bytes, source, stop));
}

PhotographSize photograph_size(std::string_view bytes, const std::string& source) {
  if (kind_of(bytes, source) == PhotographKind::jpeg) return jpeg_size(bytes, source);
  return png_size(png_header(bytes, source));
}

}  // namespace ropescope
