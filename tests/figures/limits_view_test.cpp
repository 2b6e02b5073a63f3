#include "app/views/limits.h"

#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/rotary/spec.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class LimitsView : public TestOfView<kLimitsView> {
 protected:
  // One for all tests of a run: the curve over the base takes seconds.
  inline static std::unique_ptr<Store> shared;
  static void SetUpTestSuite() { shared = std::make_unique<Store>(Store::Mode::synchronous); }
  static void TearDownTestSuite() { shared.reset(); }
  LimitsView() : TestOfView(*shared) {}

  const Rule* rule_at(const Figure& of, double at) {
    for (const Rule& rule : of.rules) {
      if (std::abs(rule.at / at - 1) < 1e-5) return &rule;
    }
    return nullptr;
  }
};

TEST_F(LimitsView, SaysTheNumbersOfTheTheory) {
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "limits.largest_context").text, "1\u202f706");
  EXPECT_EQ(readout(result, "limits.smallest_base").text, "26\u202f952.4") << "rounded up: 26 952.3 fails";
  EXPECT_NE(readout(result, "limits.smallest_base").note.find("26\u202f973,"), std::string::npos);
  EXPECT_EQ(readout(result, "limits.robust_base").text.find("58\u202f78"), 0u);
  EXPECT_EQ(readout(result, "limits.unseen").text, "18 of 64 pairs");
  EXPECT_EQ(readout(result, "limits.moving").text, "51.8 of 64");
  EXPECT_FALSE(result.stale);
  for (const Readout& each : result.readouts) EXPECT_FALSE(each.tooltip.empty()) << each.name;
}

TEST_F(LimitsView, EveryPointOfTheCurveIsTheFirstNegativeDistanceOfItsBase) {
  const ViewResult result = draw();
  const Series& series = *figure(result, "largest_context").lines.at(0).series;
  ASSERT_GT(series.ys.size(), 4000u);
  for (std::size_t i = 0; i < series.ys.size(); i += 97) {
    const auto negative = first_negative_distance(plain_frequencies(128, series.xs[i]));
    ASSERT_TRUE(negative);
    EXPECT_EQ(series.ys[i], static_cast<double>(*negative - 1)) << "base " << series.xs[i];
  }
  EXPECT_LE(series.xs.front(), 100 * (1 + 1e-9));
  EXPECT_GE(series.xs.back(), 0.99e7);
}

TEST_F(LimitsView, TheWindowsOfTheContextAreShadedAndReachTheRule) {
  const ViewResult result = draw();
  const Figure& shown = figure(result, "largest_context");
  ASSERT_EQ(shown.spans.size(), 16u);
  EXPECT_NEAR(shown.spans.front().low, 26952.3, 0.05);
  EXPECT_NEAR(shown.spans.front().high, 26973.1, 0.1);
  EXPECT_NEAR(shown.spans.back().low, 58788, 2);
  EXPECT_GT(shown.spans.back().high, 9e6);
  // Narrower than the distance of the curve's own bases: the peaks are there all the same.
  const Series& series = *shown.lines.at(0).series;
  for (const Span& span : shown.spans) {
    bool reached = false;
    for (std::size_t i = 0; i < series.ys.size(); ++i) {
      reached |= series.xs[i] >= span.low && series.xs[i] <= span.high && series.ys[i] >= 4096;
    }
    EXPECT_TRUE(reached) << span.low;
  }
  EXPECT_TRUE(rule_at(shown, 4096));
  EXPECT_TRUE(rule_at(shown, 10000));
  EXPECT_TRUE(rule_at(shown, 26952.4));
}

TEST_F(LimitsView, ModelsOfTheSameDimensionStandAtTheirBaseAndTrainedLength) {
  const ViewResult result = draw();
  const Figure& shown = figure(result, "largest_context");
  ASSERT_EQ(shown.points.size(), 1u);
  const Points& models = shown.points[0];
  const auto llama = std::find(models.names.begin(), models.names.end(), "Llama 2 7B");
  ASSERT_NE(llama, models.names.end());
  const auto at = static_cast<std::size_t>(llama - models.names.begin());
  EXPECT_EQ(models.xs[at], 10000);
  EXPECT_EQ(models.ys[at], 4096);
  for (std::size_t i = 0; i < models.xs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(models.xs[i] == models.xs[j] && models.ys[i] == models.ys[j]) << "two points in one place";
    }
  }
  experiment.rope.rotary_dim = 62;
  EXPECT_TRUE(figure(draw(), "largest_context").points.empty());
}

