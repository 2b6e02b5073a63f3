#include "equivalent_profiles.h"

#include "check_configs.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

Extension initial_extension(const ScalingMethod& method) {
  Extension extension;
  extension.method = method.name;
  for (const ScalingField& parameter : method.parameters) {
    if (parameter.required) extension.numbers[std::string(parameter.name)] = parameter.initial;
  }
  if (!method.lists.empty()) {
    std::vector<double> near, far;
    for (int pair = 0; pair < 64; ++pair) {
      near.push_back(1 + pair * 0.013);
      far.push_back(1 + pair * 0.71);
    }
    extension.lists = {{"short_factors", near}, {"long_factors", far}};
  }
  return extension;
}

void add_published(std::vector<NamedProfiles>& models) {
  const fs::path folder = fs::path(source_folder()) / "../shared/configs";
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "INDEX.json") continue;
    try {
      models.push_back({name, parse_model_config(content_of(entry.path()), name).profiles});
    } catch (const InputError&) {
      // A layout alone, or recognised and not supported.
    }
  }
}

}  // namespace

Profile profile_with(const Extension& extension) {
  Profile profile;
  profile.name = "text";
  profile.spec.axes.front().base = 500000;
  profile.spec.trained_length = 8192;
  profile.spec.extension = extension;
  return profile;
}

std::vector<NamedProfiles> profiles_to_say() {
  std::vector<NamedProfiles> models;
  for (const ScalingMethod& method : all_scaling_methods()) {
    const std::string name(method.name);
    models.push_back({name, {profile_with(initial_extension(method))}});
    if (!method.lists.empty()) continue;
    Profile part = models.back().profiles.front();
    part.spec.head_dim = 160;  // 0.8 of the head
    models.push_back({name + " of a part", {part}});
    Profile axes = part;
    axes.name = "image";
    axes.spec.axes = {{"t", 16, 500000}, {"row", 56, 10000}, {"column", 56, 100}};
    models.push_back({name + " of three axes", {axes}});
  }
  if (has_published_configs()) add_published(models);
  return models;
}

}  // namespace ropescope
