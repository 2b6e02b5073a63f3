#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/check/check.h"

namespace ropescope {

/// The verdict, the causes, the largest difference and how far positions reach, in words. `applied` is the cause that
/// the reference is given ("all": all of them).
std::vector<Readout> check_readouts(const CheckReport& report, const std::string& applied, const Text& text);

/// The key of a card's button that applies a cause; act_on_check takes it.
std::string apply_key(const std::string& cause);

}  // namespace ropescope
