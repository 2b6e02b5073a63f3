#include "app/figure/pages/page.h"
#include "app/figure/pages/page_canvas.h"
#include "tests/figures/decoded.h"
#include "tests/figures/scene_checks.h"

namespace ropescope {
namespace {

Figure make_page_map(std::size_t columns, std::size_t rows) {
  Figure figure;
  figure.name = "map";
  figure.x.label = "key";
  figure.x.range = {0, static_cast<double>(columns)};
  figure.y.range = {0, static_cast<double>(rows)};
  figure.y.reversed = true;
  Map map;
  map.colours = MapColours::signed_value;
  map.range = {-1, 1};
  map.x = figure.x.range;
  map.y = figure.y.range;
  auto cells = std::make_shared<MapCells>();
  cells->columns = columns;
  cells->rows = rows;
  for (std::size_t i = 0; i < columns * rows; ++i) {
    const auto at = static_cast<double>(i);
    cells->values.push_back(i % 11 == 3 ? std::numeric_limits<float>::quiet_NaN()
                                        : static_cast<float>(std::sin(at * at * 0.37)));
  }
  map.cells = cells;
  figure.maps.push_back(map);
  return figure;
}

ViewResult view_of(const Figure& figure) {
  ViewResult view;
  view.panels.push_back({figure});
  return view;
}

class MapOnPage : public ::testing::TestWithParam<ThemeName> {};

TEST_P(MapOnPage, PixelsOfAPngAreThoseOfTheWindow) {
  for (const std::size_t columns : {5u, 700u}) {
    const Figure figure = make_page_map(columns, 9);
    PageCanvas canvas(PageFormat::png, {320, 200, false}, {});
    const FigureLayout layout = lay_out(figure, {7, 5, 300, 190}, palette(GetParam()), {}, canvas.measure());
    canvas.fill(palette(GetParam()).canvas);
    canvas.draw(layout.scene);
    const DecodedPicture picture = decoded(canvas.finish());
    Rect at;
    const MapWindow window = window_of(items_of<MapItem>(layout.scene).at(0), at);
    const std::vector<Colour> expected = paint_window(window);
    ASSERT_GT(window.width, 150);
    for (int y = 0; y < window.height; ++y) {
      for (int x = 0; x < window.width; ++x) {
        const auto i = static_cast<std::size_t>(y * window.width + x);
        ASSERT_EQ(picture.at(static_cast<int>(at.left) + x, static_cast<int>(at.top) + y), expected[i])
            << x << " " << y;
      }
    }
    if (columns != 5) continue;
    for (int cell = 0; cell < 5; ++cell) {
      if (cell == 3) continue;
      const double x = layout.x.to_pixel(cell + 0.5), y = layout.y.to_pixel(0.5);
      EXPECT_EQ(
          picture.at(static_cast<int>(x), static_cast<int>(y)),
          colour_of(figure.maps[0], static_cast<double>(figure.maps[0].cells->values[static_cast<std::size_t>(cell)]),
                    palette(GetParam())));
    }
  }
}

TEST_P(MapOnPage, VectorFilesHoldACompactPictureAndAreTheSameEachTime) {
  for (const PageFormat format : {PageFormat::svg, PageFormat::pdf}) {
    const std::string few = paint_page(view_of(make_page_map(12, 12)), format, {}, GetParam());
    EXPECT_EQ(few, paint_page(view_of(make_page_map(12, 12)), format, {}, GetParam()));
    EXPECT_NE(few.find(format == PageFormat::svg ? "<image" : "/Image"), std::string::npos);
    EXPECT_LT(few.size(), 150000u);
    const std::string many = paint_page(view_of(make_page_map(4096, 1500)), format, {}, GetParam());
    EXPECT_LT(many.size(), 6000000u);
  }
}

// Every version of Cairo has names of its own for pictures, and numbers them through the life of the process.
TEST_P(MapOnPage, PicturesHaveNamesOfOursAndCellsHaveEdges) {
  const std::string svg = paint_page(view_of(make_page_map(12, 12)), PageFormat::svg, {}, GetParam());
  EXPECT_NE(svg.find("<image id=\"image1\" image-rendering=\"optimizeSpeed\""), std::string::npos);
  EXPECT_NE(svg.find("href=\"#image1\""), std::string::npos);
  EXPECT_EQ(svg.find("source-"), std::string::npos);
}

TEST_P(MapOnPage, AZoomedMapTakesOnlyTheCellsInSight) {
  Figure figure = make_page_map(4096, 1000);
  figure.x.range = {1000, 1012};
  figure.y.range = {10, 22};
  EXPECT_LT(paint_page(view_of(figure), PageFormat::svg, {}, GetParam()).size(), 200000u);
}

INSTANTIATE_TEST_SUITE_P(Themes, MapOnPage, ::testing::Values(ThemeName::dark, ThemeName::light),
                         [](const auto& theme) { return theme.param == ThemeName::dark ? "dark" : "light"; });

}  // namespace
}  // namespace ropescope
