#include "core/encodings/parts.h"

namespace ropescope {

using namespace encoding_settings;

namespace {

constexpr EncodingSetting kSettings[] = {kMatrixDim, kTrainedLength, kSeed, kSeededProjections};
constexpr std::string_view kParts[] = {"p"};

std::int64_t parameters(const EncodingSettings& settings) {
  return std::int64_t{settings.trained_length} * settings.dim;
}

std::shared_ptr<const EncodingModel> make(const Encoding& encoding, const EncodingSettings& settings) {
  const auto table =
      std::make_shared<SmoothTable>(settings.trained_length, settings.dim, kVectorLevel, settings.seed, 0);
  ScorePlan plan;
  plan.scale = scale_of(settings);
  add_absolute_terms(plan, settings,
                     [table](const Place& place, std::span<double> out) { table->row(place.position, out); });
  plan.values.push_back({"p",
                         numbered("channel", settings.dim),
                         [table](std::int64_t position, std::span<double> out) { table->row(position, out); },
                         {}});
  plan.tables = [table] { return std::vector<EncodingTable>{{"p", table->all()}}; };
  plan.check_position = table_check(encoding.name, settings.trained_length);
  return std::make_shared<EncodingModel>(encoding, settings, std::move(plan));
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
    .past_trained_length = false,
    .linear_attention = true,
    .values_by = ValuesBy::position,
    .value_parts = kParts,
    .settings = kSettings,
    .parameters = parameters,
    .make = make};

}  // namespace ropescope
