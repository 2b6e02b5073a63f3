// jpeglib.h needs stdio before it.
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>
#include <iterator>
#include <optional>

#include "app/figure/photograph.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr const char *kEndsEarly = "picture.ends_early", *kTooManyScans = "picture.too_many_scans";

/// libjpeg reports errors by a jump, which must not pass objects with destructors: all state lies here.
struct Decoder {
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  jpeg_decompress_struct info;
  std::jmp_buf jump;
  const char* reason = nullptr;   ///< key of a text: why it was left; null: libjpeg's own words below
  char message[JMSG_LENGTH_MAX];  ///< a detail, in English
  bool broken = false;
  int most_scans = kMostJpegScans;
  const std::stop_token* stop = nullptr;
  bool stopped = false;
};

void leave(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  info->err->format_message(info, decoder->message);
  std::longjmp(decoder->jump, 1);
}

/// Data that ends early or is damaged is only a warning to libjpeg, which goes on with grey or a smear. Other warnings
/// are of no account.
void note_warning(j_common_ptr info, int level) {
  constexpr int kDamage[] = {JWRN_JPEG_EOF, JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_MUST_RESYNC,
                             JWRN_BOGUS_PROGRESSION};
  if (level >= 0 || std::find(std::begin(kDamage), std::end(kDamage), info->err->msg_code) == std::end(kDamage)) return;
  auto* decoder = static_cast<Decoder*>(info->client_data);
  info->err->format_message(info, decoder->message);
  if (info->err->msg_code == JWRN_JPEG_EOF) decoder->reason = kEndsEarly;
  decoder->broken = true;
}

/// Called for every row of blocks, read or written: what is to end early ends here.
void watch(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  decoder->stopped = decoder->stop && decoder->stop->stop_requested();
  const bool too_many = decoder->info.input_scan_number > decoder->most_scans;
  if (too_many) decoder->reason = kTooManyScans;
  if (too_many || decoder->stopped || decoder->broken) std::longjmp(decoder->jump, 1);
}

/// True where the header could be read.
bool begin(Decoder& decoder, std::string_view bytes) {
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = leave;
  decoder.errors.emit_message = note_warning;
  decoder.info.client_data = &decoder;
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_create_decompress(&decoder.info);
  decoder.info.client_data = &decoder;
  decoder.progress.progress_monitor = watch;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_save_markers(&decoder.info, kExifMarker, 0xFFFF);
  jpeg_read_header(&decoder.info, TRUE);
  return true;
}

/// True where the output's size is known.
bool measure(Decoder& decoder) {
  if (setjmp(decoder.jump) != 0) return false;
  decoder.info.out_color_space = JCS_RGB;
  decoder.info.scale_num = 1;
  decoder.info.scale_denom = 1;
  const unsigned longest = std::max(decoder.info.image_width, decoder.info.image_height);
  while (longest / decoder.info.scale_denom > Pixels::kMost && decoder.info.scale_denom < 8) {
    decoder.info.scale_denom *= 2;
  }
  // Rounded up, a side may still be one too long.
  jpeg_calc_output_dimensions(&decoder.info);
  const bool over = std::max(decoder.info.output_width, decoder.info.output_height) > Pixels::kMost;
  if (over && decoder.info.scale_denom < 8) decoder.info.scale_denom *= 2;
  jpeg_calc_output_dimensions(&decoder.info);
  return true;
}

/// Goes over all scans but the last.
bool start(Decoder& decoder) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_start_decompress(&decoder.info);
  return true;
}

/// Rows of red, green, blue into memory of the caller.
bool read_rows(Decoder& decoder, unsigned char* rows) {
  if (setjmp(decoder.jump) != 0) return false;
  while (decoder.info.output_scanline < decoder.info.output_height) {
    JSAMPROW row = rows + static_cast<std::size_t>(decoder.info.output_scanline) * decoder.info.output_width * 3;
    jpeg_read_scanlines(&decoder.info, &row, 1);
  }
  return true;
}

/// EXIF's tag 0x0112, 1 … 8; 1 where there is none.
int orientation_of(const jpeg_decompress_struct& info) {
  for (jpeg_saved_marker_ptr marker = info.marker_list; marker; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker != kExifMarker || data.substr(0, 6) != std::string_view("Exif\0\0", 6)) continue;
    const std::string_view tiff = data.substr(6);
    const bool little = tiff.substr(0, 2) == "II";
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

/// As EXIF's orientations say: 1 upright, 2 mirrored, 3 upside down, 4 both, 5 … 8 the same with rows and columns
/// exchanged.
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

}  // namespace

namespace {

/// A decoder that is torn down, also where making an OpenJpeg of it fails.
struct TornDown {
  Decoder decoder{};
  TornDown() = default;
  ~TornDown() { jpeg_destroy_decompress(&decoder.info); }
  TornDown(const TornDown&) = delete;
  TornDown& operator=(const TornDown&) = delete;
};

/// One whose header is read.
struct OpenJpeg : TornDown {
  std::string source;

  OpenJpeg(std::string_view bytes, const std::string& name) : source(name) {
    if (!begin(decoder, bytes)) refuse();
    const jpeg_decompress_struct& info = decoder.info;
    check_photograph_size(info.image_width, info.image_height, source);
    if (info.num_components == 4) {
      throw InputError(source, "picture.four_channels", {});
    }
    const std::uint64_t pixels = std::uint64_t{info.image_width} * info.image_height;
    decoder.most_scans = static_cast<int>(std::min<std::uint64_t>(kMostJpegScans, kMostScannedPixels / pixels));
    // Huffman codes have a bit at least; without this a few bytes would have hundreds of megabytes laid out.
    constexpr std::uint64_t kBlock = 64;
    if (!info.arith_code && 8 * bytes.size() < pixels / kBlock) {
      decoder.reason = kEndsEarly;
      refuse();
    }
    if (!measure(decoder)) refuse();
  }

  [[noreturn]] void refuse() const {
    if (decoder.stopped) throw InputError(source, "picture.stopped", {});
    const Words why =
        decoder.reason ? Words(decoder.reason, {{"scans", decoder.most_scans}}) : as_it_is(decoder.message);
    throw InputError(source, "picture.jpeg", {{"why", why}});
  }
};

}  // namespace

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
  if (!start(decoder)) open.refuse();
  std::vector<unsigned char> rows(std::size_t{3} * decoder.info.output_width * decoder.info.output_height);
  if (!read_rows(decoder, rows.data()) || decoder.broken) open.refuse();
  return turned(rows.data(), decoder.info.output_width, decoder.info.output_height, orientation_of(decoder.info));
}

}  // namespace ropescope
