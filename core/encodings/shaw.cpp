#include <algorithm>

#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kShawSettings[] = {kDim, kClip, kSeed};
constexpr std::string_view kShawParts[] = {"key", "value"};

std::int64_t shaw_parameters(const EncodingSettings& settings) {
  return 2 * (2 * std::int64_t{settings.clip} + 1) * settings.dim;
}

DistanceRows rows_of_shaw(const std::shared_ptr<const SmoothTable>& table, std::int64_t clip) {
  return {-clip, clip, table->width(), [table, clip](std::int64_t distance, std::span<double> out) {
            table->row(std::clamp(distance, -clip, clip) + clip, out);
          }};
}

std::shared_ptr<const EncodingModel> make_shaw(const Encoding& encoding, const EncodingSettings& settings) {
  const std::int64_t count = 2 * std::int64_t{settings.clip} + 1;
  const auto table_of = [&](std::uint64_t stream) {
    return std::make_shared<const SmoothTable>(count, settings.dim, kVectorLevel, settings.seed, stream);
  };
  const auto keys = table_of(0), values = table_of(1);
  const DistanceRows key_rows = rows_of_shaw(keys, settings.clip), value_rows = rows_of_shaw(values, settings.clip);
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(content_content(settings.dim));
  plan.terms.push_back({"content-distance", ContentByDistance{.of_key = false, .rows = key_rows, .weights = {}}, true});
  plan.value_rows = value_rows;
  plan.values.push_back({"key", numbered("channel", settings.dim), key_rows.row, {}});
  plan.values.push_back({"value", numbered("channel", settings.dim), value_rows.row, {}});
  plan.tables = [keys, values] { return std::vector<EncodingTable>{{"key", keys->all()}, {"value", values->all()}}; };
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// Keys, and values, get a learned vector of the clipped distance r = clip(m − n, −R, R).
extern constinit const Encoding kShawEncoding{.name = "shaw",
                                              .slot = 8,
                                              .formula = "q·(k + a_r), r = clip(m − n, −R, R)",
                                              .explained = true,
                                              .source = "Shaw, Uszkoreit and Vaswani 2018, arXiv 1803.02155, eq. 3–5",
                                              .scale = "1/√d",
                                              .relative = true,
                                              .learned = true,
                                              .values_by = ValuesBy::distance,
                                              .value_parts = kShawParts,
                                              .settings = kShawSettings,
                                              .parameters = shaw_parameters,
                                              .make = make_shaw};

}  // namespace ropescope
