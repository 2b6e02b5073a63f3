#pragma once

#include <string>

#include "app/views/view.h"

namespace ropescope {

/// More marked wavelengths than this make a plot unreadable.
inline constexpr std::size_t kMaximumMarkedPairs = 64;

/// The knobs of the view, and those of the rope that it looks at.
void describe_decay(Fields& fields, Experiment& experiment);

/// Similarity K(Δ) (core/decay/kernel.h) with its trend (core/decay/trend.h) and its envelope, and the Abel bound B(Δ)
/// in a panel of its own over the same distances: one curve per rope, current and pinned; rules at trained lengths and
/// marked wavelengths.
ViewResult decay_figures(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
