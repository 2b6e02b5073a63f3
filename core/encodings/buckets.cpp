#include "core/encodings/buckets.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

/// The logarithms of a distance that begins a bucket exactly (32 = 8·16^(1/2)) may come out a hair too small.
constexpr long double kBucketsHair = 1e-12L;

}  // namespace

int t5_bucket(std::int64_t distance, const EncodingSettings& settings) {
  const int buckets = settings.bidirectional ? settings.buckets / 2 : settings.buckets;
  const int begin = settings.bidirectional && distance < 0 ? buckets : 0;
  const std::int64_t steps = settings.bidirectional ? std::abs(distance) : std::max<std::int64_t>(distance, 0);
  const int exact = buckets / 2;
  if (steps < exact) return begin + static_cast<int>(steps);
  const long double part = std::log(static_cast<long double>(steps) / exact) /
                           std::log(static_cast<long double>(settings.max_distance) / exact);
  const long double bucket = exact + std::floor(part * (buckets - exact) + kBucketsHair);
  return begin + static_cast<int>(std::min<long double>(bucket, buckets - 1));
}

namespace {

/// How many distances have a bucket each.
int exact_of(const EncodingSettings& settings) {
  return settings.buckets / (settings.bidirectional ? 4 : 2);
}

}  // namespace

Words fault_of_buckets(const Encoding&, const EncodingSettings& settings) {
  if (!is_valid(kBuckets, settings.buckets)) return expected_of(kBuckets);
  return settings.bidirectional && settings.buckets % 4 != 0 ? Words("encodings.buckets") : Words();
}

Words fault_of_max_distance(const Encoding&, const EncodingSettings& settings) {
  Setting beyond = kMaxDistance;
  beyond.minimum = exact_of(settings) + 1;
  return is_valid(beyond, settings.max_distance) ? Words() : expected_of(beyond);
}

}  // namespace ropescope
