#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/rope_options.h"
#include "app/commands/threads_option.h"
#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
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

template <class Number>
ordered_json number_or_null(const std::optional<Number>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json limits_of(const Values& values, const Rope& rope, std::optional<double> given, int threads) {
  const RotaryAxis& axis = choose_axis(values.rope, rope);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  const std::optional<double> trained = rope.profile.spec.trained_length;
  const std::optional<double> context = given ? given : trained;

  const auto negative = first_negative_distance(frequencies, kFarthestDistance, threads);
  ordered_json limits;
  limits["largest_context"] = negative ? ordered_json(*negative - 1) : ordered_json(nullptr);
  limits["first_negative_distance"] = number_or_null(negative);
  limits["smallest_base"] = nullptr;
  limits["critical_dimension"] = nullptr;
  limits["unseen_pairs"] = nullptr;
  limits["effective_pairs"] = nullptr;
  if (context) {
    limits["smallest_base"] = number_or_null(smallest_base(
        {.rotary_dim = axis.rotary_dim, .context = static_cast<std::int64_t>(*context), .threads = threads}));
    limits["effective_pairs"] = effective_pairs(frequencies, *context);
  }
  if (trained) {
    const Eigen::VectorXd in_training = trained_frequencies(plain_frequencies(axis.rotary_dim, axis.base), frequencies);
    limits["critical_dimension"] = critical_dimension(in_training, *trained);
    limits["unseen_pairs"] = unfinished_pairs(in_training, *trained);
  }
  return limits;
}

void run(const Values& values) {
  // Refused before anything else is opened.
  const int threads = read_threads(values.threads);
  const std::optional<double> context = read_context(values.context);
  const Rope rope = resolve_rope(values.rope);
  put_result(values.output, limits_of(values, rope, context, threads).dump(2) + "\n");
  notice_axis(values.rope, rope);
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
  return [values] { run(*values); };
}

}  // namespace ropescope
