// The search that excludes most distances and bases by proof, compared with brute force and with the earlier search.

#include "core/decay/sums.h"
#include "core/rotary/spec.h"
#include "tests/limits_reference.h"
#include "tests/sampled.h"
#include "tests/test.h"

namespace ropescope {
namespace {

double direct_sum(const std::vector<double>& frequencies, std::int64_t distance) {
  const Eigen::Map<const Eigen::VectorXd> ladder(frequencies.data(), static_cast<Eigen::Index>(frequencies.size()));
  return similarity(ladder, static_cast<double>(distance)) * static_cast<double>(frequencies.size());
}

/// Ladders as models have them and as nobody has: plain, stretched in part, unordered, with still pairs, very fast.
std::vector<double> random_ladder(std::mt19937& random) {
  const int pairs = std::uniform_int_distribution(1, 90)(random);
  const double base = std::exp(std::uniform_real_distribution(0.5, 25.0)(random));
  std::vector<double> frequencies;
  for (int i = 0; i < pairs; ++i) {
    double frequency = std::pow(base, -static_cast<double>(i) / pairs);
    if (random() % 8 == 0) frequency *= std::uniform_real_distribution(-4.0, 4.0)(random);
    if (random() % 30 == 0) frequency = 0;
    frequencies.push_back(frequency);
  }
  if (random() % 3 == 0) std::shuffle(frequencies.begin(), frequencies.end(), random);
  return frequencies;
}

TEST(SumBands, MissNoSumBelowALevel) {
  std::mt19937 random(1);
  SumBands bands;
  const int ladders = sampled_count("sums below a level: random ladders", 50, 200);
  for (int i = 0; i < ladders; ++i) {
    const std::vector<double> frequencies = random_ladder(random);
    bands.set_frequencies(frequencies);
    const double pairs = static_cast<double>(frequencies.size());
    const double below = std::uniform_real_distribution(-0.3, 0.5)(random) * pairs;
    const std::int64_t first = static_cast<std::int64_t>(std::exp(std::uniform_real_distribution(0.0, 15.0)(random)));
    const std::int64_t last = first + std::uniform_int_distribution(0, 3000)(random);
    std::vector<std::int64_t> open;
    EXPECT_TRUE(bands.visit_open(first, last, below, {}, [&open](std::int64_t distance) {
      open.push_back(distance);
      return true;
    }));
    EXPECT_TRUE(std::is_sorted(open.begin(), open.end()));
    if (!open.empty()) {
      EXPECT_GE(open.front(), first);
      EXPECT_LE(open.back(), last);
    }
    for (std::int64_t m = first; m <= last; ++m) {
      if (direct_sum(frequencies, m) >= below) continue;
      EXPECT_TRUE(std::binary_search(open.begin(), open.end(), m)) << "ladder " << i << ", distance " << m;
    }
  }
}

TEST(SumBands, LeaveOutNearlyAllOfALongContext) {
  CosineSums sums;
  sums.set_plain(128, 65374956);
  SumBands bands;
  bands.set_frequencies(sums.frequencies());
  int open = 0;
  bands.visit_open(1, 1 << 20, 0, {}, [&open](std::int64_t) { return ++open > 0; });
  EXPECT_LT(open, 1000) << "of a million";
}

TEST(SumBands, EndWhereTheVisitSaysAndHearAStop) {
  SumBands bands;
  bands.set_frequencies(std::vector<double>{1});
  int visits = 0;
  EXPECT_TRUE(bands.visit_open(0, 1000, 0, {}, [&visits](std::int64_t) { return ++visits < 3; }));
  EXPECT_EQ(visits, 3);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(bands.visit_open(0, 1000, 0, stopped.get_token(), [](std::int64_t) { return true; }));
}

TEST(Search, FindsTheFirstNegativeDistanceThatBruteForceFinds) {
  std::mt19937 random(2);
  CosineSums sums;
  reference::CosineSums plain;
  const int ladders = sampled_count("first negative distance: random ladders", 50, 200);
  for (int i = 0; i < ladders; ++i) {
    const std::vector<double> frequencies = random_ladder(random);
    sums.set_frequencies(frequencies);
    plain.set_frequencies(frequencies);
    const std::int64_t first = std::uniform_int_distribution(1, 5000)(random);
    EXPECT_EQ(sums.first_negative(first, 200'000, {}), plain.first_negative(first, 200'000, {})) << i;
  }
}

// Random (d, L): the same base as the search that looks at every distance, and none below it by brute force.
TEST(Search, FindsTheSmallestBaseThatBruteForceFinds) {
  std::mt19937 random(3);
  const int searches = sampled_count("smallest base: random dimensions and contexts", 40, 200);
  for (int i = 0; i < searches; ++i) {
    const int dim = 2 * std::uniform_int_distribution(4, 96)(random);
    const auto context = static_cast<std::int64_t>(std::exp(std::uniform_real_distribution(1.0, 6.5)(random)));
    SCOPED_TRACE(testing::Message() << "d = " << dim << ", L = " << context);
    const BaseSearch search{.rotary_dim = dim, .context = context, .threads = 1};
    const auto found = smallest_base(search), before = reference::smallest_base(search, {});
    ASSERT_EQ(found.has_value(), before.has_value());
    if (!found) continue;
    EXPECT_NEAR(*found / *before, 1, 1e-14);
    reference::CosineSums sums;
    for (double base = 1.01; base < *found * (1 - 1e-6); base *= 1.01) {
      sums.set_plain(dim, base);
      ASSERT_TRUE(sums.first_negative(1, context, {})) << base << " holds and is smaller than " << *found;
    }
  }
}

TEST(Search, FindsTheLongOnesOfTheFormerSearch) {
  for (const auto& [dim, context] : {std::pair(128, 32768), std::pair(64, 8192), std::pair(256, 16384)}) {
    const BaseSearch search{.rotary_dim = dim, .context = context};
    EXPECT_NEAR(*smallest_base(search) / *reference::smallest_base(search, {}), 1, 1e-14) << dim << ", " << context;
  }
}

TEST(Search, DrawsTheCurveOfTheFormerSearch) {
  std::vector<double> bases;
  for (double base = 100; base < 3e6; base *= 1.03) bases.push_back(base);
  const auto curve = limit_curve(128, bases, 1 << 18);
  ASSERT_EQ(curve.size(), bases.size());
  reference::CosineSums sums;
  for (const LimitPoint& point : curve) {
    sums.set_plain(128, point.base);
    EXPECT_EQ(point.largest_context, sums.first_negative(1, 1 << 18, {}).value_or((1 << 18) + 1) - 1) << point.base;
  }
}

}  // namespace
}  // namespace ropescope
