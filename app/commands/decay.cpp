#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/rope_options.h"
#include "app/commands/threads_option.h"
#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "core/decay/kernel.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Every distance of the longest span of the decay view, and both signs.
constexpr std::size_t kMostDistances = 2 * 16'777'216 + 1;
/// Shorter runs of neighbouring distances are evaluated one by one.
constexpr std::size_t kShortestRun = 256;
constexpr double kLargestInRun = 16'777'216;
/// Distances whose values and text are held at a time.
constexpr std::size_t kDecayPiece = std::size_t{1} << 17;

struct DecayValues {
  RopeOptions rope;
  std::optional<std::string> distances, order, output, threads;
};

/// Length of the run first, first + step, first + 2·step, … (step ±1) of whole distances that starts at `begin`.
std::size_t run_length(std::span<const double> distances, std::size_t begin, double step) {
  std::size_t end = begin;
  while (end < distances.size() && distances[end] >= 0 && distances[end] <= kLargestInRun &&
         distances[end] == std::floor(distances[end]) &&
         distances[end] == distances[begin] + step * static_cast<double>(end - begin)) {
    ++end;
  }
  return end - begin;
}

/// Similarity and bound at each distance ≥ 0, in the order given: long runs the fast way, the rest directly.
KernelCurves curves_at(std::span<const double> distances, const Eigen::VectorXd& frequencies, PairOrder order,
                       int threads) {
  KernelCurves curves;
  curves.similarity.reserve(distances.size());
  curves.bound.reserve(distances.size());
  for (std::size_t at = 0; at < distances.size();) {
    const std::size_t up = run_length(distances, at, 1), down = run_length(distances, at, -1);
    const std::size_t length = std::max(up, down);
    if (length < kShortestRun) {
      curves.similarity.push_back(similarity(frequencies, distances[at]));
      curves.bound.push_back(abel_bound(frequencies, distances[at], order));
      ++at;
      continue;
    }
    KernelRequest request;
    request.frequencies = frequencies;
    request.order = order;
    request.first = static_cast<std::int64_t>(up >= down ? distances[at] : distances[at + length - 1]);
    request.count = static_cast<std::int64_t>(length);
    request.threads = threads;
    KernelCurves run = kernel_curves(request);
    if (up < down) {
      std::reverse(run.similarity.begin(), run.similarity.end());
      std::reverse(run.bound.begin(), run.bound.end());
    }
    curves.similarity.insert(curves.similarity.end(), run.similarity.begin(), run.similarity.end());
    curves.bound.insert(curves.bound.end(), run.bound.begin(), run.bound.end());
    at += length;
  }
  return curves;
}

PairOrder read_order(const std::optional<std::string>& order) {
  if (!order || *order == "fast-first") return PairOrder::fast_first;
  if (*order == "reversed" || *order == "slow-first") return PairOrder::slow_first;
  throw InputError("--order is \"" + *order + "\"; reversed (slow-first) or fast-first was expected");
}

/// The rows of these distances.
std::string rows_of_decay(std::span<const double> distances, const Eigen::VectorXd& frequencies, PairOrder order,
                          int threads) {
  // For aligned content both are even functions of the distance.
  std::vector<double> sizes;
  for (const double distance : distances) sizes.push_back(std::abs(distance));
  const KernelCurves curves = curves_at(sizes, frequencies, order, threads);
  std::string rows;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    rows += shortest_number(distances[i]) + "," + shortest_number(curves.similarity[i]) + "," +
            shortest_number(curves.bound[i]) + "\n";
  }
  return rows;
}

void run_decay(const DecayValues& values) {
  const int threads = read_threads(values.threads);
  const PairOrder order = read_order(values.order);
  const std::vector<double> distances = parse_list(*values.distances, "--distances", kMostDistances);
  Rope rope = resolve_rope(values.rope);
  double farthest = 0;
  for (const double distance : distances) farthest = std::max(farthest, std::abs(distance));
  ask_length(rope, farthest);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  std::span<const double> left = distances;
  std::string piece;
  bool begun = false;
  put_result(values.output, [&]() -> std::string_view {
    if (!std::exchange(begun, true)) return "distance,similarity,abel_bound\n";
    const std::size_t count = std::min(left.size(), kDecayPiece);
    piece = rows_of_decay(left.first(count), frequencies, order, threads);
    left = left.subspan(count);
    return piece;
  });
  notice_axis(values.rope, rope);
  notice_length(values.rope, rope);
}

}  // namespace

Action declare_decay(Arguments& arguments) {
  const auto values = std::make_shared<DecayValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--distances", "LIST", values->distances, "Numbers and inclusive ranges a:b or a:b:step, by commas",
                   Arguments::Need::required);
  arguments.option("--order", "reversed", values->order, "Sum the pairs of the bound from the slow end");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { run_decay(*values); };
}

}  // namespace ropescope
