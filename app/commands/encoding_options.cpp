#include "app/commands/encoding_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/commands/pairing_option.h"
#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "core/encodings/ladder.h"
#include "core/encodings/plan.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

/// Refuses an option that would change nothing.
void require_used(const std::string& option, const EncodingSetting& setting, const Encoding& encoding) {
  if (setting.taken_by_all || takes(encoding, setting.name)) return;
  throw InputError(option + " is given, but the encoding is " + std::string(encoding.name) +
                   ", which does not look at it; an encoding that does was expected");
}

/// Whether anything says that pairs turn by another ladder than the plain one.
bool names_ladder(const EncodingOptions& options) {
  return names_model(options) || options.rope.profile || options.rope.axis || changes_anything(options.rope.scaling);
}

std::optional<std::string> given(const EncodingOptions& options, std::string_view setting) {
  const std::string* text = options.settings.find(setting);
  return text ? std::optional(*text) : std::nullopt;
}

void require_ladder_taken(const Encoding& encoding) {
  if (encoding.takes_ladder) return;
  throw InputError("--config, --model and --scaling say by what pairs turn, but the encoding is " +
                   std::string(encoding.name) + ", which turns none; " +
                   joined(entry_names(all_encodings(), [](const Encoding& one) { return one.takes_ladder; })) +
                   " was expected");
}

/// The rope of --config or --model, or of the settings.
Rope rope_of_encoding_options(const EncodingOptions& options, const EncodingSettings& settings) {
  RopeOptions rope = options.rope;
  rope.scaling.trained_length = given(options, "trained_length");
  if (names_model(options)) {
    for (const std::string_view setting : {"dim", "rotary_dim"}) {
      if (!options.settings.find(setting)) continue;
      throw InputError("--" + std::string(setting == "dim" ? "dim" : "rotary-dim") +
                       " is given, but the model says how many channels there are; without it was expected");
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

std::string encodings_with(const EncodingSetting& setting) {
  return joined(entry_names(all_encodings(), [&](const Encoding& encoding) { return takes(encoding, setting.name); }));
}

double read_seed(const std::string& option, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value < 0 || *value > 0x1p53 || *value != std::floor(*value)) {
    reject(option, text, "a whole number from 0 to 9007199254740992");
  }
  return *value;
}

double read_int(const std::string& option, const std::string& text) {
  const std::int64_t value = read_whole(option, text);
  if (std::abs(value) > std::numeric_limits<int>::max()) reject(option, text, "a smaller number");
  return static_cast<double>(value);
}

/// The value that an option gives, as far as its kind goes; validate says the rest.
double read_value(const EncodingSetting& setting, const std::string& text) {
  const std::string option = option_name(setting);
  if (setting.is_switch) return read_switch(option, text);
  if (setting.name == "pairing") return read_pairing(text) == Pairing::half_split ? 1 : 0;
  if (setting.name == "seed") return read_seed(option, text);
  if (setting.whole) return read_int(option, text);
  const std::optional<double> value = parse_number(text);
  if (!value) reject(option, text, "a number");
  return *value;
}

}  // namespace

std::int64_t read_whole(const std::string& option, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value != std::floor(*value)) reject(option, text, "a whole number");
  if (std::abs(*value) > kLargestPosition) reject(option, text, "a whole number of at most 2^50 in size");
  return static_cast<std::int64_t>(*value);
}

void add_encoding_options(Arguments& arguments, EncodingOptions& options) {
  for (const EncodingSetting& setting : encoding_settings_in_order()) {
    if (setting.name != "dim") add_option(arguments, setting, encodings_with(setting), options.settings);
  }
  const std::string turning =
      joined(entry_names(all_encodings(), [](const Encoding& encoding) { return encoding.takes_ladder; }));
  arguments.option("--config", "FILE", options.rope.config, turning + ": turned as by this config.json or .gguf");
  arguments.option("--profile", "P", options.rope.profile, "Which of its profiles (default: the first)");
  arguments.option("--model", "PRESET", options.rope.model, turning + ": turned as by this preset");
  add_axis_option(arguments, options.rope);
  add_extension_options(arguments, options.rope.scaling);
}

std::string encoding_names() {
  return joined(entry_names(all_encodings()));
}

bool names_model(const EncodingOptions& options) {
  return options.rope.config || options.rope.model;
}

EncodingSettings settings_of(const EncodingOptions& options, const Encoding& encoding, std::optional<int> dim) {
  EncodingSettings settings;
  settings.pairing = Pairing::half_split;
  for (const EncodingSetting& setting : encoding_settings_in_order()) {
    const std::string* text = options.settings.find(setting.name);
    if (!text) continue;
    require_used(option_name(setting), setting, encoding);
    set_value(settings, setting, read_value(setting, *text));
  }
  if (dim) settings.dim = *dim;
  if (!names_ladder(options)) return settings;
  require_ladder_taken(encoding);
  const Rope rope = rope_of_encoding_options(options, settings);
  const RotarySpec& spec = rope.profile.spec;
  if (spec.axes.size() > 1 && !options.rope.axis) {
    throw InputError(rope.source + " has several axes; --axis with the name of one of them was expected");
  }
  const RotaryAxis& axis = choose_axis(options.rope, rope);
  // One axis of several is looked at as a head of its own.
  const int channels = spec.axes.size() > 1 ? axis.rotary_dim : spec.head_dim;
  if (dim && *dim != channels) {
    throw InputError(rope.source + " has heads of " + std::to_string(channels) + " channels, but the input has " +
                     std::to_string(*dim) + "; as many were expected");
  }
  settings.dim = channels;
  if (names_model(options)) settings.pairing = spec.pairing;
  put_ladder(settings, encoding, axis, ladder_of(options.rope, rope));
  return settings;
}

EncodingSettings settings_with_dim(const EncodingOptions& options, const Encoding& encoding) {
  if (!options.settings.find("dim") && !names_model(options)) {
    throw InputError("--dim is not given; --dim D, or --config or --model with a model's own, was expected");
  }
  return settings_of(options, encoding);
}

void check_position(const EncodingModel& model, std::int64_t position) {
  if (model.plan().check_position) model.plan().check_position(position);
}

}  // namespace ropescope
