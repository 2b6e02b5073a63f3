// Decoding of PNG and JPEG within limits of memory and time, and encoding of PNG.
//
// Contents: Pictures; JPEG; Photographs.

#include "app/figure/picture.h"

// jpeglib.h needs stdio before it.
#include <cstdio>

#include <cairo.h>
#include <jpeglib.h>

#include <jerror.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

#include "core/formats/embedded_text.h"
#include "core/message.h"

namespace ropescope {

// --- Pictures ------------------------------------------------------------------------------------------------------

namespace {

cairo_status_t append_picture(void* out, const unsigned char* data, unsigned int length) {
  try {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

// --- JPEG ----------------------------------------------------------------------------------------------------------

/// Throws InputError for a size that is empty or too large.
void check_photograph_size(std::size_t columns, std::size_t rows, const std::string& source) {
  constexpr std::size_t kMaxSide = 32'767;
  if (columns > 0 && rows > 0 && columns <= kMaxSide && rows <= kMaxSide && columns * rows <= kMaxPhotographPixels) {
    return;
  }
  throw InputError(source, "picture.size", {{"columns", columns}, {"rows", rows}});
}

[[noreturn]] void refuse_stopped(const std::string& source) {
  throw InputError(source, "picture.stopped", {});
}

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr const char *kEndsEarly = "picture.ends_early", *kTooManyScans = "picture.too_many_scans";

/// libjpeg reports errors by a jump, which must not skip destructors: all state is here.
struct Decoder {
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  jpeg_decompress_struct info;
  std::jmp_buf jump;
  const char* reason = nullptr;   ///< key of the error text; null: libjpeg's own message below
  char message[JMSG_LENGTH_MAX];  ///< a detail, in English
  bool broken = false;
  int most_scans = kMaxJpegScans;
  const std::stop_token* stop = nullptr;
  bool stopped = false;
};

void leave(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  info->err->format_message(info, decoder->message);
  std::longjmp(decoder->jump, 1);
}

/// Data that ends early or is damaged is only a warning to libjpeg, which continues with grey or a smear. Other
/// warnings are ignored.
void note_warning(j_common_ptr info, int level) {
  constexpr int kDamage[] = {JWRN_JPEG_EOF, JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_MUST_RESYNC,
                             JWRN_BOGUS_PROGRESSION};
  if (level >= 0 || std::find(std::begin(kDamage), std::end(kDamage), info->err->msg_code) == std::end(kDamage)) return;
  auto* decoder = static_cast<Decoder*>(info->client_data);
  info->err->format_message(info, decoder->message);
  if (info->err->msg_code == JWRN_JPEG_EOF) decoder->reason = kEndsEarly;
  decoder->broken = true;
}

/// Called for every row of blocks read or written: throws here to end early.
void watch(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  decoder->stopped = decoder->stop && decoder->stop->stop_requested();
  const bool too_many = decoder->info.input_scan_number > decoder->most_scans;
  if (too_many) decoder->reason = kTooManyScans;
  if (too_many || decoder->stopped || decoder->broken) std::longjmp(decoder->jump, 1);
}

/// Runs a step; returns false if libjpeg left it by a jump.
template <class Step>
bool passes(Decoder& decoder, const Step& step) {
  if (setjmp(decoder.jump) != 0) return false;
  step();
  return true;
}

void read_header(Decoder& decoder, std::string_view bytes) {
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = leave;
  decoder.errors.emit_message = note_warning;
  decoder.info.client_data = &decoder;
  jpeg_create_decompress(&decoder.info);
  decoder.info.client_data = &decoder;
  decoder.progress.progress_monitor = watch;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_save_markers(&decoder.info, kExifMarker, 0xFFFF);
  jpeg_read_header(&decoder.info, TRUE);
}

/// Sets the output size: the picture's, or the maximum that is shown.
void measure(jpeg_decompress_struct& info) {
  info.out_color_space = JCS_RGB;
  info.scale_num = info.scale_denom = 1;
  jpeg_calc_output_dimensions(&info);
  // Because sizes are rounded up, a side may still exceed the limit by one.
  while (std::max(info.output_width, info.output_height) > Pixels::kMax && info.scale_denom < 8) {
    info.scale_denom *= 2;
    jpeg_calc_output_dimensions(&info);
  }
}

/// Reads rows of red, green, blue into the caller's memory.
void read_rows(jpeg_decompress_struct& info, unsigned char* rows) {
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = rows + static_cast<std::size_t>(info.output_scanline) * info.output_width * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
}

/// Returns EXIF's tag 0x0112, 1 … 8; 1 if it is missing.
int orientation_of(const jpeg_decompress_struct& info) {
  for (jpeg_saved_marker_ptr marker = info.marker_list; marker; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker != kExifMarker || data.substr(0, 6) != std::string_view("Exif\0\0", 6)) continue;
    const std::string_view tiff = data.substr(6);
    const bool little = tiff.starts_with("II");
    const auto number = [&](std::size_t at, std::size_t size) -> std::optional<std::size_t> {
      if (at > tiff.size() || tiff.size() - at < size) return std::nullopt;
      std::size_t value = 0;
      for (std::size_t i = 0; i < size; ++i) {
        value = value * 256 + static_cast<unsigned char>(tiff[little ? at + size - 1 - i : at + i]);
      }
      return value;
    };
    const auto directory = number(4, 4);
    const auto entries = directory ? number(*directory, 2) : std::nullopt;
    for (std::size_t i = 0; entries && i < *entries; ++i) {
      const std::size_t entry = *directory + 2 + 12 * i;
      const auto tag = number(entry, 2), value = number(entry + 8, 2);
      if (!tag || !value) return 1;
      if (*tag == 0x0112 && *value >= 1 && *value <= 8) return static_cast<int>(*value);
    }
  }
  return 1;
}

/// Returns pixels rotated to an EXIF orientation: 1 upright, 2 mirrored, 3 upside down, 4 both, 5 … 8 the same with
/// rows and columns swapped.
Pixels turned(const unsigned char* rows, std::size_t width, std::size_t height, int orientation) {
  const bool exchanged = orientation >= 5;
  Pixels pixels;
  pixels.columns = exchanged ? height : width;
  pixels.rows = exchanged ? width : height;
  pixels.values.resize(4 * width * height);
  const bool right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool down = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  for (std::size_t y = 0; y < pixels.rows; ++y) {
    for (std::size_t x = 0; x < pixels.columns; ++x) {
      const std::size_t across = exchanged ? y : x, along = exchanged ? x : y;
      const std::size_t column = right ? width - 1 - across : across;
      const std::size_t row = down ? height - 1 - along : along;
      const unsigned char* from = rows + 3 * (row * width + column);
      std::uint8_t* to = pixels.values.data() + 4 * (y * pixels.columns + x);
      std::copy(from, from + 3, to);
      to[3] = 255;
    }
  }
  return pixels;
}

/// A decoder that is destroyed even if the construction of an OpenJpeg fails.
struct TornDown {
  Decoder decoder{};
  TornDown() = default;
  ~TornDown() { jpeg_destroy_decompress(&decoder.info); }
  TornDown(const TornDown&) = delete;
  TornDown& operator=(const TornDown&) = delete;
};

/// A decoder after reading the header.
struct OpenJpeg : TornDown {
  std::string source;

  OpenJpeg(std::string_view bytes, const std::string& name) : source(name) {
    if (!passes(decoder, [&] { read_header(decoder, bytes); })) refuse();
    const jpeg_decompress_struct& info = decoder.info;
    check_photograph_size(info.image_width, info.image_height, source);
    if (info.num_components == 4) {
      throw InputError(source, "picture.four_channels", {});
    }
    const std::uint64_t pixels = std::uint64_t{info.image_width} * info.image_height;
    decoder.most_scans = static_cast<int>(std::min<std::uint64_t>(kMaxJpegScans, kMaxScannedPixels / pixels));
    // Huffman codes have at least one bit; without this check a few bytes would allocate hundreds of megabytes.
    constexpr std::uint64_t kBlock = 64;
    if (!info.arith_code && 8 * bytes.size() < pixels / kBlock) {
      decoder.reason = kEndsEarly;
      refuse();
    }
    if (!passes(decoder, [this] { measure(decoder.info); })) refuse();
  }

  [[noreturn]] void refuse() const {
    if (decoder.stopped) refuse_stopped(source);
    const Message why =
        decoder.reason ? Message(decoder.reason, {{"scans", decoder.most_scans}}) : verbatim(decoder.message);
    throw InputError(source, "picture.jpeg", {{"why", why}});
  }
};

PhotographSize jpeg_size(std::string_view bytes, const std::string& source) {
  const OpenJpeg open(bytes, source);
  const jpeg_decompress_struct& info = open.decoder.info;
  const bool exchanged = orientation_of(info) >= 5;
  return exchanged ? PhotographSize{info.output_height, info.output_width}
                   : PhotographSize{info.output_width, info.output_height};
}

Pixels decode_jpeg(std::string_view bytes, const std::string& source, const std::stop_token& stop) {
  OpenJpeg open(bytes, source);
  Decoder& decoder = open.decoder;
  decoder.stop = &stop;
  // Reads all scans except the last.
  if (!passes(decoder, [&] { jpeg_start_decompress(&decoder.info); })) open.refuse();
  std::vector<unsigned char> rows(std::size_t{3} * decoder.info.output_width * decoder.info.output_height);
  if (!passes(decoder, [&] { read_rows(decoder.info, rows.data()); }) || decoder.broken) open.refuse();
  return turned(rows.data(), decoder.info.output_width, decoder.info.output_height, orientation_of(decoder.info));
}

// --- Photographs ---------------------------------------------------------------------------------------------------

constexpr std::string_view kJpegSignature = "\xff\xd8\xff";

struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;

struct Bytes {
  std::string_view rest;
  const std::stop_token& stop;
};

/// Reads bytes for libpng, which requests a few kilobytes at a time.
cairo_status_t read_bytes(void* closure, unsigned char* data, unsigned length) {
  auto& [rest, stop] = *static_cast<Bytes*>(closure);
  if (rest.size() < length || stop.stop_requested()) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(data, rest.data(), length);
  rest.remove_prefix(length);
  return CAIRO_STATUS_SUCCESS;
}

[[noreturn]] void refuse_damaged(const std::string& source) {
  throw InputError(source, "picture.png", {{"why", Message("picture.damaged")}});
}

void check_surface(cairo_surface_t* surface, const std::string& source) {
  const cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) return;
  // Cairo 1.16 reports libpng's errors as a lack of memory; sizes are limited earlier.
  if (status == CAIRO_STATUS_NO_MEMORY || status == CAIRO_STATUS_PNG_ERROR) refuse_damaged(source);
  throw InputError(source, "picture.png", {{"why", cairo_status_to_string(status)}});
}

/// Returns whether enough data is there for all rows: deflate expands a byte to at most 1032.
bool holds_rows(const PhotographSize& header, std::string_view bytes) {
  constexpr std::size_t kMaxExpansion = 1032;
  const auto byte = [bytes](std::size_t at) { return std::size_t{static_cast<unsigned char>(bytes[at])}; };
  const std::size_t depth = byte(24), colours = byte(25);
  const std::size_t channels = colours == 2 ? 3 : colours == 4 ? 2 : colours == 6 ? 4 : 1;
  return header.rows * (header.columns * channels * depth / 8) / kMaxExpansion <= bytes.size();
}

PhotographSize png_header(std::string_view bytes, const std::string& source) {
  if (bytes.size() < 26) throw InputError(source, "picture.png_header", {});
  const PhotographSize header{png_number_at(bytes, 16), png_number_at(bytes, 20)};
  check_photograph_size(header.columns, header.rows, source);
  if (!holds_rows(header, bytes)) refuse_damaged(source);
  return header;
}

/// Returns the size after reduction to the limit.
PhotographSize png_size(const PhotographSize& header) {
  const auto longest = static_cast<double>(std::max(header.columns, header.rows));
  const double shrink = std::min(1.0, static_cast<double>(Pixels::kMax) / longest);
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

/// Returns a surface painted at this size in bands of rows: any Cairo format becomes four channels of one byte.
Surface repaint_in_bands(cairo_surface_t* original, int columns, int rows, const std::stop_token& stop) {
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

/// Returns the pixels of a Cairo surface, which contains 0xAARRGGBB with premultiplied colours.
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

Pixels decode_png(std::string_view bytes, const std::string& source, const std::stop_token& stop) {
  const PhotographSize size = png_size(png_header(bytes, source));
  Bytes rest{bytes, stop};
  const Surface original(cairo_image_surface_create_from_png_stream(read_bytes, &rest));
  if (stop.stop_requested()) refuse_stopped(source);
  check_surface(original.get(), source);
  const Surface surface =
      repaint_in_bands(original.get(), static_cast<int>(size.columns), static_cast<int>(size.rows), stop);
  if (stop.stop_requested()) refuse_stopped(source);
  check_surface(surface.get(), source);
  return pixels_of(surface.get());
}

enum class PhotographKind { png, jpeg };

PhotographKind kind_of(std::string_view bytes, const std::string& source) {
  if (bytes.size() > kMaxPhotographBytes) {
    throw InputError(source, "file.too_large", {{"most", kMaxPhotographBytes >> 20}});
  }
  if (bytes.starts_with(kPngSignature)) return PhotographKind::png;
  if (bytes.starts_with(kJpegSignature)) return PhotographKind::jpeg;
  throw InputError(source, "picture.neither", {});
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
  // The surface has a copy of the pixels: keeping both would take twice the memory.
  rgba = {};
  cairo_surface_mark_dirty(surface.get());
  std::string png;
  if (cairo_surface_write_to_png_stream(surface.get(), append_picture, &png) != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error("cairo could not encode a PNG");
  }
  return png;
}

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
