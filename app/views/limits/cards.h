#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/limits/inputs.h"
#include "app/views/shared/ropes.h"

namespace ropescope {

/// What is known about the limits of one rope.
struct LimitsOf {
  ShownRope shown;
  RotaryAxis axis;                                ///< the one that is looked at
  Eigen::VectorXd frequencies;                    ///< with the context extension
  Eigen::VectorXd trained;                        ///< see trained_frequencies
  std::optional<double> effective_base;           ///< of the extension, where it is a change of base
  std::shared_ptr<const FirstNegative> negative;  ///< null while it is computed
  std::shared_ptr<const Shaken> shaken;           ///< null while it is computed
  std::shared_ptr<const SmallestBase> smallest;   ///< null while it is computed
  std::shared_ptr<const LargeEnoughBase> robust;  ///< null while it is computed
  std::shared_ptr<const Information> information;
  bool smallest_current = false;  ///< false where it belongs to an earlier input
  bool current = true;            ///< false where any of them belongs to an earlier input
};

/// Which of the cards are told: what the picture beside them shows.
enum class LimitsCards {
  of_bases,  ///< with the robust base
  of_pairs   ///< with the critical dimension
};
/// Largest context of the ladder, smallest base for the context, robust base or critical dimension, pairs unseen in
/// training and moving pairs; each compared with the first pinned rope, if any.
std::vector<Readout> limits_readouts(LimitsCards cards, const LimitsOf& current, const LimitsOf* pinned, double context,
                                     const Text& text);

}  // namespace ropescope
