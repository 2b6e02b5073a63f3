#pragma once

#include "core/check/reading/evidence.h"

namespace ropescope {

/// Every row of the tensors that a model does not give, in order; empty where it has other rows or pairs than they, or
/// it was stopped.
std::vector<std::int64_t> all_wrong_rows(const CheckModel& model, const Evidence& evidence);

/// Whether a model gives what was read, those rows too that the reference has not: they are not among those that are
/// looked at.
bool reproduces_all(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Looks at some of the rows that a model does not give as well, where the rows that were spread over the tensors hold
/// few of them: what is wrong in few rows of many would be seen by nobody.
void look_at_wrong_rows(const CheckModel& model, Evidence& evidence);

}  // namespace ropescope
