// How a field that moves is written on the command line, for `animate` of render.cpp. Read app/experiment/sweeps.h
// before.
#pragma once

#include <string>
#include <string_view>

#include "app/experiment/sweeps.h"

namespace ropescope {

/// Reads how a field moves: "rope.base=100..1e6", with ":log" or ":linear" after it (default: as the field's slider
/// runs). The key may be short, as in --set; `looks_at` as there. Throws InputError: not of that form, no such field or
/// none that is a number, an end that the field cannot take, both ends alike, a logarithm that would begin at 0.
Sweep parse_sweep(const std::string& text, const Experiment& experiment, std::string_view looks_at);

}  // namespace ropescope
