// The search for causes: every cause is asked what it could be, the proposals are compared with the evidence, alone and
// in pairs, within a bounded effort. Read causes/cause.h first; the report says what is found here.
#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// One cause of an explanation.
struct FoundCause {
  const Cause* cause = nullptr;
  Proposal proposal;              ///< with the other causes applied as well
  std::vector<std::string> also;  ///< names of causes that give the same tensor
  CheckModel alone;               ///< the reference with this cause alone
  CheckModel without;             ///< the reference with all the others
};

/// Causes that together give what was read.
struct Explanation {
  std::vector<FoundCause> causes;  ///< empty: nothing explains it
  CheckModel model;
  Words searched;  ///< where the effort ran out before all was searched: what was
  Words read;      ///< where nothing explains it: what rows or pairs show of their positions or frequencies
};

/// Searches single causes, then pairs of them, and names beside them the format of the numbers where the file has a
/// wider one. `wrong`: the inputs that disagree with the reference although they are judged by the format that their
/// numbers tell, 0 where that explains it all; an explanation that keeps the others as they are is preferred. The
/// search ends where the effort of the evidence is spent.
Explanation explain(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                    const CheckOptions& options);

}  // namespace ropescope
