#include "app/experiment/rope_spec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

// --- Spec ----------------------------------------------------------------------------------------------------------

namespace {

/// Refuses what a field does not accept; spec_of can then convert to int without looking.
class RangeCheck : public Fields {
 public:
  void number(const NumberField& field, double& value) override {
    if (!accepts(field, value)) refuse(field.key, shortest_number(value), expectation(field));
  }
  void choice(const ChoiceField& field, std::string& value) override {
    // An empty axis stands for the first one.
    if (!value.empty() && !accepts(field, value)) refuse(field.key, "\"" + value + "\"", expectation(field));
  }
  void toggle(const ToggleField&, bool&) override {}
  void text(const TextField&, std::string&) override {}
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField&, std::vector<std::string>&) override {}

 private:
  [[noreturn]] static void refuse(std::string_view key, const std::string& found, const Words& expected) {
    throw InputError("field", {{"field", key}, {"found", found}, {"expected", expected}});
  }
};

std::vector<AxisEntry> entries_of(const RopeKnobs& knobs) {
  std::vector<AxisEntry> entries;
  const Words problem = read_axis_list(knobs.axes, entries);
  if (!problem.empty()) throw InputError("rope.axes", "axes.of_rope", {{"problem", problem}});
  return entries;
}

}  // namespace

RotarySpec spec_of(const RopeKnobs& knobs) {
  const std::vector<AxisEntry> entries = entries_of(knobs);
  RopeKnobs checked = knobs;
  RangeCheck check;
  describe(check, checked);

  RotarySpec spec;
  spec.pairing = knobs.pairing == "interleaved" ? Pairing::interleaved : Pairing::half_split;
  spec.trained_length = knobs.trained_length > 0 ? std::optional(knobs.trained_length) : std::nullopt;
  spec.axes.clear();
  for (const AxisEntry& entry : entries) {
    RotaryAxis axis;
    axis.name = entry.name;
    axis.rotary_dim = entry.rotary_dim;
    axis.base = entry.base.value_or(knobs.base);
    if (entry.factor != 1) {  // a plain ladder divided by a factor
      axis.ladder = Ladder::proportional;
      axis.factor = entry.factor;
    }
    spec.axes.push_back(axis);
  }
  if (entries.empty()) {
    RotaryAxis axis;
    axis.rotary_dim = static_cast<int>(knobs.rotary_dim);
    axis.base = knobs.base;
    spec.axes.push_back(axis);
  }
  spec.head_dim = std::max(static_cast<int>(knobs.head_dim), total_rotary_dim(spec));
  spec.extension = extension_of(knobs.scaling);
  validate(spec);
  return spec;
}

std::vector<std::string> axis_names(const RopeKnobs& knobs) {
  std::vector<AxisEntry> entries;
  read_axis_list(knobs.axes, entries);
  std::vector<std::string> names;
  for (const AxisEntry& entry : entries) names.push_back(entry.name);
  return names;
}

std::size_t axis_index(const RotarySpec& spec, const RopeKnobs& knobs) {
  const auto found = std::find_if(spec.axes.begin(), spec.axes.end(), [&](const RotaryAxis& axis) {
    return !knobs.axes.empty() && axis.name == knobs.axis;
  });
  return found == spec.axes.end() ? 0 : static_cast<std::size_t>(found - spec.axes.begin());
}

RopeAxes read_axes(const RopeKnobs& knobs) {
  RopeAxes rope{spec_of(knobs), 0};
  rope.axis = axis_index(rope.spec, knobs);
  return rope;
}

double target_length(const RopeKnobs& rope) {
  if (rope.context_length > rope.trained_length) return rope.context_length;
  double factor = 1;
  for (const ScalingParameter& parameter : find_scaling_method(rope.scaling.method).parameters) {
    if (parameter.says_how_far) factor = rope.scaling[parameter.name];
  }
  return rope.trained_length * factor;
}

void give_length(RopeKnobs& rope, double asked) {
  if (rope.scaling.length > 0 || !find_scaling_method(rope.scaling.method).depends_on_length) return;
  rope.scaling.length = std::ceil(asked > 0 ? asked : target_length(rope));
}

RopeReading read_rope(const RopeKnobs& knobs) {
  RopeReading rope{read_axes(knobs), {}, {}};
  const double length = knobs.scaling.length;
  rope.ladder = scaled_ladder(rope.spec, rope.axis, length > 0 ? std::optional(length) : std::nullopt);
  rope.plain = axis_frequencies(rope.shown_axis());
  return rope;
}

