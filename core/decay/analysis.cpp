#include "core/decay/analysis.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

std::vector<std::int64_t> zero_crossings(std::span<const double> similarity) {
  std::vector<std::int64_t> crossings;
  double last_nonzero = 0;
  for (std::size_t distance = 0; distance < similarity.size(); ++distance) {
    const double value = similarity[distance];
    if (value == 0) continue;
    // Signs, not products: those of two tiny values would underflow to zero.
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
  // Candidates for the maximum, from the oldest and largest to the newest and smallest: each distance enters and leaves
  // once, so a window of any width costs the same.
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

}  // namespace ropescope
