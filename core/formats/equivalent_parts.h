#pragma once

#include <optional>
#include <string_view>

#include "core/formats/equivalents.h"

namespace ropescope {

// What several programs' words share.

/// A given number of the extension, or what stands in for it; none where nothing does.
std::optional<double> number_in(const Extension& extension, std::string_view name);

/// The one base that gives the ladder of a single axis at that length, where there is one: plain ladders and NTK kinds.
std::optional<double> base_of_all(const RotarySpec& spec, const std::optional<double>& length);

/// Whether the method looks at the length and words for it are those of one length only: a sentence then.
void note_length(const EquivalentOf& of, const RotarySpec& spec, Equivalent& equivalent);

/// "PROFILE turns by several axes (…); PROGRAM has no words for them."
Words several_axes(const Profile& profile, std::string_view program);

}  // namespace ropescope
