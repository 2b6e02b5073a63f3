#include "app/views/decay_curves.h"

#include <chrono>
#include <utility>

namespace ropescope {

std::size_t DecayCurves::bytes() const {
  std::size_t count = 0;
  for (const auto& series : {similarity, bound, envelope}) {
    if (series) count += series->ys.size();
  }
  return count * sizeof(double);
}

bool DecayInput::operator==(const DecayInput& other) const {
  const bool same_frequencies =
      frequencies.size() == other.frequencies.size() && (frequencies.array() == other.frequencies.array()).all();
  return same_frequencies && span == other.span && order == other.order && bound == other.bound &&
         envelope == other.envelope && window == other.window && content == other.content;
}

double DecayInput::cost() const {
  return static_cast<double>(span + 1) * static_cast<double>(frequencies.size());
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
  if (envelope == EnvelopeKind::from_here) {
    result->envelope = make_series(0, 1, envelope_from(curves.similarity));
  } else if (envelope == EnvelopeKind::window) {
    result->envelope = make_series(0, 1, envelope_window(curves.similarity, window));
  }
  result->similarity = make_series(0, 1, std::move(curves.similarity));
  if (bound) result->bound = make_series(0, 1, std::move(curves.bound));
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace ropescope
