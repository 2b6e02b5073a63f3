#pragma once

#include "core/words.h"

namespace ropescope {

/// Why the system refused something, for the place {why} of a sentence. `error`: a value of errno, or that of a
/// std::error_code of its category. Those nobody expects are said as a number.
Words reason(int error);

}  // namespace ropescope
