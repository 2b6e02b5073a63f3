#pragma once

#include <cstdint>

#include "core/encodings/encoding.h"

namespace ropescope {

/// The bucket of T5 that a distance Δ = m − k falls into (transformers `T5Attention._relative_position_bucket`, whose
/// relative position is k − m). Causal: later keys (Δ < 0) count as Δ = 0, the first half of the buckets is exact, the
/// other half logarithmic up to max_distance. Bidirectional: the same with half the buckets for each sign, later keys
/// in the upper half, whose first bucket is never used. Settings: buckets, max_distance, bidirectional, checked.
int t5_bucket(std::int64_t distance, const EncodingSettings& settings);

}  // namespace ropescope
