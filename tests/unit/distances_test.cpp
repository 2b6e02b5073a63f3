// Curves at any list of distances: long runs and single distances give the values of the definitions, in the requested
// order.

#include "core/decay/distances.h"

#include <stop_token>

#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {

namespace {

/// A run upwards, some alone, a run downwards through both signs.
std::vector<double> some_distances() {
  std::vector<double> distances;
  for (int i = 0; i < 700; ++i) distances.push_back(1000 + i);
  for (const double each : {-3.0, 0.5, 1e6, 7.0}) distances.push_back(each);
  for (int i = 0; i < 600; ++i) distances.push_back(-100 - i);
  return distances;
}

}  // namespace

TEST(Distances, GivesTheDefinitionsInTheOrderAskedFor) {
  const Eigen::VectorXd frequencies = plain_frequencies(64, 10000);
  const std::vector<double> distances = some_distances();
  for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
    const KernelCurves curves = curves_at(distances, frequencies, order);
    ASSERT_EQ(curves.similarity.size(), distances.size());
    ASSERT_EQ(curves.bound.size(), distances.size());
    for (std::size_t i = 0; i < distances.size(); ++i) {
      EXPECT_NEAR(curves.similarity[i], similarity(frequencies, distances[i]), 1e-12) << distances[i];
      EXPECT_NEAR(curves.bound[i], abel_bound(frequencies, std::abs(distances[i]), order), 1e-10) << distances[i];
    }
  }
}

TEST(Distances, AreTheSameForAnyNumberOfThreads) {
  const Eigen::VectorXd frequencies = plain_frequencies(64, 10000);
  const std::vector<double> distances = some_distances();
  const KernelCurves one = curves_at(distances, frequencies, PairOrder::fast_first, {1});
  const KernelCurves three = curves_at(distances, frequencies, PairOrder::fast_first, {3});
  EXPECT_EQ(one.similarity, three.similarity);
  EXPECT_EQ(one.bound, three.bound);
}

TEST(Distances, LeavesOutTheBoundAndStops) {
  const Eigen::VectorXd frequencies = plain_frequencies(64, 10000);
  EXPECT_TRUE(curves_at(some_distances(), frequencies, PairOrder::fast_first, {}, false).bound.empty());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(
      curves_at(some_distances(), frequencies, PairOrder::fast_first, {1, stop.get_token()}).similarity.empty());
}

}  // namespace ropescope
