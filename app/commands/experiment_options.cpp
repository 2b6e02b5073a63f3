// Fills an experiment from options, shortens messages, shows progress and ends at Ctrl+C.
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
#include "app/experiment/own_data.h"
#include "app/experiment/rope_spec.h"
#include "app/resources/places.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/messages.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/words.h"

namespace ropescope {

// --- Experiments ---------------------------------------------------------------------------------------------------

namespace {

/// What --set takes, one field a line.
std::string field_table() {
  const Text english = Text::load(find_places().assets);
  std::string text = "Fields of --set key=value (the last part of a key is enough where it is unique):\n";
  for (const FieldInfo& field : list_fields()) {
    text += "  " + field.key + std::string(field.key.size() < 24 ? 24 - field.key.size() : 1, ' ') +
            english.say(field.expected);
    if (!field.value.empty()) text += "; default " + field.value;
    text += "\n";
  }
  return text +
         "  pins                    a list [{\"slot\": 1, \"name\": \"mine\", \"rope\": {\"base\": 500000}}, ...] of "
         "kept curves\n"
         "  notes                   a list [{\"view\": \"decay\", \"figure\": \"similarity\", \"text\": \"here\", "
         "\"x\": 100, \"y\": 0.5, "
         "\"text_x\": 400, \"text_y\": 0.8}, ...] of words with an arrow to a place";
}

/// The embedding of an experiment as if an option had named it, for options that change only a part of it.
Rope rope_of_experiment_options(const RopeFields& fields) {
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
  // Of a formula the text stays: it is one of the d and b that are set later, too.
  if (!named && !options.ladder && !fields.ladder.empty()) options.ladder = fields.ladder;
  Rope rope;
  if (named && !(options.dim && !options.base && !options.config && !options.model)) {
    rope = resolve_rope(options);
  } else {
    rope = rope_of_experiment_options(fields);
    override_rope(options, rope);
  }
  RopeFields chosen = fields_of(rope.profile, rope.label);
  chosen.config = rope.config;
  chosen.model = rope.model;
  chosen.scaling.length = rope.length.value_or(0);
  if (!named) chosen.axis = fields.axis;
  if (options.ladder) chosen.ladder = ladder_of_file(*options.ladder);
  if (options.axis) {
    const std::vector<std::string> names = axis_names(chosen);
    if (std::find(names.begin(), names.end(), *options.axis) == names.end()) {
      reject("--axis", *options.axis, names.empty() ? Words("expected.no_axis") : one_of(names));
    }
    chosen.axis = *options.axis;
  }
  fields = chosen;
}

/// A picture of an error message would be no answer: what the window says inside the plot is an error here.
void check_texts(const Experiment& experiment) {
  read_rope(experiment.rope);
  const View& view = find_view(experiment.view);
  if (view.check) view.check(experiment);
  check_facets(experiment);
}

/// The first one side by side, the second one under each other.
void apply_facets(const std::vector<std::string>& given, Experiment& experiment) {
  if (given.empty()) return;
  if (given.size() > 2) throw InputError("command.facet_times", {{"count", given.size()}});
  experiment.facet = {facet_as_given(given[0], experiment, "--facet"), {}};
  if (given.size() == 2) experiment.facet.down = facet_as_given(given[1], experiment, "--facet");
}

/// The view that a config is meant for in place of the rope, or null: as the experiment stands once all fields are set.
const View* layout_view(Experiment experiment, const std::vector<std::string>& sets) {
  for (const std::string& assignment : sets) assign(experiment, assignment);
  clamp(experiment);
  const View& view = find_view(experiment.view);
  return view.shows_layout && view.shows_layout(experiment) ? &view : nullptr;
}

/// What only the window knows the values of.
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
  std::vector<std::string> ropes{"current"};
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) ropes.push_back(pin_key(pin));
  for (const std::string& name : experiment.hidden) {
    if (std::find(ropes.begin(), ropes.end(), name) == ropes.end()) reject("--set: hidden", name, ropes);
  }
}

/// A figure says of the files that it was drawn from their names alone.
void check_files(const Experiment& experiment, const ExperimentOptions& options) {
  if (!options.experiment) return;
  const std::vector<FileField> missing = missing_files(experiment);
  if (missing.empty()) return;
  throw InputError(
      "command.missing_file",
      {{"figure", *options.experiment}, {"file", in_quotes(missing.front().path)}, {"key", missing.front().key}});
}

}  // namespace

