#include "tests/figures/rotation_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(RotationView, ArrowsAreTurnedAsCoreTurnsThem) {
  fields.query_position = 1000;
  fields.key_position = 17;
  fields.qx = 0.8;
  fields.qy = -1.1;
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
    fields.query_position = position;
    const Figure plane = figure("plane");
    EXPECT_NEAR(swept(path(plane, "query_angle")), position * theta, 1e-9) << position;
  }
  // 131 072 positions are 6 596.75 turns: five of them are drawn, and the end is where it belongs.
  fields.query_position = 131072;
  const double turns = 131072 * theta / kTurn;
  const Figure plane = figure("plane");
  EXPECT_NEAR(swept(path(plane, "query_angle")) / kTurn, 5 + turns - std::floor(turns), 1e-6);
  EXPECT_NEAR(std::remainder(last_angle(path(plane, "query_angle")) - 131072 * theta, kTurn), 0, 1e-6);
  EXPECT_TRUE(says(plane, "6\u202f596 turns + 0.7"));
}

TEST_F(RotationView, TheSpiralBeginsAtItsArrowAndGrows) {
  fields.qx = -0.3;
  fields.qy = 0.4;
  fields.query_position = 60;
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
  EXPECT_EQ(many.angle, "nθ = 77.75 rad");
  EXPECT_EQ(many.turns, "12 turns + 0.375");
}

TEST_F(RotationView, ComponentsLandOnBothAxes) {
  fields.query_position = 5;
  const double angle = 5 * plain_frequencies(128, 10000)[8];
  const Figure plane = figure("plane");
  const Path &first = path(plane, "first"), &second = path(plane, "second");
  EXPECT_NEAR(first.xs.back(), std::cos(angle), 1e-14);
  EXPECT_EQ(first.ys.back(), 0);
  EXPECT_EQ(second.xs.back(), 0);
  EXPECT_NEAR(second.ys.back(), std::sin(angle), 1e-14);
  EXPECT_TRUE(says(plane, "cos mθ = −0.010"));
  EXPECT_TRUE(says(plane, "sin mθ = 1.000"));
  fields.qy = 0.2;
  EXPECT_FALSE(says(figure("plane"), "cos mθ"));
}

TEST_F(RotationView, TheTrailHoldsTheLastPositions) {
  fields.query_position = 4;
  const Figure plane = figure("plane");
  ASSERT_EQ(plane.points.size(), 1u);
  ASSERT_EQ(plane.points[0].xs.size(), 4u);
  EXPECT_NEAR(plane.points[0].ys[0], std::sin(3 * plain_frequencies(128, 10000)[8]), 1e-14);
  fields.locked = true;
  EXPECT_EQ(figure("plane").points.size(), 2u);
  fields.trail = false;
  EXPECT_TRUE(figure("plane").points.empty());
}

TEST_F(RotationView, ShiftingBothKeepsTheScoreAndTurnsTheArrows) {
  fields.locked = true;
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
  fields = RotationFields{};
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
  experiment.rope.scaling["factor"] = 16;
  for (const RotationShow show :
       {RotationShow::turn, RotationShow::helix, RotationShow::forms, RotationShow::pairing}) {
    for (const OtherPairs content : {OtherPairs::same, OtherPairs::random}) {
      for (const double rotary_dim : {2.0, 128.0, 8192.0}) {
        for (const double position : {0.0, 7.0, 4097.0, 131071.0}) {
          fields.show = show;
          fields.content = content;
          fields.query_position = position;
          experiment.rope.rotary_dim = rotary_dim;
          EXPECT_EQ(note("rotation.difference"), text["readout.rotation.difference.note"])
              << word_of(show) << rotary_dim << " " << position;
        }
      }
    }
  }
  fields.locked = true;
  EXPECT_EQ(note("rotation.difference"), text["readout.rotation.difference.locked"]);
}

