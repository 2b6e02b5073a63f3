// Computation of the context limits, one after another, with core/decay/limits.h. Read context_limits.h first.

#include "core/scaling/context_limits.h"

#include <cmath>

#include "core/decay/analysis.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

/// Returns a base search that reports its progress: from the lowest base up, or from the highest down.
BaseSearch make_reporting_search(const LimitsRequest& question, const Work& work, LimitsStep step,
                                 const LimitsCallback& tell) {
  BaseSearch search{.rotary_dim = question.spec.axes[question.axis].rotary_dim,
                    .context = static_cast<std::int64_t>(*question.context),
                    .threads = work.threads};
  if (!tell) return search;
  search.progress = [&tell, step, lowest = std::log(search.lowest), highest = std::log(search.highest)](double base) {
    const double done = (std::log(base) - lowest) / (highest - lowest);
    tell(step == LimitsStep::smallest_base ? done : 1 - done, step, base);
  };
  return search;
}

/// Computes what depends on the ladder itself: its largest context, moving pairs, and pairs unseen in training.
void find_ladder_limits(const LimitsRequest& question, const Work& work, const LimitsCallback& tell,
                        ContextLimits& found) {
  const RotarySpec& spec = question.spec;
  const RotaryAxis& axis = spec.axes[question.axis];
  const Eigen::VectorXd frequencies = scaled_ladder(spec, question.axis, question.length).frequencies;
  std::function<void(std::int64_t)> looked_at;
  if (tell) {
    looked_at = [&tell](std::int64_t distance) {
      tell(static_cast<double>(distance) / static_cast<double>(kFarthestDistance), LimitsStep::largest_context, 0);
    };
  }
  found.negative = first_negative_distance(frequencies, kFarthestDistance, work, looked_at);
  const auto ladder = [&](double base) {
    RotarySpec moved = spec;
    for (RotaryAxis& each : moved.axes) {
      if (each.name == axis.name) each.base = base;
    }
    return scaled_ladder(moved, question.axis, question.length).frequencies;
  };
  if (axis.ladder != Ladder::given) found.shaken = perturbed_context(axis.base, ladder, kFarthestDistance, work);
  if (question.context) found.effective_pairs = effective_pairs(frequencies, *question.context);
  if (!spec.trained_length) return;
  const Eigen::VectorXd in_training = trained_frequencies(axis_frequencies(axis), frequencies);
  found.critical_dimension = critical_dimension(in_training, *spec.trained_length);
  found.unseen_pairs = unfinished_pairs(in_training, *spec.trained_length);
  found.unseen = unfinished_ranges(in_training, *spec.trained_length);
}

Eigen::VectorXd ladder_with(const FactorRequest& request, const std::string& method, double factor) {
  return scaled_ladder(apply_factor(request.spec, method, factor), request.axis,
                       static_cast<double>(request.question.context))
      .frequencies;
}

}  // namespace

ContextLimits context_limits(const LimitsRequest& question, const Work& work, const LimitsCallback& tell) {
  ContextLimits found;
  if (question.has_base) find_ladder_limits(question, work, tell, found);
  // A given ladder does not depend on a base, so no other base can be tried.
  if (question.context && question.spec.axes[question.axis].ladder != Ladder::given) {
    found.smallest = smallest_window(make_reporting_search(question, work, LimitsStep::smallest_base, tell), work.stop);
    found.robust = robust_base(make_reporting_search(question, work, LimitsStep::robust_base, tell), work.stop);
  }
  return found;
}

bool takes_factor(const ScalingMethod& method) {
  return method.lists.empty() && find_parameter(method, "factor");
}

std::vector<std::string> factor_methods(bool trained_length) {
  std::vector<std::string> names;
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (takes_factor(method) && (trained_length || !method.needs_trained_length)) names.emplace_back(method.name);
  }
  return names;
}

RotarySpec apply_factor(RotarySpec spec, const std::string& method, double factor) {
  if (spec.extension.method != method) spec.extension = {.method = method, .numbers = {}, .lists = {}};
  for (const ScalingField& parameter : find_scaling_method(method).parameters) {
    if (parameter.required) spec.extension.numbers.try_emplace(std::string(parameter.name), parameter.initial);
  }
  spec.extension.numbers["factor"] = factor;
  return spec;
}

FactorRequest factor_request(const RotarySpec& spec, std::size_t axis, std::vector<std::string> methods,
                             ContextQuestion question, double context) {
  question.context = static_cast<std::int64_t>(context);
  question.trained_length = spec.trained_length.value_or(0);
  question.trained = axis_frequencies(spec.axes[axis]);
  FactorRequest request{spec, axis, std::move(methods), std::move(question)};
  // Missing parameters of a method are reported before anything is computed.
  for (const std::string& method : request.methods) ladder_with(request, method, 1);
  return request;
}

std::vector<MethodFactors> find_factors(const FactorRequest& request, const Work& work, const TellFactors& tell) {
  std::vector<MethodFactors> factors;
  const double all = static_cast<double>(request.methods.size());
  for (std::size_t i = 0; i < request.methods.size(); ++i) {
    const std::string& method = request.methods[i];
    const auto report = [&](double done) {
      if (tell) tell((static_cast<double>(i) + done) / all, method);
    };
    const auto found = allowing_factors([&](double factor) { return ladder_with(request, method, factor); },
                                        request.question, work, report);
    if (!found) break;
    factors.push_back({method, *found});
  }
  return factors;
}

}  // namespace ropescope
