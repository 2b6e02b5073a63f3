#include <cmath>

#include "core/check/shifts.h"

namespace ropescope {

const Observed& ObservedCache::of(const CheckModel& model) {
  Key key{model.repeats, model.companions, model.conjugate, model.tokens.pair_count()};
  // A table is read without knowing how channels are paired.
  if (evidence_.has_tables()) key.repeats = key.companions = Pairing::interleaved, key.pairs = 0;
  for (const auto& [seen, observed] : kept_) {
    if (seen == key) return *observed;
  }
  kept_.emplace_back(key, std::make_unique<Observed>(observe(evidence_, model)));
  return *kept_.back().second;
}

const Measured& Situation::measured() const {
  if (!measured_) measured_ = measure(evidence, observed(), model);
  return *measured_;
}

const Ladders& Situation::ladders() const {
  if (!ladders_) ladders_ = ladders_of(model, reference);
  return *ladders_;
}

const std::vector<std::vector<double>>& Situation::shifts() const {
  if (!shifts_) shifts_ = recover_shifts(*this);
  return *shifts_;
}

bool Situation::frequencies_fit() const {
  const Measured& found = measured();
  bool some = false;
  const Eigen::MatrixXd& expected = model.tokens.frequencies;
  if (found.frequency.cols() != expected.cols()) return false;
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    const double sigma = found.sigma.reshaped()[i], period = found.period.reshaped()[i];
    // A pair that one axis turns does not show another; one that none turns must stand still for all.
    const bool is_still = (expected.col(i / expected.rows()).array() == 0).all();
    if (!std::isfinite(sigma) || (expected.reshaped()[i] == 0 && !is_still)) continue;
    double by = rounded_to(model.frequency_format, expected.reshaped()[i]) - found.frequency.reshaped()[i];
    if (std::isfinite(period)) by = wrapped(by, period);
    constexpr double kErrors = 8;
    if (std::abs(by) > kErrors * sigma) return false;
    some = true;
  }
  return some;
}

std::string list_text(const std::vector<double>& values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ", ") + number_text(values[i]);
  return text + ")";
}

}  // namespace ropescope
