#include "core/check/cause.h"

namespace ropescope {

namespace {

void add(const Situation& situation, ShortFormat format, bool frequencies, bool angles,
         std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model.id_format = format;
  if (frequencies) found.model.frequency_format = format;
  if (angles) found.model.angle_format = format;
  const std::string name(format_name(format));
  found.parameters = {{"format", name}};
  found.evidence = "The ids" + std::string(frequencies ? ", the frequencies" : "") + (angles ? " and the angles" : "") +
                   " were rounded to " + name + ": tokens repeat in steps" +
                   (format == ShortFormat::bfloat16 ? " from id 256 on." : " from id 2048 on.");
  found.advice = "Keep ids as integers or float32, and multiply them by float32 frequencies.";
  proposals.push_back(std::move(found));
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16})
    add(situation, format, false, false, proposals);
  if (!situation.evidence.has_rotation()) return;
  for (const bool angles : {false, true}) {
    for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16}) {
      add(situation, format, true, angles, proposals);
    }
  }
}

}  // namespace

/// Ids rounded by a short format: repeats and steps.
constinit const Cause kPositionFormat{.name = "position-format",
                                      .group = CauseGroup::values,
                                      .seen_in = "huggingface/candle#3520, NVIDIA/Megatron-LM#535",
                                      .propose = propose};

}  // namespace ropescope
