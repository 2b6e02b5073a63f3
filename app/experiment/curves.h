#pragma once

#include <optional>

#include "app/experiment/experiment.h"

namespace ropescope {

/// Whether curves are shown as differences or ratios.
bool relates(const Experiment& experiment);
/// Which pin they are relative to; none: the current rope. Precondition: check_curves() does not throw.
std::optional<std::size_t> reference_pin(const Experiment& experiment);
/// Throws InputError where there is nothing to compare, or no such pin.
void check_curves(const Experiment& experiment);
/// After pins came or went: back to what check_curves() takes.
void settle_curves(Experiment& experiment);

}  // namespace ropescope
