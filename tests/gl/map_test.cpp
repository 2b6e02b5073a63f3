// The shader draws a map as app/figure/map_window.cpp computes it.

#include "app/figure/scene/scene.h"
#include "tests/gl/offscreen_scene.h"
#include "tests/said.h"

namespace ropescope {

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::shared_ptr<const MapCells> cells_of(std::size_t columns, std::size_t rows, std::vector<float> values) {
  auto cells = std::make_shared<MapCells>();
  cells->columns = columns;
  cells->rows = rows;
  cells->values = std::move(values);
  return cells;
}

std::shared_ptr<const MapCells> random_cells(std::size_t columns, std::size_t rows, double size, double holes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  std::vector<float> values;
  for (std::size_t i = 0; i < columns * rows; ++i) {
    values.push_back(uniform(random) < holes ? kNaN : static_cast<float>((2 * uniform(random) - 1) * size));
  }
  return cells_of(columns, rows, std::move(values));
}

struct Kind {
  MapColours colours;
  Range range;
};
const std::vector<Kind> kKinds{{MapColours::magnitude, {0, 2}},
                               {MapColours::signed_value, {-1.5, 1.5}},
                               {MapColours::angle, {0, 2 * std::numbers::pi}},
                               {MapColours::angle, {-std::numbers::pi, std::numbers::pi}},
                               {MapColours::magnitude, {1, 1}}};

int distance(Colour a, Colour b) {
  return std::max({std::abs(a.red - b.red), std::abs(a.green - b.green), std::abs(a.blue - b.blue)});
}

class MapOnScreen : public Offscreen {
 protected:
  MapPaint paint_of(const Kind& kind) const {
    MapPaint paint;
    paint.table = colour_table(kind.colours, ui.palette);
    paint.place = {kind.colours == MapColours::angle, kind.range};
    paint.ground = ui.palette.canvas;
    paint.hatch = ui.palette.faint;
    return paint;
  }
  MapItem item_of(const Kind& kind, std::shared_ptr<const MapCells> cells, const Rect& rect) const {
    MapItem item;
    item.cells = std::move(cells);
    item.paint = paint_of(kind);
    item.rect = rect;
    item.clip = {20, 10, 600, 380};
    return item;
  }
  /// Largest distance to what the page would show, over all pixels but the share that is let off.
  int worst(const MapItem& item, double let_off) {
    show({{item}});
    Rect place;
    const MapWindow window = window_of(item, place);
    const std::vector<Colour> expected = paint_window(window);
    std::vector<int> distances;
    for (int y = 0; y < window.height; ++y) {
      for (int x = 0; x < window.width; ++x) {
        const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(window.width);
        distances.push_back(distance(at(place.left + x, place.top + y), expected[i + static_cast<std::size_t>(x)]));
      }
    }
    std::sort(distances.begin(), distances.end());
    const auto last = static_cast<std::size_t>((1 - let_off) * static_cast<double>(distances.size() - 1));
    return distances[last];
  }
};

TEST_P(MapOnScreen, KnownValuesHaveTheColourOfTheTable) {
  for (const Kind& kind : kKinds) {
    Map map;
    map.colours = kind.colours;
    map.range = kind.range;
    std::vector<float> values;
    for (int i = 0; i < 12; ++i) {
      values.push_back(static_cast<float>(kind.range.low - 0.3 + (kind.range.high - kind.range.low + 0.6) * i / 11));
    }
    show({{item_of(kind, cells_of(4, 3, values), {100, 100, 40, 30})}});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = 100 + 10 * static_cast<double>(i % 4), y = 100 + 10 * static_cast<double>(i / 4);
      const Colour expected = colour_of(map, static_cast<double>(values[i]), ui.palette);
      for (const double inset : {0.0, 5.0, 9.0}) {
        EXPECT_LE(distance(at(x + inset, y + inset), expected), 1) << values[i] << " " << inset;
      }
    }
    EXPECT_EQ(at(99, 110), ui.palette.ground);
    EXPECT_EQ(at(140, 110), ui.palette.ground);
  }
}

