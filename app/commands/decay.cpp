// The commands `decay`, `frequencies`, `precision` and `limits`: each resolves a rope from its options
// (rope_options.h), computes its numbers with core, and writes a table or JSON.
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
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/answers.h"
#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/experiment/user_data.h"
#include "app/figure/figure.h"
#include "app/figure/table.h"
#include "app/resources/text.h"
#include "app/resources/weights.h"
#include "app/views/check/report.h"
#include "app/views/limits_report.h"
#include "app/views/shared/cards.h"
#include "core/decay/analysis.h"
#include "core/decay/distances.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/formats/json.h"
#include "core/message.h"
#include "core/precision/precision.h"
#include "core/rotary/spec.h"
#include "core/scaling/context_limits.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- decay ---------------------------------------------------------------------------------------------------------

namespace {

/// All distances of both signs in the longest span of the decay view.
constexpr std::size_t kMaxDistances = 2 * static_cast<std::size_t>(kMaxDecayDistance) + 1;
/// Number of distances whose values and text are in memory at a time.
constexpr std::size_t kDecayPiece = std::size_t{1} << 17;

struct DecayValues {
  RopeOptions rope;
  std::vector<double> distances;
  PairOrder order = PairOrder::fast_first;
  std::optional<std::string> weights;
  std::optional<std::int64_t> layer, head;
  std::vector<std::string> own;
  std::string language;
  int threads = 0;
  OutputFile output;
  bool json = false;
};

/// The rope whose similarity is printed, and content from --weights.
struct DecayRequest {
  Rope rope;
  Eigen::VectorXd frequencies;
  double amplitude = 1;
  const RotaryAxis* axis = nullptr;  ///< null: all axes
  std::optional<HeadContent> weights = {};
};

/// Reads the rope, or that of the weights if no option names one.
DecayRequest decay_request(const DecayValues& values, double farthest) {
  DecayRequest request;
  Rope& rope = request.rope;
  if (!values.weights && (values.layer || values.head)) {
    throw InputError("command.both_needed", {{"given", values.layer ? "--layer" : "--head"}, {"missing", "--weights"}});
  }
  if (values.weights) {
    const LoadedWeights loaded = load_weights({*values.weights, values.rope.config.value_or("")});
    const std::vector<int>& layers = loaded.directory.layers;
    const std::int64_t layer =
        values.layer ? require_between("--layer", *values.layer, 0, layers.back()) : std::int64_t{layers.front()};
    const std::int64_t head = values.head.value_or(1);
    request.weights = head_content(loaded, static_cast<int>(layer), static_cast<double>(head));
    require_between("--head", head, 1, request.weights->head);
    rope.profile = profile_of(loaded.model, static_cast<int>(layer));
    rope.source = rope.label = loaded.name;
  }
  if (values.weights && !names_source(values.rope)) {
    if (values.rope.profile) {  // each layer has its own
      throw InputError("command.both_needed", {{"given", "--profile"}, {"missing", "--config"}});
    }
    rope = resolve_rope(values.rope, std::move(rope));
  } else {
    rope = resolve_rope(values.rope);
  }
  ask_length(rope, farthest);
  // Weights use all axes at once: in text, their positions are equal.
  if (values.weights && !values.rope.axis) {
    HeadLadder ladder = head_ladder(rope.profile.spec, rope.length);
    request.frequencies = std::move(ladder.frequencies);
    request.amplitude = ladder.amplitude;
  } else {
    ScaledLadder ladder = ladder_of(values.rope, rope);
    request.axis = &choose_axis(values.rope, rope);
    request.frequencies = std::move(ladder.frequencies);
    request.amplitude = ladder.amplitude;
  }
  const Eigen::Index pairs = request.weights ? request.weights->rope.frequencies.size() : request.frequencies.size();
  if (pairs != request.frequencies.size()) {
    throw InputError("weights.other_pairs", {{"pairs", pairs}, {"found", request.frequencies.size()}});
  }
  return request;
}

/// Returns the scores that the content gives under the rope of the request, which may have another amplitude.
WeightKernel kernel_of(const DecayRequest& request, std::span<const double> distances) {
  WeightContent content = request.weights->content;
  content.total *= std::pow(request.amplitude / request.weights->rope.amplitude, 2);
  WeightRope rope = request.weights->rope;
  rope.frequencies = request.frequencies;
  return weight_kernel(content, rope, distances);
}

/// Numbers of a user curve by distance; distances between them have none.
struct OwnColumn {
  std::string name;
  std::map<double, double> values;
  std::string cell(double distance) const {
    const auto found = values.find(distance);
    return found == values.end() ? "," : "," + shortest_number(found->second);
  }
};

/// Returns the columns of user curves: values, and the ends of an interval around them. Taken names are numbered:
/// "loss_2". Throws InputError as add_curve_file() does.
std::vector<OwnColumn> own_columns(const std::vector<std::string>& paths) {
  UserCurves curves;
  for (const std::string& path : paths) add_curve_file(curves, path);
  std::vector<OwnColumn> columns;
  std::set<std::string> taken{"distance", "similarity", "abel_bound", "weights", "weights_bound"};
  for (const UserCurveFields& fields : curves) {
    if (!fields.any()) break;
    const Message reading = describe_reading(fields.data, fields.columns);
    if (!reading.empty()) print_notice({"notice.own_reading", {{"name", fields.name}, {"reading", reading}}});
    const CurveFile curve = curve_of(fields).value();
    std::string name = fields.name;
    for (int n = 2; taken.contains(name) || taken.contains(name + "_low") || taken.contains(name + "_high"); ++n) {
      name = fields.name + "_" + std::to_string(n);
    }
    const auto add = [&](const std::string& column, const std::vector<double>& ys) {
      taken.insert(column);
      columns.push_back({column, {}});
      for (std::size_t i = 0; i < ys.size(); ++i) columns.back().values.emplace(curve.xs[i], ys[i]);
    };
    if (curve.has_values) add(name, curve.ys);
    if (curve.lows.empty()) continue;
    add(name + "_low", curve.lows);
    add(name + "_high", curve.highs);
  }
  return columns;
}

/// Returns the rows of these distances.
std::string to_decay_rows(std::span<const double> distances, const DecayRequest& request, PairOrder order, int threads,
                          const std::vector<OwnColumn>& own) {
  const KernelCurves curves = curves_at(distances, request.frequencies, order, {threads});
  const WeightKernel kernel = request.weights ? kernel_of(request, distances) : WeightKernel{};
  std::string rows;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    rows += shortest_number(distances[i]) + "," + shortest_number(curves.similarity[i]) + "," +
            shortest_number(curves.bound[i]);
    if (request.weights) rows += "," + shortest_number(kernel.values[i]) + "," + shortest_number(kernel.bounds[i]);
    for (const OwnColumn& column : own) rows += column.cell(distances[i]);
    rows += "\n";
  }
  return rows;
}

