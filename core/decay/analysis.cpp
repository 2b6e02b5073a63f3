// Summary statistics, phasor sums, trend and cosine integral of decay curves. Read analysis.h first.
//
// Contents: Analysis; Phasors of pairs; Trend; The cosine integral.

#include "core/decay/analysis.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Analysis ------------------------------------------------------------------------------------------------------

std::vector<std::int64_t> zero_crossings(std::span<const double> similarity) {
  std::vector<std::int64_t> crossings;
  double last_nonzero = 0;
  for (std::size_t distance = 0; distance < similarity.size(); ++distance) {
    const double value = similarity[distance];
    if (value == 0) continue;
    // Compares signs, not products: the product of two tiny values would underflow to zero.
    if (last_nonzero != 0 && (value < 0) != (last_nonzero < 0)) {
      crossings.push_back(static_cast<std::int64_t>(distance));
    }
    last_nonzero = value;
  }
  return crossings;
}

DecaySummary summarise_decay(std::span<const double> similarity) {
  DecaySummary summary;
  if (similarity.empty()) return summary;
  summary.minimum = similarity[0];
  double last_nonzero = 0;
  for (std::size_t index = 0; index < similarity.size(); ++index) {
    const auto distance = static_cast<std::int64_t>(index);
    const double value = similarity[index];
    if (value < 0 && !summary.first_negative) summary.first_negative = distance;
    if (value < 0.5 && !summary.first_below_half) summary.first_below_half = distance;
    if (value > 0.5) summary.last_above_half = distance;
    if (value < summary.minimum) {
      summary.minimum = value;
      summary.minimum_at = distance;
    }
    if (value != 0) {
      summary.zero_crossings += last_nonzero != 0 && (value < 0) != (last_nonzero < 0);
      last_nonzero = value;
    }
  }
  return summary;
}

std::vector<double> envelope_from(std::span<const double> similarity) {
  std::vector<double> envelope(similarity.size());
  double largest = 0;
  for (std::size_t distance = similarity.size(); distance-- > 0;) {
    largest = std::max(largest, std::abs(similarity[distance]));
    envelope[distance] = largest;
  }
  return envelope;
}

std::vector<double> envelope_window(std::span<const double> similarity, std::int64_t window) {
  if (window < 1) {
    throw InputError("decay.window", {{"positions", window}});
  }
  const std::size_t size = similarity.size();
  const std::size_t half = std::min(static_cast<std::size_t>(window / 2), size);
  std::vector<double> envelope(size);
  // Candidates for the maximum, in order of distance and with decreasing values. Each distance enters and leaves once,
  // so the cost does not depend on the width of the window.
  std::vector<std::size_t> candidates;
  std::size_t oldest = 0, next = 0;
  for (std::size_t distance = 0; distance < size; ++distance) {
    for (; next < size && next <= distance + half; ++next) {
      const double value = std::abs(similarity[next]);
      while (candidates.size() > oldest && std::abs(similarity[candidates.back()]) <= value) candidates.pop_back();
      candidates.push_back(next);
    }
    while (candidates[oldest] + half < distance) ++oldest;
    envelope[distance] = std::abs(similarity[candidates[oldest]]);
  }
  return envelope;
}

bool is_unfinished(double frequency, double length) {
  return frequency != 0 && wavelength(frequency) > length;
}

int unfinished_pairs(const Eigen::VectorXd& frequencies, double length) {
  int count = 0;
  for (const double frequency : frequencies) count += is_unfinished(frequency, length);
  return count;
}

std::vector<PairRange> unfinished_ranges(const Eigen::VectorXd& frequencies, double length) {
  std::vector<PairRange> ranges;
  for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
    if (!is_unfinished(frequencies[pair], length)) continue;
    if (ranges.empty() || ranges.back().last + 1 < pair) ranges.push_back({pair, pair});
    ranges.back().last = pair;
  }
  return ranges;
}

// --- Phasors of pairs ----------------------------------------------------------------------------------------------