TEST_P(MapOnScreen, EnlargedReducedAndTurnedMapsAreThoseOfThePage) {
  for (const Kind& kind : kKinds) {
    for (const Rect& rect : {Rect{50.3, 60.8, 333.1, 250.4}, Rect{50, 60, 10, 7}, Rect{-40000, -9000, 100000, 20000}}) {
      for (const int flips : {0, 1, 2, 3}) {
        MapItem item = item_of(kind, random_cells(97, 61, 2, 0.1), rect);
        item.flip_x = flips % 2 == 1;
        item.flip_y = flips / 2 == 1;
        // At edges of cells a float may fall on the other side.
        EXPECT_LE(worst(item, 0.002), 1) << rect.width << " flips " << flips;
      }
    }
  }
}

TEST_P(MapOnScreen, ReducedCellsAreAveragedAndAnglesTurned) {
  std::vector<float> stripes, turns;
  for (int i = 0; i < 64 * 64; ++i) {
    stripes.push_back(i % 2 == 0 ? 0.0f : 2.0f);
    // The mean direction is −0.1, and they turn on without end.
    turns.push_back(static_cast<float>(i % 2 == 0 ? 2 * std::numbers::pi - 0.3 : 2 * std::numbers::pi + 0.1));
  }
  Map map;
  map.range = {0, 2};
  show({{item_of(kKinds[0], cells_of(64, 64, stripes), {100, 100, 16, 16})}});
  for (double x = 100; x < 116; ++x) EXPECT_LE(distance(at(x, 107), colour_of(map, 1, ui.palette)), 1) << x;
  map.colours = MapColours::angle;
  map.range = {0, 2 * std::numbers::pi};
  show({{item_of(kKinds[2], cells_of(64, 64, turns), {100, 100, 16, 16})}});
  for (double x = 100; x < 116; ++x) EXPECT_LE(distance(at(x, 107), colour_of(map, -0.1, ui.palette)), 1) << x;
}

TEST_P(MapOnScreen, WavesAndFastAnglesAreThoseOfThePage) {
  // Angles of a ladder as the atlas has them: from slow at the right to many turns a pixel at the left.
  std::vector<float> angles;
  for (int row = 0; row < 200; ++row) {
    for (int pair = 0; pair < 120; ++pair) angles.push_back(static_cast<float>(row * std::pow(1000.0, -pair / 120.0)));
  }
  const auto cells = cells_of(120, 200, angles);
  for (const MapWave wave : {MapWave::none, MapWave::sine, MapWave::cosine}) {
    for (const Rect& rect : {Rect{50, 60, 333, 250}, Rect{50, 60, 50, 37}, Rect{50, 60, 40, 300}}) {
      MapItem item = item_of(wave == MapWave::none ? kKinds[2] : Kind{MapColours::signed_value, {-1, 1}}, cells, rect);
      item.paint.place.wave = wave;
      // Where a pixel turns by just half a circle a float may fall on the other side.
      EXPECT_LE(worst(item, 0.01), 2) << rect.width;
    }
  }
}

TEST_P(MapOnScreen, WhatIsNaNIsHatchedAndNothingElse) {
  const Kind kind{MapColours::signed_value, {-1, 1}};
  show({{item_of(kind, cells_of(2, 1, {0.7f, kNaN}), {100, 100, 200, 100})}});
  EXPECT_EQ(count(ui.palette.canvas, {200, 100, 100, 100}) + count(ui.palette.faint, {200, 100, 100, 100}), 10000);
  EXPECT_GT(count(ui.palette.faint, {200, 100, 100, 100}), 1000);
  EXPECT_EQ(count(ui.palette.faint, {100, 100, 100, 100}), 0);
  // Cells beside a hole keep their own mean.
  show({{item_of(kind, cells_of(2, 1, {0.7f, kNaN}), {100, 100, 1, 1})}});
  Map map;
  map.colours = kind.colours;
  map.range = kind.range;
  EXPECT_LE(distance(at(100, 100), colour_of(map, 0.7, ui.palette)), 1);
}

