#pragma once

namespace ropescope {

/// e^{iΔθ} as cosine and sine.
struct Phasor {
  double cosine, sine;
};

/// e^{iΔθ} correct to about one unit in the last place for any distance Δ: the part of Δ·θ that a double cannot hold is
/// put back by cos(a + ε) = cos a cos ε − sin a sin ε, for small ε cos a − ε sin a. Without it the angle alone would be
/// off by 6e-11 at a million radians.
Phasor phasor(double frequency, double distance);

}  // namespace ropescope
