#include "app/views/shared/encodings.h"

#include <algorithm>

namespace ropescope {

namespace {

struct Slot {
  std::string_view encoding;
  int slot;
};
// Slots count colours and dashes together: those that are equal modulo 5 share a colour.
constexpr Slot kSlots[] = {{"rope", 0},    {"p-rope", 5},     {"xpos", 10},             // rotations
                           {"learned", 1}, {"tupe", 6},                                 // tables by position
                           {"alibi", 2},   {"sandwich", 7},   {"kerple", 12},           // fixed biases
                           {"t5", 3},      {"shaw", 8},       {"deberta", 13},          // tables by distance
                           {"none", 4},    {"sinusoidal", 9}, {"transformer-xl", 14}};  // content, and added sinusoids
constexpr int kOtherSlot = 11;

}  // namespace

EncodingSettings encoding_settings_of(const Experiment& experiment, const Encoding& encoding) {
  const RotarySpec spec = spec_of(experiment.rope);
  const RotaryAxis& axis = spec.axes[axis_index(spec, experiment.rope)];
  EncodingSettings settings;
  for (const EncodingSetting& setting : encoding.settings) {
    if (setting.knob) set_value(settings, setting, experiment.encoding[setting.name]);
  }
  // The knobs may hold a head that there was before there were fewer heads.
  settings.head = std::min(settings.head, settings.heads);
  settings.dim = axis.rotary_dim;
  if (takes(encoding, "base")) settings.base = axis.base;
  if (takes(encoding, "pairing")) settings.pairing = spec.pairing;
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
  for (const Slot& slot : kSlots) {
    if (slot.encoding == name) return slot.slot;
  }
  return kOtherSlot;
}

}  // namespace ropescope
