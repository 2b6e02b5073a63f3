// The search for causes: collects proposals from every cause and tests them against the evidence, singly and in pairs,
// within a bounded budget. Read causes/cause.h first; the results go to report.
#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// A cause in an explanation.
struct FoundCause {
  const Cause* cause = nullptr;
  Proposal proposal;              ///< with the other causes applied as well
  std::vector<std::string> also;  ///< names of causes that give the same tensor
  CheckModel alone;               ///< the reference with only this cause
  CheckModel without;             ///< the reference with all other causes
};

/// Causes that together reproduce the inputs.
struct Explanation {
  std::vector<FoundCause> causes;  ///< empty: nothing explains the inputs
  CheckModel model;
  Message searched;  ///< what was searched, if the budget did not suffice for everything
  Message read;      ///< if nothing explains the inputs: the positions or frequencies they show
};

/// Searches for single causes, then for pairs, and adds the format of the numbers if the file has a wider one. `wrong`:
/// the inputs that disagree with the reference even in their detected format, 0 if the format explains everything.
/// Explanations that also reproduce the other inputs are preferred. The search ends when the budget of the evidence is
/// spent.
Explanation explain(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                    const CheckOptions& options);

}  // namespace ropescope