TEST_F(LimitsView, AZoomedAxisIsComputedMoreFinely) {
  experiment.limits.zooms["limits.base_range"] = Range{26900, 27000};
  const Figure shown = figure(draw(), "largest_context");
  const Series& series = *shown.lines.at(0).series;
  EXPECT_EQ(shown.x.range, (Range{26900, 27000}));
  std::size_t inside = 0;
  for (std::size_t i = 0; i < series.xs.size(); ++i) {
    inside += series.xs[i] >= 26900 && series.xs[i] <= 27000;
    if (i > 0) {
      EXPECT_LE(series.xs[i - 1], series.xs[i]);
    }
  }
  EXPECT_GT(inside, 4000u);
}

TEST_F(LimitsView, ASecondCallComputesNothing) {
  experiment.pins.push_back({experiment.rope, 1});
  experiment.pins[0].rope.rotary_dim = 64;
  for (const LimitsShow show : {LimitsShow::curve, LimitsShow::information, LimitsShow::dropped}) {
    experiment.limits.show = show;
    draw();
    const auto started = store.started();
    draw();
    EXPECT_EQ(store.started(), started) << word_of(show);
  }
}

TEST_F(LimitsView, ADraggedBaseComputesNoCurve) {
  draw();
  const auto started = store.started();
  experiment.rope.base = 20000;
  draw();
  EXPECT_LE(store.started() - started, 3) << "its own first negative distance, that of bases near it, and its pairs";
}

TEST_F(LimitsView, PinsOfAnotherDimensionHaveACurveAndAreCompared) {
  experiment.pins.push_back({experiment.rope, 1});
  EXPECT_EQ(figure(draw(), "largest_context").lines.size(), 1u) << "the curve depends on the dimension alone";
  experiment.pins[0].rope.rotary_dim = 64;
  experiment.pins[0].rope.base = 50000;
  const ViewResult result = draw();
  const Figure& shown = figure(result, "largest_context");
  ASSERT_EQ(shown.lines.size(), 2u);
  EXPECT_EQ(shown.lines[1].key, "pin1");
  EXPECT_TRUE(shown.legend);
  EXPECT_TRUE(rule_at(shown, 50000));
  EXPECT_THAT(readout(result, "limits.smallest_base").note, Says("readout.pinned", {{"value", "100\u202f071"}}));
  experiment.hidden = {"current"};
  EXPECT_EQ(figure(draw(), "largest_context").lines.size(), 1u);
  experiment.hidden = {"current", "pin1"};
  EXPECT_FALSE(figure(draw(), "largest_context").empty_message.empty());
}

TEST_F(LimitsView, AnExtensionMovesTheLargestContextAndSaysWhichBaseItIsLike) {
  experiment.rope.scaling.method = "ntk-aware";
  experiment.rope.scaling["factor"] = 4;
  const ViewResult result = draw();
  const double like = 10000 * std::pow(4, 128.0 / 126);
  EXPECT_TRUE(rule_at(figure(result, "largest_context"), like));
  const auto negative = first_negative_distance(plain_frequencies(128, like));
  EXPECT_NE(readout(result, "limits.largest_context").text, "1\u202f706");
  ASSERT_TRUE(negative);
  const Series& series = *figure(result, "largest_context").lines.at(0).series;
  EXPECT_EQ(series.ys.size(), figure(draw(), "largest_context").lines.at(0).series->ys.size());
  experiment.limits.show = LimitsShow::dropped;
  EXPECT_EQ(readout(draw(), "limits.critical").text, "92") << "on the plain ladder";
}

TEST_F(LimitsView, InformationIsTheTurnsAndVariancesOfEveryPair) {
  experiment.limits.show = LimitsShow::information;
  experiment.limits.context = 8192;
  experiment.rope.rotary_dim = 3072;
  experiment.rope.head_dim = 3072;
  const ViewResult result = draw();
  const Figure& turns = figure(result, "turns");
  const Figure& variance = figure(result, "variance");
  EXPECT_EQ(turns.x.name, variance.x.name) << "the panels share their axis";
  ASSERT_EQ(turns.lines.at(0).series->ys.size(), 1536u);
  const Eigen::VectorXd frequencies = plain_frequencies(3072, 10000);
  for (const Eigen::Index pair : {0, 700, 1535}) {
    EXPECT_NEAR(turns.lines[0].series->ys[static_cast<std::size_t>(pair)],
                8192 * frequencies[pair] / (2 * std::numbers::pi), 1e-9);
  }
  EXPECT_NEAR(variance.lines.at(0).series->ys[0], 0.5, 1e-3);
  EXPECT_NEAR(variance.lines.at(1).series->ys[0], 0.5, 1e-3);
  EXPECT_TRUE(rule_at(turns, 1));
  ASSERT_EQ(turns.spans.size(), 1u);
  EXPECT_EQ(turns.spans[0].low, 1536 - 339 - 0.5);
  EXPECT_NE(turns.spans[0].label.find("339"), std::string::npos);
  const std::string note = readout(result, "limits.moving").note;
  EXPECT_NE(note.find("339"), std::string::npos) << note;
  EXPECT_NE(note.find("108"), std::string::npos) << note;
}

