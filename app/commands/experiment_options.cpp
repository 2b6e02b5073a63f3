// Experiments from options, shortened messages, progress lines and cancellation by Ctrl+C.
//
// Contents: Experiments; Echo; Progress; Interruption.

#include "app/commands/experiment_options.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "app/commands/commands.h"
#include "app/experiment/rope_spec.h"
#include "app/experiment/user_data.h"
#include "app/resources/places.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/messages.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Experiments ---------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kPins = R"([{"slot": 1, "name": "mine", "rope": {"base": 500000}}, ...])";
constexpr const char* kNotes =
    R"([{"view": "decay", "figure": "similarity", "text": "here", "x": 100, "y": 0.5, "text_x": 400, "text_y": 0.8}, ...])";

/// Returns the fields of --set, one per line: those of a view, or all; without a view, how to list them.
std::string field_table(const Text& text, std::string_view topic) {
  if (topic != kAllTopics && !is_view(topic)) {
    return wrap_help(text.format("help.fields.views", {{"views", joined(names_by(all_views(), &View::id))}})) + "\n";
  }
  std::set<std::string, std::less<>> keys;
  if (topic != kAllTopics) {
    const Experiment made;
    for (const std::string& key : keys_of(fields_of(find_view(topic), made))) keys.insert(key);
  }
  std::vector<std::vector<std::string>> rows;
  for (const FieldInfo& field : list_fields()) {
    if (topic != kAllTopics && !keys.contains(field.key)) continue;
    const std::string expected = text.render(field.expected);
    rows.push_back(
        {"  " + field.key, field.value.empty()
                               ? expected
                               : text.format("help.fields.row", {{"expected", expected}, {"initial", field.value}})});
  }
  rows.push_back({"  pins", text.format("help.fields.pins", {{"example", kPins}})});
  rows.push_back({"  notes", text.format("help.fields.notes", {{"example", kNotes}})});
  return text["help.fields.about"] + "\n" + aligned(rows);
}

/// Returns the embedding of an experiment as if an option had named it, for options that change only a part of it.
Rope to_named_rope(const RopeFields& fields) {
  Rope rope;
  rope.profile.name = fields.profile;
  rope.profile.spec = spec_of(fields);
  rope.source = "the experiment";
  rope.label = fields.label;
  rope.config = fields.config;
  rope.model = fields.model;
  if (fields.scaling.length > 0) rope.length = fields.scaling.length;
  return rope;
}

void apply_rope(RopeOptions options, RopeFields& fields) {
  const bool named = names_source(options) || options.profile;
  // A formula stays a string because d and b may be set later.
  if (!named && !options.ladder && !fields.ladder.empty()) options.ladder = load_ladder(fields.ladder);
  const bool changed = !named || (options.dim && !options.base && !options.config && !options.model);
  const Rope rope = changed ? resolve_rope(options, to_named_rope(fields)) : resolve_rope(options);
  RopeFields chosen = to_rope_fields(rope.profile, rope.label);
  chosen.config = rope.config;
  chosen.model = rope.model;
  chosen.scaling.length = rope.length.value_or(0);
  if (!named) chosen.axis = fields.axis;
  if (options.ladder) chosen.ladder = *options.ladder;
  if (options.axis) {
    const std::vector<std::string> names = axis_names(chosen);
    if (std::find(names.begin(), names.end(), *options.axis) == names.end()) {
      reject("--axis", *options.axis, names.empty() ? Message("expected.no_axis") : one_of(names));
    }
    chosen.axis = *options.axis;
  }
  fields = chosen;
}

/// Throws InputError for messages that the window would display inside the plot.
void check_texts(const Experiment& experiment) {
  read_rope(experiment.rope);
  const View& view = find_view(experiment.view);
  if (view.check) view.check(experiment);
  check_facets(experiment);
}

/// The first facet is horizontal, the second vertical.
void apply_facets(const std::vector<std::string>& given, Experiment& experiment) {
  if (given.empty()) return;
  if (given.size() > 2) throw InputError("command.facet_times", {{"count", given.size()}});
  experiment.facet = {facet_as_given(given[0], experiment, "--facet"), {}};
  if (given.size() == 2) experiment.facet.down = facet_as_given(given[1], experiment, "--facet");
}

/// Returns the view whose layout a config sets in place of the rope, or null, once all fields are set.
const View* layout_view(Experiment experiment, const std::vector<std::string>& sets) {
  for (const std::string& assignment : sets) assign(experiment, assignment);
  clamp(experiment);
  const View& view = find_view(experiment.view);
  return view.shows_layout && view.shows_layout(experiment) ? &view : nullptr;
}

/// Validates names whose values only the window knows.
void check_names(const Experiment& experiment, const std::vector<std::string>& sets) {
  const auto is_set = [&sets](std::string_view key) {
    return std::any_of(sets.begin(), sets.end(), [key](const std::string& set) { return set.starts_with(key); });
  };
  if (is_set("view=")) {
    const std::vector<std::string> views = names_by(all_views(), &View::id);
    if (std::find(views.begin(), views.end(), experiment.view) == views.end()) {
      reject("--set: view", experiment.view, views);
    }
  }
  if (!is_set("hidden=")) return;
  std::vector<std::string> ropes{kCurrentKey};
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) ropes.push_back(pin_key(pin));
  for (const std::string& name : experiment.hidden) {
    if (std::find(ropes.begin(), ropes.end(), name) == ropes.end()) reject("--set: hidden", name, ropes);
  }
}