void run_decay(const DecayValues& values) {
  double farthest = 0;
  for (const double distance : values.distances) farthest = std::max(farthest, std::abs(distance));
  const DecayRequest request = decay_request(values, farthest);
  const Rope& rope = request.rope;
  const std::vector<OwnColumn> own = own_columns(values.own);
  const Text text = load_text(values.language);
  RequestSummary question(text);
  question.add_rope(values.rope, rope, request.axis);
  AnswerTable table{question, {{"distance"}, {"similarity"}, {"abel_bound"}}, {text["answer.decay"]}, values.json};
  if (const auto& weights = request.weights) {
    table.columns.insert(table.columns.end(), {{"weights"}, {"weights_bound"}});
    table.notes.push_back(text.format("answer.decay_" + word_of(weights->content.of),
                                      {{"layer", counted(weights->layer)}, {"head", counted(weights->head)}}));
    if (request.frequencies != weights->rope.frequencies) {
      table.notes.push_back(text["readout.decay.weights.other_rope"]);
    }
  }
  for (const OwnColumn& column : own) table.columns.push_back({column.name});
  std::span<const double> left = values.distances;
  put_table(values.output, table, [&](std::string& piece) {
    const std::size_t count = std::min(left.size(), kDecayPiece);
    piece = to_decay_rows(left.first(count), request, values.order, values.threads, own);
    left = left.subspan(count);
  });
  if (request.axis) notice_axis(values.rope, rope);
  notice_length(values.rope, rope);
}

