// Differences and ratios of the curves of several ropes.
#include "app/views/shared/messages.h"

#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

TEST(RelatedSeries, AreOverWhatBothHave) {
  const auto a = make_series(0, 1, {4, 6, 9, 12}), b = make_series(0, 1, {2, 0, 3});
  EXPECT_THAT(related_series(*a, *b, false)->ys, ElementsAre(2, 6, 6));
  const auto ratio = related_series(*a, *b, true);
  EXPECT_EQ(ratio->ys[0], 2);
  EXPECT_TRUE(std::isnan(ratio->ys[1])) << "a gap";
  EXPECT_EQ(ratio->ys[2], 3);
  const auto other = make_series({0.5, 1, 2.5, 3}, {1, 2, 3, 4});
  const auto both = related_series(*a, *other, false);
  EXPECT_THAT(both->xs, ElementsAre(1, 3)) << "nothing is interpolated";
  EXPECT_THAT(both->ys, ElementsAre(4, 8));
  EXPECT_THAT(related_series(*make_series(0, 1, {1}), *make_series(5, 1, {1}), true)->ys, IsEmpty());
}

TEST(RelatedSeries, ArePartedAtPoles) {
  // The reference goes through 0 between its third value and its fourth, which is the nearer one.
  const auto a = make_series(0, 1, {1, 1, 1, 1, 1, 1}), b = make_series(0, 1, {3, 2, 1, -0.5, -1, -2});
  const std::vector<double> ratios = related_series(*a, *b, true)->ys;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    EXPECT_EQ(std::isnan(ratios[i]), i == 3) << i;
    if (i != 3) {
      EXPECT_EQ(ratios[i], 1 / b->ys[i]);
    }
  }
  for (const double difference : related_series(*a, *b, false)->ys) EXPECT_FALSE(std::isnan(difference));
  const auto other = make_series({0, 2, 3, 5}, {1, 1, 1, 1});
  const auto both = related_series(*other, *b, true);
  EXPECT_TRUE(std::isnan(both->ys[2])) << "on other grids too";
}

TEST(UsualRange, LeavesOutTheTopsOfPoles) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(0.5 + 0.001 * i);
  const Range plain = usual_range(values);
  EXPECT_EQ(plain.low, 0.5);
  EXPECT_EQ(plain.high, values.back()) << "values without tops are all within";
  for (const double top : {-1e6, 1e6, 1e5, std::numeric_limits<double>::quiet_NaN()}) values.push_back(top);
  const Range range = usual_range(values);
  EXPECT_LE(range.low, 0.5);
  EXPECT_GE(range.low, -0.5);
  EXPECT_GE(range.high, 1.499);
  EXPECT_LE(range.high, 2.5);
  EXPECT_GT(usual_range({}).low, usual_range({}).high);
}

class Relations : public ViewTest {
 protected:
  Relations() {
    experiment = small_experiment();
    experiment.view = "frequencies";
    experiment.pins = {{RopeFields(), 1, "long"}, {RopeFields(), 2, "small"}};
    experiment.pins[0].rope.base = 500000;
    experiment.pins[1].rope.rotary_dim = 64;
  }
};

TEST_F(Relations, DifferencesAreFromTheReference) {
  const ViewResult values = draw();
  experiment.curves.shown_as = ShownAs::difference;
  const ViewResult differences = draw();
  const Figure& before = figure(values, "frequencies");
  const Figure& after = figure(differences, "frequencies");
  ASSERT_EQ(after.lines.size(), 2u) << "not the reference itself";
  for (const std::string key : {"pin1", "pin2"}) {
    const auto& ys = line(after, key).series->ys;
    EXPECT_EQ(ys.size(), line(before, key).series->ys.size());
    for (std::size_t i = 0; i < ys.size(); ++i) {
      EXPECT_EQ(ys[i], line(before, key).series->ys[i] - line(before, "current").series->ys[i]) << key << " " << i;
    }
  }
  EXPECT_EQ(after.y.name, "wavelength_difference");
  EXPECT_THAT(after.y.label, HasSubstr("difference from"));
  EXPECT_TRUE(after.zero_line);
  EXPECT_EQ(after.clocks.size(), 2u);
  EXPECT_EQ(differences.readouts.front().text, values.readouts.front().text) << "cards stay";
}

