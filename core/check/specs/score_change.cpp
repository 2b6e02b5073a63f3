#include "core/check/specs/score_change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/decay/kernel.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

constexpr double kLongestSpan = 1 << 20;
constexpr double kSpanOfText = 4096, kSpanOfAxis = 256;

bool same_in_float32(double a, double b) {
  constexpr double kUnits = 4.0 / (1 << 24);
  return std::abs(a - b) <= kUnits * std::max(std::abs(a), std::abs(b));
}

/// One axis under the extension at a length.
struct AxisPart {
  std::string name;
  Eigen::VectorXd frequencies;
};
struct Head {
  std::vector<AxisPart> axes;
  double amplitude = 1;
  Eigen::Index pairs = 0;
};

Head head_of(const RotarySpec& spec, const std::optional<double>& length) {
  Head head;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    ScaledLadder ladder = scaled_ladder(spec, axis, length);
    head.pairs += ladder.frequencies.size();
    head.amplitude = ladder.amplitude;
    head.axes.push_back({spec.axes.size() > 1 ? spec.axes[axis].name : "", std::move(ladder.frequencies)});
  }
  return head;
}

bool same_axis(const AxisPart& a, const AxisPart& b) {
  return a.name == b.name && a.frequencies.size() == b.frequencies.size() &&
         std::equal(a.frequencies.begin(), a.frequencies.end(), b.frequencies.begin(), same_in_float32);
}

bool same_head(const Head& a, const Head& b) {
  return same_in_float32(a.amplitude, b.amplitude) &&
         std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(), same_axis);
}

/// A²K(Δ), Δ = 0 … span, along the axis of that name; the pairs of other axes, and all where there is none, stand
/// still.
std::vector<double> scores_along(const Head& head, const std::string& name, double span, int threads,
                                 const std::stop_token& stop) {
  const double square = head.amplitude * head.amplitude, pairs = static_cast<double>(head.pairs);
  const auto found =
      std::find_if(head.axes.begin(), head.axes.end(), [&](const AxisPart& a) { return a.name == name; });
  const auto count = static_cast<std::int64_t>(span) + 1;
  if (found == head.axes.end()) return std::vector<double>(static_cast<std::size_t>(count), square);
  KernelRequest request;
  request.frequencies = found->frequencies;
  request.count = count;
  request.want_bound = false;
  request.threads = threads;
  std::vector<double> scores = kernel_curves(request, stop).similarity;
  const double turning = static_cast<double>(found->frequencies.size());
  for (double& score : scores) score = square * (turning * score + pairs - turning) / pairs;
  return scores;
}

/// Looks at the change at one distance; distances come in any order.
void note_score_change(ScoreChange& change, double difference, double distance) {
  const double size = std::abs(difference);
  if (size > change.largest) {
    change.largest = size;
    change.at = distance;
  }
  if (size > kNoticedChange && (!change.first || distance < *change.first)) change.first = distance;
}

std::vector<std::string> names_of_score_change(const Head& a, const Head& b) {
  std::vector<std::string> names;
  for (const Head* head : {&a, &b}) {
    for (const AxisPart& axis : head->axes) {
      if (std::find(names.begin(), names.end(), axis.name) == names.end()) names.push_back(axis.name);
    }
  }
  return names;
}

std::optional<double> far_length(const RotarySpec& spec) {
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  if (!method.depends_on_length || !spec.trained_length) return std::nullopt;
  const auto factor = spec.extension.numbers.find("factor");
  return *spec.trained_length * std::max(factor == spec.extension.numbers.end() ? 0 : factor->second, 2.0);
}

/// The pair that a channel of the rotary part belongs to.
Eigen::Index pair_of(Eigen::Index channel, Pairing pairing, Eigen::Index pairs) {
  return pairing == Pairing::interleaved ? channel / 2 : channel % pairs;
}

}  // namespace

ScorePlaces score_places(const RotarySpec& a, const RotarySpec& b) {
  ScorePlaces places;
  places.span = std::max(a.trained_length.value_or(0), b.trained_length.value_or(0));
  if (places.span == 0) places.span = std::max(a.axes.size(), b.axes.size()) > 1 ? kSpanOfAxis : kSpanOfText;
  places.span = std::floor(std::clamp(places.span, 1.0, kLongestSpan));
  places.lengths = {std::nullopt};
  const std::optional<double> far = std::max(far_length(a), far_length(b));
  if (far) places.lengths.push_back(far);
  return places;
}

bool same_ladders(const RotarySpec& a, const RotarySpec& b, const ScorePlaces& places) {
  return std::all_of(places.lengths.begin(), places.lengths.end(), [&](const std::optional<double>& length) {
    return same_head(head_of(a, length), head_of(b, length));
  });
}

ScoreChange score_change(const RotarySpec& a, const RotarySpec& b, const ScorePlaces& places, int threads,
                         const std::stop_token& stop) {
  ScoreChange change;
  for (const std::optional<double>& length : places.lengths) {
    const Head of_a = head_of(a, length), of_b = head_of(b, length);
    if (same_head(of_a, of_b)) continue;
    for (const std::string& name : names_of_score_change(of_a, of_b)) {
      const std::vector<double> before = scores_along(of_a, name, places.span, threads, stop);
      const std::vector<double> after = scores_along(of_b, name, places.span, threads, stop);
      if (stop.stop_requested()) return {};
      for (std::size_t i = 0; i < before.size(); ++i)
        note_score_change(change, after[i] - before[i], static_cast<double>(i));
    }
  }
  return change;
}

ScoreChange pairing_change(const RotarySpec& spec, const ScorePlaces& places, const std::stop_token& stop) {
  ScoreChange change;
  const HeadLadder head = head_ladder(spec);
  const Eigen::Index pairs = head.frequencies.size();
  const Pairing other = spec.pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
  const double squared = head.amplitude * head.amplitude;
  Eigen::ArrayXd cosines(pairs);
  constexpr double kLongest = 1 << 16;
  const double last = std::min(places.span, kLongest);
  for (double distance = 0; distance <= last && !stop.stop_requested(); ++distance) {
    for (Eigen::Index pair = 0; pair < pairs; ++pair) {
      cosines[pair] = squared * std::cos(head.frequencies[pair] * distance);
    }
    for (Eigen::Index pair = 0; pair < pairs; ++pair) {
      const bool neighbours = spec.pairing == Pairing::interleaved;
      const Eigen::Index first = neighbours ? 2 * pair : pair, second = neighbours ? first + 1 : pair + pairs;
      const double mixed = (cosines[pair_of(first, other, pairs)] + cosines[pair_of(second, other, pairs)]) / 2;
      note_score_change(change, mixed - cosines[pair], distance);
    }
  }
  return change;
}

}  // namespace ropescope
