// All that is said of how far a rope reaches, in one answer: what `ropescope limits` and Python's Rope.limits() ask
// for. Read core/decay/limits.h first: each of the numbers is computed there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/decay/limits.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// One axis of a rope, at a current length (none: the trained one), and the context that is asked about.
struct LimitsQuestion {
  RotarySpec spec;
  std::size_t axis = 0;
  std::optional<double> length, context;
};

/// Each is none where it is not asked for, where there is none, or where it was stopped before.
struct ContextLimits {
  std::optional<std::int64_t> negative;  ///< first_negative_distance(); the largest context is one less
  std::optional<ShakenContext> shaken;
  std::optional<SmallestWindow> smallest;  ///< these three for the context
  std::optional<RobustBase> robust;
  std::optional<double> effective_pairs;
  std::optional<int> critical_dimension, unseen_pairs;  ///< where the rope has a trained length
};

/// What is being looked for: which share is done, 0 … 1, and the base that is looked at (0: none is).
enum class LimitsStep { largest_context, smallest_base, robust_base };
using TellLimits = std::function<void(double done, LimitsStep step, double base)>;

/// Throws InputError as scaled_ladder() and the functions of core/decay/limits.h.
ContextLimits context_limits(const LimitsQuestion& question, const Work& work = {}, const TellLimits& tell = {});

}  // namespace ropescope
