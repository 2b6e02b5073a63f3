#include <algorithm>
#include <cmath>

#include "core/decay/content_check.h"
#include "core/decay/kernel.h"
#include "core/decay/phasor.h"

namespace ropescope {

namespace {

/// Below it the square of ε is less than a double shows next to 1; angles past 1e8 radians leave more.
constexpr double kLinearRest = 1e-8;

}  // namespace

Phasor phasor(double frequency, double distance) {
  const double angle = frequency * distance;
  const double rest = std::fma(frequency, distance, -angle);
  const double cosine = std::cos(angle), sine = std::sin(angle);
  if (std::abs(rest) < kLinearRest) return {cosine - rest * sine, sine + rest * cosine};
  const double rest_cosine = std::cos(rest), rest_sine = std::sin(rest);
  return {cosine * rest_cosine - sine * rest_sine, sine * rest_cosine + cosine * rest_sine};
}

double similarity(const Eigen::VectorXd& frequencies, double distance, const Content& content) {
  require_pairs_and_content(frequencies, content);
  double sum = 0;
  for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
    const Phasor turn = phasor(frequencies[pair], distance);
    const Phasor weight = content_weight(content, pair);
    sum += weight.cosine * turn.cosine - weight.sine * turn.sine;
  }
  return sum / content_total(content, frequencies.size());
}

double abel_bound(const Eigen::VectorXd& frequencies, double distance, PairOrder order) {
  require_pairs_and_content(frequencies, {});
  const Eigen::Index pair_count = frequencies.size();
  double real = 0, imaginary = 0, magnitudes = 0;
  for (Eigen::Index step = 0; step < pair_count; ++step) {
    const Eigen::Index pair = order == PairOrder::fast_first ? step : pair_count - 1 - step;
    const Phasor turn = phasor(frequencies[pair], distance);
    real += turn.cosine;
    imaginary += turn.sine;
    magnitudes += std::sqrt(real * real + imaginary * imaginary);
  }
  return magnitudes / static_cast<double>(pair_count);
}

}  // namespace ropescope
