// The view Decay: similarity over distance for every rope on screen, a good first example of a view. DecayInput is the
// input of its store computation; figures.h draws it. Read app/views/view.h and core/decay/kernel.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/views.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"

namespace ropescope {

enum class EnvelopeKind { none, from_here, window };

struct DecayCurves {
  /// Bound, envelope and trend are null if not requested, the trend also if there is none. The bound is that of the
  /// content, on |similarity|.
  std::shared_ptr<const Series> similarity, bound, envelope, trend;
  DecaySummary summary;
  std::optional<double>
      trend_zero;  ///< where the trend reaches 0, possibly beyond the span; nullopt if never, or for random content
  std::optional<std::int64_t> first_telling;  ///< smallest Δ of the span with a bound below 1, if requested
  double seconds = 0;                         ///< computing time
  std::size_t bytes() const { return bytes_in(similarity, bound, envelope, trend); }
};

/// The input of the decay curves of one rope.
struct DecayInput {
  KernelRequest kernel;  ///< distances 0 … count − 1
  bool trend = false;
  EnvelopeKind envelope = EnvelopeKind::none;
  std::int64_t window = 0;  ///< width in positions of the window envelope
  double scale = 1;         ///< factor on similarity, envelope and trend; not on the numbers of cards

  bool operator==(const DecayInput&) const = default;
  bool aligned() const { return kernel.content.amplitudes.size() == 0 && kernel.content.phases_radians.size() == 0; }
  double cost() const;
};
DecayCurves decay_curves(const DecayInput& input, const Work& work);

/// Returns the input for a ladder and amplitude according to the fields. `weights`: the content from weights, if the
/// fields choose it. Throws InputError if that has another number of pairs.
DecayInput decay_input(const Eigen::VectorXd& frequencies, double amplitude, const DecayFields& fields,
                       const Content& weights = {});

}  // namespace ropescope
