// What the controls of fields share: labels, typing, lists that drop down. The controls themselves are declared in
// widgets.h, with all other widgets. Read style.h before.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/ui/drawing/style.h"

namespace ropescope::ui {

// What the controls share. Not for others, but for when they change by themselves.

// Measures at 100 %.
inline constexpr double kLabelRow = 20, kBoxTop = 22, kBoxHeight = 32, kBoxControl = 62;

/// When any widget is to look different without input, as what was refused does; none where nothing is waited for.
std::optional<double> next_change(const WidgetState& state, double now);

/// A text with A to Z in lower case and all other letters as they are: what somebody types is looked for so.
std::string lower_ascii(std::string text);

}  // namespace ropescope::ui
