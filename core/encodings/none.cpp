#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kNoneSettings[] = {kDim};

std::shared_ptr<const EncodingModel> make_none(const Encoding& encoding, const EncodingSettings& settings) {
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(content_content(settings.dim));
  plan.encode = Product{content_vector(settings.dim), content_vector(settings.dim)};
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// q · k: attention that sees a bag of tokens.
extern constinit const Encoding kNoEncoding{.name = "none",
                                            .slot = 4,
                                            .formula = "q·k",
                                            .source = "arXiv 1706.03762, equation 1",
                                            .scale = "1/√d",
                                            .relative = true,
                                            .linear_attention = true,
                                            .settings = kNoneSettings,
                                            .parameters = no_parameters,
                                            .make = make_none};

}  // namespace ropescope
