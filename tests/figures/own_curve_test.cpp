// A curve of somebody's own among those of Decay and Sweep, its axis at the right, and the figure that holds it.
#include "app/views/shared/own.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "app/experiment/own_data.h"
#include "app/figure/scene/scene.h"
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

using testing::HasSubstr;

class OwnCurve : public ViewTest {
 protected:
  TemporaryFolder folder;
  std::string file(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder.path / name;
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
  std::filesystem::remove_all(folder.path);
  EXPECT_EQ(opened.own.file, "ppl.csv");
  experiment = opened;
  const Figure again = similarity();
  EXPECT_EQ(own(again).series->ys, own(shown).series->ys);
  EXPECT_EQ(own(again).label, "perplexity");
  EXPECT_THAT(table_csv(again), HasSubstr("own (perplexity)"));
}

TEST_F(OwnCurve, ABadFileSaysWhatAndWhere) {
  const std::string path = file("bad.csv", "1,2\n3,four\n");
  EXPECT_THAT(refusal_of([&] { assign(experiment, "own.file=" + path); }), HasSubstr("line 2, column 2"));
  EXPECT_EQ(experiment.own, OwnFields());
  experiment.own.file = path;  // typed in the window
  EXPECT_THAT(draw().fault, HasSubstr("line 2, column 2: found \"four\""));
  Experiment dropped;
  EXPECT_FALSE(open_own(dropped, path));
  EXPECT_TRUE(open_own(dropped, file("good.csv", "1,2\n3,4\n")));
  dropped.view = "check";
  EXPECT_FALSE(open_own(dropped, file("good.csv", "1,2\n3,4\n"))) << "a table to check";
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
  experiment.own.axis = OwnAxis::right;
  experiment.pins = {{experiment.rope, 1}};
  experiment.pins[0].rope.base = 500;
  assign(experiment, "curves.shown_as=difference");
  EXPECT_EQ(own(similarity()).key, "own") << "in another unit there is no difference";
}

}  // namespace
}  // namespace ropescope
