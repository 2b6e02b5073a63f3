#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "specs.h"
#include "tests/rotate_head.h"

namespace ropescope {

namespace {

constexpr double kDistances[] = {0, 1, 2, 50, 1707, 4096, 100000};

class DecayLaws : public testing::TestWithParam<NamedSpec> {
 protected:
  Eigen::VectorXd frequencies() const { return pair_frequencies(GetParam().spec); }
  int pair_count() const { return static_cast<int>(frequencies().size()); }
};

}  // namespace

TEST_P(DecayLaws, AtDistanceZeroTheSimilarityIsOneAndTheBoundHalfOfThePairs) {
  EXPECT_EQ(similarity(frequencies(), 0), 1);
  for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
    EXPECT_EQ(abel_bound(frequencies(), 0, order), (pair_count() + 1) / 2.0);
    KernelRequest request{.frequencies = frequencies(), .order = order, .count = 1};
    const KernelCurves curves = kernel_curves(request);
    EXPECT_EQ(curves.similarity[0], 1);
    EXPECT_NEAR(curves.bound[0], (pair_count() + 1) / 2.0, 1e-13);
  }
}

TEST_P(DecayLaws, SimilarityAndBoundAreEvenInTheDistance) {
  for (const double distance : kDistances) {
    EXPECT_EQ(similarity(frequencies(), distance), similarity(frequencies(), -distance)) << distance;
    EXPECT_EQ(abel_bound(frequencies(), distance), abel_bound(frequencies(), -distance)) << distance;
  }
  KernelRequest request{.frequencies = frequencies(), .first = -3000, .count = 6001};
  const KernelCurves curves = kernel_curves(request);
  for (std::size_t i = 0; i <= 3000; ++i) {
    ASSERT_NEAR(curves.similarity[3000 - i], curves.similarity[3000 + i], 1e-13) << i;
    ASSERT_NEAR(curves.bound[3000 - i], curves.bound[3000 + i], 1e-11) << i;
  }
}

TEST_P(DecayLaws, SimilarityIsTheScoreOfEqualUnitPairs) {
  const RotarySpec& spec = GetParam().spec;
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(2 * pair_count());
  for (const double distance : {0.0, 1.0, 50.0, 1707.0}) {
    const Eigen::VectorXd turned = rotate_elementwise(ones, frequencies(), spec.pairing, distance);
    EXPECT_NEAR(turned.dot(ones) / (2 * pair_count()), similarity(frequencies(), distance), 1e-12) << distance;
  }
}

TEST_P(DecayLaws, SlowFirstIsFastFirstOnTheReversedLadder) {
  for (const double distance : kDistances) {
    const double slow = abel_bound(frequencies(), distance, PairOrder::slow_first);
    EXPECT_EQ(slow, abel_bound(frequencies().reverse(), distance, PairOrder::fast_first)) << distance;
  }
}

TEST_P(DecayLaws, BoundIsNotBelowTheSimilarity) {
  for (const double distance : kDistances) {
    for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
      EXPECT_GE(abel_bound(frequencies(), distance, order) + 1e-12, std::abs(similarity(frequencies(), distance)));
    }
  }
}

TEST_P(DecayLaws, AbelInequalityHolds) {
  const int n = pair_count();
  for (int draw = 0; draw < 20; ++draw) {
    const auto seed = static_cast<std::uint64_t>(draw);
    const Eigen::VectorXd real = random_vector(n, 100 + seed), imaginary = random_vector(n, 200 + seed);
    double largest_step = 0;
    for (int i = 0; i < n; ++i) {
      const std::complex<double> h(real[i], imaginary[i]);
      const std::complex<double> next = i + 1 < n ? std::complex<double>(real[i + 1], imaginary[i + 1]) : 0.0;
      largest_step = std::max(largest_step, std::abs(next - h));
    }
    for (const double distance : kDistances) {
      std::complex<double> score = 0;
      for (int i = 0; i < n; ++i) {
        score += std::complex<double>(real[i], imaginary[i]) * std::polar(1.0, distance * frequencies()[i]);
      }
      // B is the sum of the magnitudes divided by n.
      EXPECT_LE(std::abs(score), largest_step * n * abel_bound(frequencies(), distance) * (1 + 1e-9)) << distance;
    }
  }
}

TEST_P(DecayLaws, EnvelopesLieOnTheCurveAndNeverIncrease) {
  KernelRequest request{.frequencies = frequencies(), .count = 3000, .want_bound = false};
  const std::vector<double> curve = kernel_curves(request).similarity;
  const std::vector<double> from_here = envelope_from(curve), window = envelope_window(curve, 64);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    ASSERT_GE(from_here[i], std::abs(curve[i]));
    ASSERT_GE(window[i], std::abs(curve[i]));
    ASSERT_LE(window[i], 1);
    ASSERT_LE(from_here[i], from_here[i == 0 ? 0 : i - 1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, DecayLaws, testing::ValuesIn(law_specs()), kByName);

}  // namespace ropescope
