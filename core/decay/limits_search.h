#pragma once

#include <optional>
#include <stop_token>

#include "core/decay/limits.h"

namespace ropescope {

/// Throws InputError unless d is even in 2…8192, the context at least 1 and 1 < lowest ≤ highest, both finite.
void require_search(const BaseSearch& search);

/// ln b of the smallest base, to the last place of a long double; none as smallest_base. Precondition: require_search.
std::optional<long double> smallest_admissible(const BaseSearch& search, const std::stop_token& stop);

}  // namespace ropescope