TEST_F(Relations, RatiosMayBeToAPinThatIsHidden) {
  experiment.curves = {ShownAs::ratio, "pin1", {}};
  const ViewResult result = draw();
  EXPECT_THAT(result.shared, StartsWith("ratio to long")) << "a page of one column says it in its legend";
  const Figure shown = figure(result, "frequencies");
  experiment.hidden = {"pin1"};
  const Figure hidden = figure(draw(), "frequencies");
  for (const Figure& ratios : {shown, hidden}) {
    ASSERT_EQ(ratios.lines.size(), 2u);
    EXPECT_EQ(line(ratios, "current").series->ys[0], 1) << "pair 0 turns by 1 with any base";
    EXPECT_LT(line(ratios, "current").series->ys[63], 1);
    EXPECT_THAT(ratios.y.label, HasSubstr("ratio to long"));
    EXPECT_EQ(ratios.y.name, "wavelength_ratio");
  }
}

TEST_F(Relations, EveryLineMeetsItsCounterpart) {
  experiment.view = "decay";
  experiment.decay.show_envelope = true;
  experiment.pins.resize(1);
  experiment.curves = {ShownAs::difference, "current", {}};
  const ViewResult result = draw();
  const Figure& similarity = figure(result, "similarity");
  EXPECT_EQ(similarity.lines.size(), 3u) << "similarity, trend and envelope of the pin";
  EXPECT_EQ(line(similarity, "pin1").series->ys[0], 0) << "both are 1 at distance 0";
  for (const Rule& rule : figure(result, "bound").rules) EXPECT_TRUE(rule.vertical);
}

TEST_F(Relations, PolesDoNotSqueezeTheAxis) {
  experiment.view = "decay";
  experiment.decay.span = 8192;
  experiment.pins.resize(1);
  experiment.pins[0].rope.base = 1000;
  experiment.curves = {ShownAs::ratio, "pin1", {}};
  const Figure similarity = figure(draw(), "similarity");
  const std::vector<double>& ratios = line(similarity, "current").series->ys;
  double most = 0, within = 0, finite = 0;
  for (const double ratio : ratios) {
    if (!std::isfinite(ratio)) continue;
    most = std::max(most, std::abs(ratio));
    within += ratio >= similarity.y.range.low && ratio <= similarity.y.range.high ? 1 : 0;
    ++finite;
  }
  EXPECT_LT(finite, ratios.size()) << "the reference changes its sign";
  EXPECT_GT(most, 10 * std::max(similarity.y.range.high, -similarity.y.range.low)) << "the tops are outside";
  EXPECT_GT(within, 0.9 * finite);
}

TEST_F(Relations, TheirAxisIsZoomedByItsOwnField) {
  experiment.view = "decay";
  experiment.curves = {ShownAs::ratio, "pin1", {}};
  experiment.decay.zooms["decay.similarity_range"] = Range{0.5, 1.5};
  const Figure similarity = figure(draw(), "similarity");
  EXPECT_EQ(similarity.y.range, (Range{0.5, 1.5}));
  EXPECT_EQ(similarity.y.range_key, "decay.similarity_range");
  EXPECT_NE(similarity.y.fit, similarity.y.range) << "a double click goes back to it";
}

TEST_F(Relations, SayWhereThereIsNothingToCompare) {
  experiment.curves.shown_as = ShownAs::ratio;
  experiment.view = "decay";
  experiment.decay.show = DecayShow::phasors;
  EXPECT_EQ(draw().undone, text["view.curves.none"]);
  experiment.curves.relative_to = "pin7";
  EXPECT_THAT(draw().fault, HasSubstr("pin7"));
}

TEST_F(Relations, MeetFacets) {
  experiment.curves = {ShownAs::ratio, "pin1", {}};
  experiment.facet.across = "rope.base=1e3,5e5";  // ratios near 1, and far from it
  const ViewResult result = draw();
  const Figure &one = figure(result, "frequencies@1"), &other = figure(result, "frequencies@2");
  EXPECT_EQ(one.y.range, other.y.range);
  EXPECT_EQ(one.y.scale, other.y.scale);
  EXPECT_NE(line(one, "current").series->ys, line(other, "current").series->ys);
}

TEST_F(Relations, TheirControlsComeWithPins) {
  const Controls with(panel_fields(find_view("decay"), experiment));
  EXPECT_TRUE(with.keys.contains("curves.shown_as"));
  EXPECT_FALSE(with.keys.contains("curves.relative_to"));
  experiment.pins.clear();
  const Controls without(panel_fields(find_view("decay"), experiment));
  EXPECT_FALSE(without.keys.contains("curves.shown_as"));
}

}  // namespace
}  // namespace ropescope
