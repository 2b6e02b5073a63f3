#include <cmath>

#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

void add_position_format(const Situation& situation, ShortFormat format, bool frequencies, bool angles,
                         std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model.id_format = format;
  if (frequencies) found.model.frequency_format = format;
  if (angles) found.model.angle_format = format;
  const std::string name(format_name(format));
  found.parameters = {{"format", as_it_is(name)}};
  const char* key = angles        ? "check.position-format.evidence_angles"
                    : frequencies ? "check.position-format.evidence_frequencies"
                                  : "check.position-format.evidence";
  found.evidence = Words(key, {{"format", name}, {"from", format == ShortFormat::bfloat16 ? 256 : 2048}});
  found.advice = Words("check.position-format.advice");
  proposals.push_back(std::move(found));
}

/// Whether a format has numbers as large as the ids: beyond 65 504 float16 has infinity only, and no tables come of it.
bool reaches_ids(const Situation& situation, ShortFormat format) {
  const RowEvaluator evaluator(situation.model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  for (const std::int64_t row : situation.evidence.rows) {
    evaluator.ids(row, ids.data());
    for (const double id : ids) {
      if (!std::isfinite(rounded_to(format, id))) return false;
    }
  }
  return true;
}

void propose_position_format(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  std::vector<ShortFormat> formats = {ShortFormat::bfloat16, ShortFormat::float16};
  std::erase_if(formats, [&](ShortFormat format) { return !reaches_ids(situation, format); });
  for (const ShortFormat format : formats) add_position_format(situation, format, false, false, proposals);
  if (!situation.evidence.has_rotation()) return;
  for (const bool angles : {false, true}) {
    for (const ShortFormat format : formats) add_position_format(situation, format, true, angles, proposals);
  }
}

}  // namespace

/// Ids rounded by a short format: repeats and steps.
constinit const Cause kPositionFormat{.name = "position-format",
                                      .group = CauseGroup::values,
                                      .seen_in = "huggingface/candle#3520, NVIDIA/Megatron-LM#535",
                                      .propose = propose_position_format};

}  // namespace ropescope