// --- frequencies ---------------------------------------------------------------------------------------------------

using nlohmann::ordered_json;

constexpr int kDigitsOfAmplitude = 6;

struct FrequenciesValues {
  RopeOptions rope;
  bool json = false, profiles = false;
  const OtherWords* as = nullptr;
  std::string language;
  OutputFile output;
};

ordered_json to_frequency_list(const Eigen::VectorXd& numbers) {
  return std::vector<double>(numbers.begin(), numbers.end());
}

std::string frequencies_json(const Rope& rope, const AnswerTable& table) {
  const RotarySpec& spec = rope.profile.spec;
  const HeadLadder head = head_ladder(spec, rope.length);
  ordered_json root;
  root["question"] = table.question.json();
  root["profile"] = rope.profile.name;
  root["head_dim"] = spec.head_dim;
  root["rotary_dim"] = total_rotary_dim(spec);
  root["pairing"] = word_of(spec.pairing);
  root["trained_length"] = or_null(spec.trained_length);
  if (depends_on_length(rope)) root["ladder"] = ladder_text(rope);
  root["amplitude"] = head.amplitude;
  root["frequencies"] = to_frequency_list(head.frequencies);
  if (spec.axes.size() > 1) {
    root["axes"] = ordered_json::array();
    for (std::size_t i = 0; i < spec.axes.size(); ++i) {
      const RotaryAxis& axis = spec.axes[i];
      root["axes"].push_back({{"name", axis.name},
                              {"rotary_dim", axis.rotary_dim},
                              {"base", axis.base},
                              {"frequencies", to_frequency_list(scaled_ladder(spec, i, rope.length).frequencies)}});
    }
  }
  root["notes"] = table.notes;
  return json_text(root);
}

