// No label of any view covers a curve, in figures of one column and in a window's panels; and how a label without a
// place next to its mark is named.

#include "app/figure/pages/page.h"
#include "app/figure/pages/page_canvas.h"
#include "app/resources/models.h"
#include "app/views/decay/view.h"
#include "tests/figures/scene_checks.h"
#include "tests/figures/view_parts.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

/// Returns whether a segment comes closer to a box than half its width.
bool meets(Vec2 a, Vec2 b, double width, Rect box) {
  // The texts' boxes include space above and below their letters.
  const double slack = 0.02 * box.height - width / 2;
  box = {box.left + slack, box.top + slack, box.width - 2 * slack, box.height - 2 * slack};
  double from = 0, to = 1;
  for (const auto& [start, way, low, high] :
       {std::tuple(a.x, b.x - a.x, box.left, box.right()), std::tuple(a.y, b.y - a.y, box.top, box.bottom())}) {
    if (way == 0) {
      if (start < low || start > high) return false;
      continue;
    }
    const double one = (low - start) / way, other = (high - start) / way;
    from = std::max(from, std::min(one, other));
    to = std::min(to, std::max(one, other));
  }
  return from < to;
}

/// The parts of a segment inside a rectangle are those that are seen.
struct Stroke2 {
  Vec2 from, to;
  double width;
  Rect clip;
};

/// Everything in a scene that shows numbers, as strokes.
std::vector<Stroke2> strokes_of(const Scene& scene) {
  std::vector<Stroke2> strokes;
  Rect clip{-1e9, -1e9, 2e9, 2e9};
  for (const SceneItem& item : scene.items) {
    if (const auto* begin = std::get_if<ClipItem>(&item)) clip = begin->rect;
    if (std::holds_alternative<UnclipItem>(item)) clip = {-1e9, -1e9, 2e9, 2e9};
    if (const auto* path = std::get_if<PathItem>(&item); path && path->data) {
      for (std::size_t i = 1; i < path->points.size(); ++i) {
        strokes.push_back({path->points[i - 1], path->points[i], path->width, clip});
      }
    }
    if (const auto* band = std::get_if<BandItem>(&item); band && band->data) {
      for (std::size_t i = 0; i < band->xs.size(); ++i) {
        strokes.push_back({{band->xs[i], band->tops[i]}, {band->xs[i], band->bottoms[i]}, 0, clip});
      }
    }
    if (const auto* disc = std::get_if<DiscItem>(&item); disc && disc->data) {
      strokes.push_back({disc->centre, {disc->centre.x + 0.01, disc->centre.y}, 2 * disc->radius, clip});
    }
  }
  return strokes;
}

Rect common(const Rect& a, const Rect& b) {
  const double left = std::max(a.left, b.left), top = std::max(a.top, b.top);
  return {left, top, std::min(a.right(), b.right()) - left, std::min(a.bottom(), b.bottom()) - top};
}

/// The texts of a scene that cover a curve, or that a curve passes through.
std::vector<std::string> covering(const Scene& scene, const MeasureText& measure) {
  const std::vector<Stroke2> strokes = strokes_of(scene);
  std::vector<std::string> found;
  for (const TextItem& text : items_of<TextItem>(scene)) {
    const Rect whole = box_of(text, measure);
    for (const Stroke2& stroke : strokes) {
      const Rect box = common(whole, stroke.clip);
      if (!(box.width > 1 && box.height > 1) || !meets(stroke.from, stroke.to, stroke.width, box)) continue;
      found.push_back(text.text);
      break;
    }
  }
  return found;
}

class LabelLaws : public testing::TestWithParam<const View*> {
 protected:
  TemporaryFolder folder;
  Text text = Text::load(kAssets, "en", Text::FormulaForm::drawn);
  Store store{Store::Mode::synchronous};
  const View& view = *GetParam();

