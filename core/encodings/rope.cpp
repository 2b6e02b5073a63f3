#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

Words fault_of_rotary_dim(const Encoding&, const EncodingSettings& settings) {
  const int rotary_dim = settings.rotary_dim;
  if (rotary_dim >= 0 && rotary_dim <= settings.dim && rotary_dim % 2 == 0) return {};
  return Words("encodings.rotary_dim", {{"dim", settings.dim}});
}

constexpr EncodingSetting kRotaryDim{
    {.key = "encoding.rotary_dim", .maximum = kLargestDimension, .whole = true, .even = true, .knob = false},
    &EncodingSettings::rotary_dim,
    fault_of_rotary_dim};
constexpr EncodingSetting kRopeSettings[] = {kDim, kBase, kRotaryDim, kPairing};

std::shared_ptr<const EncodingModel> make_rope(const Encoding& encoding, const EncodingSettings& settings) {
  const TurningHead head = turning_head(settings, settings.rotary_dim == 0 ? settings.dim : settings.rotary_dim);
  const TokenVector turned = turned_vector(head);
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(product_term("turned-content", turned, turned));
  add_rotation(plan, head);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// R_m q · R_n k = q · R_{n−m} k; RoFormer eq. 16. Channels past rotary_dim stay as they are. Under a
/// ladder of amplitude A the turned part of the score is A² times as large (YaRN: softmax at another temperature).
extern constinit const Encoding kRopeEncoding{.name = "rope",
                                              .slot = 0,
                                              .formula = "(R_m q)·(R_n k) = q·R_(n−m) k",
                                              .source = "Su et al. 2021, arXiv 2104.09864, eq. 14–16",
                                              .scale = "1/√d",
                                              .relative = true,
                                              .linear_attention = true,
                                              .takes_ladder = true,
                                              .values_by = ValuesBy::position,
                                              .value_parts = kRotationParts,
                                              .settings = kRopeSettings,
                                              .parameters = no_parameters,
                                              .make = make_rope};

}  // namespace ropescope
