#include "app/commands/described.h"

#include <filesystem>

#include "app/experiment/figure_file.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/model_sides.h"
#include "app/views/view.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

ModelSide experiment_side(const std::string& path) {
  const Experiment experiment = load_experiment(path);
  const View& view = find_view(experiment.view);
  if (view.shows_layout && view.shows_layout(experiment)) {
    LayoutConfig layout;
    layout.layout = experiment.layout.name;
    layout.request = request_of(experiment.layout);
    return {{}, std::move(layout)};
  }
  Profile profile;
  profile.name = experiment.rope.profile.empty() ? "text" : experiment.rope.profile;
  profile.spec = spec_of(experiment.rope);
  return {{std::move(profile)}, std::nullopt};
}

/// What is no file must be a preset.
ModelSide side_of_name(const std::string& name) {
  try {
    return preset_side(name);
  } catch (const InputError& error) {
    throw InputError("\"" + name +
                     "\" is neither a file, nor a folder, nor a preset: " + said_in_english(error.words()));
  }
}

}  // namespace

Described read_described(const std::string& argument) {
  if (argument.empty())
    throw InputError("a name is empty; a config.json, a folder, an experiment or a preset was expected");
  std::error_code ignored;
  if (!std::filesystem::exists(argument, ignored)) return {argument, side_of_name(argument)};
  return {argument, is_experiment(argument) ? experiment_side(argument) : file_side(argument)};
}

}  // namespace ropescope
