#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rotary/spec.h"

namespace ropescope {

// Python texts, with {name} in place of what is filled in.

using NumpyValues = std::vector<std::pair<std::string, std::string>>;
std::string filled(std::string text, const NumpyValues& values);

/// ladder(d, base) and the lines that leave `frequency` (radians per position, the axes one after the other) and
/// `amplitude`, without an import and without the last line's end. Throws InputError as head_ladder().
std::string numpy_ladder(const RotarySpec& spec, const std::optional<double>& length);

/// Lines that leave `rotate(q)`, q [tokens, channels] or [tokens, heads, channels], from `cos` and `sin` [tokens,
/// pairs]: its first 2·pairs channels are turned as the model pairs them, the others stay. `mismatch`: as ERNIE-Image,
/// whose table repeats each column side by side although its rotation pairs channels by halves.
std::string numpy_rotation(Pairing pairing, bool mismatch);

}  // namespace ropescope
