#include "core/decay/analysis.h"

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/test.h"

namespace ropescope {

namespace {

constexpr double kHalfWidth = 0.2;  ///< of the window of a local mean, as a share of its middle

/// Mean of K, and of the trend, over the whole distances within a fifth of the middle.
struct LocalMeans {
  double similarity = 0, trend = 0;
};
LocalMeans local_means(const Eigen::VectorXd& frequencies, const SimilarityTrend& trend, double middle) {
  KernelRequest request{.frequencies = frequencies,
                        .first = static_cast<std::int64_t>(std::ceil((1 - kHalfWidth) * middle))};
  request.count = static_cast<std::int64_t>(std::floor((1 + kHalfWidth) * middle)) - request.first + 1;
  request.want_bound = false;
  LocalMeans means;
  for (const double value : kernel_curves(request).similarity) means.similarity += value;
  means.similarity /= static_cast<double>(request.count);
  // The trend is smooth: a hundred of its values are as good as all of them.
  const std::int64_t step = std::max<std::int64_t>(1, request.count / 100);
  int count = 0;
  for (std::int64_t at = 0; at < request.count; at += step, ++count) {
    means.trend += trend_at(trend, static_cast<double>(request.first + at));
  }
  means.trend /= count;
  return means;
}

/// How far the local mean of a sum over pairs may lie from that of the integral. With v = ln(Δθ) the pairs stand a step
/// h apart, and by Poisson's summation formula sum and integral differ by the transforms of cos(e^v) at ω_k = 2πk/h:
/// |M(cos)(iω)| → √(π/2ω), which a window of ±w over Δ weakens to at most 1/(wω). So waves of at most
/// (2/(n·h)) Σ_k √(π/2ω_k)·min(1, 1/(wω_k)). The ends of the ladder add Euler and Maclaurin's next terms: half of what
/// the fastest pair's own mean can be, and a twelfth of a step of the slope at the slowest.
double tolerance(const Eigen::VectorXd& frequencies, double distance) {
  const double n = static_cast<double>(frequencies.size());
  double widest = 0, fastest = 0, slowest = 1e300;
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    if (frequencies[i] == 0) continue;
    fastest = std::max(fastest, frequencies[i]), slowest = std::min(slowest, frequencies[i]);
    if (i > 0) widest = std::max(widest, std::abs(std::log(frequencies[i - 1] / frequencies[i])));
  }
  double waves = 0;
  for (int k = 1; k < 1000; ++k) {
    const double omega = 2 * std::numbers::pi * k / widest;
    waves += std::sqrt(std::numbers::pi / (2 * omega)) * std::min(1.0, 1 / (kHalfWidth * omega));
  }
  const double fast_end = 1 / (2 * n) / (kHalfWidth * distance * fastest);
  const double slow_end = widest / (12 * n) * distance * slowest;
  return 2 / (n * widest) * waves + fast_end + slow_end;
}

RotarySpec make_trend_spec(const char* method, std::map<std::string, double> numbers, int dim, double base,
                           double length) {
  RotarySpec spec{.head_dim = dim};
  spec.axes[0].rotary_dim = dim;
  spec.axes[0].base = base;
  spec.trained_length = length;
  spec.extension = {method, std::move(numbers), {}};
  return spec;
}

}  // namespace

TEST(Trend, OfAPlainLadderIsTheFormula) {
  for (const int d : {4, 64, 128, 3072}) {
    for (const double b : {100.0, 10000.0, 5e5}) {
      const auto trend = trend_of(plain_frequencies(d, b));
      ASSERT_TRUE(trend);
      EXPECT_EQ(trend->pieces.size(), 1u) << "bends are roundings";
      for (const double distance : {0.5, 1.0, 17.0, 4096.0, 1e6}) {
        const double expected =
            (cosine_integral(distance) - cosine_integral(distance / b)) / std::log(b) - std::cos(distance / b) / d;
        EXPECT_NEAR(trend_at(*trend, distance), expected, 1e-12) << d << " " << b << " " << distance;
        EXPECT_EQ(trend_at(*trend, -distance), trend_at(*trend, distance));
      }
      EXPECT_DOUBLE_EQ(trend_at(*trend, 0), 1 - 1.0 / d);
      EXPECT_NEAR(trend_at(*trend, 1e-6), 1 - 1.0 / d, 1e-9) << "continuous at 0";
    }
  }
}

