// NumPy code that computes the ids and tables of a rotary embedding or layout. check_fix.h uses it; equivalents.h
// offers it as one more notation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/layouts/layout.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Words ---------------------------------------------------------------------------------------------------------

/// Returns ladder(d, base) and the lines that define `frequency` (radians per position, axes concatenated) and
/// `amplitude`, without imports and final newline. Throws InputError as head_ladder() does.
std::string numpy_ladder(const RotarySpec& spec, const std::optional<double>& length);

/// Returns lines that define `rotate(q)`, q [tokens, channels] or [tokens, heads, channels], from `cos` and `sin`
/// [tokens, pairs]. It rotates the first 2·pairs channels in the model's pairing; the others are unchanged.
std::string numpy_rotation(const TokenLayout& tokens);

// --- Layouts -------------------------------------------------------------------------------------------------------

// Layouts as NumPy code: rules, not lists of ids.

/// Returns the rule of the ids, a line per part: "image[row, column]: (t, row, column) = (0, row, column)". References
/// that differ in one number of the rule each have a line.
std::string id_formula(const TokenLayout& arranged, const LayoutRequest& request);

/// Returns Python that defines `ids` [tokens, axes], `cos` and `sin` [tokens, pairs], equal to LayoutTables to 1e-12
/// plus 4e-16·|angle| for the rounding of an angle. Its length does not depend on the image size. It lists numbers only
/// if they are the model's own: learned frequencies (vit-mixed of a checkpoint).
std::string numpy_layout(const TokenLayout& arranged, const LayoutRequest& request);

}  // namespace ropescope
