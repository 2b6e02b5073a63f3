#include <cmath>

#include "core/decay/phasor.h"
#include "core/encodings/parts.h"
#include "core/rotary/frequencies.h"
#include "core/rotary/rotation.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kP{{.key = "encoding.p", .maximum = 1, .linear = true, .symbol = "P"}, &EncodingSettings::p};
constexpr EncodingSetting kSettings[] = {kDim, kBase, kP, kPairing};
/// A product that is a whole number may come out a hair too small: 0.29 · 100.
constexpr double kHair = 1e-9;

/// The channels of pairs begin … end − 1, two by two, turned.
TokenVector pairs_of(const TurningHead& head, std::string id, int begin, int end) {
  return {std::move(id),
          2 * (end - begin),
          [head, begin, end](std::span<const double> content, const Place& place, std::span<double> out) {
            const int pair_count = static_cast<int>(head.frequencies.size());
            for (int pair = begin; pair < end; ++pair) {
              const auto [first, second] = pair_channels(head.pairing, pair, pair_count);
              const double a = content[static_cast<std::size_t>(first)], b = content[static_cast<std::size_t>(second)];
              const Phasor turn = phasor(head.frequencies[pair], static_cast<double>(place.position));
              const auto target = static_cast<std::size_t>(2 * (pair - begin));
              out[target] = a * turn.cosine - b * turn.sine;
              out[target + 1] = b * turn.cosine + a * turn.sine;
            }
          },
          {}};
}

std::shared_ptr<const EncodingModel> make(const Encoding& encoding, const EncodingSettings& settings) {
  const int pair_count = settings.dim / 2;
  const int live = static_cast<int>(std::floor(settings.p * pair_count + kHair));
  TurningHead head{settings.dim, plain_frequencies(settings.dim, settings.base), settings.pairing};
  head.frequencies.tail(pair_count - live).setZero();
  const TokenVector turning = pairs_of(head, "turning", 0, live), still = pairs_of(head, "still", live, pair_count);
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(product_term("turning-pairs", turning, turning));
  plan.terms.push_back(product_term("still-pairs", still, still));
  add_rotation(plan, head);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// RoPE whose ⌊p·d/2⌋ fastest pairs turn; the others see content alone.
extern constinit const Encoding kPRopeEncoding{.name = "p-rope",
                                               .slot = 5,
                                               .formula = "(R_m q)·(R_n k)",
                                               .explained = true,
                                               .source = "Barbero et al. 2024, arXiv 2410.06205, section 6",
                                               .scale = "1/√d",
                                               .relative = true,
                                               .linear_attention = true,
                                               .values_by = ValuesBy::position,
                                               .value_parts = kRotationParts,
                                               .settings = kSettings,
                                               .parameters = no_parameters,
                                               .make = make};

}  // namespace ropescope
