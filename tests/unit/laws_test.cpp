// The laws of section 3.4.1 of RoFormer: which of them preserve a score when both positions are shifted together.

#include "core/rotary/rotation.h"

#include "core/decay/kernel.h"
#include "tests/test.h"

namespace ropescope {
namespace {

constexpr PlanePair kPair{{1, 0}, {0.6, 0.5}};
constexpr int kSpan = 24;

PositionLaw law_of(AngleLaw angle, LengthLaw length = LengthLaw::constant) {
  return {angle, length, 0.3162, 0.4111, 0.7, 1.9, 0.05};
}

double change(const PositionLaw& law, double distance) {
  return score_variation(law, kPair, distance, kSpan);
}

TEST(Laws, ChangeByWhatWasComputedElsewhere) {
  EXPECT_NEAR(change(law_of(AngleLaw::quadratic), 1), 1.93, 0.005);
  EXPECT_NEAR(change(law_of(AngleLaw::quadratic), 3), 1.98, 0.005);
  EXPECT_NEAR(change(law_of(AngleLaw::root), 1), 0.141, 0.0005);
  EXPECT_NEAR(change(law_of(AngleLaw::root), 3), 0.164, 0.0005);
  EXPECT_NEAR(change(law_of(AngleLaw::other_key), 0), 1.75, 0.005);
  EXPECT_NEAR(change(law_of(AngleLaw::other_key), 1), 1.81, 0.005);
  EXPECT_NEAR(change(law_of(AngleLaw::other_key), 3), 1.44, 0.005);
  EXPECT_NEAR(change(law_of(AngleLaw::linear, LengthLaw::reciprocal), 1), 0.892, 0.0005);
  EXPECT_NEAR(change(law_of(AngleLaw::linear, LengthLaw::reciprocal), 3), 2.79, 0.005);
  EXPECT_NEAR(change(law_of(AngleLaw::linear, LengthLaw::growing), 0), 479, 0.5);
  EXPECT_NEAR(change(law_of(AngleLaw::linear, LengthLaw::growing), 1), 602, 0.5);
  EXPECT_NEAR(change(law_of(AngleLaw::linear, LengthLaw::growing), 3), 674, 0.5);
}

TEST(Laws, ThreeAnglesAndTwoLengthsAreFlat) {
  const auto angles = angle_law_changes(law_of(AngleLaw::root, LengthLaw::growing), kPair, kSpan);
  const auto lengths = length_law_changes(law_of(AngleLaw::root, LengthLaw::growing), kPair, kSpan);
  const auto count = [](const auto& laws, std::size_t distance) {
    return std::count_if(laws.begin(), laws.end(), [&](const LawChanges& law) { return law.flat(distance); });
  };
  EXPECT_EQ(count(angles, 0), 5);
  EXPECT_EQ(count(angles, 1), 3);
  EXPECT_EQ(count(angles, 2), 3);
  EXPECT_EQ(count(lengths, 0), 3);
  EXPECT_EQ(count(lengths, 1), 2);
  EXPECT_EQ(count(lengths, 2), 2);
}

/// What the derivation leaves is flat whatever q, k, θ and Δ are; the score is then that of one rotation by Δθ.
TEST(Laws, WhatTheDerivationLeavesIsFlatForAnyVectors) {
  SplitMix generator{7};
  for (int i = 0; i < 200; ++i) {
    const PlanePair pair{normal_pair(generator), normal_pair(generator)};
    PositionLaw law{AngleLaw::linear,        LengthLaw::constant,     6 * generator.uniform(),  0,
                    6 * generator.uniform(), 6 * generator.uniform(), 0.2 * generator.uniform()};
    const double distance = std::floor(200 * generator.uniform());
    for (const AngleLaw angle : {AngleLaw::linear, AngleLaw::offset, AngleLaw::offsets}) {
      law.angle = angle;
      law.length = LengthLaw::constant;
      EXPECT_LT(score_variation(law, pair, distance, 256), kFlatnessTolerance);
      const double turn = distance * law.theta + (angle == AngleLaw::offsets ? law.gamma - law.gamma_key : 0);
      const double expected = (pair.q * std::conj(pair.k) * std::polar(1.0, turn)).real();
      EXPECT_NEAR(law_score(law, pair, distance, 100), expected, 1e-11 * std::abs(pair.q) * std::abs(pair.k));
      law.length = LengthLaw::exponential;
      EXPECT_LT(score_variation(law, pair, 3, 256), kFlatnessTolerance) << "xPos";
    }
  }
}

TEST(Laws, AreBlindWhereNothingTurns) {
  for (const double theta : {0.0, 2 * std::numbers::pi}) {
    PositionLaw law = law_of(AngleLaw::linear);
    law.theta = theta;
    EXPECT_TRUE(law_changes(law, kPair, 256).flat());
    EXPECT_LT(law_contrast(law, kPair), kFlatnessTolerance);
  }
  // q = 1: Re((0.6 − 0.5i) e^{iΔθ}) = 0.6 cos Δθ + 0.5 sin Δθ, largest at Δ = 1 and smallest at 0 or 3.
  const auto score = [](double angle) { return 0.6 * std::cos(angle) + 0.5 * std::sin(angle); };
  const double low = std::min(score(0), score(3 * 0.3162)), high = std::max(score(0.3162), score(3 * 0.3162));
  EXPECT_NEAR(law_contrast(law_of(AngleLaw::linear), kPair), (high - low) / std::hypot(0.6, 0.5), 1e-12);
}

TEST(Laws, SayNothingOfAVectorThatIsNone) {
  const PlanePair none{{0, 0}, {1, 0}};
  EXPECT_EQ(score_variation(law_of(AngleLaw::quadratic), none, 1, kSpan), 0);
  EXPECT_EQ(law_contrast(law_of(AngleLaw::linear), none), 0);
}

}  // namespace
}  // namespace ropescope
