// A user curve among those of Decay and Sweep, its axis on the right, and the figure that contains it.
#include "app/views/shared/user_curve.h"

#include "app/experiment/user_data.h"
#include "app/figure/table.h"
#include "app/views/decay/view.h"
#include "app/views/sweep.h"
#include "core/formats/json.h"
#include "tests/figures/scene_checks.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

class OwnCurve : public ViewTest {
 protected:
  TemporaryFolder folder;
  std::string file(const std::string& name, const std::string& content) {
    const fs::path path = folder.path / name;
    std::ofstream(path) << content;
    return path.string();
  }
  void take(const std::string& content, const std::string& name = "ppl.csv") {
    assign(experiment, "own.file=" + file(name, content));
  }
  Figure similarity() { return figure(draw(), "similarity"); }
  static const Line& own(const Figure& figure) { return figure.lines.back(); }
  /// Whether a stroke of the own curve's colour has a corner at a place of its axis.
  bool passes(const FigureLayout& layout, double x, double y) {
    const Stroke stroke = stroke_of(palette(ThemeName::light), own(similarity()).style);
    const Vec2 at{layout.x.to_pixel(x), layout.right.to_pixel(y)};
    for (const PathItem& path : items_of<PathItem>(layout.scene)) {
      if (!(path.colour == stroke.colour)) continue;
      for (const Vec2& point : path.points) {
        if (std::hypot(point.x - at.x, point.y - at.y) < 1) return true;
      }
    }
    return false;
  }
};

// The program's own curve, saved and opened beside itself.
TEST_F(OwnCurve, OfTheProgramsOwnNumbersLiesOnItsCurve) {
  experiment.decay.span = 2000;
  experiment.decay.show_trend = experiment.decay.show_bound = false;
  const Figure before = similarity();
  take(table_csv(before), "own.csv");
  const Figure shown = similarity();
  ASSERT_EQ(shown.lines.size(), before.lines.size() + 1);
  const Line& line = own(shown);
  EXPECT_EQ(line.key, "own");
  EXPECT_EQ(line.label, "similarity") << "as the header says";
  EXPECT_FALSE(line.right);
  EXPECT_FALSE(shown.right);
  EXPECT_EQ(shown.y.range, before.y.range);
  for (std::size_t i = 0; i < line.series->ys.size(); ++i) {
    const auto distance = static_cast<std::size_t>(line.series->x_at(i));
    EXPECT_EQ(line.series->ys[i], before.lines.front().series->ys[distance]);
  }
  EXPECT_NE(line.style.slot, shown.lines.front().style.slot);
}

TEST_F(OwnCurve, OfAnotherUnitHasAnAxisOfItsOwn) {
  take("context,perplexity\n1,40\n100,9\n8000,6.5\n");
  const Figure shown = similarity();
  ASSERT_TRUE(shown.right);
  EXPECT_TRUE(own(shown).right);
  EXPECT_EQ(shown.right->label, "perplexity");
  EXPECT_LT(shown.right->fit.low, 6.5);
  EXPECT_GT(shown.right->fit.high, 40);
  EXPECT_EQ(shown.y.fit.high, [this] {
    Experiment without = experiment;
    without.own = {};
    return figure(draw_view(kDecayView, without, text, store), "similarity").y.fit.high;
  }());
  assign(experiment, "own.scale=log");
  assign(experiment, "own.name=Llama, PG-19");
  assign(experiment, "own.title=perplexity (nats)");
  const Figure logarithmic = similarity();
  EXPECT_EQ(logarithmic.right->scale, AxisScale::log);
  EXPECT_EQ(logarithmic.right->label, "perplexity (nats)");
  EXPECT_EQ(own(logarithmic).label, "Llama, PG-19");
  assign(experiment, "own.axis=left");
  EXPECT_FALSE(similarity().right);
  EXPECT_GE(similarity().y.fit.high, 40);
}

