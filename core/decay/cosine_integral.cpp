#include "core/decay/cosine_integral.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace ropescope {

namespace {

/// Up to here the series loses less than a digit to terms larger than the result.
constexpr double kSeriesEnd = 4;

/// γ + ln x + Σ_k (−x²)^k/(2k·(2k)!), DLMF 6.6.6.
double by_series(double x) {
  double sum = 0, term = 1;
  for (double k = 1; std::abs(term) > 1e-18; ++k) {
    term *= -x * x / ((2 * k - 1) * (2 * k));
    sum += term / (2 * k);
  }
  return std::numbers::egamma + std::log(x) + sum;
}

/// Ci(x) = −Re E₁(ix), and E₁(z) = e^(−z)·1/(z + 1 − 1²/(z + 3 − 2²/(z + 5 − …))), DLMF 6.9.1 in its even part, by
/// Lentz's method from the front.
double by_fraction(double x) {
  const std::complex<double> z(0, x);
  std::complex<double> denominator = z + 1.0, ratio = 1.0 / denominator, fraction = ratio, numerator_ratio = 1e300;
  for (double k = 1; k < 1000; ++k) {
    const std::complex<double> step = z + (2 * k + 1);
    ratio = 1.0 / (step - k * k * ratio);
    numerator_ratio = step - k * k / numerator_ratio;
    const std::complex<double> change = numerator_ratio * ratio;
    fraction *= change;
    if (std::abs(change - 1.0) < 1e-16) break;
  }
  return -(std::complex<double>(std::cos(x), -std::sin(x)) * fraction).real();
}

}  // namespace

double cosine_integral(double x) {
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return 0;
  return x <= kSeriesEnd ? by_series(x) : by_fraction(x);
}

}  // namespace ropescope