  /// Plots one below the other, which end at the same x, start at the same x too.
  void expect_plots_aligned(const ViewResult& result, const Scene& scene, const PageSize& size) {
    const auto is_apart = [](const Panel& panel) { return panel.figure.bare || panel.beside; };
    if (std::any_of(result.panels.begin(), result.panels.end(), is_apart)) return;
    std::vector<Rect> plots;
    for (const ClipItem& item : items_of<ClipItem>(scene)) plots.push_back(item.rect);
    for (const Rect& one : plots) {
      for (const Rect& other : plots) {
        if (one.bottom() > other.top || std::abs(one.right() - other.right()) > 1) continue;
        EXPECT_NEAR(one.left, other.left, 1) << view.id << " at " << size.width;
      }
    }
  }
  void expect_curves_visible(const Experiment& experiment, const PageSize& size) {
    const ViewResult result = draw_view(view, experiment, text, store);
    const PageStyle style{.theme = ThemeName::light};
    const PageCanvas canvas(PageFormat::svg, size, {"en", result.font, result.formulas, palette(style.theme)});
    const MeasureText measure = canvas.measure();
    Scene scene;
    add_page(scene, result, {PageFormat::svg, size, style}, {canvas.width(), canvas.height()}, measure);
    expect_plots_aligned(result, scene, size);
    for (const std::string& words : covering(scene, measure)) {
      ADD_FAILURE() << view.id << " at " << size.width << ": \"" << plain_text(result.formulas.get(), words)
                    << "\" covers a curve";
    }
  }
  void expect_curves_visible(const Experiment& experiment) {
    for (const PageSize& size : {PageSize{85, 60, true}, PageSize{1000, 620, false}}) {
      expect_curves_visible(experiment, size);
    }
  }
};

TEST_P(LabelLaws, NoLabelCoversACurve) {
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  for (const std::string& picture : pictures_of(view, experiment)) {
    SCOPED_TRACE(picture);
    choose_picture(view, experiment, picture);
    expect_curves_visible(experiment);
  }
}

TEST_P(LabelLaws, PlotsOfAnExtendedModelStartAtTheSamePlace) {
  if (!view.compares_ropes) return;
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  experiment.rope = to_rope_fields(load_preset(kAssets, "llama-3.1-8b").profiles.front(), "Llama 3.1 8B");
  expect_curves_visible(experiment, {85, 60, true});
}

TEST_P(LabelLaws, NoLabelCoversACurveAmongOthers) {
  if (!view.compares_ropes) return;
  const std::string path = (folder.path / "own.csv").string();
  std::ofstream(path) << "x,mean,std\n1,0.5,0.2\n30,0.1,0.1\n500,0.7,0.1\n2000,0.2,0.05\n";
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  experiment.rope.trained_length = 300;
  for (const double base : {500.0, 500000.0}) {
    experiment.pins.push_back({experiment.rope, static_cast<int>(experiment.pins.size()) + 1});
    experiment.pins.back().rope.base = base;
    experiment.pins.back().rope.trained_length = base;
  }
  if (view.id == std::string("decay")) assign(experiment, "own.file=" + path);
  expect_curves_visible(experiment);
}

INSTANTIATE_TEST_SUITE_P(All, LabelLaws, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& of) { return std::string(of.param->id); });

// Lines of Japanese and Korean are higher than Latin ones: the corners' words touched and became smaller together.
TEST(LabelSizes, AreTheSameInEveryLanguage) {
  Store store(Store::Mode::synchronous);
  Experiment experiment;
  experiment.view = "rotation";
  const PageSize size{900, 600, false};
  std::map<std::string, std::vector<double>> sizes;
  for (const std::string language : {"en", "ja", "ko"}) {
    const Text text = Text::load(kAssets, language, Text::FormulaForm::drawn);
    const ViewResult result = draw_view(find_view(experiment.view), experiment, text, store);
    const PageStyle style{.theme = ThemeName::light};
    const PageCanvas canvas(PageFormat::svg, size, {language, result.font, result.formulas, palette(style.theme)});
    Scene scene;
    add_page(scene, result, {PageFormat::svg, size, style}, {canvas.width(), canvas.height()}, canvas.measure());
    for (const TextItem& item : items_of<TextItem>(scene)) sizes[language].push_back(item.style.size);
    std::sort(sizes[language].begin(), sizes[language].end());
  }
  EXPECT_EQ(sizes["ja"], sizes["en"]);
  EXPECT_EQ(sizes["ko"], sizes["en"]);
}

// --- Places --------------------------------------------------------------------------------------------------------

Figure plot_of(std::vector<double> ys) {
  Figure figure;
  figure.x.range = figure.x.fit = {0, static_cast<double>(ys.size() - 1)};
  figure.y.range = figure.y.fit = {0, 1};
  figure.lines.push_back({"current", "curve", {0, false}, make_series(0, 1, std::move(ys))});
  return figure;
}

constexpr Rect kSmall{0, 0, 230, 160};

