// Asks core/decay/limits.h for one number after the other.

#include "core/scaling/context_limits.h"

#include <cmath>

#include "core/decay/analysis.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

/// A search of bases that says how far it is: from the lowest base up, or from the highest down.
BaseSearch told_search(const LimitsQuestion& question, const Work& work, LimitsStep step, const TellLimits& tell) {
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

}  // namespace

ContextLimits context_limits(const LimitsQuestion& question, const Work& work, const TellLimits& tell) {
  const RotarySpec& spec = question.spec;
  const RotaryAxis& axis = spec.axes[question.axis];
  const Eigen::VectorXd frequencies = scaled_ladder(spec, question.axis, question.length).frequencies;
  ContextLimits found;
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
  // Of a given ladder no base says how it would be otherwise.
  const bool has_base = axis.ladder != Ladder::given;
  if (has_base) found.shaken = shaken_context(axis.base, ladder, kFarthestDistance, work);
  if (question.context) found.effective_pairs = effective_pairs(frequencies, *question.context);
  if (question.context && has_base) {
    found.smallest = smallest_window(told_search(question, work, LimitsStep::smallest_base, tell), work.stop);
    found.robust = robust_base(told_search(question, work, LimitsStep::robust_base, tell), work.stop);
  }
  if (spec.trained_length) {
    const Eigen::VectorXd in_training = trained_frequencies(axis_frequencies(axis), frequencies);
    found.critical_dimension = critical_dimension(in_training, *spec.trained_length);
    found.unseen_pairs = unfinished_pairs(in_training, *spec.trained_length);
  }
  return found;
}

}  // namespace ropescope
