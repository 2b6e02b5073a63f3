#include "core/decay/limits.h"

#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "core/decay/sums.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {
namespace {

/// The definition, written as it stands.
double sum_of_cosines(const Eigen::VectorXd& frequencies, std::int64_t distance) {
  return similarity(frequencies, static_cast<double>(distance)) * static_cast<double>(frequencies.size());
}

/// Looks at every distance and base on a grid, without any of the search's reasoning.
bool allows_by_brute_force(int rotary_dim, double base, std::int64_t context) {
  const Eigen::VectorXd frequencies = plain_frequencies(rotary_dim, base);
  for (std::int64_t m = 1; m <= context; ++m) {
    if (sum_of_cosines(frequencies, m) < 0) return false;
  }
  return true;
}

TEST(CosineSums, AreTheDirectSums) {
  for (const int dim : {2, 10, 128, 1536}) {
    const Eigen::VectorXd frequencies = plain_frequencies(dim, 5000);
    CosineSums sums, plain;
    sums.set_frequencies({frequencies.data(), static_cast<std::size_t>(frequencies.size())});
    plain.set_plain(dim, 5000);
    for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
      EXPECT_NEAR(plain.frequencies()[static_cast<std::size_t>(i)] / frequencies[i], 1, 1e-15);
    }
    for (const std::int64_t m : {0, 1, 31, 32, 33, 4097, 1'000'003}) {
      EXPECT_NEAR(sums.at(m), sum_of_cosines(frequencies, m), 1e-10);
    }
  }
}

TEST(CosineSums, FindTheFirstNegativeOneAndAllBelowALevel) {
  const Eigen::VectorXd frequencies = plain_frequencies(64, 1000);
  CosineSums sums;
  sums.set_plain(64, 1000);
  for (const std::int64_t begin : {1, 30, 2047, 2048, 5000}) {
    std::int64_t first = begin;
    while (sum_of_cosines(frequencies, first) >= 0) ++first;
    EXPECT_EQ(sums.first_negative(begin, 1 << 20, {}), first) << "from " << begin;
    EXPECT_EQ(sums.first_negative(begin, first, {}), first);
    EXPECT_EQ(sums.first_negative(begin, first - 1, {}), std::nullopt);
    for (const double level : {-3.0, 0.0, 1.5, 40.0}) {
      std::vector<std::int64_t> expected, found;
      for (std::int64_t m = begin; m < begin + 3000; ++m) {
        if (sum_of_cosines(frequencies, m) < level) expected.push_back(m);
      }
      EXPECT_TRUE(sums.visit_below(begin, begin + 2999, level, {}, [&](std::int64_t m, double sum) {
        EXPECT_NEAR(sum, sum_of_cosines(frequencies, m), 1e-10);
        found.push_back(m);
        return true;
      }));
      EXPECT_EQ(found, expected) << "from " << begin << " below " << level;
    }
  }
}

TEST(FirstNegativeDistance, IsThatOfThePaper) {
  EXPECT_EQ(first_negative_distance(plain_frequencies(128, 10000)), 1707);
  EXPECT_EQ(first_negative_distance(plain_frequencies(128, 10000), 1706), std::nullopt);
  EXPECT_EQ(first_negative_distance(plain_frequencies(128, 10000), 1707), 1707);
  EXPECT_EQ(first_negative_distance(plain_frequencies(128, 100)), 59);
  EXPECT_EQ(first_negative_distance(plain_frequencies(2, 10000)), 2) << "cos 1 > 0 > cos 2";
}

TEST(FirstNegativeDistance, IsTheSameOnAnyNumberOfThreads) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 5e6);
  const auto one = first_negative_distance(frequencies, kFarthestDistance, {1});
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, 82999) << "several pieces long";
  EXPECT_LT(sum_of_cosines(frequencies, *one), 0);
  EXPECT_EQ(first_negative_distance(frequencies, kFarthestDistance, {2}), one);
  EXPECT_EQ(first_negative_distance(frequencies, kFarthestDistance, {5}), one);
}

