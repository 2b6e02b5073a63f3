#include "app/views/precision/inputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace ropescope {

namespace {

constexpr int kRatios = 400;
/// Nanoseconds for one pair at one position: some fourteen sines and cosines.
constexpr double kPairCost = 200;

/// False where `stop` was requested.
bool compute_policy(const PrecisionInput& input, const std::vector<double>& positions, const std::stop_token& stop,
                    PolicyCurves& curves) {
  const PrecisionPolicy& policy = *curves.policy;
  std::vector<double> error, score_error, shifted;
  for (const double position : positions) {
    if (stop.stop_requested()) return false;
    const PrecisionError found = precision_error(policy, input.frequencies, position);
    error.push_back(found.max_abs);
    score_error.push_back(found.score);
    shifted.push_back(policy_score(policy, input.frequencies, position + input.distance, position));
  }
  curves.unshifted = policy_score(policy, input.frequencies, input.distance, 0);
  curves.error_at_length = precision_error(policy, input.frequencies, input.length).max_abs;
  curves.error = make_series(positions, std::move(error));
  curves.score_error = make_series(positions, std::move(score_error));
  curves.shifted = make_series(positions, std::move(shifted));
  return true;
}

}  // namespace

std::size_t PrecisionCurves::bytes() const {
  return 6 * policies.size() * positions * sizeof(double);
}

std::vector<double> sampled_positions(double span) {
  std::vector<double> positions;
  const auto add = [&](double position) {
    if (position >= 1 && position <= span) positions.push_back(position);
  };
  for (int i = 0; i <= kRatios; ++i) add(std::round(std::pow(span, static_cast<double>(i) / kRatios)));
  for (double power = 1; power - 1 <= span; power *= 2) {
    for (const double beside : {-1.0, 0.0, 1.0}) add(power + beside);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

bool PrecisionInput::operator==(const PrecisionInput& other) const {
  return policies == other.policies && span == other.span && distance == other.distance && length == other.length &&
         frequencies.size() == other.frequencies.size() && (frequencies.array() == other.frequencies.array()).all();
}

double PrecisionInput::cost() const {
  return static_cast<double>(policies.size()) * kRatios * static_cast<double>(frequencies.size()) * kPairCost;
}

std::shared_ptr<const PrecisionCurves> PrecisionInput::compute(int /*threads*/, const std::stop_token& stop) const {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<double> positions = sampled_positions(span);
  auto result = std::make_shared<PrecisionCurves>();
  result->positions = positions.size();
  for (const double frequency : frequencies) {
    result->exact_score += std::cos(distance * frequency) / static_cast<double>(frequencies.size());
  }
  for (const PrecisionPolicy* policy : policies) {
    PolicyCurves curves;
    curves.policy = policy;
    if (!compute_policy(*this, positions, stop, curves)) return nullptr;
    result->policies.push_back(std::move(curves));
  }
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace ropescope
