#include "app/views/precision.h"

#include "core/precision/precision.h"
#include "core/rotary/spec.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class PrecisionView : public TestOfView<kPrecisionView> {
 protected:
  static std::vector<std::string> keys(const Figure& figure) {
    std::vector<std::string> names;
    for (const Line& line : figure.lines) names.push_back(line.key);
    return names;
  }
  static bool has_rule(const Figure& figure, double at) {
    return std::any_of(figure.rules.begin(), figure.rules.end(), [at](const Rule& rule) { return rule.at == at; });
  }
};

TEST(SampledPositions, HoldTheEndsThePowersOfTwoAndTheirNeighbours) {
  for (const double span : {16.0, 1000.0, 131072.0, 16777216.0}) {
    const std::vector<double> positions = sampled_positions(span);
    const std::set<double> found(positions.begin(), positions.end());
    EXPECT_EQ(found.size(), positions.size());
    EXPECT_EQ(positions.front(), 1);
    EXPECT_EQ(positions.back(), span);
    EXPECT_TRUE(std::is_sorted(positions.begin(), positions.end()));
    for (double power = 2; power < span; power *= 2) {
      for (const double beside : {-1.0, 0.0, 1.0}) EXPECT_TRUE(found.contains(power + beside)) << power;
    }
    for (const double position : positions) EXPECT_EQ(position, std::floor(position));
  }
  EXPECT_GT(sampled_positions(16777216).size(), 380u);
  EXPECT_LT(sampled_positions(16777216).size(), 500u);
}

TEST_F(PrecisionView, EveryPlottedValueIsThePolicysOwn) {
  experiment.rope.base = 512;
  experiment.rope.rotary_dim = 32;
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 2u);
  const Eigen::VectorXd frequencies = plain_frequencies(32, 512);
  for (std::size_t k = 0; k < 5; ++k) {
    const Line& error = result.panels[0].figure.lines.at(k);
    const Line& score = result.panels[1].figure.lines.at(k);
    const PrecisionPolicy& policy = find_precision_policy(error.key);
    for (std::size_t i = 0; i < error.series->ys.size(); i += 37) {
      const PrecisionError expected = precision_error(policy, frequencies, error.series->x_at(i));
      if (std::isnan(expected.max_abs)) {
        EXPECT_TRUE(std::isnan(error.series->ys[i]));
        continue;
      }
      EXPECT_EQ(error.series->ys[i], expected.max_abs) << error.key;
      EXPECT_EQ(score.series->ys[i], expected.score) << error.key;
    }
  }
}

TEST_F(PrecisionView, AFamilyShowsItsPoliciesEachWithAStyleOfItsOwn) {
  const auto shown = [&](ShownPolicies family) {
    experiment.precision.policies = family;
    const Figure figure = draw().panels[0].figure;
    std::set<int> slots;
    for (const Line& line : figure.lines) slots.insert(line.style.slot);
    EXPECT_EQ(slots.size(), figure.lines.size()) << word_of(family);
    return keys(figure);
  };
  EXPECT_EQ(shown(ShownPolicies::common), (std::vector<std::string>{"float32", "bfloat16-inputs", "bfloat16-tables",
                                                                    "float16-inputs", "float16-tables"}));
  EXPECT_EQ(shown(ShownPolicies::float32),
            (std::vector<std::string>{"float32", "float32-frequencies", "float32-ggml-cpu", "float32-ggml-gpu"}));
  EXPECT_EQ(shown(ShownPolicies::bfloat16).size(), 7u);
  EXPECT_EQ(shown(ShownPolicies::bfloat16).back(), "flux-bfloat16-ids");
  EXPECT_EQ(shown(ShownPolicies::float16).size(), 6u);
  EXPECT_EQ(shown(ShownPolicies::all).size(), all_precision_policies().size());
}

TEST_F(PrecisionView, RulesStandWherePositionsAreLost) {
  const Figure figure = draw().panels[0].figure;
  EXPECT_TRUE(has_rule(figure, 256));
  EXPECT_TRUE(has_rule(figure, 2048));
  EXPECT_TRUE(has_rule(figure, 16777216));
  EXPECT_TRUE(has_rule(figure, 65520));
  EXPECT_TRUE(has_rule(figure, 4096));  // trained length
  EXPECT_EQ(figure.rules.size(), 5u);
  experiment.precision.policies = ShownPolicies::bfloat16;
  EXPECT_FALSE(has_rule(draw().panels[0].figure, 65520));
}

TEST_F(PrecisionView, ReadoutsInWords) {
  const ViewResult result = draw();
  ASSERT_EQ(result.readouts.size(), 4u);
  EXPECT_EQ(readout(result, "precision.repeated").text, "256");
  EXPECT_EQ(readout(result, "precision.worst").text, "float16 inputs");  // it overflows
  EXPECT_THAT(readout(result, "precision.worst").note,
              Says("readout.precision.worst.overflow", {{"position", "65\u202f520"}}));
  const double error =
      precision_error(find_precision_policy("bfloat16-inputs"), plain_frequencies(128, 10000), 4096).max_abs;
  EXPECT_NEAR(std::stod(readout(result, "precision.at_length").text), error, 0.05 * error);
  EXPECT_EQ(readout(result, "precision.shift").text.find("yes, by "), 0u);
  for (const Readout& one : result.readouts) {
    EXPECT_FALSE(one.tooltip.empty());
    EXPECT_EQ(one.note.find('{'), std::string::npos) << one.note;
  }
}

