// The view Decay: similarity over distance for every rope on screen, a good first example of a view. DecayInput is the
// input of its store computation; figures.cpp draws it, and phasors at one distance, the chain of the bound, and the
// differences between two ropes. Read app/views/view.h and core/decay/kernel.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/ropes.h"
#include "app/views/views.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "core/formats/models.h"

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

// --- Curves --------------------------------------------------------------------------------------------------------

/// A rope, on screen or hidden, with its curves as far as they have been computed. The first in a list is the current
/// one.
struct DecayShown : ShownRope {
  Eigen::VectorXd plain, trained;             ///< frequencies without the extension; see trained_frequencies
  double amplitude = 1;                       ///< of cos and sin; scores are multiplied by its square
  DecayInput input;                           ///< of the curves
  std::shared_ptr<const DecayCurves> curves;  ///< null: nothing yet
  bool current = false;                       ///< false: for an earlier input

  const Eigen::VectorXd& frequencies() const { return input.kernel.frequencies; }  ///< under the extension
};

/// The maximum number of marked wavelengths; more would make a plot unreadable.
inline constexpr std::size_t kMaxMarkedPairs = 64;

/// Returns whether there is a panel above the bound.
bool shows_curves(const DecayFields& fields);
/// Draws similarity, trend and envelope over the distance.
Figure similarity_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text,
                         Store& store);
Figure bound_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text);
/// Returns the axes without curves.
Figure empty_decay_figure(const Experiment& experiment, const Text& text);

// --- Phasors -------------------------------------------------------------------------------------------------------

/// The state of the phasor pictures: the current rope at one distance.
struct PhasorState {
  Eigen::VectorXd frequencies;  ///< under the extension
  Eigen::VectorXd trained;      ///< see trained_frequencies
  double trained_length = 0;
  double distance = 0;  ///< fractional while it plays
  PairOrder order = PairOrder::fast_first;
  DecayContent content = DecayContent::aligned;  ///< in the chain
  PhasorSums sums;
  AbelChain chain;

  Eigen::Index pairs() const { return frequencies.size(); }
  /// Returns the pair of the i-th arrow.
  Eigen::Index pair_at(Eigen::Index i) const { return order == PairOrder::fast_first ? i : pairs() - 1 - i; }
};
/// Returns the state for the experiment. Throws InputError as decay_input(), and if the rope's fields contradict each
/// other.
PhasorState phasor_state(const Experiment& experiment, const Content& weights);

/// Draws the unit arrows e^{iΔθ} head to tail, with the horizontal coordinate of the end and a circle at the joints'
/// mean distance. Arrows of pairs that complete no turn in the trained length have the colour of such pairs' clocks.
/// With more than kMaxArrows pairs the arrows are one path.
inline constexpr Eigen::Index kMaxArrows = 256;
Figure phasors_figure(const PhasorState& state, const Text& text);
/// Draws the numbers of AbelChain as bars, on an axis that is logarithmic beyond 1.
Figure chain_figure(const PhasorState& state, const Text& text);
std::vector<Readout> phasor_readouts(const PhasorState& state, const Text& text);

// --- Differences ---------------------------------------------------------------------------------------------------

// The picture "differences": the result of `compare` for the first pinned rope (A) and the current one (B).

struct RopesToCompare {
  RopeFields a, b;           ///< without their names
  FileStamp a_file, b_file;  ///< the files they came from, in their current state
  bool operator==(const RopesToCompare&) const = default;
};
RopesToCompare ropes_to_compare(const RopeFields& a, const RopeFields& b);
/// Compares two ropes. Throws InputError if they cannot be compared.
ModelComparison compared_ropes(const RopesToCompare& ropes, const Work& work);

struct DifferencesShown {
  std::string a, b;  ///< names of the two ropes; empty: nothing is pinned
  Store::Answer<ModelComparison> found;
  const Text& text;
};

/// Draws a row per difference: its cause, the sentence, its largest change of A²K and the distance where that exceeds
/// 0.05; then the differences that change no score.
Figure differences_figure(const DifferencesShown& shown);
/// Returns the number of text lines in that figure.
double difference_lines(const DifferencesShown& shown);
/// Returns the cards on the verdict, the largest change, where scores first change, and the differences that change no
/// score; empty without two ropes.
std::vector<Readout> differences_readouts(const DifferencesShown& shown);

}  // namespace ropescope
