// A ladder as a person writes it: numbers, or a formula of the pair i, the channels d and the base b. What a rope does
// with the numbers, core/rotary/spec.h says (Ladder::given).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/rotary/spec.h"

namespace ropescope {

inline constexpr std::size_t kLongestFormula = 1000;  ///< characters
inline constexpr int kDeepestFormula = 32;            ///< parentheses that are open at once
/// Characters of numbers: as many as the pairs of the widest head take with all their digits.
inline constexpr std::size_t kLongestLadder = std::size_t{1} << 17;

/// Whether the text holds numbers and commas alone, right or wrong: else it is a formula.
bool is_ladder_of_numbers(const std::string& text);

/// Gives the axes of a rope the ladder of a text, radians per position: numbers, "1,0.5,0.25", one for each pair, the
/// axes one after the other; or a formula, "b^(-2*i/d)", for the pairs i = 0 … d/2 − 1 of every axis with its own d and
/// b (muParser's operators and functions: + - * / ^, ?:, sqrt, exp, ln, sin, min, …, and _pi, _e). Throws InputError
/// that names `source` and the number, the character or the pair: what cannot be read, too long or too deep, a name
/// that means nothing, a frequency that is negative or not finite, another count of numbers than of pairs.
void give_ladder(RotarySpec& spec, const std::string& text, const std::string& source);
/// The text of numbers that gives the rope the ladder that it was given; empty where it was given none.
std::string ladder_numbers(const RotarySpec& spec);

}  // namespace ropescope