TEST_P(MapOnScreen, AReversedAxisPutsRowZeroAtTheTop) {
  for (const bool reversed : {false, true}) {
    Figure figure;
    figure.bare = true;
    figure.x.range = figure.y.range = {-0.5, 1.5};
    figure.y.reversed = reversed;
    Map map;
    map.colours = MapColours::signed_value;
    map.range = {-1, 1};
    map.x = map.y = {-0.5, 1.5};
    map.bar = false;
    map.cells = cells_of(2, 2, {1, 0.5f, -0.5f, -1});
    figure.maps.push_back(map);
    const FigureLayout layout = lay_out(figure, {40, 40, 300, 200}, ui.palette, {}, ui::screen_measure(ui));
    show(layout.scene);
    const double x = layout.x.to_pixel(0), y = layout.y.to_pixel(0);
    EXPECT_EQ(y < 140, reversed);
    EXPECT_LE(distance(at(x, y), colour_of(map, 1, ui.palette)), 1);
    EXPECT_LE(distance(at(x, layout.y.to_pixel(1)), colour_of(map, -0.5, ui.palette)), 1);
    EXPECT_LE(distance(at(layout.x.to_pixel(1), layout.y.to_pixel(1)), colour_of(map, -1, ui.palette)), 1);
  }
}

TEST_P(MapOnScreen, PicturesAreKeptWhileNothingChangesAndTheFrameGoesOnAfterThem) {
  const Kind kind{MapColours::magnitude, {0, 1}};
  auto cells = random_cells(50, 40, 1, 0);
  MapItem item = item_of(kind, cells, {100, 100, 200, 100});
  Rect place;
  MapWindow window = window_of(item, place);
  gpu->begin_frame();
  const std::uintptr_t first = gpu->colour_map(window);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(gpu->colour_map(window), first);
  gpu->begin_frame();
  EXPECT_EQ(gpu->colour_map(window), first);
  window.paint.place.range.high = 2;
  EXPECT_NE(gpu->colour_map(window), first) << "the other one may still be drawn";
  // A new grid is not taken for a forgotten one, wherever it lies in memory.
  for (const float value : {0.2f, 0.9f, 0.4f}) {
    cells = nullptr;
    item.cells = nullptr;
    cells = cells_of(50, 40, std::vector<float>(2000, value));
    item.cells = cells;
    Map map;
    show({{item, RectItem{{400, 100, 20, 20}, ui.palette.accent}}});
    EXPECT_LE(distance(at(150, 150), colour_of(map, static_cast<double>(value), ui.palette)), 1) << value;
    EXPECT_EQ(at(410, 110), ui.palette.accent);
  }
  MapWindow huge = window;
  huge.width = 1 << 20;
  EXPECT_EQ(gpu->colour_map(huge), 0u);
}

TEST_P(MapOnScreen, AreasOfAnyShapeAreFilledByWinding) {
  // A sector of 300°, once around and a fifth, and an arrow's head.
  PolygonItem sector{{{200, 200}}, ui.palette.accent};
  for (int i = 0; i <= 50; ++i)
    sector.points.push_back(
        {200 + 80 * std::cos(i * std::numbers::pi / 30), 200 + 80 * std::sin(i * std::numbers::pi / 30)});
  show({{sector, PolygonItem{{{400, 100}, {420, 130}, {380, 130}}, ui.palette.accent}}});
  EXPECT_EQ(at(200, 250), ui.palette.accent);
  EXPECT_EQ(at(140, 190), ui.palette.accent);
  EXPECT_EQ(at(250, 175), ui.palette.ground) << "the open part";
  EXPECT_EQ(at(400, 120), ui.palette.accent);
  EXPECT_EQ(at(385, 110), ui.palette.ground);
  const GradientItem bar{{500, 100, 20, 64}, {ui.palette.ground, ui.palette.text}};
  show({{bar}});
  EXPECT_LE(distance(at(510, 163), ui.palette.ground), 3);
  EXPECT_LE(distance(at(510, 100), ui.palette.text), 3);
}

INSTANTIATE_TEST_SUITE_P(Themes, MapOnScreen, ::testing::Values(ThemeName::dark, ThemeName::light),
                         [](const auto& theme) { return theme.param == ThemeName::dark ? "dark" : "light"; });

TEST(MapShaders, AMissingOneIsNamed) {
  const OffscreenContext context(64, 64);
  const ui::HeadlessImGui imgui(64, 64);
  try {
    make_gl_gpu("/nowhere");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(said(error).find("/nowhere/map.vert"), std::string::npos) << said(error);
  }
}

}  // namespace

}  // namespace ropescope
