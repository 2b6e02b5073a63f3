#pragma once

#include "app/views/view.h"

namespace ropescope {

/// What somebody's program computed against a model's own definition: does it agree, and if not, which known mistake
/// explains the difference? A click picks a token and a pair; the button of a card gives the reference a cause, or
/// takes it back; while R is held, mine and the reference change places (of the difference mine is shown, with Shift
/// the reference).
extern const View kCheckView;

}  // namespace ropescope