FigureLayout laid_out(const Figure& figure) {
  FigureOptions options;
  options.text_size = 9;
  return lay_out(figure, kSmall, palette(ThemeName::light), options, even_measure);
}

std::optional<Rect> box_of_words(const FigureLayout& layout, const std::string& words) {
  for (const TextItem& item : items_of<TextItem>(layout.scene)) {
    if (item.text.starts_with(words)) return box_of(item, even_measure);
  }
  return std::nullopt;
}

Rule marked(bool vertical, double at, const std::string& label) {
  Rule rule;
  rule.vertical = vertical;
  rule.at = at;
  rule.label = label;
  return rule;
}

TEST(LabelPlaces, NextToTheMarkElseWithALeaderElseInTheLegend) {
  Figure figure = plot_of(std::vector<double>(101, 0.5));
  figure.rules.push_back(marked(true, 50, "trained 8 192"));
  FigureLayout layout = laid_out(figure);
  std::optional<Rect> box = box_of_words(layout, "trained");
  ASSERT_TRUE(box);
  EXPECT_LT(std::abs(box->left - layout.x.to_pixel(50)), 9) << "beside its rule";
  const std::size_t paths = items_of<PathItem>(layout.scene).size();

  // A tall peak around the rule leaves no place beside it.
  std::vector<double> peak(101, 0.02);
  for (int i = 20; i <= 80; ++i) peak[static_cast<std::size_t>(i)] = i % 2 == 0 ? 0.02 : 0.98;
  Figure crowded = plot_of(peak);
  crowded.rules = figure.rules;
  layout = laid_out(crowded);
  box = box_of_words(layout, "trained");
  ASSERT_TRUE(box);
  EXPECT_TRUE(covering(layout.scene, even_measure).empty());
  EXPECT_GT(std::abs(box->left - layout.x.to_pixel(50)), 9);

  // No place in the plot at all.
  for (int i = 0; i <= 100; ++i) peak[static_cast<std::size_t>(i)] = i % 2 == 0 ? 0.0 : 1.0;
  Figure full = plot_of(peak);
  full.rules = figure.rules;
  layout = laid_out(full);
  box = box_of_words(layout, "trained");
  ASSERT_TRUE(box) << "in the legend";
  EXPECT_LT(box->bottom(), layout.plot.top);
  EXPECT_TRUE(covering(layout.scene, even_measure).empty());
  EXPECT_EQ(items_of<TextItem>(layout.scene).size(), items_of<TextItem>(laid_out(full).scene).size());
  EXPECT_GT(paths, 0u);
}

TEST(LabelPlaces, LeadersOfCrowdedPointsCrossNothing) {
  Figure figure = plot_of({0.1, 0.3, 0.2, 0.5, 0.4, 0.8, 0.9});
  Points points;
  points.key = "models";
  points.style = {3, false};
  for (int i = 0; i < 8; ++i) {
    points.xs.push_back(3 + 0.12 * i);
    points.ys.push_back(0.6 + 0.05 * (i % 3));
    points.names.push_back("model " + std::to_string(i));
  }
  figure.points.push_back(points);
  const FigureLayout layout = laid_out(figure);
  EXPECT_TRUE(covering(layout.scene, even_measure).empty());
  expect_tidy(layout.scene, kSmall, even_measure);
  const Colour colour = stroke_of(palette(ThemeName::light), points.style).colour;
  std::vector<PathItem> leaders;
  for (const PathItem& path : items_of<PathItem>(layout.scene)) {
    if (path.colour == colour && !path.data) leaders.push_back(path);
  }
  ASSERT_GE(leaders.size(), 2u);
  const auto side = [](const PathItem& line, Vec2 p) {
    const Vec2 a = line.points[0], b = line.points[1];
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
  };
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const auto &a = leaders[i], &b = leaders[k];
      const bool crossing =
          side(a, b.points[0]) * side(a, b.points[1]) < 0 && side(b, a.points[0]) * side(b, a.points[1]) < 0;
      EXPECT_FALSE(crossing) << i << " and " << k;
    }
    for (const TextItem& item : items_of<TextItem>(layout.scene)) {
      const Rect box = box_of(item, even_measure);
      const Rect inner{box.left + 1, box.top + 1, box.width - 2, box.height - 2};
      EXPECT_FALSE(meets(leaders[i].points[0], leaders[i].points[1], 0, inner)) << item.text;
    }
  }
}

}  // namespace
}  // namespace ropescope