TEST_F(OwnCurve, HasRoundTicksAtTheRightThatNothingCovers) {
  take("context,perplexity\n1,40\n100,9\n8000,6.5\n");
  for (const double width : {220.0, 400.0, 1200.0}) {
    for (const double height : {120.0, 300.0, 700.0}) {
      const Rect rect{0, 0, width, height};
      const FigureLayout layout = lay_out(similarity(), rect, palette(ThemeName::light), {}, even_measure);
      expect_tidy(layout.scene, rect, even_measure);
      if (width < 400 || height < 300) continue;
      int ticks = 0;
      for (const TextItem& item : items_of<TextItem>(layout.scene)) {
        if (item.at.x <= layout.plot.right() || item.vertical) continue;
        const auto number = parse_number(item.text);
        if (!number) continue;
        ++ticks;
        EXPECT_EQ(std::fmod(*number, 5), 0) << item.text;
        EXPECT_NEAR(layout.right.to_pixel(*number), item.at.y, 1) << "where its curve would be";
      }
      EXPECT_GE(ticks, 2);
      EXPECT_TRUE(passes(layout, 100, 9)) << "the curve is drawn by that axis";
    }
  }
}

TEST_F(OwnCurve, IsInTheFigureWithoutItsFile) {
  take("context,perplexity\n1,40\n100,9\n8000,6.5\n");
  const Figure shown = similarity();
  const Experiment opened = experiment_from_json(figure_text(experiment), "figure");
  fs::remove_all(folder.path);
  EXPECT_EQ(opened.own[0].file, "ppl.csv");
  experiment = opened;
  const Figure again = similarity();
  EXPECT_EQ(own(again).series->ys, own(shown).series->ys);
  EXPECT_EQ(own(again).label, "perplexity");
  EXPECT_THAT(table_csv(again), HasSubstr("own (perplexity)"));
}

TEST_F(OwnCurve, ABadFileSaysWhatAndWhere) {
  const std::string path = file("bad.csv", "1,2\n3,four\n");
  EXPECT_REFUSED(assign(experiment, "own.file=" + path), HasSubstr("line 2, column 2"));
  EXPECT_EQ(experiment.own, UserCurves());
  experiment.own[0].file = path;  // typed in the window
  EXPECT_THAT(draw().fault, HasSubstr("line 2, column 2: found \"four\""));
  Experiment dropped;
  EXPECT_FALSE(open_user_curve(dropped, path));
  EXPECT_TRUE(open_user_curve(dropped, file("good.csv", "1,2\n3,4\n")));
  dropped.view = "check";
  EXPECT_FALSE(open_user_curve(dropped, file("good.csv", "1,2\n3,4\n"))) << "a table to check";
}

TEST_F(OwnCurve, StandsInSweepAndInDifferences) {
  take("base,score\n1000,20\n100000,300\n");
  experiment.view = "sweep";
  experiment.sweep.over = "rope.base=1e3..1e5:3:log";
  const Figure swept = figure(draw(), "sweep");
  ASSERT_EQ(swept.lines.size(), 2u);
  EXPECT_EQ(own(swept).label, "score");
  EXPECT_TRUE(swept.legend);
  experiment.view = "decay";
  experiment.own[0].axis = OwnAxis::right;
  experiment.pins = {{experiment.rope, 1}};
  experiment.pins[0].rope.base = 500;
  assign(experiment, "curves.shown_as=difference");
  EXPECT_EQ(own(similarity()).key, "own") << "in another unit there is no difference";
}

TEST_F(OwnCurve, SeveralFilesAreSeveralCurves) {
  const std::string first = file("a.csv", "x,loss\n1,0.4\n100,0.2\n"),
                    second = file("b.csv", "x,loss\n1,0.9\n100,0.6\n");
  EXPECT_TRUE(open_user_curve(experiment, first));
  experiment.own[0].name = "ours";
  EXPECT_TRUE(open_user_curve(experiment, second));
  const Figure shown = similarity();
  const Line &one = line(shown, "own"), &other = line(shown, "own2");
  EXPECT_EQ(one.label, "ours") << "the file before is kept";
  EXPECT_EQ(other.label, "loss");
  EXPECT_NE(one.style.slot, other.style.slot);
  EXPECT_EQ(other.series->ys, (std::vector<double>{0.9, 0.6}));
  EXPECT_TRUE(open_user_curve(experiment, first)) << "again: the same curve";
  EXPECT_EQ(experiment.own[0].name, "ours");
  EXPECT_FALSE(experiment.own[2].any());
  for (std::size_t i = 2; i < kMaxUserCurves; ++i) {
    EXPECT_TRUE(open_user_curve(experiment, file("c" + std::to_string(i) + ".csv", "1,2\n2,3\n3,4\n")));
  }
  EXPECT_REFUSED(open_user_curve(experiment, file("z.csv", "1,2\n3,4\n5,6\n")),
                 Says("error.curve.too_many", {{"most", "6"}}));
  assign(experiment, "own2.slot=7");
  EXPECT_EQ(line(similarity(), "own2").style.slot, 7);
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "saved"), experiment);
}

