// A photograph drawn by the graphics card has the colours of its pixels.

#include "app/figure/scene/scene.h"
#include "tests/gl/offscreen_scene.h"

namespace ropescope {
namespace {

/// Four large squares: red, green, blue, white, row by row.
std::shared_ptr<const Pixels> four_squares() {
  auto pixels = std::make_shared<Pixels>();
  pixels->columns = pixels->rows = 64;
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const bool right = x >= 32, low = y >= 32;
      const std::uint8_t red = right == low ? 255 : 0, green = right ? 255 : 0, blue = low ? 255 : 0;
      pixels->values.insert(pixels->values.end(), {red, green, blue, 255});
    }
  }
  return pixels;
}

PictureItem item_over(const Rect& rect) {
  PictureItem item;
  item.pixels = four_squares();
  item.rect = item.clip = rect;
  return item;
}

class PictureOnScreen : public Offscreen {};

TEST_P(PictureOnScreen, HasItsColoursWhereTheyBelong) {
  show({{item_over({100, 50, 200, 200})}});
  EXPECT_EQ(at(120, 70), (Colour{255, 0, 0, 255}));
  EXPECT_EQ(at(280, 70), (Colour{0, 255, 0, 255}));
  EXPECT_EQ(at(120, 230), (Colour{0, 0, 255, 255}));
  EXPECT_EQ(at(280, 230), (Colour{255, 255, 255, 255}));
  EXPECT_EQ(at(90, 70), ui.palette.ground);
}

TEST_P(PictureOnScreen, IsFlippedCutAndMixed) {
  PictureItem item = item_over({100, 50, 200, 200});
  item.flip_x = true;
  item.clip = {100, 50, 200, 60};
  item.opacity = 0.5;
  show({{item}});
  const Colour left = at(120, 70), ground = ui.palette.ground;
  EXPECT_NEAR(left.green, (255 + ground.green) / 2, 2) << "green is at the left now";
  EXPECT_NEAR(left.red, ground.red / 2, 2);
  EXPECT_EQ(at(120, 230), ground) << "cut off";
}

TEST_P(PictureOnScreen, IsUploadedOnce) {
  const auto squares = four_squares();
  const std::uintptr_t first = gpu->picture(squares);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(gpu->picture(squares), first);
  EXPECT_NE(gpu->picture(four_squares()), first);
  EXPECT_EQ(gpu->picture(nullptr), 0u);
}

INSTANTIATE_TEST_SUITE_P(Themes, PictureOnScreen, testing::Values(ThemeName::dark, ThemeName::light));

}  // namespace
}  // namespace ropescope
