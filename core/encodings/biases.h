// Slopes of ALiBi and buckets of T5, shared by several encodings that add a number to each score. The encodings are
// implemented in biases.cpp; read encoding.h first.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encodings/encoding.h"

namespace ropescope {

// --- Slopes --------------------------------------------------------------------------------------------------------

/// Returns ALiBi's slopes of heads 1 … H: 2^(−8h/H) if H is a power of two; else those of the power of two below H,
/// then every second slope (first, third, …) of twice that power. Source: ofirpress/attention_with_linear_biases.
std::vector<double> alibi_slopes(int heads);

// --- Buckets of T5 -------------------------------------------------------------------------------------------------

/// Returns T5's bucket for a distance Δ = m − n (transformers `T5Attention._relative_position_bucket`, whose relative
/// position is n − m). Causal: later keys (Δ < 0) count as Δ = 0; the first half of the buckets is exact, the second
/// logarithmic up to max_distance. Bidirectional: half the buckets for each sign, later keys in the upper half, whose
/// first bucket is never used. Precondition: buckets, max_distance and bidirectional are validated.
int t5_bucket(std::int64_t distance, const EncodingValues& settings);

Message describe_buckets_error(const Encoding& encoding, const EncodingValues& settings);
Message describe_max_distance_error(const Encoding& encoding, const EncodingValues& settings);
// clang-format off
/// Number of buckets: a multiple of 4, as the bidirectional buckets require.
inline constexpr EncodingField kBuckets{
    {.key = "encoding.buckets", .minimum = 4, .maximum = 1024, .whole = true, .step = 4, .order = 6},
    &EncodingValues::buckets, describe_buckets_error};
/// The distance from which on all distances share a bucket; beyond those that have their own bucket.
inline constexpr EncodingField kMaxDistance{{.key = "encoding.max_distance", .minimum = 2, .maximum = 1 << 20,
     .whole = true, .unit = "unit.positions", .order = 7}, &EncodingValues::max_distance, describe_max_distance_error};
inline constexpr EncodingField kBidirectional{{.key = "encoding.bidirectional", .is_switch = true, .order = 17},
    &EncodingValues::bidirectional};
// clang-format on

}  // namespace ropescope
