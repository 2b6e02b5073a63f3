// The commands `decay`, `frequencies`, `precision` and `limits`: each resolves a rope from its options
// (rope_options.h), asks core for its numbers, and writes a table or JSON.
//
// Contents: decay; frequencies; precision; Factors; limits.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/experiment/own_data.h"
#include "app/figure/figure.h"
#include "app/figure/table.h"
#include "app/resources/text.h"
#include "app/views/check/report.h"
#include "core/decay/analysis.h"
#include "core/decay/distances.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/formats/json.h"
#include "core/precision/precision.h"
#include "core/rotary/spec.h"
#include "core/scaling/context_limits.h"
#include "core/scaling/scaling.h"
#include "core/words.h"

namespace ropescope {

// --- decay ---------------------------------------------------------------------------------------------------------

namespace {

/// Every distance of the longest span of the decay view, and both signs.
constexpr std::size_t kMostDistances = 2 * static_cast<std::size_t>(kMostDecayDistance) + 1;
/// Distances whose values and text are held at a time.
constexpr std::size_t kDecayPiece = std::size_t{1} << 17;

struct DecayValues {
  RopeOptions rope;
  std::optional<std::string> distances, order, own, output, threads;
};

/// The values of somebody's own curve at whole places of it; NaN beside them.
struct OwnColumn {
  std::string name;
  std::map<double, double> values;
  std::string cell(double distance) const {
    const auto found = values.find(distance);
    return found == values.end() ? "," : "," + shortest_number(found->second);
  }
};

std::optional<OwnColumn> own_column(const std::optional<std::string>& path) {
  if (!path) return std::nullopt;
  const CurveFile curve = load_curve(*path);
  OwnFields fields;
  take_curve_file(fields, *path);
  OwnColumn column{fields.name, {}};
  for (std::size_t i = 0; i < curve.xs.size(); ++i) column.values.emplace(curve.xs[i], curve.ys[i]);
  return column;
}

PairOrder read_order(const std::optional<std::string>& order) {
  if (!order || *order == "fast-first") return PairOrder::fast_first;
  if (*order == "reversed" || *order == "slow-first") return PairOrder::slow_first;
  reject("--order", *order, {"reversed (slow-first)", "fast-first"});
}

/// The rows of these distances.
std::string rows_of_decay(std::span<const double> distances, const Eigen::VectorXd& frequencies, PairOrder order,
                          int threads, const std::optional<OwnColumn>& own) {
  const KernelCurves curves = curves_at(distances, frequencies, order, {threads});
  std::string rows;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    rows += shortest_number(distances[i]) + "," + shortest_number(curves.similarity[i]) + "," +
            shortest_number(curves.bound[i]) + (own ? own->cell(distances[i]) : "") + "\n";
  }
  return rows;
}

void run_decay(const DecayValues& values) {
  const int threads = read_threads(values.threads);
  const PairOrder order = read_order(values.order);
  const std::vector<double> distances = parse_list(*values.distances, "--distances", kMostDistances);
  Rope rope = resolve_rope(values.rope);
  double farthest = 0;
  for (const double distance : distances) farthest = std::max(farthest, std::abs(distance));
  ask_length(rope, farthest);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  const std::optional<OwnColumn> own = own_column(values.own);
  std::span<const double> left = distances;
  const std::string header = "distance,similarity,abel_bound" + (own ? "," + quoted(own->name) : "") + "\n";
  put_result(values.output, header, [&](std::string& piece) {
    const std::size_t count = std::min(left.size(), kDecayPiece);
    piece = rows_of_decay(left.first(count), frequencies, order, threads, own);
    left = left.subspan(count);
  });
  notice_axis(values.rope, rope);
  notice_length(values.rope, rope);
}

}  // namespace

Action declare_decay(Arguments& arguments) {
  const auto values = std::make_shared<DecayValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--distances", "LIST", values->distances, "Numbers and inclusive ranges a:b or a:b:step, by commas",
                   Arguments::Need::required);
  arguments.option("--own", "FILE", values->own,
                   "One more column: a curve of one's own, where it stands at a distance that is asked for");
  arguments.option("--order", "reversed", values->order, "Sum the pairs of the bound from the slow end");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { run_decay(*values); };
}

