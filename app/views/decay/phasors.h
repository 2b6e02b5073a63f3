#pragma once

#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/decay/phasors.h"

namespace ropescope {

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
/// Throws InputError where the rope's knobs contradict each other.
PhasorState phasor_state(const Experiment& experiment);

/// The arrows e^{iΔθ} head to tail, each of length 1, those that finish no turn in the trained length in the colour
/// that they have as clocks; the end with its horizontal coordinate, and a circle of the joints' mean distance. Of more
/// pairs than these the arrows are one path.
inline constexpr Eigen::Index kMostArrows = 256;
Figure phasors_figure(const PhasorState& state, const Text& text);
/// The numbers of AbelChain as bars, on an axis that is logarithmic beyond 1.
Figure chain_figure(const PhasorState& state, const Text& text);
std::vector<Readout> phasor_readouts(const PhasorState& state, const Text& text);

}  // namespace ropescope
