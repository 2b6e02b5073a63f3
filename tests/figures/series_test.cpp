#include "app/figure/figure.h"

#include "tests/test.h"

namespace ropescope {
namespace {

constexpr double kSeriesNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> random_values(std::size_t count, double share_of_gaps, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> values(count);
  for (double& value : values) value = uniform(random) < share_of_gaps ? kSeriesNaN : normal(random);
  return values;
}

TEST(Series, SummaryEqualsBruteForceOverAnyRange) {
  const std::vector<double> ys = random_values(1000, 0.2, 1);
  const auto series = make_series(0, 1, ys);
  std::mt19937 random(2);
  std::uniform_int_distribution<std::size_t> index(0, 1010);
  for (int trial = 0; trial < 3000; ++trial) {
    std::size_t begin = index(random), end = index(random);
    if (begin > end) std::swap(begin, end);
    double minimum = 1e9, maximum = -1e9, sum = 0;
    std::size_t count = 0;
    for (std::size_t i = begin; i < std::min(end, ys.size()); ++i) {
      if (std::isnan(ys[i])) continue;
      minimum = std::min(minimum, ys[i]);
      maximum = std::max(maximum, ys[i]);
      sum += ys[i];
      ++count;
    }
    const Summary summary = summarise(*series, begin, end);
    ASSERT_EQ(summary.count, count) << begin << " " << end;
    if (count == 0) continue;
    EXPECT_EQ(summary.minimum, minimum) << begin << " " << end;
    EXPECT_EQ(summary.maximum, maximum) << begin << " " << end;
    EXPECT_NEAR(summary.mean, sum / static_cast<double>(count), 1e-13);
  }
}

TEST(Series, GapsAloneCountAsNothing) {
  const auto series = make_series(0, 1, std::vector<double>(200, kSeriesNaN));
  EXPECT_EQ(summarise(*series, 0, 200).count, 0u);
  EXPECT_EQ(summarise(*series, 5, 5).count, 0u);
}

TEST(Series, LowerIndexIsTheFirstXNotBelowTheValue) {
  // Steps that are no binary fractions: the division alone would be off by one now and then.
  for (const double step : {0.1, 1.0 / 3, 1.0, 7e-9, 12345.678}) {
    const auto uniform = make_series(-3 * step, step, std::vector<double>(500, 0));
    std::vector<double> xs;
    for (std::size_t i = 0; i < 500; ++i) xs.push_back(uniform->x_at(i));
    const auto listed = make_series(xs, std::vector<double>(500, 0));
    for (std::size_t i = 0; i < xs.size(); ++i) {
      for (const double value : {xs[i], std::nextafter(xs[i], 1e9), std::nextafter(xs[i], -1e9), xs[i] + 0.4 * step}) {
        const auto expected = static_cast<std::size_t>(std::lower_bound(xs.begin(), xs.end(), value) - xs.begin());
        ASSERT_EQ(lower_index(*uniform, value), expected) << step << " " << i;
        ASSERT_EQ(lower_index(*listed, value), expected) << step << " " << i;
      }
    }
    EXPECT_EQ(lower_index(*uniform, -1e300), 0u);
    EXPECT_EQ(lower_index(*uniform, 1e300), 500u);
  }
}

TEST(Series, NearestIndexTakesTheLowerOfTwoEquallyNear) {
  const auto series = make_series(10, 2, {0, 0, 0, 0});
  EXPECT_EQ(nearest_index(*series, -100), 0u);
  EXPECT_EQ(nearest_index(*series, 12.9), 1u);
  EXPECT_EQ(nearest_index(*series, 13), 1u);
  EXPECT_EQ(nearest_index(*series, 13.1), 2u);
  EXPECT_EQ(nearest_index(*series, 100), 3u);
}

TEST(Series, RefusesWhatIsNoSeries) {
  EXPECT_THROW(make_series(0, 0, {1, 2}), std::invalid_argument);
  EXPECT_THROW(make_series(0, kSeriesNaN, {1, 2}), std::invalid_argument);
  EXPECT_THROW(make_series({0, 1}, {1}), std::invalid_argument);
  EXPECT_THROW(make_series({1, 0}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(make_series({0, kSeriesNaN}, {1, 2}), std::invalid_argument);
}

}  // namespace
}  // namespace ropescope
