#include "app/views/shared/encodings.h"

#include <algorithm>

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/ropes.h"
#include "core/encodings/ladder.h"

namespace ropescope {

EncodingSettings encoding_settings_of(const RopeKnobs& rope, const EncodingKnobs& knobs, const Encoding& encoding,
                                      int head_dim) {
  RopeKnobs fitted = rope;
  const bool cut = rope.axes.empty() && head_dim > 0 && head_dim % 2 == 0 && head_dim < rope.rotary_dim;
  if (cut) fitted.rotary_dim = head_dim;
  const RopeAxes axes = read_axes(fitted);
  const RotaryAxis& axis = axes.shown_axis();
  EncodingSettings settings;
  for (const EncodingSetting& setting : encoding.settings) {
    if (setting.knob) set_value(settings, setting, knobs[setting.name]);
  }
  // The knobs may hold a head that there was before there were fewer heads.
  settings.head = std::min(settings.head, settings.heads);
  settings.dim = head_dim > 0 ? head_dim : axis.rotary_dim;
  if (takes(encoding, "pairing")) settings.pairing = axes.spec.pairing;
  put_ladder(settings, encoding, axis, encoding.takes_ladder ? read_rope(fitted).ladder : ScaledLadder());
  return settings;
}

std::string encoding_label(const Encoding& encoding, const RopeKnobs& rope, const Text& text) {
  const std::string title = text.say(title_of(encoding)), extension = extension_label(rope, text);
  if (!encoding.takes_ladder || extension.empty()) return title;
  return text.format("view.compare.on_ladder", {{"encoding", title}, {"extension", extension}});
}

void add_ladder_readout(std::vector<Readout>& readouts, const std::string& name,
                        const std::vector<EncodingShown>& shown, const RopeKnobs& rope, const Text& text) {
  const std::string extension = extension_label(rope, text);
  const auto turning =
      std::find_if(shown.begin(), shown.end(), [](const EncodingShown& one) { return one.encoding->takes_ladder; });
  if (extension.empty() || turning == shown.end()) return;
  const auto& ladder = turning->settings->ladder;
  const double amplitude = ladder ? ladder->amplitude : 1;
  Readout readout = start_card(name, text, "encoding.ladder");
  readout.value = as_it_is(extension);
  readout.note = amplitude == 1 ? text["readout.encoding.ladder.angles"]
                                : text.format("readout.encoding.ladder.amplitude",
                                              {{"amplitude", readable_number(amplitude, 4)},
                                               {"square", readable_number(amplitude * amplitude, 4)}});
  readouts.push_back(readout);
}

void describe_encodings(Fields& fields, Experiment& experiment, const std::vector<std::string>& names) {
  std::vector<std::string_view> used;
  bool turns = false;
  for (const Encoding& encoding : all_encodings()) {
    if (std::find(names.begin(), names.end(), encoding.name) == names.end()) continue;
    turns = turns || encoding.takes_ladder;
    for (const EncodingSetting& setting : encoding.settings) used.push_back(setting.name);
  }
  const auto is_used = [&used](std::string_view setting) {
    return std::find(used.begin(), used.end(), setting) != used.end();
  };
  std::vector<std::string_view> rope = {"rope.rotary_dim", "rope.axis"};
  if (is_used("base")) rope.emplace_back("rope.base");
  if (is_used("pairing")) rope.emplace_back("rope.pairing");
  if (turns) rope.insert(rope.end(), {"rope.trained_length", "rope.scaling", "rope.length"});
  for (const ScalingParameter& parameter : all_scaling_parameters()) {
    if (turns) rope.push_back(parameter.key);
  }
  for (const ScalingList& list : all_scaling_lists()) {
    if (turns) rope.push_back(list.key);
  }
  describe_embedding(fields, experiment.rope, rope);
  describe(fields, experiment.encoding, used);
}

int encoding_slot(std::string_view name) {
  return find_encoding(name).slot;
}

}  // namespace ropescope
