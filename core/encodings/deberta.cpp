#include <algorithm>

#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kDebertaSettings[] = {kMatrixDim, kClip, kSeed, kSeededProjections};
constexpr std::string_view kDebertaParts[] = {"p"};

/// Of one head: p̃, and the two matrices that p̃ goes through. The layers share p̃; each has matrices of its own.
std::int64_t deberta_parameters(const EncodingSettings& settings) {
  return 2 * std::int64_t{settings.dim} * (settings.clip + settings.dim);
}

std::shared_ptr<const EncodingModel> make_deberta(const Encoding& encoding, const EncodingSettings& settings) {
  const int dim = settings.dim;
  const std::int64_t clip = settings.clip;
  const auto table = std::make_shared<SmoothTable>(2 * clip, dim, kVectorLevel, settings.seed, 0);
  const auto row = [table, clip](std::int64_t distance, std::span<double> out) {
    table->row(std::clamp(distance, -clip, clip - 1) + clip, out);
  };
  Weights query_weights, key_weights;
  if (settings.seeded_projections) {
    query_weights = seeded_weights(dim, dim, settings.seed, 1);
    key_weights = seeded_weights(dim, dim, settings.seed, 2);
  }
  const DistanceRows by_distance{-clip, clip - 1, dim, row};
  const DistanceRows by_opposite{1 - clip, clip, dim,
                                 [row](std::int64_t distance, std::span<double> out) { row(-distance, out); }};
  ScorePlan plan;
  plan.scale = scale_of(settings, 3);
  plan.terms.push_back(content_content(dim));
  plan.terms.push_back(
      {"content-distance", ContentByDistance{.of_key = false, .rows = by_distance, .weights = key_weights}, true});
  plan.terms.push_back(
      {"distance-content", ContentByDistance{.of_key = true, .rows = by_opposite, .weights = query_weights}, true});
  plan.values.push_back({"p", numbered("channel", dim), row, {}});
  plan.tables = [table, query_weights, key_weights, dim] {
    const auto matrix = [dim](const Weights& w) { return w ? *w : TokenMatrix(TokenMatrix::Identity(dim, dim)); };
    return std::vector<EncodingTable>{
        {"p", table->all()}, {"W_q", matrix(query_weights)}, {"W_k", matrix(key_weights)}};
  };
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// RoFormer eq. 10. The table has 2R rows, for distances −R … R − 1, as released; W_q and W_k are drawn as if those of
/// the content, and counted as the released model trains them, of p̃ alone (2Rd + 2d²). Without the absolute positions
/// of DeBERTa's last layers.
extern constinit const Encoding kDebertaEncoding{.name = "deberta",
                                                 .slot = 13,
                                                 .formula = "q·k + q·W_k p_(m−n) + W_q p_(n−m)·k",
                                                 .explained = true,
                                                 .source = "He et al. 2021, arXiv 2006.03654, eq. 2–4",
                                                 .scale = "1/√(3d)",
                                                 .relative = true,
                                                 .learned = true,
                                                 .values_by = ValuesBy::distance,
                                                 .value_parts = kDebertaParts,
                                                 .settings = kDebertaSettings,
                                                 .parameters = deberta_parameters,
                                                 .make = make_deberta};

}  // namespace ropescope
