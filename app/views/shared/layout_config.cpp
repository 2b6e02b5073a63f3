#include <algorithm>
#include <filesystem>

#include "app/resources/model_folder.h"
#include "app/resources/models.h"
#include "app/views/shared/layouts.h"
#include "app/views/view.h"
#include "core/error.h"
#include "core/formats/config_layout.h"

namespace ropescope {

namespace {

std::string list_text(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// What a layout has for a setting that nobody gives, where it is one number.
std::optional<double> own_value(const Layout& layout, const Setting& setting) {
  if (setting.name == "base") return shared_base(layout);
  if (setting.name == "patch") return layout.vae_factor * layout.patch;
  return std::nullopt;
}

/// What a config says that is not the layout's own anyway.
void fill(const LayoutConfig& config, LayoutKnobs& knobs) {
  const Layout& layout = find_layout(config.layout);
  const LayoutRequest& request = config.request;
  const bool same_family = fits_layout(config.layout, knobs.name);
  if (!same_family) knobs.name = config.layout;
  for (const LayoutSetting& setting : all_layout_settings()) {
    if ((setting.traits & kOfModel) == 0) continue;
    const LayoutSetting* taken = find_setting(layout, setting.name);
    const bool follows = taken && (taken->traits & kNoControl) != 0;
    const std::optional<double> value = value_of(request, setting);
    knobs[setting.name] = follows || value == own_value(layout, setting) ? 0 : value.value_or(0);
  }
  std::vector<int> own_dims;
  for (const AxisDefault& axis : layout.axes) own_dims.push_back(axis.rotary_dim);
  knobs.axis_dims = request.axis_dims == own_dims ? std::string() : list_text(request.axis_dims);
  knobs.sections = list_text(request.sections);
  knobs.position_grid = list_text(request.position_grid);
}

/// An image of a vision tower is smaller than its patch times the default grid: its sides go to the nearest that
/// divide.
void snap_size(LayoutKnobs& knobs, int step) {
  const auto snapped = [step](double side) {
    const double most = static_cast<double>(8192 / step * step);
    return std::clamp(std::round(side / step) * step, static_cast<double>(step), most);
  };
  knobs.width = snapped(knobs.width);
  knobs.height = snapped(knobs.height);
}

}  // namespace

void take_layout_config(const LayoutConfig& config, const std::string& path, LayoutKnobs& knobs) {
  fill(config, knobs);
  knobs.config = path;
  const Layout& layout = find_layout(knobs.name);
  const LayoutRequest request = request_of(knobs);
  snap_size(knobs, pixels_per_token(layout, request));
  knobs.row_range.reset();
  knobs.column_range.reset();
}

void fill_layout(Experiment& experiment, const std::string& path) {
  take_layout_config(require_layout_config(path), path, experiment.layout);
}

bool open_layout_config(Experiment& experiment, const std::string& path) {
  if (std::filesystem::path(path).extension() != ".json" && !is_folder(path)) return false;
  const bool images = find_view(experiment.view).shows_layout == looks_at_layout;
  std::optional<LayoutConfig> config;
  try {
    config = load_layout_config(path);
  } catch (const InputError&) {
    // Another reader may know the file; the one who opens it says what is wrong.
    if (images) throw;
    return false;
  }
  if (!config || (!images && config->plain_ladders)) return false;
  take_layout_config(*config, path, experiment.layout);
  return true;
}

}  // namespace ropescope
