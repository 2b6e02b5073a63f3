#pragma once

#include <span>
#include <string>

namespace ropescope {

/// A message in which what the user gave is no longer than people read: each of the arguments, each text in quotes and
/// each word loses its middle where it is longer (without_middle).
std::string with_short_echoes(std::string message, std::span<char* const> arguments);

}  // namespace ropescope
