#include "app/figure/scene/ticks.h"

#include "tests/test.h"

namespace ropescope {
namespace {

constexpr double kTraceNaN = std::numeric_limits<double>::quiet_NaN();

using TracePieces = std::vector<std::vector<TraceVertex>>;

/// The definition, value by value: sorts every shown value into its column, then one vertex for each column.
TracePieces brute_force(const Series& series, const AxisMap& x, double column) {
  TracePieces pieces;
  bool open = false, parted = false;
  // Columns that hold a gap are pieces of their own.
  const auto begin_column = [&](bool holds_gap) {
    open = open && holds_gap == parted;
    parted = holds_gap;
  };
  const auto add = [&](const TraceVertex& vertex) {
    if (!open) pieces.emplace_back();
    pieces.back().push_back(vertex);
    open = true;
  };
  const auto sample = [&](std::size_t i) {
    const double pixel = x.to_pixel(series.x_at(i)), y = series.ys[i];
    begin_column(false);
    if (std::isnan(pixel) || std::isnan(y)) {
      open = false;
    } else {
      add({pixel, y, y, y});
    }
  };
  const int columns = static_cast<int>(std::ceil((x.high - x.low) / column));
  std::vector<double> edges;
  for (int c = 1; c < columns; ++c) edges.push_back(x.to_value(x.low + c * column));
  std::vector<std::vector<std::size_t>> members(static_cast<std::size_t>(columns));
  std::size_t before = series.ys.size(), after = series.ys.size();
  for (std::size_t i = 0; i < series.ys.size(); ++i) {
    const double value = series.x_at(i);
    if (value < x.range.low) {
      before = i;
    } else if (value > x.range.high) {
      after = std::min(after, i);
    } else {
      const auto c = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
      members[static_cast<std::size_t>(c)].push_back(i);
    }
  }
  if (before < series.ys.size()) sample(before);
  for (int c = 0; c < columns; ++c) {
    const auto& inside = members[static_cast<std::size_t>(c)];
    if (inside.size() == 1) sample(inside[0]);
    if (inside.size() < 2) continue;
    double minimum = 1e300, maximum = -1e300, sum = 0;
    int count = 0;
    for (const std::size_t i : inside) {
      if (std::isnan(series.ys[i])) continue;
      minimum = std::min(minimum, series.ys[i]);
      maximum = std::max(maximum, series.ys[i]);
      sum += series.ys[i];
      ++count;
    }
    const double left = x.low + c * column, right = std::min(left + column, x.high);
    begin_column(count > 0 && static_cast<std::size_t>(count) < inside.size());
    if (count == 0) {
      open = false;
    } else {
      add({(left + right) / 2, minimum, sum / count, maximum});
    }
  }
  if (after < series.ys.size()) sample(after);
  return pieces;
}

void expect_equal(const TracePieces& found, const TracePieces& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t p = 0; p < found.size(); ++p) {
    ASSERT_EQ(found[p].size(), expected[p].size()) << "piece " << p;
    for (std::size_t i = 0; i < found[p].size(); ++i) {
      EXPECT_DOUBLE_EQ(found[p][i].x, expected[p][i].x);
      EXPECT_EQ(found[p][i].minimum, expected[p][i].minimum) << "x " << found[p][i].x;
      EXPECT_EQ(found[p][i].maximum, expected[p][i].maximum) << "x " << found[p][i].x;
      EXPECT_NEAR(found[p][i].mean, expected[p][i].mean, 1e-12) << "x " << found[p][i].x;
    }
  }
}

class TraceLaw : public ::testing::TestWithParam<AxisScale> {};

TEST_P(TraceLaw, EqualsBruteForceOverRandomData) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 120; ++trial) {
    const auto size = static_cast<std::size_t>(std::pow(10, 4 * uniform(random)));
    std::vector<double> ys(size);
    for (double& y : ys) y = normal(random);
    if (trial % 3 == 0 && size > 10) {
      const auto first = static_cast<std::size_t>(uniform(random) * static_cast<double>(size));
      for (std::size_t i = first; i < std::min(size, first + size / 5 + 2); ++i) ys[i] = kTraceNaN;
    }
    std::shared_ptr<const Series> series;
    if (trial % 2 == 0) {
      series = make_series(GetParam() == AxisScale::symlog ? -std::floor(static_cast<double>(size) / 3) : 0, 1, ys);
    } else {
      std::vector<double> xs(size);
      for (double& x : xs) x = 0.01 * std::exp(10 * uniform(random));
      std::sort(xs.begin(), xs.end());
      series = make_series(xs, ys);
    }
    const double last = series->x_at(size - 1);
    Range range{series->x_at(0), last};
    if (trial % 4 == 1) range = {last * 0.2, last * 0.7};
    if (trial % 4 == 2) range = {last * 0.5, last * 3};
    if (GetParam() == AxisScale::log) range.low = std::max(range.low, 0.5);
    if (!(range.low < range.high)) range.high = range.low + 1;
    const AxisMap x{range, GetParam(), 57, 57 + 40 + std::floor(400 * uniform(random))};
    const double column = trial % 5 == 0 ? 0.75 : 1;
    SCOPED_TRACE("trial " + std::to_string(trial));
    expect_equal(trace(*series, x, column), brute_force(*series, x, column));
  }
}

