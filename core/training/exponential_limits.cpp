#include "core/training/exponential_limits.h"

namespace ropescope {

constinit const ExponentialLimits kExponentialLimits = {-87, 88};

}  // namespace ropescope
