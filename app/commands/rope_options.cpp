// Reads the options of ropes, extensions and encodings, over what a config or preset says.
//
// Contents: Extensions; Ropes; Encodings.

#include "app/commands/rope_options.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/experiment/experiment.h"
#include "app/experiment/own_data.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "core/encodings/encoding.h"
#include "core/encodings/matrix.h"
#include "core/formats/ladder_text.h"
#include "core/scaling/scaling.h"
#include "core/words.h"

namespace ropescope {

// --- Extensions ----------------------------------------------------------------------------------------------------

namespace {

/// The field is 0 where it is not given, which an option does not say.
double read_position_count(std::string_view field, const std::string& text) {
  const NumberField length = window_field(field);
  return read(with_range(length, 1, length.maximum), option_name(length), text, Words("expected.positions"));
}

std::string methods_with(const ScalingField& parameter) {
  return joined(entry_names(all_scaling_methods(),
                            [&](const ScalingMethod& method) { return find_parameter(method, parameter.name); }));
}

std::string methods_with_list(const ScalingList& list) {
  return joined(
      entry_names(all_scaling_methods(), [&](const ScalingMethod& method) { return find_list(method, list.name); }));
}

void require_belongs(bool belongs, const std::string& option, const ScalingMethod& method) {
  if (belongs) return;
  throw InputError("command.no_parameter", {{"option", option}, {"method", method.name}});
}

/// The method that the options ask for; an alpha makes dynamic Hunyuan's, as it does in a config.
const ScalingMethod& chosen_method(const ScalingOptions& options, const std::string& current) {
  std::string name = options.scaling.value_or(current);
  if (options.parameters.find("ntk_alpha") && name == "dynamic") name = "ntk-alpha";
  try {
    return find_scaling_method(name);
  } catch (const InputError&) {
    reject("--scaling", name, {"expected.one_of", {{"names", joined(entry_names(all_scaling_methods()))}}});
  }
}

/// What stays of an extension under another method.
Extension carried_over(const Extension& extension, const ScalingMethod& method) {
  Extension kept;
  kept.method = method.name;
  for (const auto& [name, value] : extension.numbers) {
    if (find_parameter(method, name)) kept.numbers[name] = value;
  }
  for (const auto& [name, numbers] : extension.lists) {
    if (find_list(method, name)) kept.lists[name] = numbers;
  }
  return kept;
}

/// Adds the options of add_scaling_options() but --trained-length, for commands to which that means more.
void add_extension_options(Arguments& arguments, ScalingOptions& options) {
  arguments.option("--scaling", "NAME", options.scaling,
                   "Context extension: " + joined(entry_names(all_scaling_methods())));
  arguments.option("--length", "l", options.length,
                   "Current length, for methods that look at it (default: what is asked)");
  for (const ScalingField& parameter : all_scaling_fields()) {
    add_option(arguments, parameter, methods_with(parameter), options.parameters);
  }
  for (const ScalingList& list : all_scaling_lists()) {
    add_option(arguments, list, methods_with_list(list), options.parameters);
  }
}

void add_scaling_options(Arguments& arguments, ScalingOptions& options) {
  arguments.option("--trained-length", "L", options.trained_length, "Positions that the model was trained with");
  add_extension_options(arguments, options);
}

/// Puts the options into a spec. A new method keeps the parameters that both methods have. Throws InputError that names
/// the option; the whole extension is to be checked once all else is known, too.
void override_scaling(const ScalingOptions& options, RotarySpec& spec) {
  if (options.trained_length) spec.trained_length = read_position_count("rope.trained_length", *options.trained_length);
  const ScalingMethod& method = chosen_method(options, spec.extension.method);
  if (method.name != spec.extension.method) spec.extension = carried_over(spec.extension, method);
  for (const ScalingField& declared : all_scaling_fields()) {
    const ScalingField* parameter = find_parameter(method, declared.name);
    const std::string name(declared.name);
    if (const std::string* text = options.parameters.find(name)) {
      require_belongs(parameter, option_name(declared), method);
      spec.extension.numbers[name] = read(*parameter, option_name(declared), *text);
    } else if (parameter && parameter->required && !parameter->says_how_far && options.scaling) {
      // The fields have usual values for these; only how far to go must be said.
      spec.extension.numbers.emplace(name, parameter->initial);
    }
  }
  for (const ScalingList& list : all_scaling_lists()) {
    const std::string* text = options.parameters.find(list.name);
    if (!text) continue;
    require_belongs(find_list(method, list.name), option_name(list), method);
    spec.extension.lists[std::string(list.name)] = parse_list(*text, option_name(list), kMostFactors);
  }
}

}  // namespace

bool changes_anything(const ScalingOptions& options) {
  return options.scaling || options.trained_length || options.length || options.parameters.any();
}

// --- Ropes ---------------------------------------------------------------------------------------------------------

namespace {

int read_dimension(std::string_view field, const std::string& option, const std::string& text) {
  return static_cast<int>(read(window_field(field), option, text));
}

double read_fraction(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value <= 0 || *value > 1) reject("--rotary-fraction", text, Words("expected.share"));
  return *value;
}

/// --dim and --rotary-fraction: D is the rotary dimension; with R it is the head, and d = int(D·R).
void override_dimensions(const RopeOptions& options, Rope& rope) {
  if (!options.dim && !options.rotary_fraction) return;
  RotarySpec& spec = rope.profile.spec;
  if (spec.axes.size() > 1) {
    throw InputError("command.several_dimensions",
                     {{"option", options.dim ? "--dim" : "--rotary-fraction"}, {"source", rope.source}});
  }
  RotaryAxis& axis = spec.axes.front();
  if (!options.rotary_fraction) {
    axis.rotary_dim = read_dimension("rope.rotary_dim", "--dim", *options.dim);
    spec.head_dim = std::max(spec.head_dim, axis.rotary_dim);
    return;
  }
  const double fraction = read_fraction(*options.rotary_fraction);
  if (options.dim) spec.head_dim = read_dimension("rope.head_dim", "--dim", *options.dim);
  if (find_scaling_method(spec.extension.method).over_whole_head) {
    axis.rotary_dim = spec.head_dim;
    spec.extension.numbers["live_fraction"] = fraction;
    return;
  }
  axis.rotary_dim = static_cast<int>(spec.head_dim * fraction);
  if (axis.rotary_dim < 2 || axis.rotary_dim % 2 != 0) {
    throw InputError(
        "command.odd_fraction",
        {{"fraction", *options.rotary_fraction}, {"head_dim", spec.head_dim}, {"rotary_dim", axis.rotary_dim}});
  }
}

void override_base(double base, bool several, RotaryAxis& axis) {
  // Where axes share one ladder by turns (Pixtral), the divisor of the odd entries is a power of the base.
  if (several && axis.ladder == Ladder::proportional) {
    axis.factor = std::pow(base, std::log(axis.factor) / std::log(axis.base));
  }
  axis.base = base;
}

Rope from_config(const RopeOptions& options) {
  const std::string& path = *options.config;
  const ModelConfig config =
      options.config_text ? parse_model_config(*options.config_text, path) : load_model_config(path);
  Rope rope;
  rope.profile = find_profile(config.profiles, options.profile.value_or(""), path);
  rope.source = path;
  rope.label = is_folder(path) ? short_name(path) : std::filesystem::path(path).filename().string();
  rope.config = path;
  return rope;
}

Rope from_preset(const RopeOptions& options) {
  const Preset preset = load_preset(find_places().assets, *options.model);
  Rope rope;
  rope.source = "preset " + preset.id;
  rope.profile = find_profile(preset.profiles, options.profile.value_or(""), rope.source);
  rope.label = preset.name;
  rope.model = preset.id;
  return rope;
}

Rope from_numbers(const RopeOptions& options) {
  if (!options.base && !options.ladder) throw InputError("command.no_base", {});
  Rope rope;
  rope.profile.name = "custom";
  rope.source = "the options";
  rope.profile.spec.head_dim = 2;  // grows to --dim
  return rope;
}

std::vector<std::string> axis_names_of(const std::vector<RotaryAxis>& axes) {
  std::vector<std::string> names;
  for (const RotaryAxis& axis : axes) names.push_back(axis.name);
  return names;
}

void check_sources(const RopeOptions& options) {
  if (options.config && options.model) refuse_both("--config", "--model");
  if (options.profile && options.profile->empty()) reject("--profile", "", Words("expected.profile"));
  if (options.profile && !options.config && !options.model) throw InputError("command.no_model", {});
  if (options.config && options.config->empty()) throw InputError("command.config_empty", {});
}

}  // namespace