TEST_F(OwnCurve, AnotherFileInItsPlaceKeepsTheLook) {
  take("x,loss\n1,0.4\n100,0.2\n");
  assign(experiment, "own.marks=markers");
  assign(experiment, "own.slot=3");
  take("x,gain\n1,0.4\n100,0.2\n", "other.csv");
  EXPECT_EQ(experiment.own[0].name, "gain") << "the name was that of the file";
  EXPECT_EQ(experiment.own[0].slot, 3);
  assign(experiment, "own.name=ours");
  take("x,loss\n1,0.4\n100,0.2\n");
  EXPECT_EQ(experiment.own[0].name, "ours");
  EXPECT_EQ(line(similarity(), "own").marks, LineMarks::markers);
  assign(experiment, "own.file=");
  EXPECT_EQ(experiment.own, UserCurves());
}

TEST_F(OwnCurve, HasMarkersBarsAndBands) {
  take("x,mean,std\n10,0.4,0.1\n100,0.2,0.05\n1000,0.3,0.2\n");
  const auto drawn = [&] {
    return lay_out(similarity(), {0, 0, 800, 500}, palette(ThemeName::light), {}, even_measure);
  };
  const Colour colour = stroke_of(palette(ThemeName::light), own(similarity()).style).colour;
  const auto count = [&](const auto& items, auto has_colour) {
    return std::count_if(items.begin(), items.end(), has_colour);
  };
  const auto discs = [&](const FigureLayout& layout) {
    return count(items_of<DiscItem>(layout.scene),
                 [&](const DiscItem& disc) { return disc.fill == colour && disc.data; });
  };
  const auto bars = [&](const FigureLayout& layout) {
    return count(items_of<PathItem>(layout.scene), [&](const PathItem& path) {
      return path.colour == colour && path.data && path.points.size() == 2 && path.points[0].x == path.points[1].x;
    });
  };
  FigureLayout layout = drawn();
  const auto bands = items_of<BandItem>(layout.scene);
  const auto band = std::find_if(bands.begin(), bands.end(), [&](const BandItem& one) { return one.xs.size() == 3; });
  ASSERT_NE(band, bands.end());
  EXPECT_NEAR(band->xs[1], layout.x.to_pixel(100), 1e-9);
  EXPECT_NEAR(band->tops[1], layout.y.to_pixel(0.25), 1e-9);
  EXPECT_NEAR(band->bottoms[1], layout.y.to_pixel(0.15), 1e-9);
  EXPECT_EQ(discs(layout), 0);
  assign(experiment, "own.marks=markers");
  layout = drawn();
  EXPECT_EQ(discs(layout), 3);
  EXPECT_EQ(bars(layout), 3) << "markers have bars";
  EXPECT_FALSE(passes(layout, 100, 0.2)) << "no line";
  assign(experiment, "own.errors=none");
  EXPECT_EQ(bars(drawn()), 0);
  assign(experiment, "own.errors=automatic");
  EXPECT_THAT(table_csv(similarity()), HasSubstr("own.low (mean),own.high (mean)"));
}

TEST_F(OwnCurve, AsksForTheMeaningOfColumnsWithoutNames) {
  take("1,0.4,0.5\n100,0.2,0.3\n200,0.1,0.4\n");
  EXPECT_THAT(draw().fault, Says("error.curve.columns", {{"columns", "3"}}));
  assign(experiment, "own.columns=low-high");
  EXPECT_EQ(draw().fault, "");
  EXPECT_EQ(own(similarity()).marks, LineMarks::none);
}

TEST_F(OwnCurve, MarksOfThePlotAreSwitchedOff) {
  experiment.decay.span = 8192;
  const auto vertical = [](const Figure& of) {
    return std::count_if(of.rules.begin(), of.rules.end(), [](const Rule& rule) { return rule.vertical; });
  };
  EXPECT_EQ(vertical(similarity()), 1);
  EXPECT_FALSE(figure(draw(), "bound").rules.empty());
  assign(experiment, "decay.show_trained=false");
  assign(experiment, "decay.show_maximum=false");
  EXPECT_EQ(vertical(similarity()), 0);
  EXPECT_TRUE(figure(draw(), "bound").rules.empty());
}

}  // namespace
}  // namespace ropescope
