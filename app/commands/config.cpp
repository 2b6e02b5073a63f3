// The commands `config`, `compare`, `models` and `examples`: a config.json's rotary embeddings and layout, the
// differences between two models, the presets, and the examples of `check`. They read with app/resources/models.h;
// app/views/check/report.h writes the report of `compare`.
//
// Contents: Layouts in words; config; compare; models; examples.

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

#include "app/commands/answers.h"
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
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Layouts in words ----------------------------------------------------------------------------------------------

namespace {

/// The image layout of a config.json with the fields that it determines.
struct ConfigLayout {
  const Layout* layout = nullptr;
  TokenLayout tokens;   ///< for the image of the example
  std::string example;  ///< a command that prints the ids of an image
};

using nlohmann::ordered_json;

/// Returns a readable number: 500000 rather than 5e+05; 0 means no base.
std::string plain_number(double value) {
  constexpr double kLargest = 1e15;
  if (std::floor(value) == value && std::abs(value) < kLargest) return std::to_string(static_cast<std::int64_t>(value));
  return shortest_number(value);
}

std::string base_text(double base) {
  return base > 0 ? plain_number(base) : "none";
}

/// Returns the base that all axes have; nullopt if they differ.
template <class Axes>
std::optional<double> shared_base(const Axes& axes) {
  const bool same = std::all_of(axes.begin(), axes.end(), [&](const auto& axis) { return axis.base == axes[0].base; });
  return same ? std::optional(axes[0].base) : std::nullopt;
}

/// Returns "row 56, column 56", each with its base if they differ.
template <class Axes>
std::string axes_text(const Axes& axes) {
  return joined(axes, ", ", [&](const auto& axis) {
    const std::string base = shared_base(axes) ? "" : " (base " + base_text(axis.base) + ")";
    return axis.name + " " + std::to_string(axis.rotary_dim) + base;
  });
}

/// Throws InputError that names the file if its values do not fit the layout.
ConfigLayout config_layout(const LayoutConfig& found, const std::string& file) {
  constexpr int kAbout = 1024;  // side in pixels
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
  layout.example = "ropescope layout " + found.layout + " --size " + size + " --config " + shell_quoted(file);
  return layout;
}

/// Adds an image layout and the fields it determines.
void add_layout(const ConfigLayout& layout, ReportForms& forms) {
  const Text text = Text::load(find_places().assets);
  const Layout& family = *layout.layout;
  const std::vector<LayoutAxis>& axes = layout.tokens.axes;
  const std::string title = text.render(words_of(family, "title")), order = text.render(words_of(family, "order"));
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
  const std::string pairing = word_of(layout.tokens.pairing), ids = text.render(words_of(family, "ids"));
  rows.row("pairing", pairing, pairing);
  rows.json["order"] = order;
  rows.line("tokens", order);
  rows.row("ids", ids, ids);
  rows.json["notes"] = listed(layout.tokens.notes, [&](const Message& note) {
    rows.line("note", text.render(note));
    return text.render(note);
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
  const OtherWords* as = nullptr;
  OutputFile output;
};

/// Returns the extension as applied, with defaults for parameters that the file does not specify.
ordered_json extension_json(const Extension& read) {
  const Extension extension = fill_defaults(read);
  ordered_json json{{"method", extension.method}};
  for (const auto& [name, value] : extension.numbers) json[name] = value;
  for (const auto& [name, values] : extension.lists) json[name] = values;
  return json;
}

/// Returns the origin of each value.
std::map<std::string, std::string> origins_of(const Profile& profile) {
  Message::List words;
  for (const auto& [name, origin] : profile.origin) words.push_back(origin);
  const std::vector<std::string> said = to_english(words);
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

/// Adds a profile, with the most important values first.
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
    line("ladder", "proportional, " + shortest_number(first.live_fraction) + " of the pairs rotated");
  }
  row("pairing", word_of(spec.pairing), word_of(spec.pairing));
  const std::string extension = extension_text(spec.extension);
  row("extension", extension_json(spec.extension), extension.empty() ? "none" : extension);
  std::vector<std::string> parameters;
  for (const auto& [name, value] : fill_defaults(spec.extension).numbers) {
    if (name != "factor") parameters.push_back(name + " " + shortest_number(value));
  }
  if (!parameters.empty()) line("parameters", joined(parameters));
  rows.json["amplitude"] = head_ladder(spec).amplitude;
  if (!extension.empty()) line("amplitude", shortest_number(head_ladder(spec).amplitude));
  const Text text = Text::load(find_places().assets);
  row("trained_length", or_null(spec.trained_length),
      lengths_text(spec.trained_length, extended_length(profile), text));
  rows.json["context_length"] = or_null(profile.context_length);
  rows.json["axes"] = listed(spec.axes, axis_json);
  rows.json["origin"] = origins;
  const std::vector<std::string> notes = to_english(profile.notes);
  rows.json["notes"] = notes;
  for (const std::string& note : notes) rows.line("note", note);
  forms.json["profiles"].push_back(rows.json);
  forms.text += "\n" + rows.text;
}

/// The contents of a file: profiles, an image layout, or both.
struct ConfigFile {
  ModelConfig config;
  std::optional<ConfigLayout> layout;
  std::optional<Message> answer;  ///< for a model without rotary embedding
};

ConfigFile read_config_file(const std::string& path) {
  ConfigFile read;
  const auto found = load_layout_config(path);
  if (found && !found->plain_ladders) {
    read.config.model_type = found->family;
  } else {
    try {
      read.config = load_model_config(path);
    } catch (const NoRotaryEmbedding& unrotated) {
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
  forms.line("model type", type.empty() ? "not specified" : type);
  if (read.answer) {
    const std::string answer = to_english(*read.answer);
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
  if (read.answer) throw NoRotaryEmbedding(verbatim(values.file), *read.answer);
  if (read.config.profiles.empty()) throw InputError(values.file, "command.layout_alone", {});
  for (const Profile& profile : read.config.profiles) require_known_extension(profile, values.file);
  put_equivalent(values.output, *values.as, {read.config.profiles, std::nullopt});
}

// --- compare -------------------------------------------------------------------------------------------------------

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

/// Reads one of the two models; a name that is not a file must be a preset or a cached repository.
ModelSide side_of_name(const std::string& name) {
  const NamedModel model = resolve_model(name);
  if (model.exists && !model.preset) return file_side(model.path);
  try {
    return preset_side(model.preset.value_or(name));
  } catch (const InputError& error) {
    throw InputError("command.no_preset", {{"name", name}, {"why", error.words()}});
  }
}

/// Reads a config.json, a folder with one, a saved experiment (its rope, or its layout if shown) or a preset's id. A
/// file has precedence over a preset. Throws InputError if it is none of these, and as the readers do.
Described read_described(const std::string& argument) {
  if (argument.empty()) throw InputError("command.empty_name", {});
  return {argument, is_experiment(argument) ? experiment_side(argument) : side_of_name(argument)};
}

constexpr int kCompareDisagrees = 1;

struct CompareValues {
  std::string a, b;
  std::optional<std::string> baseline;
  const OtherWords* as = nullptr;
  int threads = 0;
  OutputFile output, junit;
  bool json = false;
};

/// Returns which side is right: "A" or "B", or the name of that side as given; neither without the option.
CompareBaseline baseline_of(const CompareValues& values) {
  if (!values.baseline) return CompareBaseline::none;
  const std::pair<std::string, CompareBaseline> names[] = {{"A", CompareBaseline::a},
                                                           {values.a, CompareBaseline::a},
                                                           {"B", CompareBaseline::b},
                                                           {values.b, CompareBaseline::b}};
  for (const auto& [name, side] : names) {
    if (*values.baseline == name) return side;
  }
  reject("--baseline", *values.baseline, {"A", "B"});
}

int compared(const CompareValues& values) {
  Work options;
  options.threads = values.threads;
  CompareReport report;
  report.as = values.as;
  report.baseline = baseline_of(values);
  report.a = read_described(values.a);
  report.b = read_described(values.b);
  for (const Described* described : {&report.a, &report.b}) {
    for (const Profile& profile : described->side.profiles) require_known_extension(profile, described->name);
  }
  const StopOnInterrupt interrupt;
  options.stop = interrupt.token();
  try {
    report.comparison = compare_models(report.a.side, report.b.side, options);
  } catch (const InputError& error) {
    throw InputError::within(values.a + ", " + values.b, error);
  }
  if (options.stop.stop_requested()) return cancelled("verdict");
  Message::List& remarks = report.comparison.remarks;
  for (const Described* described : {&report.a, &report.b}) {
    for (const Message& note : notes_of(described->side)) {
      if (std::find(remarks.begin(), remarks.end(), note) == remarks.end()) remarks.push_back(note);
    }
  }
  const Text text = Text::load(find_places().assets);
  if (values.junit.is_given()) put_result(values.junit, compare_junit(report, text));
  const ReportForms forms = compare_forms(report, text);
  put_text(values.output, values.json ? json_text(forms.json) : forms.text);
  return report.comparison.agrees ? 0 : kCompareDisagrees;
}

int run_compare(const CompareValues& values) {
  require_different_files({{"-o", &values.output}, {"--junit", &values.junit}});
  try {
    return compared(values);
  } catch (const InputError& error) {
    if (values.junit.is_given()) put_result(values.junit, unusable_junit("compare", to_english(error.words())));
    throw;
  }
}

// --- models --------------------------------------------------------------------------------------------------------

struct ModelsValues {
  bool cached = false, json = false;
  OutputFile output;
};

/// Returns a profile in short: its name, dimension, base, extension and lengths.
ordered_json profile_summary(const Profile& profile) {
  const RotarySpec& spec = profile.spec;
  const std::string extension = extension_text(spec.extension);
  return {{"name", profile.name},
          {"head_dim", spec.head_dim},
          {"rotary_dim", total_rotary_dim(spec)},
          {"base", or_null(shared_base(spec.axes))},
          {"extension", extension.empty() ? ordered_json(nullptr) : ordered_json(extension)},
          {"trained_length", or_null(spec.trained_length)},
          {"context_length", or_null(profile.context_length)}};
}

/// Returns the presets as a table with the values of their first profiles.
std::string presets_table(const std::vector<Preset>& presets, const Text& text) {
  std::vector<std::vector<std::string>> rows(1);
  for (const char* column : {"id", "model", "dim", "base", "extension", "lengths"}) {
    rows.front().push_back(text["answer.column." + std::string(column)]);
  }
  for (const Preset& preset : presets) {
    const Profile& profile = preset.profiles.front();
    const RotarySpec& spec = profile.spec;
    const std::optional<double> base = shared_base(spec.axes);
    rows.push_back({preset.id, preset.name, std::to_string(total_rotary_dim(spec)),
                    base ? plain_number(*base) : text["answer.base_per_axis"], extension_text(spec.extension),
                    lengths_text(spec.trained_length, extended_length(profile), text)});
    if (preset.profiles.size() > 1) {
      rows.back()[1] += " (" + profile_label(text, profile.name) + ")";
    }
  }
  return aligned(rows) + "\n" + text["answer.models"] + "\n";
}

void put_presets(const ModelsValues& values) {
  const std::vector<Preset> presets = load_presets(find_places().assets);
  if (is_read_on_terminal(values.output, values.json)) {
    return put_text({}, presets_table(presets, Text::load(find_places().assets)));
  }
  std::vector<std::vector<std::string>> rows;
  ordered_json list = ordered_json::array();
  for (const Preset& preset : presets) {
    rows.push_back({preset.id, preset.name});
    list.push_back({{"id", preset.id},
                    {"name", preset.name},
                    {"source", preset.source},
                    {"profiles", listed(preset.profiles, profile_summary)}});
  }
  put_text(values.output, values.json ? json_text({{"models", list}}) : aligned(rows));
}

void put_cached(const ModelsValues& values) {
  const std::vector<std::string> repositories = cached_repositories();
  const std::string lines = joined(repositories, "\n") + (repositories.empty() ? "" : "\n");
  put_text(values.output, values.json ? json_text({{"repositories", repositories}}) : lines);
}

}  // namespace

Action declare_config(Arguments& arguments) {
  const auto values = std::make_shared<ConfigValues>();
  arguments.positional("FILE", values->file, Message("help.shared.config"));
  arguments.flag("--json", values->json);
  add_as_option(arguments, values->as);
  arguments.option("-o,--output", "F", values->output);
  return [values] {
    const ConfigFile read = read_config_file(values->file);
    if (values->as) return put_as(read, *values);
    const ReportForms forms = config_forms(read);
    put_text(values->output, values->json ? json_text(forms.json) : forms.text);
  };
}

Action declare_compare(Arguments& arguments) {
  const auto values = std::make_shared<CompareValues>();
  arguments.positional("A", values->a);
  arguments.positional("B", values->b);
  arguments.option("--baseline", "A|B", values->baseline);
  add_as_option(arguments, values->as);
  arguments.flag("--json", values->json);
  arguments.option("--junit", "F.xml", values->junit);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer(Message("help.compare.footer"));
  return [values] { return run_compare(*values); };
}

Action declare_models(Arguments& arguments) {
  const auto values = std::make_shared<ModelsValues>();
  arguments.flag("--cached", values->cached);
  arguments.flag("--json", values->json);
  arguments.option("-o,--output", "F", values->output);
  return [values] { values->cached ? put_cached(*values) : put_presets(*values); };
}

// --- examples ------------------------------------------------------------------------------------------------------

Action declare_examples(Arguments& arguments) {
  const auto output = std::make_shared<OutputFile>();
  const auto json = std::make_shared<bool>(false);
  arguments.flag("--json", *json);
  arguments.option("-o,--output", "F", *output);
  return [output, json] {
    std::vector<std::vector<std::string>> rows;
    ordered_json list = ordered_json::array();
    for (const CheckExample& example : load_examples(find_places().assets)) {
      rows.push_back({example.name, example.titles.at(kEnglish)});
      list.push_back({{"name", example.name},
                      {"line", command_line(example)},
                      {"verdict", example.verdict ? ordered_json(*example.verdict) : ordered_json()},
                      {"cause", example.cause ? ordered_json(*example.cause) : ordered_json()},
                      {"title", example.titles}});
    }
    put_text(*output, *json ? json_text({{"examples", list}}) : aligned(rows));
  };
}

}  // namespace ropescope
