// The parts that agree in an unexplained difference, for the report (report.h) if no cause reproduces the numbers.
#pragma once

#include "core/check/evidence/evidence.h"
#include "core/check/types.h"
#include "core/message.h"

namespace ropescope {

/// Describes which heads, channels (of tables: pairs) and rows agree, if only some do: one sentence each.
Message::List agreeing_parts(const CheckModel& model, const Evidence& evidence);
/// Describes in one sentence which axes agree in all rows, and from, up to or at which ids the others do not. Empty if
/// several axes rotate one pair. Very many rows are sampled.
Message agreeing_axes(const CheckModel& model, const Evidence& evidence);

}  // namespace ropescope
