#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "app/experiment/experiment.h"
#include "app/figure/series.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"

namespace ropescope {

enum class EnvelopeKind { none, from_here, window };

struct DecayCurves {
  /// Bound, envelope and trend are null where they were not asked for, the trend also where there is none. The bound is
  /// that of the content: of |similarity|.
  std::shared_ptr<const Series> similarity, bound, envelope, trend;
  DecaySummary summary;
  std::optional<double>
      trend_zero;  ///< where the trend reaches 0, be it beyond the span; none, too, for random content
  std::optional<std::int64_t> first_telling;  ///< smallest Δ of the span with a bound below 1, where it was asked for
  double seconds = 0;                         ///< what it took
  std::size_t bytes() const;
};

/// Everything the decay curves of one rope depend on.
struct DecayInput {
  using Result = DecayCurves;
  Eigen::VectorXd frequencies;
  Content content;
  PairOrder order = PairOrder::fast_first;
  std::int64_t span = 0;  ///< distances 0 … span
  bool bound = true, trend = false;
  EnvelopeKind envelope = EnvelopeKind::none;
  std::int64_t window = 0;  ///< width in positions of the window envelope
  double scale = 1;         ///< similarity, envelope and trend are multiplied by it; what is said in numbers is not

  bool operator==(const DecayInput& other) const;
  bool aligned() const { return content.amplitudes.size() == 0 && content.phases_radians.size() == 0; }
  double cost() const;
  std::shared_ptr<const DecayCurves> compute(int threads, const std::stop_token& stop) const;
};

/// What the knobs ask of a ladder with an amplitude.
DecayInput decay_input(const Eigen::VectorXd& frequencies, double amplitude, const DecayKnobs& knobs);

}  // namespace ropescope