TEST(Trend, IsNearlyAStraightLineOverTheLogarithmWhateverTheDimension) {
  for (const int d : {128, 1024, 8192}) {
    const auto trend = trend_of(plain_frequencies(d, 1e6));
    for (const double distance : {100.0, 1000.0, 10000.0}) {
      EXPECT_NEAR(trend_at(*trend, distance), 1 - (std::log(distance) + std::numbers::egamma) / std::log(1e6),
                  1.0 / d + 1.0 / distance);
    }
  }
}

TEST(Trend, IsTheLocalMeanOfTheSimilarityWithinWhatTheSpacingOfThePairsAllows) {
  for (const int d : {32, 64, 128, 256, 1024}) {
    for (const double b : {100.0, 10000.0, 5e5}) {
      const Eigen::VectorXd frequencies = plain_frequencies(d, b);
      const auto trend = trend_of(frequencies);
      for (double distance = 30; distance < 2e5; distance *= 1.37) {
        const LocalMeans means = local_means(frequencies, *trend, distance);
        EXPECT_NEAR(means.similarity, means.trend, tolerance(frequencies, distance))
            << d << " " << b << " " << distance;
      }
    }
  }
  // The tolerance tells: a hundredth of a base is seen, and so is the half step at the end.
  const Eigen::VectorXd frequencies = plain_frequencies(1024, 10000);
  EXPECT_LT(tolerance(frequencies, 1000), 6e-4);
}

TEST(Trend, OfAnExtendedLadderIsItsLocalMeanToo) {
  const RotarySpec specs[] = {
      make_trend_spec("linear", {{"factor", 8}}, 128, 10000, 4096),
      make_trend_spec("ntk-aware", {{"factor", 8}}, 128, 10000, 4096),
      make_trend_spec("yarn", {{"factor", 16}}, 128, 10000, 4096),
      make_trend_spec("llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, 128, 5e5,
                      8192),
      make_trend_spec("proportional", {{"live_fraction", 0.25}}, 512, 1e6, 262144),
  };
  for (const RotarySpec& spec : specs) {
    const Eigen::VectorXd frequencies = scaled_ladder(spec, 0).frequencies;
    const auto trend = trend_of(frequencies);
    ASSERT_TRUE(trend) << spec.extension.method;
    for (double distance = 200; distance < 4e5; distance *= 1.9) {
      const LocalMeans means = local_means(frequencies, *trend, distance);
      EXPECT_NEAR(means.similarity, means.trend, tolerance(frequencies, distance))
          << spec.extension.method << " " << distance;
    }
  }
}

TEST(Trend, ReachesZeroNearSixTenthsOfTheBase) {
  for (const double b : {100.0, 10000.0, 5e5}) {
    // The root of the formula: 0.6165·b but for the half step, which moves it less the more pairs there are.
    double last = 0;
    for (const int d : {32, 128, 1024, 8192}) {
      const auto trend = trend_of(plain_frequencies(d, b));
      const auto zero = trend_zero(*trend);
      ASSERT_TRUE(zero);
      EXPECT_NEAR(trend_at(*trend, *zero), 0, 1e-12);
      EXPECT_GT(*zero, last);
      EXPECT_LT(*zero, 0.6166 * b);
      last = *zero;
    }
    EXPECT_GT(last, 0.606 * b);
  }
}

TEST(Trend, StillPairsHoldItUp) {
  RotarySpec spec = make_trend_spec("proportional", {{"live_fraction", 0.25}}, 512, 1e6, 262144);
  const auto trend = trend_of(scaled_ladder(spec, 0).frequencies);
  EXPECT_EQ(trend->still, 192);
  EXPECT_FALSE(trend_zero(*trend));
  EXPECT_NEAR(trend_at(*trend, 1e12), 0.75, 0.003);
}

TEST(Trend, OrderOfThePairsDoesNotMatter) {
  const Eigen::VectorXd frequencies = plain_frequencies(64, 10000);
  EXPECT_EQ(trend_at(*trend_of(frequencies), 500), trend_at(*trend_of(frequencies.reverse()), 500));
}

TEST(Trend, EqualFrequenciesAreACosine) {
  const auto trend = trend_of(Eigen::VectorXd::Constant(16, 0.01));
  for (const double distance : {1.0, 100.0, 1e4}) {
    EXPECT_NEAR(trend_at(*trend, distance), (16 - 0.5) / 16 * std::cos(0.01 * distance), 1e-12);
  }
}

