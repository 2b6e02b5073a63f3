// Context limits of a rope in a single result, for `ropescope limits` and Python's Rope.limits(). The individual
// numbers are computed in core/decay/limits.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// Input: an axis of a rope, the current length (nullopt: the trained length) and the context of interest.
struct LimitsRequest {
  RotarySpec spec;
  std::size_t axis = 0;
  std::optional<double> length, context;
  bool has_base = true;  ///< false: the base of the spec is not known, so only bases for the context are computed
};

/// Result. A member is nullopt if it was not requested, does not exist, or the computation was cancelled.
struct ContextLimits {
  std::optional<std::int64_t> negative;  ///< first_negative_distance(); the largest context is one less
  std::optional<PerturbedContext> shaken;
  std::optional<SmallestWindow> smallest;  ///< this and the next two: for `context`
  std::optional<RobustBase> robust;
  std::optional<double> effective_pairs;
  std::optional<int> critical_dimension, unseen_pairs;  ///< if the rope has a trained length
  std::vector<PairRange> unseen;                        ///< these pairs
};

/// Progress callback: the stage, the completed fraction 0 … 1, and the base under examination (0: none).
enum class LimitsStep { largest_context, smallest_base, robust_base };
using LimitsCallback = std::function<void(double done, LimitsStep step, double base)>;

/// Computes the limits. Throws InputError as scaled_ladder() and the functions of core/decay/limits.h.
ContextLimits context_limits(const LimitsRequest& question, const Work& work = {}, const LimitsCallback& tell = {});

/// Returns whether a method needs no parameter but its factor, so that factors can be searched (allowing_factors).
bool takes_factor(const ScalingMethod& method);
/// Returns the names of these methods; without those that need a trained length if there is none.
std::vector<std::string> factor_methods(bool trained_length);
/// Returns the spec under a method with a factor. The spec's other numbers for that method are kept; required ones
/// default to the released ones.
RotarySpec apply_factor(RotarySpec spec, const std::string& method, double factor);

/// Input of a search for the factors with which methods allow a context.
struct FactorRequest {
  RotarySpec spec;
  std::size_t axis = 0;
  std::vector<std::string> methods;
  ContextQuestion question;
};
/// Returns the request for an axis of a rope. `question` sets the criterion and its level. Throws InputError if a
/// method lacks a parameter.
FactorRequest factor_request(const RotarySpec& spec, std::size_t axis, std::vector<std::string> methods,
                             ContextQuestion question, double context);

/// The factors with which one extension method allows the context.
struct MethodFactors {
  std::string method;
  AllowingFactors found;
};
/// Receives the progress of the search, 0 … 1, and its current method.
using TellFactors = std::function<void(double done, const std::string& method)>;
/// Returns, per method, the smallest factor that allows the context and the smallest above which none failed; an
/// incomplete list if cancelled.
std::vector<MethodFactors> find_factors(const FactorRequest& request, const Work& work = {},
                                        const TellFactors& tell = {});

}  // namespace ropescope
