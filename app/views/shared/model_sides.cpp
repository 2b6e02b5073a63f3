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
  return {load_preset(find_places().assets, id).profiles, std::nullopt};
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
  if (turning(knobs_of(*shown, {})) != turning(rope)) shown->spec = spec_of(rope);
  return side;
}

Words::List notes_of(const ModelSide& side) {
  Words::List notes;
  for (const Profile& profile : side.profiles) {
    for (const Words& note : profile.notes) {
      const bool stored = note.key == "config_note.stored_frequencies" || note.key == "config_note.other_frequencies";
      if (stored) notes.push_back(note);
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
