// Parsing of the options of ropes, extensions and encodings, which override a config. Read rope_options.h first.
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
#include "app/experiment/user_data.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "core/encodings/encoding.h"
#include "core/encodings/matrix.h"
#include "core/formats/ladder_text.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Extensions ----------------------------------------------------------------------------------------------------

namespace {

/// The text is a number of positions. The field's 0 means that it is not given, which an option cannot express.
Arguments::Take positions_into(std::optional<double>& target, std::string_view field) {
  const NumberField length = window_field(field);
  return number_into(target, set_range(length, 1, length.maximum), Message("expected.positions"));
}

Arguments::Take base_into(std::optional<double>& target) {
  const NumberField base = any_base();
  return number_into(target, base, {"expected.greater", {{"least", base.minimum}}});
}

/// Returns the methods that have a parameter or list.
std::string methods_with(const NumberField& field) {
  return joined(entry_names(all_scaling_methods(), [&](const ScalingMethod& method) {
    return find_parameter(method, field.name) || find_list(method, field.name);
  }));
}

void require_belongs(bool belongs, const std::string& option, const ScalingMethod& method) {
  if (belongs) return;
  throw InputError("command.no_parameter", {{"option", option}, {"method", method.name}});
}

const ScalingMethod* parse_method(const std::string& option, const std::string& name) {
  try {
    return &find_scaling_method(name);
  } catch (const InputError&) {
    reject(option, name, {"expected.one_of", {{"names", joined(entry_names(all_scaling_methods()))}}});
  }
}

/// Returns the method selected by the options; an alpha selects Hunyuan's dynamic method, as in a config.
const ScalingMethod& choose_method(const RopeOptions& options, const std::string& current) {
  const ScalingMethod& method = options.scaling ? *options.scaling : *parse_method("--scaling", current);
  return options.parameters.contains("ntk_alpha") && method.name == "dynamic" ? find_scaling_method("ntk-alpha")
                                                                              : method;
}

/// Parses --dim D: the rotary dimension, or with --rotary-fraction that of the head.
int parse_dim(const RopeOptions& options, const std::string& option, const std::string& text) {
  return static_cast<int>(
      read(window_field(options.rotary_fraction ? "rope.head_dim" : "rope.rotary_dim"), option, text));
}

/// Returns the parameters of an extension that also apply to another method.
Extension keep_common_parameters(const Extension& extension, const ScalingMethod& method) {
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

/// Adds all options but --trained-length, which has a wider meaning in some commands.
void add_extension_options(Arguments& arguments, RopeOptions& options) {
  arguments.option("--scaling", "NAME", parsed_into(options.scaling, parse_method),
                   {"help.shared.scaling", {{"methods", joined(entry_names(all_scaling_methods()))}}});
  arguments.option("--length", "l", positions_into(options.length, "rope.length"));
  arguments.topic("scaling");
  for (const ScalingField& parameter : all_scaling_fields()) {
    const auto take = [&options, parameter](const std::string& option, const std::string& text) {
      options.parameters[std::string(parameter.name)] = read(parameter, option, text);
    };
    add_option(arguments, parameter, methods_with(parameter), take);
  }
  for (const ScalingList& list : all_scaling_lists()) {
    const auto take = [&options, list](const std::string& option, const std::string& text) {
      options.lists[std::string(list.name)] = parse_list(text, option, kMaxFactors);
    };
    add_option(arguments, list, methods_with(list), take);
  }
  arguments.topic({});
}

/// Applies the options to a spec. A new method keeps the parameters that both methods have. Throws InputError that
/// names the option; the caller must validate the whole extension once all values are known.
void apply_scaling(const RopeOptions& options, RotarySpec& spec) {
  if (options.trained_length) spec.trained_length = options.trained_length;
  const ScalingMethod& method = choose_method(options, spec.extension.method);
  if (method.name != spec.extension.method) spec.extension = keep_common_parameters(spec.extension, method);
  for (const ScalingField& declared : all_scaling_fields()) {
    const ScalingField* parameter = find_parameter(method, declared.name);
    const std::string name(declared.name);
    if (const auto given = options.parameters.find(name); given != options.parameters.end()) {
      require_belongs(parameter, option_name(declared), method);
      spec.extension.numbers[name] = given->second;
    } else if (parameter && parameter->required && !parameter->is_extension_factor && options.scaling) {
      // These parameters have usual values; only the factor must be given.
      spec.extension.numbers.emplace(name, parameter->initial);
    }
  }
  for (const ScalingList& list : all_scaling_lists()) {
    const auto given = options.lists.find(std::string(list.name));
    if (given == options.lists.end()) continue;
    require_belongs(find_list(method, list.name), option_name(list), method);
    spec.extension.lists[given->first] = given->second;
  }
}

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// Applies --dim and --rotary-fraction: D is the rotary dimension; with R it is the head, and d = int(D·R).
void apply_dimensions(const RopeOptions& options, Rope& rope) {
  if (!options.dim && !options.rotary_fraction) return;
  RotarySpec& spec = rope.profile.spec;
  if (spec.axes.size() > 1) {
    throw InputError("command.several_dimensions",
                     {{"option", options.dim ? "--dim" : "--rotary-fraction"}, {"source", rope.source}});
  }
  RotaryAxis& axis = spec.axes.front();
  const int dim = options.dim ? parse_dim(options, "--dim", std::to_string(*options.dim)) : spec.head_dim;
  if (!options.rotary_fraction) {
    axis.rotary_dim = dim;
    spec.head_dim = std::max(spec.head_dim, dim);
    return;
  }
  const double fraction = *options.rotary_fraction;
  spec.head_dim = dim;
  if (find_scaling_method(spec.extension.method).exponents_over_head) {
    axis.rotary_dim = spec.head_dim;
    spec.extension.numbers["live_fraction"] = fraction;
    return;
  }
  axis.rotary_dim = static_cast<int>(spec.head_dim * fraction);
  if (axis.rotary_dim < 2 || axis.rotary_dim % 2 != 0) {
    throw InputError(
        "command.odd_fraction",
        {{"fraction", shortest_number(fraction)}, {"head_dim", spec.head_dim}, {"rotary_dim", axis.rotary_dim}});
  }
}

void override_base(double base, bool several, RotaryAxis& axis) {
  // If axes share one interleaved ladder (Pixtral), the divisor of the odd entries is a power of the base.
  if (several && axis.ladder == Ladder::proportional) {
    axis.factor = std::pow(base, std::log(axis.factor) / std::log(axis.base));
  }
  axis.base = base;
}

Rope from_config(const RopeOptions& options) {
  const std::string& path = *options.config;
  const std::string given = options.given.value_or(path);
  const ModelConfig config =
      options.config_text ? parse_model_config(*options.config_text, path) : load_model_config(path);
  Rope rope;
  rope.profile = find_profile(config.profiles, options.profile.value_or(""), given);
  rope.source = given;
  rope.label = is_folder(path) ? short_name(given) : std::filesystem::path(path).filename().string();
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
  rope.profile.spec.head_dim = 2;  // enlarged to --dim
  return rope;
}

std::vector<std::string> axis_names_of(const std::vector<RotaryAxis>& axes) {
  std::vector<std::string> names;
  for (const RotaryAxis& axis : axes) names.push_back(axis.name);
  return names;
}

void check_sources(const RopeOptions& options) {
  if (options.config && options.model) refuse_both("--config", "--model");
  if (options.profile && options.profile->empty()) reject("--profile", "", Message("expected.profile"));
  if (options.profile && !options.config && !options.model) throw InputError("command.no_model", {});
  if (options.config && options.config->empty()) throw InputError("command.config_empty", {});
}

void add_ladder_option(Arguments& arguments, RopeOptions& options) {
  arguments.option("--ladder", "L", parsed_into(options.ladder, load_ladder));
}

// --- Encodings -----------------------------------------------------------------------------------------------------

/// Rejects an option that would have no effect.
void require_used(const std::string& option, const EncodingField& field, const Encoding& encoding) {
  if (field.taken_by_all || takes(encoding, field.name)) return;
  throw InputError("command.not_looked_at", {{"option", option}, {"encoding", encoding.name}});
}

/// Returns whether a model determines the fields of its head.
bool names_model(const EncodingOptions& options) {
  return options.rope.config || options.rope.model;
}

void require_ladder_taken(const Encoding& encoding) {
  if (encoding.takes_ladder) return;
  throw InputError(
      "command.turns_none",
      {{"encoding", encoding.name},
       {"known", joined(entry_names(all_encodings(), [](const Encoding& one) { return one.takes_ladder; }))}});
}

/// Returns the rope of --config or --model, or of the fields.
Rope resolve_encoding_rope(const EncodingOptions& options, const EncodingValues& settings) {
  RopeOptions rope = options.rope;
  const auto has = [&options](std::string_view field) { return options.given.contains(field); };
  if (has("trained_length")) {
    positions_into(rope.trained_length, "rope.trained_length")("--trained-length",
                                                               std::to_string(settings.trained_length));
  }
  if (names_model(options)) {
    for (const auto& [field, option] : {std::pair("dim", "--dim"), {"rotary_dim", "--rotary-dim"}}) {
      if (has(field)) throw InputError("command.channels_known", {{"option", option}});
    }
    if (has("pairing")) rope.pairing = settings.pairing;
  } else {
    rope.dim = settings.rotary_dim > 0 ? settings.rotary_dim : settings.dim;
    number_into(rope.head_dim, window_field("rope.head_dim"))("--head-dim", std::to_string(settings.dim));
  }
  if (has("base") || !names_model(options)) base_into(rope.base)("--base", shortest_number(settings.base));
  Rope resolved = resolve_rope(rope);
  ask_length(resolved, options.requested_length);
  return resolved;
}

std::string encodings_with(const EncodingField& field) {
  return joined(entry_names(all_encodings(), [&](const Encoding& encoding) { return takes(encoding, field.name); }));
}

/// Returns the value of an option as a number of the field's kind; validate() checks the rest.
double parse_encoding_value(const EncodingField& field, const std::string& option, const std::string& text) {
  if (field.is_switch) return read(field, option, text);
  if (field.name == "pairing") return read_choice<Pairing>(option, text) == Pairing::half_split ? 1 : 0;
  if (field.name == "seed") return read(set_range(field, 0, 0x1p53), option, text);
  if (!field.whole) return read_number(option, text);
  const std::int64_t value = read_whole(option, text);
  if (std::abs(value) > std::numeric_limits<int>::max()) reject(option, text, Message("expected.smaller"));
  return static_cast<double>(value);
}

}  // namespace

void add_rope_options(Arguments& arguments, RopeOptions& options, int stage) {
  arguments.option("--config", "FILE", options.config);
  arguments.option("--profile", "P", options.profile);
  arguments.option("--model", "PRESET", options.model);
  arguments.stage(stage);
  const auto dim = [&options](const std::string& option, const std::string& text) {
    return parse_dim(options, option, text);
  };
  arguments.option("--dim", "D", parsed_into(options.dim, dim));
  arguments.option("--base", "B", base_into(options.base));
  arguments.topic("rope");
  add_ladder_option(arguments, options);
  const NumberField fraction = number_between(std::numeric_limits<double>::denorm_min(), 1);
  arguments.option("--rotary-fraction", "R", number_into(options.rotary_fraction, fraction, Message("expected.share")));
  arguments.take_first();
  arguments.option("--head-dim", "H", number_into(options.head_dim, window_field("rope.head_dim")));
  arguments.option("--pairing", "interleaved|half", choice_into(options.pairing));
  arguments.topic({});
  arguments.option("--trained-length", "L", positions_into(options.trained_length, "rope.trained_length"));
  add_extension_options(arguments, options);
  arguments.stage(0);
}

void add_axis_option(Arguments& arguments, RopeOptions& options) {
  arguments.option("--axis", "NAME", options.axis);
}

bool names_source(const RopeOptions& options) {
  return options.config || options.model || options.dim;
}

void settle_source(RopeOptions& options) {
  check_sources(options);
  if (options.config_text || !(options.config || options.model)) return;
  const std::string word = options.config ? *options.config : *options.model;
  const NamedModel model = resolve_model(word);
  // An unknown word stays in its option, whose reader reports it.
  if (!model.exists) return;
  options.config.reset(), options.model.reset();
  if (model.preset) {
    options.model = model.preset;
  } else {
    options.config = model.path;
    if (model.path != word) options.given = word;
  }
}

std::vector<Profile> profiles_of(const RopeOptions& given) {
  RopeOptions options = given;
  settle_source(options);
  if (options.config) return load_model_config(*options.config).profiles;
  if (options.model) return load_preset(find_places().assets, *options.model).profiles;
  throw InputError("command.no_profiles", {});
}

Rope resolve_rope(const RopeOptions& options, Rope rope) {
  RotarySpec& spec = rope.profile.spec;
  apply_scaling(options, spec);
  if (options.length) rope.length = options.length;
  apply_dimensions(options, rope);
  for (RotaryAxis& axis : spec.axes) {
    if (options.base) override_base(*options.base, spec.axes.size() > 1, axis);
  }
  if (options.ladder) give_ladder(spec, *options.ladder, "--ladder");
  if (options.pairing) spec.pairing = *options.pairing;
  if (options.head_dim) {
    spec.head_dim = *options.head_dim;
    const int rotary_dim = total_rotary_dim(spec);
    if (spec.head_dim < rotary_dim) {
      reject("--head-dim", std::to_string(spec.head_dim), {"expected.rotary_dim", {{"dim", rotary_dim}}});
    }
  }
  try {
    validate(spec);
    check_extension(spec, rope.length);
  } catch (const InputError& error) {
    throw InputError::within(rope.source, error);
  }
  return rope;
}

Rope resolve_rope(const RopeOptions& given) {
  RopeOptions options = given;
  settle_source(options);
  // Without another number every channel of the head is rotated.
  if (!names_source(options)) options.dim = options.head_dim;
  if (!names_source(options)) throw InputError(options.base ? "command.no_dim" : "command.no_rope", {});
  Rope rope = options.config ? from_config(options) : options.model ? from_preset(options) : from_numbers(options);
  return resolve_rope(options, std::move(rope));
}

void require_known_extension(const RopeOptions& options, const Rope& rope) {
  const bool replaced = options.scaling || options.trained_length || options.length || !options.parameters.empty() ||
                        !options.lists.empty();
  if (!replaced) require_known_extension(rope.profile, rope.source);
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

NumberField any_base() {
  NumberField base = window_field("rope.base");
  base.minimum = 1;
  base.exclusive = true;
  return base;
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
  if (options.length || !depends_on_length(rope)) return;
  print_notice({"notice.length", {{"source", rope.source}, {"ladder", ladder_text(rope)}}});
}

void notice_axis(const RopeOptions& options, const Rope& rope) {
  const std::vector<RotaryAxis>& axes = rope.profile.spec.axes;
  if (options.axis || axes.size() < 2) return;
  print_notice(
      {"notice.axis", {{"source", rope.source}, {"axis", axes.front().name}, {"axes", one_of(axis_names_of(axes))}}});
}

void add_encoding_options(Arguments& arguments, EncodingOptions& options) {
  for (const EncodingField& field : all_encoding_fields()) {
    if (field.name == "dim") continue;
    add_option(arguments, field, encodings_with(field), field_into(options, field.name));
  }
  const std::string takers =
      joined(entry_names(all_encodings(), [](const Encoding& encoding) { return encoding.takes_ladder; }));
  arguments.option("--config", "FILE", options.rope.config, {"help.encoding.config", {{"takers", takers}}});
  arguments.option("--profile", "P", options.rope.profile);
  arguments.option("--model", "PRESET", options.rope.model, {"help.encoding.model", {{"takers", takers}}});
  add_axis_option(arguments, options.rope);
  add_ladder_option(arguments, options.rope);
  add_extension_options(arguments, options.rope);
}

Arguments::Take field_into(EncodingOptions& options, std::string_view name) {
  const std::vector<EncodingField> fields = all_encoding_fields();
  const EncodingField field = *std::ranges::find(fields, name, &EncodingField::name);
  return [&options, field](const std::string& option, const std::string& text) {
    set_value(options.values, field, parse_encoding_value(field, option, text));
    options.given.emplace(field.name);
  };
}

std::string encoding_names() {
  return joined(entry_names(all_encodings()));
}

EncodingValues settings_of(const EncodingOptions& options, const Encoding& encoding, std::optional<int> dim) {
  EncodingValues settings = options.values;
  for (const EncodingField& field : all_encoding_fields()) {
    if (options.given.contains(field.name)) require_used(option_name(field), field, encoding);
  }
  if (dim) settings.dim = *dim;
  if (options.rope == RopeOptions()) return settings;
  require_ladder_taken(encoding);
  const Rope rope = resolve_encoding_rope(options, settings);
  const RotarySpec& spec = rope.profile.spec;
  if (spec.axes.size() > 1 && !options.rope.axis) throw InputError("command.several_axes", {{"source", rope.source}});
  const RotaryAxis& axis = choose_axis(options.rope, rope);
  // One axis of several is treated as a separate head.
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
  if (!options.given.contains("dim") && !names_model(options)) throw InputError("command.no_dim", {});
  return settings_of(options, encoding);
}

void check_position(const EncodingModel& model, std::int64_t position) {
  if (model.plan().check_position) model.plan().check_position(position);
}

}  // namespace ropescope
