#include "app/views/shared/ropes.h"

#include <algorithm>

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/model_sides.h"
#include "core/decay/limits.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

std::string extension_label(const RopeKnobs& rope, const Text& text) {
  const ScalingKnobs& knobs = rope.scaling;
  if (knobs.method == "none") return {};
  const ScalingMethod& method = find_scaling_method(knobs.method);
  std::string label(method.name);
  for (const ScalingParameter& parameter : method.parameters) {
    if (parameter.says_how_far) label += " ×" + readable_number(knobs[parameter.name], 4);
  }
  if (!method.depends_on_length || knobs.length <= 0) return label;
  const bool is_long = takes_long_list(knobs.length, rope.trained_length);
  return text.format(method.lists.empty() ? "view.decay.at_length"
                     : is_long            ? "view.decay.long_list"
                                          : "view.decay.short_list",
                     {{"extension", label}, {"length", counted(knobs.length)}});
}

std::string rope_label(const RopeKnobs& rope, const Text& text, bool with_dimension) {
  std::string label;
  if (!rope.axes.empty() && !rope.axis.empty())
    label += text.format("view.decay.axis", {{"axis", axis_word(rope.axis, text)}}) + " · ";
  label += text.format("view.decay.base", {{"base", readable_number(rope.base, 7)}});
  const std::string extension = extension_label(rope, text);
  if (!extension.empty()) label += " · " + extension;
  if (with_dimension) {
    label += " · " + text.format("view.decay.dimension", {{"dimension", counted(rope.rotary_dim)}});
  }
  if (rope.label.empty()) return label;
  const std::optional<RopeKnobs> before = before_changes(rope);
  if (!before) return rope.label + " · " + label;
  std::vector<std::string> changes;
  if (rope.base != before->base) {
    changes.push_back(text.format("view.decay.base", {{"base", readable_number(rope.base, 7)}}));
  }
  if (with_dimension || rope.rotary_dim != before->rotary_dim) {
    changes.push_back(text.format("view.decay.dimension", {{"dimension", counted(rope.rotary_dim)}}));
  }
  if (extension != extension_label(*before, text)) {
    changes.push_back(extension.empty() ? text["view.decay.no_extension"] : extension);
  }
  if (changes.empty()) return text.format("view.decay.changed", {{"name", rope.label}});
  std::string values;
  for (const std::string& change : changes) values += (values.empty() ? "" : " · ") + change;
  return text.format("view.decay.changed_to", {{"name", rope.label}, {"values", values}});
}

std::string pin_label(const Pin& pin, const Text& text, bool with_dimension) {
  return pin.name.empty() ? rope_label(pin.rope, text, with_dimension) : pin.name;
}

bool labels_need_dimension(const Experiment& experiment) {
  return std::any_of(experiment.pins.begin(), experiment.pins.end(),
                     [&](const Pin& pin) { return pin.rope.rotary_dim != experiment.rope.rotary_dim; });
}

bool is_hidden(const Experiment& experiment, const std::string& key) {
  return std::find(experiment.hidden.begin(), experiment.hidden.end(), key) != experiment.hidden.end();
}

std::vector<ShownRope> shown_ropes(const Experiment& experiment, const Text& text) {
  const bool dimension = labels_need_dimension(experiment);
  std::vector<ShownRope> ropes;
  const auto add = [&](const std::string& key, const RopeKnobs& rope, const std::string& label, int slot) {
    if (!is_hidden(experiment, key)) ropes.push_back({key, label, slot, &rope});
  };
  add("current", experiment.rope, rope_label(experiment.rope, text, dimension), 0);
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    const Pin& pin = experiment.pins[i];
    add(pin_key(i), pin.rope, pin_label(pin, text, dimension), pin.slot);
  }
  return ropes;
}

void add_ladder_in_use(std::vector<Readout>& readouts, std::string_view view, const RopeKnobs& rope, const Text& text) {
  const ScalingMethod& method = find_scaling_method(rope.scaling.method);
  const double length = rope.scaling.length;
  if (!method.depends_on_length || length <= 0) return;
  Readout readout = start_card(std::string(view) + ".ladder", text, "ladder_in_use");
  readout.value = as_it_is(text.format(method.lists.empty()                           ? "readout.ladder_in_use.at"
                                       : takes_long_list(length, rope.trained_length) ? "readout.ladder_in_use.long"
                                                                                      : "readout.ladder_in_use.short",
                                       {{"length", counted(length)}}));
  readout.note = extension_label(rope, text);
  readouts.push_back(std::move(readout));
}

void take_preset(Experiment& experiment, const std::string& id) {
  const Preset preset = load_preset(find_places().assets, id);
  RopeKnobs rope = knobs_of(preset.profiles.front(), preset.name);
  rope.model = preset.id;
  experiment.rope = std::move(rope);
}

AxisScale axis_scale_of(const std::string& name) {
  if (name == "log") return AxisScale::log;
  if (name == "symlog") return AxisScale::symlog;
  return AxisScale::linear;
}

}  // namespace ropescope
