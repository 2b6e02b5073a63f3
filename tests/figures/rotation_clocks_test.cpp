#include "tests/figures/rotation_view_fixture.h"

namespace ropescope {
namespace {

TEST_F(RotationView, HandsStandAtTheirAngles) {
  fields.query_position = 1234;
  const Figure clocks = figure("clocks");
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  const Path &fast = path(clocks, "hands"), &slow = path(clocks, "slow_hands");
  ASSERT_EQ(clocks.handles.size(), 64u);
  std::size_t at_fast = 0, at_slow = 0;
  for (std::size_t pair = 0; pair < 64; ++pair) {
    const double theta = frequencies[static_cast<Eigen::Index>(pair)];
    const bool is_slow = kTurn / theta > 4096;
    const Path& hands = is_slow ? slow : fast;
    std::size_t& at = is_slow ? at_slow : at_fast;
    ASSERT_LT(at + 1, hands.xs.size());
    const double angle = std::atan2(hands.ys[at + 1] - hands.ys[at], hands.xs[at + 1] - hands.xs[at]);
    EXPECT_NEAR(std::remainder(angle - 1234 * theta, kTurn), 0, 1e-9) << pair;
    EXPECT_EQ(clocks.handles[pair].key, "pair." + std::to_string(pair));
    EXPECT_EQ(hands.xs[at], clocks.handles[pair].x);
    EXPECT_EQ(hands.ys[at], clocks.handles[pair].y);
    EXPECT_FALSE(clocks.handles[pair].draggable);
    at += 3;
  }
  EXPECT_EQ(at_fast, fast.xs.size());
  EXPECT_EQ(at_slow, slow.xs.size());
}

TEST_F(RotationView, SlowPairsAreCounted) {
  EXPECT_EQ(unfinished_pairs(plain_frequencies(128, 10000), 4096), 18);
  EXPECT_TRUE(
      says(figure("clocks"), text.format("view.rotation.slow", {{"count", counted(18)}, {"length", counted(4096)}})));
  EXPECT_EQ(path(figure("clocks"), "slow_hands").xs.size(), 3 * 18u);
  experiment.rope.trained_length = 0;
  EXPECT_FALSE(says(figure("clocks"), "turn"));
  EXPECT_TRUE(says(figure("clocks"), text["view.rotation.unknown_slow"]));
  EXPECT_TRUE(path(figure("clocks"), "slow_hands").xs.empty());
  experiment.rope.trained_length = 1e9;
  EXPECT_TRUE(says(figure("clocks"), text.format("view.rotation.no_slow", {{"length", counted(1e9)}})));
}

TEST_F(RotationView, WhatIsCoveredIsTheAngleUntilItIsAllOfTheCircle) {
  fields.query_position = 10;
  const Figure clocks = figure("clocks");
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  const auto area = [&](int pair) {
    const Path& sector = path(clocks, "covered." + std::to_string(pair));
    EXPECT_TRUE(sector.filled);
    double twice = 0;
    for (std::size_t i = 1; i < sector.xs.size(); ++i) {
      twice += sector.xs[i - 1] * sector.ys[i] - sector.xs[i] * sector.ys[i - 1];
    }
    return twice / 2;
  };
  const double disc = area(0);  // 10 rad is more than a turn
  EXPECT_GT(disc, 0.5);
  EXPECT_NEAR(area(8) / disc, 10 * frequencies[8] / kTurn, 0.01);
  EXPECT_NEAR(area(40) / disc, 10 * frequencies[40] / kTurn, 0.01);
}

TEST_F(RotationView, ManyPairsShow128OfThemWithTheChosenOne) {
  experiment.rope.rotary_dim = 3072;
  fields.pair = 777;
  const Figure clocks = figure("clocks");
  EXPECT_EQ(clocks.handles.size(), 128u);
  EXPECT_EQ(clocks.handles.front().key, "pair.0");
  EXPECT_EQ(clocks.handles.back().key, "pair.1535");
  EXPECT_EQ(clocks.title.find("128 of 1\u202f536 pairs"), 0u);
  ASSERT_EQ(clocks.boxes.size(), 1u);
  const auto chosen = std::find_if(clocks.handles.begin(), clocks.handles.end(),
                                   [](const Handle& handle) { return handle.key == "pair.777"; });
  ASSERT_NE(chosen, clocks.handles.end());
  EXPECT_LT(clocks.boxes[0].x.low, chosen->x);
  EXPECT_GT(clocks.boxes[0].x.high, chosen->x);
  experiment.rope.rotary_dim = 256;
  EXPECT_EQ(figure("clocks").handles.size(), 128u);
  EXPECT_EQ(figure("clocks").title.find("128 pairs"), 0u);
}

TEST_F(RotationView, AClickOnAClockBringsItsPairIntoThePlaneAndNothingElse) {
  Experiment expected = experiment;
  click("pair.17");
  expected.rotation.pair = 17;
  EXPECT_EQ(experiment, expected);
  EXPECT_EQ(figure("plane").title.find("Pair 17 · "), 0u);
  EXPECT_NE(figure("plane").title.find("channels 17 and 81"), std::string::npos);
  click("");
  click("q");
  click("pair.");
  EXPECT_EQ(experiment, expected);
}

TEST_F(RotationView, DraggingATipSetsItsComponentsAndNothingElse) {
  Experiment expected = experiment;
  drag("q", 0.123456, -0.5);
  expected.rotation.qx = 0.123;
  expected.rotation.qy = -0.5;
  EXPECT_EQ(experiment, expected);
  drag("k", 7, -7);  // stops at the edge of the plane
  expected.rotation.kx = 2;
  expected.rotation.ky = -2;
  EXPECT_EQ(experiment, expected);
  drag("pair.3", 0, 0);
  drag("q", std::nan(""), 0);
  kRotationView.react(experiment, {FigureEvent::Kind::drag, "clocks", "q", 0, 0});
  EXPECT_EQ(experiment, expected);
  const Figure plane = figure("plane");
  ASSERT_EQ(plane.handles.size(), 2u);
  EXPECT_EQ(plane.handles[0].key, "q");
  EXPECT_EQ(plane.handles[0].x, 0.123);
  EXPECT_TRUE(plane.handles[1].draggable);
  // What was dragged can be read back from a file.
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
}

TEST_F(RotationView, ChannelsOfThePairInTheHead) {
  experiment.rope.pairing = Pairing::interleaved;
  EXPECT_NE(figure("plane").title.find("channels 16 and 17"), std::string::npos);
  set("rope.axes=t:16,row:56,column:56");
  set("rope.axis=row");
  EXPECT_NE(figure("plane").title.find("channels 32 and 33"), std::string::npos);
}

TEST_F(RotationView, ClocksAreNumberedUnderThemOrByRow) {
  experiment.rope.rotary_dim = 2;
  EXPECT_EQ(figure("clocks").title, "1 pair · m = 7");
  for (const double rotary_dim : {2.0, 64.0, 66.0, 256.0}) {
    experiment.rope.rotary_dim = rotary_dim;
    fields.pair = 0;
    const Figure clocks = figure("clocks");
    std::size_t numbers = 0;
    double row_x = 0;
    for (const Label& label : clocks.labels) {
      if (label.text.find_first_not_of("0123456789") != std::string::npos) continue;
      ++numbers;
      EXPECT_GE(label.size, 0.9);
      EXPECT_NE(label.role, Role::faint);
      row_x = label.x;
    }
    const bool under = rotary_dim <= 64;
    EXPECT_EQ(numbers, under ? clocks.handles.size() : std::size_t{rotary_dim == 66 ? 6u : 11u}) << rotary_dim;
    EXPECT_TRUE(under || row_x < -0.5);
    // The frame is around a round thing.
    ASSERT_EQ(clocks.boxes.size(), 1u);
    const Box& frame = clocks.boxes[0];
    EXPECT_NEAR(frame.x.high - frame.x.low, frame.y.high - frame.y.low, 1e-12);
  }
}

}  // namespace
}  // namespace ropescope
