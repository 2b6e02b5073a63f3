#include <cmath>

#include "core/encodings/parts.h"
#include "core/encodings/slopes.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kAlibiSettings[] = {kDim, kHeads, kHead};

std::shared_ptr<const EncodingModel> make_alibi(const Encoding& encoding, const EncodingSettings& settings) {
  const double slope = alibi_slopes(settings.heads)[static_cast<std::size_t>(settings.head - 1)];
  const auto bias = [slope](std::int64_t distance) { return -slope * std::abs(static_cast<double>(distance)); };
  ScorePlan plan = bias_plan(settings.dim, bias);
  plan.scale = scale_of(settings);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

std::vector<double> alibi_slopes(int heads) {
  int power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes;
  for (int head = 1; head <= power; ++head) slopes.push_back(std::exp2(-8.0 * head / power));
  for (int head = 1; static_cast<int>(slopes.size()) < heads; head += 2) {
    slopes.push_back(std::exp2(-8.0 * head / (2 * power)));
  }
  return slopes;
}

/// A straight line in |m − n| for each head, without any position vector.
extern constinit const Encoding kAlibiEncoding{.name = "alibi",
                                               .slot = 2,
                                               .formula = "q·k − slope_h·|m − n|, slope_h = 2^(−8h/H), H = 2^j",
                                               .source = "Press, Smith and Lewis 2022, arXiv 2108.12409, section 3",
                                               .scale = "1/√d",
                                               .biased = true,
                                               .relative = true,
                                               .values_by = ValuesBy::distance,
                                               .value_parts = kBiasParts,
                                               .settings = kAlibiSettings,
                                               .parameters = no_parameters,
                                               .make = make_alibi};

}  // namespace ropescope