std::string to_frequency_rows(const Rope& rope) {
  const RotarySpec& spec = rope.profile.spec;
  std::string csv;
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

/// Asks the question, and returns the table without its rows. A single axis and the amplitude are in the question.
AnswerTable frequencies_table(const FrequenciesValues& values, const Rope& rope, RequestSummary& question) {
  const Text& text = question.text();
  const std::vector<RotaryAxis>& axes = rope.profile.spec.axes;
  const RotaryAxis* axis = axes.size() == 1 ? &axes.front() : nullptr;
  question.add_rope(values.rope, rope, axis);
  const double amplitude = head_ladder(rope.profile.spec, rope.length).amplitude;
  question.add("amplitude", amplitude, readable_number(amplitude, kDigitsOfAmplitude));
  AnswerTable table{
      question, {{"axis", !axis}, {"pair"}, {"frequency"}, {"wavelength"}, {"amplitude", false}}, {}, values.json};
  table.notes = {text["answer.frequencies"]};
  if (axis) table.notes.push_back(unseen_sentence(rope.profile.spec, *axis, rope.length, text));
  std::erase(table.notes, std::string());
  for (const std::string& sentence : unrotated_sentences(rope, text)) table.notes.push_back(sentence);
  return table;
}

void run_frequencies(const FrequenciesValues& values) {
  if (values.profiles) return put_result(values.output, profile_list(values.rope, values.json));
  const Rope rope = resolve_rope(values.rope);
  if (values.as && values.json) refuse_both("--as", "--json");
  if (values.as) return put_equivalent(values.output, *values.as, {{&rope.profile, 1}, rope.length});
  const Text text = load_text(values.language);
  RequestSummary question(text);
  const AnswerTable table = frequencies_table(values, rope, question);
  if (values.json) {
    put_text(values.output, frequencies_json(rope, table));
  } else {
    std::string rows = to_frequency_rows(rope);
    put_table(values.output, table, [&rows](std::string& piece) { piece = std::exchange(rows, {}); });
  }
  notice_length(values.rope, rope);
}

// --- precision -----------------------------------------------------------------------------------------------------

constexpr std::size_t kMaxPrecisionPositions = 16'777'217;
/// Number of positions whose text is in memory at a time.
constexpr std::size_t kPrecisionPiece = std::size_t{1} << 14;

struct PrecisionValues {
  RopeOptions rope;
  const PrecisionPolicy* policy = nullptr;
  std::vector<double> positions;
  std::string language;
  OutputFile output;
  bool json = false;
};

/// Positions at which the format overflows.
struct Overflows {
  std::size_t count = 0;
  double first = 0;
};

std::string to_precision_rows(std::span<const double> positions, const PrecisionPolicy& policy,
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
  print_notice({"notice.overflows",
                {{"policy", policy.name},
                 {"count", overflows.count},
                 {"positions", positions},
                 {"first", shortest_number(overflows.first)}}});
}

void run_precision(const PrecisionValues& values) {
  const PrecisionPolicy& policy = *values.policy;
  const std::vector<double>& positions = values.positions;
  Rope rope = resolve_rope(values.rope);
  ask_length(rope, *std::max_element(positions.begin(), positions.end()) + 1);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  const Text text = load_text(values.language);
  RequestSummary question(text);
  question.add_rope(values.rope, rope, &choose_axis(values.rope, rope));
  const std::string name(policy.name);
  question.add("policy", name, name + ": " + text["precision_policy." + name], "--policy");
  const AnswerTable table{question,
                          {{"position"}, {"policy", false}, {"max_abs_error"}, {"rms_error"}},
                          {text["answer.precision"]},
                          values.json};
  std::span<const double> left = positions;
  Overflows overflows;
  put_table(values.output, table, [&](std::string& piece) {
    const std::size_t count = std::min(left.size(), kPrecisionPiece);
    piece = to_precision_rows(left.first(count), policy, frequencies, overflows);
    left = left.subspan(count);
  });
  notice_overflows(overflows, positions.size(), policy);
  notice_axis(values.rope, rope);
  notice_length(values.rope, rope);
}

std::string policy_list(const Text& text, std::string_view /*topic*/) {
  std::vector<std::vector<std::string>> rows;
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    rows.push_back({"  " + std::string(policy.name), text["precision_policy." + std::string(policy.name)]});
  }
  return aligned(rows);
}

// --- Factors -------------------------------------------------------------------------------------------------------

constexpr std::string_view kAllMethods = "all";

/// Options of the search for a factor that allows a context.
struct FactorOptions {
  std::vector<std::string> methods;  ///< empty: no search; kAllMethods: every method
  std::optional<ContextCriterion> criterion;
  std::optional<double> level;
};

std::vector<std::string> parse_methods(const std::string& option, const std::string& text) {
  std::vector<std::string> names = split(text, ',');
  for (const std::string& name : names) {
    if (text == kAllMethods || takes_factor(find_scaling_method(name))) continue;
    reject(option, name, {"expected.factors", {{"methods", one_of(factor_methods(true))}}});
  }
  return names;
}

ContextCriterion parse_criterion(const std::string& option, const std::string& text) {
  if (const auto criterion = criterion_of(text)) return *criterion;
  reject(option, text, {"non-negative", "level", "mean", "seen"});
}

void add_factor_options(Arguments& arguments, FactorOptions& options) {
  arguments.option("--factors", "M[,M]|all", parsed_into(options.methods, parse_methods));
  arguments.option("--criterion", "C", parsed_into(options.criterion, parse_criterion));
  arguments.option("--level", "K", number_into(options.level, number_between(-1, 1)));
}

/// Throws InputError if two options do not fit each other.
ContextQuestion to_question(const FactorOptions& options) {
  ContextQuestion question;
  question.criterion = options.criterion.value_or(question.criterion);
  const bool by_level = question.criterion == ContextCriterion::level;
  if (by_level && !options.level) throw InputError("command.no_level", {});
  if (!by_level && options.level) {
    throw InputError("command.both_or_neither", {{"given", "--level"}, {"missing", "--criterion level"}});
  }
  question.level = options.level.value_or(question.level);
  return question;
}