// --- frequencies ---------------------------------------------------------------------------------------------------

namespace {

using nlohmann::ordered_json;

struct FrequenciesValues {
  RopeOptions rope;
  bool json = false, profiles = false;
  std::optional<std::string> output, as;
};

ordered_json list_of_frequencies(const Eigen::VectorXd& numbers) {
  return std::vector<double>(numbers.begin(), numbers.end());
}

std::string frequencies_json(const Rope& rope) {
  const RotarySpec& spec = rope.profile.spec;
  const HeadLadder head = head_ladder(spec, rope.length);
  ordered_json root;
  root["profile"] = rope.profile.name;
  root["head_dim"] = spec.head_dim;
  root["rotary_dim"] = total_rotary_dim(spec);
  root["pairing"] = word_of(spec.pairing);
  root["trained_length"] = or_null(spec.trained_length);
  if (depends_on_length(rope)) root["ladder"] = ladder_text(rope);
  root["amplitude"] = head.amplitude;
  root["frequencies"] = list_of_frequencies(head.frequencies);
  if (spec.axes.size() > 1) {
    root["axes"] = ordered_json::array();
    for (std::size_t i = 0; i < spec.axes.size(); ++i) {
      const RotaryAxis& axis = spec.axes[i];
      root["axes"].push_back({{"name", axis.name},
                              {"rotary_dim", axis.rotary_dim},
                              {"base", axis.base},
                              {"frequencies", list_of_frequencies(scaled_ladder(spec, i, rope.length).frequencies)}});
    }
  }
  return root.dump(2) + "\n";
}

std::string frequencies_csv(const Rope& rope) {
  const RotarySpec& spec = rope.profile.spec;
  std::string csv = "axis,pair,frequency,wavelength,amplitude\n";
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    const std::string name = spec.axes.size() == 1 ? "position" : spec.axes[i].name;
    const ScaledLadder ladder = scaled_ladder(spec, i, rope.length);
    for (Eigen::Index pair = 0; pair < ladder.frequencies.size(); ++pair) {
      const double frequency = ladder.frequencies[pair];
      csv += name + "," + std::to_string(pair) + "," + shortest_number(frequency) + "," +
             shortest_number(wavelength(frequency)) + "," + shortest_number(ladder.amplitude) + "\n";
    }
  }
  return csv;
}

std::string profile_list(const RopeOptions& rope, bool json) {
  std::string lines;
  ordered_json names = ordered_json::array();
  for (const Profile& profile : profiles_of(rope)) {
    lines += profile.name + "\n";
    names.push_back(profile.name);
  }
  return json ? ordered_json{{"profiles", names}}.dump(2) + "\n" : lines;
}

void run_frequencies(const FrequenciesValues& values) {
  if (values.profiles) return put_result(values.output, profile_list(values.rope, values.json));
  const Rope rope = resolve_rope(values.rope);
  if (values.as && values.json) refuse_both("--as", "--json");
  if (values.as) return put_equivalent(values.output, *values.as, {{&rope.profile, 1}, rope.length});
  put_result(values.output, values.json ? frequencies_json(rope) : frequencies_csv(rope));
  notice_length(values.rope, rope);
}

}  // namespace

Action declare_frequencies(Arguments& arguments) {
  const auto values = std::make_shared<FrequenciesValues>();
  add_rope_options(arguments, values->rope);
  arguments.flag("--json", values->json, "JSON instead of CSV");
  add_as_option(arguments, values->as);
  arguments.flag("--profiles", values->profiles, "List the profiles of the config or preset instead");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { run_frequencies(*values); };
}

// --- precision -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kPrecisionMostPositions = 16'777'217;
/// Positions whose text is held at a time.
constexpr std::size_t kPrecisionPiece = std::size_t{1} << 14;

struct PrecisionValues {
  RopeOptions rope;
  std::optional<std::string> policy, positions, output;
};

/// Positions at which the format overflows.
struct Overflows {
  std::size_t count = 0;
  double first = 0;
};