namespace {

void add_ladder_option(Arguments& arguments, RopeOptions& options) {
  arguments.option("--ladder", "L", options.ladder,
                   "Frequencies in place of b^(-2*i/d): numbers 1,0.5,..., a formula of i, d and b, or a .csv or .npy");
}

}  // namespace

void add_rope_options(Arguments& arguments, RopeOptions& options) {
  arguments.option("--config", "FILE", options.config, "A model's config.json or .gguf, or a folder with one");
  arguments.option("--profile", "P", options.profile, "Which of its profiles (default: the first)");
  arguments.option("--model", "PRESET", options.model, "A preset; \"ropescope models\" lists them");
  arguments.option("--dim", "D", options.dim, "Rotary dimension; with --rotary-fraction the head dimension");
  arguments.option("--base", "B", options.base, "Base of the frequencies, above 1");
  add_ladder_option(arguments, options);
  arguments.option("--rotary-fraction", "R", options.rotary_fraction, "Rotary dimension int(D·R) of a head of D");
  arguments.option("--head-dim", "H", options.head_dim, "Channels of a head; those past the rotary ones do not turn");
  arguments.option("--pairing", "interleaved|half", options.pairing,
                   "Which channels form a pair (default: half); check --layout custom also takes axis-half");
  add_scaling_options(arguments, options.scaling);
}