std::shared_ptr<const FactorRequest> to_factor_request(const FactorOptions& options, const RopeOptions& rope_options,
                                                       const Rope& rope, std::optional<double> context) {
  if (options.methods.empty()) {
    if (options.criterion)
      throw InputError("command.both_or_neither", {{"given", "--criterion"}, {"missing", "--factors"}});
    if (options.level) throw InputError("command.both_or_neither", {{"given", "--level"}, {"missing", "--factors"}});
    return nullptr;
  }
  if (!context) throw InputError("command.no_context", {});
  const RotarySpec& spec = rope.profile.spec;
  const auto axis = static_cast<std::size_t>(&choose_axis(rope_options, rope) - spec.axes.data());
  std::vector<std::string> methods = options.methods;
  if (methods.front() == kAllMethods) methods = factor_methods(spec.trained_length.has_value());
  const ContextQuestion question = to_question(options);
  if (question.criterion == ContextCriterion::seen && spec.trained_length.value_or(0) < 1) {
    throw InputError("command.no_trained_length", {});
  }
  return std::make_shared<FactorRequest>(factor_request(spec, axis, std::move(methods), question, *context));
}

// --- limits --------------------------------------------------------------------------------------------------------

struct LimitsValues {
  RopeOptions rope;
  FactorOptions factors;
  std::optional<double> context;
  std::string language;
  int threads = 0;
  OutputFile output;
  bool json = false;
};

/// Cancellation and progress of the work.
struct Watch {
  StopOnInterrupt interrupt;
  ProgressLine line;
};

/// Returns "largest context" or "smallest base: above 1.2e+04".
std::string describe_limits_step(LimitsStep step, double base) {
  if (step == LimitsStep::largest_context) return "largest context";
  return (step == LimitsStep::smallest_base ? "smallest base: above " : "robust base: below ") +
         readable_number(base, 3);
}

/// Returns whether the options leave the base open: then only bases for a context can be computed.
bool has_base(const RopeOptions& options) {
  return options.config || options.model || options.base || options.ladder || !options.dim;
}

/// Returns the rope. A missing base is replaced by an arbitrary one, which the answer does not use.
Rope rope_of_limits(const LimitsValues& values) {
  if (has_base(values.rope)) return resolve_rope(values.rope);
  if (!values.context && !values.rope.trained_length) throw InputError("command.no_base_or_context", {});
  if (!values.factors.methods.empty() || values.rope.scaling) throw InputError("command.no_base", {});
  RopeOptions options = values.rope;
  options.base = RotaryAxis().base;
  return resolve_rope(options);
}

/// Adds the context and its origin.
void add_context(const LimitsValues& values, const LimitsAnswer& answer, RequestSummary& question) {
  const Text& text = question.text();
  if (!answer.context) return question.add("context", nullptr, text["unit.none"]);
  std::string origin = "--context";
  if (!values.context && answer.extended) {
    origin = text.format("answer.original_length", {{"extended", shortest_number(*answer.extended)}});
  } else if (!values.context) {
    origin = text["answer.trained_length"];
  }
  question.add("context", *answer.context, readable_integer(*answer.context), origin);
}

/// Computes the limits and the factors; returns false if cancelled.
bool find_limits(const FactorRequest* factors, int threads, LimitsAnswer& answer) {
  Watch watch;
  const Work work{threads, watch.interrupt.token()};
  const RotarySpec& spec = answer.profile.spec;
  const auto axis = static_cast<std::size_t>(&answer.axis - spec.axes.data());
  answer.found = context_limits(
      {spec, axis, answer.length, answer.context, answer.has_base}, work,
      [&watch](double done, LimitsStep step, double base) { watch.line.show(done, describe_limits_step(step, base)); });
  if (factors) {
    answer.criterion = factors->question.criterion;
    answer.factors = find_factors(*factors, work, [&watch](double done, const std::string& method) {
      watch.line.show(done, "factor of " + method);
    });
  }
  return !work.stopped();
}

