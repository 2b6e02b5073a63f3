// Writes experiments for files of figures, loads them, and finds the files that they name.

#include "app/experiment/figure_file.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "app/experiment/fields.h"
#include "app/resources/files.h"
#include "core/formats/carried.h"
#include "core/formats/json.h"
#include "core/words.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

/// Calls `found` for the fields that hold a file.
template <class Found>
void with_files(Experiment& experiment, const Found& found) {
  const auto look_through = [&found](FieldList fields) {
    for (Field& field : fields) {
      if (!field.endings.empty() && !field.as<std::string>().empty()) found(field, field.as<std::string>());
    }
  };
  look_through(fields_of(experiment));
  for (Pin& pin : experiment.pins) look_through(fields_of(pin.rope));
}

/// The last part of a path; of a folder with a slash at its end the folder's.
std::string name_alone(const fs::path& path) {
  return (path.has_filename() || !path.has_parent_path() ? path : path.parent_path()).filename().string();
}

bool is_name_alone(const std::string& path) {
  return path == name_alone(path);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The bytes of a file, or none of what cannot be opened: whoever opens it next says why.
std::shared_ptr<const MappedFile> opened(const std::string& path) {
  try {
    return map_file(path);
  } catch (const InputError&) {
    return nullptr;
  }
}

std::string_view characters_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

std::string figure_text(const Experiment& experiment) {
  Experiment named = experiment;
  with_files(named, [](const Field&, std::string& path) { path = name_alone(path); });
  return experiment_to_line(named);
}

std::optional<Experiment> experiment_of_figure(const std::string& path) {
  const std::shared_ptr<const MappedFile> file = opened(path);
  const std::optional<std::string> text = file ? carried_text(characters_of(*file), path) : std::nullopt;
  if (!text) return std::nullopt;
  file->check_unchanged();
  Experiment experiment = experiment_from_json(*text, path);
  const fs::path folder = fs::path(path).parent_path();
  with_files(experiment, [&folder](const Field&, std::string& name) {
    name = name_alone(name);  // a figure that was made up opens nothing elsewhere
    if (!folder.empty() && is_there(folder / name)) name = (folder / name).string();
  });
  return experiment;
}

Experiment load_experiment(const std::string& path) {
  if (std::optional<Experiment> figure = experiment_of_figure(path)) return std::move(*figure);
  if (is_figure_file(path)) throw InputError(path, "carried_text.none", {});
  return experiment_from_json(read_file(path, kLargestJsonBytes), path);
}

bool is_figure_file(const std::string& path) {
  const std::shared_ptr<const MappedFile> file = opened(path);
  return file && may_carry_text(characters_of(*file));
}

std::vector<FileField> wanted_files(const Experiment& experiment) {
  std::vector<FileField> wanted;
  Experiment read = experiment;
  with_files(read, [&wanted](const Field& field, const std::string& path) {
    if (is_name_alone(path) && !is_there(path)) wanted.push_back({std::string(field.key), path, field.endings});
  });
  return wanted;
}

}  // namespace ropescope
