// The answer of `ropescope limits`, in sentences and as JSON. Read answers.h first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/answers.h"
#include "app/commands/rope_options.h"
#include "app/resources/text.h"
#include "app/views/check/report.h"
#include "core/decay/limits.h"
#include "core/scaling/context_limits.h"

namespace ropescope {

/// The factors with which one extension method allows the context.
struct MethodFactors {
  std::string method;
  AllowingFactors found;
};

/// The result of `limits`, and what was asked.
struct LimitsAnswer {
  const Rope& rope;
  const RotaryAxis& axis;
  bool has_base = true;  ///< false: only bases for the context were requested
  std::optional<double> context;
  std::optional<double> extended;  ///< see extended_length()
  ContextLimits found = {};
  std::optional<ContextCriterion> criterion = {};  ///< for `factors`
  std::vector<MethodFactors> factors = {};
};

/// Returns the answer: the question, then a sentence per line. JSON: "question", the keys of add_limits(); with factors
/// "criterion", "factors" and "factors_searched_to"; "notes" (limits_notes()).
ReportForms limits_forms(const LimitsAnswer& answer, const RequestSummary& question);

}  // namespace ropescope
