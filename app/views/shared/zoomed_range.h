#pragma once

#include <optional>
#include <string_view>

#include "app/experiment/experiment.h"

namespace ropescope {

/// What the field of a zoomed range holds (FigureAxis::range_key); none for no such field, or an empty key.
std::optional<Range> zoomed_range(const Experiment& experiment, std::string_view key);

}  // namespace ropescope
