// What lies between vectors before and after beside a rotation, and which parts of what nothing explains agree: read
// where no cause of the search gives the numbers. The report (report.h) says it.
#pragma once

#include <optional>

#include "core/check/check.h"
#include "core/check/evidence/evidence.h"
#include "core/words.h"

namespace ropescope {

/// What besides a rotation turned `before` into `after`, where that gives all numbers: a norm, a factor of each token
/// that follows from its position or from nothing known, or of each channel. None where one factor for all would do
/// (the amplitude), or nothing does. `model`: with the formats that the numbers tell.
std::optional<CheckCause> scaled_between(const CheckModel& model, const Evidence& evidence);
/// Which heads, channels (of tables: pairs) and rows agree, where some do and some do not: one sentence for each.
Words::List agreeing_parts(const CheckModel& model, const Evidence& evidence);
/// Which axes agree in all rows, and from which id on, up to which, or at which the others do not: one sentence; empty
/// where several axes turn one pair. Of very many rows some are looked at.
Words agreeing_axes(const CheckModel& model, const Evidence& evidence);

}  // namespace ropescope