std::string rows_of_precision(std::span<const double> positions, const PrecisionPolicy& policy,
                              const Eigen::VectorXd& frequencies, Overflows& overflows) {
  std::string rows;
  for (const double position : positions) {
    const PrecisionError error = precision_error(policy, frequencies, position);
    if (!(std::isfinite(error.max_abs) && std::isfinite(error.rms)) && overflows.count++ == 0) {
      overflows.first = position;
    }
    rows += shortest_number(position) + "," + std::string(policy.name) + "," + shortest_number(error.max_abs) + "," +
            shortest_number(error.rms) + "\n";
  }
  return rows;
}

void notice_overflows(const Overflows& overflows, std::size_t positions, const PrecisionPolicy& policy) {
  if (overflows.count == 0) return;
  put_notice(std::string(policy.name) + " overflows at " + std::to_string(overflows.count) + " of " +
             std::to_string(positions) + " positions, first at " + shortest_number(overflows.first) +
             ": their errors are nan");
}

void run_precision(const PrecisionValues& values) {
  const PrecisionPolicy& policy = find_precision_policy(*values.policy);
  const std::vector<double> positions = parse_list(*values.positions, "--positions", kPrecisionMostPositions);
  Rope rope = resolve_rope(values.rope);
  ask_length(rope, *std::max_element(positions.begin(), positions.end()) + 1);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  std::span<const double> left = positions;
  Overflows overflows;
  put_result(values.output, "position,policy,max_abs_error,rms_error\n", [&](std::string& piece) {
    const std::size_t count = std::min(left.size(), kPrecisionPiece);
    piece = rows_of_precision(left.first(count), policy, frequencies, overflows);
    left = left.subspan(count);
  });
  notice_overflows(overflows, positions.size(), policy);
  notice_axis(values.rope, rope);
  notice_length(values.rope, rope);
}

std::string policy_list() {
  std::string text = "Policies:\n";
  Words::List words;
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    words.emplace_back("precision_policy." + std::string(policy.name));
  }
  const std::vector<std::string> said = said_in_english(words);
  for (std::size_t i = 0; i < said.size(); ++i) {
    std::string name(all_precision_policies()[i].name);
    name.resize(std::max<std::size_t>(name.size(), 22), ' ');
    text += "  " + name + " " + said[i] + "\n";
  }
  return text +
         "max_abs_error is the largest |cos - cos in float64| over the pairs, rms_error the root of the mean over\n"
         "the pairs of (cos error)^2 + (sin error)^2: how far off the points (cos, sin) are; for rotations both are of "
         "the\n"
         "rotated vector (1, 1)/sqrt(2).\n"
         "Where a format overflows they are nan.\n";
}

}  // namespace

Action declare_precision(Arguments& arguments) {
  const auto values = std::make_shared<PrecisionValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--policy", "NAME", values->policy, "How numbers are rounded; the list is below",
                   Arguments::Need::required);
  arguments.option("--positions", "LIST", values->positions, "Numbers and inclusive ranges a:b or a:b:step, by commas",
                   Arguments::Need::required);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  arguments.footer(policy_list);
  return [values] { run_precision(*values); };
}

// --- Factors -------------------------------------------------------------------------------------------------------

namespace {

/// "Which factor, with which method, for this context?", as given.
struct FactorOptions {
  std::optional<std::string> methods, criterion, level;
};

/// Is told how far the search is, 0 … 1, and of what.
using TellFactors = std::function<void(double done, const std::string& step)>;

/// What was asked, read before anything is computed.
struct FactorRequest {
  RotarySpec spec;
  std::size_t axis = 0;
  std::vector<std::string> methods;
  ContextQuestion question;
};

/// A method whose one number is asked for: nothing else of it has to be given.
bool takes_factor(const ScalingMethod& method) {
  return method.lists.empty() && find_parameter(method, "factor");
}

std::vector<std::string> methods_that_take_one(bool trained_length = true) {
  std::vector<std::string> names;
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (takes_factor(method) && (trained_length || !method.needs_trained_length)) names.emplace_back(method.name);
  }
  return names;
}

std::vector<std::string> read_methods(const std::string& option, bool trained_length) {
  if (option == "all") return methods_that_take_one(trained_length);
  std::vector<std::string> names = split(option, ',');
  for (const std::string& name : names) {
    if (!takes_factor(find_scaling_method(name))) {
      reject("--factors", name, {"expected.factors", {{"methods", one_of(methods_that_take_one())}}});
    }
  }
  return names;
}

