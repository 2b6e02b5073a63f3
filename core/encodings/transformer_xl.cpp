#include <algorithm>

#include "core/encodings/parts.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kTransformerXlSettings[] = {kMatrixDim, kBase, kSeed};
constexpr std::string_view kTransformerXlParts[] = {"p"};

std::int64_t transformer_xl_parameters(const EncodingSettings& settings) {
  return std::int64_t{settings.dim} * settings.dim + 2 * std::int64_t{settings.dim};
}

TokenMatrix row_of(const Eigen::VectorXd& vector) {
  return vector.transpose();
}

std::shared_ptr<const EncodingModel> make_transformer_xl(const Encoding& encoding, const EncodingSettings& settings) {
  const int dim = settings.dim;
  const Sinusoids sinusoids{plain_frequencies(dim, settings.base), SinusoidPart::sine_cosine};
  const auto row = [sinusoids](std::int64_t distance, std::span<double> out) {
    sinusoid_row(sinusoids, distance, out);
  };
  const Weights weights = seeded_weights(dim, dim, settings.seed, 0);
  const Eigen::VectorXd u = seeded_vector(dim, kVectorLevel, settings.seed, 1);
  const Eigen::VectorXd v = seeded_vector(dim, kVectorLevel, settings.seed, 2);
  DistanceRows rows;
  rows.width = dim;
  rows.row = row;
  ScorePlan plan;
  plan.scale = scale_of(settings);
  plan.terms.push_back(content_content(dim));
  plan.terms.push_back(
      {"content-distance", ContentByDistance{.of_key = false, .rows = rows, .weights = weights}, true});
  plan.terms.push_back(product_term(
      "global-content",
      place_vector("u", dim, [u](const Place&, std::span<double> out) { std::copy(u.begin(), u.end(), out.begin()); }),
      content_vector(dim)));
  // v · W̃p̃ = (W̃ᵀv) · p̃.
  const auto global = [turned = transposed_product(weights, v), row](std::int64_t distance) {
    Eigen::VectorXd sines(turned.size());
    row(distance, {sines.data(), static_cast<std::size_t>(sines.size())});
    return turned.dot(sines);
  };
  plan.terms.push_back({"global-distance", Bias{global}, true});
  plan.values.push_back({"p", column_names(sinusoids), row, sinusoids});
  plan.tables = [weights, u, v] {
    return std::vector<EncodingTable>{{"W", *weights}, {"u", row_of(u)}, {"v", row_of(v)}};
  };
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

}  // namespace

/// RoFormer eq. 6–7: p̃ is sinusoidal and depends on the distance, u and v stand for the query's own position.
extern constinit const Encoding kTransformerXlEncoding{.name = "transformer-xl",
                                                       .slot = 14,
                                                       .formula = "q·k + q·W p_(m−n) + u·k + v·W p_(m−n)",
                                                       .explained = true,
                                                       .source = "Dai et al. 2019, arXiv 1901.02860, section 3.3",
                                                       .scale = "1/√d",
                                                       .relative = true,
                                                       .learned = true,
                                                       .values_by = ValuesBy::distance,
                                                       .value_parts = kTransformerXlParts,
                                                       .settings = kTransformerXlSettings,
                                                       .parameters = transformer_xl_parameters,
                                                       .make = make_transformer_xl};

}  // namespace ropescope
