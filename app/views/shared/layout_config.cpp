#include <algorithm>
#include <filesystem>

#include "app/resources/files.h"
#include "app/views/shared/layouts.h"
#include "app/views/view.h"
#include "core/error.h"
#include "core/formats/config_layout.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

std::string list_text(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// What a config says that is not the layout's own anyway.
void fill(const LayoutConfig& config, LayoutKnobs& knobs) {
  const Layout& layout = find_layout(config.layout);
  const LayoutRequest& request = config.request;
  const bool same_family = fits_layout(config.layout, knobs.name);
  if (!same_family) knobs.name = config.layout;
  knobs["head_dim"] = takes(layout, "axis_dims") ? 0 : request.head_dim.value_or(0);
  const bool own_base =
      !request.base || std::all_of(layout.axes.begin(), layout.axes.end(),
                                   [&](const AxisDefault& axis) { return axis.base == *request.base; });
  knobs["base"] = own_base ? 0 : *request.base;
  const bool own_patch = !request.patch || *request.patch == layout.vae_factor * layout.patch;
  knobs["patch"] = own_patch ? 0 : *request.patch;
  std::vector<int> own_dims;
  for (const AxisDefault& axis : layout.axes) own_dims.push_back(axis.rotary_dim);
  knobs.axis_dims = request.axis_dims == own_dims ? std::string() : list_text(request.axis_dims);
  knobs.sections = list_text(request.sections);
  knobs.position_grid = list_text(request.position_grid);
  knobs["tokens_per_second"] = request.tokens_per_second.value_or(0);
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

void fill_layout(Experiment& experiment, const std::string& text, const std::string& path) {
  take_layout_config(parse_layout_config(text, path), path, experiment.layout);
}

bool open_layout_config(Experiment& experiment, const std::string& path) {
  if (std::filesystem::path(path).extension() != ".json") return false;
  const std::string text = read_file(path, kLargestJsonBytes);
  const bool images = find_view(experiment.view).shows_layout == looks_at_layout;
  std::optional<LayoutConfig> config;
  try {
    config = find_layout_config(text, path);
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