ContextQuestion read_question(const FactorOptions& options) {
  ContextQuestion question;
  if (options.criterion) {
    const auto criterion = criterion_of(*options.criterion);
    if (!criterion) reject("--criterion", *options.criterion, {"non-negative", "level", "mean", "seen"});
    question.criterion = *criterion;
  }
  const bool by_level = question.criterion == ContextCriterion::level;
  if (options.level) {
    question.level = read(number_between(-1, 1), "--level", *options.level);
    if (!by_level)
      throw InputError("command.both_or_neither", {{"given", "--level"}, {"missing", "--criterion level"}});
  } else if (by_level) {
    throw InputError("command.no_level", {});
  }
  return question;
}

/// The spec under a method with a factor; what the options or the model say of that same method stays.
RotarySpec with_factor(const FactorRequest& request, const std::string& method, double factor) {
  RotarySpec spec = request.spec;
  if (spec.extension.method != method) spec.extension = {.method = method, .numbers = {}, .lists = {}};
  for (const ScalingField& parameter : find_scaling_method(method).parameters) {
    // What a config would have to say is taken as it was released; what is given stays.
    if (parameter.required) spec.extension.numbers.try_emplace(std::string(parameter.name), parameter.initial);
  }
  spec.extension.numbers["factor"] = factor;
  return spec;
}

Eigen::VectorXd ladder_with(const FactorRequest& request, const std::string& method, double factor) {
  return scaled_ladder(with_factor(request, method, factor), request.axis,
                       static_cast<double>(request.question.context))
      .frequencies;
}

void add_factor_options(Arguments& arguments, FactorOptions& options) {
  arguments.option("--factors", "M[,M]|all", options.methods,
                   "Also the smallest factor of these methods of context extension that allows the context, "
                   "rounded up to six digits, up to 10000");
  arguments.option(
      "--criterion", "C", options.criterion,
      "When a factor allows it: non-negative (default: the sum of cosines), level, mean (of the similarity, "
      "above 0), seen (no unseen phase)");
  arguments.option("--level", "K", options.level, "The similarity that --criterion level asks for, -1 to 1");
}

std::shared_ptr<const FactorRequest> read_factors(const FactorOptions& options, const RopeOptions& rope_options,
                                                  const Rope& rope, std::optional<double> context) {
  if (!options.methods) {
    if (options.criterion)
      throw InputError("command.both_or_neither", {{"given", "--criterion"}, {"missing", "--factors"}});
    if (options.level) throw InputError("command.both_or_neither", {{"given", "--level"}, {"missing", "--factors"}});
    return nullptr;
  }
  if (!context) throw InputError("command.no_context", {});
  FactorRequest request;
  request.spec = rope.profile.spec;
  const RotaryAxis& axis = choose_axis(rope_options, rope);
  request.axis = static_cast<std::size_t>(&axis - rope.profile.spec.axes.data());
  request.methods = read_methods(*options.methods, rope.profile.spec.trained_length.has_value());
  request.question = read_question(options);
  request.question.context = static_cast<std::int64_t>(*context);
  request.question.trained_length = rope.profile.spec.trained_length.value_or(0);
  request.question.trained = axis_frequencies(axis);
  if (request.question.criterion == ContextCriterion::seen && request.question.trained_length < 1) {
    throw InputError("command.no_trained_length", {});
  }
  // What a method lacks is said before anything is computed.
  for (const std::string& method : request.methods) ladder_with(request, method, 1);
  return std::make_shared<FactorRequest>(std::move(request));
}

