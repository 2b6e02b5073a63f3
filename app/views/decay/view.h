#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Similarity K(Δ) (core/decay/kernel.h) with its trend (core/decay/trend.h) and its envelope, and the Abel bound B(Δ)
/// in a panel of its own over the same distances: one curve per rope, current and pinned; rules at trained lengths and
/// marked wavelengths.
extern const View kDecayView;

}  // namespace ropescope
