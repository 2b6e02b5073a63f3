#include "app/commands/rope_options.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/commands/commands.h"
#include "app/commands/pairing_option.h"
#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
#include "app/resources/files.h"
#include "app/resources/model_folder.h"
#include "app/resources/models.h"
#include "app/resources/nearest.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

int read_dimension(const std::string& option, const std::string& text, bool even) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value < 2 || *value > kLargestDimension || std::fmod(*value, even ? 2 : 1) != 0) {
    reject(option, text,
           (even ? "an even number from 2 to " : "a whole number from 2 to ") + std::to_string(kLargestDimension));
  }
  return static_cast<int>(*value);
}

double read_base(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value <= 1) reject("--base", text, "a number greater than 1");
  return *value;
}

double read_fraction(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value <= 0 || *value > 1) reject("--rotary-fraction", text, "a number above 0 and at most 1");
  return *value;
}

/// --dim and --rotary-fraction: D is the rotary dimension; with R it is the head, and d = int(D·R).
void override_dimensions(const RopeOptions& options, Rope& rope) {
  if (!options.dim && !options.rotary_fraction) return;
  RotarySpec& spec = rope.profile.spec;
  if (spec.axes.size() > 1) {
    throw InputError((options.dim ? "--dim" : "--rotary-fraction") + std::string(" cannot change ") + rope.source +
                     ", which has several axes with a dimension each; a rotary embedding with one axis was expected");
  }
  RotaryAxis& axis = spec.axes.front();
  if (!options.rotary_fraction) {
    axis.rotary_dim = read_dimension("--dim", *options.dim, true);
    spec.head_dim = std::max(spec.head_dim, axis.rotary_dim);
    return;
  }
  const double fraction = read_fraction(*options.rotary_fraction);
  if (options.dim) spec.head_dim = read_dimension("--dim", *options.dim, false);
  if (spec.extension.method == "proportional") {  // its exponents run over the whole head
    axis.rotary_dim = spec.head_dim;
    spec.extension.numbers["live_fraction"] = fraction;
    return;
  }
  axis.rotary_dim = static_cast<int>(spec.head_dim * fraction);
  if (axis.rotary_dim < 2 || axis.rotary_dim % 2 != 0) {
    throw InputError("--rotary-fraction " + *options.rotary_fraction + " of a head of " +
                     std::to_string(spec.head_dim) + " gives the rotary dimension " + std::to_string(axis.rotary_dim) +
                     "; an even number from 2 on was expected");
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
  if (!options.base) throw InputError("--dim is given without --base; --base B, a number greater than 1, was expected");
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
  if (options.config && options.model) {
    throw InputError("--config and --model are both given; one of them was expected");
  }
  if (options.profile && options.profile->empty()) reject("--profile", "", "the name of a profile");
  if (options.profile && !options.config && !options.model) {
    throw InputError("--profile is given without a model; --config FILE or --model PRESET was expected with it");
  }
  if (options.config && options.config->empty()) throw InputError("--config is empty; a file name was expected");
}

}  // namespace

void add_rope_options(Arguments& arguments, RopeOptions& options) {
  arguments.option("--config", "FILE", options.config, "A model's config.json or .gguf, or a folder with one");
  arguments.option("--profile", "P", options.profile, "Which of its profiles (default: the first)");
  arguments.option("--model", "PRESET", options.model, "A preset; \"ropescope models\" lists them");
  arguments.option("--dim", "D", options.dim, "Rotary dimension; with --rotary-fraction the head dimension");
  arguments.option("--base", "B", options.base, "Base of the frequencies, above 1");
  arguments.option("--rotary-fraction", "R", options.rotary_fraction, "Rotary dimension int(D·R) of a head of D");
  arguments.option("--head-dim", "H", options.head_dim, "Channels of a head; those past the rotary ones do not turn");
  arguments.option("--pairing", "interleaved|half", options.pairing, "Which channels form a pair (default: half)");
  add_scaling_options(arguments, options.scaling);
}

void add_axis_option(Arguments& arguments, RopeOptions& options) {
  arguments.option("--axis", "NAME", options.axis, "Which of several axes (default: the first)");
}

bool names_source(const RopeOptions& options) {
  return options.config || options.model || options.dim;
}

bool changes_anything(const RopeOptions& options) {
  return names_source(options) || options.profile || options.base || options.rotary_fraction || options.head_dim ||
         options.pairing || options.axis || changes_anything(options.scaling);
}

std::vector<Profile> profiles_of(const RopeOptions& options) {
  check_sources(options);
  if (options.config) return load_model_config(*options.config).profiles;
  if (options.model) return load_preset(find_places().assets, *options.model).profiles;
  throw InputError("only a model has profiles; --config FILE or --model PRESET was expected");
}

void override_rope(const RopeOptions& options, Rope& rope) {
  RotarySpec& spec = rope.profile.spec;
  override_scaling(options.scaling, spec);
  if (options.scaling.length) rope.length = read_length(options.scaling);
  override_dimensions(options, rope);
  if (options.base) {
    for (RotaryAxis& axis : spec.axes) override_base(read_base(*options.base), spec.axes.size() > 1, axis);
  }
  if (options.pairing) spec.pairing = read_pairing(*options.pairing);
  if (options.head_dim) {
    const int head_dim = read_dimension("--head-dim", *options.head_dim, false);
    if (head_dim < total_rotary_dim(spec)) {
      reject("--head-dim", *options.head_dim,
             "at least the rotary dimension, which is " + std::to_string(total_rotary_dim(spec)) + ",");
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
  if (!names_source(options)) {
    throw InputError("no rotary embedding is named; --config FILE, --model PRESET or --dim D --base B was expected");
  }
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
  if (found == axes.end()) reject("--axis", *options.axis, or_list(axis_names_of(axes)));
  return *found;
}

ScaledLadder ladder_of(const RopeOptions& options, const Rope& rope) {
  const auto axis = static_cast<std::size_t>(&choose_axis(options, rope) - rope.profile.spec.axes.data());
  return scaled_ladder(rope.profile.spec, axis, rope.length);
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

}  // namespace ropescope
