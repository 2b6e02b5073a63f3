#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

double exact(double value) {
  return value;
}

/// What happens to a number at each of the four steps.
template <Rounding Position, Rounding Frequency, Rounding Angle, Rounding Entry>
void stepwise_table(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine,
                    Eigen::VectorXd& sine) {
  const double stored = Position(position);
  cosine.resize(frequencies.size());
  sine.resize(frequencies.size());
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double angle = Angle(stored * Frequency(frequencies[i]));
    cosine[i] = Entry(std::cos(angle));
    sine[i] = Entry(std::sin(angle));
  }
}

constexpr auto policies_exact_table = stepwise_table<exact, exact, exact, exact>;

/// FLUX's own function called with bfloat16 ids: base, exponents, frequencies, angles and tables all follow the format
/// of the ids. As the frequencies are all there is here, the base is taken from each: θ_i^(−1/(2i/d)); for other
/// ladders than the plain one it is what their pair would need. Source: black-forest-labs/flux, src/flux/math.py, rope;
/// torch turns a base beside a tensor into its format.
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

/// ggml's tables. As the frequencies are all there is here, s is the second over the first, and what an extension
/// makes of a plain frequency is one factor in float32 (ggml divides by its freq_factors or multiplies by freq_scale).
/// A chain begins anew where frequencies rise again: with another axis.
template <Recurrence way>
void recurrent_table(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine,
                     Eigen::VectorXd& sine) {
  constexpr double kPlain = 1e-12;
  cosine.setOnes(frequencies.size());
  sine.setZero(frequencies.size());
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
      cosine[i] = round_to_float32(std::cos(static_cast<double>(angle)));
      sine[i] = round_to_float32(std::sin(static_cast<double>(angle)));
    }
  }
}

constexpr Rounding f32 = round_to_float32, bf16 = round_to_bfloat16, f16 = round_to_float16;

// By format, and in each from what ruins the angle to what only blurs the result.
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
    {"bfloat16-rotation", policies_exact_table, nullptr, bf16},
    {"float16-inputs", stepwise_table<f16, f16, f32, f32>, f16},
    {"float16-product", stepwise_table<f16, f16, f16, f32>, f16},
    {"float16-everything", stepwise_table<f16, f16, f16, f16>, f16},
    {"float16-tables", stepwise_table<exact, exact, exact, f16>},
    {"float16-frequencies", stepwise_table<exact, f16, exact, exact>},
    {"float16-rotation", policies_exact_table, nullptr, f16},
    {"flux-bfloat16-ids", flux_table, bf16},
};

}  // namespace

void recurrent_thetas(Recurrence way, float position, float scale, std::span<float> thetas) {
  float theta = position;
  for (std::size_t k = 0; k < thetas.size(); ++k) {
    if (way == Recurrence::gpu) {
      // Rounded once from float64, whatever powf the machine has.
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
  const auto policies = all_precision_policies();
  const auto found = std::find_if(policies.begin(), policies.end(),
                                  [name](const PrecisionPolicy& policy) { return policy.name == name; });
  if (found != policies.end()) return *found;
  Words::List known;
  for (const PrecisionPolicy& policy : policies) known.push_back(as_it_is(policy.name));
  throw InputError("precision.policy", {{"name", name}, {"known", known}});
}

}  // namespace ropescope
