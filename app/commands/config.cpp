// The commands `config`, `compare` and `models`: what a config.json says of a model's rotary embeddings and layout, in
// what two models differ, and which presets there are. They read by app/resources/models.h; app/views/check/report.h
// writes the report of `compare`.
//
// Contents: Layouts in words; config; compare; models.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/experiment/experiment.h"
#include "app/experiment/figure_file.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/views/check/report.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/scaling/scaling.h"
#include "core/words.h"

namespace ropescope {

// --- Layouts in words ----------------------------------------------------------------------------------------------

namespace {

/// The image layout of a config.json with what it fixes.
struct ConfigLayout {
  const Layout* layout = nullptr;
  TokenLayout tokens;   ///< of the image of the example
  std::string example;  ///< a command that prints the ids of an image
};

using nlohmann::ordered_json;

/// A name in the form that a shell takes: with anything unusual in it, it stands in quotes.
std::string config_layout_text_quoted(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/+:@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// A number for people: 500000 rather than 5e+05; no base is 0.
std::string plain_number(double value) {
  constexpr double kLargest = 1e15;
  if (std::floor(value) == value && std::abs(value) < kLargest) return std::to_string(static_cast<std::int64_t>(value));
  return shortest_number(value);
}

std::string base_text(double base) {
  return base > 0 ? plain_number(base) : "none";
}

/// The base that all axes have; none where they differ.
template <class Axes>
std::optional<double> shared_base(const Axes& axes) {
  const bool same = std::all_of(axes.begin(), axes.end(), [&](const auto& axis) { return axis.base == axes[0].base; });
  return same ? std::optional(axes[0].base) : std::nullopt;
}

/// "row 56, column 56", each with its base where they differ.
template <class Axes>
std::string axes_text(const Axes& axes) {
  return joined(axes, ", ", [&](const auto& axis) {
    const std::string base = shared_base(axes) ? "" : " (base " + base_text(axis.base) + ")";
    return axis.name + " " + std::to_string(axis.rotary_dim) + base;
  });
}

/// Throws InputError that names the file where its values do not fit the layout.
ConfigLayout config_layout(const LayoutConfig& found, const std::string& file) {
  constexpr int kAbout = 1024;  // pixels a side
  ConfigLayout layout;
  layout.layout = &find_layout(found.layout);
  const int token = pixels_per_token(*layout.layout, found.request);
  const int side = std::max(1, kAbout / token) * token;
  LayoutRequest request = found.request;
  request.image = ImageSize::pixels(side, side);
  try {
    layout.tokens = arrange(*layout.layout, request);
  } catch (const InputError& error) {
    throw InputError::within(file, error);
  }
  layout.tokens.notes.insert(layout.tokens.notes.begin(), found.notes.begin(), found.notes.end());
  const std::string size = std::to_string(side) + "x" + std::to_string(side);
  layout.example =
      "ropescope layout " + found.layout + " --size " + size + " --config " + config_layout_text_quoted(file);
  return layout;
}

/// Adds an image layout: what it fixes.
void add_layout(const ConfigLayout& layout, ReportForms& forms) {
  const Text text = Text::load(find_places().assets);
  const Layout& family = *layout.layout;
  const std::vector<LayoutAxis>& axes = layout.tokens.axes;
  const std::string title = text.say(words_of(family, "title")), order = text.say(words_of(family, "order"));
  ReportForms rows;
  rows.json["name"] = family.name;
  rows.json["title"] = title;
  rows.line("layout", std::string(family.name) + " (" + title + ")");
  rows.row("axes",
           listed(axes,
                  [](const LayoutAxis& axis) {
                    const auto base = axis.base > 0 ? std::optional(axis.base) : std::nullopt;
                    return ordered_json{{"name", axis.name}, {"rotary_dim", axis.rotary_dim}, {"base", or_null(base)}};
                  }),
           axes_text(axes));
  if (const auto base = shared_base(axes)) rows.line("base", base_text(*base));
  const std::string pairing = word_of(layout.tokens.pairing), ids = text.say(words_of(family, "ids"));
  rows.row("pairing", pairing, pairing);
  rows.json["order"] = order;
  rows.line("tokens", order);
  rows.row("ids", ids, ids);
  rows.json["notes"] = listed(layout.tokens.notes, [&](const Words& note) {
    rows.line("note", text.say(note));
    return text.say(note);
  });
  rows.row("source", family.source, std::string(family.source));
  rows.row("example", layout.example, layout.example);
  forms.json["layout"] = rows.json;
  forms.text += "\n" + rows.text;
}

// --- config --------------------------------------------------------------------------------------------------------

struct ConfigValues {
  std::string file;
  bool json = false;
  std::optional<std::string> output, as;
};

/// The extension as it is applied: with the parameters that stand in for those that the file does not give.
ordered_json extension_json(const Extension& read) {
  const Extension extension = with_defaults(read);
  ordered_json json{{"method", extension.method}};
  for (const auto& [name, value] : extension.numbers) json[name] = value;
  for (const auto& [name, values] : extension.lists) json[name] = values;
  return json;
}

/// Where each value came from.
std::map<std::string, std::string> origins_of(const Profile& profile) {
  Words::List words;
  for (const auto& [name, origin] : profile.origin) words.push_back(origin);
  const std::vector<std::string> said = said_in_english(words);
  std::map<std::string, std::string> origins;
  std::size_t next = 0;
  for (const auto& [name, origin] : profile.origin) origins[name] = said[next++];
  return origins;
}

ordered_json axis_json(const RotaryAxis& axis) {
  ordered_json entry{{"name", axis.name}, {"rotary_dim", axis.rotary_dim}, {"base", axis.base}};
  if (axis.ladder == Ladder::proportional) {
    entry["ladder"] = "proportional";
    entry["live_fraction"] = axis.live_fraction;
    entry["factor"] = axis.factor;
  }
  return entry;
}

/// Adds a profile: its values in the order in which one asks for them.
void add_profile(const Profile& profile, ReportForms& forms) {
  const RotarySpec& spec = profile.spec;
  const std::map<std::string, std::string> origins = origins_of(profile);
  ReportForms rows;
  const auto line = [&](const std::string& name, const std::string& words) {
    const auto origin = origins.find(name);
    rows.line(name, words + (origin == origins.end() ? "" : "  (" + origin->second + ")"));
  };
  const auto row = [&](const std::string& name, const ordered_json& value, const std::string& words) {
    rows.json[name] = value;
    line(name, words);
  };
  rows.json["name"] = profile.name;
  rows.line("profile", profile.name);
  row("head_dim", spec.head_dim, std::to_string(spec.head_dim));
  row("rotary_dim", total_rotary_dim(spec), std::to_string(total_rotary_dim(spec)));
  const std::optional<double> base = shared_base(spec.axes);
  row("base", or_null(base), base ? plain_number(*base) : "one per axis");
  if (spec.axes.size() > 1) line("axes", axes_text(spec.axes));
  if (const RotaryAxis& first = spec.axes.front(); first.ladder == Ladder::proportional) {
    line("ladder", "proportional, " + shortest_number(first.live_fraction) + " of the pairs turn");
  }
  row("pairing", word_of(spec.pairing), word_of(spec.pairing));
  const std::string extension = extension_text(spec.extension);
  row("extension", extension_json(spec.extension), extension.empty() ? "none" : extension);
  std::vector<std::string> parameters;
  for (const auto& [name, value] : with_defaults(spec.extension).numbers) {
    if (name != "factor") parameters.push_back(name + " " + shortest_number(value));
  }
  if (!parameters.empty()) line("parameters", joined(parameters));
  rows.json["amplitude"] = head_ladder(spec).amplitude;
  if (!extension.empty()) line("amplitude", shortest_number(head_ladder(spec).amplitude));
  row("trained_length", or_null(spec.trained_length),
      spec.trained_length ? plain_number(*spec.trained_length) : "none");
  rows.json["axes"] = listed(spec.axes, axis_json);
  rows.json["origin"] = origins;
  const std::vector<std::string> notes = said_in_english(profile.notes);
  rows.json["notes"] = notes;
  for (const std::string& note : notes) rows.line("note", note);
  forms.json["profiles"].push_back(rows.json);
  forms.text += "\n" + rows.text;
}

/// What a file says: profiles, an image layout, or both.
struct ConfigFile {
  ModelConfig config;
  std::optional<ConfigLayout> layout;
  std::optional<Words> answer;  ///< of a model without rotary embedding
};

ConfigFile read_config_config(const std::string& path) {
  ConfigFile read;
  const auto found = load_layout_config(path);
  if (found && !found->plain_ladders) {
    read.config.model_type = found->family;
  } else {
    try {
      read.config = load_model_config(path);
    } catch (const NotRotary& unrotated) {
      read.config.model_type = unrotated.model_type;
      read.answer = unrotated.answer;
    }
  }
  if (found) read.layout = config_layout(*found, path);
  return read;
}

ReportForms config_forms(const ConfigFile& read) {
  const std::string& type = read.config.model_type;
  ReportForms forms;
  forms.json = {{"model_type", type}, {"profiles", ordered_json::array()}};
  forms.line("model type", type.empty() ? "not given" : type);
  if (read.answer) {
    const std::string answer = said_in_english(*read.answer);
    forms.json["notes"] = ordered_json::array({answer});
    forms.line("rotary", "none");
    forms.line("note", answer);
  }
  for (const Profile& profile : read.config.profiles) add_profile(profile, forms);
  if (read.layout) add_layout(*read.layout, forms);
  return forms;
}

void put_as(const ConfigFile& read, const ConfigValues& values) {
  if (values.json) refuse_both("--as", "--json");
  if (read.answer) throw NotRotary(as_it_is(values.file), *read.answer);
  if (read.config.profiles.empty()) throw InputError(values.file, "command.layout_alone", {});
  for (const Profile& profile : read.config.profiles) require_understood(profile, values.file);
  put_equivalent(values.output, *values.as, {read.config.profiles, std::nullopt});
}

}  // namespace

Action declare_config(Arguments& arguments) {
  const auto values = std::make_shared<ConfigValues>();
  arguments.positional("FILE", values->file, "A model's config.json or .gguf, or a folder with one");
  arguments.flag("--json", values->json, "JSON instead of text");
  add_as_option(arguments, values->as);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] {
    const ConfigFile read = read_config_config(values->file);
    if (values->as) return put_as(read, *values);
    const ReportForms forms = config_forms(read);
    put_result(values->output, values->json ? json_text(forms.json) : forms.text);
  };
}

// --- compare -------------------------------------------------------------------------------------------------------

namespace {

ModelSide experiment_side(const std::string& path) {
  const Experiment experiment = load_experiment(path);
  const View& view = find_view(experiment.view);
  if (view.shows_layout && view.shows_layout(experiment)) {
    LayoutConfig layout;
    layout.layout = experiment.layout.name;
    layout.request = request_of(experiment.layout);
    return {{}, std::move(layout)};
  }
  Profile profile;
  profile.name = experiment.rope.profile.empty() ? "text" : experiment.rope.profile;
  profile.spec = spec_of(experiment.rope);
  return {{std::move(profile)}, std::nullopt};
}

/// What is no file must be a preset.
ModelSide side_of_name(const std::string& name) {
  try {
    return preset_side(name);
  } catch (const InputError& error) {
    throw InputError("command.no_preset", {{"name", name}, {"why", error.words()}});
  }
}

/// A config.json, a folder with one, a saved experiment (its rope; its layout where it shows one) or a preset's id;
/// a file of that name comes before a preset. Throws InputError: none of these, and as their readers.
Described read_described(const std::string& argument) {
  if (argument.empty()) throw InputError("command.empty_name", {});
  std::error_code ignored;
  if (!std::filesystem::exists(argument, ignored)) return {argument, side_of_name(argument)};
  return {argument, is_experiment(argument) ? experiment_side(argument) : file_side(argument)};
}

constexpr int kCompareDisagrees = 1;

struct CompareValues {
  std::string a, b;
  std::optional<std::string> as, threads, output, junit;
  bool json = false;
};

int compared(const CompareValues& values) {
  Work options;
  options.threads = read_threads(values.threads);
  CompareReport report;
  if (values.as) report.as = &read_as(*values.as);
  report.a = read_described(values.a);
  report.b = read_described(values.b);
  for (const Described* described : {&report.a, &report.b}) {
    for (const Profile& profile : described->side.profiles) require_understood(profile, described->name);
  }
  const StopOnInterrupt interrupt;
  options.stop = interrupt.token();
  try {
    report.comparison = compare_models(report.a.side, report.b.side, options);
  } catch (const InputError& error) {
    throw InputError::within(values.a + ", " + values.b, error);
  }
  if (options.stop.stop_requested()) return cancelled("before there was a verdict");
  Words::List& remarks = report.comparison.remarks;
  for (const Described* described : {&report.a, &report.b}) {
    for (const Words& note : notes_of(described->side)) {
      if (std::find(remarks.begin(), remarks.end(), note) == remarks.end()) remarks.push_back(note);
    }
  }
  const Text text = Text::load(find_places().assets);
  if (values.junit) write_file(*values.junit, compare_junit(report, text));
  const ReportForms forms = compare_forms(report, text);
  put_result(values.output, values.json ? json_text(forms.json) : forms.text);
  return report.comparison.agrees ? 0 : kCompareDisagrees;
}

int run_compare(const CompareValues& values) {
  require_different_files({{"-o", &values.output}, {"--junit", &values.junit}});
  try {
    return compared(values);
  } catch (const InputError& error) {
    if (values.junit) write_file(*values.junit, unusable_junit("compare", said_in_english(error.words())));
    throw;
  }
}

std::string compare_footer() {
  return "A and B: a model's config.json or .gguf, a folder with one (a snapshot of Hugging Face, a diffusers "
         "pipeline), a\n"
         "saved experiment, or a preset (\"ropescope models\" lists them).\n"
         "Each difference has its cause, by the names of \"check\", and what it alone does to the score\n"
         "A^2*K, K = (2/d) times the sum of cos(distance * frequency) over all pairs, A the amplitude: the largest "
         "change\n"
         "within the trained length, and the first distance where it is above 0.05. What changes no score is a note.\n"
         "Of two layouts of image tokens each difference carries the change of the whole arrangement instead.\n"
         "Exit code: 0 agrees, 1 disagrees, 2 unusable input.\n";
}

}  // namespace

Action declare_compare(Arguments& arguments) {
  const auto values = std::make_shared<CompareValues>();
  arguments.positional("A", values->a, "A config.json, a .gguf, a folder, a saved experiment or a preset");
  arguments.positional("B", values->b, "Another one");
  add_as_option(arguments, values->as);
  arguments.flag("--json", values->json, "JSON instead of text");
  arguments.option("--junit", "F.xml", values->junit, "Write a JUnit report too, whatever the verdict is");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  arguments.footer(compare_footer);
  return [values] { return run_compare(*values); };
}

// --- models --------------------------------------------------------------------------------------------------------

Action declare_models(Arguments& arguments) {
  const auto output = std::make_shared<std::optional<std::string>>();
  arguments.option("-o,--output", "F", *output, "File to write (default: standard output)");
  return [output] {
    std::vector<std::vector<std::string>> rows;
    for (const Preset& preset : load_presets(find_places().assets)) rows.push_back({preset.id, preset.name});
    put_result(*output, aligned(rows));
  };
}

}  // namespace ropescope
