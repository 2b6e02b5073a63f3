#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/decay/inputs.h"

namespace ropescope {

/// The curves of one rope as far as they have been computed.
struct DecayCurvesOf {
  RopeKnobs rope;
  Eigen::VectorXd frequencies, plain;         ///< under the extension, and without it
  Eigen::VectorXd trained;                    ///< see trained_frequencies
  double amplitude = 1;                       ///< of cos and sin; of scores its square
  Content content;                            ///< what the curves are of
  std::shared_ptr<const DecayCurves> curves;  ///< null: nothing yet
  bool current = false;                       ///< false: of an earlier input

  bool content_is_aligned() const { return content.amplitudes.size() == 0; }
};

/// The answers in words under the plot: first negative value, last above one half, where the trend reaches 0, pairs
/// that never finish a turn in the trained length, lowest value and zero crossings or what neighbours differ by; all of
/// the content that is plotted, each compared with the first pinned rope, if any.
std::vector<Readout> decay_readouts(const DecayCurvesOf& current, const DecayCurvesOf* pinned, const Text& text);

}  // namespace ropescope
