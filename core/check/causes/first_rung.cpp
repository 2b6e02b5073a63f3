#include <algorithm>
#include <cmath>

#include "core/check/model/ladders.h"
#include "core/check/search/line_fit.h"

namespace ropescope {

std::vector<Fit> first_rungs(const Measured& measured, const Eigen::MatrixXd& frequencies, const Ladders& ladders,
                             Eigen::Index axis) {
  std::vector<std::pair<double, Eigen::Index>> slowest_first;
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const bool alone = frequencies(axis, pair) != 0 && (frequencies.col(pair).array() != 0).count() == 1;
    if (alone && std::isfinite(measured.sigma(axis, pair)))
      slowest_first.emplace_back(-ladders.exponent(axis, pair), pair);
  }
  std::sort(slowest_first.begin(), slowest_first.end());
  LineFit fit;
  constexpr double kClear = 3, kSure = 0.2;
  for (const auto& [minus_exponent, pair] : slowest_first) {
    const double sigma = measured.sigma(axis, pair), period = measured.period(axis, pair);
    double frequency = measured.frequency(axis, pair);
    if (fit.determined() && std::isfinite(period)) {
      const auto [logarithm, error] = fit.at(-minus_exponent);
      const double expected = std::exp(logarithm);
      if (expected * error > kSure * period) continue;
      frequency = expected + wrapped(frequency - expected, period);
    }
    const double weight = frequency * frequency / (sigma * sigma);
    if (frequency > kClear * sigma) fit.add(-minus_exponent, std::log(frequency), weight);
  }
  std::vector<Fit> found;
  if (fit.determined()) {
    const auto [logarithm, error] = fit.at(0);
    found.push_back({std::exp(logarithm), error * std::exp(logarithm), 0});
  }
  // Where an extension bends the ladder its first pairs stay as they are.
  constexpr int kTurns = 2;
  for (int turn = 0; turn <= kTurns && !slowest_first.empty(); ++turn) {
    const auto [minus_exponent, pair] = slowest_first.back();
    if (minus_exponent < -1e-6) break;
    const double frequency = measured.frequency(axis, pair) + turn * measured.period(axis, pair);
    if (frequency > 0 && std::isfinite(frequency)) found.push_back({frequency, measured.sigma(axis, pair), 0});
  }
  return found;
}

}  // namespace ropescope