namespace {

/// The extension of a profile. A single ladder that ends early is the method "proportional" under another name.
Extension extension_of(const RotarySpec& spec) {
  const RotaryAxis& axis = spec.axes.front();
  if (spec.axes.size() > 1 || axis.ladder == Ladder::plain) return spec.extension;
  if (spec.extension.method != "none") {
    throw InputError("rotary.two_extensions", {{"axis", axis.name}, {"method", spec.extension.method}});
  }
  return {"proportional", {{"live_fraction", axis.live_fraction}, {"factor", axis.factor}}, {}};
}

}  // namespace

RopeKnobs knobs_of(const Profile& profile, const std::string& label) {
  const RotarySpec& spec = profile.spec;
  const RotaryAxis& first = spec.axes.front();
  RopeKnobs knobs;
  knobs.label = label;
  knobs.profile = profile.name;
  knobs.base = first.base;
  knobs.rotary_dim = total_rotary_dim(spec);
  knobs.head_dim = spec.head_dim;
  knobs.pairing = spec.pairing == Pairing::interleaved ? "interleaved" : "half";
  knobs.trained_length = std::round(spec.trained_length.value_or(0));
  knobs.context_length = std::round(profile.context_length.value_or(0));
  knobs.scaling = scaling_knobs_of(extension_of(spec));
  if (spec.axes.size() > 1) {
    // A base that all axes share stays a knob; only different ones are written into the list, and so are factors.
    const bool one_base = std::all_of(spec.axes.begin(), spec.axes.end(), [&](const RotaryAxis& axis) {
      return axis.base == first.base && axis.factor == 1;
    });
    std::vector<AxisEntry> entries;
    for (const RotaryAxis& axis : spec.axes) {
      entries.push_back({axis.name, axis.rotary_dim, one_base ? std::nullopt : std::optional(axis.base), axis.factor});
    }
    knobs.axes = write_axis_list(entries);
    knobs.axis = first.name;
  }
  spec_of(knobs);  // throws where the window's knobs cannot hold a value
  return knobs;
}

std::string extension_text(const Extension& extension) {
  if (extension.method.empty() || extension.method == "none") return {};
  const auto factor = extension.numbers.find("factor");
  if (factor == extension.numbers.end()) return extension.method;
  return extension.method + " (factor " + shortest_number(factor->second) + ")";
}

std::string extension_text(const Extension& extension, double trained_length, double length) {
  const std::string text = extension_text(extension);
  if (text.empty() || length <= 0) return text;
  const ScalingMethod& method = find_scaling_method(extension.method);
  if (!method.depends_on_length) return text;
  const std::string at = shortest_number(length);
  if (method.lists.empty()) return text + " at " + at;
  return text + (takes_long_list(length, trained_length) ? ", long list (" : ", short list (") + at + ")";
}

// --- Curves --------------------------------------------------------------------------------------------------------

namespace {

std::vector<std::string> references(const Experiment& experiment) {
  std::vector<std::string> keys{"current"};
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) keys.push_back(pin_key(pin));
  return keys;
}

bool has_reference(const Experiment& experiment) {
  const std::vector<std::string> keys = references(experiment);
  return std::find(keys.begin(), keys.end(), experiment.curves.relative_to) != keys.end();
}

}  // namespace

bool relates(const Experiment& experiment) {
  return experiment.curves.shown_as != CurveKnobs().shown_as;
}

std::optional<std::size_t> reference_pin(const Experiment& experiment) {
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) {
    if (experiment.curves.relative_to == pin_key(pin)) return pin;
  }
  return std::nullopt;
}

void check_curves(const Experiment& experiment) {
  if (!relates(experiment)) return;
  const CurveKnobs& knobs = experiment.curves;
  if (experiment.pins.empty()) throw InputError("curves.no_pins", {{"shown_as", knobs.shown_as}});
  if (has_reference(experiment)) return;
  throw InputError("curves.no_pin", {{"given", knobs.relative_to}, {"expected", one_of(references(experiment))}});
}

void settle_curves(Experiment& experiment) {
  if (experiment.pins.empty()) experiment.curves = {};
  if (!has_reference(experiment)) experiment.curves.relative_to = CurveKnobs().relative_to;
}

}  // namespace ropescope
