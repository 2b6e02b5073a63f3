// The picture "phasors" of the decay view.

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/views/decay/view.h"
#include "core/attention/attention.h"
#include "core/rotary/spec.h"
#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

class DecayPhasors : public TestOfView<kDecayView> {
 protected:
  DecayPhasors() { fields.show = DecayShow::phasors; }
  DecayFields& fields = experiment.decay;
  const Player& player = *kDecayView.player;

  double number(const std::string& name) { return std::get<Quantity>(readout(draw(), name).value).number.value; }
};

TEST_F(DecayPhasors, SayTheNumbersOfTheLesson) {
  EXPECT_EQ(value("decay.phasor_similarity"), "0.298");
  EXPECT_EQ(value("decay.phasor_length"), "0.321");
  fields.distance = 50;
  EXPECT_EQ(value("decay.phasor_mean"), "12.63");
  const double similarity = number("decay.phasor_similarity");
  fields.order = PairOrder::slow_first;
  EXPECT_EQ(value("decay.phasor_mean"), "25.59");
  EXPECT_NEAR(number("decay.phasor_similarity"), similarity, 1e-14);
}

TEST_F(DecayPhasors, ArrowsOfLengthOneStandHeadToTail) {
  for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
    fields.order = order;
    const Figure shown = figure(draw(), "phasors");
    ASSERT_EQ(shown.arrows.size(), 64u);
    EXPECT_EQ(shown.arrows.front().key, fields.order == PairOrder::fast_first ? "pair.0" : "pair.63");
    double x = 0, y = 0;
    for (const Arrow& arrow : shown.arrows) {
      EXPECT_EQ(arrow.x0, x);
      EXPECT_EQ(arrow.y0, y);
      EXPECT_NEAR(std::hypot(arrow.x1 - x, arrow.y1 - y), 1, 1e-12);
      x = arrow.x1, y = arrow.y1;
    }
    const Points& end = with_key(shown.points, "end");
    EXPECT_EQ(end.xs.at(0), x);
    EXPECT_EQ(end.ys.at(0), y);
    EXPECT_NEAR(x, 64 * number("decay.phasor_similarity"), 1e-9);
    const Path& circle = with_key(shown.paths, "mean_distance");
    EXPECT_NEAR(std::hypot(circle.xs[7], circle.ys[7]), number("decay.phasor_mean"), 1e-9);
  }
}

TEST_F(DecayPhasors, PairsThatFinishNoTurnHaveTheirColour) {
  const Figure shown = figure(draw(), "phasors");
  EXPECT_EQ(with_key(shown.arrows, "pair.45").style.slot, 0);
  EXPECT_EQ(with_key(shown.arrows, "pair.46").style.slot, 3);
  EXPECT_EQ(shown.labels.back().text,
            text.format("view.rotation.slow", {{"count", counted(18)}, {"length", counted(4096)}}));
  experiment.rope.trained_length = 0;
  const Figure unknown = figure(draw(), "phasors");
  for (const Arrow& arrow : unknown.arrows) EXPECT_EQ(arrow.style.slot, 0);
}

TEST_F(DecayPhasors, ManyPairsAreTwoPaths) {
  experiment.rope.rotary_dim = 1024;
  experiment.rope.head_dim = 1024;
  const Figure shown = figure(draw(), "phasors");
  EXPECT_TRUE(shown.arrows.empty());
  const std::size_t points = with_key(shown.paths, "turning").xs.size() + with_key(shown.paths, "slow").xs.size();
  EXPECT_EQ(points, 3 * 512u);
}

TEST_F(DecayPhasors, TheBarsAreTheChain) {
  fields.content = DecayContent::random;
  fields.distance = 20;
  for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
    fields.order = order;
    const ViewResult result = draw();
    const Figure& chain = figure(result, "chain");
    const std::vector<double>& bars = with_key(chain.points, "chain").xs;
    ASSERT_EQ(bars.size(), 5u);
    const char* names[] = {"score", "size", "abel", "terms", "bound"};
    for (std::size_t i = 0; i < bars.size(); ++i) {
      EXPECT_EQ(bars[i], number(std::string("decay.chain_") + names[i]));
      EXPECT_LE(std::max(bars[i], -1.0), chain.x.range.high);
      EXPECT_GE(bars[i], chain.x.range.low);
      if (i > 0) EXPECT_LE(bars[i - 1], bars[i] + 1e-12);
    }
    EXPECT_NEAR(bars[1], bars[2], 1e-12);
  }
  EXPECT_EQ(value("decay.chain_score"), "−0.101");
  EXPECT_EQ(value("decay.chain_size"), "0.240");
}