namespace {

std::complex<double> complex_of(const Phasor& phasor) {
  return {phasor.cosine, phasor.sine};
}

/// Returns the index of the i-th pair in this order.
Eigen::Index pair_at(Eigen::Index i, Eigen::Index pairs, PairOrder order) {
  return order == PairOrder::fast_first ? i : pairs - 1 - i;
}

// --- Trend ---------------------------------------------------------------------------------------------------------

/// Steps of ln θ that differ by less belong to one piece: the difference is rounding, not a bend of the ladder.
constexpr double kSameStep = 1e-11;
/// Shorter pieces are treated as cosines: rounding would dominate the difference of two integrals.
constexpr double kShortPiece = 1e-8;

double step_of_piece(const SimilarityTrend::Piece& piece) {
  return std::log(piece.fast / piece.slow) / piece.pairs;
}

void add_step(SimilarityTrend& trend, double fast, double slow) {
  const double step = std::log(fast / slow);
  if (!trend.pieces.empty() && std::abs(step_of_piece(trend.pieces.back()) - step) < kSameStep) {
    trend.pieces.back().slow = slow;
    trend.pieces.back().pairs += 1;
  } else {
    trend.pieces.push_back({fast, slow, 1});
  }
}

// Oscillations of the fastest pairs that are wider than a step are too small to matter. After a few turns of the
// slowest pair, only static pairs contribute.
constexpr double kStep = 1.1, kTurns = 8;

double first_looked_at(const SimilarityTrend& trend) {
  return 0.1 / trend.pieces.front().fast;
}
double last_looked_at(const SimilarityTrend& trend) {
  return kTurns * 2 * std::numbers::pi / trend.end_frequency;
}

/// Returns a bound J such that n·|dT/d ln Δ| ≤ J + Δθ(1)/2.
double jumps_of_density(const SimilarityTrend& trend) {
  double jumps = 0, before = 0;
  for (const SimilarityTrend::Piece& piece : trend.pieces) {
    const double density = piece.pairs / std::max(std::log(piece.fast / piece.slow), kShortPiece);
    jumps += std::abs(density - before);
    before = density;
  }
  return jumps + before;
}

// --- The cosine integral -------------------------------------------------------------------------------------------

/// Up to this x the series loses less than a digit to terms larger than the result.
constexpr double kSeriesEnd = 4;

/// Returns γ + ln x + Σ_k (−x²)^k/(2k·(2k)!), DLMF 6.6.6.
double by_series(double x) {
  double sum = 0, term = 1;
  for (double k = 1; std::abs(term) > 1e-18; ++k) {
    term *= -x * x / ((2 * k - 1) * (2 * k));
    sum += term / (2 * k);
  }
  return std::numbers::egamma + std::log(x) + sum;
}

/// From here on the smallest term of the asymptotic series, x!/x^x, is below 2^−60.
constexpr double kAsymptoticBegin = 48;

/// Returns Ci(x) = f(x) sin x − g(x) cos x with f ~ Σ (−1)^k (2k)!/x^(2k+1), g ~ Σ (−1)^k (2k+1)!/x^(2k+2) (DLMF
/// 6.2.19, 6.12.3, 6.12.4) for x ≥ kAsymptoticBegin.
double by_asymptotic_series(double x) {
  double f = 0, g = 0, term = 1 / x;
  for (double k = 0; std::abs(term) > 1e-18 / x; ++k) {
    f += term;
    g += term * (2 * k + 1) / x;
    term *= -(2 * k + 1) * (2 * k + 2) / (x * x);
  }
  return f * std::sin(x) - g * std::cos(x);
}

/// Returns Ci(x) = −Re E₁(ix) with E₁(z) = e^(−z)·1/(z + 1 − 1²/(z + 3 − 2²/(z + 5 − …))), the even part of DLMF 6.9.1,
/// by Lentz's forward method.
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

PhasorSums phasor_sums(const Eigen::VectorXd& frequencies, double distance, PairOrder order) {
  require_pairs_and_content(frequencies, {});
  const Eigen::Index pairs = frequencies.size();
  const auto count = static_cast<double>(pairs);
  PhasorSums sums;
  sums.joints.reserve(static_cast<std::size_t>(pairs));
  std::complex<double> joint = 0;
  for (Eigen::Index i = 0; i < pairs; ++i) {
    joint += complex_of(phasor(frequencies[pair_at(i, pairs, order)], distance));
    sums.joints.push_back(joint);
    sums.mean_distance += std::abs(joint) / count;
  }
  sums.similarity = joint.real() / count;
  sums.length = std::abs(joint) / count;
  return sums;
}

AbelChain abel_chain(const Eigen::VectorXd& frequencies, double distance, const Content& content, PairOrder order) {
  require_pairs_and_content(frequencies, content);
  const Eigen::Index pairs = frequencies.size();
  const auto weight = [&](Eigen::Index i) {
    return i < pairs ? complex_of(content_weight(content, pair_at(i, pairs, order))) : std::complex<double>(0);
  };
  std::complex<double> joint = 0, sum = 0, transformed = 0;
  double terms = 0, joints = 0, largest_jump = 0;
  for (Eigen::Index i = 0; i < pairs; ++i) {
    const std::complex<double> arrow = complex_of(phasor(frequencies[pair_at(i, pairs, order)], distance));
    const std::complex<double> jump = weight(i + 1) - weight(i);
    joint += arrow;
    sum += weight(i) * arrow;
    transformed += joint * jump;
    terms += std::abs(joint) * std::abs(jump);
    joints += std::abs(joint);
    largest_jump = std::max(largest_jump, std::abs(jump));
  }
  const double total = content_total(content, pairs);
  return {sum.real() / total, std::abs(sum) / total, std::abs(transformed) / total, terms / total,
          largest_jump * joints / total};
}

std::optional<SimilarityTrend> trend_of(const Eigen::VectorXd& frequencies) {
  if (frequencies.size() == 0) throw InputError("decay.no_frequencies", {});
  SimilarityTrend trend;
  trend.pairs = static_cast<int>(frequencies.size());
  std::vector<double> moving;
  for (const double frequency : frequencies) {
    if (!std::isfinite(frequency) || frequency < 0) {
      throw InputError("decay.frequency", {{"frequency", frequency}});
    }
    if (frequency > 0) moving.push_back(frequency);
  }
  trend.still = trend.pairs - static_cast<int>(moving.size());
  if (moving.size() < 2) return std::nullopt;
  std::sort(moving.begin(), moving.end(), std::greater<>());
  for (std::size_t i = 0; i + 1 < moving.size(); ++i) add_step(trend, moving[i], moving[i + 1]);
  const double last = moving.back();
  trend.end_frequency = last * (last / moving[moving.size() - 2]);
  add_step(trend, last, trend.end_frequency);
  return trend;
}

double trend_at(const SimilarityTrend& trend, double distance) {
  const double size = std::abs(distance);
  if (size == 0) return 1 - 0.5 / trend.pairs;
  double sum = trend.still - std::cos(size * trend.end_frequency) / 2;
  // Each piece begins at the end of the previous one.
  double begin = cosine_integral(size * trend.pieces.front().fast);
  for (const SimilarityTrend::Piece& piece : trend.pieces) {
    const double end = cosine_integral(size * piece.slow), length = std::log(piece.fast / piece.slow);
    const bool is_short = length < kShortPiece;
    sum += piece.pairs * (is_short ? std::cos(size * piece.slow) : (begin - end) / length);
    begin = end;
  }
  return sum / trend.pairs;
}

std::optional<double> trend_zero(const SimilarityTrend& trend) {
  const double end = last_looked_at(trend);
  double below = first_looked_at(trend);
  for (double above = below * kStep; below < end; below = above, above *= kStep) {
    if (trend_at(trend, above) > 0) continue;
    for (int halving = 0; halving < 45; ++halving) {
      const double middle = (below + above) / 2;
      (trend_at(trend, middle) > 0 ? below : above) = middle;
    }
    return above;
  }
  return std::nullopt;
}

std::optional<double> trend_below_zero(const SimilarityTrend& trend, double distance) {
  // Rounding error of a value of T.
  constexpr double kRounding = 1e-12;
  const double step = std::log(kStep), jumps = jumps_of_density(trend);
  const double end = std::min(distance, last_looked_at(trend));
  double at = first_looked_at(trend) * kStep;
  while (at < end) {
    const double mean = trend_at(trend, at);
    if (mean < 0) return at;
    // Within w of ln Δ with w·(jumps + e^w·Δθ(1)/2) < n·T the trend cannot reach 0; w ≤ 1 keeps e^w below 3.
    const double steepest = (jumps + 1.5 * at * trend.end_frequency) / trend.pairs;
    const double free_steps = std::floor(std::min((0.99 * mean - kRounding) / steepest, 1.0) / step);
    at *= std::pow(kStep, std::max(1.0, free_steps));
  }
  return distance <= last_looked_at(trend) && trend_at(trend, distance) < 0 ? std::optional(distance) : std::nullopt;
}

double cosine_integral(double x) {
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return 0;
  if (x >= kAsymptoticBegin) return by_asymptotic_series(x);
  return x <= kSeriesEnd ? by_series(x) : by_fraction(x);
}

}  // namespace ropescope
