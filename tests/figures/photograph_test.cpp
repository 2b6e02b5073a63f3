#include "app/figure/picture.h"

#include <cairo.h>

#include <jpeglib.h>

#include "app/figure/pages/page.h"
#include "tests/said.h"

namespace ropescope {
namespace {

std::string message_of(const std::string& bytes) {
  return refusal_of([&] { decode_photograph(bytes, "photo"); });
}

/// A PNG of this size: left half red, right half half-transparent blue.
std::string png(int columns, int rows) {
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows);
  cairo_t* cairo = cairo_create(surface);
  cairo_set_source_rgba(cairo, 1, 0, 0, 1);
  cairo_rectangle(cairo, 0, 0, columns / 2, rows);
  cairo_fill(cairo);
  cairo_set_source_rgba(cairo, 0, 0, 1, 0.5);
  cairo_rectangle(cairo, columns / 2, 0, columns - columns / 2, rows);
  cairo_fill(cairo);
  cairo_destroy(cairo);
  std::string bytes;
  const auto append = [](void* out, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_write_to_png_stream(surface, append, &bytes);
  cairo_surface_destroy(surface);
  return bytes;
}

/// A JPEG of 32 x 16: white, its upper left quarter black; an EXIF orientation where one is given.
std::string jpeg(int orientation = 0) {
  constexpr int kColumns = 32, kRows = 16;
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = kColumns;
  info.image_height = kRows;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  if (orientation > 0) {
    const unsigned char exif[] = {
        'E', 'x', 'i', 'f',  0,    0, 'M', 'M', 0, 42, 0, 0, 0,
        8,   0,   1,   0x01, 0x12, 0, 3,   0,   0, 0,  1, 0, static_cast<unsigned char>(orientation),
        0,   0,   0,   0,    0,    0};
    jpeg_write_marker(&info, JPEG_APP0 + 1, exif, sizeof exif);
  }
  for (int row = 0; row < kRows; ++row) {
    std::vector<unsigned char> line(3 * kColumns, 255);
    if (row < kRows / 2) std::fill(line.begin(), line.begin() + 3 * kColumns / 2, 0);
    JSAMPROW pointer = line.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<char*>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return bytes;
}

/// Which corner is black: upper left 0, upper right 1, lower left 2, lower right 3.
int black_corner(const Pixels& pixels) {
  for (int corner = 0; corner < 4; ++corner) {
    const std::size_t column = corner % 2 == 0 ? 1 : pixels.columns - 2, row = corner < 2 ? 1 : pixels.rows - 2;
    if (pixels.values[4 * (row * pixels.columns + column)] < 60) return corner;
  }
  return -1;
}

TEST(Photograph, ReadsAPngWithItsTransparency) {
  const auto pixels = decode_photograph(png(6, 4), "photo");
  ASSERT_EQ(pixels->columns, 6u);
  ASSERT_EQ(pixels->rows, 4u);
  const auto* first = pixels->values.data();
  EXPECT_EQ(std::vector<int>(first, first + 4), (std::vector<int>{255, 0, 0, 255}));
  const auto* last = first + 4 * 5;
  EXPECT_EQ(last[0], 0);
  EXPECT_GE(last[2], 253);
  EXPECT_NEAR(last[3], 128, 1);
}

TEST(Photograph, ReducesALargeOne) {
  const auto pixels = decode_photograph(png(9000, 3), "photo");
  EXPECT_LE(pixels->columns, Pixels::kMax);
  EXPECT_GE(pixels->rows, 1u);
  EXPECT_EQ(pixels->values.size(), 4 * pixels->columns * pixels->rows);
}

TEST(Photograph, ReadsAJpegTurnedAsItAsks) {
  const int corners[] = {0, 0, 1, 3, 2, 0, 1, 3, 2};  // where the upper left one goes, EXIF 1 … 8
  for (int orientation = 0; orientation <= 8; ++orientation) {
    const auto pixels = decode_photograph(jpeg(orientation), "photo");
    EXPECT_EQ(pixels->columns, orientation >= 5 ? 16u : 32u) << orientation;
    EXPECT_EQ(pixels->rows, orientation >= 5 ? 32u : 16u) << orientation;
    EXPECT_EQ(black_corner(*pixels), corners[orientation]) << orientation;
  }
}

TEST(Photograph, NamesWhatIsWrong) {
  EXPECT_THAT(message_of("GIF89a"), AllOf(StartsWith("photo: "), Says("error.picture.neither")));
  EXPECT_THAT(message_of(""), Says("error.picture.neither"));
  std::string broken = png(6, 4);
  broken.resize(broken.size() / 2);
  EXPECT_THAT(message_of(broken), AllOf(StartsWith("photo: "), Says("error.picture.png")));
  EXPECT_THAT(message_of(png(6, 4).substr(0, 12)), Says("error.picture.png_header"));
  std::string flipped = png(6, 4);
  flipped[29] ^= 1;  // the checksum of the header
  EXPECT_THAT(message_of(flipped),
              AllOf(StartsWith("photo: "), Says("error.picture.png", {{"why", english_text()["picture.damaged"]}})));
  const std::string whole = jpeg();
  std::string hurt = whole;
  const std::size_t scan = hurt.find("\xff\xda");
  for (std::size_t i = scan + 15; i + 2 < hurt.size(); ++i) hurt[i] = '\x7e';
  EXPECT_THAT(message_of(hurt), AllOf(StartsWith("photo: "), Says("error.picture.jpeg")));
  EXPECT_THAT(message_of(whole.substr(0, whole.size() / 2)), AllOf(StartsWith("photo: "), Says("error.picture.jpeg")));
  EXPECT_THAT(message_of(whole.substr(0, 5)), AllOf(StartsWith("photo: "), Says("error.picture.jpeg")));
  std::string huge = png(6, 4);
  huge[16] = 0;
  huge[17] = 1;  // 65536 columns and more
  EXPECT_THAT(message_of(huge), Says("error.picture.size"));
}

void add_segment(std::string& bytes, int marker, const std::string& content) {
  const std::size_t length = content.size() + 2;
  bytes += {'\xFF', static_cast<char>(marker), static_cast<char>(length >> 8), static_cast<char>(length & 255)};
  bytes += content;
}

/// A grey progressive JPEG of 16 x 8: a scan of its means, then `scans` of bands that say nothing, every band bit by
/// bit; 882 of them are in order, then they begin again.
std::string progressive_jpeg(int scans) {
  std::string bytes = "\xFF\xD8";
  add_segment(bytes, 0xDB, std::string(1, '\0') + std::string(64, '\x10'));
  add_segment(bytes, 0xC2, std::string("\x08\0\x08\0\x10\x01\x01\x11\0", 9));
  const std::string one_code = '\1' + std::string(15, '\0');
  add_segment(bytes, 0xC4, '\0' + one_code + '\0');
  add_segment(bytes, 0xC4, '\x10' + one_code + '\0');
  add_segment(bytes, 0xDA, std::string("\1\1\0\0\0\0", 6));
  bytes += '\x3F';  // two blocks of no difference
  for (int i = 0; i < scans; ++i) {
    const int band = i % 63 + 1, low = 13 - i / 63 % 14, high = low < 13 ? low + 1 : 0;
    add_segment(
        bytes, 0xDA,
        {'\1', '\1', '\0', static_cast<char>(band), static_cast<char>(band), static_cast<char>(16 * high + low)});
    bytes += '\x3F';  // two blocks that end
  }
  return bytes + "\xFF\xD9";
}

TEST(Photograph, ScansAreCounted) {
  EXPECT_EQ(message_of(progressive_jpeg(99)), "");
  EXPECT_THAT(message_of(progressive_jpeg(100)), AllOf(StartsWith("photo: "), Says("error.picture.jpeg"),
                                                       Says("picture.too_many_scans", {{"scans", "100"}})));
  EXPECT_THAT(message_of(progressive_jpeg(880)), Says("picture.too_many_scans", {{"scans", "100"}}));
  EXPECT_THAT(message_of(progressive_jpeg(20'000)), Says("picture.too_many_scans", {{"scans", "100"}}));
}

TEST(Photograph, WhatIsDamagedIsNotGoneOnWith) {
  std::string bytes = progressive_jpeg(20);
  bytes[bytes.find('\xDA', 100) - 2] = '\xFE';
  EXPECT_THAT(message_of(bytes), Says("error.picture.jpeg"));
}

TEST(Photograph, FewBytesHoldNoLargePicture) {
  std::string small = progressive_jpeg(3);
  const std::size_t size = small.find('\xC2') + 4;
  small[size] = small[size + 2] = '\x20';  // 8 200 rows and columns in 150 bytes
  EXPECT_THAT(message_of(small), Says("picture.ends_early"));
  std::string large = png(6, 4);
  large[18] = large[22] = '\x20';
  EXPECT_THAT(message_of(large), Says("picture.damaged"));
}

TEST(Photograph, DecodingIsStopped) {
  std::stop_source source;
  source.request_stop();
  for (const std::string& bytes : {png(64, 48), jpeg(), progressive_jpeg(20)}) {
    EXPECT_EQ(refusal_of([&] { decode_photograph(bytes, "photo", source.get_token()); }),
              "photo: " + english_text()["error.picture.stopped"]);
  }
}

TEST(Photograph, ItsSizeIsThatOfItsPixels) {
  for (const std::string& bytes : {png(6, 4), png(5000, 3), jpeg(), jpeg(6), progressive_jpeg(2)}) {
    const PhotographSize size = photograph_size(bytes, "photo");
    const auto pixels = decode_photograph(bytes, "photo");
    EXPECT_EQ(size.columns, pixels->columns);
    EXPECT_EQ(size.rows, pixels->rows);
  }
  EXPECT_THROW(photograph_size("GIF89a", "photo"), InputError);
}

/// A figure of 4 x 2 cells under a picture of two colours, side by side.
ViewResult with_picture(double opacity) {
  auto pixels = std::make_shared<Pixels>();
  pixels->columns = 2;
  pixels->rows = 1;
  pixels->values = {255, 0, 0, 255, 0, 0, 255, 255};
  Figure figure;
  figure.name = "photo";
  figure.bare = true;
  figure.x.range = figure.x.fit = {0, 4};
  figure.y.range = figure.y.fit = {0, 2};
  Picture picture;
  picture.x = picture.whole_x = {0, 4};
  picture.y = picture.whole_y = {0, 2};
  picture.pixels = pixels;
  picture.opacity = opacity;
  figure.pictures.push_back(picture);
  ViewResult result;
  result.panels.push_back({figure, 1});
  return result;
}

TEST(Photograph, LiesOnEveryPage) {
  const std::string page = paint_page(with_picture(1), PageFormat::png, {400, 200, false}, ThemeName::dark);
  const auto pixels = decode_photograph(page, "page");
  const auto at = [&](std::size_t x, std::size_t y) { return pixels->values.data() + 4 * (y * pixels->columns + x); };
  EXPECT_GT(at(60, 100)[0], 240) << "red at the left";
  EXPECT_LT(at(60, 100)[2], 20);
  EXPECT_GT(at(340, 100)[2], 240) << "blue at the right";
  const auto faint =
      decode_photograph(paint_page(with_picture(0.25), PageFormat::png, {400, 200, false}, ThemeName::dark), "page");
  const int red = faint->values[4 * (100 * faint->columns + 60)];
  EXPECT_GT(red, 50);
  EXPECT_LT(red, 120);
  EXPECT_THAT(paint_page(with_picture(1), PageFormat::svg, {400, 200, false}, ThemeName::dark), HasSubstr("<image"));
  EXPECT_FALSE(paint_page(with_picture(1), PageFormat::pdf, {100, 50, true}, ThemeName::dark).empty());
}

}  // namespace
}  // namespace ropescope
