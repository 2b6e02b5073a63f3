#include "core/check/cause.h"

namespace ropescope {

namespace {

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  Proposal found = situation.proposal();
  found.model.conjugate = !found.model.conjugate;
  found.evidence = "Every sine has the other sign: the rotation runs backwards.";
  found.advice = "Nothing, as long as q and k are turned the same way; scores are the same.";
  proposals.push_back(std::move(found));
}

}  // namespace

/// The conjugate table: harmless if q and k agree.
constinit const Cause kSign{.name = "sign",
                            .group = CauseGroup::values,
                            .seen_in = "karpathy/nanochat#489",
                            .harmless = true,
                            .propose = propose};

}  // namespace ropescope
