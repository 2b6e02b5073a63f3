#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/training/race.h"

namespace ropescope {

namespace {

/// Student's t that 95 % of differences without a cause stay under, by degrees of freedom 1 … 10; 1.96 is its limit.
double student(int freedom) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  // Beyond 10 a little too careful.
  return freedom <= 10 ? kTable[freedom - 1] : 2.228;
}

double mean_of_finite(const std::vector<double>& losses) {
  double sum = 0;
  int count = 0;
  for (const double loss : losses) {
    if (std::isfinite(loss)) sum += loss, ++count;
  }
  return count ? sum / count : std::numeric_limits<double>::infinity();
}

RunnerComparison compare_two(const FinalLosses& ahead, const FinalLosses& behind) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(ahead.losses.size(), behind.losses.size()); ++i) {
    const double difference = behind.losses[i] - ahead.losses[i];
    if (std::isfinite(difference)) differences.push_back(difference);
  }
  RunnerComparison result{ahead.name, behind.name, 0, {}, static_cast<int>(differences.size()), false};
  if (differences.empty()) return result;
  const auto count = static_cast<double>(differences.size());
  result.difference = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  if (differences.size() > 1) {
    double squares = 0;
    for (const double difference : differences) squares += std::pow(difference - result.difference, 2);
    result.spread = std::sqrt(squares / (count - 1));
    result.told_apart = std::abs(result.difference) > student(result.seeds - 1) * *result.spread / std::sqrt(count);
  }
  if (result.difference < 0) {
    std::swap(result.ahead, result.behind);
    result.difference = -result.difference;
  }
  return result;
}

}  // namespace

std::vector<RunnerComparison> compare_finals(std::vector<FinalLosses> finals) {
  std::stable_sort(finals.begin(), finals.end(), [](const FinalLosses& a, const FinalLosses& b) {
    return mean_of_finite(a.losses) < mean_of_finite(b.losses);
  });
  std::vector<RunnerComparison> comparisons;
  for (std::size_t i = 1; i < finals.size(); ++i) comparisons.push_back(compare_two(finals[i - 1], finals[i]));
  return comparisons;
}

}  // namespace ropescope