TEST_F(DecayPhasors, TheLastBarIsTheBoundOfTheCurves) {
  for (const DecayContent content : {DecayContent::aligned, DecayContent::random}) {
    for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
      fields.content = content;
      fields.order = order;
      fields.distance = 77;
      fields.show = DecayShow::curves;
      const ViewResult curves = draw();
      const double bound = line(figure(curves, "bound"), "current").series->ys.at(77);
      const double score = line(figure(curves, "similarity"), "current").series->ys.at(77);
      fields.show = DecayShow::phasors;
      EXPECT_NEAR(number("decay.chain_bound"), bound, 1e-10 * std::max(1.0, bound));
      EXPECT_NEAR(number("decay.chain_score"), score, 1e-12);
    }
  }
}

TEST_F(DecayPhasors, AnExtensionTurnsTheArrowsToo) {
  experiment.rope.scaling.method = "linear";
  experiment.rope.scaling["factor"] = 4;
  const double extended = number("decay.phasor_similarity");
  experiment.rope.scaling.method = "none";
  fields.distance = 125;
  EXPECT_NEAR(number("decay.phasor_similarity"), extended, 1e-12);
}

TEST_F(DecayPhasors, TheRowHasFiveCardsAndTheBarsSayTheRest) {
  const ViewResult result = draw();
  std::vector<std::string> cards;
  for (const Readout& one : result.readouts) {
    if (!one.aside) cards.push_back(one.name);
  }
  EXPECT_EQ(cards, (std::vector<std::string>{"decay.phasor_similarity", "decay.phasor_length", "decay.phasor_mean",
                                             "decay.chain_score", "decay.chain_bound"}));
  EXPECT_EQ(result.readouts.size(), 8u);
}

TEST_F(DecayPhasors, ThePlayerLetsTheDistanceRun) {
  EXPECT_TRUE(player.moves(experiment));
  EXPECT_EQ(find_player(experiment), &player);
  player.play(experiment, true);
  EXPECT_TRUE(player.playing(experiment));
  fields.speed = 10;
  player.advance(experiment, 0.25);
  EXPECT_EQ(fields.distance, 502);
  EXPECT_NEAR(fields.glide, 0.5, 1e-12);
  EXPECT_NEAR(number("decay.phasor_similarity"), similarity(plain_frequencies(128, 10000), 502.5), 1e-12);
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
  player.play(experiment, false);
  EXPECT_EQ(fields.glide, 0);
  player.advance(experiment, 1);
  EXPECT_EQ(fields.distance, 502);
  player.step(experiment, -1);
  EXPECT_EQ(fields.distance, 501);
  fields.distance = 0;
  player.step(experiment, -1);
  EXPECT_EQ(fields.distance, 0);
  fields.distance = kMaxDecayDistance - 1;
  player.play(experiment, true);
  player.advance(experiment, 1);
  EXPECT_FALSE(fields.playing) << "at the end";
  EXPECT_EQ(fields.distance, kMaxDecayDistance);
  player.play(experiment, true);
  EXPECT_EQ(fields.distance, 0) << "and begins again";
}

TEST_F(DecayPhasors, CurvesDoNotPlay) {
  fields.show = DecayShow::curves;
  EXPECT_EQ(find_player(experiment), nullptr);
}

TEST_F(DecayPhasors, HaveControlsOfTheirOwn) {
  const auto keys_of = [&](DecayShow show) {
    fields.show = show;
    const Controls fields(panel_fields(kDecayView, experiment));
    EXPECT_TRUE(fields.twice.empty());
    return fields.keys;
  };
  for (const char* key : {"decay.span", "decay.distance_axis", "decay.show_bound", "decay.marked_pairs"}) {
    EXPECT_TRUE(keys_of(DecayShow::curves).contains(key)) << key;
    EXPECT_FALSE(keys_of(DecayShow::phasors).contains(key)) << key;
  }
  for (const char* key : {"decay.distance", "decay.speed"}) {
    EXPECT_FALSE(keys_of(DecayShow::curves).contains(key)) << key;
    EXPECT_TRUE(keys_of(DecayShow::phasors).contains(key)) << key;
  }
  fields.show_bound = false;
  EXPECT_TRUE(keys_of(DecayShow::phasors).contains("decay.order")) << "whatever the curves show";
}

TEST_F(DecayPhasors, FieldsThatContradictEachOtherSayWhy) {
  experiment.rope.axes = "t:16,row:57";
  EXPECT_NE(draw().panels.at(0).figure.empty_message.find("rope.axes"), std::string::npos);
}

}  // namespace
}  // namespace ropescope