TEST_F(RotationView, AnErrorIsNotCalledRounding) {
  for (const bool locked : {false, true}) {
    fields.locked = locked;
    RotationState state = rotation_state(experiment);
    state.turned_k.y() += 1e-9;
    const auto readouts = in_words(turn_readouts(state, text), text);
    EXPECT_EQ(readout(readouts, "rotation.difference").note, text["readout.rotation.difference.more"]);
    EXPECT_EQ(readout(readouts, "rotation.norms").text, text["readout.rotation.norms.changed"]);
  }
  fields.show = RotationShow::forms;
  const RotationState state = rotation_state(experiment);
  const RotationForms right = rotation_forms(state);
  EXPECT_THAT(readout(forms_readouts(state, right, text), "rotation.agree").note, Says("readout.rotation.agree.note"));
  EXPECT_THAT(readout(forms_readouts(state, right, text), "rotation.length").note,
              Says("readout.rotation.length.note"));
  RotationForms wrong = right;
  wrong.largest_difference = 0.3;
  wrong.by_elements[0] += 0.3;
  const auto readouts = forms_readouts(state, wrong, text);
  EXPECT_EQ(readout(readouts, "rotation.agree").note, text["readout.rotation.agree.more"]);
  EXPECT_EQ(readout(readouts, "rotation.difference").note, text["readout.rotation.difference.more"]);
  EXPECT_THAT(readout(readouts, "rotation.length").note, Says("readout.rotation.length.changed"));
}

TEST_F(RotationView, MovingOneChangesTheScore) {
  const double before = pair_scores(rotation_state(experiment)).rotated;
  set("rotation.query_position=9");
  EXPECT_EQ(fields.key_position, 3);
  EXPECT_GT(std::abs(pair_scores(rotation_state(experiment)).rotated - before), 0.1);
}

TEST_F(RotationView, TheThreeNumbersAndTheNorms) {
  fields.query_position = 500;
  fields.key_position = 123;
  const RotationState state = rotation_state(experiment);
  const RotationScores scores = pair_scores(state);
  const double angle = -377 * state.frequency;
  // ⟨q, R_{k−m} k⟩ written out for q = (1, 0).
  EXPECT_NEAR(scores.relative, 0.6 * std::cos(angle) - 0.5 * std::sin(angle), 1e-13);
  EXPECT_NEAR(scores.rotated, scores.relative, 1e-13);
  EXPECT_DOUBLE_EQ(scores.before, 0.6);
  EXPECT_NEAR(state.turned_q.norm(), state.q.norm(), 1e-15);
  EXPECT_NEAR(state.turned_k.norm(), state.k.norm(), 1e-15);
  const std::vector<Readout> all = draw().readouts;
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Readout& one) { return !one.aside; }), 5);
  EXPECT_EQ(value("rotation.rotated"), value("rotation.relative"));
  EXPECT_EQ(value("rotation.norms"), text["readout.rotation.norms.kept"]);
}

TEST_F(RotationView, TheAmplitudeIsInTheArrowsOnceAndInTheScoreTwice) {
  experiment.rope.scaling.method = "yarn";
  experiment.rope.scaling["factor"] = 16;
  const RotationState state = rotation_state(experiment);
  const double amplitude = 0.1 * std::log(16) + 1;
  EXPECT_NEAR(state.turned_q.norm(), amplitude, 1e-14);
  EXPECT_EQ(value("rotation.norms"), "× 1.277");
  const RotationScores scores = pair_scores(state);
  EXPECT_NEAR(scores.rotated, scores.relative, 1e-14);
  EXPECT_NEAR(scores.rotated,
              amplitude * amplitude * (0.6 * std::cos(4 * state.frequency) + 0.5 * std::sin(4 * state.frequency)),
              1e-13);
}

TEST_F(RotationView, ContentOfTheOtherPairs) {
  RotationState state = rotation_state(experiment);
  EXPECT_NEAR(all_scores(state, rotation_content(state)).before, 64 * 0.6, 1e-12);
  fields.content = OtherPairs::random;
  state = rotation_state(experiment);
  const RotationContent content = rotation_content(state);
  EXPECT_EQ(content.q[16], 1);  // pair 8 keeps its arrows
  EXPECT_EQ(content.k[17], 0.5);
  EXPECT_NE(content.q[0], content.q[2]);
  fields.pair = 20;
  EXPECT_EQ(rotation_content(rotation_state(experiment)).q[0], content.q[0]);
  fields.seed = 2;
  EXPECT_NE(rotation_content(rotation_state(experiment)).q[0], content.q[0]);
}

}  // namespace
}  // namespace ropescope
