#include "core/formats/check_model.h"

#include <algorithm>

#include "core/error.h"

namespace ropescope {

namespace {

void take_traits(const Profile& profile, const std::string& model_type, CheckReference& reference) {
  // Latent attention: the channels that turn are a part of their own behind those that do not.
  reference.turned_last = std::any_of(profile.notes.begin(), profile.notes.end(),
                                      [](const Words& note) { return note.key == "config_note.latent_attention"; });
  // The released code turns the values with the keys, and the output back by its own position.
  const auto is_v4 = [](const Words& note) {
    const auto says = [](const Words::Named& named) {
      const auto* type = std::get_if<std::string>(&named.value);
      return type != nullptr && *type == "deepseek_v4";
    };
    return note.key == "config_note.by_architecture" && std::any_of(note.values.begin(), note.values.end(), says);
  };
  reference.turns_back = model_type == "deepseek_v4" || model_type == "deepseek4" ||
                         std::any_of(profile.notes.begin(), profile.notes.end(), is_v4);
}

}  // namespace

void take_model(const std::vector<Profile>& profiles, const std::string& model_type, const Profile& own,
                CheckReference& reference) {
  take_traits(own, model_type, reference);
  if (profiles.size() < 2) return;
  reference.profile = own.name;
  for (const Profile& profile : profiles) {
    if (profile.name == own.name || profile.spec.axes.size() > 1 || !profile.not_understood.empty()) continue;
    try {
      CheckReference other = reference_from_rope(profile.spec, reference.length, reference.positions);
      other.profile = profile.name;
      other.of_gguf = reference.of_gguf;
      take_traits(profile, model_type, other);
      reference.others.push_back(std::move(other));
    } catch (const InputError&) {
      // What cannot be computed is nothing to try.
    }
  }
}

}  // namespace ropescope
