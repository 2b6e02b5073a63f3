#include "core/encodings/buckets.h"
#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kTupeSettings[] = {kMatrixDim, kTrainedLength, kBuckets, kMaxDistance, kBidirectional, kSeed};
constexpr std::string_view kTupeParts[] = {"p"};

std::int64_t tupe_parameters(const EncodingSettings& settings) {
  const std::int64_t dim = settings.dim;
  return settings.trained_length * dim + 2 * dim * dim + settings.buckets;
}

std::shared_ptr<const EncodingModel> make_tupe(const Encoding& encoding, const EncodingSettings& settings) {
  const int dim = settings.dim;
  const auto table = std::make_shared<SmoothTable>(settings.trained_length, dim, kVectorLevel, settings.seed, 0);
  const Weights query_weights = seeded_weights(dim, dim, settings.seed, 1);
  const Weights key_weights = seeded_weights(dim, dim, settings.seed, 2);
  const TokenMatrix biases = SmoothTable(settings.buckets, 1, 1, settings.seed, 3).all();
  const auto position = [table](const Place& place, std::span<double> out) { table->row(place.position, out); };
  ScorePlan plan;
  plan.scale = scale_of(settings, 2);
  plan.terms.push_back(content_content(dim));
  plan.terms.push_back(product_term("position-position", place_vector("position", dim, position, query_weights),
                                    place_vector("position", dim, position, key_weights)));
  plan.terms.push_back(
      bias_term([biases, settings](std::int64_t distance) { return biases(t5_bucket(distance, settings), 0); }));
  plan.values.push_back(
      {"p", numbered("channel", dim), [table](std::int64_t row, std::span<double> out) { table->row(row, out); }, {}});
  plan.tables = [table, query_weights, key_weights, biases] {
    return std::vector<EncodingTable>{
        {"p", table->all()}, {"U_q", *query_weights}, {"U_k", *key_weights}, {"bias", biases}};
  };
  plan.check_position = table_check(encoding.name, settings.trained_length);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// RoFormer eq. 9: positions meet positions through weights of their own; b by T5's buckets (TUPE-R). Without the
/// paper's special treatment of [CLS].
extern constinit const Encoding kTupeEncoding{
    .name = "tupe",
    .slot = 6,
    .formula = "q·k + (U_q p_m)·(U_k p_n) + b[bucket(n − m)]",
    .source = "Ke, He and Liu 2021, arXiv 2006.15595, section 3.1",
    .scale = "1/√(2d)",
    .biased = true,
    .learned = true,
    .positions = [](const EncodingSettings& settings) { return std::int64_t{settings.trained_length}; },
    .values_by = ValuesBy::position,
    .value_parts = kTupeParts,
    .settings = kTupeSettings,
    .parameters = tupe_parameters,
    .make = make_tupe};

}  // namespace ropescope
