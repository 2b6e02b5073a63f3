// The option syntax for a field that varies, for `animate` of render.cpp. Read app/experiment/sweeps.h first.
#pragma once

#include <string>
#include <string_view>

#include "app/experiment/sweeps.h"

namespace ropescope {

/// Parses the path of a field: "rope.base=100..1e6", optionally with ":log" or ":linear" (default: the scale of the
/// field's slider). The key may be short, as in --set; `looks_at` is as for set_field(). Throws InputError for wrong
/// syntax, a missing or non-numeric field, an invalid end, equal ends, or a logarithm from 0.
Sweep parse_sweep(const std::string& text, const Experiment& experiment, std::string_view looks_at);

}  // namespace ropescope
