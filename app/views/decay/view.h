// The view Decay: similarity over distances, of every rope on screen. DecayInput says what the store computes;
// figures.h draws it. Read app/views/view.h and core/decay/kernel.h before: this is the view to learn from first.
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
#include "app/views/view.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

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
  std::size_t bytes() const { return bytes_in(similarity, bound, envelope, trend); }
};

/// Everything the decay curves of one rope depend on.
struct DecayInput {
  KeyVector frequencies;
  Content content;
  PairOrder order = PairOrder::fast_first;
  std::int64_t span = 0;  ///< distances 0 … span
  bool bound = true, trend = false;
  EnvelopeKind envelope = EnvelopeKind::none;
  std::int64_t window = 0;  ///< width in positions of the window envelope
  double scale = 1;         ///< similarity, envelope and trend are multiplied by it; what is said in numbers is not

  bool operator==(const DecayInput&) const = default;
  bool aligned() const { return content.amplitudes.size() == 0 && content.phases_radians.size() == 0; }
  double cost() const;
};
DecayCurves decay_curves(const DecayInput& input, const Work& work);

/// What the fields ask of a ladder with an amplitude.
DecayInput decay_input(const Eigen::VectorXd& frequencies, double amplitude, const DecayFields& fields);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// The curves of one rope as far as they have been computed.
struct DecayCurvesOf {
  RopeFields rope;
  Eigen::VectorXd frequencies, plain;         ///< under the extension, and without it
  Eigen::VectorXd trained;                    ///< see trained_frequencies
  double amplitude = 1;                       ///< of cos and sin; of scores its square
  Content content;                            ///< what the curves are of
  std::shared_ptr<const DecayCurves> curves;  ///< null: nothing yet
  bool current = false;                       ///< false: of an earlier input

  bool content_is_aligned() const { return content.amplitudes.size() == 0; }
};

// --- View ----------------------------------------------------------------------------------------------------------

/// Similarity K(Δ) (core/decay/kernel.h) with its trend (core/decay/analysis.h) and its envelope, and the Abel bound
/// B(Δ) in a panel of its own over the same distances: one curve per rope, current and pinned; rules at trained lengths
/// and marked wavelengths.
///
/// The picture "phasors" lays the unit arrows of the pairs at one distance head to tail (core/decay/analysis.h), and
/// shows Abel's chain of inequalities for the content as bars. The player moves the distance onwards by `decay.speed`
/// per second and stops at the largest one; play then begins again at 0. A step goes to the next whole distance.
extern const View kDecayView;

}  // namespace ropescope
