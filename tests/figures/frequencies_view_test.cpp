#include "app/views/views.h"

#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class FrequenciesView : public TestOfView<kFrequenciesView> {
 protected:
  void open(const std::string& preset) {
    const Preset loaded = load_preset(kAssets, preset);
    experiment.rope = to_rope_fields(loaded.profiles.front(), loaded.name);
  }
};

TEST_F(FrequenciesView, ShadesWhatLlama3DoesToItsPairs) {
  open("llama-3.1-8b");
  const ViewResult result = draw();
  const Figure& figure = result.panels.at(0).figure;
  ASSERT_EQ(figure.spans.size(), 4u);  // kept, blended, interpolated; unseen in training
  EXPECT_EQ(figure.spans[0].low, 0);
  EXPECT_EQ(figure.spans[0].high, 28.5);
  EXPECT_EQ(figure.spans[1].high, 34.5);
  EXPECT_EQ(figure.spans[2].high, 63);
  EXPECT_FALSE(figure.spans[3].vertical);
  EXPECT_EQ(figure.spans[3].low, 8192);
  EXPECT_EQ(readout(result, "frequencies.unseen").text, "29 of 64 pairs");
  EXPECT_EQ(readout(result, "frequencies.critical").text, "70");
}

// 29 and 32 by the formulas of transformers' `llama3` in Python.
TEST_F(FrequenciesView, CountsTheLadderOfTrainingAndSaysWhatTheExtendedOneHas) {
  open("llama-3.1-8b");
  const ViewResult result = draw();
  const auto& extended = figure(result, "frequencies").lines.at(0).series->ys;
  EXPECT_EQ(std::count_if(extended.begin(), extended.end(), [](double length) { return length > 8192; }), 32);
  EXPECT_THAT(readout(result, "frequencies.unseen").note, Says("readout.unseen.extended", {{"count", "32"}}));
  const auto& rules = figure(result, "frequencies").rules;
  EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), [this](const Rule& rule) {
    return rule.at == 34.5 && rule.label == text.format("view.frequencies.critical_of_plain", {{"dimension", "70"}});
  }));
}

TEST_F(FrequenciesView, PairsThatStandStillHaveNoUnseenPhase) {
  open("gemma-4-26b-a4b");
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "frequencies.unseen").text, "0 of 256 pairs");
  EXPECT_THAT(readout(result, "frequencies.unseen").note,
              HasSubstr(text.format("readout.unseen.still", {{"still", counted(192)}})));
  EXPECT_EQ(readout(result, "frequencies.critical").text, "128");
  experiment.view = "decay";
  EXPECT_EQ(readout(draw(), "decay.unfinished").text, "0 of 256 pairs");
  experiment.view = "rotation";
  const ViewResult rotation = draw();
  const auto& labels = figure(rotation, "clocks").labels;
  const std::string all_turn = text.format("view.rotation.no_slow", {{"length", counted(262144)}});
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [&](const Label& label) { return label.text == all_turn; }));
}

// Gemma 3 technical report: pretrained with 32 768 positions.
TEST_F(FrequenciesView, Gemma3WasTrainedWith32768Positions) {
  open("gemma-3-4b-it");
  EXPECT_EQ(readout(draw(), "frequencies.unseen").text, "48 of 128 pairs");
}

TEST_F(FrequenciesView, WithoutAnythingAskedALadderIsThatOfTheLengthItIsExtendedFor) {
  open("phi-3.5-mini-instruct");
  EXPECT_NE(figure(draw(), "frequencies").lines.at(0).label.find("long list (131\u202f072)"), std::string::npos);
  // θ₄₇ = 10000^(−94/96) / 64.84…, the last of its long_factor.
  EXPECT_NEAR(figure(draw(), "frequencies").lines.at(0).series->ys.back(),
              2 * M_PI * std::pow(10000, 94.0 / 96) * 64.83999633789062, 1e-6);
  experiment.rope.scaling.length = 4096;
  EXPECT_NE(figure(draw(), "frequencies").lines.at(0).label.find("short list (4\u202f096)"), std::string::npos);
  experiment.rope = RopeFields();
  experiment.rope.scaling.method = "dynamic";
  EXPECT_NE(figure(draw(), "frequencies").lines.at(0).label.find("dynamic ×4 at 16\u202f384"), std::string::npos);
}

TEST_F(FrequenciesView, TheRatioRunsFromKeptToInterpolated) {
  open("llama-3.1-8b");
  const auto ratio = draw().panels.at(1).figure.lines.at(0).series->ys;
  EXPECT_EQ(ratio.front(), 1);
  EXPECT_NEAR(ratio.back(), 1.0 / 8, 1e-15);
}

TEST_F(FrequenciesView, ALevelRatioHasNoPanelAndNothingIsShaded) {
  const ViewResult plain = draw();
  ASSERT_EQ(plain.panels.size(), 1u);
  EXPECT_EQ(plain.panels[0].height_share, 1);
  EXPECT_THAT(plain.status, HasSubstr(text["view.frequencies.flat"]));
  ASSERT_EQ(plain.panels[0].figure.spans.size(), 1u) << "what training did not cover";
  EXPECT_FALSE(plain.panels[0].figure.spans[0].vertical);
  // Beside a rope that is extended, 1 is a comparison.
  experiment.pins.push_back({load_preset_rope("llama-3.1-8b"), 1});
  EXPECT_EQ(draw().panels.size(), 2u);
}

TEST_F(FrequenciesView, WavelengthsAreTurnsOfTheFrequencies) {
  const auto lambda = draw().panels.at(0).figure.lines.at(0).series->ys;
  experiment.frequencies.quantity = LadderQuantity::frequency;
  const auto theta = draw().panels.at(0).figure.lines.at(0).series->ys;
  ASSERT_EQ(lambda.size(), 64u);
  for (std::size_t i = 0; i < lambda.size(); ++i) EXPECT_NEAR(lambda[i] * theta[i], 2 * M_PI, 1e-12);
}

TEST_F(FrequenciesView, StillPairsEndTheLineAndAreSaid) {
  open("gemma-4-26b-a4b");
  const ViewResult result = draw();
  const Figure& figure = result.panels.at(0).figure;
  EXPECT_TRUE(std::isnan(figure.lines.at(0).series->ys.back()));
  EXPECT_TRUE(std::any_of(figure.spans.begin(), figure.spans.end(),
                          [&](const Span& span) { return span.label == text["view.frequencies.still"]; }));
}

TEST_F(FrequenciesView, EveryCurveHasTheClocksOfItsPairs) {
  experiment.pins.push_back({experiment.rope, 1});
  experiment.pins[0].rope.rotary_dim = 64;
  const ViewResult result = draw();
  const Figure& figure = result.panels.at(0).figure;
  ASSERT_EQ(figure.clocks.size(), figure.lines.size());
  EXPECT_EQ(figure.clocks[0].size(), 64);
  EXPECT_EQ(figure.clocks[1].size(), 32);
  EXPECT_EQ(figure.clocks[1][1], std::pow(10000, -2.0 / 64));
}

}  // namespace
}  // namespace ropescope
