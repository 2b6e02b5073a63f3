#include "core/check/causes/cause.h"
#include "core/check/search/ropes.h"

namespace ropescope {

namespace {

void propose_scaling_missing(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope || situation.model.rope->extension.method == "none") return;
  RotarySpec plain = *situation.model.rope;
  const std::string method = plain.extension.method;
  plain.extension = Extension{};
  add_ropes(situation, plain, situation.model.length, proposals, [&](Proposal& found) {
    const auto factor = situation.model.rope->extension.numbers.find("factor");
    // LongRoPE's lists extend with a factor of 1 as well.
    const bool told = factor != situation.model.rope->extension.numbers.end() && factor->second != 1;
    if (told) found.parameters = {{"factor", 1.0}};
    found.evidence = Words("check.scaling-missing.evidence", {{"method", method}});
    found.advice = Words("check.scaling-missing.advice", {{"method", method}});
  });
}

}  // namespace

/// Plain frequencies where the config asks for an extension.
constinit const Cause kScalingMissing{.name = "scaling-missing",
                                      .group = CauseGroup::frequencies,
                                      .seen_in = "unslothai/unsloth#6197",
                                      .propose = propose_scaling_missing};

}  // namespace ropescope
