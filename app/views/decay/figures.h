// The figures of the view Decay: curves over distances, phasors at one distance, the chain of the bound, and in what
// two ropes differ. view.h holds what the store computes for the curves.
#pragma once

#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/decay/view.h"
#include "core/decay/analysis.h"
#include "core/formats/models.h"

namespace ropescope {

// --- Curves --------------------------------------------------------------------------------------------------------

/// A rope on screen or hidden, with its curves. The first one is the current one.
struct DecayShown {
  std::string key, label;
  int slot = 0;
  DecayCurvesOf of;
};

/// More marked wavelengths than this make a plot unreadable.
inline constexpr std::size_t kMostMarkedPairs = 64;

/// Whether there is a panel above the bound.
bool shows_curves(const DecayFields& fields);
/// Similarity, trend and envelope over the distance.
Figure similarity_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text,
                         Store& store);
Figure bound_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text);
/// Axes without curves.
Figure empty_decay_figure(const Experiment& experiment, const Text& text);

// --- Phasors -------------------------------------------------------------------------------------------------------

/// What the picture of the arrows is of: the current rope at one distance.
struct PhasorState {
  Eigen::VectorXd frequencies;  ///< under the extension
  Eigen::VectorXd trained;      ///< see trained_frequencies
  double trained_length = 0;
  double distance = 0;  ///< between two whole ones while it plays
  PairOrder order = PairOrder::fast_first;
  bool random = false;  ///< content of the chain: else aligned
  PhasorSums sums;
  AbelChain chain;

  Eigen::Index pairs() const { return frequencies.size(); }
  /// The pair whose arrow is the i-th.
  Eigen::Index pair_at(Eigen::Index i) const { return order == PairOrder::fast_first ? i : pairs() - 1 - i; }
};
/// The state that the experiment describes. Throws InputError where the rope's fields contradict each other.
PhasorState phasor_state(const Experiment& experiment);

/// The arrows e^{iΔθ} head to tail, each of length 1, those that finish no turn in the trained length in the colour
/// that they have as clocks; the end with its horizontal coordinate, and a circle of the joints' mean distance. Of more
/// pairs than these the arrows are one path.
inline constexpr Eigen::Index kMostArrows = 256;
Figure phasors_figure(const PhasorState& state, const Text& text);
/// The numbers of AbelChain as bars, on an axis that is logarithmic beyond 1.
Figure chain_figure(const PhasorState& state, const Text& text);
std::vector<Readout> phasor_readouts(const PhasorState& state, const Text& text);

// --- Differences ---------------------------------------------------------------------------------------------------

// The picture "differences": what `compare` says of the first pinned rope (A) and the present one (B).

struct RopesToCompare {
  RopeFields a, b;           ///< without their names
  FileStamp a_file, b_file;  ///< what they came from, as it is now
  bool operator==(const RopesToCompare&) const = default;
};
RopesToCompare ropes_to_compare(const RopeFields& a, const RopeFields& b);
/// What differs. Throws InputError where that cannot be said.
ModelComparison compared_ropes(const RopesToCompare& ropes, const Work& work);

struct DifferencesShown {
  std::string a, b;  ///< what the two ropes are called; empty: nothing is pinned
  Store::Answer<ModelComparison> found;
  const Text& text;
};

/// A row for each difference: its cause, the sentence, its largest change of A²K and where that exceeds 0.05; below
/// them what changes no score.
Figure differences_figure(const DifferencesShown& shown);
/// Lines of text in that figure.
double difference_lines(const DifferencesShown& shown);
/// The verdict, the largest change, where scores change first, what changes none; none where nothing is compared.
std::vector<Readout> differences_readouts(const DifferencesShown& shown);

}  // namespace ropescope
