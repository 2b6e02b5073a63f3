// Shared parts of the controls of fields: labels, typing, drop-down lists. The controls themselves are declared in
// widgets.h, with all other widgets. Read style.h first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "app/ui/drawing/style.h"

namespace ropescope::ui {

// Internal to the controls, and to accessible.h, which describes them.

// Sizes at 100 %.
inline constexpr double kLabelRow = 20, kBoxTop = 22, kBoxHeight = 32, kBoxControl = 62;

/// Returns when a widget will look different without input, such as after a rejected value; nullopt if never.
std::optional<double> next_change(const WidgetState& state, double now);

/// Return the label of a field, its help (empty if it has none), and the labels of its options.
std::string label_of(const Ui& ui, std::string_view key);
std::string help_of(const Ui& ui, std::string_view key);
std::vector<std::string> option_labels(const Ui& ui, const Field& field);
/// Returns a number as displayed, with its unit.
std::string displayed_number(const Ui& ui, const NumberField& field, double value);
/// Returns the number at a share of the slider: round numbers, the ends exactly.
double dragged_value(const NumberField& field, double fraction, bool freely);

/// Returns a text with A to Z in lower case, other letters unchanged, for case-insensitive search.
std::string lower_ascii(std::string text);

}  // namespace ropescope::ui
