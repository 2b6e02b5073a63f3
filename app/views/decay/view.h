#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Similarity K(Δ) (core/decay/kernel.h) with its trend (core/decay/trend.h) and its envelope, and the Abel bound B(Δ)
/// in a panel of its own over the same distances: one curve per rope, current and pinned; rules at trained lengths and
/// marked wavelengths.
///
/// The picture "phasors" lays the unit arrows of the pairs at one distance head to tail (core/decay/phasors.h), and
/// shows Abel's chain of inequalities for the content as bars. The player moves the distance onwards by `decay.speed`
/// per second and stops at the largest one; play then begins again at 0. A step goes to the next whole distance.
extern const View kDecayView;

}  // namespace ropescope
