// Scaling that vectors underwent in addition to the rotation, and the parts that agree in an unexplained difference.
// Used if no cause of the search reproduces the numbers; the report (report.h) prints the results.
#pragma once

#include <optional>

#include "core/check/evidence/evidence.h"
#include "core/check/types.h"
#include "core/message.h"

namespace ropescope {

/// Returns the scaling that, in addition to a rotation, maps `before` to `after`, if it reproduces all numbers: a norm,
/// a factor per token (by position or unexplained), or a factor per channel. nullopt if a single factor suffices (the
/// amplitude) or nothing fits. `model`: with the detected formats.
std::optional<CheckCause> find_vector_scale(const CheckModel& model, const Evidence& evidence);
/// Describes which heads, channels (of tables: pairs) and rows agree, if only some do: one sentence each.
Message::List agreeing_parts(const CheckModel& model, const Evidence& evidence);
/// Describes in one sentence which axes agree in all rows, and from, up to or at which ids the others do not. Empty if
/// several axes rotate one pair. Very many rows are sampled.
Message agreeing_axes(const CheckModel& model, const Evidence& evidence);

}  // namespace ropescope
