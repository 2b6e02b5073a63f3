#include "app/figure/pages/page.h"

#include "core/message.h"
#include "tests/figures/decoded.h"

namespace ropescope {
namespace {

Figure make_page_figure(const std::string& name, std::vector<double> ys) {
  Figure figure;
  figure.name = name;
  figure.x.name = "distance";
  figure.x.label = "relative distance Δ (tokens)";
  figure.x.range = {0, static_cast<double>(ys.size()) - 1};
  figure.y.name = name;
  figure.y.label = name;
  figure.y.range = {-1, 1};
  figure.lines.push_back({"current", "base 10 000", {0, false}, make_series(0, 1, std::move(ys)), true});
  return figure;
}

std::vector<double> wave(std::size_t count) {
  std::vector<double> ys(count);
  for (std::size_t i = 0; i < count; ++i) ys[i] = 0.8 * std::cos(0.37 * static_cast<double>(i));
  return ys;
}

ViewResult two_panels(std::size_t count) {
  ViewResult view;
  view.panels.push_back({make_page_figure("similarity", wave(count)), 0.62});
  view.panels.push_back({make_page_figure("bound", wave(count)), 0.38});
  Rule rule;
  rule.at = static_cast<double>(count) / 2;
  rule.label = "trained";
  view.panels[0].figure.rules.push_back(rule);
  return view;
}

int distance_of(const Colour& a, const Colour& b) {
  return std::abs(a.red - b.red) + std::abs(a.green - b.green) + std::abs(a.blue - b.blue);
}

int count_near(const DecodedPicture& picture, const Colour& colour, int tolerance = 12) {
  return static_cast<int>(std::count_if(picture.pixels.begin(), picture.pixels.end(),
                                        [&](const Colour& pixel) { return distance_of(pixel, colour) < tolerance; }));
}

TEST(Page, SizesAreRead) {
  EXPECT_EQ(parse_page_size("1200x800").width, 1200);
  EXPECT_EQ(parse_page_size("1200x800").height, 800);
  EXPECT_FALSE(parse_page_size("1200x800").millimetres);
  EXPECT_TRUE(parse_page_size("170x110mm").millimetres);
  EXPECT_EQ(parse_page_size("89.5x60mm").width, 89.5);
  for (const char* bad :
       {"", "1200", "1200x", "x800", "1200x800px", "1200x800 ", " 1200x800", "-1200x800", "63x800", "1200x16385",
        "1200.5x800", "9x100mm", "170x2001mm", "infx800", "nanxnan", "1e3x800", "1200X800", "0x0", "170mmx110mm"}) {
    EXPECT_THROW(parse_page_size(bad), InputError) << bad;
  }
}

TEST(Page, APngInMillimetresHasItsDots) {
  const std::string png = paint_page(two_panels(10), PageFormat::png, {85, 60, true}, {.dpi = 300});
  const DecodedPicture picture = decoded(png);
  EXPECT_EQ(picture.width, std::lround(85 / 25.4 * 300));
  EXPECT_EQ(picture.height, std::lround(60 / 25.4 * 300));
  // 300 dpi are 11 811 pixels per metre, which the chunk pHYs says.
  const std::size_t chunk = png.find("pHYs");
  ASSERT_NE(chunk, std::string::npos);
  EXPECT_EQ(png.substr(chunk + 4, 9), std::string("\0\0\x2e\x23\0\0\x2e\x23\1", 9));
  EXPECT_THROW(paint_page(two_panels(10), PageFormat::png, {2000, 60, true}, {.dpi = 1200}), InputError);
}

/// Height of the rows from the top that hold something, up to the first empty row after them: of the legend.
int first_line(const DecodedPicture& picture) {
  const auto is_empty = [&](int y) {
    for (int x = 1; x + 1 < picture.width; ++x) {
      if (distance_of(picture.at(x, y), picture.at(0, 0)) > 60) return false;
    }
    return true;
  };
  int top = 0;
  while (top < picture.height && is_empty(top)) ++top;
  int bottom = top;
  while (bottom < picture.height && !is_empty(bottom)) ++bottom;
  return bottom - top;
}

TEST(Page, TextIsAsLargeAsAskedFor) {
  const auto height = [](const PageSize& size, const PageStyle& style) {
    return first_line(decoded(paint_page(two_panels(10), PageFormat::png, size, style)));
  };
  const int usual = height({1200, 800, false}, {});
  EXPECT_NEAR(height({1200, 800, false}, {.text_percent = 200}), 2 * usual, 3);
  // On paper text is as large whatever the resolution.
  EXPECT_NEAR(height({170, 110, true}, {.dpi = 300}), 2 * height({170, 110, true}, {.dpi = 150}), 3);
}

TEST(Page, AnSvgMayHoldItsTextAsText) {
  ViewResult view = two_panels(10);
  view.panels[0].figure.title = "a < b & c";
  const PageSize size{170, 110, true};
  const std::string outlines = paint_page(view, PageFormat::svg, size, PageStyle{});
  EXPECT_EQ(outlines.find("<text"), std::string::npos);
  const std::string text = paint_page(view, PageFormat::svg, size, {.outlines = false});
  EXPECT_NE(text.find("a &lt; b &amp; c</text>"), std::string::npos);
  EXPECT_NE(text.find(">trained</text>"), std::string::npos);
  EXPECT_NE(text.find("rotate(-90)"), std::string::npos) << "the label of the y axis";
  EXPECT_NE(text.find("font-family=\"Inter"), std::string::npos);
  EXPECT_EQ(text, paint_page(view, PageFormat::svg, size, {.outlines = false})) << "same input, same bytes";
}

TEST(Page, LeavesOutWhatIsSaidToAHand) {
  ViewResult view = two_panels(10);
  const std::string before = paint_page(view, PageFormat::svg, {800, 600, false}, {.outlines = false});
  view.panels[0].figure.labels.push_back({4, 0.5, "click here", Role::text, {}, 0.5, 0.5, 1, false, true});
  EXPECT_EQ(paint_page(view, PageFormat::svg, {800, 600, false}, {.outlines = false}), before);
  view.panels[0].figure.labels.back().hint = false;
  EXPECT_NE(paint_page(view, PageFormat::svg, {800, 600, false}, {.outlines = false}), before);
  ViewResult empty = two_panels(10);
  empty.panels[0].figure.lines.clear();
  empty.panels[0].figure.empty_message = "drop a file";
  EXPECT_NE(paint_page(empty, PageFormat::svg, {800, 600, false}, {.outlines = false}).find("drop a file"),
            std::string::npos);
  empty.panels[0].figure.empty_is_hint = true;
  EXPECT_EQ(paint_page(empty, PageFormat::svg, {800, 600, false}, {.outlines = false}).find("drop a file"),
            std::string::npos);
}

TEST(Page, HasTheNotesOfItsFigures) {
  ViewResult view = two_panels(10);
  view.panels[0].figure.notes.push_back({{}, {}, "crosses here", 4, 0.2, 6, 0.8});
  for (const PageFormat format : {PageFormat::svg, PageFormat::pdf, PageFormat::png}) {
    EXPECT_NE(paint_page(view, format, {800, 600, false}, PageStyle{}),
              paint_page(two_panels(10), format, {800, 600, false}, PageStyle{}));
  }
  const std::string svg = paint_page(view, PageFormat::svg, {800, 600, false}, {.outlines = false});
  EXPECT_NE(svg.find(">crosses here</text>"), std::string::npos);
  // Zoomed away from its place, a note would point at nothing.
  view.panels[0].figure.x.range = {6, 9};
  EXPECT_EQ(paint_page(view, PageFormat::svg, {800, 600, false}, {.outlines = false}).find("crosses here"),
            std::string::npos);
}

TEST(Page, PngHasItsSizeAndColours) {
  for (const ThemeName theme : {ThemeName::dark, ThemeName::light}) {
    const Palette colours = palette(theme);
    const DecodedPicture picture = decoded(paint_page(two_panels(40), PageFormat::png, {640, 480, false}, theme));
    EXPECT_EQ(picture.width, 640);
    EXPECT_EQ(picture.height, 480);
    EXPECT_EQ(picture.at(1, 1), colours.canvas);
    EXPECT_EQ(picture.at(638, 478), colours.canvas);
    EXPECT_GT(count_near(picture, colours.curves[0]), 500);
    // Thin strokes seldom fill a pixel: text shows as pixels much nearer to its colour than to the ground.
    EXPECT_GT(count_near(picture, colours.text, 200), 100);
    EXPECT_EQ(count_near(picture, colours.curves[1]), 0);
  }
}

TEST(Page, CurveIsDrawnWhereItsValuesAre) {
  // A step: left half at 0.5, right half at −0.5. The vertical places of both halves tell the scale of the axis.
  std::vector<double> ys(1000, 0.5);
  std::fill(ys.begin() + 500, ys.end(), -0.5);
  ViewResult view;
  view.panels.push_back({make_page_figure("similarity", ys), 1});
  view.panels[0].figure.zero_line = true;
  view.panels[0].figure.lines[0].in_legend = false;
  const Palette colours = palette(ThemeName::light);
  const DecodedPicture picture = decoded(paint_page(view, PageFormat::png, {800, 600, false}, ThemeName::light));
  const auto row_of = [&](int x, const Colour& colour) {
    for (int y = 0; y < picture.height; ++y) {
      if (distance_of(picture.at(x, y), colour) < 30) return y;
    }
    return -1;
  };
  const int high = row_of(300, colours.curves[0]), low = row_of(650, colours.curves[0]);
  const int zero = row_of(300, colours.faint);
  ASSERT_GT(high, 0);
  ASSERT_GT(low, high);
  ASSERT_GT(zero, high);
  EXPECT_NEAR(zero - high, low - zero, 2);
}

TEST(Page, BandIsTwentyTwoPercentOpaque) {
  std::vector<double> ys(200000);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = i % 2 == 0 ? 0.8 : -0.8;
  ViewResult view;
  view.panels.push_back({make_page_figure("similarity", ys), 1});
  const Palette colours = palette(ThemeName::dark);
  const DecodedPicture picture = decoded(paint_page(view, PageFormat::png, {800, 600, false}, ThemeName::dark));
  const auto mixed = [&](std::uint8_t over, std::uint8_t under) {
    return static_cast<std::uint8_t>(std::lround(under + 0.22 * (over - under)));
  };
  const Colour &curve = colours.curves[0], &canvas = colours.canvas;
  const Colour band{mixed(curve.red, canvas.red), mixed(curve.green, canvas.green), mixed(curve.blue, canvas.blue),
                    255};
  EXPECT_GT(count_near(picture, band), 100000);
}

TEST(Page, GridLinesAreOnePixelWide) {
  ViewResult view;
  view.panels.push_back({make_page_figure("similarity", {0.9, 0.9}), 1});
  const Palette colours = palette(ThemeName::dark);
  const DecodedPicture picture = decoded(paint_page(view, PageFormat::png, {1200, 800, false}, ThemeName::dark));
  // Down a column without vertical lines: every run of the grid's colour is a single pixel.
  int runs = 0;
  for (int y = 200; y < 700; ++y) {
    if (picture.at(400, y) == colours.canvas) continue;
    ++runs;
    EXPECT_EQ(picture.at(400, y + 1), colours.canvas) << y;
    EXPECT_EQ(picture.at(400, y - 1), colours.canvas) << y;
  }
  EXPECT_GE(runs, 3);
}

TEST(Page, SameInputSameBytes) {
  const ViewResult view = two_panels(5000);
  for (const PageFormat format : {PageFormat::svg, PageFormat::pdf, PageFormat::png}) {
    const PageSize size{600, 400, false};
    const std::string first = paint_page(view, format, size, ThemeName::light);
    EXPECT_EQ(first, paint_page(view, format, size, ThemeName::light));
    EXPECT_NE(first, paint_page(view, format, size, ThemeName::dark));
  }
}

TEST(Page, VectorPagesOfAMillionValuesStaySmall) {
  const ViewResult view = two_panels(1'000'000);
  for (const PageSize& size : {PageSize{1200, 800, false}, PageSize{170, 110, true}}) {
    EXPECT_LT(paint_page(view, PageFormat::svg, size, ThemeName::light).size(), 1'000'000u);
    EXPECT_LT(paint_page(view, PageFormat::pdf, size, ThemeName::light).size(), 1'000'000u);
  }
}

TEST(Page, SvgAndPdfAreAsLargeAsAsked) {
  const ViewResult view = two_panels(100);
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string pixels = paint_page(view, PageFormat::svg, {1200, 800, false}, ThemeName::light);
  EXPECT_TRUE(has(pixels, "width=\"1200px\" height=\"800px\"")) << pixels.substr(0, 300);
  const std::string millimetres = paint_page(view, PageFormat::svg, {170, 110, true}, ThemeName::light);
  EXPECT_TRUE(has(millimetres, "width=\"170mm\" height=\"110mm\"")) << millimetres.substr(0, 300);
  const std::string pdf = paint_page(view, PageFormat::pdf, {1200, 800, false}, ThemeName::light);
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_TRUE(has(pdf, "900 600")) << "1 px is 0.75 pt";
}

TEST(Page, LegendNamesALineOnceForAllPanels) {
  // A second panel with the same keys adds nothing to the legend, one with another key does.
  ViewResult one = two_panels(50), same = one, other = one;
  one.panels.resize(1);
  one.panels[0].figure.x.label = same.panels[0].figure.x.label = "";
  const auto legend = [](const ViewResult& view) {
    const DecodedPicture picture = decoded(paint_page(view, PageFormat::png, {800, 600, false}, ThemeName::light));
    std::vector<Colour> rows(picture.pixels.begin(), picture.pixels.begin() + 800 * 28);
    return rows;
  };
  EXPECT_EQ(legend(one), legend(same));
  other.panels[1].figure.lines[0].key = "pin1";
  EXPECT_NE(legend(one), legend(other));
}

TEST(Page, AnyViewOnAnySizeIsDrawn) {
  ViewResult crowded = two_panels(100);
  for (int i = 0; i < 60; ++i) {
    Line line = crowded.panels[0].figure.lines[0];
    line.key = "pin" + std::to_string(i);
    line.label = "Llama 3.1 · base 500 000 · dimension 128, number " + std::to_string(i);
    line.style.slot = i;
    crowded.panels[0].figure.lines.push_back(line);
  }
  ViewResult empty;
  ViewResult message = two_panels(2);
  message.panels[0].figure.lines.clear();
  message.panels[0].figure.empty_message = "Every curve is hidden: click a legend entry to show it again.";
  for (const ViewResult& view : {crowded, empty, message}) {
    for (const PageSize& size : {PageSize{64, 64, false}, PageSize{300, 150, false}, PageSize{4000, 64, false}}) {
      const DecodedPicture picture = decoded(paint_page(view, PageFormat::png, size, ThemeName::dark));
      EXPECT_EQ(picture.width, size.width);
    }
    const PageSize tiny{10, 10, true};
    if (view.panels.empty()) {
      EXPECT_FALSE(paint_page(view, PageFormat::pdf, tiny, ThemeName::dark).empty());
    } else {
      EXPECT_THROW(paint_page(view, PageFormat::pdf, tiny, ThemeName::dark), InputError) << "no panel under 20 mm";
    }
  }
}

}  // namespace
}  // namespace ropescope
