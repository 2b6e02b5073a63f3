#include "core/decay/analysis.h"

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {

namespace {

std::vector<double> curve(int dim, double base, std::int64_t span) {
  KernelRequest request{.frequencies = plain_frequencies(dim, base), .count = span + 1, .want_bound = false};
  return kernel_curves(request).similarity;
}

}  // namespace

TEST(Analysis, KnowsTheKernelOf128DimensionsAndBase10000) {
  const std::vector<double> similarity = curve(128, 10000, 4096);
  const DecaySummary summary = summarise_decay(similarity);
  EXPECT_EQ(summary.first_negative, 1707);
  EXPECT_LT(similarity[1707], 0);
  EXPECT_EQ(summary.zero_crossings, static_cast<std::int64_t>(zero_crossings(similarity).size()));
  EXPECT_EQ(zero_crossings(similarity).front(), 1707);
  EXPECT_EQ(unfinished_pairs(plain_frequencies(128, 10000), 4096), 18);
  EXPECT_NEAR(similarity[64], 0.477, 5e-4);
  EXPECT_NEAR(similarity[63], 0.458, 5e-4);
  EXPECT_LT(similarity[static_cast<std::size_t>(*summary.first_below_half)], 0.5);
  EXPECT_GT(similarity[static_cast<std::size_t>(*summary.first_below_half - 1)], 0.5);
  EXPECT_EQ(summary.last_above_half, 88);
}

TEST(Analysis, SummaryByHand) {
  const std::vector<double> values{1, 0.5, 0.6, 0, -0.2, 0, 0, -0.1, 0.3, -0.2, 0.1};
  const DecaySummary summary = summarise_decay(values);
  EXPECT_EQ(summary.first_negative, 4);
  EXPECT_EQ(summary.first_below_half, 3);  // one half itself is not below
  EXPECT_EQ(summary.last_above_half, 2);
  EXPECT_EQ(summary.zero_crossings, 4);
  EXPECT_EQ(summary.minimum, -0.2);
  EXPECT_EQ(summary.minimum_at, 4);
  EXPECT_THAT(zero_crossings(values), ElementsAre(4, 8, 9, 10));
}

TEST(Analysis, SummaryWithoutAnything) {
  const std::vector<double> always_one{1, 1, 1};
  const DecaySummary summary = summarise_decay(always_one);
  EXPECT_FALSE(summary.first_negative);
  EXPECT_FALSE(summary.first_below_half);
  EXPECT_EQ(summary.last_above_half, 2);
  EXPECT_EQ(summary.zero_crossings, 0);
  EXPECT_FALSE(summarise_decay({}).last_above_half);
  EXPECT_THAT(zero_crossings({}), IsEmpty());
}

TEST(Analysis, TinyValuesChangeSignToo) {
  EXPECT_THAT(zero_crossings(std::vector<double>{1e-300, -1e-300, 1e-300}), ElementsAre(1, 2));
}

TEST(Analysis, EnvelopesByHand) {
  const std::vector<double> values{1, -0.5, 0.2, -0.7, 0.1};
  EXPECT_THAT(envelope_from(values), ElementsAre(1, 0.7, 0.7, 0.7, 0.1));
  EXPECT_THAT(envelope_window(values, 1), ElementsAre(1, 0.5, 0.2, 0.7, 0.1));
  EXPECT_THAT(envelope_window(values, 3), ElementsAre(1, 1, 0.7, 0.7, 0.7));
  EXPECT_THAT(envelope_window(values, 1000), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_TRUE(envelope_from({}).empty());
  EXPECT_TRUE(envelope_window({}, 8).empty());
  EXPECT_THROW(envelope_window(values, 0), InputError);
}

TEST(Analysis, WindowEnvelopeIsTheMaximumOfItsWindow) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(257);
  for (double& value : values) value = uniform(generator);
  for (const std::int64_t window : {1, 2, 3, 8, 31, 64, 256, 257, 514, 1000}) {
    const std::vector<double> found = envelope_window(values, window);
    for (std::int64_t centre = 0; centre < 257; ++centre) {
      double expected = 0;
      for (std::int64_t at = std::max<std::int64_t>(0, centre - window / 2);
           at <= std::min<std::int64_t>(256, centre + window / 2); ++at) {
        expected = std::max(expected, std::abs(values[static_cast<std::size_t>(at)]));
      }
      ASSERT_EQ(found[static_cast<std::size_t>(centre)], expected) << window << ' ' << centre;
    }
  }
}

TEST(Analysis, EnvelopeOverALargeSpanIsLinear) {
  // Falling values are the worst case of a scan that looks at the whole window: 4e13 comparisons here.
  std::vector<double> values(std::size_t{1} << 23);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / (1 + static_cast<double>(i));
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<double> found = envelope_window(values, std::int64_t{1} << 23);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(found.back(), values[values.size() - 1 - (std::size_t{1} << 22)]);
  EXPECT_LT(seconds.count(), 20);
}

TEST(Analysis, UnfinishedPairsTurn) {
  EXPECT_EQ(unfinished_pairs(Eigen::Vector3d(1, 0, 0), 1000), 0) << "they stand still";
  EXPECT_EQ(unfinished_pairs(Eigen::Vector3d(1, 0.001, 0), 1000), 1);
  EXPECT_EQ(unfinished_pairs(Eigen::Vector3d(1, 0.1, 0.01), 63), 1);
  EXPECT_EQ(unfinished_pairs(plain_frequencies(3072, 10000), 8192), 339);
}

TEST(Analysis, UnfinishedPairsHaveRanges) {
  EXPECT_THAT(unfinished_ranges(plain_frequencies(128, 10000), 4096), ElementsAre(PairRange{46, 63}));
  EXPECT_THAT(unfinished_ranges(Eigen::Vector4d(1, 0.001, 0, 0.001), 1000),
              ElementsAre(PairRange{1, 1}, PairRange{3, 3}))
      << "a static pair is between them";
  EXPECT_TRUE(unfinished_ranges(Eigen::Vector2d(1, 1), 1000).empty());
}

}  // namespace ropescope
