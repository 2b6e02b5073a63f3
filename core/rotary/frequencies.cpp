#include "core/rotary/frequencies.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.h"

namespace ropescope {

namespace {

void require_ladder(int dim, double base) {
  if (dim < 2 || dim > kLargestDimension || dim % 2 != 0) {
    throw InputError("rotary.dimension", {{"dim", dim}, {"least", 2}, {"most", kLargestDimension}});
  }
  if (!std::isfinite(base) || base <= 1) {
    throw InputError("rotary.base", {{"base", base}});
  }
}

// Extended precision: a double exponent's own rounding would cost up to ln(b) units in the last place.
double rung(long double base, int pair, int dim) {
  return static_cast<double>(std::pow(base, -2.0L * pair / dim));
}

}  // namespace

Eigen::VectorXd plain_frequencies(int rotary_dim, double base) {
  require_ladder(rotary_dim, base);
  Eigen::VectorXd frequencies(rotary_dim / 2);
  for (int pair = 0; pair < rotary_dim / 2; ++pair) frequencies[pair] = rung(base, pair, rotary_dim);
  return frequencies;
}

Eigen::VectorXd proportional_frequencies(int head_dim, double base, double live_fraction, double factor) {
  require_ladder(head_dim, base);
  if (!(live_fraction > 0 && live_fraction <= 1)) {
    throw InputError("rotary.live_fraction", {{"fraction", live_fraction}});
  }
  if (!std::isfinite(factor) || factor <= 0) {
    throw InputError("rotary.factor", {{"factor", factor}});
  }
  const int live = static_cast<int>(std::floor(live_fraction * head_dim / 2));
  Eigen::VectorXd frequencies = Eigen::VectorXd::Zero(head_dim / 2);
  for (int pair = 0; pair < live; ++pair) {
    const long double frequency = std::pow(static_cast<long double>(base), -2.0L * pair / head_dim);
    frequencies[pair] = static_cast<double>(frequency / factor);
  }
  return frequencies;
}

Eigen::VectorXd axis_frequencies(const RotaryAxis& axis) {
  switch (axis.ladder) {
    case Ladder::plain:
      return plain_frequencies(axis.rotary_dim, axis.base);
    case Ladder::proportional:
      return proportional_frequencies(axis.rotary_dim, axis.base, axis.live_fraction, axis.factor);
  }
  throw InputError("rotary.ladder", {{"axis", axis.name}});
}

double wavelength(double frequency) {
  if (frequency == 0) return std::numeric_limits<double>::infinity();
  return 2 * std::numbers::pi / frequency;
}

}  // namespace ropescope