void add_experiment_options(Arguments& arguments, ExperimentOptions& options) {
  arguments.option(
      "--experiment", "F", options.experiment,
      "A saved experiment to start from, or a figure that carries one: .svg, .pdf or .png (default: the defaults)");
  add_rope_options(arguments, options.rope);
  add_axis_option(arguments, options.rope);
  arguments.option("--own", "FILE", options.own,
                   "A curve of one's own for Decay and Sweep: a .csv or .npy of values, or of places and values");
  arguments.every("--set", "key=value", options.sets, "Change one field; may be repeated");
  arguments.every("--facet", "key=v,v,...", options.facets,
                  "The picture once for each value, side by side; a second one downwards. Also a range as of sweep, "
                  "key=A..B:N:log, and model=PRESET,...");
  arguments.footer(field_table);
}

Experiment resolve_experiment(const ExperimentOptions& options) {
  Experiment experiment = options.start.value_or(Experiment());
  if (options.experiment) experiment = load_experiment(*options.experiment);
  if (options.view) experiment.view = *options.view;
  RopeOptions rope = options.rope;
  // The field of a config is read like the option.
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
  if (changes_anything(rope)) apply_rope(rope, experiment.rope);
  if (rope.config || rope.model) follow_opening(experiment);
  if (options.own) take_curve_file(experiment.own, *options.own);
  for (const std::string& assignment : options.sets) assign(experiment, assignment);
  apply_facets(options.facets, experiment);
  check_names(experiment, options.sets);
  check_curves(experiment);
  if (options.view && experiment.view != *options.view) reject("--set: view", experiment.view, as_it_is(*options.view));
  clamp(experiment);  // a rotary dimension above the head's grows the head
  check_files(experiment, options);
  check_texts(experiment);
  return experiment;
}

// --- Echo ----------------------------------------------------------------------------------------------------------

namespace {

void replace_all(std::string& message, std::string_view long_text) {
  const std::string short_text = without_middle(long_text);
  if (short_text.size() == long_text.size()) return;
  for (std::size_t at = message.find(long_text); at != std::string::npos; at = message.find(long_text, at)) {
    message.replace(at, long_text.size(), short_text);
    at += short_text.size();
  }
}

/// What stands between two of `ends`, shortened.
std::string shortened_between(std::string_view message, std::string_view ends) {
  std::string shorter;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find_first_of(ends, begin), message.size());
    shorter += without_middle(message.substr(begin, end - begin));
    if (end < message.size()) shorter += message[end];
    begin = end + 1;
  }
  return shorter;
}

/// Texts in quotes; sentences between them are the program's own.
std::string with_short_quotes(const std::string& message) {
  std::string shorter;
  bool quoted = false;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('"', begin), message.size());
    const std::string_view part = std::string_view(message).substr(begin, end - begin);
    shorter += quoted && end < message.size() ? without_middle(part) : std::string(part);
    if (end < message.size()) shorter += '"';
    quoted = !quoted;
    begin = end + 1;
  }
  return shorter;
}

}  // namespace

std::string with_short_echoes(std::string message, std::span<char* const> arguments) {
  if (message.size() <= kMostEchoed) return message;
  for (const char* argument : arguments) {
    const std::string_view text(argument);
    replace_all(message, text);
    // "--option=value", "key=value".
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && equals + 1 < text.size()) replace_all(message, text.substr(equals + 1));
  }
  return shortened_between(with_short_quotes(message), " \"");
}

// --- Progress ------------------------------------------------------------------------------------------------------

namespace {

constexpr auto kBefore = std::chrono::milliseconds(300), kBetween = std::chrono::milliseconds(100);
/// Goes back to the first column and clears to the end of the line.
constexpr const char* kWipe = "\r\x1b[K";

}  // namespace

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

EndOnInterrupt::EndOnInterrupt(const std::string& before_what)
    : StopOnSignals({StopRequest::interrupt}, [before_what] {
        ProgressLine::wipe();
        // Nobody waits for the threads, and nothing of theirs is to be kept.
        std::_Exit(cancelled(before_what));
      }) {}

int cancelled(const std::string& before_what) {
  put_notice("cancelled " + before_what);
  return 128 + SIGINT;  // what a shell reports of a program that Ctrl-C ended
}

}  // namespace ropescope
