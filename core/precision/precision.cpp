// Short floats, rounding, precision policies and their errors. Read precision.h first.
//
// Contents: Short floats; Rounding; Policies; Error.

#include "core/precision/precision.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/machine.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/rotary/rotary_tables.h"

namespace ropescope {

// --- Short floats --------------------------------------------------------------------------------------------------

std::uint16_t float16_bits(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00);
  const double magnitude = std::abs(round_to_float16(value));
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | 0x7C00);
  // From here on all operations are exact: the rounded number has a bit pattern.
  if (magnitude < 0x1p-14) return static_cast<std::uint16_t>(sign + static_cast<int>(magnitude * 0x1p24));
  const int exponent = std::ilogb(magnitude);
  const int mantissa = static_cast<int>(std::ldexp(magnitude, 10 - exponent));  // 1024 … 2047
  return static_cast<std::uint16_t>(sign + ((exponent + 15) << 10) + (mantissa - 1024));
}

double float16_value(std::uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const std::uint64_t magnitude = bits & 0x7FFF;
  constexpr std::uint64_t kInfinity = 0x7C00;
  if (magnitude >= kInfinity) {
    return magnitude == kInfinity ? sign * std::numeric_limits<double>::infinity()
                                  : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  // Exponent and fraction at a double's bit positions; only the exponent bias differs (15 against 1023). The product is
  // exact for subnormal numbers too.
  return sign * (std::bit_cast<double>(magnitude << 42) * 0x1p1008);
}

std::uint16_t bfloat16_bits(double value) {
  if (std::isnan(value)) return static_cast<std::uint16_t>(std::signbit(value) ? 0xFFC0 : 0x7FC0);
  const auto exact = static_cast<float>(round_to_bfloat16(value));
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(exact) >> 16);
}

double bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// --- Rounding ------------------------------------------------------------------------------------------------------

namespace {

constexpr int kDoubleBits = 52, kDoubleBias = 1023;

/// Rounds to nearest, ties to even. Without branches and calls, so that loops compute several numbers at a time.
template <FloatFormat format>
ROPESCOPE_INLINE double round_in(double value) {
  const double magnitude = std::abs(value);
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> kDoubleBits) - kDoubleBias;
  // Below the smallest normal number the spacing is constant. Larger numbers than the format's become infinity below.
  const int step = std::clamp(exponent, format.smallest_normal, format.largest_exponent + 1) - format.fraction_bits;
  // Near 2^52 spacings a double's own spacing is one of them, so the sum is the only rounding.
  const double shift =
      std::bit_cast<double>(static_cast<std::uint64_t>(step + kDoubleBits + kDoubleBias) << kDoubleBits);
  const double nearest = (magnitude + shift) - shift;
  // A number may have been rounded up to the first power of two beyond the format.
  const double limit =
      std::bit_cast<double>(static_cast<std::uint64_t>(format.largest_exponent + 1 + kDoubleBias) << kDoubleBits);
  return std::copysign(nearest >= limit ? std::numeric_limits<double>::infinity() : nearest, value);
}

// --- Policies ------------------------------------------------------------------------------------------------------

double exact(double value) {
  return value;
}

/// Computes cos and sin of angles in radians, rounded.
template <Rounding Entry>
void compute_rounded_phasors(const Eigen::VectorXd& angles, Eigen::VectorXd& cosine, Eigen::VectorXd& sine) {
  cosine.resize(angles.size());
  sine.resize(angles.size());
  write_phasors({angles.data(), static_cast<std::size_t>(angles.size())}, 1, cosine.data(), sine.data());
  if constexpr (Entry == exact) return;
  for (Eigen::Index i = 0; i < angles.size(); ++i) {
    cosine[i] = Entry(cosine[i]);
    sine[i] = Entry(sine[i]);
  }
}

/// The rounding at each of the four steps.
template <Rounding Position, Rounding Frequency, Rounding Angle, Rounding Entry>
void stepwise_table(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine,
                    Eigen::VectorXd& sine) {
  const double stored = Position(position);
  Eigen::VectorXd angles(frequencies.size());
  for (Eigen::Index i = 0; i < angles.size(); ++i) angles[i] = Angle(stored * Frequency(frequencies[i]));
  compute_rounded_phasors<Entry>(angles, cosine, sine);
}

constexpr auto exact_table = stepwise_table<exact, exact, exact, exact>;

