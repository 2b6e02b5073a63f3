#include <cmath>

#include "core/decay/phasor.h"
#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kSandwichSettings[] = {kDim, kHeads, kHead, kBase};

std::shared_ptr<const EncodingModel> make_sandwich(const Encoding& encoding, const EncodingSettings& settings) {
  const int pair_count = settings.dim / 2;
  // θ_1 … θ_{d/2}: the plain ladder without its first rung, and one rung further.
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

}  // namespace

/// Sinusoidal positions' own product as a bias: RoPE's similarity kernel, not its rotation (as released).
extern constinit const Encoding kSandwichEncoding{.name = "sandwich",
                                                  .slot = 7,
                                                  .formula = "q·k + (Σ_(i=1…d/2) cos((m − n)/b^(2i/d)) − d/2)·H/(8h)",
                                                  .source = "Chi et al. 2023, arXiv 2212.10356",
                                                  .scale = "1/√d",
                                                  .biased = true,
                                                  .relative = true,
                                                  .values_by = ValuesBy::distance,
                                                  .value_parts = kBiasParts,
                                                  .settings = kSandwichSettings,
                                                  .parameters = no_parameters,
                                                  .make = make_sandwich};

}  // namespace ropescope