TEST(Trend, IsBelowZeroWhereEveryStepSaysSo) {
  // What is passed over without being evaluated is above 0 as well.
  const auto by_steps = [](const SimilarityTrend& trend, double distance) {
    const double last = 16 * std::numbers::pi / trend.end_frequency;
    for (double at = 0.11 / trend.pieces.front().fast; at < std::min(distance, last); at *= 1.1) {
      if (trend_at(trend, at) < 0) return true;
    }
    return distance <= last && trend_at(trend, distance) < 0;
  };
  int below = 0, above = 0;
  for (const double base : {20.0, 500.0, 1e4, 1e6}) {
    for (const char* method : {"none", "linear", "yarn", "llama3", "proportional"}) {
      std::map<std::string, double> numbers = {{"factor", 8}};
      if (!find_parameter(find_scaling_method(method), "factor")) numbers.clear();
      if (method == std::string("llama3")) numbers.insert({{"low_frequency_factor", 1}, {"high_frequency_factor", 4}});
      RotarySpec spec = make_trend_spec(method, numbers, 64, base, 512);
      spec.extension = fill_defaults(spec.extension);
      const auto trend = trend_of(scaled_ladder(spec, 0, 4096).frequencies);
      ASSERT_TRUE(trend);
      for (double distance = 1; distance < 3e6; distance *= 1.7) {
        const bool expected = by_steps(*trend, distance);
        EXPECT_EQ(trend_below_zero(*trend, distance).has_value(), expected) << method << " " << base << " " << distance;
        ++(expected ? below : above);
      }
    }
  }
  EXPECT_GT(below, 50);
  EXPECT_GT(above, 50);
}

TEST(Trend, OnePairAloneHasNone) {
  EXPECT_FALSE(trend_of(plain_frequencies(2, 10000)));
  Eigen::VectorXd still = Eigen::VectorXd::Zero(8);
  EXPECT_FALSE(trend_of(still));
  still[0] = 1;
  EXPECT_FALSE(trend_of(still));
  EXPECT_THROW(trend_of({}), InputError);
  EXPECT_THROW(trend_of(Eigen::VectorXd::Constant(3, -1)), InputError);
  EXPECT_THROW(trend_of(Eigen::VectorXd::Constant(3, std::nan(""))), InputError);
}

TEST(Similarity, ComesBackFarOut) {
  // What "only the envelope decays" denied: the largest |K| from 2 000 on grows with the span that is looked at.
  KernelRequest request{.frequencies = plain_frequencies(128, 10000), .first = 2000, .count = 1'000'001 - 2000};
  const KernelCurves curves = kernel_curves(request);
  const auto largest = [&](std::size_t until) {
    double most = 0;
    for (std::size_t i = 0; i + 2000 <= until; ++i) most = std::max(most, std::abs(curves.similarity[i]));
    return most;
  };
  EXPECT_NEAR(largest(8192), 0.259, 5e-4);
  EXPECT_NEAR(largest(1'000'000), 0.378, 5e-4);
  // And the bound says nothing so far: |K| ≤ 1 anyway.
  EXPECT_GT(*std::min_element(curves.bound.begin(), curves.bound.begin() + 398'000), 1.15);
}

TEST(BoundFactor, MakesTheBoundOneOfTheContent) {
  EXPECT_EQ(bound_factor({}, 64), 1);
  EXPECT_EQ(bound_factor({}, 64, PairOrder::slow_first), 1);
  const Eigen::VectorXd frequencies = plain_frequencies(64, 10000);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Content content = random_content(32, seed);
    for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
      const double factor = bound_factor(content, 32, order);
      EXPECT_GT(factor, 1);
      for (double distance = 1; distance < 1e5; distance *= 1.3) {
        EXPECT_LE(std::abs(similarity(frequencies, distance, content)),
                  factor * abel_bound(frequencies, distance, order) + 1e-12);
      }
    }
  }
  // By hand: h = 1, 3i: the largest step is to the nothing after 3i, 3, over a sum of 4.
  Content content{Eigen::Vector2d(1, 3), Eigen::Vector2d(0, std::numbers::pi / 2)};
  EXPECT_NEAR(bound_factor(content, 2), 2 * std::sqrt(10.0) / 4, 1e-15) << "√10 between the two is larger still";
  EXPECT_THROW(bound_factor(content, 3), InputError);
}

}  // namespace ropescope
