// The spec and the ladder of a rope from its fields, fields from a profile, and the reference of related curves.
//
// Contents: Spec; Curves.

#include "app/experiment/rope_spec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/user_data.h"
#include "app/figure/figure.h"
#include "core/formats/ladder_text.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "core/scaling/methods.h"

namespace ropescope {

// --- Spec ----------------------------------------------------------------------------------------------------------

namespace {

/// Throws InputError for a value that a field does not accept; spec_of() then converts to int unchecked.
void check_field(const Field& field) {
  const auto refuse = [&field](const std::string& found) {
    throw InputError("field", {{"field", field.key}, {"found", found}, {"expected", expectation(field)}});
  };
  if (field.kind == Field::Kind::number && !accepts(field, field.as<double>())) refuse(text_of(field));
  if (field.kind != Field::Kind::choice) return;
  // An empty axis means the first one.
  const std::string value = field.word();
  if (!value.empty() && !accepts(field, value)) refuse("\"" + value + "\"");
}

std::vector<AxisEntry> entries_of(const RopeFields& fields) {
  std::vector<AxisEntry> entries;
  const Message problem = read_axis_list(fields.axes, entries);
  if (!problem.empty()) throw InputError("rope.axes", "axes.of_rope", {{"problem", problem}});
  return entries;
}

/// Returns the default target length of an extension: the context length, or the trained length times its factor.
double target_length(const RopeFields& rope) {
  if (rope.context_length > rope.trained_length) return rope.context_length;
  double factor = 1;
  for (const ScalingField& parameter : find_scaling_method(rope.scaling.method).parameters) {
    if (parameter.is_extension_factor) factor = rope.scaling[parameter.name];
  }
  return rope.trained_length * factor;
}

/// Returns the extension of a profile. A single ladder that ends early is equivalent to the method "proportional".
Extension extension_of(const RotarySpec& spec) {
  const RotaryAxis& axis = spec.axes.front();
  if (spec.axes.size() > 1 || axis.ladder != Ladder::proportional) return spec.extension;
  if (extends(spec.extension.method)) {
    throw InputError("rotary.two_extensions", {{"axis", axis.name}, {"method", spec.extension.method}});
  }
  return to_extension(axis);
}

// --- Curves --------------------------------------------------------------------------------------------------------

std::vector<std::string> references(const Experiment& experiment) {
  std::vector<std::string> keys{kCurrentKey};
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) keys.push_back(pin_key(pin));
  return keys;
}

bool has_reference(const Experiment& experiment) {
  const std::vector<std::string> keys = references(experiment);
  return std::find(keys.begin(), keys.end(), experiment.curves.relative_to) != keys.end();
}

}  // namespace

RotarySpec spec_of(const RopeFields& fields) {
  const std::vector<AxisEntry> entries = entries_of(fields);
  for (const Field& field : fields_of(fields)) check_field(field);

  RotarySpec spec;
  spec.pairing = fields.pairing;
  spec.trained_length = fields.trained_length > 0 ? std::optional(fields.trained_length) : std::nullopt;
  spec.axes.clear();
  for (const AxisEntry& entry : entries) {
    RotaryAxis axis;
    axis.name = entry.name;
    axis.rotary_dim = entry.rotary_dim;
    axis.base = entry.base.value_or(fields.base);
    if (entry.factor != 1) {  // a plain ladder divided by a factor
      axis.ladder = Ladder::proportional;
      axis.factor = entry.factor;
    }
    spec.axes.push_back(axis);
  }
  if (entries.empty()) {
    RotaryAxis axis;
    axis.rotary_dim = static_cast<int>(fields.rotary_dim);
    axis.base = fields.base;
    spec.axes.push_back(axis);
  }
  if (names_ladder_file(fields.ladder)) throw InputError("rope.ladder", "ladder.file", {{"file", fields.ladder}});
  if (!fields.ladder.empty()) give_ladder(spec, fields.ladder, "rope.ladder");
  spec.head_dim = std::max(static_cast<int>(fields.head_dim), total_rotary_dim(spec));
  spec.extension = extension_of(fields.scaling);
  validate(spec);
  return spec;
}

std::vector<std::string> axis_names(const RopeFields& fields) {
  std::vector<AxisEntry> entries;
  read_axis_list(fields.axes, entries);
  std::vector<std::string> names;
  for (const AxisEntry& entry : entries) names.push_back(entry.name);
  return names;
}

