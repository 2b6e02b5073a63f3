#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "app/figure/series.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"

namespace ropescope {

enum class EnvelopeKind { none, from_here, window };

struct DecayCurves {
  std::shared_ptr<const Series> similarity, bound, envelope;  ///< bound and envelope null where not asked for
  DecaySummary summary;
  double seconds = 0;  ///< what it took
  std::size_t bytes() const;
};

/// Everything the decay curves of one rope depend on.
struct DecayInput {
  using Result = DecayCurves;
  Eigen::VectorXd frequencies;
  Content content;
  PairOrder order = PairOrder::fast_first;
  std::int64_t span = 0;  ///< distances 0 … span
  bool bound = true;
  EnvelopeKind envelope = EnvelopeKind::none;
  std::int64_t window = 0;  ///< width in positions of the window envelope

  bool operator==(const DecayInput& other) const;
  double cost() const;
  std::shared_ptr<const DecayCurves> compute(int threads, const std::stop_token& stop) const;
};

}  // namespace ropescope
