#pragma once

#include "core/check/cause.h"

namespace ropescope {

/// One cause of an explanation.
struct FoundCause {
  const Cause* cause = nullptr;
  Proposal proposal;              ///< with the other cause applied as well
  std::vector<std::string> also;  ///< names of causes that give the same tensor
  CheckModel alone;               ///< the reference with this cause alone
  CheckModel without;             ///< the reference with all the others
};

/// Causes that together give what was read.
struct Explanation {
  std::vector<FoundCause> causes;  ///< empty: nothing explains it
  CheckModel model;
};

/// Searches single causes, then pairs of two groups. `wrong`: the inputs that disagree with the reference; an
/// explanation that keeps the others as they are is preferred.
Explanation explain(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                    const CheckOptions& options);

}  // namespace ropescope