/// FLUX's own function with bfloat16 ids: base, exponents, frequencies, angles and tables all use the ids' format. Only
/// frequencies are available here, so the base is derived from each: θ_i^(−1/(2i/d)); on other than plain ladders, the
/// base that this pair would need. Source: black-forest-labs/flux, src/flux/math.py, rope; torch converts a base
/// combined with a tensor to its format.
void flux_table(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine, Eigen::VectorXd& sine) {
  const double stored = round_to_bfloat16(position), dimension = static_cast<double>(2 * frequencies.size());
  cosine.resize(frequencies.size());
  sine.resize(frequencies.size());
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    double power = 1 / frequencies[i];
    if (i > 0) {
      const double exponent = static_cast<double>(2 * i) / dimension;
      const double base = std::pow(frequencies[i], -1 / exponent);
      const double stored_exponent = round_to_bfloat16(round_to_bfloat16(static_cast<double>(2 * i)) / dimension);
      power = std::pow(round_to_bfloat16(base), stored_exponent);
    }
    const double frequency = round_to_bfloat16(1 / round_to_bfloat16(power));
    const double angle = round_to_bfloat16(stored * frequency);
    cosine[i] = round_to_bfloat16(std::cos(angle));
    sine[i] = round_to_bfloat16(std::sin(angle));
  }
}

/// ggml's tables. Only frequencies are available here, so s is the second divided by the first. The effect of an
/// extension on a plain frequency is one factor in float32 (ggml divides by its freq_factors or multiplies by
/// freq_scale). A chain restarts where frequencies increase again, which means another axis.
template <Recurrence way>
void recurrent_table(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine,
                     Eigen::VectorXd& sine) {
  constexpr double kPlain = 1e-12;
  Eigen::VectorXd angles(frequencies.size());
  std::vector<float> thetas;
  for (Eigen::Index first = 0, last = 0; first < frequencies.size(); first = last) {
    for (last = first + 1; last < frequencies.size() && frequencies[last] < frequencies[last - 1];) ++last;
    const double ratio = last > first + 1 ? frequencies[first + 1] / frequencies[first] : 1;
    thetas.resize(static_cast<std::size_t>(last - first));
    recurrent_thetas(way, static_cast<float>(position), static_cast<float>(ratio), thetas);
    double plain = 1;
    for (Eigen::Index i = first; i < last; ++i, plain *= ratio) {
      float angle = thetas[static_cast<std::size_t>(i - first)];
      const double factor = plain > 0 ? frequencies[i] / plain : 0;
      if (std::abs(factor - 1) > kPlain) angle *= static_cast<float>(factor);
      angles[i] = angle;
    }
  }
  compute_rounded_phasors<round_to_float32>(angles, cosine, sine);
}

constexpr Rounding f32 = round_to_float32, bf16 = round_to_bfloat16, f16 = round_to_float16;

// By format, and within each from the most to the least harmful.
constexpr PrecisionPolicy kPolicies[] = {
    {"float32", stepwise_table<f32, f32, f32, f32>, f32},
    {"float32-frequencies", stepwise_table<exact, f32, exact, exact>},
    {"float32-ggml-cpu", recurrent_table<Recurrence::cpu>, f32},
    {"float32-ggml-gpu", recurrent_table<Recurrence::gpu>, f32},
    {"bfloat16-inputs", stepwise_table<bf16, bf16, f32, f32>, bf16},
    {"bfloat16-product", stepwise_table<bf16, bf16, bf16, f32>, bf16},
    {"bfloat16-everything", stepwise_table<bf16, bf16, bf16, bf16>, bf16},
    {"bfloat16-tables", stepwise_table<exact, exact, exact, bf16>},
    {"bfloat16-frequencies", stepwise_table<exact, bf16, exact, exact>},
    {"bfloat16-rotation", exact_table, nullptr, bf16},
    {"float16-inputs", stepwise_table<f16, f16, f32, f32>, f16},
    {"float16-product", stepwise_table<f16, f16, f16, f32>, f16},
    {"float16-everything", stepwise_table<f16, f16, f16, f16>, f16},
    {"float16-tables", stepwise_table<exact, exact, exact, f16>},
    {"float16-frequencies", stepwise_table<exact, f16, exact, exact>},
    {"float16-rotation", exact_table, nullptr, f16},
    {"flux-bfloat16-ids", flux_table, bf16},
};

// --- Error ---------------------------------------------------------------------------------------------------------

/// cos and sin per pair as doubles, the reference for all policies.
struct Table {
  Eigen::VectorXd cosine, sine;
};

Table compute_exact_table(const Eigen::VectorXd& frequencies, double position) {
  Table table;
  compute_rounded_phasors<exact>(position * frequencies, table.cosine, table.sine);
  return table;
}

Table policy_row(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double position) {
  Table table;
  policy.table(frequencies, position, table.cosine, table.sine);
  return table;
}

/// Returns both components of the content (1, 1)/√2 of each pair, in the policy's format.
double component(const PrecisionPolicy& policy) {
  const double value = std::sqrt(0.5);
  return policy.rotation ? policy.rotation(value) : value;
}

