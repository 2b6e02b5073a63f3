#pragma once

#include <string>

#include "app/views/view.h"

namespace ropescope {

/// More marked wavelengths than this make a plot unreadable.
inline constexpr std::size_t kMaximumMarkedPairs = 64;

/// "Llama 3.1 8B · base 500 000": how a rope is called in chips and legends. with_dimension adds "d 128", which is
/// wanted where ropes of different dimension stand side by side.
std::string rope_label(const RopeKnobs& rope, const Text& text, bool with_dimension);

/// True where ropes of different dimension stand side by side.
bool labels_need_dimension(const Experiment& experiment);

/// The knobs of the view, and those of the rope that it looks at.
void describe_decay(Fields& fields, Experiment& experiment);

/// Similarity K(Δ) with its envelope, and the Abel bound B(Δ) in a panel of its own over the same distances
/// (theory.md section 2): one curve per rope, current and pinned; rules at trained lengths and marked wavelengths.
ViewResult decay_figures(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
