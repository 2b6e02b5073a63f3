#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace ropescope {

/// What a similarity curve K(0…span) sampled at every integer distance says in numbers. Distances are indices of the
/// span.
struct DecaySummary {
  std::optional<std::int64_t> first_negative;    ///< smallest Δ with K(Δ) < 0
  std::optional<std::int64_t> first_below_half;  ///< smallest Δ with K(Δ) < 1/2
  std::optional<std::int64_t> last_above_half;   ///< largest Δ with K(Δ) > 1/2 within the span
  std::int64_t zero_crossings = 0;  ///< number of Δ with K(Δ−1)·K(Δ) < 0, or a change of sign across zeros
  double minimum = 0;
  std::int64_t minimum_at = 0;
};
DecaySummary summarise_decay(std::span<const double> similarity);

/// The distances Δ at which the sign differs from that of the last nonzero value before.
std::vector<std::int64_t> zero_crossings(std::span<const double> similarity);

/// E(Δ) = max over Δ' ≥ Δ (within the span) of |K(Δ')|: never increases.
std::vector<double> envelope_from(std::span<const double> similarity);

/// W(Δ) = max of |K| over the window [Δ − w/2, Δ + w/2] clipped to the span, w ≥ 1 positions.
std::vector<double> envelope_window(std::span<const double> similarity, std::int64_t window);

/// Whether a pair turns, but never once around in L positions: θ ≠ 0 and λ = 2π/θ > L. A pair that stands still never
/// meets another phase: it is no such one.
bool is_unfinished(double frequency, double length);
/// How many such pairs there are: those with unseen phases, of the frequencies that training turned by.
int unfinished_pairs(const Eigen::VectorXd& frequencies, double length);

}  // namespace ropescope
