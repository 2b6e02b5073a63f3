// Encodings that add a number to each score, one block each.
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
/// in the upper half, whose first bucket is never used. Settings: buckets, max_distance, bidirectional, checked.
int t5_bucket(std::int64_t distance, const EncodingSettings& settings);

Words fault_of_buckets(const Encoding& encoding, const EncodingSettings& settings);
Words fault_of_max_distance(const Encoding& encoding, const EncodingSettings& settings);
/// Both directions want a multiple of 4.
inline constexpr EncodingSetting kBuckets{
    {.key = "encoding.buckets", .minimum = 4, .maximum = 1024, .whole = true, .step = 4},
    &EncodingSettings::buckets,
    fault_of_buckets};
/// Beyond the distances that have a bucket each.
inline constexpr EncodingSetting kMaxDistance{
    {.key = "encoding.max_distance", .minimum = 2, .maximum = 1 << 20, .whole = true, .unit = "unit.positions"},
    &EncodingSettings::max_distance,
    fault_of_max_distance};
inline constexpr EncodingSetting kBidirectional{{.key = "encoding.bidirectional", .is_switch = true},
                                                &EncodingSettings::bidirectional};

}  // namespace ropescope
