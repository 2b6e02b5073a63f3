#include "core/decay/trend.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "core/decay/cosine_integral.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Steps of ln θ that differ by less are one piece: roundings of the frequencies, not a bend of the ladder.
constexpr double kSameStep = 1e-11;
/// Shorter pieces are cosines: the difference of two integrals would be lost in their rounding.
constexpr double kShortPiece = 1e-8;

double step_of_trend(const SimilarityTrend::Piece& piece) {
  return std::log(piece.fast / piece.slow) / piece.pairs;
}

void add_step(SimilarityTrend& trend, double fast, double slow) {
  const double step = std::log(fast / slow);
  if (!trend.pieces.empty() && std::abs(step_of_trend(trend.pieces.back()) - step) < kSameStep) {
    trend.pieces.back().slow = slow;
    trend.pieces.back().pairs += 1;
  } else {
    trend.pieces.push_back({fast, slow, 1});
  }
}

}  // namespace

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
  // A piece begins where the one before it ends.
  double begin = cosine_integral(size * trend.pieces.front().fast);
  for (const SimilarityTrend::Piece& piece : trend.pieces) {
    const double end = cosine_integral(size * piece.slow), length = std::log(piece.fast / piece.slow);
    const bool is_short = length < kShortPiece;
    sum += piece.pairs * (is_short ? std::cos(size * piece.slow) : (begin - end) / length);
    begin = end;
  }
  return sum / trend.pairs;
}

namespace {

// Where swings of the fastest pairs are wider than a step they are too small to matter; some turns of the slowest pair
// on only pairs that stand still are left.
constexpr double kStep = 1.1, kTurns = 8;

double first_looked_at(const SimilarityTrend& trend) {
  return 0.1 / trend.pieces.front().fast;
}
double last_looked_at(const SimilarityTrend& trend) {
  return kTurns * 2 * std::numbers::pi / trend.end_frequency;
}

/// n·|dT/d ln Δ| is at most this and Δθ(1)/2.
double jumps_of_density(const SimilarityTrend& trend) {
  double jumps = 0, before = 0;
  for (const SimilarityTrend::Piece& piece : trend.pieces) {
    const double density = piece.pairs / std::max(std::log(piece.fast / piece.slow), kShortPiece);
    jumps += std::abs(density - before);
    before = density;
  }
  return jumps + before;
}

}  // namespace

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
  // Of a T.
  constexpr double kRounding = 1e-12;
  const double step = std::log(kStep), jumps = jumps_of_density(trend);
  const double end = std::min(distance, last_looked_at(trend));
  double at = first_looked_at(trend) * kStep;
  while (at < end) {
    const double mean = trend_at(trend, at);
    if (mean < 0) return at;
    // Over w of ln Δ with w·(jumps + e^w·Δθ(1)/2) < n·T nothing comes down to 0; w ≤ 1 keeps e^w below 3.
    const double steepest = (jumps + 1.5 * at * trend.end_frequency) / trend.pairs;
    const double free_steps = std::floor(std::min((0.99 * mean - kRounding) / steepest, 1.0) / step);
    at *= std::pow(kStep, std::max(1.0, free_steps));
  }
  return distance <= last_looked_at(trend) && trend_at(trend, distance) < 0 ? std::optional(distance) : std::nullopt;
}

}  // namespace ropescope
