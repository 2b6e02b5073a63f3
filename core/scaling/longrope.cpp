#include <algorithm>
#include <cmath>

#include "core/scaling/parts.h"

namespace ropescope {

namespace {

// The factor sets the amplitude only. Whoever reads a config that has none gives max_position_embeddings / L.
constexpr ScalingParameter kLongropeParameters[] = {
    {.key = "rope.factor", .minimum = 1, .maximum = kLargestFactor, .initial = 1, .says_how_far = true},
    kAttentionFactor};
constexpr ScalingList factors(std::string_view key) {
  return {.key = key, .minimum = kSmallest, .maximum = kLargestFactor, .symbol = "LIST"};
}
constexpr ScalingList kShort = factors("rope.short_factors"), kLong = factors("rope.long_factors");
constexpr ScalingList kLists[] = {kShort, kLong};

double longrope_amplitude(const ScalingInput& input) {
  if (const auto given = given_number(input, "attention_factor")) return *given;
  const double factor = number_of(input, "factor");
  return factor > 1 ? std::sqrt(1 + std::log(factor) / std::log(*input.trained_length)) : 1;
}

ScaledLadder compute_longrope(const ScalingInput& input) {
  const bool is_long = current_length(input) > *input.trained_length;
  const std::vector<double>& factors = input.extension.lists.at(std::string((is_long ? kLong : kShort).name));
  const double factor = number_of(input, "factor");
  const double largest = *std::max_element(factors.begin(), factors.end());
  const double whole = factor > 1 ? std::min(factor, largest) : largest;
  ScaledLadder ladder = plain_ladder(input.axis);
  ladder.effective_base.reset();
  for (std::size_t pair = 0; pair < factors.size(); ++pair) {
    if (ladder.treatment[pair] == PairTreatment::still || factors[pair] == 1) continue;
    ladder.frequencies[static_cast<Eigen::Index>(pair)] /= factors[pair];
    const bool all_the_way = factors[pair] > 1 && factors[pair] >= whole;
    ladder.treatment[pair] = all_the_way ? PairTreatment::interpolated : PairTreatment::blended;
  }
  ladder.amplitude = longrope_amplitude(input);
  return ladder;
}

void check_longrope(const ScalingMethod& method, const ScalingInput& input) {
  if (*input.trained_length > 1) return;
  reject_parameter(method, "trained_length", *input.trained_length, Words("scaling.above", {{"least", 1}}));
}

}  // namespace

/// θ_i = p_i/f_i with the long list for a sequence of length l > L, else the short one. Amplitude: attention_factor,
/// else √(1 + ln s/ln L). arXiv 2402.13753; transformers `_compute_longrope_parameters`.
extern constinit const ScalingMethod kLongRope{.name = "longrope",
                                               .source =
                                                   "arXiv 2402.13753; huggingface/transformers "
                                                   "_compute_longrope_parameters",
                                               .parameters = kLongropeParameters,
                                               .lists = kLists,
                                               .depends_on_length = true,
                                               .identity_at_factor_one = false,
                                               .changes_amplitude = true,
                                               .needs_trained_length = true,
                                               .never_faster = false,
                                               .compute = compute_longrope,
                                               .check = check_longrope};

}  // namespace ropescope
