#include <cmath>

#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting positive(std::string_view key, double EncodingSettings::*member) {
  return {{.key = key, .exclusive = true, .lowest = 0.001, .highest = 100, .symbol = "R"}, member};
}
constexpr EncodingSetting kKerpleSettings[] = {kDim, positive("encoding.kerple_r1", &EncodingSettings::kerple_r1),
                                               positive("encoding.kerple_r2", &EncodingSettings::kerple_r2)};

std::int64_t kerple_parameters(const EncodingSettings&) {
  return 2;
}

std::shared_ptr<const EncodingModel> make_kerple(const Encoding& encoding, const EncodingSettings& settings) {
  const double r1 = settings.kerple_r1, r2 = settings.kerple_r2;
  const auto bias = [r1, r2](std::int64_t distance) {
    return -r1 * std::log1p(r2 * std::abs(static_cast<double>(distance)));
  };
  ScorePlan plan = bias_plan(settings.dim, bias);
  plan.scale = scale_of(settings);
  plan.tables = [r1, r2] { return std::vector<EncodingTable>{{"r", TokenMatrix{{r1, r2}}}}; };
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// The logarithmic kernel; r_1 and r_2 are learned for each head, here they are knobs.
extern constinit const Encoding kKerpleEncoding{.name = "kerple",
                                                .slot = 12,
                                                .formula = "q·k − r_1 ln(1 + r_2|m − n|)",
                                                .source = "Chi et al. 2022, arXiv 2205.09921, section 4",
                                                .scale = "1/√d",
                                                .biased = true,
                                                .relative = true,
                                                .learned = true,
                                                .values_by = ValuesBy::distance,
                                                .value_parts = kBiasParts,
                                                .settings = kKerpleSettings,
                                                .parameters = kerple_parameters,
                                                .make = make_kerple};

}  // namespace ropescope
