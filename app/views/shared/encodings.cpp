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

bool looks_at(const Encoding& encoding, std::string_view setting) {
  return std::find(encoding.settings.begin(), encoding.settings.end(), setting) != encoding.settings.end();
}

}  // namespace

EncodingSettings encoding_settings_of(const Experiment& experiment, const Encoding& encoding) {
  const RotarySpec spec = spec_of(experiment.rope);
  const RotaryAxis& axis = spec.axes[axis_index(spec, experiment.rope)];
  const EncodingKnobs& knobs = experiment.encoding;
  EncodingSettings settings;
  settings.dim = axis.rotary_dim;
  const auto set = [&encoding](std::string_view name, auto& setting, auto value) {
    if (looks_at(encoding, name)) setting = static_cast<std::remove_reference_t<decltype(setting)>>(value);
  };
  set("base", settings.base, axis.base);
  set("pairing", settings.pairing, spec.pairing);
  set("heads", settings.heads, knobs.heads);
  // The knobs may hold a head that there was before there were fewer heads.
  set("head", settings.head, std::min(knobs.head, knobs.heads));
  set("seed", settings.seed, knobs.seed);
  set("trained_length", settings.trained_length, knobs.table_length);
  set("clip", settings.clip, knobs.clip);
  set("buckets", settings.buckets, knobs.buckets);
  set("max_distance", settings.max_distance, knobs.max_distance);
  set("bidirectional", settings.bidirectional, knobs.bidirectional);
  set("kerple_r1", settings.kerple_r1, knobs.kerple_r1);
  set("kerple_r2", settings.kerple_r2, knobs.kerple_r2);
  set("p", settings.p, knobs.p);
  set("xpos_scale_base", settings.xpos_scale_base, knobs.xpos_scale_base);
  set("seeded_projections", settings.seeded_projections, knobs.seeded_projections);
  return settings;
}

void describe_encodings(Fields& fields, Experiment& experiment, const std::vector<std::string>& names) {
  std::vector<std::string_view> used;
  for (const Encoding& encoding : all_encodings()) {
    if (std::find(names.begin(), names.end(), encoding.name) == names.end()) continue;
    used.insert(used.end(), encoding.settings.begin(), encoding.settings.end());
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
