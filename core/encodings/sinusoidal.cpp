#include "core/encodings/parts.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kSinusoidalSettings[] = {kMatrixDim, kBase, kSeededProjections, kSeed};
constexpr std::string_view kSinusoidalParts[] = {"p"};

std::shared_ptr<const EncodingModel> make_sinusoidal(const Encoding& encoding, const EncodingSettings& settings) {
  const Sinusoids sinusoids{plain_frequencies(settings.dim, settings.base), SinusoidPart::sine_cosine};
  ScorePlan plan;
  plan.scale = scale_of(settings);
  add_absolute_terms(plan, settings, [sinusoids](const Place& place, std::span<double> out) {
    sinusoid_row(sinusoids, place.position, out);
  });
  plan.values.push_back(
      {"p", column_names(sinusoids),
       [sinusoids](std::int64_t position, std::span<double> out) { sinusoid_row(sinusoids, position, out); },
       sinusoids});
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// x → x + p, p_{m,2t} = sin(m/b^(2t/d)), p_{m,2t+1} = cos(m/b^(2t/d)); RoFormer eq. 3–4.
extern constinit const Encoding kSinusoidalEncoding{
    .name = "sinusoidal",
    .slot = 9,
    .formula = "(q + W_q p_m)·(k + W_k p_n), p_(m,2t) = sin(m/b^(2t/d)), p_(m,2t+1) = cos(m/b^(2t/d))",
    .source = "Vaswani et al. 2017, arXiv 1706.03762, section 3.5",
    .scale = "1/√d",
    .linear_attention = true,
    .values_by = ValuesBy::position,
    .value_parts = kSinusoidalParts,
    .settings = kSinusoidalSettings,
    .parameters = no_parameters,
    .make = make_sinusoidal};

}  // namespace ropescope
