#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check/model/ladders.h"

namespace ropescope {

namespace {

/// A table of another number of pairs says nothing about these.
bool comparable(const Measured& measured, const Eigen::MatrixXd& frequencies) {
  return frequencies.rows() == measured.frequency.rows() && frequencies.cols() == measured.frequency.cols() &&
         frequencies.allFinite();
}

/// Deviations in units of their errors, of what is known and what an axis turns at all.
template <class Act>
void each_deviation(const Measured& measured, const Eigen::MatrixXd& frequencies, const Act& act) {
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double frequency = frequencies.reshaped()[i], sigma = measured.sigma.reshaped()[i];
    if (!std::isfinite(sigma) || frequency == 0) continue;
    const double period = measured.period.reshaped()[i];
    double deviation = frequency - measured.frequency.reshaped()[i];
    if (std::isfinite(period)) deviation = wrapped(deviation, period);
    act(i, deviation / sigma, period / sigma);
  }
}

/// One step of Gauss-Newton in ln(value); its error. Ambiguous deviations (near half a period) do not count.
std::optional<std::pair<double, double>> newton_step(const Measured& measured, const Family& family, double value,
                                                     bool robust) {
  constexpr double kStep = 1e-6;
  const Eigen::MatrixXd here = family(value), there = family(value * std::exp(kStep));
  if (!comparable(measured, here) || !comparable(measured, there)) return std::nullopt;
  measured.spend(2 * here.cols());
  double curvature = 0, slope = 0;
  each_deviation(measured, here, [&](Eigen::Index i, double deviation, double half_turns) {
    if (std::abs(deviation) > 0.15 * half_turns) return;
    const double derivative = (there.reshaped()[i] - here.reshaped()[i]) / kStep / measured.sigma.reshaped()[i];
    const double weight = robust ? 1 / (1 + deviation * deviation / 25) : 1;
    curvature += weight * derivative * derivative;
    slope += weight * derivative * deviation;
  });
  if (!(curvature > 0)) return std::nullopt;
  return std::pair{-slope / curvature, 1 / std::sqrt(curvature)};
}

/// Σ r·r'/unit² and Σ r'²/unit² over cos and sin of some rows, r the residual of `here`, r' its change to `there`.
std::pair<double, double> slope_of_tables(const Evidence& evidence, const CheckModel& here, const CheckModel& there) {
  constexpr std::size_t kRows = 160;
  const RowEvaluator first(here), second(there);
  const auto pairs = static_cast<std::size_t>(first.pairs());
  if (first.pairs() != evidence.cosine.cols() || second.pairs() != first.pairs()) return {0, 0};
  std::vector<double> c(pairs), s(pairs), c2(pairs), s2(pairs), size(pairs);
  const StorageUnit& unit = evidence.table_unit;
  double slope = 0, curvature = 0;
  const std::size_t stride = std::max<std::size_t>(evidence.rows.size() / kRows, 1);
  evidence.spend(2 * static_cast<Eigen::Index>(evidence.rows.size() / stride) * first.pairs());
  for (std::size_t i = 0; i < evidence.rows.size(); i += stride) {
    second.row(evidence.rows[i], c2.data(), s2.data(), size.data());
    first.row(evidence.rows[i], c.data(), s.data(), size.data());
    const auto row = static_cast<Eigen::Index>(i);
    const auto add = [&](double stored, double expected, double moved, double reach) {
      const double error = unit.at(expected) + kAngleError * reach + 1e-12;
      const double residual = (stored - expected) / error, change = (moved - expected) / error;
      // A cell that is far off is wrapped, or wrong for another reason.
      constexpr double kNear = 12, kFar = 300;
      if (std::abs(residual) > kFar) return;
      const double weight = 1 / (1 + residual * residual / (kNear * kNear));
      slope += weight * residual * change;
      curvature += weight * change * change;
    };
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const auto p = static_cast<Eigen::Index>(pair);
      add(evidence.cosine(row, p), c[pair], c2[pair], size[pair]);
      add(evidence.sine(row, p), s[pair], s2[pair], size[pair]);
    }
  }
  return {slope, curvature};
}

}  // namespace