/// The content of every pair after rotation, with every step rounded by the policy.
struct Rotated {
  Eigen::VectorXd first, second;
};
Rotated rotated(const PrecisionPolicy& policy, const Table& table) {
  const double x = component(policy);
  const Rounding step = policy.rotation;
  Rotated result{x * (table.cosine - table.sine), x * (table.cosine + table.sine)};
  if (!step) return result;
  for (Eigen::Index i = 0; i < table.cosine.size(); ++i) {
    const double cosine = step(x * table.cosine[i]), sine = step(x * table.sine[i]);
    result.first[i] = step(cosine - sine);
    result.second[i] = step(cosine + sine);
  }
  return result;
}

/// Returns the score of aligned unit pairs whose query and key are rotated by these tables of the policy.
double score_of_tables(const PrecisionPolicy& policy, const Table& query, const Table& key) {
  const auto pairs = static_cast<double>(query.cosine.size());
  if (!policy.rotation) return (query.cosine.dot(key.cosine) + query.sine.dot(key.sine)) / pairs;
  const Rotated q = rotated(policy, query), k = rotated(policy, key);
  const double x = component(policy), square = 2 * x * x;  // norm of the content: not exactly 1 in a short format
  return (q.first.dot(k.first) + q.second.dot(k.second)) / (pairs * square);
}

/// Returns the largest magnitude; NaN if there is one (Eigen's own maximum may skip it).
double find_largest_magnitude(const Eigen::VectorXd& values) {
  double result = 0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    result = std::max(result, std::abs(value));
  }
  return result;
}

/// Returns the larger number; NaN if either is NaN.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

}  // namespace

double round_to_float32(double value) {
  return static_cast<float>(value);
}

double round_to_bfloat16(double value) {
  return round_in<kBfloat16Format>(value);
}

double round_to_float16(double value) {
  return round_in<kFloat16Format>(value);
}

void recurrent_thetas(Recurrence way, float position, float scale, std::span<float> thetas) {
  float theta = position;
  for (std::size_t k = 0; k < thetas.size(); ++k) {
    if (way == Recurrence::gpu) {
      // Rounded once from float64, independent of the machine's powf.
      theta = position * static_cast<float>(std::pow(static_cast<double>(scale), static_cast<double>(k)));
    }
    thetas[k] = theta;
    if (way == Recurrence::cpu) theta *= scale;
  }
}

std::span<const PrecisionPolicy> all_precision_policies() {
  return kPolicies;
}

const PrecisionPolicy& find_precision_policy(std::string_view name) {
  return required_entry(all_precision_policies(), name, "precision.policy");
}

PrecisionError precision_error(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double position) {
  const Table exact = compute_exact_table(frequencies, position);
  const auto pairs = static_cast<double>(frequencies.size());
  // The key is at position 0, where every policy gives 1 and 0. Policies of the rotation have exact tables.
  const Table found = policy.rotation ? exact : policy_row(policy, frequencies, position);
  const Table key{Eigen::VectorXd::Ones(frequencies.size()), Eigen::VectorXd::Zero(frequencies.size())};
  PrecisionError error;
  error.score = std::abs(score_of_tables(policy, found, key) - exact.cosine.mean());
  if (policy.rotation) {
    const double x = component(policy);
    const Rotated content = rotated(policy, found);
    const Eigen::VectorXd first = content.first - x * (exact.cosine - exact.sine);
    const Eigen::VectorXd second = content.second - x * (exact.cosine + exact.sine);
    error.max_abs = larger(find_largest_magnitude(first), find_largest_magnitude(second));
    error.rms = std::sqrt((first.squaredNorm() + second.squaredNorm()) / pairs);
  } else {
    const Eigen::VectorXd cosine = found.cosine - exact.cosine, sine = found.sine - exact.sine;
    error.max_abs = find_largest_magnitude(cosine);
    error.rms = std::sqrt((cosine.squaredNorm() + sine.squaredNorm()) / pairs);
  }
  return error;
}

double first_repeated_position(const PrecisionPolicy& policy) {
  if (!policy.position) return std::numeric_limits<double>::infinity();
  // With p significant bits every integer up to 2^p is representable; 2^p + 1 is halfway and rounds to the even 2^p.
  for (double position = 1; position < 0x1p53; position *= 2) {
    if (policy.position(position) == policy.position(position + 1)) return position;
  }
  return std::numeric_limits<double>::infinity();
}

double first_overflowing_position(const PrecisionPolicy& policy) {
  double held = 0, lost = 0x1p53;
  if (!policy.position || std::isfinite(policy.position(lost))) return std::numeric_limits<double>::infinity();
  while (lost - held > 1) {
    const double middle = std::floor((held + lost) / 2);
    (std::isfinite(policy.position(middle)) ? held : lost) = middle;
  }
  return lost;
}

double policy_score(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double query_position,
                    double key_position) {
  return score_of_tables(policy, policy_row(policy, frequencies, query_position),
                         policy_row(policy, frequencies, key_position));
}

}  // namespace ropescope
