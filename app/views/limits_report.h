// Context limits as rows of values and sentences, for `ropescope limits` and Python's Rope.limits(). Read
// core/scaling/context_limits.h first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/formats/config.h"
#include "core/formats/nlohmann.h"
#include "core/scaling/context_limits.h"

namespace ropescope {

/// The result of `limits`, and what was asked.
struct LimitsAnswer {
  const Profile& profile;
  const RotaryAxis& axis;
  std::optional<double> length;  ///< current length of the rope
  bool has_base = true;          ///< false: only bases for the context were requested
  std::optional<double> context;
  std::optional<double> extended;  ///< supported with the extension; nullopt: no more than the trained length
  ContextLimits found = {};
  std::optional<ContextCriterion> criterion = {};  ///< for `factors`
  std::vector<MethodFactors> factors = {};
};

/// A part of the answer: its key in JSON and in Python, its value, and sentences on it, one per line; may be empty.
struct LimitsRow {
  std::string name;
  nlohmann::ordered_json value;
  std::string words;
};
/// Returns "largest_context", "first_negative_distance", "shaken_context", "shaken_base", "smallest_base", "window",
/// "robust_base", "robust_ratio", "critical_dimension", "unseen_pairs", "unseen_ranges" and "effective_pairs", null if
/// unknown; with a criterion also "criterion", "factors" and "factors_searched_to"; "notes" on layers without rotation
/// and on the smallest base of Men et al. (arXiv 2405.14591, Table 2).
std::vector<LimitsRow> limits_rows(const LimitsAnswer& answer, const Text& text);

/// Returns which pairs of an axis never complete a turn in the trained length; empty if it is unknown.
std::string unseen_sentence(const RotarySpec& spec, const RotaryAxis& axis, std::optional<double> length_in_use,
                            const Text& text);

}  // namespace ropescope