/// A figure identifies its files only by name.
void check_files(const Experiment& experiment, const ExperimentOptions& options) {
  if (!options.experiment) return;
  const std::vector<FileField> missing = missing_files(experiment);
  if (missing.empty()) return;
  throw InputError(
      "command.missing_file",
      {{"figure", *options.experiment}, {"file", in_quotes(missing.front().path)}, {"key", missing.front().key}});
}

// --- Echo ----------------------------------------------------------------------------------------------------------

void replace_all(std::string& message, std::string_view long_text) {
  const std::string short_text = elide_middle(long_text);
  if (short_text.size() == long_text.size()) return;
  for (std::size_t at = message.find(long_text); at != std::string::npos; at = message.find(long_text, at)) {
    message.replace(at, long_text.size(), short_text);
    at += short_text.size();
  }
}

// --- Progress ------------------------------------------------------------------------------------------------------

constexpr auto kBefore = std::chrono::milliseconds(300), kBetween = std::chrono::milliseconds(100);
/// Returns to the first column and clears to the end of the line.
constexpr const char* kWipe = "\r\x1b[K";

// --- Own curves ----------------------------------------------------------------------------------------------------

/// Reports how the numbers of user curves are read if that is not certain.
void report_readings(const Experiment& experiment) {
  for (const UserCurveFields& own : experiment.own) {
    const Message reading = describe_reading(own.data, own.columns);
    if (!reading.empty()) print_notice({"notice.own_reading", {{"name", own.name}, {"reading", reading}}});
  }
}

}  // namespace

void add_experiment_options(Arguments& arguments, ExperimentOptions& options) {
  arguments.option("--experiment", "F", options.experiment);
  add_rope_options(arguments, options.rope);
  add_axis_option(arguments, options.rope);
  arguments.every("--own", "FILE", options.own);
  arguments.every("--set", "key=value", options.sets);
  arguments.every("--facet", "key=v,v,...", options.facets);
  arguments.footer({}, field_table);
}

Experiment resolve_experiment(const ExperimentOptions& options) {
  Experiment experiment = options.start.value_or(Experiment());
  if (options.experiment) experiment = load_experiment(*options.experiment);
  if (options.view) experiment.view = *options.view;
  RopeOptions rope = options.rope;
  // The config field is read like the option.
  constexpr std::string_view kConfigField = "rope.config=";
  for (const std::string& assignment : options.sets) {
    if (assignment.starts_with(kConfigField) && assignment.size() > kConfigField.size())
      rope.config = assignment.substr(kConfigField.size());
  }
  const View* layouts = rope.config ? layout_view(experiment, options.sets) : nullptr;
  if (layouts) {
    const std::string path = *std::exchange(rope.config, std::nullopt);
    layouts->take_config(experiment, path);
  }
  if (rope != RopeOptions()) apply_rope(rope, experiment.rope);
  if (rope.config || rope.model) follow_opening(experiment);
  for (const std::string& path : options.own) add_curve_file(experiment.own, path);
  for (const std::string& assignment : options.sets) assign(experiment, assignment);
  apply_facets(options.facets, experiment);
  check_names(experiment, options.sets);
  check_curves(experiment);
  if (options.view && experiment.view != *options.view) reject("--set: view", experiment.view, verbatim(*options.view));
  clamp(experiment);  // a rotary dimension larger than the head enlarges the head
  check_files(experiment, options);
  check_texts(experiment);
  report_readings(experiment);
  return experiment;
}

std::string shorten_echoed_arguments(std::string message, std::span<char* const> arguments) {
  if (message.size() <= kMaxEchoedLength) return message;
  for (const char* argument : arguments) {
    const std::string_view text(argument);
    replace_all(message, text);
    // "--option=value", "key=value".
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && equals + 1 < text.size()) replace_all(message, text.substr(equals + 1));
  }
  return shorten_echoes(message);
}

ProgressLine::ProgressLine() : terminal_(os::errors_go_to_terminal()), next_(Clock::now() + kBefore) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::cerr << kWipe << std::flush;
}

void ProgressLine::wipe() {
  if (os::errors_go_to_terminal()) std::cerr << kWipe << std::flush;
}

void ProgressLine::show(double fraction, std::string_view step) {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  const int percent = static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0));
  std::cerr << kWipe + std::to_string(percent) + " % " + std::string(step) << std::flush;
}

// --- Interruption --------------------------------------------------------------------------------------------------

EndOnInterrupt::EndOnInterrupt(const std::string& work)
    : StopOnSignals({StopRequest::interrupt}, [work] {
        ProgressLine::wipe();
        // No one waits for the threads, and none of their results are kept.
        std::_Exit(cancelled(work));
      }) {}

int cancelled(const std::string& work, std::initializer_list<Message::Named> values) {
  print_notice({"notice.cancelled." + work, values});
  return 128 + SIGINT;  // the shell's exit code for a program ended by Ctrl-C
}

}  // namespace ropescope
