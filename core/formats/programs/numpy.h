// A rope or a layout as lines of NumPy that compute its ids and tables. check_fix.h writes with it; for equivalents.h
// they are the words of one more program.
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

/// ladder(d, base) and the lines that leave `frequency` (radians per position, the axes one after the other) and
/// `amplitude`, without an import and without the last line's end. Throws InputError as head_ladder().
std::string numpy_ladder(const RotarySpec& spec, const std::optional<double>& length);

/// Lines that leave `rotate(q)`, q [tokens, channels] or [tokens, heads, channels], from `cos` and `sin` [tokens,
/// pairs]: its first 2·pairs channels are turned as the model pairs them, the others stay.
std::string numpy_rotation(const TokenLayout& tokens);

// --- Layouts -------------------------------------------------------------------------------------------------------

// A layout as NumPy says it: rules, not lists of ids. What ladders share stands above.

/// "image[row, column]: (t, row, column) = (0, row, column)", a line for each part; references that follow one rule
/// with one number in it each have their own line.
std::string id_formula(const TokenLayout& arranged, const LayoutRequest& request);

/// Python that leaves `ids` [tokens, axes], `cos` and `sin` [tokens, pairs]: those of LayoutTables to 1e-12 plus what
/// the rounding of an angle costs, 4e-16·|angle|. Its length does not follow the size of the image. Numbers are listed
/// only where they are the model's own: learned frequencies (vit-mixed of a checkpoint).
std::string numpy_layout(const TokenLayout& arranged, const LayoutRequest& request);

}  // namespace ropescope
