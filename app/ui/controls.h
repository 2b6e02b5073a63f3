// Shared parts of the controls of fields: labels, typing, drop-down lists. The controls themselves are declared in
// widgets.h, with all other widgets. Read style.h first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/ui/drawing/style.h"

namespace ropescope::ui {

// Internal to the controls, except next_change().

// Sizes at 100 %.
inline constexpr double kLabelRow = 20, kBoxTop = 22, kBoxHeight = 32, kBoxControl = 62;

/// Returns when a widget will look different without input, such as after a rejected value; nullopt if never.
std::optional<double> next_change(const WidgetState& state, double now);

/// Returns a text with A to Z in lower case, other letters unchanged, for case-insensitive search.
std::string lower_ascii(std::string text);

}  // namespace ropescope::ui
