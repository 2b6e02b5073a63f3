#include "core/decay/analysis.h"

#include "core/message.h"
#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {
namespace {

const Eigen::VectorXd kLadder = plain_frequencies(128, 10000);
constexpr PairOrder kOrders[] = {PairOrder::fast_first, PairOrder::slow_first};

TEST(Phasors, HaveTheNumbersOfTheLesson) {
  const PhasorSums far = phasor_sums(kLadder, 500);
  EXPECT_NEAR(far.similarity, 0.29848, 5e-6);
  EXPECT_NEAR(far.length, 0.32069, 5e-6);
  EXPECT_NEAR(phasor_sums(kLadder, 50).mean_distance, 12.62945, 5e-6);
  EXPECT_NEAR(phasor_sums(kLadder, 50, PairOrder::slow_first).mean_distance, 25.5938, 5e-6);
}

TEST(Phasors, AreArrowsOfLengthOneHeadToTail) {
  for (const PairOrder order : kOrders) {
    for (const double distance : {0.0, 0.5, 3.0, 500.0, 1e6}) {
      const PhasorSums sums = phasor_sums(kLadder, distance, order);
      ASSERT_EQ(sums.joints.size(), 64u);
      std::complex<double> before = 0;
      for (const std::complex<double>& joint : sums.joints) {
        EXPECT_NEAR(std::abs(joint - before), 1, 1e-13);
        before = joint;
      }
      EXPECT_NEAR(sums.similarity, similarity(kLadder, distance), 1e-14);
      EXPECT_NEAR(sums.mean_distance, abel_bound(kLadder, distance, order), 1e-12);
      EXPECT_GE(sums.length, std::abs(sums.similarity));
    }
  }
}

TEST(Phasors, MakeAStraightLineAtDistanceZero) {
  const PhasorSums sums = phasor_sums(kLadder, 0);
  EXPECT_EQ(sums.similarity, 1);
  EXPECT_EQ(sums.joints.back(), std::complex<double>(64));
  EXPECT_DOUBLE_EQ(sums.mean_distance, 32.5);
}

TEST(Phasors, EndAtTheSamePlaceInEitherOrder) {
  for (const double distance : {1.0, 50.0, 12345.0}) {
    const PhasorSums fast = phasor_sums(kLadder, distance), slow = phasor_sums(kLadder, distance, kOrders[1]);
    EXPECT_NEAR(fast.similarity, slow.similarity, 1e-14);
    EXPECT_NEAR(fast.length, slow.length, 1e-14);
    EXPECT_GT(std::abs(fast.mean_distance - slow.mean_distance), 0.1);
  }
}

/// Computed by another program (Python, complex numbers) from the same seed.
TEST(AbelChain, HasTheNumbersOfTheLesson) {
  const Content content = random_content(64, 1);
  const AbelChain fast = abel_chain(kLadder, 20, content);
  EXPECT_NEAR(fast.score, -0.10078, 5e-6);
  EXPECT_NEAR(fast.size, 0.24003, 5e-6);
  EXPECT_NEAR(fast.transformed, 0.24003, 5e-6);
  EXPECT_NEAR(fast.terms, 24.3305, 5e-5);
  EXPECT_NEAR(fast.bound, 65.90422, 5e-6);
  const AbelChain slow = abel_chain(kLadder, 20, content, PairOrder::slow_first);
  EXPECT_NEAR(slow.score, fast.score, 1e-14);
  EXPECT_NEAR(slow.terms, 38.32574, 5e-6);
  EXPECT_NEAR(slow.bound, 121.64622, 5e-6);
}

TEST(AbelChain, NoNumberIsLowerThanTheOneBefore) {
  constexpr double kRounding = 1e-12;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const int pairs : {1, 2, 3, 16, 64}) {
      const Eigen::VectorXd ladder = plain_frequencies(2 * pairs, seed % 2 == 0 ? 100 : 500'000);
      const Content content = random_content(pairs, seed);
      for (const PairOrder order : kOrders) {
        for (const double distance : {0.0, 1.0, 7.5, 50.0, 999.0, 131'072.0}) {
          const AbelChain chain = abel_chain(ladder, distance, content, order);
          EXPECT_LE(std::abs(chain.score), chain.size + kRounding);
          EXPECT_NEAR(chain.transformed, chain.size, kRounding);
          EXPECT_LE(chain.transformed, chain.terms + kRounding);
          EXPECT_LE(chain.terms, chain.bound + kRounding);
          EXPECT_NEAR(chain.score, similarity(ladder, distance, content), kRounding);
          EXPECT_NEAR(chain.bound, bound_factor(content, pairs, order) * abel_bound(ladder, distance, order),
                      1e-12 * std::max(1.0, chain.bound));
        }
      }
    }
  }
}

TEST(AbelChain, OfAlignedContentJumpsAtTheEndAlone) {
  const AbelChain chain = abel_chain(kLadder, 50);
  const PhasorSums sums = phasor_sums(kLadder, 50);
  EXPECT_NEAR(chain.score, sums.similarity, 1e-14);
  EXPECT_NEAR(chain.size, sums.length, 1e-14);
  EXPECT_NEAR(chain.terms, sums.length, 1e-14);
  EXPECT_NEAR(chain.bound, sums.mean_distance, 1e-12);
}

TEST(AbelChain, RefusesWhatDoesNotFit) {
  EXPECT_THROW(phasor_sums(Eigen::VectorXd(), 1), InputError);
  EXPECT_THROW(abel_chain(kLadder, 1, random_content(3, 1)), InputError);
}

}  // namespace
}  // namespace ropescope
