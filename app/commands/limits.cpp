#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/interrupt.h"
#include "app/commands/limits_factors.h"
#include "app/commands/progress_line.h"
#include "app/commands/rope_options.h"
#include "app/commands/threads_option.h"
#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/decay/limits_answers.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

struct LimitsValues {
  RopeOptions rope;
  FactorOptions factors;
  std::optional<std::string> context, output, threads;
};

std::optional<double> read_context(const std::optional<std::string>& option) {
  if (!option) return std::nullopt;
  const std::optional<double> value = parse_number(*option);
  if (!value || *value < 1 || *value > static_cast<double>(kFarthestDistance) || *value != std::floor(*value)) {
    throw InputError("--context is " + in_quotes(*option) + "; a whole number from 1 to " +
                     std::to_string(kFarthestDistance) + " was expected");
  }
  return value;
}

/// A number with no more digits than are right, as JSON prints all that tell it from its neighbours.
double with_digits(double value, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return *parse_number(text.data());
}

/// Of the effective pairs: what the sum of their rounding errors leaves.
constexpr int kDigitsOfPairs = 12;

/// What stops the work and what tells how far it is.
struct Watch {
  StopOnInterrupt interrupt;
  ProgressLine line;
};

template <class Number>
ordered_json number_or_null(const std::optional<Number>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

std::optional<std::int64_t> watched_distance(const Eigen::VectorXd& frequencies, int threads, Watch& watch) {
  return first_negative_distance(frequencies, kFarthestDistance, threads, watch.interrupt.token(),
                                 [&watch](std::int64_t distance) {
                                   const auto farthest = static_cast<double>(kFarthestDistance);
                                   watch.line.show(static_cast<double>(distance) / farthest, "largest context");
                                 });
}

/// Of the ladder that the options name, with the base of the axis moved.
std::optional<ShakenContext> watched_shaken(const LimitsValues& values, const Rope& rope, int threads, Watch& watch) {
  const RotaryAxis& axis = choose_axis(values.rope, rope);
  const auto ladder = [&](double base) {
    Rope moved = rope;
    for (RotaryAxis& each : moved.profile.spec.axes) {
      if (each.name == axis.name) each.base = base;
    }
    return ladder_of(values.rope, moved).frequencies;
  };
  return shaken_context(axis.base, ladder, kFarthestDistance, threads, watch.interrupt.token());
}

/// From the lowest base up, or from the highest down.
BaseSearch watched_search(int rotary_dim, double context, int threads, bool upwards, Watch& watch) {
  BaseSearch search{.rotary_dim = rotary_dim, .context = static_cast<std::int64_t>(context), .threads = threads};
  search.progress = [&watch, upwards, lowest = std::log(search.lowest),
                     highest = std::log(search.highest)](double base) {
    const double done = (std::log(base) - lowest) / (highest - lowest);
    const std::string words = upwards ? "smallest base: above " : "robust base: below ";
    watch.line.show(upwards ? done : 1 - done, words + readable_number(base, 3));
  };
  return search;
}

void add_bases(ordered_json& limits, int rotary_dim, double context, int threads, Watch& watch) {
  const std::stop_token stop = watch.interrupt.token();
  if (const auto found = smallest_window(watched_search(rotary_dim, context, threads, true, watch), stop)) {
    limits["smallest_base"] = found->window.low;
    limits["window"] = {found->window.low, found->window.high};
  }
  if (const auto robust = robust_base(watched_search(rotary_dim, context, threads, false, watch), stop)) {
    limits["robust_base"] = robust->base;
  }
}

/// The context that is asked for: the given one, else the trained length.
std::optional<double> context_of(const Rope& rope, std::optional<double> given) {
  return given ? given : rope.profile.spec.trained_length;
}

ordered_json limits_of(const LimitsValues& values, const Rope& rope, std::optional<double> context, int threads,
                       Watch& watch) {
  const RotaryAxis& axis = choose_axis(values.rope, rope);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  const std::optional<double> trained = rope.profile.spec.trained_length;

  const auto negative = watched_distance(frequencies, threads, watch);
  const auto shaken = watched_shaken(values, rope, threads, watch);
  ordered_json limits;
  if (depends_on_length(rope)) limits["ladder"] = ladder_text(rope);
  limits["largest_context"] = negative ? ordered_json(*negative - 1) : ordered_json(nullptr);
  limits["first_negative_distance"] = number_or_null(negative);
  limits["shaken_context"] = number_or_null(shaken ? shaken->largest() : std::nullopt);
  limits["shaken_base"] = shaken && shaken->negative ? ordered_json(shaken->base) : ordered_json(nullptr);
  for (const char* key : {"smallest_base", "window", "robust_base"}) limits[key] = nullptr;
  limits["robust_ratio"] = kRobustRatio;
  for (const char* key : {"critical_dimension", "unseen_pairs", "effective_pairs"}) limits[key] = nullptr;
  if (context) {
    add_bases(limits, axis.rotary_dim, *context, threads, watch);
    limits["effective_pairs"] = with_digits(effective_pairs(frequencies, *context), kDigitsOfPairs);
  }
  if (trained) {
    const Eigen::VectorXd in_training = trained_frequencies(plain_frequencies(axis.rotary_dim, axis.base), frequencies);
    limits["critical_dimension"] = critical_dimension(in_training, *trained);
    limits["unseen_pairs"] = unfinished_pairs(in_training, *trained);
  }
  return limits;
}

/// Nothing where it was stopped.
std::optional<std::string> watched_limits(const LimitsValues& values, const Rope& rope, std::optional<double> context,
                                          int threads) {
  const auto factors = read_factors(values.factors, values.rope, rope, context);
  Watch watch;
  ordered_json limits = limits_of(values, rope, context, threads, watch);
  if (factors) {
    add_factors(limits, *factors, threads, watch.interrupt.token(),
                [&watch](double done, const std::string& step) { watch.line.show(done, step); });
  }
  return watch.interrupt.token().stop_requested() ? std::nullopt : std::optional(limits.dump(2) + "\n");
}

int run_limits(const LimitsValues& values) {
  // Refused before anything else is opened.
  const int threads = read_threads(values.threads);
  const std::optional<double> context = read_context(values.context);
  Rope rope = resolve_rope(values.rope);
  require_understood(values.rope, rope);
  if (context) ask_length(rope, *context);
  const std::optional<std::string> limits = watched_limits(values, rope, context_of(rope, context), threads);
  if (!limits) return cancelled("before all limits were found");
  put_result(values.output, *limits);
  notice_axis(values.rope, rope);
  notice_length(values.rope, rope);
  return 0;
}

}  // namespace

Action declare_limits(Arguments& arguments) {
  const auto values = std::make_shared<LimitsValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--context", "L", values->context,
                   "Context in positions that the bases, effective_pairs and a ladder that looks at the length are for "
                   "(default: the trained length)");
  add_factor_options(arguments, values->factors);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { return run_limits(*values); };
}

}  // namespace ropescope
