// Animated GIFs: written, decoded by giflib and compared with the original frames.
#include "app/figure/pages/gif.h"

#include "tests/decoded_gif.h"
#include "tests/figures/decoded.h"

namespace ropescope {
namespace {

using Pixels32 = std::vector<std::uint32_t>;

std::string png_of(const Pixels32& pixels, int width, int height) {
  std::string bytes;
  Pixels32 copy = pixels;
  cairo_surface_t* surface = cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(copy.data()),
                                                                 CAIRO_FORMAT_RGB24, width, height, 4 * width);
  cairo_surface_write_to_png_stream(
      surface,
      [](void* closure, const unsigned char* data, unsigned count) {
        static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), count);
        return CAIRO_STATUS_SUCCESS;
      },
      &bytes);
  cairo_surface_destroy(surface);
  return bytes;
}

std::string gif_of(const std::vector<std::string>& pngs, const GifOptions& options = {}) {
  return encode_gif(pngs, options, {}, {});
}

constexpr int kSide = 64;

/// A square of one colour on a ground.
Pixels32 square_at(int left, int top) {
  Pixels32 pixels(kSide * kSide, 0x101820);
  for (int y = top; y < top + 8; ++y) {
    for (int x = left; x < left + 8; ++x) pixels[static_cast<std::size_t>(y * kSide + x)] = 0xE69F00;
  }
  return pixels;
}

TEST(Gif, OfFewColoursIsJustThePictures) {
  std::vector<std::string> pngs;
  for (int i = 0; i < 5; ++i) pngs.push_back(png_of(square_at(4 * i, 20), kSide, kSide));
  const DecodedGif gif = decoded_gif(gif_of(pngs));
  ASSERT_EQ(gif.frames.size(), pngs.size());
  EXPECT_EQ(gif.repeats, 0) << "for ever";
  for (std::size_t i = 0; i < pngs.size(); ++i) {
    EXPECT_EQ(gif.frames[i].pixels, decoded(pngs[i]).pixels) << i;
    EXPECT_EQ(gif.frames[i].delay, 4);
    // What moved: 8 rows, 8 columns and the 4 that it went on by.
    EXPECT_EQ(gif.frames[i].stored, i == 0 ? kSide * kSide : 8u * 12u) << i;
  }
}

TEST(Gif, ShowsEqualNeighboursLonger) {
  const std::string one = png_of(square_at(0, 0), kSide, kSide), other = png_of(square_at(8, 8), kSide, kSide);
  const DecodedGif gif = decoded_gif(gif_of({one, one, one, other, one}, {10, 1}));
  ASSERT_EQ(gif.frames.size(), 3u);
  EXPECT_EQ(gif.frames[0].delay, 30);
  EXPECT_EQ(gif.frames[1].delay, 10);
  EXPECT_EQ(gif.repeats, -1) << "once";
  EXPECT_EQ(decoded_gif(gif_of({one, other}, {10, 3})).repeats, 2);
  // Longer than one frame can be shown.
  const DecodedGif still = decoded_gif(gif_of(std::vector<std::string>(700, one), {1, 0}));
  int hundredths = 0;
  for (const auto& frame : still.frames) {
    hundredths += frame.delay;
    EXPECT_EQ(frame.pixels, decoded(one).pixels);
  }
  EXPECT_EQ(hundredths, 70'000);
}

TEST(Gif, RoundsOfDelaysDoNotAddUp) {
  std::vector<std::string> pngs;
  for (int i = 0; i < 30; ++i) pngs.push_back(png_of(square_at(i, i), kSide, kSide));
  int hundredths = 0;
  for (const auto& frame : decoded_gif(gif_of(pngs, {30, 0})).frames) hundredths += frame.delay;
  EXPECT_EQ(hundredths, 100);
}

// Every colour that there could be, in no order: the worst that a palette can be asked for.
TEST(Gif, NoColourIsFartherOffThanThePaletteMayCost) {
  std::mt19937 random(7);
  std::vector<std::string> pngs;
  for (int frame = 0; frame < 2; ++frame) {
    Pixels32 pixels(512 * 512);
    for (std::uint32_t& pixel : pixels) pixel = random() & 0xFFFFFF;
    pngs.push_back(png_of(pixels, 512, 512));
  }
  const DecodedGif gif = decoded_gif(gif_of(pngs));
  ASSERT_EQ(gif.frames.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const PictureDifference off = difference_of(gif.frames[i].pixels, decoded(pngs[i]).pixels);
    EXPECT_LE(off.largest, kLargestPaletteError);
    EXPECT_GT(off.largest, 8) << "256 colours cannot do without";
  }
}

TEST(Gif, KeepsColoursThatFillAreas) {
  // Two grounds that are nearly alike, beside all the colours of a map.
  Pixels32 pixels(256 * 256);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto x = static_cast<std::uint32_t>(i % 256), y = static_cast<std::uint32_t>(i / 256);
    pixels[i] = y < 64 ? 0x101820 : y < 128 ? 0x111821 : x << 16 | y << 8 | (255 - x);
  }
  const std::string png = png_of(pixels, 256, 256);
  const std::vector<Colour> found = decoded_gif(gif_of({png})).frames.at(0).pixels, wanted = decoded(png).pixels;
  for (std::size_t i = 0; i < 128 * 256; ++i) ASSERT_EQ(found[i], wanted[i]) << i;
}

TEST(Gif, StopsWhereItIsAskedTo) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(encode_gif({png_of(square_at(0, 0), kSide, kSide)}, {}, source.get_token(), {}), "");
}

}  // namespace
}  // namespace ropescope
