// Similarity at arbitrary distances: finds runs of consecutive distances and passes them to the kernel.

#include "core/decay/distances.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/decay/limits.h"
#include "core/rotary/rotary_tables.h"

namespace ropescope {

namespace {

/// Shorter runs of consecutive distances are evaluated one by one.
constexpr std::size_t kShortestRun = 256;
/// So many of them are evaluated by vector instructions; fewer by the functions that tables print.
constexpr std::size_t kManySingles = 1024;
/// Number of distances evaluated between two checks for cancellation.
constexpr std::int64_t kDistancesAtOnce = 64;

/// Returns the length of the run first, first + step, first + 2·step, … (step ±1) of integer sizes of distances at
/// `begin`.
std::size_t run_length(std::span<const double> distances, std::size_t begin, double step) {
  const double first = std::abs(distances[begin]);
  if (first != std::floor(first)) return 0;
  std::size_t end = begin;
  while (end < distances.size() && std::abs(distances[end]) <= static_cast<double>(kFarthestDistance) &&
         std::abs(distances[end]) == first + step * static_cast<double>(end - begin)) {
    ++end;
  }
  return end - begin;
}

/// Evaluates a long run, in the order of its distances.
KernelCurves run_curves(const KernelRequest& request, bool downwards, const Work& work) {
  KernelCurves run = kernel_curves(request, work.stop);
  if (downwards) {
    std::reverse(run.similarity.begin(), run.similarity.end());
    std::reverse(run.bound.begin(), run.bound.end());
  }
  return run;
}

}  // namespace

KernelCurves curves_at(std::span<const double> distances, const Eigen::VectorXd& frequencies, PairOrder order,
                       const Work& work, bool want_bound) {
  require_pairs_and_content(frequencies, {});
  KernelCurves curves;
  std::vector<std::size_t> single;
  for (std::size_t at = 0; at < distances.size() && !work.stopped();) {
    const std::size_t up = run_length(distances, at, 1), down = run_length(distances, at, -1);
    const std::size_t length = std::max(up, down);
    const bool is_long = length >= kShortestRun;
    if (curves.similarity.empty() && !(is_long && length == distances.size())) {
      curves.similarity.resize(distances.size());
      if (want_bound) curves.bound.resize(distances.size());
    }
    if (!is_long) {
      single.push_back(at++);
      continue;
    }
    KernelRequest request{.frequencies = frequencies, .content = {}, .order = order, .want_bound = want_bound};
    request.first = static_cast<std::int64_t>(std::abs(distances[up >= down ? at : at + length - 1]));
    request.count = static_cast<std::int64_t>(length);
    request.threads = work.threads;
    KernelCurves run = run_curves(request, up < down, work);
    if (length == distances.size()) return run;
    std::copy(run.similarity.begin(), run.similarity.end(),
              curves.similarity.begin() + static_cast<std::ptrdiff_t>(at));
    if (want_bound)
      std::copy(run.bound.begin(), run.bound.end(), curves.bound.begin() + static_cast<std::ptrdiff_t>(at));
    at += length;
  }
  const bool many = single.size() >= kManySingles;
  parallel_for_blocks(
      static_cast<std::int64_t>(single.size()), kDistancesAtOnce, work, [&](std::int64_t begin, std::int64_t count) {
        for (std::int64_t i = begin; i < begin + count; ++i) {
          const std::size_t at = single[static_cast<std::size_t>(i)];
          const double size = std::abs(distances[at]);
          curves.similarity[at] = many ? sum_of_cosines(frequencies, size) / static_cast<double>(frequencies.size())
                                       : similarity(frequencies, size);
          if (want_bound) curves.bound[at] = abel_bound(frequencies, size, order);
        }
      });
  return work.stopped() ? KernelCurves() : curves;
}

}  // namespace ropescope
