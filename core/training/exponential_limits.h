#pragma once

namespace ropescope {

/// Between which numbers elementwise.cpp computes eˣ in float32. They stand in a file of their own because the compiler
/// must not know them: it would make three loops with masks of the one (what is below, between and above), at twice the
/// time.
struct ExponentialLimits {
  float least, most;
};
extern const ExponentialLimits kExponentialLimits;

}  // namespace ropescope
