#pragma once

#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/precision/inputs.h"

namespace ropescope {

/// "bfloat16 inputs": how a policy is called in legends and sentences.
std::string policy_label(const PrecisionPolicy& policy, const Text& text);

/// The part of a policy's name before the first "-": "bfloat16"; "flux" for FLUX's, whose format is bfloat16.
std::string format_of(const PrecisionPolicy& policy);

/// The answers in words: first position that is stored as its neighbour, error at the length asked about, the policy
/// that errs most, and whether shifting both positions changes the score.
std::vector<Readout> precision_readouts(const PrecisionCurves& curves, double length, const PrecisionKnobs& knobs,
                                        const Text& text);

}  // namespace ropescope
