#pragma once

#include <string>
#include <vector>

#include "core/check/check.h"
#include "core/formats/config.h"

namespace ropescope {

/// Adds to a reference made of one of a model's profiles what the model says besides: which channels of a head turn,
/// whether its output is turned back, and its other profiles, which check() tries before it fits anything. Those that
/// need an image to be arranged are left out. `own`: the profile that the reference was made of.
void take_model(const std::vector<Profile>& profiles, const std::string& model_type, const Profile& own,
                CheckReference& reference);

}  // namespace ropescope