TEST_F(LimitsView, DroppedIsTheSimilarityOfThePairsThatFinishATurn) {
  experiment.limits.show = LimitsShow::dropped;
  const ViewResult result = draw();
  const Figure& shown = figure(result, "dropped");
  ASSERT_EQ(shown.lines.size(), 2u);
  const Eigen::VectorXd all = plain_frequencies(128, 10000), moving = all.head(46);
  for (const std::size_t distance : {0u, 1u, 100u, 4096u}) {
    const double d = static_cast<double>(distance);
    EXPECT_NEAR(shown.lines[0].series->ys[distance], similarity(all, d), 1e-12);
    EXPECT_NEAR(shown.lines[1].series->ys[distance], similarity(moving, d), 1e-12);
  }
  EXPECT_EQ(shown.lines[0].series->ys.size(), 4097u);
}

TEST_F(LimitsView, FieldsThatContradictEachOtherSayWhy) {
  experiment.rope.axes = "t:16,row:57";
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_NE(result.panels[0].figure.empty_message.find("rope.axes"), std::string::npos);
}

TEST_F(LimitsView, ExtremesHaveAFigure) {
  for (const double dimension : {2.0, 4.0, 1024.0}) {
    for (const double base : {1.01, 1e12}) {
      experiment.rope.rotary_dim = experiment.rope.head_dim = dimension;
      experiment.rope.base = base;
      experiment.limits.context = 16;
      for (const LimitsShow show : {LimitsShow::information, LimitsShow::dropped}) {
        experiment.limits.show = show;
        const ViewResult result = draw();
        for (const Panel& panel : result.panels) {
          EXPECT_LT(panel.figure.x.range.low, panel.figure.x.range.high);
          EXPECT_LT(panel.figure.y.range.low, panel.figure.y.range.high);
        }
      }
    }
  }
}

/// How many points the curve had in each pass of an asynchronous store, from nothing to all.
std::vector<std::size_t> sizes_while_filling() {
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::asynchronous);
  const Experiment experiment;
  std::vector<std::size_t> sizes;
  for (bool stale = true; stale;) {
    store.begin_pass();
    const ViewResult result = draw_view(kLimitsView, experiment, text, store);
    store.end_pass();
    stale = result.stale;
    const std::size_t size = result.panels.at(0).figure.lines.at(0).series->ys.size();
    if (sizes.empty() || size != sizes.back()) sizes.push_back(size);
    EXPECT_TRUE(result.panels[0].figure.stale || !stale);
    std::this_thread::yield();
  }
  return sizes;
}

TEST(AsynchronousLimits, TheCurveFillsInChunkByChunk) {
  // A busy machine may not let the interface run between two chunks: it gets several chances to see them.
  std::vector<std::size_t> sizes;
  for (int chance = 0; sizes.size() <= 3 && chance < 20; ++chance) {
    sizes = sizes_while_filling();
    EXPECT_EQ(sizes.front(), 0u) << "nothing is computed on the interface";
    EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  }
  EXPECT_GT(sizes.size(), 3u) << "all chunks came at once";
}

TEST(AdmissibleStretches, ReachHalfWayToTheNeighbours) {
  const std::vector<LimitPoint> points = {{1, 10}, {4, 20}, {9, 20}, {16, 5}, {25, 30}};
  const std::vector<Range> windows = admissible_windows(points, 20);
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0], (Range{2, 12}));
  EXPECT_EQ(windows[1], (Range{20, 25}));
  EXPECT_TRUE(admissible_windows(points, 31).empty());
  EXPECT_TRUE(admissible_windows({}, 1).empty());
}

}  // namespace
}  // namespace ropescope
