#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// Which two causes are looked for at once.
using Together = bool (*)(const Cause&, const Cause&);
/// Two of two groups, or a format beside another cause of the values.
bool go_together(const Cause& a, const Cause& b);
/// An exchange, a factor and a shift: two of them, both of ids. Only where no two of different groups explain anything.
bool go_together_in_ids(const Cause& a, const Cause& b);

/// What a cause of the values changed, on a model without it.
void take_values(const Cause& cause, const CheckModel& found, CheckModel& only);
/// Moves the ids of a model as those of another were moved, by a factor and by shifts.
void move_alike(const CheckModel& before, const CheckModel& after, CheckModel& model);

}  // namespace ropescope
