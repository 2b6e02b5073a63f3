// Parsing of custom ladders: a list of numbers, or a formula in the pair i, the dimension d and the base b. See
// Ladder::given in core/rotary/spec.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/rotary/spec.h"

namespace ropescope {

inline constexpr std::size_t kLongestFormula = 1000;  ///< characters
inline constexpr int kDeepestFormula = 32;            ///< parentheses open at once
/// Characters of a list of numbers: enough for the pairs of the widest head with all their digits.
inline constexpr std::size_t kLongestLadder = std::size_t{1} << 17;

/// Returns whether the text contains only numbers and commas, valid or not; any other text is a formula.
bool is_ladder_of_numbers(const std::string& text);

/// Sets the ladders of a rope's axes from a text, in radians per position. A list, "1,0.5,0.25", has one number per
/// pair, with the axes concatenated. A formula, "b^(-2*i/d)", covers the pairs i = 0 … d/2 − 1 of every axis with its
/// own d and b (muParser: + - * / ^, ?:, sqrt, exp, ln, sin, min, …, and _pi, _e). Throws InputError naming `source`
/// and the number, character or pair: invalid syntax, too long or too deep, an unknown name, a frequency that is
/// negative or not finite, or not one number per pair.
void give_ladder(RotarySpec& spec, const std::string& text, const std::string& source);
/// Returns the list of numbers that reproduces the rope's given ladder; empty if it has none.
std::string ladder_numbers(const RotarySpec& spec);

}  // namespace ropescope
