#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// What the frequency of each pair is, in parts of its plain one without extension.
struct PairRatios {
  Eigen::VectorXd ratio, error;  ///< [pairs]; the error is infinite where nothing shows
};
/// None where a pair is turned by several axes, or nothing shows any frequency.
std::optional<PairRatios> pair_ratios(const Situation& situation);

/// "pairs 0 to 19 turn as without extension; pairs 20 to 45 go from 0.98 to 0.27 of the plain ones; …".
Words ratio_runs(const PairRatios& ratios);

/// The same as a sentence for a report that has no cause; empty where the frequencies are those of the model, or where
/// no frequencies give what was read.
Words ratios_read(const Situation& situation);

}  // namespace ropescope