TEST_F(PrecisionView, ExactPositionsAnswerThatAShiftChangesNothing) {
  experiment.precision.policies = ShownPolicies::float32;
  experiment.precision.span = 1000;
  EXPECT_EQ(readout(draw(), "precision.shift").text.find("yes"), 0u);
  EXPECT_EQ(readout(draw(), "precision.repeated").text, "16\u202f777\u202f216");
}

TEST_F(PrecisionView, TheShiftPanelIsLevelUntilPositionsAreLost) {
  experiment.precision.show = PrecisionShow::shift;
  experiment.precision.distance = 3;
  const Figure figure = draw().panels[1].figure;
  EXPECT_EQ(figure.name, "shift");
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  double exact = 0;
  for (const double frequency : frequencies) exact += std::cos(3 * frequency) / 64;
  ASSERT_FALSE(figure.rules.empty());
  EXPECT_FALSE(figure.rules.back().vertical);
  EXPECT_NEAR(figure.rules.back().at, exact, 1e-12);
  const Series& bfloat16 = *figure.lines.at(1).series;
  EXPECT_NEAR(bfloat16.ys[nearest_index(bfloat16, 100)], bfloat16.ys[nearest_index(bfloat16, 1)], 1e-6);
  EXPECT_GT(std::abs(bfloat16.ys[nearest_index(bfloat16, 65536)] - exact), 0.01);
  const Series& float32 = *figure.lines.at(0).series;
  EXPECT_NEAR(float32.ys[nearest_index(float32, 65536)], exact, 1e-3);
}

TEST_F(PrecisionView, ThePresentRopeAloneIsShown) {
  EXPECT_FALSE(kPrecisionView.compares_ropes) << "no chips of ropes that are not drawn";
  experiment.pins.push_back({experiment.rope, 1});
  experiment.pins[0].rope.rotary_dim = 8;
  const auto largest = [](const ViewResult& result) { return result.panels[0].figure.lines.at(1).series->ys[0]; };
  const double of_current = largest(draw());
  experiment.hidden = {"current"};
  EXPECT_EQ(largest(draw()), of_current);
}

TEST_F(PrecisionView, OneCurveIsHighlightedAndNamedLikeTheOthers) {
  const auto bold = [this] {
    std::vector<std::string> names;
    for (const Panel& panel : draw().panels) {
      for (const Line& line : panel.figure.lines) {
        if (!line.style.faint) names.push_back(line.key);
      }
    }
    return names;
  };
  EXPECT_EQ(bold(), (std::vector<std::string>{"float16-inputs", "float16-inputs"})) << "the worst, in both panels";
  const Figure errors = draw().panels[0].figure;
  EXPECT_FALSE(errors.legend);
  EXPECT_EQ(errors.labels.size(), errors.lines.size());
  EXPECT_EQ(errors.labels[0].text, text["option.precision.highlight.float16-inputs"]);
  // A press on a curve highlights it, a second one ends that.
  const auto press = [&](const std::string& key) {
    const auto& handles = errors.handles;
    const auto handle =
        std::find_if(handles.begin(), handles.end(), [&](const Handle& each) { return each.key == "policy." + key; });
    ASSERT_NE(handle, handles.end()) << key;
    kPrecisionView.react(experiment, {FigureEvent::Kind::click, "error", handle->key, handle->x, handle->y});
  };
  press("bfloat16-tables");
  EXPECT_EQ(bold(), (std::vector<std::string>{"bfloat16-tables", "bfloat16-tables"}));
  press("bfloat16-tables");
  EXPECT_EQ(experiment.precision.highlight, kWorstPolicy);
  // A policy of another family comes with its curve.
  experiment.precision.highlight = "float32-ggml-cpu";
  EXPECT_EQ(bold(), (std::vector<std::string>{"float32-ggml-cpu", "float32-ggml-cpu"}));
  EXPECT_EQ(draw().panels[0].figure.lines.size(), 6u);
  experiment.precision.policies = ShownPolicies::all;
  EXPECT_EQ(draw().panels[0].figure.labels.size(), 1u) << "seventeen names would hide the curves";
}

TEST_F(PrecisionView, ASecondCallComputesNothing) {
  draw();
  const auto started = store.started();
  experiment.precision.zooms["precision.position_range"] = Range{10, 100};
  experiment.precision.show = PrecisionShow::shift;
  draw();
  EXPECT_EQ(store.started(), started);
}

TEST_F(PrecisionView, AZoomedRangeNeverLeavesTheData) {
  experiment.precision.zooms["precision.position_range"] = Range{100, 1e9};
  EXPECT_EQ(draw().panels[0].figure.x.range, (Range{100, 131072}));
  experiment.precision.zooms["precision.error_range"] = Range{-1, 1};
  EXPECT_GT(draw().panels[0].figure.y.range.low, 0);
}

TEST_F(PrecisionView, FieldsThatContradictEachOtherSayWhy) {
  experiment.rope.axes = "t:16,row:57";
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_NE(result.panels[0].figure.empty_message.find("rope.axes"), std::string::npos);
}

TEST_F(PrecisionView, EverySpanAndFamilyDraws) {
  for (const ShownPolicies family : {ShownPolicies::common, ShownPolicies::float32, ShownPolicies::bfloat16,
                                     ShownPolicies::float16, ShownPolicies::all}) {
    for (const double span : {16.0, 16777216.0}) {
      experiment.precision.policies = family;
      experiment.precision.span = span;
      experiment.rope.rotary_dim = 2;
      experiment.rope.trained_length = 0;
      const ViewResult result = draw();
      ASSERT_EQ(result.panels.size(), 2u);
      for (const Panel& panel : result.panels) EXPECT_LT(panel.figure.y.range.low, panel.figure.y.range.high);
    }
  }
}

}  // namespace
}  // namespace ropescope
