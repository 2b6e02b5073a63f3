#include "core/rotary/frequencies.h"
#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kLlama3Parameters[] = {kFactor,
                                                  positive_parameter("rope.low_frequency_factor", 1, "F", true),
                                                  positive_parameter("rope.high_frequency_factor", 4, "F", true)};

ScaledLadder compute_llama3(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double length = *input.trained_length;
  const double low = number_of(input, "low_frequency_factor"), high = number_of(input, "high_frequency_factor");
  Eigen::VectorXd kept(plain.size());
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    const double turn = wavelength(plain[pair]);
    if (turn > length / low) {
      kept[pair] = 0;
    } else if (turn < length / high || low == high) {  // equal factors (Llama 4): nothing lies between
      kept[pair] = 1;
    } else {
      kept[pair] = (length / turn - low) / (high - low);
    }
  }
  return blended_ladder(plain, plain / number_of(input, "factor"), kept);
}

void check_llama3(const ScalingMethod& method, const ScalingInput& input) {
  require_order(method, input.extension, "low_frequency_factor", "high_frequency_factor");
}

}  // namespace

/// λ < L/high: p; λ > L/low: p/s; between: (1 − γ)·p/s + γ·p with γ = (L/λ − low)/(high − low).
/// Llama 3.1; transformers `_compute_llama3_parameters`.
extern constinit const ScalingMethod kLlama3{.name = "llama3",
                                             .source = "huggingface/transformers _compute_llama3_parameters",
                                             .parameters = kLlama3Parameters,
                                             .needs_trained_length = true,
                                             .compute = compute_llama3,
                                             .check = check_llama3};

}  // namespace ropescope