std::size_t axis_index(const RotarySpec& spec, const RopeFields& fields) {
  const auto found = std::find_if(spec.axes.begin(), spec.axes.end(), [&](const RotaryAxis& axis) {
    return !fields.axes.empty() && axis.name == fields.axis;
  });
  return found == spec.axes.end() ? 0 : static_cast<std::size_t>(found - spec.axes.begin());
}

RopeAxes read_axes(const RopeFields& fields) {
  RopeAxes rope{spec_of(fields), 0};
  rope.axis = axis_index(rope.spec, fields);
  return rope;
}

double extended_length(const RopeFields& rope) {
  const bool extended = extends(rope.scaling.method) && rope.context_length > rope.trained_length;
  return extended ? rope.context_length : 0;
}

void give_length(RopeFields& rope, double asked) {
  if (rope.scaling.length > 0 || !find_scaling_method(rope.scaling.method).depends_on_length) return;
  rope.scaling.length = std::ceil(asked > 0 ? asked : target_length(rope));
}

RopeReading read_rope(const RopeFields& fields) {
  RopeReading rope{read_axes(fields), {}, {}};
  const double length = fields.scaling.length;
  rope.ladder = scaled_ladder(rope.spec, rope.axis, length > 0 ? std::optional(length) : std::nullopt);
  rope.plain = axis_frequencies(rope.shown_axis());
  return rope;
}

RopeFields to_rope_fields(const Profile& profile, const std::string& label) {
  const RotarySpec& spec = profile.spec;
  const RotaryAxis& first = spec.axes.front();
  RopeFields fields;
  fields.label = label;
  fields.profile = profile.name;
  fields.base = first.base;
  fields.ladder = ladder_numbers(spec);
  fields.rotary_dim = total_rotary_dim(spec);
  fields.head_dim = spec.head_dim;
  fields.pairing = spec.pairing;
  fields.trained_length = std::round(spec.trained_length.value_or(0));
  fields.context_length = std::round(profile.context_length.value_or(0));
  fields.scaling = to_scaling_fields(extension_of(spec));
  if (spec.axes.size() > 1) {
    // A base shared by all axes stays a field; only different bases and factors are written into the list.
    const bool one_base = std::all_of(spec.axes.begin(), spec.axes.end(), [&](const RotaryAxis& axis) {
      return axis.base == first.base && axis.factor == 1;
    });
    std::vector<AxisEntry> entries;
    for (const RotaryAxis& axis : spec.axes) {
      entries.push_back(
          {{axis.name, axis.rotary_dim, one_base ? std::nullopt : std::optional(axis.base)}, axis.factor});
    }
    fields.axes = write_axis_list(entries);
    fields.axis = first.name;
  }
  spec_of(fields);  // throws if the window's fields do not accept a value
  return fields;
}

std::string extension_text(const Extension& extension) {
  if (extension.method.empty() || !extends(extension.method)) return {};
  const auto factor = extension.number("factor");
  return factor ? extension.method + " (factor " + shortest_number(*factor) + ")" : extension.method;
}

std::string extension_text(const Extension& extension, double trained_length, double length) {
  std::string text = extension_text(extension);
  if (text.empty() || length <= 0) return text;
  const ScalingMethod& method = find_scaling_method(extension.method);
  if (!method.depends_on_length) return text;
  const std::string at = shortest_number(length);
  if (method.lists.empty()) return text + " at " + at;
  return text + (takes_long_list(length, trained_length) ? ", long list (" : ", short list (") + at + ")";
}

bool relates(const Experiment& experiment) {
  return experiment.curves.shown_as != CurveFields().shown_as;
}

std::optional<std::size_t> reference_pin(const Experiment& experiment) {
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) {
    if (experiment.curves.relative_to == pin_key(pin)) return pin;
  }
  return std::nullopt;
}

void check_curves(const Experiment& experiment) {
  if (!relates(experiment)) return;
  const CurveFields& fields = experiment.curves;
  if (experiment.pins.empty()) throw InputError("curves.no_pins", {{"shown_as", word_of(fields.shown_as)}});
  if (has_reference(experiment)) return;
  throw InputError("curves.no_pin", {{"given", fields.relative_to}, {"expected", one_of(references(experiment))}});
}

void settle_curves(Experiment& experiment) {
  if (experiment.pins.empty()) experiment.curves.shown_as = CurveFields().shown_as;
  if (!has_reference(experiment)) experiment.curves.relative_to = CurveFields().relative_to;
}

}  // namespace ropescope
