#include "check_configs.h"

#include "core/formats/config_layout.h"

namespace ropescope {

namespace {

fs::path folder() {
  return fs::path(source_folder()) / "../shared/configs";
}

}  // namespace

std::vector<CheckCase> model_cases() {
  std::vector<CheckCase> cases;
  // A folder lists its files in any order, and the index of a case chooses its format.
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source_folder() + "/assets/models")) {
    files.insert(entry.path());
  }
  for (const fs::path& path : files) {
    if (path.extension() != ".json") continue;
    const Preset preset = parse_preset(content_of(path), path.stem().string());
    add_cases(preset.profiles, preset.id, cases);
  }
  return cases;
}

bool has_published_configs() {
  return fs::exists(folder());
}

std::string content_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void add_cases(const std::vector<Profile>& profiles, const std::string& model, std::vector<CheckCase>& cases) {
  std::vector<double> positions = counted_positions(24);
  positions.insert(positions.end(), {100, 1000, 4095, 30000});
  for (const Profile& profile : profiles) {
    const std::string name = model + " " + profile.name;
    cases.push_back({name, reference_from_rope(profile.spec, {}, positions)});
    if (!profile.spec.trained_length) continue;
    cases.push_back({name + " long", reference_from_rope(profile.spec, 2 * *profile.spec.trained_length, positions)});
  }
}

std::vector<CheckCase> published_cases() {
  std::vector<CheckCase> cases;
  // A folder lists its files in any order; what is tried of which must not hang on it.
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder())) files.insert(entry.path());
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    if (path.extension() != ".json" || name == "INDEX.json") continue;
    const std::string text = content_of(path);
    // Files that are recognised and not supported are asserted by name in the tests of the configs.
    try {
      add_cases(parse_model_config(text, name).profiles, name, cases);
    } catch (const InputError&) {
    }
    try {
      if (auto found = find_layout_config(text, name)) {
        found->request.image = ImageSize::tokens(5, 7);
        cases.push_back({name + " layout", reference_from_layout(find_layout(found->layout), found->request)});
      }
    } catch (const InputError&) {
    }
  }
  return cases;
}

}  // namespace ropescope
