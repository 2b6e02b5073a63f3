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

/// Returns the length of the run first, first + step, first + 2·step, … (step ±1) of integer distances at `begin`.
std::size_t run_length(std::span<const double> distances, std::size_t begin, double step) {
  std::size_t end = begin;
  while (end < distances.size() && distances[end] <= static_cast<double>(kFarthestDistance) &&
         distances[end] == std::floor(distances[end]) &&
         distances[end] == distances[begin] + step * static_cast<double>(end - begin)) {
    ++end;
  }
  return end - begin;
}

/// Evaluates a long run, in the order of its distances.
KernelCurves run_curves(KernelRequest request, bool downwards, const Work& work) {
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
  std::vector<double> sizes;
  sizes.reserve(distances.size());
  for (const double distance : distances) sizes.push_back(std::abs(distance));
  KernelCurves curves;
  curves.similarity.resize(sizes.size());
  if (want_bound) curves.bound.resize(sizes.size());
  std::vector<std::size_t> single;
  for (std::size_t at = 0; at < sizes.size() && !work.stopped();) {
    const std::size_t up = run_length(sizes, at, 1), down = run_length(sizes, at, -1);
    const std::size_t length = std::max(up, down);
    if (length < kShortestRun) {
      single.push_back(at++);
      continue;
    }
    KernelRequest request{.frequencies = frequencies, .content = {}, .order = order, .want_bound = want_bound};
    request.first = static_cast<std::int64_t>(up >= down ? sizes[at] : sizes[at + length - 1]);
    request.count = static_cast<std::int64_t>(length);
    request.threads = work.threads;
    const KernelCurves run = run_curves(request, up < down, work);
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
          curves.similarity[at] = many
                                      ? sum_of_cosines(frequencies, sizes[at]) / static_cast<double>(frequencies.size())
                                      : similarity(frequencies, sizes[at]);
          if (want_bound) curves.bound[at] = abel_bound(frequencies, sizes[at], order);
        }
      });
  return work.stopped() ? KernelCurves() : curves;
}

}  // namespace ropescope
