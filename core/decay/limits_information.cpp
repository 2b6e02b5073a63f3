#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Below this total angle Lθ the variances are differences of nearly equal numbers and are taken from their series.
constexpr double kSmallAngle = 0.03;

void require_length(double length, const char* key) {
  if (!std::isfinite(length) || length < 1) throw InputError(key, {{"length", length}});
}

/// Mean of e^{ikα} over the L positions k = −(L−1)/2 … (L−1)/2, a real number: sin(Lα/2)/(L sin(α/2)).
double centred_mean(double angle, double length) {
  const double half = std::remainder(angle, 2 * std::numbers::pi) / 2;
  if (std::abs(half) * length < 1e-9) return 1;
  return std::sin(length * half) / (length * std::sin(half));
}

/// Variances of cos kθ and sin kθ over the same positions; the two are uncorrelated.
struct CentredVariances {
  double cosine, sine;
};
CentredVariances centred_variances(double frequency, double length) {
  if (length * frequency >= kSmallAngle) {
    const double mean = centred_mean(frequency, length), mean_twice = centred_mean(2 * frequency, length);
    return {std::max(0.0, (1 + mean_twice) / 2 - mean * mean), (1 - mean_twice) / 2};
  }
  // E[k²], E[k⁴], E[k⁶] of L whole steps about their middle, times powers of θ.
  const double l2 = length * length, t2 = frequency * frequency;
  const double a = t2 * (l2 - 1) / 12;
  const double b = t2 * t2 * (l2 - 1) * (3 * l2 - 7) / 240;
  const double c = t2 * t2 * t2 * (l2 - 1) * (3 * l2 * l2 - 18 * l2 + 31) / 1344;
  return {std::max(0.0, (b - a * a) / 4 - (c - a * b) / 24), a - b / 3 + 2 * c / 45};
}

}  // namespace

int critical_dimension(int rotary_dim, double base, double trained_length) {
  if (!std::isfinite(base) || base <= 1) {
    throw InputError("rotary.base", {{"base", base}});
  }
  require_length(trained_length, "decay.trained_length");
  const double pairs = rotary_dim / 2 * std::log(trained_length / (2 * std::numbers::pi)) / std::log(base);
  return static_cast<int>(std::clamp(2 * std::ceil(pairs), 0.0, static_cast<double>(rotary_dim)));
}

int critical_dimension(const Eigen::VectorXd& frequencies, double trained_length) {
  require_length(trained_length, "decay.trained_length");
  const auto turning = static_cast<int>((frequencies.array() != 0).count());
  return 2 * (turning - unfinished_pairs(frequencies, trained_length));
}

Eigen::VectorXd trained_frequencies(const Eigen::VectorXd& plain, const Eigen::VectorXd& in_use) {
  return (in_use.array() == 0).select(0.0, plain.array());
}

std::vector<PairInformation> pair_information(const Eigen::VectorXd& frequencies, double context) {
  require_length(context, "decay.context_length");
  std::vector<PairInformation> pairs;
  pairs.reserve(static_cast<std::size_t>(frequencies.size()));
  for (const double frequency : frequencies) {
    // About the middle of the context: cos(mθ) = cos(cθ)cos(kθ) − sin(cθ)sin(kθ) with c = (L−1)/2 and k = m − c.
    const double middle = (context - 1) / 2 * frequency;
    const double cosine2 = std::cos(middle) * std::cos(middle), sine2 = std::sin(middle) * std::sin(middle);
    const CentredVariances centred = centred_variances(frequency, context);
    PairInformation pair;
    pair.turns = context * frequency / (2 * std::numbers::pi);
    pair.variance_cos = cosine2 * centred.cosine + sine2 * centred.sine;
    pair.variance_sin = sine2 * centred.cosine + cosine2 * centred.sine;
    pair.moving = centred.cosine + centred.sine;
    pairs.push_back(pair);
  }
  return pairs;
}

double effective_pairs(const Eigen::VectorXd& frequencies, double context) {
  double sum = 0;
  for (const PairInformation& pair : pair_information(frequencies, context)) sum += pair.moving;
  return sum;
}

int pairs_below_angle(const Eigen::VectorXd& frequencies, double context, double radians) {
  const auto angles = frequencies.array().abs() * context;
  return static_cast<int>((angles > 0 && angles < radians).count());
}

Eigen::VectorXd finished_frequencies(const Eigen::VectorXd& frequencies, double context) {
  std::vector<double> finished;
  for (const double frequency : frequencies) {
    if (frequency * context >= 2 * std::numbers::pi) finished.push_back(frequency);
  }
  return Eigen::Map<const Eigen::VectorXd>(finished.data(), static_cast<Eigen::Index>(finished.size()));
}

}  // namespace ropescope
