// Encodings that rotate queries and keys, one block each. To add an encoding, write its block here, then declare and
// list it in encoding.cpp.
//
// Contents: No encoding; RoPE; p-RoPE; xPos.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/encodings/parts.h"
#include "core/rotary/rotation.h"

namespace ropescope {

// --- No encoding ---------------------------------------------------------------------------------------------------

using namespace encoding_settings;

namespace {

constexpr EncodingField kNoneFields[] = {kDim};

std::shared_ptr<const EncodingModel> make_none(const Encoding& encoding, const EncodingValues& settings) {
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(content_content(settings.dim));
  plan.encode = Product{content_vector(settings.dim), content_vector(settings.dim)};
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

// --- RoPE ----------------------------------------------------------------------------------------------------------

Message describe_rotary_dim_error(const Encoding&, const EncodingValues& settings) {
  const int rotary_dim = settings.rotary_dim;
  if (rotary_dim >= 0 && rotary_dim <= settings.dim && rotary_dim % 2 == 0) return {};
  return Message("encodings.rotary_dim", {{"dim", settings.dim}});
}

// clang-format off
constexpr EncodingField kRotaryDim{{.key = "encoding.rotary_dim", .maximum = kLargestDimension, .whole = true,
     .even = true, .has_control = false, .order = 8}, &EncodingValues::rotary_dim, describe_rotary_dim_error};
constexpr EncodingField kRopeFields[] = {kDim, kBase, kRotaryDim, kPairing};
// clang-format on

std::shared_ptr<const EncodingModel> make_rope(const Encoding& encoding, const EncodingValues& settings) {
  const TurningHead head = turning_head(settings, settings.rotary_dim == 0 ? settings.dim : settings.rotary_dim);
  const TokenVector turned = make_rotated_vector(head);
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(product_term("turned-content", turned, turned));
  add_rotation(plan, head);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

// --- p-RoPE --------------------------------------------------------------------------------------------------------

constexpr EncodingField kP{{.key = "encoding.p", .maximum = 1, .linear = true, .symbol = "P", .order = 13},
                           &EncodingValues::p};
constexpr EncodingField kPRopeFields[] = {kDim, kBase, kP, kPairing};
/// Rounding allowance for products that should be integers, such as 0.29 · 100.
constexpr double kChannelRounding = 1e-9;

/// Returns the rotated channels of pairs begin … end − 1, pair by pair, then the last `rest` channels unchanged.
TokenVector pairs_of(const TurningHead& head, std::string id, int begin, int end, int rest) {
  return {std::move(id),
          2 * (end - begin) + rest,
          [head, begin, end, rest](std::span<const double> content, const Place& place, std::span<double> out) {
            for (int pair = begin; pair < end; ++pair) {
              const auto target = static_cast<std::size_t>(2 * (pair - begin));
              std::tie(out[target], out[target + 1]) = rotate_vector_pair(head, pair, content, place.position);
            }
            const auto last = content.last(static_cast<std::size_t>(rest));
            std::copy(last.begin(), last.end(), out.end() - rest);
          },
          {}};
}

std::shared_ptr<const EncodingModel> make_p_rope(const Encoding& encoding, const EncodingValues& settings) {
  TurningHead head = turning_head(settings, settings.dim);
  const int pair_count = head.pair_count();
  const int live = static_cast<int>(std::floor(settings.p * pair_count + kChannelRounding));
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

// --- xPos ----------------------------------------------------------------------------------------------------------

constexpr EncodingField kScaleBase{{.key = "encoding.xpos_scale_base",
                                    .exclusive = true,
                                    .lowest = 1,
                                    .highest = 1 << 20,
                                    .unit = "unit.positions",
                                    .order = 14},
                                   &EncodingValues::xpos_scale_base};
constexpr EncodingField kSequenceLength{
    {.key = "encoding.xpos_sequence_length", .maximum = 1 << 24, .whole = true, .has_control = false, .order = 9},
    &EncodingValues::xpos_sequence_length};
constexpr EncodingField kXposFields[] = {kDim, kBase, kPairing, kScaleBase, kSequenceLength};
constexpr std::string_view kXposParts[] = {"cos", "sin", "angle", "scale"};

/// The damping ζ_i^(steps/scale base), ζ_i = (2i/d + 0.4)/1.4.
struct Damping {
  int pair_count = 0;
  double scale_base = 512;
  double of(int pair, double steps) const {
    const double zeta = (static_cast<double>(pair) / pair_count + 0.4) / 1.4;
    return std::pow(zeta, steps / scale_base);
  }
};

TokenVector make_damped_vector(const TurningHead& head, const Damping& damping, double sign) {
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

std::shared_ptr<const EncodingModel> make_xpos(const Encoding& encoding, const EncodingValues& settings) {
  const TurningHead head = turning_head(settings, settings.dim);
  const Damping damping{head.pair_count(), settings.xpos_scale_base};
  const Product product{make_damped_vector(head, damping, 1), make_damped_vector(head, damping, -1)};
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

// clang-format off
/// No encoding: the score q · k, which is independent of token order.
extern constinit const Encoding kNoEncoding{.name = "none", .slot = 4, .formula = "q·k",
    .source = "arXiv 1706.03762, equation 1", .relative = true, .linear_attention = true, .training = Training::nothing,
    .settings = kNoneFields, .make = make_none};

/// RoPE: R_m q · R_n k = q · R_{n−m} k; RoFormer eq. 16. Channels past rotary_dim are unchanged. With a ladder of
/// amplitude A the rotated part of the score is multiplied by A² (YaRN: a different softmax temperature).
extern constinit const Encoding kRopeEncoding{.name = "rope", .slot = 0, .formula = "(R_m q)·(R_n k) = q·R_(n−m) k",
    .source = "Su et al. 2021, arXiv 2104.09864, eq. 14–16", .relative = true, .linear_attention = true,
    .takes_ladder = true, .training = Training::rotation, .values_by = ValuesBy::position,
    .value_parts = kRotationParts, .settings = kRopeFields, .make = make_rope};

/// p-RoPE: only the ⌊p·d/2⌋ fastest pairs are rotated (the first ⌊p·n⌋ pairs of a ladder with n pairs).
extern constinit const Encoding kPRopeEncoding{.name = "p-rope", .slot = 5, .formula = "(R_m q)·(R_n k)",
    .explained = true, .source = "Barbero et al. 2024, arXiv 2410.06205, section 6", .relative = true,
    .linear_attention = true, .takes_ladder = true, .training = Training::rotation, .values_by = ValuesBy::position,
    .value_parts = kRotationParts, .settings = kPRopeFields, .make = make_p_rope};

/// xPos: RoPE with pairs damped by ζ_i^((m − n)/512): the query by ζ_i^(m/512), the key by its inverse. Fast pairs are
/// damped most. For keys after the query (m < n) the formula grows without bound: intended for causal attention.
extern constinit const Encoding kXposEncoding{.name = "xpos", .slot = 10,
    .formula = "Re Σ_i q_i conj(k_i) e^(i(m−n)θ_i) ζ_i^((m−n)/512), ζ_i = (2i/d + 0.4)/1.4",
    .source = "Sun et al. 2022, arXiv 2212.10554", .relative = true, .causal_only = true, .linear_attention = true,
    .takes_ladder = true, .training = Training::rotation, .values_by = ValuesBy::position, .value_parts = kXposParts,
    .settings = kXposFields, .make = make_xpos};
// clang-format on

}  // namespace ropescope
