#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

void propose_frequency_format(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && situation.evidence.frequencies.empty()) return;
  for (const bool angles : {false, true}) {
    for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16}) {
      Proposal found = situation.proposal();
      found.model.frequency_format = format;
      if (angles) found.model.angle_format = format;
      const std::string name(format_name(format));
      found.parameters = {{"format", as_it_is(name)}};
      found.evidence = Words(angles ? "check.frequency-format.evidence_angles" : "check.frequency-format.evidence",
                             {{"format", name}});
      found.advice = Words("check.frequency-format.advice");
      proposals.push_back(std::move(found));
    }
  }
}

}  // namespace

/// Frequencies rounded before the product: the error grows with the position.
constinit const Cause kFrequencyFormat{.name = "frequency-format",
                                       .group = CauseGroup::values,
                                       .seen_in = "sgl-project/sglang-jax#1472, huggingface/transformers#29285",
                                       .propose = propose_frequency_format};

namespace {

void propose_angles(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16}) {
    Proposal found = situation.proposal();
    found.model.angle_format = format;
    const std::string name(format_name(format));
    found.parameters = {{"format", as_it_is(name)}};
    found.evidence = Words("check.angle-format.evidence", {{"format", name}});
    found.advice = Words("check.angle-format.advice");
    proposals.push_back(std::move(found));
  }
}

}  // namespace

/// Angles rounded after the product of whole ids and float32 frequencies: the error is a part of the angle.
constinit const Cause kAngleFormat{
    .name = "angle-format", .group = CauseGroup::values, .seen_in = "", .propose = propose_angles};

}  // namespace ropescope
