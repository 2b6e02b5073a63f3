#include "app/views/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/figure/series.h"
#include "app/resources/models.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/rotary/frequencies.h"

namespace ropescope {
namespace {

const std::filesystem::path kAssets = std::filesystem::path(ROPESCOPE_SOURCE_DIR) / "assets";

class LimitsView : public testing::Test {
 protected:
  Text text = Text::load(kAssets);
  Store store{Store::Mode::synchronous};
  Experiment experiment;

  LimitsView() { experiment.view = "limits"; }
  ViewResult draw() { return limits_figures(experiment, text, store); }
  static std::string value(const ViewResult& result, const std::string& key) {
    for (const Readout& readout : result.readouts) {
      if (readout.key == key) return readout.value;
    }
    return "missing";
  }
};

TEST_F(LimitsView, SaysTheKnownNumbersOfTheDefaults) {
  const ViewResult result = draw();
  EXPECT_FALSE(result.stale);
  EXPECT_EQ(value(result, "largest_context"), "1\u202f706");
  EXPECT_EQ(value(result, "smallest_base"), "26\u202f952.3");
  EXPECT_EQ(value(result, "critical"), "92");
  EXPECT_EQ(value(result, "unseen"), "18 of 64 pairs");
}

TEST_F(LimitsView, EveryPointOfTheCurveIsTheLimitOfItsBase) {
  const ViewResult result = draw();
  const Figure& figure = result.panels.at(0).figure;
  ASSERT_FALSE(figure.lines.empty());
  for (const Line& line : figure.lines) {
    const std::size_t count = line.series->ys.size();
    for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, count / 7)) {
      const auto negative = first_negative_distance(plain_frequencies(128, line.series->x_at(i)));
      ASSERT_TRUE(negative.has_value());
      EXPECT_EQ(line.series->ys[i], static_cast<double>(*negative - 1)) << "base " << line.series->x_at(i);
    }
  }
}

TEST_F(LimitsView, ShadesBasesThatAllowTheContextAndNoOthers) {
  const ViewResult result = draw();
  const Figure& figure = result.panels.at(0).figure;
  ASSERT_FALSE(figure.spans.empty());
  for (const Span& span : figure.spans) {
    std::vector<std::int64_t> first;
    EXPECT_TRUE(base_allows(128, std::sqrt(span.low * std::min(span.high, 1e12)), 4096, first)) << span.low;
  }
}

TEST_F(LimitsView, RealModelsOfTheSameDimensionAreNamed) {
  const ViewResult result = draw();
  const Figure& figure = result.panels.at(0).figure;
  ASSERT_FALSE(figure.points.empty());
  const auto& names = figure.points.front().names;
  EXPECT_TRUE(
      std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.find("Llama 2") == 0; }));
}

TEST_F(LimitsView, DroppingTheStillPairsKeepsTheOthers) {
  experiment.limits.show = "dropped";
  const ViewResult result = draw();
  const Figure& figure = result.panels.at(0).figure;
  ASSERT_GE(figure.lines.size(), 2u);
  const Eigen::VectorXd kept = finished_frequencies(plain_frequencies(128, 10000), 4096);
  EXPECT_EQ(kept.size(), 46);
  const double at = 100;
  bool found = false;
  for (const Line& line : figure.lines) {
    found |= std::abs(line.series->ys[nearest_index(*line.series, at)] - similarity(kept, at)) < 1e-12;
  }
  EXPECT_TRUE(found) << "no line is the kernel of the pairs that finish a turn";
}

TEST_F(LimitsView, EveryPictureHasFiguresForEveryPreset) {
  for (const char* show : {"information", "dropped"}) {
    experiment.limits.show = show;
    for (const Preset& preset : load_presets(kAssets)) {
      experiment.rope = knobs_of(preset.profiles.front(), preset.name);
      const ViewResult result = draw();
      ASSERT_FALSE(result.panels.empty()) << preset.id;
      EXPECT_TRUE(result.panels[0].figure.empty_message.empty()) << preset.id << " " << show;
    }
  }
}

TEST_F(LimitsView, ASecondCallComputesNothing) {
  draw();
  const auto started = store.started();
  experiment.limits.base_range.reset();
  draw();
  EXPECT_EQ(store.started(), started);
}

TEST(ProgressiveLimits, TheCurveFillsInWhileItIsComputed) {
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::asynchronous);
  Experiment experiment;
  experiment.view = "limits";
  store.begin_pass();
  const ViewResult first = limits_figures(experiment, text, store);
  store.end_pass();
  EXPECT_TRUE(first.stale);
  ViewResult last = first;
  for (int pass = 0; pass < 10000 && last.stale; ++pass) {
    store.wait();
    store.begin_pass();
    last = limits_figures(experiment, text, store);
    store.end_pass();
  }
  EXPECT_FALSE(last.stale);
}

}  // namespace
}  // namespace ropescope