double misfit(const Measured& measured, const Eigen::MatrixXd& frequencies) {
  if (!comparable(measured, frequencies)) return std::numeric_limits<double>::infinity();
  measured.spend(2 * frequencies.cols());
  double sum = 0;
  Eigen::Index count = 0;
  each_deviation(measured, frequencies, [&](Eigen::Index, double deviation, double) {
    sum += std::log1p(deviation * deviation);
    ++count;
  });
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

std::optional<Fit> fit_parameter(const Measured& measured, const Family& family, const std::vector<double>& starts) {
  std::vector<std::pair<double, double>> order;
  for (const double start : starts) {
    if (measured.is_spent()) break;
    const Eigen::MatrixXd frequencies = family(start);
    if (comparable(measured, frequencies)) order.emplace_back(misfit(measured, frequencies), start);
  }
  if (order.empty()) return std::nullopt;
  std::sort(order.begin(), order.end());
  constexpr std::size_t kTried = 3;
  constexpr int kSteps = 24;
  constexpr double kLongest = 0.7;
  std::optional<Fit> best;
  for (std::size_t i = 0; i < std::min(kTried, order.size()); ++i) {
    double value = order[i].second, error = 0;
    double of_value = order[i].first;
    for (int step = 0; step < kSteps && !measured.is_spent(); ++step) {
      const auto moved = newton_step(measured, family, value, step >= 4);
      if (!moved) break;
      error = moved->second;
      double by = std::clamp(moved->first, -kLongest, kLongest);
      // Halved until it helps: beyond a wrap the slope points the wrong way.
      double next = value, of_next = of_value;
      for (int half = 0; half < 6; ++half, by /= 2) {
        next = value * std::exp(by);
        const Eigen::MatrixXd frequencies = family(next);
        of_next = misfit(measured, frequencies);
        if (of_next <= of_value) break;
      }
      if (!(of_next <= of_value)) break;
      const bool done = std::abs(by) < 1e-13 || (std::abs(by) < 1e-3 * error && step > 6);
      value = next, of_value = of_next;
      if (done) break;
    }
    if (!best || of_value < best->misfit) best = Fit{value, error * value, of_value};
  }
  return best;
}

Fit polished(const Evidence& evidence, const Fit& fit, const std::function<CheckModel(double)>& build) {
  if (!evidence.has_tables() || share_reproduced(build(fit.value), evidence) < 0.3) return fit;
  constexpr double kStep = 1e-7, kFarthest = 1e-2;
  constexpr int kRounds = 8;
  Fit better = fit;
  for (int round = 0; round < kRounds && !evidence.is_spent(); ++round) {
    const CheckModel here = build(better.value), there = build(better.value * (1 + kStep));
    const auto [slope, curvature] = slope_of_tables(evidence, here, there);
    if (!(curvature > 0)) return fit;
    const double by = slope / curvature * kStep;
    if (!(std::abs(by) < kFarthest)) return fit;
    better.value *= 1 + by;
    better.error = std::abs(better.value) * kStep / std::sqrt(curvature);
    if (std::abs(by) < 1e-13) break;
  }
  // ggml's recurrence errs alike in all rows: more of them do not make a number any more exact.
  constexpr double kOfRecurrence = 4e-6;
  if (build(better.value).recurrence) better.error = std::max(better.error, kOfRecurrence * std::abs(better.value));
  return better;
}

std::vector<double> round_numbers(const Fit& fit) {
  std::vector<double> numbers;
  constexpr int kFewDigits = 3, kMostDigits = 9;
  constexpr double kNear = 2e-3;
  const double size = fit.value == 0 ? 0 : std::floor(std::log10(std::abs(fit.value)));
  for (int digits = 1; digits <= kMostDigits && numbers.size() < 5; ++digits) {
    // A power of ten below 1 is not exact: multiply by its inverse.
    const double places = digits - 1 - size;
    const double rounded = places <= 0 ? std::nearbyint(fit.value / std::pow(10.0, -places)) * std::pow(10.0, -places)
                                       : std::nearbyint(fit.value * std::pow(10.0, places)) / std::pow(10.0, places);
    // Few digits are likely even if the fit is less exact than it believes.
    const double reach = std::max(5 * fit.error, (digits <= kFewDigits ? kNear : 1e-9) * std::abs(fit.value));
    const bool seen = !numbers.empty() && numbers.back() == rounded;
    if (std::abs(rounded - fit.value) <= reach && !seen) numbers.push_back(rounded);
  }
  numbers.push_back(fit.value);
  return numbers;
}

std::vector<double> numbers_around(const Fit& fit) {
  constexpr int kAround = 24;
  std::vector<double> numbers;
  for (int i = -kAround; i <= kAround; ++i) numbers.push_back(fit.value + 3 * fit.error * i / kAround);
  return numbers;
}

bool has_few_digits(double value) {
  const auto is_short = [](double number) {
    if (number == 0 || !std::isfinite(number)) return false;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(number))) - 2);
    return std::abs(number / unit - std::nearbyint(number / unit)) < 1e-9;
  };
  return is_short(value) || is_short(1 / value);
}

std::vector<double> logarithmic_grid(double low, double high, int count) {
  std::vector<double> grid;
  for (int i = 0; i < count; ++i) {
    grid.push_back(low * std::pow(high / low, static_cast<double>(i) / std::max(count - 1, 1)));
  }
  return grid;
}

}  // namespace ropescope
