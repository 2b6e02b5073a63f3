// The cache of observations, and whether frequencies fit unchanged or up to a factor.

#include "core/check/evidence/situation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/check/compare/rows.h"
#include "core/check/evidence/evidence.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"
#include "core/check/tuning.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

ObservedKey make_observed_key(const CheckModel& model, Eigen::Index pairs) {
  return {model.part<ChannelPlan>(), model.part<TableSigns>(), model.tokens.halves_by_axis, pairs};
}

const Observed& ObservedCache::of(const CheckModel& model) {
  ObservedKey key = make_observed_key(model, model.tokens.pair_count());
  // Reading a table does not depend on how channels are paired.
  if (evidence_.has_tables())
    key.channels.repeats = key.channels.companions = Pairing::interleaved, key.halves_by_axis = false, key.pairs = 0;
  for (const auto& [seen, observed] : kept_) {
    if (seen == key) return *observed;
  }
  kept_.emplace_back(key, std::make_unique<Observed>(observe(evidence_, model)));
  return *kept_.back().second;
}

Proposal Situation::proposal(Change change) const {
  Proposal found = proposal();
  change(found.model);
  found.change = std::move(change);
  return found;
}

const Measured& Situation::measured() const {
  if (!measured_) measured_ = measure(evidence, observed(), model);
  return *measured_;
}

const Ladders& Situation::ladders() const {
  if (!ladders_) ladders_ = ladders_of(model);
  return *ladders_;
}

const std::vector<Factor>& Situation::factors(std::vector<Factor> (*find)(const Situation&)) const {
  if (factors_ && found_by_ == find) {
    evidence.effort->spend(effort_of_factors_);
    return *factors_;
  }
  const std::int64_t before = evidence.effort->spent();
  factors_ = find(*this), found_by_ = find;
  effort_of_factors_ = evidence.effort->spent() - before;
  return *factors_;
}

const std::vector<std::vector<double>>& Situation::shifts() const {
  if (!shifts_) shifts_ = recover_shifts(*this);
  return *shifts_;
}

namespace {

/// Returns whether frequencies are within some errors of the measured ones.
bool fit(const Measured& found, const Eigen::MatrixXd& frequencies, ShortFormat format, double factor) {
  bool some = false;
  const Eigen::MatrixXd expected = factor * frequencies;
  if (found.frequency.cols() != expected.cols()) return false;
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    const double sigma = found.sigma.reshaped()[i], period = found.period.reshaped()[i];
    // A pair that one axis rotates shows nothing of the others; a pair that none rotates must be static for all.
    const bool is_still = (expected.col(i / expected.rows()).array() == 0).all();
    if (!std::isfinite(sigma) || (expected.reshaped()[i] == 0 && !is_still)) continue;
    double by = round_to_format(format, expected.reshaped()[i]) - found.frequency.reshaped()[i];
    if (std::isfinite(period)) by = wrapped(by, period);
    if (std::abs(by) > tuned::kErrors * sigma) return false;
    some = true;
  }
  return some;
}

/// Returns the factor between frequencies and measured ones, from the slowest pair, which does not wrap, to the
/// fastest. 0 if nothing shows it.
double factor_between(const Measured& found, const Eigen::MatrixXd& expected) {
  if (found.frequency.cols() != expected.cols()) return 0;
  std::vector<std::pair<double, Eigen::Index>> slowest_first;
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    const bool known = expected.reshaped()[i] > 0 && std::isfinite(found.sigma.reshaped()[i]);
    if (known) slowest_first.emplace_back(expected.reshaped()[i], i);
  }
  std::sort(slowest_first.begin(), slowest_first.end());
  double factor = 0, weights = 0;
  for (const auto& [frequency, i] : slowest_first) {
    const double period = found.period.reshaped()[i], sigma = found.sigma.reshaped()[i] / frequency;
    double ratio = found.frequency.reshaped()[i] / frequency;
    if (weights > 0 && std::isfinite(period)) {
      if (frequency > tuned::kSureOfPeriod * period * std::sqrt(weights)) continue;
      ratio = factor + wrapped(ratio - factor, period / frequency);
    }
    if (weights == 0 && !(ratio > tuned::kClearOfNoiseAlone * sigma)) continue;
    const double weight = 1 / (sigma * sigma);
    factor = (factor * weights + ratio * weight) / (weights + weight);
    weights += weight;
  }
  return factor;
}

}  // namespace

bool Situation::frequencies_fit() const {
  return fit(measured(), model.tokens.frequencies, model.frequency_format, 1);
}

bool Situation::frequencies_fit_but_for_a_factor() const {
  const Measured& found = measured();
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  const double factor = factor_between(found, frequencies);
  if (factor > 0 && fit(found, frequencies, model.frequency_format, factor)) return true;
  if (frequencies.rows() < 2 || found.frequency.cols() != frequencies.cols()) return false;
  // Or one factor for each axis.
  Eigen::MatrixXd scaled = frequencies;
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    const double of_axis = factor_between(found, only_axis(frequencies, static_cast<std::size_t>(axis)));
    if (of_axis > 0) scaled.row(axis) *= of_axis;
  }
  return fit(found, scaled, model.frequency_format, 1);
}

Doubt doubt_of(double value) {
  return has_few_digits(value) ? Doubt::round_number : Doubt::fitted;
}

}  // namespace ropescope
