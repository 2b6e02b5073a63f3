// Encodings that add a number to each score, one block each. Read biases.h first.
//
// Contents: Buckets of T5; ALiBi; KERPLE; Sandwich; T5.

#include "core/encodings/biases.h"

#include <algorithm>
#include <cmath>

#include "core/decay/kernel.h"
#include "core/encodings/parts.h"

namespace ropescope {

// --- Buckets of T5 -------------------------------------------------------------------------------------------------

using namespace encoding_settings;

namespace {

/// Rounding allowance: the logarithm of a distance exactly at a bucket's start (32 = 8·16^(1/2)) may be too small.
constexpr long double kBucketRounding = 1e-12L;

/// Returns the number of distances that have their own bucket.
int exact_of(const EncodingValues& settings) {
  return settings.buckets / (settings.bidirectional ? 4 : 2);
}

// --- ALiBi ---------------------------------------------------------------------------------------------------------

constexpr EncodingField kAlibiFields[] = {kDim, kHeads, kHead};

std::shared_ptr<const EncodingModel> make_alibi(const Encoding& encoding, const EncodingValues& settings) {
  const double slope = alibi_slopes(settings.heads)[static_cast<std::size_t>(settings.head - 1)];
  const auto bias = [slope](std::int64_t distance) { return -slope * std::abs(static_cast<double>(distance)); };
  ScorePlan plan = bias_plan(settings.dim, bias);
  plan.scale = scale_of(settings);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

// --- KERPLE --------------------------------------------------------------------------------------------------------

constexpr EncodingField positive(std::string_view key, double EncodingValues::*member, int order) {
  return {{.key = key, .exclusive = true, .lowest = 0.001, .highest = 100, .symbol = "R", .order = order}, member};
}
constexpr EncodingField kKerpleFields[] = {kDim, positive("encoding.kerple_r1", &EncodingValues::kerple_r1, 11),
                                           positive("encoding.kerple_r2", &EncodingValues::kerple_r2, 12)};

std::int64_t kerple_parameters(const EncodingValues&) {
  return 2;
}

std::shared_ptr<const EncodingModel> make_kerple(const Encoding& encoding, const EncodingValues& settings) {
  const double r1 = settings.kerple_r1, r2 = settings.kerple_r2;
  const auto bias = [r1, r2](std::int64_t distance) {
    return -r1 * std::log1p(r2 * std::abs(static_cast<double>(distance)));
  };
  ScorePlan plan = bias_plan(settings.dim, bias);
  plan.scale = scale_of(settings);
  plan.tables = [r1, r2] { return std::vector<EncodingTable>{{"r", TokenMatrix{{r1, r2}}}}; };
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

// --- Sandwich ------------------------------------------------------------------------------------------------------

constexpr EncodingField kSandwichFields[] = {kDim, kHeads, kHead, kBase};

std::shared_ptr<const EncodingModel> make_sandwich(const Encoding& encoding, const EncodingValues& settings) {
  const int pair_count = settings.dim / 2;
  // θ_1 … θ_{d/2}: the plain ladder without its first frequency, and with one more at the end.
  Eigen::VectorXd frequencies(pair_count);
  for (int pair = 1; pair <= pair_count; ++pair) {
    frequencies[pair - 1] =
        static_cast<double>(std::pow(static_cast<long double>(settings.base), -2.0L * pair / settings.dim));
  }
  const double strength = settings.heads / (8.0 * settings.head);
  const auto bias = [frequencies, strength](std::int64_t distance) {
    double sum = 0;
    for (const double frequency : frequencies) sum += phasor(frequency, static_cast<double>(distance)).cosine;
    return (sum - static_cast<double>(frequencies.size())) * strength;
  };
  ScorePlan plan = bias_plan(settings.dim, bias);
  plan.scale = scale_of(settings);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

// --- T5 ------------------------------------------------------------------------------------------------------------

constexpr EncodingField kT5Fields[] = {kDim, kBuckets, kMaxDistance, kBidirectional, kSeed};

std::int64_t t5_parameters(const EncodingValues& settings) {
  return settings.buckets;
}

std::shared_ptr<const EncodingModel> make_t5(const Encoding& encoding, const EncodingValues& settings) {
  const TokenMatrix table = SmoothTable(settings.buckets, 1, 1, settings.seed, 0).all();
  const auto bias = [table, settings](std::int64_t distance) { return table(t5_bucket(distance, settings), 0); };
  ScorePlan plan = bias_plan(settings.dim, bias);
  plan.tables = [table] { return std::vector<EncodingTable>{{"bias", table}}; };
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

int t5_bucket(std::int64_t distance, const EncodingValues& settings) {
  const int buckets = settings.bidirectional ? settings.buckets / 2 : settings.buckets;
  const int begin = settings.bidirectional && distance < 0 ? buckets : 0;
  const std::int64_t steps = settings.bidirectional ? std::abs(distance) : std::max<std::int64_t>(distance, 0);
  const int exact = buckets / 2;
  if (steps < exact) return begin + static_cast<int>(steps);
  const long double part = std::log(static_cast<long double>(steps) / exact) /
                           std::log(static_cast<long double>(settings.max_distance) / exact);
  const long double bucket = exact + std::floor(part * (buckets - exact) + kBucketRounding);
  return begin + static_cast<int>(std::min<long double>(bucket, buckets - 1));
}

Message describe_buckets_error(const Encoding&, const EncodingValues& settings) {
  if (!is_valid(kBuckets, settings.buckets)) return describe_valid_values(kBuckets);
  return settings.bidirectional && settings.buckets % 4 != 0 ? Message("encodings.buckets") : Message();
}

Message describe_max_distance_error(const Encoding&, const EncodingValues& settings) {
  NumberField beyond = kMaxDistance;
  beyond.minimum = exact_of(settings) + 1;
  return is_valid(beyond, settings.max_distance) ? Message() : describe_valid_values(beyond);
}

std::vector<double> alibi_slopes(int heads) {
  int power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes;
  for (int head = 1; head <= power; ++head) slopes.push_back(std::exp2(-8.0 * head / power));
  for (int head = 1; static_cast<int>(slopes.size()) < heads; head += 2) {
    slopes.push_back(std::exp2(-8.0 * head / (2 * power)));
  }
  return slopes;
}

// clang-format off
/// ALiBi: a bias linear in |m − n| for each head, without position vectors.
extern constinit const Encoding kAlibiEncoding{.name = "alibi", .slot = 2,
    .formula = "q·k − slope_h·|m − n|, slope_h = 2^(−8h/H), H = 2^j",
    .source = "Press, Smith and Lewis 2022, arXiv 2108.12409, section 3", .biased = true, .relative = true,
    .training = Training::bias, .values_by = ValuesBy::distance, .value_parts = kBiasParts, .settings = kAlibiFields,
    .make = make_alibi};

/// KERPLE with the logarithmic kernel; r_1 and r_2 are learned per head in a model and are fields here.
extern constinit const Encoding kKerpleEncoding{.name = "kerple", .slot = 12, .formula = "q·k − r_1 ln(1 + r_2|m − n|)",
    .source = "Chi et al. 2022, arXiv 2205.09921, section 4", .biased = true, .relative = true, .learned = true,
    .training = Training::trained_kernel, .values_by = ValuesBy::distance, .value_parts = kBiasParts,
    .settings = kKerpleFields, .parameters = kerple_parameters, .make = make_kerple};

/// Sandwich: the product of sinusoidal positions, RoPE's similarity kernel, as a bias (as in the released code).
extern constinit const Encoding kSandwichEncoding{.name = "sandwich", .slot = 7,
    .formula = "q·k + (Σ_(i=1…d/2) cos((m − n)/b^(2i/d)) − d/2)·H/(8h)", .source = "Chi et al. 2023, arXiv 2212.10356",
    .biased = true, .relative = true, .training = Training::bias, .values_by = ValuesBy::distance,
    .value_parts = kBiasParts, .settings = kSandwichFields, .make = make_sandwich};

/// T5's relative bias (RoFormer eq. 8): a learned number per bucket of distances; the score has no scale.
extern constinit const Encoding kT5Encoding{.name = "t5", .slot = 3, .formula = "q·k + b[bucket(n − m)]",
    .source = "Raffel et al. 2020, arXiv 1910.10683, section 2.1", .scale = {}, .biased = true, .relative = true,
    .learned = true, .training = Training::trained_buckets, .values_by = ValuesBy::distance, .value_parts = kBiasParts,
    .settings = kT5Fields, .parameters = t5_parameters, .make = make_t5};
// clang-format on

}  // namespace ropescope
