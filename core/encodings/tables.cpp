// Encodings by tables of vectors, absolute and relative, one block each. Read parts.h first.
//
// Contents: Sinusoidal; Learned; Shaw; DeBERTa; Transformer-XL; TUPE.

#include <algorithm>

#include "core/encodings/biases.h"
#include "core/encodings/parts.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Sinusoidal ----------------------------------------------------------------------------------------------------

using namespace encoding_settings;

namespace {

constexpr EncodingField kSinusoidalFields[] = {kMatrixDim, kBase, kSeededProjections, kSeed};
constexpr std::string_view kSinusoidalParts[] = {"p"};

std::shared_ptr<const EncodingModel> make_sinusoidal(const Encoding& encoding, const EncodingValues& settings) {
  const Sinusoids sinusoids{plain_frequencies(settings.dim, settings.base), SinusoidPart::sine_cosine};
  ScorePlan plan;
  plan.scale = scale_of(settings);
  add_absolute_terms(plan, settings, [sinusoids](const Place& place, std::span<double> out) {
    sinusoid_row(sinusoids, place.position, out);
  });
  plan.values.push_back(
      {"p", column_names(sinusoids),
       [sinusoids](std::int64_t position, std::span<double> out) { sinusoid_row(sinusoids, position, out); },
       sinusoids});
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

// --- Learned -------------------------------------------------------------------------------------------------------

// Tables with a vector per position: used directly, or decomposed so that a table of n rows covers n² positions.

constexpr EncodingField kLearnedFields[] = {kMatrixDim, kTrainedLength, kSeed, kSeededProjections};
constexpr std::string_view kLearnedParts[] = {"p"};

std::int64_t learned_parameters(const EncodingValues& settings) {
  return std::int64_t{settings.trained_length} * settings.dim;
}

std::int64_t rows_of_learned(const EncodingValues& settings) {
  return settings.trained_length;
}

/// Builds the model. `row` writes the vector of a position below encoding.positions().
std::shared_ptr<const EncodingModel> table_model(const Encoding& encoding, const EncodingValues& settings,
                                                 const std::shared_ptr<const SmoothTable>& table,
                                                 const std::function<void(std::int64_t, std::span<double>)>& row) {
  ScorePlan plan;
  plan.scale = scale_of(settings);
  add_absolute_terms(plan, settings, [row](const Place& place, std::span<double> out) { row(place.position, out); });
  plan.values.push_back({"p", numbered("channel", settings.dim), row, {}});
  plan.tables = [table] { return std::vector<EncodingTable>{{"p", table->all()}}; };
  plan.check_position = table_check(encoding.name, encoding.positions(settings));
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
}

std::shared_ptr<const SmoothTable> table_of_learned(const EncodingValues& settings) {
  return std::make_shared<SmoothTable>(settings.trained_length, settings.dim, kVectorLevel, settings.seed, 0);
}

std::shared_ptr<const EncodingModel> make_learned(const Encoding& encoding, const EncodingValues& settings) {
  const auto table = table_of_learned(settings);
  return table_model(encoding, settings, table,
                     [table](std::int64_t position, std::span<double> out) { table->row(position, out); });
}

Message describe_alpha_error(const Encoding&, const EncodingValues& settings);

// clang-format off
constexpr EncodingField kAlpha{{.key = "encoding.coarse", .minimum = 0.05, .maximum = 0.95, .initial = 0.4,
     .linear = true, .symbol = "A", .order = 4}, {}, describe_alpha_error};
constexpr EncodingField kHierarchicalFields[] = {kMatrixDim, kTrainedLength, kAlpha, kSeed, kSeededProjections};
// clang-format on

/// Returns the error in α. At α = ½ positions i·n + j and j·n + i would have equal vectors.
Message describe_alpha_error(const Encoding&, const EncodingValues& settings) {
  const double alpha = value_of(settings, kAlpha);
  if (!is_valid(kAlpha, alpha)) return describe_valid_values(kAlpha);
  return alpha == 0.5 ? Message("encodings.alpha_half") : Message();
}

/// Uses p_{i·n + j} = α u_i + (1 − α) u_j with u_i = (p_i − α p_0)/(1 − α): the table's own rows if i = 0.
std::shared_ptr<const EncodingModel> make_hierarchical(const Encoding& encoding, const EncodingValues& settings) {
  const auto table = table_of_learned(settings);
  const double alpha = value_of(settings, kAlpha);
  const std::int64_t n = settings.trained_length;
  return table_model(encoding, settings, table, [table, alpha, n](std::int64_t position, std::span<double> out) {
    if (position < n || position >= n * n) {
      table->row(position < n ? position : -1, out);  // undefined before 0 and past the last one
      return;
    }
    std::vector<double> first(out.size()), coarse(out.size());
    table->row(0, first);
    table->row(position / n, coarse);
    table->row(position % n, out);
    for (std::size_t c = 0; c < out.size(); ++c) {
      const double u_i = (coarse[c] - alpha * first[c]) / (1 - alpha), u_j = (out[c] - alpha * first[c]) / (1 - alpha);
      out[c] = alpha * u_i + (1 - alpha) * u_j;
    }
  });
}

std::int64_t square_of_rows(const EncodingValues& settings) {
  return std::int64_t{settings.trained_length} * settings.trained_length;
}

// --- Shaw ----------------------------------------------------------------------------------------------------------

constexpr EncodingField kShawFields[] = {kDim, kClip, kSeed};
constexpr std::string_view kShawParts[] = {"key", "value"};

std::int64_t shaw_parameters(const EncodingValues& settings) {
  return 2 * (2 * std::int64_t{settings.clip} + 1) * settings.dim;
}

DistanceRows rows_of_shaw(const std::shared_ptr<const SmoothTable>& table, std::int64_t clip) {
  return {-clip, clip, table->width(), [table, clip](std::int64_t distance, std::span<double> out) {
            table->row(std::clamp(distance, -clip, clip) + clip, out);
          }};
}

std::shared_ptr<const EncodingModel> make_shaw(const Encoding& encoding, const EncodingValues& settings) {
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

// --- DeBERTa -------------------------------------------------------------------------------------------------------

constexpr EncodingField kDebertaFields[] = {kMatrixDim, kClip, kSeed, kSeededProjections};
constexpr std::string_view kDebertaParts[] = {"p"};

/// Counts one head: p̃ and the two matrices applied to p̃. The layers share p̃; each layer has its own matrices.
std::int64_t deberta_parameters(const EncodingValues& settings) {
  return 2 * std::int64_t{settings.dim} * (settings.clip + settings.dim);
}

std::shared_ptr<const EncodingModel> make_deberta(const Encoding& encoding, const EncodingValues& settings) {
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

// --- Transformer-XL ------------------------------------------------------------------------------------------------

constexpr EncodingField kTransformerXlFields[] = {kMatrixDim, kBase, kSeed};
constexpr std::string_view kTransformerXlParts[] = {"p"};

std::int64_t transformer_xl_parameters(const EncodingValues& settings) {
  return std::int64_t{settings.dim} * settings.dim + 2 * std::int64_t{settings.dim};
}

TokenMatrix row_of(const Eigen::VectorXd& vector) {
  return vector.transpose();
}

std::shared_ptr<const EncodingModel> make_transformer_xl(const Encoding& encoding, const EncodingValues& settings) {
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

// --- TUPE ----------------------------------------------------------------------------------------------------------

constexpr EncodingField kTupeFields[] = {kMatrixDim, kTrainedLength, kBuckets, kMaxDistance, kBidirectional, kSeed};
constexpr std::string_view kTupeParts[] = {"p"};

std::int64_t tupe_parameters(const EncodingValues& settings) {
  const std::int64_t dim = settings.dim;
  return settings.trained_length * dim + 2 * dim * dim + settings.buckets;
}

std::shared_ptr<const EncodingModel> make_tupe(const Encoding& encoding, const EncodingValues& settings) {
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

// clang-format off
/// Sinusoidal: x → x + p, p_{m,2t} = sin(m/b^(2t/d)), p_{m,2t+1} = cos(m/b^(2t/d)); RoFormer eq. 3–4.
extern constinit const Encoding kSinusoidalEncoding{.name = "sinusoidal", .slot = 9,
    .formula = "(q + W_q p_m)·(k + W_k p_n), p_(m,2t) = sin(m/b^(2t/d)), p_(m,2t+1) = cos(m/b^(2t/d))",
    .source = "Vaswani et al. 2017, arXiv 1706.03762, section 3.5", .linear_attention = true,
    .training = Training::vectors, .values_by = ValuesBy::position, .value_parts = kSinusoidalParts,
    .settings = kSinusoidalFields, .make = make_sinusoidal};

/// Learned: x → x + p, where p is one of L learned rows; undefined past them.
extern constinit const Encoding kLearnedEncoding{.name = "learned", .slot = 1, .formula = "(q + W_q p_m)·(k + W_k p_n)",
    .explained = true, .source = "BERT, arXiv 1810.04805; Gehring et al. 2017, arXiv 1705.03122", .learned = true,
    .positions = rows_of_learned, .linear_attention = true, .training = Training::trained_vectors,
    .values_by = ValuesBy::position, .value_parts = kLearnedParts, .settings = kLearnedFields,
    .parameters = learned_parameters, .make = make_learned};

/// Hierarchical: the learned table of n rows, decomposed so that it covers n² positions with shared rows.
extern constinit const Encoding kHierarchicalEncoding{.name = "hierarchical", .slot = 11,
    .formula = "(q + W_q p_m)·(k + W_k p_n), p_{in+j} = α u_i + (1−α) u_j", .explained = true,
    .source = "Su 2020, spaces.ac.cn/archives/7947", .learned = true, .positions = square_of_rows,
    .linear_attention = true, .untrained = "hierarchical", .values_by = ValuesBy::position,
    .value_parts = kLearnedParts, .settings = kHierarchicalFields, .parameters = learned_parameters,
    .make = make_hierarchical};

/// Shaw: keys and values get a learned vector for the clipped distance r = clip(m − n, −R, R).
extern constinit const Encoding kShawEncoding{.name = "shaw", .slot = 8,
    .formula = "q·(k + a_r), r = clip(m − n, −R, R)", .explained = true,
    .source = "Shaw, Uszkoreit and Vaswani 2018, arXiv 1803.02155, eq. 3–5", .relative = true, .learned = true,
    .values_by = ValuesBy::distance, .value_parts = kShawParts, .settings = kShawFields, .parameters = shaw_parameters,
    .make = make_shaw};

/// DeBERTa (RoFormer eq. 10). The table has 2R rows, for distances −R … R − 1, as in the released code. W_q and W_k are
/// sampled like those of the content, but counted as in the released model, for p̃ alone (2Rd + 2d²). The absolute
/// positions of DeBERTa's last layers are omitted.
extern constinit const Encoding kDebertaEncoding{.name = "deberta", .slot = 13,
    .formula = "q·k + q·W_k p_(m−n) + W_q p_(n−m)·k", .explained = true,
    .source = "He et al. 2021, arXiv 2006.03654, eq. 2–4", .scale = "1/√(3d)", .relative = true, .learned = true,
    .values_by = ValuesBy::distance, .value_parts = kDebertaParts, .settings = kDebertaFields,
    .parameters = deberta_parameters, .make = make_deberta};

/// Transformer-XL (RoFormer eq. 6–7): p̃ is sinusoidal in the distance; u and v replace the query's own position.
extern constinit const Encoding kTransformerXlEncoding{.name = "transformer-xl", .slot = 14,
    .formula = "q·k + q·W p_(m−n) + u·k + v·W p_(m−n)", .explained = true,
    .source = "Dai et al. 2019, arXiv 1901.02860, section 3.3", .relative = true, .learned = true,
    .values_by = ValuesBy::distance, .value_parts = kTransformerXlParts, .settings = kTransformerXlFields,
    .parameters = transformer_xl_parameters, .make = make_transformer_xl};

/// TUPE (RoFormer eq. 9): positions interact through separate weights; b by T5's buckets (TUPE-R). The paper's special
/// treatment of [CLS] is omitted.
extern constinit const Encoding kTupeEncoding{.name = "tupe", .slot = 6,
    .formula = "q·k + (U_q p_m)·(U_k p_n) + b[bucket(n − m)]",
    .source = "Ke, He and Liu 2021, arXiv 2006.15595, section 3.1", .scale = "1/√(2d)", .biased = true, .learned = true,
    .positions = [](const EncodingValues& settings) {return std::int64_t{settings.trained_length};},
    .values_by = ValuesBy::position, .value_parts = kTupeParts, .settings = kTupeFields, .parameters = tupe_parameters,
    .make = make_tupe};
// clang-format on

}  // namespace ropescope
