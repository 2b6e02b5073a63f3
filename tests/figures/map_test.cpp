#include "tests/figures/scene_checks.h"

namespace ropescope {
namespace {

constexpr float kMapCellNaN = std::numeric_limits<float>::quiet_NaN();

std::shared_ptr<const MapCells> counted(std::size_t columns, std::size_t rows) {
  auto cells = std::make_shared<MapCells>();
  cells->columns = columns;
  cells->rows = rows;
  for (std::size_t i = 0; i < columns * rows; ++i) cells->values.push_back(static_cast<float>(i));
  return cells;
}

Figure make_map_figure(std::size_t columns, std::size_t rows) {
  Figure figure;
  figure.x.range = figure.x.fit = {-0.5, static_cast<double>(columns) - 0.5};
  figure.y.range = figure.y.fit = {-0.5, static_cast<double>(rows) - 0.5};
  figure.x.whole = figure.y.whole = true;
  Map map;
  map.x = figure.x.range;
  map.y = figure.y.range;
  map.range = {0, static_cast<double>(columns * rows)};
  map.cells = counted(columns, rows);
  figure.maps.push_back(map);
  return figure;
}

FigureLayout lay_out_map(const Figure& figure, const Rect& rect = {10, 20, 900, 600}) {
  return lay_out(figure, rect, palette(ThemeName::dark), {}, even_measure);
}

MapWindow only_window(const FigureLayout& layout, Rect& at) {
  const std::vector<MapItem> maps = items_of<MapItem>(layout.scene);
  EXPECT_EQ(maps.size(), 1u);
  return window_of(maps.at(0), at);
}

/// The value that is drawn at data coordinates.
double find_drawn_value(const FigureLayout& layout, double x, double y) {
  Rect at;
  const MapWindow window = only_window(layout, at);
  const int i = static_cast<int>(std::floor(layout.x.to_pixel(x) - at.left));
  const int k = static_cast<int>(std::floor(layout.y.to_pixel(y) - at.top));
  return value_at(window, footprint(window.first_column, window.column_step, i, window.cells->columns),
                  footprint(window.first_row, window.row_step, k, window.cells->rows));
}

TEST(Map, EveryCellIsDrawnWhereTheAxesSay) {
  for (const bool left : {false, true}) {
    for (const bool down : {false, true}) {
      Figure figure = make_map_figure(7, 5);
      figure.x.reversed = left;
      figure.y.reversed = down;
      for (const Range& shown : {Range{-0.5, 6.5}, Range{1.3, 4.1}, Range{-3, 9}}) {
        figure.x.range = shown;
        const FigureLayout layout = lay_out_map(figure);
        EXPECT_EQ(layout.x.to_pixel(0) > layout.x.to_pixel(1), left);
        EXPECT_EQ(layout.y.to_pixel(0) < layout.y.to_pixel(1), down);
        for (int row = 0; row < 5; ++row) {
          for (int column = 0; column < 7; ++column) {
            if (column < shown.low || column > shown.high) continue;
            EXPECT_EQ(find_drawn_value(layout, column, row), 7 * row + column);
            EXPECT_EQ(find_drawn_value(layout, std::min(column + 0.45, shown.high - 0.05), row - 0.45),
                      7 * row + column);
          }
        }
      }
    }
  }
}

TEST(Map, PixelsCoverThePlotWherever) {
  Figure figure = make_map_figure(40, 30);
  figure.x.range = {3.7, 11.2};
  figure.y.range = {3.1, 3.2};
  const FigureLayout layout = lay_out_map(figure);
  Rect at;
  const MapWindow window = only_window(layout, at);
  EXPECT_LE(std::abs(at.left - layout.plot.left), 0.5);
  EXPECT_LE(std::abs(at.bottom() - layout.plot.bottom()), 0.5);
  EXPECT_EQ(at.width, window.width);
  EXPECT_EQ(at.left, std::round(at.left));
  figure.x.range = {100, 200};
  EXPECT_FALSE(only_window(lay_out_map(figure), at).cells) << "nothing of it is shown";
}

TEST(Map, SmallCellsAreAveragedByTheShareOfThemInAPixel) {
  MapWindow window;
  window.cells = counted(10, 1);
  window.width = 4;
  window.height = 1;
  window.column_step = 2.5;
  const auto value = [&](int pixel) {
    return value_at(window, footprint(0, window.column_step, pixel, 10), footprint(0, 1, 0, 1));
  };
  EXPECT_NEAR(value(0), (0 + 1 + 0.5 * 2) / 2.5, 1e-12);
  EXPECT_NEAR(value(1), (0.5 * 2 + 3 + 4) / 2.5, 1e-12);
  EXPECT_NEAR(value(3), (0.5 * 7 + 8 + 9) / 2.5, 1e-12);
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += 2.5 * value(i);
  EXPECT_NEAR(sum, 45, 1e-9);
  auto holes = std::make_shared<MapCells>(*window.cells);
  holes->values[0] = holes->values[2] = kMapCellNaN;
  window.cells = holes;
  EXPECT_NEAR(value(0), 1, 1e-12);
  holes->values[1] = kMapCellNaN;
  EXPECT_TRUE(std::isnan(value(0)));
}

TEST(Map, AnglesAreAveragedAsDirections) {
  MapWindow window;
  auto cells = std::make_shared<MapCells>();
  cells->columns = 2;
  cells->rows = 1;
  cells->values = {static_cast<float>(2 * std::numbers::pi - 0.5), static_cast<float>(2 * std::numbers::pi + 0.3)};
  window.cells = cells;
  window.paint.place = {true, {0, 2 * std::numbers::pi}};
  const double mean = value_at(window, footprint(0, 2, 0, 2), footprint(0, 1, 0, 1));
  EXPECT_NEAR(std::cos(mean), std::cos(-0.1), 1e-6);
  EXPECT_NEAR(std::sin(mean), std::sin(-0.1), 1e-6);
}

TEST(Map, AnglesAllOverACircleHaveNoDirection) {
  const auto cells = std::make_shared<MapCells>();
  cells->columns = 12;
  cells->rows = 1;
  MapWindow window;
  window.cells = cells;
  window.paint.place = {true, {0, 2 * std::numbers::pi}};
  const auto mean_over = [&](double arc) {
    cells->values.clear();
    for (int i = 0; i < 12; ++i) cells->values.push_back(static_cast<float>(1 + arc * (i + 0.5) / 12));
    return value_at(window, footprint(0, 12, 0, 12), footprint(0, 1, 0, 1));
  };
  EXPECT_NEAR(mean_over(0.9 * std::numbers::pi), 1 + 0.45 * std::numbers::pi, 1e-5);
  EXPECT_TRUE(std::isnan(mean_over(1.1 * std::numbers::pi)));
  EXPECT_TRUE(std::isnan(mean_over(2 * std::numbers::pi)));
  EXPECT_TRUE(std::isnan(mean_over(2.8 * std::numbers::pi)));
}

/// One row of angles that grow by `step` from cell to cell, seen by pixels of `per_pixel` cells.
MapWindow even_turn(double step, double per_pixel, MapWave wave) {
  auto cells = std::make_shared<MapCells>();
  cells->columns = 240;
  cells->rows = 1;
  for (int i = 0; i < 240; ++i) cells->values.push_back(static_cast<float>(0.4 + step * i));
  MapWindow window;
  window.cells = cells;
  window.width = static_cast<int>(240 / per_pixel);
  window.height = 1;
  window.column_step = per_pixel;
  window.paint.place = {wave == MapWave::none, wave == MapWave::none ? Range{0, 2 * std::numbers::pi} : Range{-1, 1},
                        wave};
  return window;
}

double shown_at(const MapWindow& window, int pixel) {
  return value_at(window, footprint(0, window.column_step, pixel, 240), footprint(0, 1, 0, 1));
}

TEST(Map, AnglesThatTurnTooFastAreLeftOutAlsoWhereTheyAliasToSlow) {
  // 2π − 0.1 from cell to cell looks like −0.1: all phasors of a pixel point the same way.
  for (const double step : {2 * std::numbers::pi - 0.1, 2 * std::numbers::pi, 2 * std::numbers::pi + 0.1,
                            4 * std::numbers::pi, std::numbers::pi}) {
    const MapWindow aliased = even_turn(step, 3, MapWave::none);
    for (int pixel = 0; pixel < aliased.width; ++pixel) EXPECT_TRUE(std::isnan(shown_at(aliased, pixel))) << step;
  }
  const MapWindow slow = even_turn(0.1, 3, MapWave::none);
  for (int pixel = 0; pixel < slow.width; ++pixel) {
    const double expected = 0.4 + 0.1 * (3 * pixel + 1);
    EXPECT_NEAR(std::remainder(shown_at(slow, pixel) - expected, 2 * std::numbers::pi), 0, 1e-5) << pixel;
  }
  // Enlarged, every cell is seen as it is.
  const MapWindow enlarged = even_turn(2 * std::numbers::pi - 0.1, 0.5, MapWave::none);
  EXPECT_NEAR(std::remainder(shown_at(enlarged, 20) - (0.4 - 0.1 * 10), 2 * std::numbers::pi), 0, 1e-4);
}

TEST(Map, WavesAreMeansThatFadeWhereTheyTurnTooFast) {
  for (const MapWave wave : {MapWave::sine, MapWave::cosine}) {
    const auto of = [wave](double angle) { return wave == MapWave::sine ? std::sin(angle) : std::cos(angle); };
    const MapWindow enlarged = even_turn(2.9, 1, wave), slow = even_turn(0.2, 4, wave);
    for (int pixel = 0; pixel < 60; ++pixel) {
      EXPECT_NEAR(shown_at(enlarged, pixel), of(0.4 + 2.9 * pixel), 1e-4) << "as it is";
      double mean = 0;
      for (int i = 0; i < 4; ++i) mean += of(0.4 + 0.2 * (4 * pixel + i)) / 4;
      EXPECT_NEAR(shown_at(slow, pixel), mean, 1e-5);
    }
    // Without the fading a pixel of four would show up to 0.9 of a wave that is not there, or a fifth of a fast one.
    for (const double step :
         {2 * std::numbers::pi - 0.02, 2 * std::numbers::pi, std::numbers::pi / 2, 0.6 * std::numbers::pi, 2.9}) {
      const MapWindow fast = even_turn(step, 4, wave);
      for (int pixel = 0; pixel < 60; ++pixel) EXPECT_NEAR(shown_at(fast, pixel), 0, 1e-6) << step;
    }
  }
  // From a quarter turn a pixel to half a turn the size falls without a jump.
  double last = 1;
  for (double turn = 0.4 * std::numbers::pi; turn < 1.1 * std::numbers::pi; turn += 0.01 * std::numbers::pi) {
    const double sine = shown_at(even_turn(turn / 4, 4, MapWave::sine), 20);
    const double size = std::hypot(sine, shown_at(even_turn(turn / 4, 4, MapWave::cosine), 20));
    EXPECT_LE(size, last + 1e-6) << turn;
    EXPECT_GE(size, last - 0.1) << turn;
    last = size;
  }
  EXPECT_NEAR(last, 0, 1e-6);
}

TEST(Map, ReducedCellsTurnBeforeTheyAreDrawnSmaller) {
  MapWindow window = even_turn(2 * std::numbers::pi - 0.1, 0.5, MapWave::none);
  auto cells = std::make_shared<MapCells>(*window.cells);
  cells->reduction = {2, 1, 480, 1};
  window.cells = cells;
  EXPECT_TRUE(std::isnan(shown_at(window, 20))) << "two columns in a cell, a turn apart";
  cells->reduction = {1, 2, 240, 2};
  EXPECT_FALSE(std::isnan(shown_at(window, 20))) << "nothing turns from row to row";
}

TEST(Map, ColumnsInTurnAreComparedWithTheirOwnKind) {
  // sin 0, cos 0 = sin(0 + π/2), sin 1, cos 1, …: neighbours differ by a quarter turn that is none.
  MapWindow window = even_turn(0, 3, MapWave::none);
  auto cells = std::make_shared<MapCells>(*window.cells);
  for (std::size_t i = 0; i < 240; ++i) cells->values[i] = static_cast<float>(0.01 * (i / 2) + (i % 2) * 1.2);
  window.cells = cells;
  EXPECT_TRUE(std::isnan(shown_at(window, 20)));
  cells->kinds = 2;
  EXPECT_FALSE(std::isnan(shown_at(window, 20)));
}

TEST(Map, EqualAxesMakeSquareCellsAndCirclesRound) {
  for (const Rect& rect : {Rect{0, 0, 900, 300}, Rect{0, 0, 300, 900}, Rect{0, 0, 640, 480}}) {
    for (const bool bare : {false, true}) {
      for (const bool with_map : {false, true}) {
        Figure figure = make_map_figure(20, 12);
        figure.equal_axes = true;
        figure.bare = bare;
        figure.y.reversed = true;
        if (!with_map) figure.maps.clear();
        for (const Range& zoomed : {figure.x.range, Range{4, 5}}) {
          figure.x.range = zoomed;
          const FigureLayout layout = lay_out_map(figure, rect);
          EXPECT_NEAR(layout.x.to_pixel(1) - layout.x.to_pixel(0), layout.y.to_pixel(1) - layout.y.to_pixel(0), 1e-6);
          EXPECT_LE(layout.x.range.low, zoomed.low);
          EXPECT_GE(layout.x.range.high, zoomed.high);
          EXPECT_LE(layout.y.range.low, figure.y.range.low);
          EXPECT_GE(layout.y.range.high, figure.y.range.high);
          EXPECT_TRUE(inside(layout.plot, rect));
          // Exactly one of the ranges grows.
          EXPECT_TRUE(layout.x.range == figure.x.range || layout.y.range == figure.y.range);
        }
      }
    }
  }
}

TEST(Map, ThePlotOfAMapWithEqualAxesHasItsShapeAndKeepsItWhenZoomed) {
  Figure figure = make_map_figure(64, 64);
  figure.equal_axes = true;
  const FigureLayout all = lay_out_map(figure);
  EXPECT_EQ(all.plot.width, all.plot.height);
  EXPECT_NEAR(all.x.range.high - all.x.range.low, 64, 0.3);
  figure.x.range = {10, 20};
  figure.y.range = {30, 40};
  const FigureLayout zoomed = lay_out_map(figure);
  EXPECT_EQ(zoomed.plot.width, all.plot.width);
  EXPECT_EQ(zoomed.plot.height, all.plot.height);
}

TEST(Map, ABarStandsAtTheRightWithItsTicksAndLabel) {
  Figure figure = make_map_figure(8, 8);
  figure.maps[0].range = {-1, 1};
  figure.maps[0].label = "similarity";
  const FigureLayout layout = lay_out_map(figure);
  const std::vector<GradientItem> bars = items_of<GradientItem>(layout.scene);
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_GT(bars[0].rect.left, layout.plot.right());
  EXPECT_NEAR(bars[0].rect.top, layout.plot.top, 1);
  EXPECT_NEAR(bars[0].rect.height, layout.plot.height, 1);
  const ColourTable table = colour_table(MapColours::magnitude, palette(ThemeName::dark));
  EXPECT_EQ(bars[0].colours.front(), table.front());
  EXPECT_EQ(bars[0].colours.back(), table.back());
  bool label = false, zero = false;
  for (const TextItem& text : items_of<TextItem>(layout.scene)) {
    const Rect box = box_of(text, even_measure);
    if (box.left < bars[0].rect.right()) continue;
    label |= text.text == "similarity" && text.vertical;
    zero |= text.text == "0" && std::abs(text.at.y - (bars[0].rect.top + bars[0].rect.height / 2)) < 0.51;
  }
  EXPECT_TRUE(label);
  EXPECT_TRUE(zero);
  figure.maps.push_back(figure.maps[0]);
  EXPECT_EQ(items_of<GradientItem>(lay_out_map(figure).scene).size(), 1u) << "maps of one range share a bar";
  figure.maps[1].range = {0, 9};
  EXPECT_EQ(items_of<GradientItem>(lay_out_map(figure).scene).size(), 2u);
  for (Map& map : figure.maps) map.bar = false;
  EXPECT_TRUE(items_of<GradientItem>(lay_out_map(figure).scene).empty());
  EXPECT_GT(lay_out_map(figure).plot.width, layout.plot.width);
}

TEST(Map, AnglesAreMarkedInQuarterTurns) {
  Figure figure = make_map_figure(8, 8);
  figure.x.names = figure.y.names = {"none"};  // neither axis has numbers
  figure.maps[0].colours = MapColours::angle;
  const auto ticks = [&](Range range, double height) {
    figure.maps[0].range = range;
    std::string all;
    for (const TextItem& text : items_of<TextItem>(lay_out_map(figure, {0, 0, 700, height}).scene)) {
      if (text.text.find("none") == std::string::npos && text.text.find("…") == std::string::npos) {
        all += text.text + " ";
      }
    }
    return all;
  };
  EXPECT_EQ(ticks({0, 2 * std::numbers::pi}, 500), "0 π/2 π 3π/2 2π ");
  EXPECT_EQ(ticks({-std::numbers::pi, std::numbers::pi}, 500), "−π −π/2 0 π/2 π ");
  EXPECT_EQ(ticks({0, 2 * std::numbers::pi}, 120), "0 π 2π ");
}

TEST(Map, NoGridCrossesAMapAndSpansTintIt) {
  Figure figure = make_map_figure(8, 8);
  Span span;
  span.low = 2;
  span.high = 4;
  figure.spans.push_back(span);
  const FigureLayout layout = lay_out_map(figure);
  std::size_t map = 0, last_grid = 0, tint = 0;
  for (std::size_t i = 0; i < layout.scene.items.size(); ++i) {
    if (std::holds_alternative<MapItem>(layout.scene.items[i])) map = i;
    if (std::holds_alternative<RectItem>(layout.scene.items[i])) tint = i;
    const auto* path = std::get_if<PathItem>(&layout.scene.items[i]);
    if (path && layout.plot.contains(path->points[0]) && layout.plot.contains(path->points[1])) last_grid = i;
  }
  EXPECT_LT(last_grid, map);
  EXPECT_LT(map, tint);
}

TEST(Map, WithoutCellsNothingIsDrawn) {
  Figure figure = make_map_figure(8, 8);
  auto broken = std::make_shared<MapCells>(*figure.maps[0].cells);
  broken->values.pop_back();
  for (const std::shared_ptr<const MapCells>& cells :
       {std::shared_ptr<const MapCells>(), std::shared_ptr<const MapCells>(std::make_shared<MapCells>()),
        std::shared_ptr<const MapCells>(broken)}) {
    figure.maps[0].cells = cells;
    const FigureLayout layout = lay_out_map(figure);
    EXPECT_TRUE(items_of<MapItem>(layout.scene).empty());
    EXPECT_TRUE(items_of<GradientItem>(layout.scene).empty());
  }
}

}  // namespace
}  // namespace ropescope