/// Adds "criterion" and "factors": of each method the smallest factor that allows the context and the smallest above
/// which none failed, null where there is none. Nothing more once stopped.
void add_factors(nlohmann::ordered_json& limits, const FactorRequest& request, const Work& work,
                 const TellFactors& tell) {
  limits["criterion"] = criterion_name(request.question.criterion);
  nlohmann::ordered_json factors = nlohmann::ordered_json::object();
  const double all = static_cast<double>(request.methods.size());
  for (std::size_t i = 0; i < request.methods.size(); ++i) {
    const std::string& method = request.methods[i];
    const auto found =
        allowing_factors([&](double factor) { return ladder_with(request, method, factor); }, request.question, work,
                         [&](double done) { tell((static_cast<double>(i) + done) / all, "factor of " + method); });
    if (!found) return;
    factors[method] = {{"smallest", or_null(found->smallest)}, {"robust", or_null(found->robust)}};
  }
  limits["factors"] = factors;
  limits["factors_searched_to"] = kLargestSearchedFactor;
}

}  // namespace

// --- limits --------------------------------------------------------------------------------------------------------

namespace {

struct LimitsValues {
  RopeOptions rope;
  FactorOptions factors;
  std::optional<std::string> context, output, threads;
};

std::optional<double> read_context(const std::optional<std::string>& option) {
  if (!option) return std::nullopt;
  // The window finds its limits while one looks on, and asks for fewer.
  const NumberField field = with_range(window_field("limits.context"), 1, static_cast<double>(kFarthestDistance));
  return read(field, "--context", *option);
}

/// A number with no more digits than are right, as JSON prints all that tell it from its neighbours.
double with_digits(double value, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return *parse_number(text.data());
}

/// The digits of the effective pairs that the sum of their rounding errors leaves.
constexpr int kDigitsOfPairs = 12;

/// What stops the work and what tells how far it is.
struct Watch {
  StopOnInterrupt interrupt;
  ProgressLine line;
};

/// "largest context", "smallest base: above 1.2e+04".
std::string words_of_step(LimitsStep step, double base) {
  if (step == LimitsStep::largest_context) return "largest context";
  return (step == LimitsStep::smallest_base ? "smallest base: above " : "robust base: below ") +
         readable_number(base, 3);
}

/// The context that is asked for: the given one, else the trained length.
std::optional<double> context_of(const Rope& rope, std::optional<double> given) {
  return given ? given : rope.profile.spec.trained_length;
}

ordered_json limits_of(const LimitsValues& values, const Rope& rope, std::optional<double> context, int threads,
                       Watch& watch) {
  LimitsQuestion question{rope.profile.spec, 0, rope.length, context};
  question.axis = static_cast<std::size_t>(&choose_axis(values.rope, rope) - rope.profile.spec.axes.data());
  const ContextLimits found = context_limits(
      question, {threads, watch.interrupt.token()},
      [&watch](double done, LimitsStep step, double base) { watch.line.show(done, words_of_step(step, base)); });
  ordered_json limits;
  if (depends_on_length(rope)) limits["ladder"] = ladder_text(rope);
  limits["largest_context"] = found.negative ? ordered_json(*found.negative - 1) : ordered_json(nullptr);
  limits["first_negative_distance"] = or_null(found.negative);
  limits["shaken_context"] = or_null(found.shaken ? found.shaken->largest() : std::nullopt);
  limits["shaken_base"] =
      found.shaken && found.shaken->negative ? ordered_json(found.shaken->base) : ordered_json(nullptr);
  for (const char* key : {"smallest_base", "window", "robust_base"}) limits[key] = nullptr;
  if (found.smallest) {
    limits["smallest_base"] = found.smallest->window.low;
    limits["window"] = {found.smallest->window.low, found.smallest->window.high};
  }
  if (found.robust) limits["robust_base"] = found.robust->base;
  limits["robust_ratio"] = kRobustRatio;
  limits["critical_dimension"] = or_null(found.critical_dimension);
  limits["unseen_pairs"] = or_null(found.unseen_pairs);
  limits["effective_pairs"] = nullptr;
  if (found.effective_pairs) limits["effective_pairs"] = with_digits(*found.effective_pairs, kDigitsOfPairs);
  return limits;
}

/// Nothing where it was stopped.
std::optional<std::string> watched_limits(const LimitsValues& values, const Rope& rope, std::optional<double> context,
                                          int threads) {
  const auto factors = read_factors(values.factors, values.rope, rope, context);
  Watch watch;
  ordered_json limits = limits_of(values, rope, context, threads, watch);
  if (factors) {
    add_factors(limits, *factors, {threads, watch.interrupt.token()},
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
