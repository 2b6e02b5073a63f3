#pragma once

#include <stop_token>

#include "core/attention/attention.h"

namespace ropescope {

/// φ_q(q_i), φ_k(k_j) [tokens × dim] and the same with the encoding on them, as the numerator takes them.
struct LinearFeatures {
  TokenMatrix query, key;
  TokenMatrix placed_query, placed_key;
};

/// Checks the input, too: throws InputError where linear attention is not defined for the encoding.
LinearFeatures linear_features(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options,
                               const std::stop_token& stop);

/// φ_q(q_i) · Σ_j φ_k(k_j), j ≤ i where causal.
Eigen::VectorXd denominators(const LinearFeatures& features, bool causal);

}  // namespace ropescope
