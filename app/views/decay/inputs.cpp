#include "app/views/decay/inputs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/decay/trend.h"

namespace ropescope {

namespace {

/// The trend at every distance up to 100, where the fastest pairs still move it, and from there on in steps of a
/// fiftieth: it bends no faster. None where stopped.
std::shared_ptr<const Series> trend_series(const SimilarityTrend& trend, std::int64_t span, double scale,
                                           const std::stop_token& stop) {
  constexpr std::int64_t kSteps = 50;
  std::vector<double> distances, values;
  for (std::int64_t distance = 0; distance <= span && !stop.stop_requested();) {
    distances.push_back(static_cast<double>(distance));
    values.push_back(scale * trend_at(trend, distances.back()));
    if (distance == span) break;
    distance = std::min(span, distance + std::max<std::int64_t>(1, distance / kSteps));
  }
  return make_series(std::move(distances), std::move(values));
}

/// The first distance where the bound is below 1, which no score exceeds anyway.
std::optional<std::int64_t> first_below_one(const std::vector<double>& bound) {
  const auto found = std::find_if(bound.begin(), bound.end(), [](double value) { return value < 1; });
  if (found == bound.end()) return std::nullopt;
  return found - bound.begin();
}

}  // namespace

DecayInput decay_input(const Eigen::VectorXd& frequencies, double amplitude, const DecayKnobs& knobs) {
  DecayInput input;
  input.frequencies = frequencies;
  if (knobs.with_amplitude) input.scale = amplitude * amplitude;
  if (knobs.content == "random") {
    input.content = random_content(static_cast<int>(input.frequencies.size()), static_cast<std::uint64_t>(knobs.seed));
  }
  input.order = knobs.order == "slow-first" ? PairOrder::slow_first : PairOrder::fast_first;
  input.span = static_cast<std::int64_t>(knobs.span);
  input.bound = knobs.show_bound;
  input.trend = true;
  if (knobs.show_envelope) {
    input.envelope = knobs.envelope == "window" ? EnvelopeKind::window : EnvelopeKind::from_here;
    // The width matters only to one kind; else a change of it would compute the same curve again.
    if (input.envelope == EnvelopeKind::window) input.window = static_cast<std::int64_t>(knobs.envelope_window);
  }
  return input;
}

std::size_t DecayCurves::bytes() const {
  std::size_t count = 0;
  for (const auto& series : {similarity, bound, envelope, trend}) {
    if (series) count += series->ys.size() + series->xs.size();
  }
  return count * sizeof(double);
}

bool DecayInput::operator==(const DecayInput& other) const {
  const bool same_frequencies =
      frequencies.size() == other.frequencies.size() && (frequencies.array() == other.frequencies.array()).all();
  return same_frequencies && span == other.span && order == other.order && bound == other.bound &&
         trend == other.trend && envelope == other.envelope && window == other.window && content == other.content &&
         scale == other.scale;
}

double DecayInput::cost() const {
  const double curves = static_cast<double>(span + 1) * static_cast<double>(frequencies.size());
  if (!trend || !aligned()) return curves;
  // Some 500 values of the trend, each of as many integrals as the ladder has bends.
  constexpr double kValues = 500, kIntegral = 220;
  const auto course = trend_of(frequencies);
  return curves + (course ? kValues * kIntegral * static_cast<double>(course->pieces.size() + 1) : 0);
}

std::shared_ptr<const DecayCurves> DecayInput::compute(int threads, const std::stop_token& stop) const {
  const auto begin = std::chrono::steady_clock::now();
  KernelRequest request;
  request.frequencies = frequencies;
  request.content = content;
  request.order = order;
  request.first = 0;
  request.count = span + 1;
  request.want_bound = bound;
  request.threads = threads;
  KernelCurves curves = kernel_curves(request, stop);
  if (stop.stop_requested() || curves.similarity.empty()) return nullptr;
  auto result = std::make_shared<DecayCurves>();
  result->summary = summarise_decay(curves.similarity);
  if (scale != 1) std::for_each(curves.similarity.begin(), curves.similarity.end(), [this](double& k) { k *= scale; });
  if (envelope == EnvelopeKind::from_here) {
    result->envelope = make_series(0, 1, envelope_from(curves.similarity));
  } else if (envelope == EnvelopeKind::window) {
    result->envelope = make_series(0, 1, envelope_window(curves.similarity, window));
  }
  result->similarity = make_series(0, 1, std::move(curves.similarity));
  if (bound) {
    const double factor = bound_factor(content, frequencies.size(), order);
    if (factor != 1) std::for_each(curves.bound.begin(), curves.bound.end(), [factor](double& b) { b *= factor; });
    result->first_telling = first_below_one(curves.bound);
    result->bound = make_series(0, 1, std::move(curves.bound));
  }
  if (trend && aligned()) {
    if (const auto course = trend_of(frequencies)) {
      result->trend = trend_series(*course, span, scale, stop);
      result->trend_zero = trend_zero(*course);
    }
    if (stop.stop_requested()) return nullptr;
  }
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace ropescope
