#include "core/message.h"
#include "tests/gl/offscreen_scene.h"

namespace ropescope {

namespace {

Scene scene_of(std::vector<SceneItem> items) {
  return {std::move(items)};
}

TEST_P(Offscreen, TheGroundIsTheThemes) {
  show({});
  EXPECT_EQ(count(ui.palette.ground, {0, 0, kWidth, kHeight}), kWidth * kHeight);
}

TEST_P(Offscreen, ASliderIsFilledUpToItsHandle) {
  show({}, true);
  const Rect* track = record.find("t.share");
  ASSERT_TRUE(track);
  const double y = track->top + track->height / 2;
  EXPECT_EQ(at(track->left + 20, y), ui.palette.accent);
  EXPECT_EQ(at(track->left + track->width / 2, y), ui.palette.text);
  EXPECT_NE(at(track->right() - 20, y), ui.palette.accent);
}

TEST_P(Offscreen, RowsRunFromTopToBottom) {
  show(scene_of({RectItem{{10, 20, 30, 5}, ui.palette.accent}}));
  EXPECT_EQ(count(ui.palette.accent, {0, 0, kWidth, kHeight}), 150);
  EXPECT_EQ(at(10, 20), ui.palette.accent);
  EXPECT_EQ(at(39, 24), ui.palette.accent);
  EXPECT_EQ(at(10, 19), ui.palette.ground);
  EXPECT_EQ(at(40, 24), ui.palette.ground);
}

TEST_P(Offscreen, HairlinesAreOnePixelSharp) {
  const Colour line = ui.palette.text;
  for (const double offset : {0.0, 0.3, 0.5, 0.8}) {
    show(scene_of({PathItem{{{100 + offset, 50}, {100 + offset, 350}}, line, 1, Dash::solid},
                   PathItem{{{200, 100 + offset}, {500, 100 + offset}}, line, 1, Dash::solid}}));
    EXPECT_EQ(count(line, {90, 60, 20, 1}), 1) << offset;
    EXPECT_EQ(count(line, {300, 90, 1, 20}), 1) << offset;
    EXPECT_EQ(count(ui.palette.ground, {90, 60, 20, 1}), 19) << offset;
  }
}

TEST_P(Offscreen, ACurveHasItsColourAndNothingBetweenItsDashes) {
  const Colour colour = ui.palette.curves[1];
  PathItem curve{{}, colour, 3, Dash::solid};
  for (int i = 0; i <= 400; ++i) {
    curve.points.push_back({50.0 + i, 200 + 0.4 * i * std::sin(i / 60.0)});
  }
  show(scene_of({curve}));
  for (std::size_t i = 20; i < 380; ++i) {
    ASSERT_EQ(at(curve.points[i].x, curve.points[i].y), colour) << "column " << i;
  }
  const double width = 4;
  curve.width = width;
  curve.dash = Dash::long_dash;
  show(scene_of({curve}));
  // Along the curve strokes and gaps alternate as the pattern says, however many vertices lie in a stroke.
  const std::vector<double> pattern = dash_pattern(Dash::long_dash, width);
  ASSERT_EQ(pattern.size(), 2u);
  double length = 0;
  int strokes = 0, gaps = 0;
  for (std::size_t i = 1; i + 20 < curve.points.size(); ++i) {
    const Vec2 a = curve.points[i - 1], b = curve.points[i];
    length += std::hypot(b.x - a.x, b.y - a.y);
    const double place = std::fmod(length, pattern[0] + pattern[1]);
    if (place > 3 && place < pattern[0] - 3) {
      EXPECT_EQ(at(b.x, b.y), colour) << "vertex " << i;
      ++strokes;
    } else if (place > pattern[0] + 4 && place < pattern[0] + pattern[1] - 4) {
      EXPECT_EQ(at(b.x, b.y), ui.palette.ground) << "vertex " << i;
      ++gaps;
    }
  }
  EXPECT_GT(strokes, 50);
  EXPECT_GT(gaps, 10);
}

TEST_P(Offscreen, ALongJaggedCurveStaysWithinItsWidth) {
  PathItem curve{{}, ui.palette.text, 1.75, Dash::solid};
  for (int i = 0; i < 40000; ++i) curve.points.push_back({20 + 600.0 * i / 40000, i % 2 == 0 ? 100.0 : 300.0});
  show(scene_of({curve}));
  EXPECT_EQ(count(ui.palette.ground, {0, 0, kWidth, 97}), kWidth * 97) << "spikes at the turns";
  EXPECT_EQ(count(ui.palette.ground, {0, 303, kWidth, kHeight - 303}), kWidth * (kHeight - 303));
  EXPECT_EQ(count(ui.palette.ground, {30, 120, 580, 160}), 0) << "all of it is covered, to the last vertex";
}

TEST_P(Offscreen, SharpTurnsGrowNoSpikes) {
  PathItem zigzag{{}, ui.palette.text, 3, Dash::solid};
  for (int i = 0; i < 150; ++i) zigzag.points.push_back({20 + 4.0 * i, i % 2 == 0 ? 100.0 : 300.0});
  show(scene_of({zigzag}));
  EXPECT_EQ(count(ui.palette.ground, {0, 0, kWidth, 97}), kWidth * 97);
  EXPECT_EQ(count(ui.palette.ground, {0, 303, kWidth, kHeight - 303}), kWidth * (kHeight - 303));
  EXPECT_NE(at(28, 100), ui.palette.ground) << "the peak itself is drawn";
}

TEST_P(Offscreen, ABandHasNoSeams) {
  const Colour over{255, 0, 0, 56};
  BandItem band;
  band.colour = over;
  for (int i = 0; i <= 30000; ++i) {
    band.xs.push_back(100 + 400.0 * i / 30000);
    band.tops.push_back(100 + i % 7);
    band.bottoms.push_back(300 - i % 5);
  }
  show(scene_of({band}));
  const Colour inside = at(300, 200);
  EXPECT_NE(inside, ui.palette.ground);
  EXPECT_EQ(count(inside, {101, 110, 398, 180}), 398 * 180);
}

TEST_P(Offscreen, ClipsAndTurnsText) {
  const TextItem upright{{320, 200}, 0.5, 0.5, "MMMMMMMMMM", {26, FontWeight::semibold}, ui.palette.text, false};
  TextItem turned = upright;
  turned.vertical = true;
  const Vec2 size = screen_measure(ui)(upright.text, upright.style);
  ASSERT_GT(size.x, 4 * size.y);
  show(scene_of({turned}));
  const Rect box{316 - size.y / 2, 196 - size.x / 2, size.y + 8, size.x + 8};  // a glyph may reach over its advance
  const int all = count(ui.palette.ground, {0, 0, kWidth, kHeight}), inside = count(ui.palette.ground, box);
  const int area = static_cast<int>(std::ceil(box.width)) * static_cast<int>(std::ceil(box.height));
  EXPECT_EQ(kWidth * kHeight - all, area - inside) << "ink outside of the turned box";
  EXPECT_GT(area - inside, 500);
  show(scene_of({ClipItem{{0, 0, 320, kHeight}}, upright, UnclipItem{}}));
  EXPECT_EQ(count(ui.palette.ground, {320, 0, 320, kHeight}), 320 * kHeight);
  EXPECT_LT(count(ui.palette.ground, {0, 0, 320, kHeight}), 320 * kHeight);
}

INSTANTIATE_TEST_SUITE_P(Themes, Offscreen, ::testing::Values(ThemeName::dark, ThemeName::light),
                         [](const auto& theme) { return theme.param == ThemeName::dark ? "dark" : "light"; });

TEST(OffscreenContext, OneAfterTheOtherAndImpossibleSizes) {
  for (int i = 0; i < 3; ++i) const OffscreenContext context(64, 64);
  EXPECT_THROW(OffscreenContext(0, 10), InputError);
  EXPECT_THROW(OffscreenContext(10, 1 << 28), InputError);
}

}  // namespace

}  // namespace ropescope
