// Context limits as JSON and their notes, for `ropescope limits --json` and Python's Rope.limits(). Read
// core/scaling/context_limits.h first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/formats/config.h"
#include "core/scaling/context_limits.h"

namespace ropescope {

/// Adds {"largest_context", "first_negative_distance", "shaken_context", "shaken_base", "smallest_base", "window",
/// "robust_base", "robust_ratio", "critical_dimension", "unseen_pairs", "unseen_ranges", "effective_pairs"}, null if
/// unknown.
void add_limits(const ContextLimits& found, nlohmann::ordered_json& limits);
/// Returns how the smallest base relates to the one of Men et al. (arXiv 2405.14591, Table 2); empty if there is none.
std::string describe_published_bound(const ContextLimits& found, const RotaryAxis& axis, std::optional<double> context,
                                     const Text& text);
/// Returns the notes: layers without rotation, and the published base.
std::vector<std::string> limits_notes(const ContextLimits& found, const Profile& profile, const RotaryAxis& axis,
                                      std::optional<double> context, const Text& text);

}  // namespace ropescope
