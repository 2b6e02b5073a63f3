// A field that moves through its values automatically.
#include "app/experiment/sweeps.h"

#include "tests/test.h"

namespace ropescope {
namespace {

constexpr NumberField kSweepBase{.key = "base", .minimum = 1.01, .maximum = 1e12, .initial = 10000};
constexpr NumberField kEven{
    .key = "even", .minimum = 2, .maximum = 64, .initial = 8, .whole = true, .step = 2, .linear = true};
constexpr NumberField kFromZero{.key = "length", .minimum = 0, .maximum = 1e9, .initial = 4096, .whole = true};

TEST(Sweep, RunsEvenlyOrEvenlyInTheLogarithm) {
  const Variation linear{"base", {100, 300}, false}, logarithmic{"base", {100, 1e6}, true};
  EXPECT_EQ(value_at(kSweepBase, linear, 0.25), 150);
  for (int decade = 0; decade <= 4; ++decade) {
    // Not 999.9999999999998, which nobody would type again.
    EXPECT_EQ(value_at(kSweepBase, logarithmic, decade / 4.0), std::pow(10, 2 + decade));
  }
  EXPECT_EQ(value_at(kSweepBase, {"base", {1e6, 100}, true}, 0.5), 10000) << "downwards";
}

TEST(Sweep, EndsExactlyAndGoesNoFarther) {
  const Variation sweep{"base", {1.01, 1e12}, true};
  EXPECT_EQ(value_at(kSweepBase, sweep, 0), 1.01);
  EXPECT_EQ(value_at(kSweepBase, sweep, 1), 1e12);
  EXPECT_EQ(value_at(kSweepBase, sweep, -0.5), 1.01);
  EXPECT_EQ(value_at(kSweepBase, sweep, 1.5), 1e12);
}

TEST(Sweep, StaysOnTheStepsOfItsField) {
  const Variation sweep{"even", {4, 10}, false};
  std::vector<double> values;
  for (int i = 0; i <= 6; ++i) values.push_back(value_at(kEven, sweep, i / 6.0));
  EXPECT_THAT(values, ElementsAre(4, 6, 6, 8, 8, 10, 10));
  for (int i = 0; i <= 100; ++i) {
    EXPECT_TRUE(accepts(kFromZero, value_at(kFromZero, {"length", {0, 1e9}, true}, i / 100.0))) << i;
  }
  EXPECT_EQ(value_at(kFromZero, {"length", {0, 1e9}, true}, 0), 0) << "over log(1 + value), as the slider";
  EXPECT_NEAR(value_at(kFromZero, {"length", {0, 1e9}, true}, 0.5), std::sqrt(1e9), 1);
}

TEST(Sweep, GoesToAndFro) {
  EXPECT_EQ(there_and_back(0), 0);
  EXPECT_EQ(there_and_back(0.25), 0.5);
  EXPECT_EQ(there_and_back(0.5), 1);
  EXPECT_EQ(there_and_back(0.75), 0.5);
  EXPECT_EQ(there_and_back(3.5), 1) << "again and again";
}

TEST(Sweep, FramesHoldBothEnds) {
  const auto fractions = [](std::size_t count, bool to_and_fro) {
    std::vector<double> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(fraction_of_frame(i, count, to_and_fro));
    return all;
  };
  EXPECT_THAT(fractions(5, false), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(fractions(4, true), ElementsAre(0, 0.5, 1, 0.5)) << "the first frame comes next";
  EXPECT_THAT(fractions(6, true), ElementsAre(0, testing::DoubleEq(2 / 6.0), testing::DoubleEq(4 / 6.0), 1,
                                              testing::DoubleEq(4 / 6.0), testing::DoubleEq(2 / 6.0)));
}

TEST(Sweep, OfASliderRunsFromEndToEnd) {
  Experiment experiment;
  const Variation sweep = find_slider_range(experiment, "rope.base");
  EXPECT_EQ(sweep, (Variation{"rope.base", {1.01, 1e12}, true}));
  EXPECT_EQ(find_slider_range(experiment, "rope.pairing").key, "") << "no number";
  EXPECT_EQ(assignment_at(experiment, {"rope.base", {100, 1e6}, true}, 0.5), "rope.base=10000");
  apply_variation(experiment, {"rope.rotary_dim", {2, 100}, false}, 0.5);
  EXPECT_EQ(experiment.rope.rotary_dim, 52);
  EXPECT_EQ(experiment.rope.base, Experiment().rope.base);
}

Variation parse(const std::string& text) {
  return parse_variation(text, Experiment(), {"--over"});
}

TEST(Variation, IsARangeOrAListOfOneField) {
  const Variation range = parse("base = 100 .. 1e6 : 5 : log");
  EXPECT_EQ(range.key, "rope.base");
  EXPECT_THAT(range.values, ElementsAre(100, 1000, 10000, 1e5, 1e6));
  EXPECT_TRUE(range.is_range() && range.logarithmic && range.words.empty());
  const Variation list = parse("rope.rotary_dim=64, 1e2,128");
  EXPECT_THAT(list.values, ElementsAre(64, 100, 128));
  EXPECT_THAT(list.words, ElementsAre("64", "1e2", "128"));
  EXPECT_FALSE(list.is_range());
  const Variation switched = parse("decay.show_bound=on,0");
  EXPECT_EQ(switched.text(0) + switched.text(1), "truefalse");
  EXPECT_EQ(switched.word(1), "0");
  EXPECT_EQ(parse("rope.model=llama-2-7b").kind, Variation::Kind::model);
}

TEST(Variation, IsWrittenAsItIsRead) {
  const Variation range = parse("rope.base=100..1e6:5:log");
  EXPECT_EQ(parse(range_text(range.key, {100, 1e6}, range.requested, true)), range);
  EXPECT_EQ(range_text("rope.base", {1000, 1e7}, 9, false), "rope.base=1000..1e+07:9:linear");
}

}  // namespace
}  // namespace ropescope
