#include "app/views/rotation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "app/resources/models.h"
#include "app/views/rotation_figures.h"
#include "core/decay/analysis.h"
#include "core/rotary/frequencies.h"
#include "core/rotary/rotation.h"

namespace ropescope {
namespace {

const std::filesystem::path kAssets = std::filesystem::path(ROPESCOPE_SOURCE_DIR) / "assets";
constexpr double kTurn = 2 * std::numbers::pi;

class RotationView : public testing::Test {
 protected:
  Text text = Text::load(kAssets);
  Store store{Store::Mode::synchronous};
  Experiment experiment;
  RotationKnobs& knobs = experiment.rotation;

  ViewResult draw() { return rotation_figures(experiment, text, store); }
  Figure figure(const std::string& name) {
    for (const Panel& panel : draw().panels) {
      if (panel.figure.name == name) return panel.figure;
    }
    throw std::runtime_error("no figure " + name);
  }
  static Readout readout(const std::vector<Readout>& readouts, const std::string& key) {
    for (const Readout& one : readouts) {
      if (one.key == "rotation." + key) return one;
    }
    throw std::runtime_error("no readout " + key);
  }
  std::string value(const std::string& key) { return readout(draw().readouts, key).value; }
  std::string note(const std::string& key) { return readout(draw().readouts, key).note; }
  static const Path& path(const Figure& figure, const std::string& key) {
    for (const Path& one : figure.paths) {
      if (one.key == key) return one;
    }
    throw std::runtime_error("no path " + key);
  }
  static const Arrow& arrow(const Figure& figure, const std::string& key) {
    for (const Arrow& one : figure.arrows) {
      if (one.key == key) return one;
    }
    throw std::runtime_error("no arrow " + key);
  }
  static bool says(const Figure& figure, const std::string& words) {
    for (const Label& label : figure.labels) {
      if (label.text.find(words) != std::string::npos) return true;
    }
    return false;
  }
  void set(const std::string& assignment) { set_field(experiment, assignment); }
  void click(const std::string& handle) {
    react_rotation(experiment, {FigureEvent::Kind::click, "clocks", handle, 0, 0});
  }
  void drag(const std::string& handle, double x, double y) {
    react_rotation(experiment, {FigureEvent::Kind::drag, "plane", handle, x, y});
  }
};

/// The angle that a path around the origin sweeps from its first to its last point; points at the origin have none.
double swept(const Path& path) {
  double sum = 0;
  for (std::size_t i = 1; i < path.xs.size(); ++i) {
    const std::complex<double> before(path.xs[i - 1], path.ys[i - 1]), after(path.xs[i], path.ys[i]);
    if (std::abs(before) > 0 && std::abs(after) > 0) sum += std::arg(after / before);
  }
  return sum;
}

double last_angle(const Path& path) {
  return std::atan2(path.ys.back(), path.xs.back());
}

TEST_F(RotationView, ArrowsAreTurnedAsCoreTurnsThem) {
  knobs.query_position = 1000;
  knobs.key_position = 17;
  knobs.qx = 0.8;
  knobs.qy = -1.1;
  const Figure plane = figure("plane");
  const Eigen::VectorXd frequency = plain_frequencies(128, 10000).segment(8, 1);
  const struct {
    const char* key;
    Eigen::Vector2d from;
    double position;
  } turned[] = {
      {"turned_q", {0.8, -1.1}, 1000}, {"turned_k", {0.6, 0.5}, 17}, {"q", {0.8, -1.1}, 0}, {"k", {0.6, 0.5}, 0}};
  for (const auto& one : turned) {
    const Eigen::VectorXd expected = rotate_complex(one.from, frequency, Pairing::interleaved, one.position);
    EXPECT_NEAR(arrow(plane, one.key).x1, expected[0], 1e-14) << one.key;
    EXPECT_NEAR(arrow(plane, one.key).y1, expected[1], 1e-14) << one.key;
    EXPECT_EQ(arrow(plane, one.key).x0, 0);
  }
  EXPECT_TRUE(plane.equal_axes);
}

TEST_F(RotationView, TheSpiralTurnsAsFarAsTheAngleAndCountsItsTurns) {
  const double theta = plain_frequencies(128, 10000)[8];
  for (const double position : {0.0, 1.0, 7.0, 25.0, 90.0}) {
    knobs.query_position = position;
    const Figure plane = figure("plane");
    EXPECT_NEAR(swept(path(plane, "query_angle")), position * theta, 1e-9) << position;
  }
  // 131 072 positions are 6 596.75 turns: five of them are drawn, and the end is where it belongs.
  knobs.query_position = 131072;
  const double turns = 131072 * theta / kTurn;
  const Figure plane = figure("plane");
  EXPECT_NEAR(swept(path(plane, "query_angle")) / kTurn, 5 + turns - std::floor(turns), 1e-6);
  EXPECT_NEAR(std::remainder(last_angle(path(plane, "query_angle")) - 131072 * theta, kTurn), 0, 1e-6);
  EXPECT_TRUE(says(plane, "6\u202f596 turns + 0.7"));
}

TEST_F(RotationView, TheSpiralBeginsAtItsArrowAndGrows) {
  knobs.qx = -0.3;
  knobs.qy = 0.4;
  knobs.query_position = 60;
  const Path spiral = path(figure("plane"), "query_angle");
  EXPECT_NEAR(std::atan2(spiral.ys[0], spiral.xs[0]), std::atan2(0.4, -0.3), 1e-12);
  EXPECT_GT(std::hypot(spiral.xs.back(), spiral.ys.back()), std::hypot(spiral.xs[0], spiral.ys[0]));
}

TEST_F(RotationView, AnglesInWords) {
  const AngleWords half = angle_words(0.5 * kTurn, "view.rotation.query_angle", text);
  EXPECT_EQ(half.angle, "mθ = 3.142 rad");
  EXPECT_EQ(half.turns, "0.500 turns");
  EXPECT_EQ(angle_words(1.25 * kTurn, "view.rotation.query_angle", text).turns, "1 turn + 0.250");
  const AngleWords many = angle_words(12.375 * kTurn, "view.rotation.key_angle", text);
  EXPECT_EQ(many.angle, "kθ = 77.75 rad");
  EXPECT_EQ(many.turns, "12 turns + 0.375");
}

TEST_F(RotationView, ComponentsLandOnBothAxes) {
  knobs.query_position = 5;
  const double angle = 5 * plain_frequencies(128, 10000)[8];
  const Figure plane = figure("plane");
  const Path &first = path(plane, "first"), &second = path(plane, "second");
  EXPECT_NEAR(first.xs.back(), std::cos(angle), 1e-14);
  EXPECT_EQ(first.ys.back(), 0);
  EXPECT_EQ(second.xs.back(), 0);
  EXPECT_NEAR(second.ys.back(), std::sin(angle), 1e-14);
  EXPECT_TRUE(says(plane, "cos mθ = −0.010"));
  EXPECT_TRUE(says(plane, "sin mθ = 1.000"));
  knobs.qy = 0.2;
  EXPECT_FALSE(says(figure("plane"), "cos mθ"));
}

TEST_F(RotationView, TheTrailHoldsTheLastPositions) {
  knobs.query_position = 4;
  const Figure plane = figure("plane");
  ASSERT_EQ(plane.points.size(), 1u);
  ASSERT_EQ(plane.points[0].xs.size(), 4u);
  EXPECT_NEAR(plane.points[0].ys[0], std::sin(3 * plain_frequencies(128, 10000)[8]), 1e-14);
  knobs.locked = true;
  EXPECT_EQ(figure("plane").points.size(), 2u);
  knobs.trail = false;
  EXPECT_TRUE(figure("plane").points.empty());
}

TEST_F(RotationView, ShiftingBothKeepsTheScoreAndTurnsTheArrows) {
  knobs.locked = true;
  const RotationState before = rotation_state(experiment);
  const RotationScores score = pair_scores(before);
  const RotationScores all = all_scores(before, rotation_content(before));
  for (const char* position : {"8", "100", "4096"}) {
    set(std::string("rotation.query_position=") + position);
    const RotationState after = rotation_state(experiment);
    EXPECT_EQ(after.query_position - after.key_position, 4);
    EXPECT_NEAR(pair_scores(after).rotated, score.rotated, 1e-12) << position;
    EXPECT_NEAR(all_scores(after, rotation_content(after)).rotated, all.rotated, 1e-10) << position;
    EXPECT_GT((after.turned_q - before.turned_q).norm(), 0.1) << position;
    EXPECT_GT((after.turned_k - before.turned_k).norm(), 0.1) << position;
  }
  // The shape between the arrows turns as it is.
  const double between = swept(path(figure("plane"), "between"));
  knobs = RotationKnobs{};
  EXPECT_NEAR(swept(path(figure("plane"), "between")), between, 1e-9);
}

TEST_F(RotationView, RoundingIsJudgedByTheSizeOfWhatWasComputed) {
  const Operands operands{10, 2, 100};  // at most ε · 10 · 210
  EXPECT_TRUE(is_rounding(0, operands));
  EXPECT_TRUE(is_rounding(-4e-13, operands));
  EXPECT_FALSE(is_rounding(5e-13, operands));
  EXPECT_FALSE(is_rounding(-0.3, operands));
  EXPECT_FALSE(is_rounding(std::nan(""), operands));
  EXPECT_FALSE(is_rounding(1e-300, Operands{}));
}

TEST_F(RotationView, DifferencesAreRoundingWhereverItTurns) {
  experiment.rope.scaling.method = "yarn";
  experiment.rope.scaling.factor = 16;
  for (const char* show : {"turn", "helix", "forms", "pairing"}) {
    for (const char* content : {"same", "random"}) {
      for (const double rotary_dim : {2.0, 128.0, 8192.0}) {
        for (const double position : {0.0, 7.0, 4097.0, 131071.0}) {
          knobs.show = show;
          knobs.content = content;
          knobs.query_position = position;
          experiment.rope.rotary_dim = rotary_dim;
          EXPECT_EQ(note("difference"), "Rounding of float64, no more.") << show << rotary_dim << " " << position;
        }
      }
    }
  }
  knobs.locked = true;
  EXPECT_NE(note("difference").find("the score stays"), std::string::npos);
}

TEST_F(RotationView, AnErrorIsNotCalledRounding) {
  for (const bool locked : {false, true}) {
    knobs.locked = locked;
    RotationState state = rotation_state(experiment);
    state.turned_k.y() += 1e-9;
    const auto readouts = turn_readouts(state, text);
    EXPECT_EQ(readout(readouts, "difference").note.find("More than rounding"), 0u);
    EXPECT_EQ(readout(readouts, "norms").value, "not kept");
  }
  knobs.show = "forms";
  const RotationState state = rotation_state(experiment);
  const RotationForms right = rotation_forms(state);
  EXPECT_EQ(readout(forms_readouts(state, right, text), "agree").note.find("Rounding. "), 0u);
  EXPECT_NE(readout(forms_readouts(state, right, text), "length").note.find("stays"), std::string::npos);
  RotationForms wrong = right;
  wrong.largest_difference = 0.3;
  wrong.by_elements[0] += 0.3;
  const auto readouts = forms_readouts(state, wrong, text);
  EXPECT_EQ(readout(readouts, "agree").note.find("More than rounding"), 0u);
  EXPECT_EQ(readout(readouts, "difference").note.find("More than rounding"), 0u);
  EXPECT_NE(readout(readouts, "length").note.find("changed"), std::string::npos);
}

TEST_F(RotationView, MovingOneChangesTheScore) {
  const double before = pair_scores(rotation_state(experiment)).rotated;
  set("rotation.query_position=9");
  EXPECT_EQ(knobs.key_position, 3);
  EXPECT_GT(std::abs(pair_scores(rotation_state(experiment)).rotated - before), 0.1);
}

TEST_F(RotationView, TheThreeNumbersAndTheNorms) {
  knobs.query_position = 500;
  knobs.key_position = 123;
  const RotationState state = rotation_state(experiment);
  const RotationScores scores = pair_scores(state);
  const double angle = -377 * state.frequency;
  // ⟨q, R_{k−m} k⟩ written out for q = (1, 0).
  EXPECT_NEAR(scores.relative, 0.6 * std::cos(angle) - 0.5 * std::sin(angle), 1e-13);
  EXPECT_NEAR(scores.rotated, scores.relative, 1e-13);
  EXPECT_DOUBLE_EQ(scores.before, 0.6);
  EXPECT_NEAR(state.turned_q.norm(), state.q.norm(), 1e-15);
  EXPECT_NEAR(state.turned_k.norm(), state.k.norm(), 1e-15);
  EXPECT_EQ(draw().readouts.size(), 5u);
  EXPECT_EQ(value("rotated"), value("relative"));
  EXPECT_EQ(value("norms"), "kept");
}

TEST_F(RotationView, TheAmplitudeIsInTheArrowsOnceAndInTheScoreTwice) {
  experiment.rope.scaling.method = "yarn";
  experiment.rope.scaling.factor = 16;
  const RotationState state = rotation_state(experiment);
  const double amplitude = 0.1 * std::log(16) + 1;
  EXPECT_NEAR(state.turned_q.norm(), amplitude, 1e-14);
  EXPECT_EQ(value("norms"), "× 1.277");
  const RotationScores scores = pair_scores(state);
  EXPECT_NEAR(scores.rotated, scores.relative, 1e-14);
  EXPECT_NEAR(scores.rotated,
              amplitude * amplitude * (0.6 * std::cos(4 * state.frequency) + 0.5 * std::sin(4 * state.frequency)),
              1e-13);
}

TEST_F(RotationView, ContentOfTheOtherPairs) {
  RotationState state = rotation_state(experiment);
  EXPECT_NEAR(all_scores(state, rotation_content(state)).before, 64 * 0.6, 1e-12);
  knobs.content = "random";
  state = rotation_state(experiment);
  const RotationContent content = rotation_content(state);
  EXPECT_EQ(content.q[16], 1);  // pair 8 keeps its arrows
  EXPECT_EQ(content.k[17], 0.5);
  EXPECT_NE(content.q[0], content.q[2]);
  knobs.pair = 20;
  EXPECT_EQ(rotation_content(rotation_state(experiment)).q[0], content.q[0]);
  knobs.seed = 2;
  EXPECT_NE(rotation_content(rotation_state(experiment)).q[0], content.q[0]);
}

TEST_F(RotationView, HandsStandAtTheirAngles) {
  knobs.query_position = 1234;
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
  EXPECT_TRUE(says(figure("clocks"), "18 pairs finish no turn in 4\u202f096 positions"));
  EXPECT_EQ(path(figure("clocks"), "slow_hands").xs.size(), 3 * 18u);
  experiment.rope.trained_length = 0;
  EXPECT_FALSE(says(figure("clocks"), "turn"));
  EXPECT_TRUE(says(figure("clocks"), "trained length unknown"));
  EXPECT_TRUE(path(figure("clocks"), "slow_hands").xs.empty());
  experiment.rope.trained_length = 1e9;
  EXPECT_TRUE(says(figure("clocks"), "all finish a turn"));
}

TEST_F(RotationView, WhatIsCoveredIsTheAngleUntilItIsAllOfTheCircle) {
  knobs.query_position = 10;
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
  knobs.pair = 777;
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
  react_rotation(experiment, {FigureEvent::Kind::drag, "clocks", "q", 0, 0});
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
  experiment.rope.pairing = "interleaved";
  EXPECT_NE(figure("plane").title.find("channels 16 and 17"), std::string::npos);
  set("rope.axes=t:16,row:56,column:56");
  set("rope.axis=row");
  EXPECT_NE(figure("plane").title.find("channels 32 and 33"), std::string::npos);
}

TEST_F(RotationView, TheHelixPassesThroughItsPositions) {
  knobs.show = "helix";
  knobs.span = 64;
  knobs.query_position = 70;
  const Figure helix = figure("helix");
  // The page from 64 to 128.
  EXPECT_LT(helix.x.range.low, 64);
  EXPECT_GT(helix.x.range.high, 128);
  ASSERT_EQ(helix.points.size(), 1u);
  EXPECT_EQ(helix.points[0].xs.size(), 65u);
  const double angle = 70 * plain_frequencies(128, 10000)[8];
  // The hand points to the helix where the query stands, and the shear is the same for both.
  const Arrow& hand = arrow(helix, "query");
  EXPECT_NEAR(hand.x1, helix.points[0].xs[6], 1e-12);
  EXPECT_NEAR(hand.y1, helix.points[0].ys[6], 1e-12);
  EXPECT_NEAR(hand.x0, 70, 1e-12);
  const double depth = (hand.x1 - hand.x0) / std::cos(angle);
  EXPECT_NEAR(depth, 0.07 * 64, 1e-9);
  EXPECT_NEAR(hand.y1 - 0.28 * std::cos(angle), std::sin(angle), 1e-9);
  EXPECT_EQ(helix.arrows.size(), 1u);  // the key is on another page
  knobs.key_position = 100;
  EXPECT_EQ(figure("helix").arrows.size(), 2u);
}

TEST_F(RotationView, TheHelixShowsFiveTurnsOrSaysThatThereAreTooMany) {
  knobs.show = "helix";
  for (const double pair : {0.0, 8.0, 30.0}) {
    knobs.pair = pair;
    const double length = std::ceil(5 * wavelength(plain_frequencies(128, 10000)[static_cast<Eigen::Index>(pair)]));
    const Figure helix = figure("helix");
    EXPECT_NEAR(helix.x.range.high - helix.x.range.low, 1.22 * length, 0.01 * length) << pair;
  }
  knobs.pair = 0;
  knobs.span = 4096;
  EXPECT_TRUE(says(figure("helix"), "652 turns: too many to draw"));
  EXPECT_LT(path(figure("helix"), "helix").xs.size(), 10u);
}

TEST_F(RotationView, TheHelixSaysWhatItLeavesOut) {
  knobs.show = "helix";
  EXPECT_FALSE(says(figure("helix"), "stands"));
  EXPECT_FALSE(says(figure("helix"), "at most"));
  knobs.key_position = 5000;
  EXPECT_TRUE(says(figure("helix"), "k = 5\u202f000 stands after these positions"));
  knobs.query_position = 9000;
  EXPECT_TRUE(says(figure("helix"), "k = 5\u202f000 stands before these positions"));
  knobs.pair = 63;  // a turn is 54 410 positions
  const double turns = 131072 / wavelength(plain_frequencies(128, 10000)[63]);
  ASSERT_NEAR(turns, 2.41, 0.005);
  EXPECT_TRUE(says(figure("helix"), "2.41 turns: at most 131\u202f072 positions can be shown"));
  knobs.span = 131072;  // asked for
  EXPECT_FALSE(says(figure("helix"), "at most"));
}

TEST_F(RotationView, AStillPairHasAHelixToo) {
  experiment.rope.scaling.method = "proportional";
  experiment.rope.scaling.live_fraction = 0.25;
  knobs.pair = 60;
  for (const char* show : {"turn", "helix", "forms", "pairing"}) {
    knobs.show = show;
    EXPECT_FALSE(draw().readouts.empty()) << show;
  }
}

TEST_F(RotationView, TheFormsAgreeInBothPairings) {
  knobs.show = "forms";
  for (const char* pairing : {"interleaved", "half"}) {
    for (const double dim : {2.0, 4.0, 6.0, 8.0}) {
      for (const double position : {0.0, 7.0, 131072.0}) {
        experiment.rope.pairing = pairing;
        knobs.form_dim = dim;
        knobs.query_position = position;
        const RotationForms forms = rotation_forms(rotation_state(experiment));
        EXPECT_LT(forms.largest_difference, 1e-15) << pairing << dim;
        // Pair by pair, written out once more.
        for (int pair = 0; pair < forms.pairs; ++pair) {
          const auto [a, b] = pair_channels(forms.pairing, pair, forms.pairs);
          const double angle = position * std::pow(10000, -2.0 * pair / dim);
          EXPECT_NEAR(forms.by_columns[a], forms.x[a] * std::cos(angle) - forms.x[b] * std::sin(angle), 1e-9);
          EXPECT_NEAR(forms.by_columns[b], forms.x[b] * std::cos(angle) + forms.x[a] * std::sin(angle), 1e-9);
          EXPECT_EQ(forms.companion[a], -forms.x[b]);
          EXPECT_EQ(forms.companion[b], forms.x[a]);
        }
        EXPECT_EQ(draw().panels.size(), 5u);
      }
    }
  }
}

TEST_F(RotationView, AFormInTheWrongPairingWouldShow) {
  knobs.show = "forms";
  RotationForms forms = rotation_forms(rotation_state(experiment));
  const Eigen::VectorXd wrong = rotate_blocks(forms.x, forms.blocks, Pairing::interleaved);  // the rope is half split
  EXPECT_GT((wrong - forms.by_matrix).cwiseAbs().maxCoeff(), 0.01);
}

/// The width of "−0.52" in ems of its own size, with a little air.
constexpr double kNumberEms = 3.1;

TEST_F(RotationView, NumbersStandInsideTheirBrackets) {
  knobs.show = "forms";
  // Widths of the panels in a window of 1280 × 720, and the size of its tick labels, in pixels.
  constexpr double kEm = 13;
  const struct {
    const char* name;
    double width;
  } sheets[] = {{"matrix", 356}, {"elements", 246}, {"columns", 246}};
  for (const double dim : {2.0, 4.0, 6.0, 8.0}) {
    knobs.form_dim = dim;
    for (const auto& [name, width] : sheets) {
      const Figure sheet = figure(name);
      const double per_unit = width / (sheet.x.range.high - sheet.x.range.low);
      for (const Path& brackets : sheet.paths) {
        if (brackets.key != "brackets") continue;
        const double left = brackets.xs[1], right = brackets.xs[6];
        EXPECT_GE(left, 0) << name;
        EXPECT_LE(right, sheet.x.range.high) << name;
        for (const Label& label : sheet.labels) {
          if (label.x < left || label.x > right || label.y < 0) continue;
          EXPECT_LT(label.size * kEm * kNumberEms, (right - left) * per_unit) << name << dim << label.text;
        }
      }
    }
  }
}

TEST_F(RotationView, ManyComplexProductsHaveALineEach) {
  knobs.show = "forms";
  knobs.form_dim = 8;
  const Figure complex = figure("complex");
  EXPECT_TRUE(says(complex, "7.00"));
  EXPECT_TRUE(says(complex, "(0.75 + 0.66i)"));
  for (const Label& label : complex.labels) {
    EXPECT_GE(label.size, 0.9) << label.text;
    for (const Label& other : complex.labels) EXPECT_FALSE(label.y != other.y && std::abs(label.y - other.y) < 1.4);
  }
}

TEST_F(RotationView, FormsSpeakOfTheirOwnLadder) {
  knobs.show = "forms";
  EXPECT_EQ(draw().status, "own ladder of d = 4, base 10\u202f000");
  experiment.rope.base = 500000;
  knobs.form_dim = 8;
  EXPECT_EQ(draw().status, "own ladder of d = 8, base 500\u202f000");
  knobs.show = "pairing";
  EXPECT_EQ(draw().status, "64 pairs · distances 0 to 256");
}

TEST_F(RotationView, TheMatrixIsAMapOfItsCells) {
  knobs.show = "forms";
  experiment.rope.pairing = "interleaved";
  const Figure matrix = figure("matrix");
  ASSERT_EQ(matrix.maps.size(), 1u);
  const MapCells& cells = *matrix.maps[0].cells;
  ASSERT_EQ(cells.values.size(), 16u);
  EXPECT_EQ(matrix.maps[0].colours, MapColours::signed_value);
  EXPECT_FLOAT_EQ(cells.values[0], static_cast<float>(std::cos(7.0)));
  EXPECT_FLOAT_EQ(cells.values[1], static_cast<float>(-std::sin(7.0)));
  EXPECT_FLOAT_EQ(cells.values[4], static_cast<float>(std::sin(7.0)));
  EXPECT_EQ(cells.values[2], 0);
  EXPECT_TRUE(says(matrix, "−0.66"));
  EXPECT_TRUE(matrix.y.reversed);
}

TEST_F(RotationView, EveryFormWritesTheSameResult) {
  knobs.show = "forms";
  const RotationForms forms = rotation_forms(rotation_state(experiment));
  for (const char* name : {"matrix", "elements", "columns", "blocks"}) {
    const Figure sheet = figure(name);
    for (const double number : forms.by_matrix) {
      char words[16];
      std::snprintf(words, sizeof words, "%.2f", std::abs(number));
      EXPECT_TRUE(says(sheet, words)) << name << " " << words;
    }
  }
}

TEST_F(RotationView, ChannelsGlideToTheirPlaces) {
  knobs.show = "pairing";
  const std::vector<int> from = half_split_from_interleaved(4);
  for (const double progress : {0.0, 0.5, 1.0}) {
    knobs.permute = progress;
    const Figure permutation = figure("permutation");
    for (int target = 0; target < 8; ++target) {
      const int source = from[static_cast<std::size_t>(target)];
      const std::string name = std::string("x\xE2\x82") + static_cast<char>(0x80 + source);
      const auto label = std::find_if(permutation.labels.begin(), permutation.labels.end(),
                                      [&](const Label& one) { return one.text == name; });
      ASSERT_NE(label, permutation.labels.end()) << name;
      EXPECT_NEAR(label->x, source + progress * (target - source), 1e-12) << name;
      // On the way they make room for each other; at the ends they stand in their rows.
      EXPECT_NEAR(label->y, 3.4 * progress, progress == 0.5 && source != target ? 0.6 : 1e-12);
      EXPECT_EQ(label->style.slot, source / 2);  // one colour is one pair
    }
  }
}

TEST_F(RotationView, MixedPairingsAreWrongUnlessNothingTurns) {
  knobs.show = "pairing";
  knobs.content = "random";
  knobs.query_position = 900;
  knobs.key_position = 500;
  const RotationState state = rotation_state(experiment);
  const RotationContent content = rotation_content(state);
  MixedInput input;
  input.frequencies = state.ladder.frequencies;
  input.pairing = Pairing::half_split;
  input.q = in_layout(content.q, input.pairing);
  input.k = in_layout(content.k, input.pairing);
  input.key_position = 500;
  input.reach = 10;
  const MixedScores scores = input.scores(900);
  EXPECT_NEAR(scores.right, all_scores(state, content).rotated, 1e-10);
  EXPECT_GT(std::abs(scores.other - scores.right), 1);
  EXPECT_GT(std::abs(scores.mixed - scores.right), 1);
  // The weights of one with the code of the other: still relative.
  input.key_position = 600;
  EXPECT_NEAR(input.scores(1000).other, scores.other, 1e-10);
  EXPECT_NEAR(input.scores(1000).right, scores.right, 1e-10);
  EXPECT_GT(std::abs(input.scores(1000).mixed - scores.mixed), 0.1);
  // Position 0 is the identity in every convention.
  input.key_position = 0;
  EXPECT_NEAR(input.scores(0).other, input.scores(0).right, 1e-12);
  EXPECT_NEAR(input.scores(400).mixed, input.scores(400).right, 1e-12);
  // The curve holds the same numbers.
  const Figure mixed = figure("mixed");
  ASSERT_EQ(mixed.lines.size(), 3u);
  input.key_position = 500;
  EXPECT_NEAR(mixed.lines[0].series->ys[100], input.scores(600).right, 1e-12);
  EXPECT_NEAR(mixed.lines[1].series->ys[100], input.scores(600).other, 1e-12);
  EXPECT_NEAR(mixed.lines[2].series->ys[100], input.scores(600).mixed, 1e-12);
}

TEST_F(RotationView, InLayoutMovesChannelsAsThePermutationSays) {
  const Eigen::VectorXd pair_order = Eigen::VectorXd::LinSpaced(8, 0, 7);
  EXPECT_EQ(in_layout(pair_order, Pairing::interleaved), pair_order);
  const Eigen::VectorXd half = in_layout(pair_order, Pairing::half_split);
  const std::vector<int> from = half_split_from_interleaved(4);
  for (int c = 0; c < 8; ++c) EXPECT_EQ(half[c], from[static_cast<std::size_t>(c)]);
}

TEST_F(RotationView, ASecondCallComputesNothing) {
  knobs.show = "pairing";
  draw();
  const auto started = store.started();
  EXPECT_GT(started, 0);
  knobs.permute = 0.3;
  knobs.query_position = 12;
  draw();
  EXPECT_EQ(store.started(), started);
}

TEST_F(RotationView, EveryPresetDrawsEveryPicture) {
  for (const Preset& preset : load_presets(kAssets)) {
    for (const Profile& profile : preset.profiles) {
      experiment.rope = knobs_of(profile, preset.name);
      for (const char* show : {"turn", "helix", "forms", "pairing"}) {
        knobs.show = show;
        const ViewResult result = draw();
        EXPECT_EQ(result.readouts.size(), 5u) << preset.id << " " << show;
        for (const Panel& panel : result.panels) EXPECT_TRUE(panel.figure.empty_message.empty()) << preset.id;
        for (const Readout& one : result.readouts) {
          EXPECT_EQ(one.note.find('{'), std::string::npos) << one.note;
          EXPECT_FALSE(one.tooltip.empty()) << one.key;
        }
      }
    }
  }
}

TEST_F(RotationView, OnePairIsEnough) {
  experiment.rope.rotary_dim = 2;
  experiment.rope.trained_length = 0;
  for (const char* show : {"turn", "helix", "forms", "pairing"}) {
    knobs.show = show;
    const ViewResult result = draw();
    EXPECT_FALSE(result.panels.empty());
    for (const Panel& panel : result.panels) {
      for (const std::string& words : {panel.figure.title, panel.figure.y.label}) {
        EXPECT_EQ(words.find("1 pairs"), std::string::npos) << words;
      }
    }
    for (const Readout& one : result.readouts) EXPECT_EQ(one.label.find("1 pairs"), std::string::npos) << one.label;
  }
}

TEST_F(RotationView, OnePairHasNoOtherOrderAndSaysSo) {
  knobs.show = "pairing";
  EXPECT_EQ(figure("mixed").title.find("With one pair"), std::string::npos);
  EXPECT_NE(note("other").find("wrong by"), std::string::npos);
  EXPECT_NE(note("mixed").find("wrong by"), std::string::npos);
  experiment.rope.rotary_dim = 2;
  EXPECT_EQ(figure("mixed").title.find("With one pair both orders are the same"), 0u);
  EXPECT_NE(note("other").find("the same here"), std::string::npos);
  EXPECT_NE(note("mixed").find("the same here"), std::string::npos);
}

TEST_F(RotationView, ClocksAreNumberedUnderThemOrByRow) {
  experiment.rope.rotary_dim = 2;
  EXPECT_EQ(figure("clocks").title, "1 pair · m = 7");
  for (const double rotary_dim : {2.0, 64.0, 66.0, 256.0}) {
    experiment.rope.rotary_dim = rotary_dim;
    knobs.pair = 0;
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

TEST_F(RotationView, KnobsThatContradictEachOtherSayWhy) {
  experiment.rope.axes = "t:16,row:57";
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_NE(result.panels[0].figure.empty_message.find("rope.axes"), std::string::npos);
}

TEST_F(RotationView, PlayingMovesBothOnlyWhereTheyAreLocked) {
  kRotationPlayer.play(experiment, true);
  EXPECT_TRUE(kRotationPlayer.playing(experiment));
  knobs.speed = 4;
  kRotationPlayer.advance(experiment, 0.6);
  EXPECT_EQ(knobs.query_position, 9);
  EXPECT_NEAR(knobs.glide, 0.4, 1e-12);
  EXPECT_EQ(knobs.key_position, 3);
  const RotationState between = rotation_state(experiment);
  EXPECT_NEAR(between.query_position, 9.4, 1e-12);
  EXPECT_EQ(between.key_position, 3);
  // Saved while it plays, it comes back as it was.
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
  kRotationPlayer.play(experiment, false);
  EXPECT_FALSE(kRotationPlayer.playing(experiment));
  EXPECT_EQ(knobs.glide, 0);
  EXPECT_EQ(knobs.query_position, 9);
  kRotationPlayer.advance(experiment, 1);
  EXPECT_EQ(knobs.query_position, 9);

  knobs.locked = true;
  const double score = pair_scores(rotation_state(experiment)).rotated;
  kRotationPlayer.play(experiment, true);
  for (int frame = 0; frame < 100; ++frame) {
    kRotationPlayer.advance(experiment, 0.016);
    EXPECT_NEAR(pair_scores(rotation_state(experiment)).rotated, score, 1e-12);
  }
  EXPECT_EQ(knobs.query_position - knobs.key_position, 6);
  EXPECT_EQ(knobs.query_position, 15);
}

TEST_F(RotationView, StepsGoToWholePositionsAndStopAtTheEnds) {
  kRotationPlayer.step(experiment, 1);
  EXPECT_EQ(knobs.query_position, 8);
  EXPECT_EQ(knobs.key_position, 3);
  knobs.glide = 0.5;
  kRotationPlayer.step(experiment, -1);
  EXPECT_EQ(knobs.query_position, 8);
  EXPECT_EQ(knobs.glide, 0);
  knobs.glide = 0.5;
  kRotationPlayer.step(experiment, 1);
  EXPECT_EQ(knobs.query_position, 9);
  knobs.locked = true;
  kRotationPlayer.step(experiment, -5);  // the key reaches 0
  EXPECT_EQ(knobs.query_position, 6);
  EXPECT_EQ(knobs.key_position, 0);
}

TEST_F(RotationView, PlayingStopsAtTheLastPositionAndBeginsAgain) {
  knobs.locked = true;
  knobs.query_position = 131000;
  knobs.key_position = 131070;
  kRotationPlayer.play(experiment, true);
  kRotationPlayer.advance(experiment, 1e6);
  EXPECT_FALSE(knobs.playing);
  EXPECT_EQ(knobs.key_position, 131072);
  EXPECT_EQ(knobs.query_position, 131002);
  EXPECT_EQ(knobs.glide, 0);
  kRotationPlayer.play(experiment, true);
  EXPECT_EQ(knobs.query_position, 0);
  EXPECT_EQ(knobs.key_position, 70);
  kRotationPlayer.advance(experiment, -1);
  kRotationPlayer.advance(experiment, std::nan(""));
  EXPECT_EQ(knobs.query_position, 0);
}

TEST_F(RotationView, InThePictureOfThePairingsThePlayerMovesChannels) {
  knobs.show = "pairing";
  kRotationPlayer.play(experiment, true);
  kRotationPlayer.advance(experiment, kPermuteSeconds / 2);
  EXPECT_NEAR(knobs.permute, 0.5, 1e-12);
  EXPECT_EQ(knobs.query_position, 7);
  kRotationPlayer.advance(experiment, 100);
  EXPECT_EQ(knobs.permute, 1);
  EXPECT_FALSE(knobs.playing);
  kRotationPlayer.step(experiment, -1);
  EXPECT_EQ(knobs.permute, 0.75);
  knobs.permute = 1;
  kRotationPlayer.play(experiment, true);
  EXPECT_EQ(knobs.permute, 0);
}

/// Moves a slider of the controls as a hand would.
class Slider : public Fields {
 public:
  Slider(std::string_view key, double to) : key_(key), to_(to) {}
  double maximum = 0;
  bool control = false;
  std::string unit;
  void number(const NumberField& field, double& value) override {
    if (field.key != key_) return;
    maximum = field.maximum;
    control = field.control;
    unit = field.unit;
    value = clamp_to(field, to_);
  }
  void choice(const ChoiceField&, std::string&) override {}
  void toggle(const ToggleField&, bool&) override {}
  void text(const TextField&, std::string&) override {}
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField&, std::vector<std::string>&) override {}

 private:
  std::string_view key_;
  double to_;
};

TEST_F(RotationView, EitherSliderTakesTheOtherAlongWhileLocked) {
  const auto slide = [&](const char* key, double to) {
    Slider slider(key, to);
    describe_rotation(slider, experiment);
  };
  slide("rotation.key_position", 5);
  EXPECT_EQ(knobs.query_position, 7);
  knobs.locked = true;
  slide("rotation.query_position", 100);
  EXPECT_EQ(knobs.query_position, 100);
  EXPECT_EQ(knobs.key_position, 98);
  slide("rotation.key_position", 131072);  // the query stands two further on
  EXPECT_EQ(knobs.query_position, 131072);
  EXPECT_EQ(knobs.key_position, 131070);
  slide("rotation.query_position", 0);
  EXPECT_EQ(knobs.query_position, 2);
  EXPECT_EQ(knobs.key_position, 0);
}

/// The names of all knobs that have a control now.
class Shown : public Fields {
 public:
  std::vector<std::string> keys;
  void number(const NumberField& field, double&) override { see(field); }
  void choice(const ChoiceField& field, std::string&) override { see(field); }
  void toggle(const ToggleField& field, bool&) override { see(field); }
  void text(const TextField& field, std::string&) override { see(field); }
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField& field, std::vector<std::string>&) override { see(field); }
  bool has(const std::string& key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }

 private:
  template <class Field>
  void see(const Field& field) {
    if (field.control) keys.emplace_back(field.key);
  }
};

TEST_F(RotationView, FormsHaveNoControlThatDoesNothingThere) {
  const auto shown = [&](const char* show) {
    knobs.show = show;
    Shown fields;
    describe_rotation(fields, experiment);
    return fields;
  };
  for (const char* key : {"rope.rotary_dim", "rope.trained_length", "rope.scaling"}) {
    EXPECT_FALSE(shown("forms").has(key)) << key;
    for (const char* other : {"turn", "helix", "pairing"}) EXPECT_TRUE(shown(other).has(key)) << key << other;
  }
  for (const char* key : {"rope.base", "rope.pairing", "rotation.form_dim"})
    EXPECT_TRUE(shown("forms").has(key)) << key;
  const Shown forms = shown("forms");
  EXPECT_EQ(std::count(forms.keys.begin(), forms.keys.end(), "rope.pairing"), 1);
}

TEST_F(RotationView, APlaceIsNotACount) {
  for (const char* key : {"rotation.query_position", "rotation.key_position"}) {
    Slider slider(key, 7);
    describe_rotation(slider, experiment);
    EXPECT_EQ(slider.unit, "") << key;
  }
}

TEST_F(RotationView, ThePairSliderEndsAtTheLastPairAndKeepsAChoiceBeyond) {
  knobs.pair = 50;
  experiment.rope.rotary_dim = 16;
  Slider still("rotation.pair", 7);  // where the slider stands already
  describe_rotation(still, experiment);
  EXPECT_EQ(still.maximum, 7);
  EXPECT_EQ(knobs.pair, 50);
  EXPECT_EQ(figure("plane").title.find("Pair 7 "), 0u);
  Slider moved("rotation.pair", 3);
  describe_rotation(moved, experiment);
  EXPECT_EQ(knobs.pair, 3);
  experiment.rope.rotary_dim = 2;
  Slider one("rotation.pair", 0);
  describe_rotation(one, experiment);
  EXPECT_FALSE(one.control);
}

}  // namespace
}  // namespace ropescope
