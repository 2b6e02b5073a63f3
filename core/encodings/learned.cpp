#include "core/encodings/parts.h"

// Tables of a vector for each position: as they are, and taken apart so that a table of n rows reaches n² positions.

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kLearnedSettings[] = {kMatrixDim, kTrainedLength, kSeed, kSeededProjections};
constexpr std::string_view kLearnedParts[] = {"p"};

std::int64_t learned_parameters(const EncodingSettings& settings) {
  return std::int64_t{settings.trained_length} * settings.dim;
}

std::int64_t rows_of_learned(const EncodingSettings& settings) {
  return settings.trained_length;
}

/// `row` writes the vector of a position, of which there are encoding.positions().
std::shared_ptr<const EncodingModel> table_model(const Encoding& encoding, const EncodingSettings& settings,
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

std::shared_ptr<const SmoothTable> table_of_learned(const EncodingSettings& settings) {
  return std::make_shared<SmoothTable>(settings.trained_length, settings.dim, kVectorLevel, settings.seed, 0);
}

std::shared_ptr<const EncodingModel> make_learned(const Encoding& encoding, const EncodingSettings& settings) {
  const auto table = table_of_learned(settings);
  return table_model(encoding, settings, table,
                     [table](std::int64_t position, std::span<double> out) { table->row(position, out); });
}

Words fault_of_alpha(const Encoding&, const EncodingSettings& settings);

constexpr EncodingSetting kAlpha{
    {.key = "encoding.coarse", .minimum = 0.05, .maximum = 0.95, .initial = 0.4, .linear = true, .symbol = "A"},
    {},
    fault_of_alpha};
constexpr EncodingSetting kHierarchicalSettings[] = {kMatrixDim, kTrainedLength, kAlpha, kSeed, kSeededProjections};

/// At ½ the places i·n + j and j·n + i have one and the same vector.
Words fault_of_alpha(const Encoding&, const EncodingSettings& settings) {
  const double alpha = value_of(settings, kAlpha);
  if (!is_valid(kAlpha, alpha)) return expected_of(kAlpha);
  return alpha == 0.5 ? Words("encodings.alpha_half") : Words();
}

/// p_{i·n + j} = α u_i + (1 − α) u_j with u_i = (p_i − α p_0)/(1 − α): the table's own rows where i = 0.
std::shared_ptr<const EncodingModel> make_hierarchical(const Encoding& encoding, const EncodingSettings& settings) {
  const auto table = table_of_learned(settings);
  const double alpha = value_of(settings, kAlpha);
  const std::int64_t n = settings.trained_length;
  return table_model(encoding, settings, table, [table, alpha, n](std::int64_t position, std::span<double> out) {
    if (position < n || position >= n * n) {
      table->row(position < n ? position : -1, out);  // before 0 and past the last one there is none
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

std::int64_t square_of_rows(const EncodingSettings& settings) {
  return std::int64_t{settings.trained_length} * settings.trained_length;
}

}  // namespace

/// x → x + p, p one of L learned rows: undefined past them.
extern constinit const Encoding kLearnedEncoding{
    .name = "learned",
    .slot = 1,
    .formula = "(q + W_q p_m)·(k + W_k p_n)",
    .explained = true,
    .source = "BERT, arXiv 1810.04805; Gehring et al. 2017, arXiv 1705.03122",
    .scale = "1/√d",
    .learned = true,
    .positions = rows_of_learned,
    .linear_attention = true,
    .values_by = ValuesBy::position,
    .value_parts = kLearnedParts,
    .settings = kLearnedSettings,
    .parameters = learned_parameters,
    .make = make_learned};

/// The same table of n rows, taken apart so that it reaches n² positions: coarse and fine share it.
extern constinit const Encoding kHierarchicalEncoding{
    .name = "hierarchical",
    .slot = 11,
    .formula = "(q + W_q p_m)·(k + W_k p_n), p_{in+j} = α u_i + (1−α) u_j",
    .explained = true,
    .source = "Su 2020, spaces.ac.cn/archives/7947",
    .scale = "1/√d",
    .learned = true,
    .positions = square_of_rows,
    .linear_attention = true,
    .values_by = ValuesBy::position,
    .value_parts = kLearnedParts,
    .settings = kHierarchicalSettings,
    .parameters = learned_parameters,
    .make = make_hierarchical};

}  // namespace ropescope