int run_limits(const LimitsValues& values) {
  const Text text = load_text(values.language);
  Rope rope = rope_of_limits(values);
  require_known_extension(values.rope, rope);
  if (values.context) ask_length(rope, *values.context);
  LimitsAnswer answer{.profile = rope.profile,
                      .axis = choose_axis(values.rope, rope),
                      .length = rope.length,
                      .has_base = has_base(values.rope),
                      .context = values.context ? values.context : rope.profile.spec.trained_length,
                      .extended = extended_length(values.rope, rope)};
  const auto factors = to_factor_request(values.factors, values.rope, rope, answer.context);
  RequestSummary question(text);
  question.add_rope(values.rope, rope, &answer.axis, answer.has_base);
  add_context(values, answer, question);
  if (!find_limits(factors.get(), values.threads, answer)) return cancelled("limits");
  ordered_json json{{"question", question.json()}};
  if (answer.has_base && depends_on_length(rope)) json["ladder"] = ladder_text(rope);
  std::string lines = question.lines() + "\n";
  for (const LimitsRow& row : limits_rows(answer, text)) {
    json[row.name] = row.value;
    lines += row.words;
  }
  put_text(values.output, values.json ? json_text(json) : lines);
  notice_axis(values.rope, rope);
  if (answer.has_base) notice_length(values.rope, rope);
  return 0;
}

}  // namespace

Action declare_decay(Arguments& arguments) {
  const auto values = std::make_shared<DecayValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--distances", "LIST", list_into(values->distances, kMaxDistances), Arguments::Need::required);
  arguments.every("--own", "FILE", values->own);
  arguments.option("--order", "reversed",
                   word_into(values->order,
                             {{"fast-first", PairOrder::fast_first},
                              {"reversed", PairOrder::slow_first},
                              {"slow-first", PairOrder::slow_first}},
                             {"reversed (slow-first)", "fast-first"}));
  arguments.option("--weights", "PATH", values->weights);
  arguments.option("--layer", "N", whole_into(values->layer));
  arguments.option("--head", "N", whole_into(values->head, 1, kMaxWeightsHead));
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json);
  add_language_option(arguments, values->language);
  arguments.option("-o,--output", "F", values->output);
  return [values] { run_decay(*values); };
}

Action declare_frequencies(Arguments& arguments) {
  const auto values = std::make_shared<FrequenciesValues>();
  add_rope_options(arguments, values->rope);
  arguments.flag("--json", values->json);
  add_as_option(arguments, values->as);
  arguments.flag("--profiles", values->profiles);
  add_language_option(arguments, values->language);
  arguments.option("-o,--output", "F", values->output);
  return [values] { run_frequencies(*values); };
}

Action declare_precision(Arguments& arguments) {
  const auto values = std::make_shared<PrecisionValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  const auto find = [](const std::string& text) { return &find_precision_policy(text); };
  arguments.option("--policy", "NAME", parsed_into(values->policy, find), Arguments::Need::required);
  arguments.option("--positions", "LIST", list_into(values->positions, kMaxPrecisionPositions),
                   Arguments::Need::required);
  arguments.flag("--json", values->json);
  add_language_option(arguments, values->language);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer(Message("help.precision.footer"), policy_list);
  return [values] { run_precision(*values); };
}

Action declare_limits(Arguments& arguments) {
  const auto values = std::make_shared<LimitsValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  // The window computes its limits interactively and has a smaller range.
  const NumberField context = set_range(window_field("limits.context"), 1, static_cast<double>(kFarthestDistance));
  arguments.option("--context", "L", number_into(values->context, context));
  add_factor_options(arguments, values->factors);
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json);
  add_language_option(arguments, values->language);
  arguments.option("-o,--output", "F", values->output);
  return [values] { return run_limits(*values); };
}

}  // namespace ropescope