void add_axis_option(Arguments& arguments, RopeOptions& options) {
  arguments.option("--axis", "NAME", options.axis, "Which of several axes (default: the first)");
}

bool names_source(const RopeOptions& options) {
  return options.config || options.model || options.dim;
}

bool changes_anything(const RopeOptions& options) {
  return names_source(options) || options.profile || options.base || options.ladder || options.rotary_fraction ||
         options.head_dim || options.pairing || options.axis || changes_anything(options.scaling);
}

std::vector<Profile> profiles_of(const RopeOptions& options) {
  check_sources(options);
  if (options.config) return load_model_config(*options.config).profiles;
  if (options.model) return load_preset(find_places().assets, *options.model).profiles;
  throw InputError("command.no_profiles", {});
}

void override_rope(const RopeOptions& options, Rope& rope) {
  RotarySpec& spec = rope.profile.spec;
  override_scaling(options.scaling, spec);
  if (options.scaling.length) rope.length = read_position_count("rope.length", *options.scaling.length);
  override_dimensions(options, rope);
  if (options.base) {
    const double base = read_base(*options.base, "expected.greater");
    for (RotaryAxis& axis : spec.axes) override_base(base, spec.axes.size() > 1, axis);
  }
  if (options.ladder) give_ladder(spec, ladder_of_file(*options.ladder), "--ladder");
  if (options.pairing) spec.pairing = read_choice<Pairing>("--pairing", *options.pairing);
  if (options.head_dim) {
    const int head_dim = read_dimension("rope.head_dim", "--head-dim", *options.head_dim);
    if (head_dim < total_rotary_dim(spec)) {
      reject("--head-dim", *options.head_dim, {"expected.rotary_dim", {{"dim", total_rotary_dim(spec)}}});
    }
    spec.head_dim = head_dim;
  }
  try {
    validate(spec);
    check_extension(spec, rope.length);
  } catch (const InputError& error) {
    throw InputError::within(rope.source, error);
  }
}

