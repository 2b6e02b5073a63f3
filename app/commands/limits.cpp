#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/interrupt.h"
#include "app/commands/progress_line.h"
#include "app/commands/rope_options.h"
#include "app/commands/threads_option.h"
#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

struct Values {
  RopeOptions rope;
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

/// Of the smallest base: a double holds it to its last place. Of the effective pairs: what the sum of their rounding
/// errors leaves.
constexpr int kDigitsOfBase = 15, kDigitsOfPairs = 12;

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

std::optional<double> watched_base(int rotary_dim, double context, int threads, Watch& watch) {
  BaseSearch search{.rotary_dim = rotary_dim, .context = static_cast<std::int64_t>(context), .threads = threads};
  search.progress = [&watch, lowest = std::log(search.lowest), highest = std::log(search.highest)](double base) {
    watch.line.show((std::log(base) - lowest) / (highest - lowest), "smallest base: above " + readable_number(base, 3));
  };
  const std::optional<double> base = smallest_base(search, watch.interrupt.token());
  return base ? std::optional(with_digits(*base, kDigitsOfBase)) : std::nullopt;
}

ordered_json limits_of(const Values& values, const Rope& rope, std::optional<double> given, int threads, Watch& watch) {
  const RotaryAxis& axis = choose_axis(values.rope, rope);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  const std::optional<double> trained = rope.profile.spec.trained_length;
  const std::optional<double> context = given ? given : trained;

  const auto negative = watched_distance(frequencies, threads, watch);
  ordered_json limits;
  limits["largest_context"] = negative ? ordered_json(*negative - 1) : ordered_json(nullptr);
  limits["first_negative_distance"] = number_or_null(negative);
  limits["smallest_base"] = nullptr;
  limits["critical_dimension"] = nullptr;
  limits["unseen_pairs"] = nullptr;
  limits["effective_pairs"] = nullptr;
  if (context) {
    limits["smallest_base"] = number_or_null(watched_base(axis.rotary_dim, *context, threads, watch));
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
std::optional<std::string> watched_limits(const Values& values, const Rope& rope, std::optional<double> context,
                                          int threads) {
  Watch watch;
  const std::string limits = limits_of(values, rope, context, threads, watch).dump(2) + "\n";
  return watch.interrupt.token().stop_requested() ? std::nullopt : std::optional(limits);
}

int run(const Values& values) {
  // Refused before anything else is opened.
  const int threads = read_threads(values.threads);
  const std::optional<double> context = read_context(values.context);
  const Rope rope = resolve_rope(values.rope);
  const std::optional<std::string> limits = watched_limits(values, rope, context, threads);
  if (!limits) return cancelled("before all limits were found");
  put_result(values.output, *limits);
  notice_axis(values.rope, rope);
  return 0;
}

}  // namespace

Action declare_limits(Arguments& arguments) {
  const auto values = std::make_shared<Values>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--context", "L", values->context,
                   "Context in positions that smallest_base and effective_pairs are for (default: the trained length)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { return run(*values); };
}

}  // namespace ropescope
