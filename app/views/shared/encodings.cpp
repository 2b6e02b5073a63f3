#include "app/views/shared/encodings.h"

#include <algorithm>

namespace ropescope {

EncodingSettings encoding_settings_of(const RopeAxes& rope, const EncodingKnobs& knobs, const Encoding& encoding) {
  const RotaryAxis& axis = rope.shown_axis();
  EncodingSettings settings;
  for (const EncodingSetting& setting : encoding.settings) {
    if (setting.knob) set_value(settings, setting, knobs[setting.name]);
  }
  // The knobs may hold a head that there was before there were fewer heads.
  settings.head = std::min(settings.head, settings.heads);
  settings.dim = axis.rotary_dim;
  if (takes(encoding, "base")) settings.base = axis.base;
  if (takes(encoding, "pairing")) settings.pairing = rope.spec.pairing;
  return settings;
}

void describe_encodings(Fields& fields, Experiment& experiment, const std::vector<std::string>& names) {
  std::vector<std::string_view> used;
  for (const Encoding& encoding : all_encodings()) {
    if (std::find(names.begin(), names.end(), encoding.name) == names.end()) continue;
    for (const EncodingSetting& setting : encoding.settings) used.push_back(setting.name);
  }
  const auto is_used = [&used](std::string_view setting) {
    return std::find(used.begin(), used.end(), setting) != used.end();
  };
  std::vector<std::string_view> rope = {"rope.rotary_dim", "rope.axis"};
  if (is_used("base")) rope.emplace_back("rope.base");
  if (is_used("pairing")) rope.emplace_back("rope.pairing");
  describe_embedding(fields, experiment.rope, rope);
  describe(fields, experiment.encoding, used);
}

int encoding_slot(std::string_view name) {
  return find_encoding(name).slot;
}

}  // namespace ropescope