Rope resolve_rope(const RopeOptions& options) {
  check_sources(options);
  if (!names_source(options)) throw InputError("command.no_rope", {});
  Rope rope = options.config ? from_config(options) : options.model ? from_preset(options) : from_numbers(options);
  override_rope(options, rope);
  return rope;
}

void require_understood(const RopeOptions& options, const Rope& rope) {
  if (!changes_anything(options.scaling)) require_understood(rope.profile, rope.source);
}

const RotaryAxis& choose_axis(const RopeOptions& options, const Rope& rope) {
  const std::vector<RotaryAxis>& axes = rope.profile.spec.axes;
  if (!options.axis) return axes.front();
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const RotaryAxis& axis) { return axis.name == *options.axis; });
  if (found == axes.end()) reject("--axis", *options.axis, axis_names_of(axes));
  return *found;
}

ScaledLadder ladder_of(const RopeOptions& options, const Rope& rope) {
  const auto axis = static_cast<std::size_t>(&choose_axis(options, rope) - rope.profile.spec.axes.data());
  return scaled_ladder(rope.profile.spec, axis, rope.length);
}

double read_base(const std::string& text, std::string_view expected) {
  NumberField base = window_field("rope.base");
  base.minimum = 1;
  base.exclusive = true;
  return read(base, "--base", text, {expected, {{"least", base.minimum}}});
}

void ask_length(Rope& rope, double asked) {
  if (!rope.length && asked > 0 && depends_on_length(rope)) rope.length = std::ceil(asked);
}

bool depends_on_length(const Rope& rope) {
  return find_scaling_method(rope.profile.spec.extension.method).depends_on_length;
}

std::string ladder_text(const Rope& rope) {
  const RotarySpec& spec = rope.profile.spec;
  const double trained = spec.trained_length.value_or(0);
  return extension_text(spec.extension, trained, rope.length.value_or(trained));
}

void notice_length(const RopeOptions& options, const Rope& rope) {
  if (options.scaling.length || !depends_on_length(rope)) return;
  put_notice(rope.source + ": " + ladder_text(rope) + " (--length takes another)");
}

void notice_axis(const RopeOptions& options, const Rope& rope) {
  const std::vector<RotaryAxis>& axes = rope.profile.spec.axes;
  if (options.axis || axes.size() < 2) return;
  put_notice(rope.source + " has several axes; this is " + axes.front().name + " (--axis takes " +
             or_list(axis_names_of(axes)) + ")");
}

// --- Encodings -----------------------------------------------------------------------------------------------------

namespace {

/// Refuses an option that would change nothing.
void require_used(const std::string& option, const EncodingField& field, const Encoding& encoding) {
  if (field.taken_by_all || takes(encoding, field.name)) return;
  throw InputError("command.not_looked_at", {{"option", option}, {"encoding", encoding.name}});
}

/// True where a model says what the fields of its head are.
bool names_model(const EncodingOptions& options) {
  return options.rope.config || options.rope.model;
}

/// Whether anything says that pairs turn by another ladder than the plain one.
bool names_ladder(const EncodingOptions& options) {
  return names_model(options) || options.rope.profile || options.rope.axis || options.rope.ladder ||
         changes_anything(options.rope.scaling);
}

std::optional<std::string> given(const EncodingOptions& options, std::string_view field) {
  const std::string* text = options.settings.find(field);
  return text ? std::optional(*text) : std::nullopt;
}

void require_ladder_taken(const Encoding& encoding) {
  if (encoding.takes_ladder) return;
  throw InputError(
      "command.turns_none",
      {{"encoding", encoding.name},
       {"known", joined(entry_names(all_encodings(), [](const Encoding& one) { return one.takes_ladder; }))}});
}

/// The rope of --config or --model, or of the fields.
Rope rope_of_encoding_options(const EncodingOptions& options, const EncodingValues& settings) {
  RopeOptions rope = options.rope;
  rope.scaling.trained_length = given(options, "trained_length");
  if (names_model(options)) {
    for (const std::string_view field : {"dim", "rotary_dim"}) {
      if (!options.settings.find(field)) continue;
      throw InputError("command.channels_known", {{"option", field == "dim" ? "--dim" : "--rotary-dim"}});
    }
    rope.base = given(options, "base");
    rope.pairing = given(options, "pairing");
  } else {
    rope.dim = std::to_string(settings.rotary_dim > 0 ? settings.rotary_dim : settings.dim);
    rope.base = shortest_number(settings.base);
    rope.head_dim = std::to_string(settings.dim);
  }
  Rope resolved = resolve_rope(rope);
  ask_length(resolved, options.asked_length);
  return resolved;
}

std::string encodings_with(const EncodingField& field) {
  return joined(entry_names(all_encodings(), [&](const Encoding& encoding) { return takes(encoding, field.name); }));
}

double read_int(const std::string& option, const std::string& text) {
  const std::int64_t value = read_whole(option, text);
  if (std::abs(value) > std::numeric_limits<int>::max()) reject(option, text, Words("expected.smaller"));
  return static_cast<double>(value);
}

/// The value that an option gives, as far as its kind goes; validate says the rest.
double read_value(const EncodingField& field, const std::string& text) {
  const std::string option = option_name(field);
  if (field.is_switch) return read(field, option, text);
  if (field.name == "pairing") return read_choice<Pairing>("--pairing", text) == Pairing::half_split ? 1 : 0;
  if (field.name == "seed") return read(with_range(field, 0, 0x1p53), option, text);
  if (field.whole) return read_int(option, text);
  return read_number(option, text);
}

}  // namespace

