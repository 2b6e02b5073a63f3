#include "core/decay/cosine_sums.h"

#include <cmath>
#include <numeric>

#include "core/decay/phasor.h"

namespace ropescope {

void CosineSums::set_frequencies(std::span<const double> frequencies) {
  frequencies_.assign(frequencies.begin(), frequencies.end());
  bands_set_ = false;
}

void CosineSums::set_plain(int rotary_dim, double base) {
  frequencies_.resize(static_cast<std::size_t>(rotary_dim / 2));
  // Extended precision: thousands of products in a row stay below a double's rounding.
  const long double ratio = std::pow(static_cast<long double>(base), -2.0L / rotary_dim);
  long double frequency = 1;
  for (double& each : frequencies_) {
    each = static_cast<double>(frequency);
    frequency *= ratio;
  }
  bands_set_ = false;
}

double CosineSums::at(std::int64_t distance) const {
  double sum = 0;
  for (const double frequency : frequencies_) sum += phasor(frequency, static_cast<double>(distance)).cosine;
  return sum;
}

/// B_m, in full only where it lies so near the level that the rounding of the angles (half a unit in the last place of
/// each, mθ·2^−53) and of the cosines and their sum may put it on the other side.
double CosineSums::against(std::int64_t distance, double level) const {
  const double m = static_cast<double>(distance), pairs = static_cast<double>(frequencies_.size());
  double sum = 0;
  for (const double frequency : frequencies_) sum += std::cos(m * frequency);
  const double doubtful = 1.2e-16 * m * sum_of_frequencies_ + 1e-14 * pairs + 2e-16 * pairs * pairs;
  return std::abs(sum - level) > doubtful ? sum : at(distance);
}

bool CosineSums::visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                            const std::function<bool(std::int64_t)>& visit) {
  if (!bands_set_) {
    bands_.set_frequencies(frequencies_);
    sum_of_frequencies_ = std::accumulate(frequencies_.begin(), frequencies_.end(), 0.0,
                                          [](double sum, double each) { return sum + std::abs(each); });
    bands_set_ = true;
  }
  return bands_.visit_open(first, last, below, stop, visit);
}

bool CosineSums::visit_below(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                             const std::function<bool(std::int64_t, double)>& visit) {
  return visit_open(first, last, below, stop, [&](std::int64_t distance) {
    const double sum = against(distance, below);
    return !(sum < below) || visit(distance, sum);
  });
}

std::optional<std::int64_t> CosineSums::first_negative(std::int64_t first, std::int64_t last,
                                                       const std::stop_token& stop) {
  std::optional<std::int64_t> found;
  visit_below(first, last, 0, stop, [&found](std::int64_t distance, double) {
    found = distance;
    return false;
  });
  return found;
}

}  // namespace ropescope
