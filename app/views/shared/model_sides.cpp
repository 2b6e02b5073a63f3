#include "app/views/shared/model_sides.h"

#include <algorithm>
#include <utility>

#include "app/resources/files.h"
#include "app/resources/models.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Of a file or preset that is there; nothing else.
ModelSide side_of_source(const RopeKnobs& rope) {
  try {
    if (!rope.config.empty()) return file_side(rope.config);
    if (!rope.model.empty()) return preset_side(rope.model);
  } catch (const InputError&) {
    // It is gone or has become another; the knobs are complete in themselves.
  }
  return {};
}

}  // namespace

ModelSide file_side(const std::string& path) {
  ModelSide side;
  side.layout = load_layout_config(path);
  // LTX-Video and DINOv3 are a layout alone.
  if (!side.layout || side.layout->plain_ladders) side.profiles = load_model_config(path).profiles;
  return side;
}

ModelSide preset_side(const std::string& id) {
  const std::filesystem::path assets = find_places().assets;
  return {load_preset(assets, id).profiles, preset_layout(assets, id)};
}

ModelSide rope_side(const RopeKnobs& rope) {
  ModelSide side = side_of_source(rope);
  const std::string name = rope.profile.empty() ? "text" : rope.profile;
  const auto shown = std::find_if(side.profiles.begin(), side.profiles.end(),
                                  [&name](const Profile& profile) { return profile.name == name; });
  if (shown == side.profiles.end()) {
    Profile alone;
    alone.name = name;
    alone.spec = spec_of(rope);
    return {{std::move(alone)}, std::nullopt};
  }
  if (turning(knobs_of(*shown, {})) == turning(rope)) return side;
  shown->spec = spec_of(rope);
  shown->not_understood.clear();
  if (!rope.model.empty()) side.layout.reset();  // that of the preset as it is
  return side;
}

std::optional<RopeKnobs> before_changes(const RopeKnobs& rope) {
  if (rope.model.empty()) return std::nullopt;
  // Asked of every label of every frame; the presets are part of the program.
  static const std::vector<Preset> presets = load_presets(find_places().assets);
  const auto compared = [](RopeKnobs knobs) {
    grow_head(knobs);
    knobs.scaling.length = 0;  // how far somebody looks
    return turning(std::move(knobs));
  };
  for (const Preset& preset : presets) {
    if (preset.id != rope.model) continue;
    const Profile* named = &preset.profiles.front();
    for (const Profile& profile : preset.profiles) {
      if (profile.name != rope.profile) continue;
      if (compared(knobs_of(profile, {})) == compared(rope)) return std::nullopt;
      named = &profile;
    }
    return knobs_of(*named, preset.name);
  }
  return std::nullopt;
}

bool is_changed(const RopeKnobs& rope) {
  return before_changes(rope).has_value();
}

std::string rope_name(const RopeKnobs& rope, const Text& text) {
  if (rope.label.empty() || !is_changed(rope)) return rope.label;
  return text.format("view.decay.changed", {{"name", rope.label}});
}

Words::List notes_of(const ModelSide& side) {
  Words::List notes;
  for (const Profile& profile : side.profiles) {
    for (const Words& note : notes_for_verdicts(profile)) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

RopeKnobs turning(RopeKnobs knobs) {
  const RopeKnobs initial;
  knobs.label = initial.label;
  knobs.config = initial.config;
  knobs.model = initial.model;
  knobs.profile = initial.profile;
  knobs.axis = initial.axis;
  return knobs;
}

}  // namespace ropescope
