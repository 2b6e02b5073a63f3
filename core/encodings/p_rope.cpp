#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kP{{.key = "encoding.p", .maximum = 1, .linear = true, .symbol = "P"}, &EncodingSettings::p};
constexpr EncodingSetting kPRopeSettings[] = {kDim, kBase, kP, kPairing};
/// A product that is a whole number may come out a hair too small: 0.29 · 100.
constexpr double kPRopeHair = 1e-9;

/// The channels of pairs begin … end − 1, two by two, turned, and the last `rest` channels of the head as they are.
TokenVector pairs_of(const TurningHead& head, std::string id, int begin, int end, int rest) {
  return {std::move(id),
          2 * (end - begin) + rest,
          [head, begin, end, rest](std::span<const double> content, const Place& place, std::span<double> out) {
            for (int pair = begin; pair < end; ++pair) {
              const auto target = static_cast<std::size_t>(2 * (pair - begin));
              std::tie(out[target], out[target + 1]) = turned_pair(head, pair, content, place.position);
            }
            const auto last = content.last(static_cast<std::size_t>(rest));
            std::copy(last.begin(), last.end(), out.end() - rest);
          },
          {}};
}

std::shared_ptr<const EncodingModel> make_p_rope(const Encoding& encoding, const EncodingSettings& settings) {
  TurningHead head = turning_head(settings, settings.dim);
  const int pair_count = head.pair_count();
  const int live = static_cast<int>(std::floor(settings.p * pair_count + kPRopeHair));
  head.frequencies.tail(pair_count - live).setZero();
  const TokenVector turning = pairs_of(head, "turning", 0, live, 0);
  const TokenVector still = pairs_of(head, "still", live, pair_count, head.dim - 2 * pair_count);
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(product_term("turning-pairs", turning, turning));
  plan.terms.push_back(product_term("still-pairs", still, still));
  add_rotation(plan, head);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// RoPE whose ⌊p·d/2⌋ fastest pairs turn (of a ladder the first ⌊p·n⌋ of its n pairs); the others see content alone.
extern constinit const Encoding kPRopeEncoding{.name = "p-rope",
                                               .slot = 5,
                                               .formula = "(R_m q)·(R_n k)",
                                               .explained = true,
                                               .source = "Barbero et al. 2024, arXiv 2410.06205, section 6",
                                               .scale = "1/√d",
                                               .relative = true,
                                               .linear_attention = true,
                                               .takes_ladder = true,
                                               .values_by = ValuesBy::position,
                                               .value_parts = kRotationParts,
                                               .settings = kPRopeSettings,
                                               .parameters = no_parameters,
                                               .make = make_p_rope};

}  // namespace ropescope