TEST_P(TraceLaw, NothingShownIsLost) {
  // Extremes over all columns are the extremes of the shown values, and columns hold them once.
  std::vector<double> ys(50000, 0);
  ys[1] = 5;
  ys[33333] = -7;
  ys[50000 - 1] = 11;
  const auto series = make_series(0, 1, ys);
  const AxisMap x{{1, 49999}, GetParam(), 0, 500};
  double minimum = 0, maximum = 0;
  for (const auto& piece : trace(*series, x, 1)) {
    for (const TraceVertex& vertex : piece) {
      minimum = std::min(minimum, vertex.minimum);
      maximum = std::max(maximum, vertex.maximum);
    }
  }
  EXPECT_EQ(minimum, -7);
  EXPECT_EQ(maximum, 11);
}

INSTANTIATE_TEST_SUITE_P(Scales, TraceLaw, ::testing::Values(AxisScale::linear, AxisScale::log, AxisScale::symlog),
                         [](const auto& scale) {
                           return scale.param == AxisScale::linear ? "linear"
                                  : scale.param == AxisScale::log  ? "log"
                                                                   : "symlog";
                         });

TEST(Trace, SparseSamplesStayAsTheyAre) {
  const auto series = make_series(0, 1, {3, 1, 2, 5, 4});
  const AxisMap x{{0.5, 2.5}, AxisScale::linear, 100, 300};
  const TracePieces pieces = trace(*series, x, 1);
  ASSERT_EQ(pieces.size(), 1u);
  // One value beyond each edge: the line reaches both.
  const std::vector<TraceVertex> expected{{50, 3, 3, 3}, {150, 1, 1, 1}, {250, 2, 2, 2}, {350, 5, 5, 5}};
  EXPECT_EQ(pieces[0], expected);
}

TEST(Trace, GapsBreakTheLine) {
  const auto series = make_series(0, 1, {1, 2, kTraceNaN, 3, kTraceNaN, kTraceNaN, 4});
  const TracePieces pieces = trace(*series, {{0, 6}, AxisScale::linear, 0, 600}, 1);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].size(), 2u);
  EXPECT_EQ(pieces[1].size(), 1u);
  EXPECT_EQ(pieces[2].size(), 1u);
}

TEST(Trace, LogAxisLeavesOutWhatItCannotShow) {
  const auto series = make_series(0, 1, {1, 2, 3, 4});
  const TracePieces pieces = trace(*series, {{0.5, 3}, AxisScale::log, 0, 600}, 1);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].front().mean, 2);  // the value at 0 has no place
  EXPECT_EQ(pieces[0].size(), 3u);
}

TEST(Trace, EmptyOrDegenerateAxesGiveNothing) {
  const auto series = make_series(0, 1, {1, 2});
  EXPECT_TRUE(trace(*make_series(0, 1, {}), {{0, 1}, AxisScale::linear, 0, 100}, 1).empty());
  EXPECT_TRUE(trace(*series, {{1, 1}, AxisScale::linear, 0, 100}, 1).empty());
  EXPECT_TRUE(trace(*series, {{0, 1}, AxisScale::linear, 100, 100}, 1).empty());
}

TEST(Trace, AGapWithinAColumnIsOneBetweenColumns) {
  std::vector<double> ys(100);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = i < 52 ? 1.0 : -1.0;
  const AxisMap x{{0, 99}, AxisScale::linear, 0, 10};
  EXPECT_EQ(trace(*make_series(0, 1, ys), x, 1).size(), 1u);
  ys[52] = std::numeric_limits<double>::quiet_NaN();
  const auto pieces = trace(*make_series(0, 1, ys), x, 1);
  ASSERT_EQ(pieces.size(), 3u) << "before, the column that holds the gap, and after";
  EXPECT_EQ(pieces[1].size(), 1u);
  for (const TraceVertex& vertex : pieces[0]) EXPECT_EQ(vertex.mean, 1);
  for (const TraceVertex& vertex : pieces[2]) EXPECT_EQ(vertex.mean, -1);
}

}  // namespace
}  // namespace ropescope
