// What encodings that add a number to each score share with those that have such a number among others: slopes of
// ALiBi, buckets of T5. The encodings stand in biases.cpp; read encoding.h first.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encodings/encoding.h"

namespace ropescope {

// --- Slopes --------------------------------------------------------------------------------------------------------

/// ALiBi's slopes of heads 1 … H: 2^(−8h/H) for H a power of two; else those of the largest power of two below H, then
/// every second one (the first, third, …) of twice that power. Source: ofirpress/attention_with_linear_biases.
std::vector<double> alibi_slopes(int heads);

// --- Buckets of T5 -------------------------------------------------------------------------------------------------

/// The bucket of T5 that a distance Δ = m − n falls into (transformers `T5Attention._relative_position_bucket`, whose
/// relative position is n − m). Causal: later keys (Δ < 0) count as Δ = 0, the first half of the buckets is exact, the
/// other half logarithmic up to max_distance. Bidirectional: the same with half the buckets for each sign, later keys
/// in the upper half, whose first bucket is never used. Fields: buckets, max_distance, bidirectional, checked.
int t5_bucket(std::int64_t distance, const EncodingValues& settings);

Words fault_of_buckets(const Encoding& encoding, const EncodingValues& settings);
Words fault_of_max_distance(const Encoding& encoding, const EncodingValues& settings);
/// How many buckets there are: a multiple of 4, as both directions want it.
inline constexpr EncodingField kBuckets{
    {.key = "encoding.buckets", .minimum = 4, .maximum = 1024, .whole = true, .step = 4, .order = 6},
    &EncodingValues::buckets,
    fault_of_buckets};
/// From which distance on all share a bucket: beyond the distances that have a bucket each.
inline constexpr EncodingField kMaxDistance{{.key = "encoding.max_distance",
                                             .minimum = 2,
                                             .maximum = 1 << 20,
                                             .whole = true,
                                             .unit = "unit.positions",
                                             .order = 7},
                                            &EncodingValues::max_distance,
                                            fault_of_max_distance};
inline constexpr EncodingField kBidirectional{{.key = "encoding.bidirectional", .is_switch = true, .order = 17},
                                              &EncodingValues::bidirectional};

}  // namespace ropescope
