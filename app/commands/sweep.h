// `sweep`.
#pragma once

#include <string>
#include <string_view>

#include "app/experiment/sweeps.h"

namespace ropescope {

/// "rope.base=100..1e6", with ":log" or ":linear" after it (default: as the knob's slider runs). The key may be short,
/// as in --set; `looks_at` as there. Throws InputError: not of that form, no such knob or none that is a number, an end
/// that the knob cannot take, both ends alike, a logarithm that would begin at 0.
Sweep parse_sweep(const std::string& text, const Experiment& experiment, std::string_view looks_at);

}  // namespace ropescope