void add_encoding_options(Arguments& arguments, EncodingOptions& options) {
  for (const EncodingField& field : all_encoding_fields()) {
    if (field.name != "dim") add_option(arguments, field, encodings_with(field), options.settings);
  }
  const std::string turning =
      joined(entry_names(all_encodings(), [](const Encoding& encoding) { return encoding.takes_ladder; }));
  arguments.option("--config", "FILE", options.rope.config, turning + ": turned as by this config.json or .gguf");
  arguments.option("--profile", "P", options.rope.profile, "Which of its profiles (default: the first)");
  arguments.option("--model", "PRESET", options.rope.model, turning + ": turned as by this preset");
  add_axis_option(arguments, options.rope);
  add_ladder_option(arguments, options.rope);
  add_extension_options(arguments, options.rope.scaling);
}

std::string encoding_names() {
  return joined(entry_names(all_encodings()));
}

EncodingValues fields_of(const EncodingOptions& options, const Encoding& encoding, std::optional<int> dim) {
  EncodingValues settings;
  settings.pairing = Pairing::half_split;
  for (const EncodingField& field : all_encoding_fields()) {
    const std::string* text = options.settings.find(field.name);
    if (!text) continue;
    require_used(option_name(field), field, encoding);
    set_value(settings, field, read_value(field, *text));
  }
  if (dim) settings.dim = *dim;
  if (!names_ladder(options)) return settings;
  require_ladder_taken(encoding);
  const Rope rope = rope_of_encoding_options(options, settings);
  const RotarySpec& spec = rope.profile.spec;
  if (spec.axes.size() > 1 && !options.rope.axis) throw InputError("command.several_axes", {{"source", rope.source}});
  const RotaryAxis& axis = choose_axis(options.rope, rope);
  // One axis of several is looked at as a head of its own.
  const int channels = spec.axes.size() > 1 ? axis.rotary_dim : spec.head_dim;
  if (dim && *dim != channels) {
    throw InputError("command.head_channels", {{"source", rope.source}, {"channels", channels}, {"found", *dim}});
  }
  settings.dim = channels;
  if (names_model(options)) settings.pairing = spec.pairing;
  put_ladder(settings, encoding, axis, ladder_of(options.rope, rope));
  return settings;
}

EncodingValues settings_with_dim(const EncodingOptions& options, const Encoding& encoding) {
  if (!options.settings.find("dim") && !names_model(options)) throw InputError("command.no_dim", {});
  return fields_of(options, encoding);
}

void check_position(const EncodingModel& model, std::int64_t position) {
  if (model.plan().check_position) model.plan().check_position(position);
}

}  // namespace ropescope
