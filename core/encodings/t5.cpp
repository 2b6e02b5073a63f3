#include "core/encodings/buckets.h"
#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kT5Settings[] = {kDim, kBuckets, kMaxDistance, kBidirectional, kSeed};

std::int64_t t5_parameters(const EncodingSettings& settings) {
  return settings.buckets;
}

std::shared_ptr<const EncodingModel> make_t5(const Encoding& encoding, const EncodingSettings& settings) {
  const TokenMatrix table = SmoothTable(settings.buckets, 1, 1, settings.seed, 0).all();
  const auto bias = [table, settings](std::int64_t distance) { return table(t5_bucket(distance, settings), 0); };
  ScorePlan plan = bias_plan(settings.dim, bias);
  plan.tables = [table] { return std::vector<EncodingTable>{{"bias", table}}; };
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// RoFormer eq. 8: a learned number per bucket of distances; the score has no scale.
extern constinit const Encoding kT5Encoding{.name = "t5",
                                            .slot = 3,
                                            .formula = "q·k + b[bucket(n − m)]",
                                            .source = "Raffel et al. 2020, arXiv 1910.10683, section 2.1",
                                            .biased = true,
                                            .relative = true,
                                            .learned = true,
                                            .values_by = ValuesBy::distance,
                                            .value_parts = kBiasParts,
                                            .settings = kT5Settings,
                                            .parameters = t5_parameters,
                                            .make = make_t5};

}  // namespace ropescope
