#pragma once

#include "core/decay/kernel.h"
#include "core/decay/phasor.h"

namespace ropescope {

/// Throws InputError where there is no pair, where a vector of the content is neither empty nor one number per pair, or
/// where the amplitudes do not sum to a positive finite number (the similarity is a quotient by that sum).
void require_pairs_and_content(const Eigen::VectorXd& frequencies, const Content& content);

/// Σ a_i, n for aligned content.
double content_total(const Content& content, Eigen::Index pair_count);

/// a_i e^{iφ_i}, 1 for aligned content.
Phasor content_weight(const Content& content, Eigen::Index pair);

}  // namespace ropescope