TEST(FirstNegativeDistance, StillPairsNeverGoNegative) {
  EXPECT_EQ(first_negative_distance(Eigen::VectorXd::Zero(4), 100'000), std::nullopt);
  EXPECT_THROW(first_negative_distance(Eigen::VectorXd()), InputError);
}

/// Whether no sum of cosines is negative up to the context (d = 128).
bool base_allows(double base, std::int64_t context) {
  return !first_negative_distance(plain_frequencies(128, base), context);
}

struct Known {
  std::int64_t context;
  double base, tolerance;
};
class SmallestBase : public testing::TestWithParam<Known> {};

// To the digits that are published. The first window of 4 096 is 0.08 % wide, so that a scan by a
// thousandth finds it or not.
TEST_P(SmallestBase, IsTheKnownOne) {
  const auto [context, base, tolerance] = GetParam();
  const auto found = smallest_base({.context = context});
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, base, tolerance);
  EXPECT_TRUE(base_allows(*found * (1 + 1e-14), context)) << "the edge itself is rounded";
  EXPECT_FALSE(base_allows(*found * (1 - 1e-8), context)) << "a smaller one is allowed";
}

INSTANTIATE_TEST_SUITE_P(OfTheory, SmallestBase,
                         testing::Values(Known{4096, 26952.3, 0.05}, Known{8192, 83763.8, 0.05},
                                         Known{32768, 629978, 0.5}, Known{131072, 4869104, 0.5}),
                         [](const auto& instance) { return "Context" + std::to_string(instance.param.context); });

TEST(SmallestBaseSearch, AgreesWithBruteForce) {
  for (const int dim : {16, 34, 64}) {
    for (const std::int64_t context : {3, 40, 150}) {
      const auto found = smallest_base({.rotary_dim = dim, .context = context});
      ASSERT_TRUE(found);
      EXPECT_TRUE(allows_by_brute_force(dim, *found * (1 + 1e-14), context)) << dim << ", " << context;
      for (double base = 1.01; base < *found * (1 - 1e-6); base *= 1.0005) {
        ASSERT_FALSE(allows_by_brute_force(dim, base, context)) << dim << ", " << context << ": " << base;
      }
    }
  }
}

TEST(SmallestBaseSearch, DoesNotDependOnWhereItStartsOrOnThreads) {
  const double base = *smallest_base({.context = 4096});
  for (const double lowest : {1.5, 20000.0, 26952.0}) {
    EXPECT_NEAR(*smallest_base({.context = 4096, .lowest = lowest, .threads = 3}) / base, 1, 1e-8) << lowest;
  }
  EXPECT_EQ(*smallest_base({.context = 4096, .lowest = 26960}), 26960) << "inside the window";
  EXPECT_GT(*smallest_base({.context = 4096, .lowest = 27000}), 28000) << "behind it";
  EXPECT_EQ(smallest_base({.context = 4096, .highest = 26952}), std::nullopt);
  EXPECT_TRUE(smallest_base({.context = 4096, .lowest = 28700, .highest = 28700}));
}

// The roots of the sums at the distances that fail last, computed with 50 digits (mpmath).
TEST(SmallestBaseSearch, IsRightToTheLastPlace) {
  constexpr double kOf4096 = 26952.339227857868;
  for (const double lowest : {1.01, 1.5, 20000.0, 26950.0, 26952.3}) {
    for (const int threads : {1, 2, 5}) {
      const auto found = smallest_base({.context = 4096, .lowest = lowest, .threads = threads});
      ASSERT_TRUE(found);
      EXPECT_NEAR(*found / kOf4096, 1, 3e-16) << lowest << ", " << threads << " threads";
    }
  }
}

TEST(SmallestBaseSearch, TellsWhichBaseItLooksAt) {
  // With several threads it is told of the stretches that the caller's own looks at, whichever these are.
  for (const int threads : {1, 2}) {
    std::vector<double> bases;
    const BaseSearch search{
        .context = 4096, .threads = threads, .progress = [&](double base) { bases.push_back(base); }};
    const auto found = smallest_base(search);
    if (threads == 1) {
      ASSERT_FALSE(bases.empty());
      EXPECT_NEAR(bases.front(), 1.01, 1e-9);
    }
    EXPECT_TRUE(std::is_sorted(bases.begin(), bases.end()));
    for (const double base : bases) {
      EXPECT_GE(base, 1.01);
      EXPECT_LE(base, *found * 1.1);
    }
  }
  std::int64_t last = 0;
  // One thread: of several the caller's may come to nothing, where the others are quicker.
  first_negative_distance(plain_frequencies(128, 5e6), kFarthestDistance, {1},
                          [&](std::int64_t distance) { last = distance; });
  EXPECT_GT(last, 0);
}

TEST(SmallestBaseSearch, ATightLadderHasNone) {
  EXPECT_EQ(smallest_base({.rotary_dim = 2, .context = 2}), std::nullopt) << "cos 2 < 0 whatever the base";
  EXPECT_EQ(*smallest_base({.rotary_dim = 2, .context = 1}), 1.01);
}

TEST(SmallestBaseSearch, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(smallest_base({.rotary_dim = 7}), InputError);
  EXPECT_THROW(smallest_base({.context = 0}), InputError);
  EXPECT_THROW(smallest_base({.lowest = 1}), InputError);
  EXPECT_THROW(smallest_base({.lowest = 10, .highest = 5}), InputError);
  EXPECT_THROW(smallest_base({.highest = std::numeric_limits<double>::quiet_NaN()}), InputError);
}

TEST(SmallestBaseSearch, HearsAStop) {
  std::stop_source source;
  std::jthread stopper([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  EXPECT_EQ(smallest_base({.rotary_dim = 4096, .context = 1 << 20}, source.get_token()), std::nullopt);
}

TEST(Base, AllowsWhatTheWindowsOfTheorySay) {
  // "16 windows up to 58 788": the sixteenth begins there.
  EXPECT_TRUE(base_allows(26960, 4096));
  EXPECT_FALSE(base_allows(27000, 4096));
  EXPECT_TRUE(base_allows(28800, 4096));
  EXPECT_FALSE(base_allows(58700, 4096));
  EXPECT_TRUE(base_allows(58800, 4096));
}

TEST(AdmissibleWindows, AreTheSixteenOfTheory) {
  const auto windows = admissible_windows({.context = 4096, .highest = 100'000});
  ASSERT_EQ(windows.size(), 16u);
  EXPECT_NEAR(windows.front().low, 26952.3, 0.05);
  EXPECT_NEAR(windows.back().low, 58788, 2);
  EXPECT_EQ(windows.back().high, 100'000);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto [low, high] = windows[i];
    ASSERT_LT(low, high);
    for (const double inside : {low, std::sqrt(low * high), high}) {
      EXPECT_TRUE(base_allows(inside, 4096)) << inside;
    }
    EXPECT_FALSE(base_allows(low * (1 - 1e-8), 4096)) << low;
    if (i + 1 == windows.size()) break;
    EXPECT_LT(high, windows[i + 1].low);
    EXPECT_FALSE(base_allows(high * (1 + 1e-8), 4096)) << high;
  }
  const auto again = admissible_windows({.context = 4096, .highest = 100'000, .threads = 1});
  ASSERT_EQ(again.size(), windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) EXPECT_NEAR(again[i].low / windows[i].low, 1, 1e-8);
}

TEST(AdmissibleWindows, EndWithTheBasesThatAreLookedAt) {
  const auto inside = admissible_windows({.context = 4096, .lowest = 70'000, .highest = 80'000});
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_EQ(inside[0].low, 70'000);
  EXPECT_EQ(inside[0].high, 80'000);
  EXPECT_TRUE(admissible_windows({.context = 4096, .lowest = 1000, .highest = 20'000}).empty());
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_TRUE(admissible_windows({.context = 4096}, stopped.get_token()).empty());
}

TEST(LimitCurve, ShowsTheSixteenWindows) {
  std::vector<double> bases;
  for (double base = 26000; base < 60000; base *= 1.0002) bases.push_back(base);
  const std::vector<LimitPoint> curve = limit_curve(128, bases, 8192);
  ASSERT_EQ(curve.size(), bases.size());
  int windows = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    windows += curve[i].largest_context >= 4096 && curve[i - 1].largest_context < 4096;
    EXPECT_EQ(curve[i].base, bases[i]);
  }
  EXPECT_EQ(windows, 16);
  EXPECT_EQ(limit_curve(128, bases, 8192, {1})[77].largest_context, curve[77].largest_context);
}

TEST(LimitCurve, EndsAtTheFarthestAndHearsAStop) {
  const std::vector<double> bases = {100, 1e9};
  const auto curve = limit_curve(128, bases, 5000);
  EXPECT_EQ(curve[0].largest_context, 58);
  EXPECT_EQ(curve[1].largest_context, 5000);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_TRUE(limit_curve(128, bases, 5000, {0, stopped.get_token()}).empty());
  EXPECT_THROW(limit_curve(128, std::vector<double>{1.0}, 5000), InputError);
}

TEST(CriticalDimension, IsThatOfLlama2) {
  EXPECT_EQ(critical_dimension(128, 10000, 4096), 92);
  EXPECT_EQ(critical_dimension(128, 500000, 8192), 70);
  EXPECT_EQ(critical_dimension(128, 10000, 6), 0) << "no pair finishes a turn";
  EXPECT_EQ(critical_dimension(128, 10000, 1e9), 128);
  for (const int d : {2, 64, 128, 512}) {
    for (const double base : {100.0, 10000.0, 5e5}) {
      const Eigen::VectorXd plain = plain_frequencies(d, base);
      for (const double length : {6.0, 512.0, 4096.0, 131072.0}) {
        EXPECT_EQ(critical_dimension(plain, length), critical_dimension(d, base, length)) << d << " " << base;
      }
    }
  }
  // Gemma 4: 64 of 256 pairs turn. On the plain ladder 198 would finish a turn.
  const Eigen::VectorXd plain = plain_frequencies(512, 1e6), used = proportional_frequencies(512, 1e6, 0.25, 1);
  const Eigen::VectorXd trained = trained_frequencies(plain, used);
  EXPECT_EQ(critical_dimension(plain, 262144), 396);
  EXPECT_EQ(critical_dimension(trained, 262144), 128);
  EXPECT_EQ(unfinished_pairs(trained, 262144), 0) << "the slowest that turns does so 1.4 times; 192 stand still";
  EXPECT_EQ(trained.head(64), plain.head(64));
  EXPECT_THROW(critical_dimension(128, 1, 4096), InputError);
  EXPECT_THROW(critical_dimension(128, 10000, 0), InputError);
}

TEST(PairInformation, IsTheVarianceOverAllPositions) {
  Eigen::VectorXd frequencies(8);
  frequencies << 1, 0.3, 0.01, 2e-3, 9e-5, 1e-5, 2 * std::numbers::pi, 0;
  for (const int context : {1, 2, 100, 301}) {
    const auto pairs = pair_information(frequencies, context);
    for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
      std::complex<long double> mean = 0;
      for (int m = 0; m < context; ++m) mean += std::polar(1.0L, static_cast<long double>(m) * frequencies[i]);
      mean /= static_cast<long double>(context);
      long double cosines = 0, sines = 0;
      for (int m = 0; m < context; ++m) {
        const long double angle = static_cast<long double>(m) * frequencies[i];
        cosines += std::pow(std::cos(angle) - mean.real(), 2);
        sines += std::pow(std::sin(angle) - mean.imag(), 2);
      }
      const auto& pair = pairs[static_cast<std::size_t>(i)];
      const double of_cos = static_cast<double>(cosines / context), of_sin = static_cast<double>(sines / context);
      EXPECT_NEAR(pair.turns, context * frequencies[i] / (2 * std::numbers::pi), 1e-12);
      // Relative too: a pair that hardly moves has a variance of 1e-12 that is not just rounding.
      EXPECT_NEAR(pair.variance_cos, of_cos, 1e-5 * of_cos + 1e-22) << context << ", pair " << i;
      EXPECT_NEAR(pair.variance_sin, of_sin, 1e-5 * of_sin + 1e-22) << context << ", pair " << i;
      EXPECT_NEAR(pair.moving, static_cast<double>(1 - std::norm(mean)), 1e-12);
      EXPECT_NEAR(pair.moving, pair.variance_cos + pair.variance_sin, 1e-12);
    }
  }
  EXPECT_THROW(pair_information(frequencies, 0), InputError);
}

TEST(PairInformation, CountsMovingPairs) {
  const Eigen::VectorXd large = plain_frequencies(3072, 10000);
  EXPECT_EQ(pairs_below_angle(large, 8192, 2 * std::numbers::pi), 339);
  EXPECT_EQ(pairs_below_angle(large, 8192, std::numbers::pi / 2), 108);
  EXPECT_EQ(pairs_below_angle(Eigen::Vector3d(1, 1e-9, 0), 8192, std::numbers::pi / 2), 1)
      << "what stands still moves in no context";
  EXPECT_EQ(finished_frequencies(large, 8192).size(), 1536 - 339);
  const double moving = effective_pairs(large, 8192);
  EXPECT_GT(moving, 1536 - 339);
  EXPECT_LT(moving, 1536 - 108);
  EXPECT_EQ(effective_pairs(Eigen::VectorXd::Zero(5), 100), 0);
  EXPECT_EQ(finished_frequencies(Eigen::VectorXd::Zero(5), 100).size(), 0);
}

}  // namespace
}  // namespace ropescope
