#include <cmath>

#include "core/encodings/parts.h"
#include "core/rotary/rotation.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kScaleBase{
    {.key = "encoding.xpos_scale_base", .exclusive = true, .lowest = 1, .highest = 1 << 20, .unit = "unit.positions"},
    &EncodingSettings::xpos_scale_base};
constexpr EncodingSetting kSequenceLength{
    {.key = "encoding.xpos_sequence_length", .maximum = 1 << 24, .whole = true, .knob = false},
    &EncodingSettings::xpos_sequence_length};
constexpr EncodingSetting kXposSettings[] = {kDim, kBase, kPairing, kScaleBase, kSequenceLength};
constexpr std::string_view kXposParts[] = {"cos", "sin", "angle", "scale"};

/// ζ_i^(steps/scale base), ζ_i = (2i/d + 0.4)/1.4.
struct Damping {
  int pair_count = 0;
  double scale_base = 512;
  double of(int pair, double steps) const {
    const double zeta = (static_cast<double>(pair) / pair_count + 0.4) / 1.4;
    return std::pow(zeta, steps / scale_base);
  }
};

TokenVector damped(const TurningHead& head, const Damping& damping, double sign) {
  return {sign > 0 ? "damped-query" : "damped-key",
          head.dim,
          [head, damping, sign](std::span<const double> content, const Place& place, std::span<double> out) {
            turn_head(head, content, place.position, out);
            const double steps = sign * static_cast<double>(place.position - place.reference);
            for (int pair = 0; pair < damping.pair_count; ++pair) {
              const auto [first, second] = pair_channels(head.pairing, pair, damping.pair_count);
              const double factor = damping.of(pair, steps);
              out[static_cast<std::size_t>(first)] *= factor;
              out[static_cast<std::size_t>(second)] *= factor;
            }
          },
          {}};
}

std::shared_ptr<const EncodingModel> make_xpos(const Encoding& encoding, const EncodingSettings& settings) {
  const TurningHead head = turning_head(settings, settings.dim);
  const Damping damping{head.pair_count(), settings.xpos_scale_base};
  const Product product{damped(head, damping, 1), damped(head, damping, -1)};
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back({"damped-content", product, true});
  plan.encode = product;
  plan.encode_reference = settings.xpos_sequence_length / 2;
  plan.rotates_features = true;
  add_rotation_values(plan, head);
  plan.values.push_back({"scale",
                         numbered("scale", damping.pair_count),
                         [damping, centre = plan.encode_reference](std::int64_t position, std::span<double> out) {
                           for (int pair = 0; pair < damping.pair_count; ++pair) {
                             out[static_cast<std::size_t>(pair)] =
                                 damping.of(pair, static_cast<double>(position - centre));
                           }
                         },
                         {}});
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// RoPE whose pairs are damped by ζ_i^((m − n)/512): the query by ζ_i^(m/512), the key by its inverse. Fast pairs are
/// damped most. Past the query (m < n) the same formula grows without bound: meant for causal attention.
extern constinit const Encoding kXposEncoding{
    .name = "xpos",
    .slot = 10,
    .formula = "Re Σ_i q_i conj(k_i) e^(i(m−n)θ_i) ζ_i^((m−n)/512), ζ_i = (2i/d + 0.4)/1.4",
    .source = "Sun et al. 2022, arXiv 2212.10554",
    .scale = "1/√d",
    .relative = true,
    .causal_only = true,
    .linear_attention = true,
    .takes_ladder = true,
    .values_by = ValuesBy::position,
    .value_parts = kXposParts,
    .settings = kXposSettings,
    .parameters = no_parameters,
    .make = make_xpos};

}  // namespace ropescope
