#pragma once

#include "app/views/view.h"

namespace ropescope {

/// One of three pictures: the largest context over the base of the plain ladder, with the bases
/// that allow the context looked at and real models as points; what each pair does over that context (turns, variance
/// of cos and sin); the similarity of all pairs against that of the pairs which finish a turn in it.
extern const View kLimitsView;

}  // namespace ropescope
