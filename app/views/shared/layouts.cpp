#include "app/views/shared/layouts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/view.h"
#include "core/formats/config_layout.h"
#include "core/layouts/layout.h"
#include "core/words.h"

namespace ropescope {

// --- Layouts -------------------------------------------------------------------------------------------------------

namespace {

/// "64x48" as two numbers; none for anything else.
std::optional<std::pair<int, int>> read_pair(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto read = [](std::string_view part) -> std::optional<int> {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size() || number < 1) return std::nullopt;
    return number;
  };
  const auto first = read(text.substr(0, cross)), second = read(text.substr(cross + 1));
  if (!first || !second) return std::nullopt;
  return std::pair{*first, *second};
}

std::vector<ImageSize> read_references(const LayoutKnobs& knobs) {
  std::vector<ImageSize> sizes;
  const bool pixels = knobs.size_by != "tokens";
  std::string_view rest = knobs.references;
  while (rest.find_first_not_of(' ') != std::string_view::npos) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto pair = read_pair(rest.substr(0, comma));
    if (!pair) {
      throw InputError(pixels ? "layout.sizes_in_pixels" : "layout.sizes_in_tokens",
                       {{"field", "layout.references"}, {"text", knobs.references}});
    }
    sizes.push_back(pixels ? ImageSize::pixels(pair->first, pair->second)
                           : ImageSize::tokens(pair->first, pair->second));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return sizes;
}

std::vector<int> read_whole_list(const std::string& text, const std::string& key) {
  std::vector<int> numbers;
  if (text.empty()) return numbers;
  for (const double number : parse_list(text, key, 64)) {
    if (number < 0 || number > 65'536 || number != std::floor(number)) {
      throw InputError("whole_numbers", {{"field", key}, {"text", '"' + text + '"'}, {"most", 65'536}});
    }
    numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

void add_lists(const LayoutKnobs& knobs, const Layout& layout, LayoutRequest& request) {
  if (takes(layout, "references")) request.references = read_references(knobs);
  if (takes(layout, "axis_dims")) request.axis_dims = read_whole_list(knobs.axis_dims, "layout.axis_dims");
  if (takes(layout, "sections")) request.sections = read_whole_list(knobs.sections, "layout.sections");
  if (takes(layout, "position_grid")) {
    request.position_grid = read_whole_list(knobs.position_grid, "layout.position_grid");
  }
  if (takes(layout, "axes")) request.axes = read_custom_axes(knobs.axes, "layout.axes");
}

/// What `make` makes, or what is wrong.
template <class Make>
std::shared_ptr<const ArrangedLayout> or_fault(const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    auto result = std::make_shared<ArrangedLayout>();
    result->fault = error.words();
    return result;
  }
}

/// Channels that the lists of the knobs name; 0 where the layout takes none, or cannot read them.
double listed_channels(const LayoutKnobs& knobs, const Layout& layout) {
  LayoutRequest request;
  try {
    add_lists(knobs, layout, request);
  } catch (const InputError&) {
    return 0;
  }
  double sum = 0;
  for (const int dim : request.axis_dims) sum += dim;
  for (const CustomAxis& axis : request.axes) sum += axis.rotary_dim;
  return sum;
}

/// Table entries of the axes: rows, columns and frames times pairs, never their product.
double table_size(const LayoutKnobs& knobs, const Layout& layout) {
  const double pairs = std::max({64.0, knobs["head_dim"] / 2, listed_channels(knobs, layout) / 2});
  return pairs * (knobs.rows + knobs.columns + knobs["frames"] + std::sqrt(knobs["text"] + knobs["text_after"]) +
                  (knobs.width + knobs.height) / 8);
}

/// Without what does not change the arrangement.
LayoutKnobs arranging(LayoutKnobs knobs) {
  const LayoutKnobs initial;
  knobs.config = initial.config;
  knobs.frame = initial.frame;
  knobs.anchor = initial.anchor;
  knobs.targets = initial.targets;
  knobs.click = initial.click;
  knobs.colours = initial.colours;
  knobs.axis = initial.axis;
  knobs.pair = initial.pair;
  knobs.picture = initial.picture;
  knobs.picture_strength = initial.picture_strength;
  knobs.row_range.reset();
  knobs.column_range.reset();
  return knobs;
}

/// "63,64".
std::string write_targets(const std::vector<std::int64_t>& targets) {
  std::string text;
  for (const std::int64_t target : targets) text += (text.empty() ? "" : ",") + std::to_string(target);
  return text;
}

}  // namespace

LayoutRequest request_of(const LayoutKnobs& knobs) {
  const Layout& layout = find_layout(knobs.name);
  const auto whole = [](double value) { return static_cast<int>(value); };
  LayoutRequest request;
  if (takes(layout, "image")) {
    request.image = knobs.size_by == "tokens" ? ImageSize::tokens(whole(knobs.rows), whole(knobs.columns))
                                              : ImageSize::pixels(whole(knobs.width), whole(knobs.height));
  }
  for (const LayoutSetting& setting : layout.settings) {
    if (!setting.knob || !asks_for(knobs, layout, setting.name)) continue;
    const double value = knobs[setting.name];
    if (is_given(setting, value)) set_value(request, setting, value);
  }
  if (takes(layout, "pairing") && knobs.pairing == "half") request.pairing = Pairing::half_split;
  add_lists(knobs, layout, request);
  return request;
}

std::size_t ArrangedLayout::bytes() const {
  std::size_t numbers = 0;
  if (!tables) return key_text(fault).size();
  for (const auto& block : tables->phasors()) {
    for (const AxisPhasors& axis : block) {
      numbers += static_cast<std::size_t>(2 * (axis.cosine.size() + axis.coarse_cosine.size()));
    }
  }
  return numbers * sizeof(double);
}

std::shared_ptr<const ArrangedLayout> arranged_layout(const Layout& layout, const LayoutRequest& request) {
  auto result = std::make_shared<ArrangedLayout>();
  result->layout = &layout;
  result->pixels_per_token = pixels_per_token(layout, request);
  result->tables = std::make_shared<const LayoutTables>(arrange(layout, request));
  return result;
}

LayoutInput::LayoutInput(const LayoutKnobs& chosen) : knobs(arranging(chosen)) {}

double LayoutInput::cost() const {
  return 20 * table_size(knobs, find_layout(knobs.name));
}

std::shared_ptr<const ArrangedLayout> LayoutInput::compute(int, const std::stop_token&) const {
  return or_fault([this] { return arranged_layout(find_layout(knobs.name), request_of(knobs)); });
}

CounterpartInput::CounterpartInput(const LayoutKnobs& chosen, std::string name)
    : knobs(arranging(chosen)), other(std::move(name)) {}

double CounterpartInput::cost() const {
  return 20 * table_size(knobs, find_layout(other));
}

std::shared_ptr<const ArrangedLayout> CounterpartInput::compute(int, const std::stop_token&) const {
  return or_fault([this] {
    const TokenLayout shown = arrange(find_layout(knobs.name), request_of(knobs));
    const Layout& layout = find_layout(other);
    // What the shown layout does not look at may be looked at by the other one.
    LayoutKnobs asked = knobs;
    asked.name = other;
    asked.references.clear();
    if (!takes(find_layout(knobs.name), "text")) asked["text"] = asked["text_after"] = 0;
    auto result = arranged_layout(layout, counterpart_request(shown, request_of(asked), layout));
    require_same_image(shown, result->tables->layout());
    return result;
  });
}

SeenBlock main_seen(const LayoutKnobs& knobs, const TokenLayout& layout) {
  return seen_block(layout, main_block(layout), static_cast<int>(knobs.frame) - 1);
}

std::vector<int> seen_frames(const LayoutKnobs& knobs, const TokenLayout& layout) {
  const TokenBlock& block = layout.blocks[main_block(layout)];
  const std::int64_t anchor = anchor_of(knobs, layout) / (std::int64_t{block.rows} * block.columns);
  return shown_frames(block.frames, {static_cast<int>(knobs.frame) - 1, static_cast<int>(anchor)});
}

FrameTiles main_tiles(const LayoutKnobs& knobs, const TokenLayout& layout) {
  return frame_tiles(layout, main_block(layout), seen_frames(knobs, layout));
}

std::int64_t anchor_of(const LayoutKnobs& knobs, const TokenLayout& layout) {
  const std::int64_t last = layout.blocks[main_block(layout)].count() - 1;
  return std::min(static_cast<std::int64_t>(knobs.anchor), last);
}

std::vector<std::int64_t> targets_of(const LayoutKnobs& knobs, const TokenLayout& layout) {
  constexpr std::size_t kMostTargets = 64;
  std::vector<std::int64_t> targets;
  if (knobs.targets.find_first_not_of(' ') == std::string::npos) return targets;
  const auto count = static_cast<double>(layout.blocks[main_block(layout)].count());
  for (const double target : parse_list(knobs.targets, "layout.targets", kMostTargets)) {
    if (target < 0 || target != std::floor(target)) {
      throw InputError("layout.targets", {{"text", knobs.targets}});
    }
    const auto token = target < count ? static_cast<std::int64_t>(target) : std::int64_t{-1};
    if (token >= 0 && std::find(targets.begin(), targets.end(), token) == targets.end()) targets.push_back(token);
  }
  return targets;
}

void click_token(LayoutKnobs& knobs, std::int64_t token) {
  const bool extra = knobs.click == "extra", waiting = knobs.targets.find_first_not_of(' ') == std::string::npos;
  if (!extra) {
    if (waiting) {
      knobs.targets = std::to_string(token);
    } else {
      knobs.anchor = static_cast<double>(token);
      knobs.targets.clear();
    }
    return;
  }
  std::vector<std::int64_t> targets;
  try {
    if (!waiting) {
      for (const double target : parse_list(knobs.targets, "layout.targets", 63)) {
        targets.push_back(static_cast<std::int64_t>(target));
      }
    }
  } catch (const InputError&) {
    targets.clear();  // what cannot be read, or is full, begins anew
  }
  if (std::erase(targets, token) == 0) targets.push_back(token);
  knobs.targets = write_targets(targets);
}

LayoutControls controls_of(const LayoutKnobs& knobs, bool colouring) {
  LayoutControls controls;
  controls.colouring = colouring;
  controls.frames = knobs["frames"];
  try {
    const Layout& layout = find_layout(knobs.name);
    const LayoutRequest request = request_of(knobs);
    controls.step = pixels_per_token(layout, request);
    const TokenLayout arranged = arrange(layout, request);
    controls.tokens = static_cast<double>(arranged.blocks[main_block(arranged)].count());
    controls.pairs = static_cast<double>(arranged.pair_count());
    for (const LayoutAxis& axis : arranged.axes) controls.axes.push_back(axis.name);
    controls.notes = arranged.notes;
  } catch (const InputError&) {
    // The figure says what is wrong; every control stays as wide as it can be.
  }
  return controls;
}

bool looks_at_layout(const Experiment&) {
  return true;
}

std::string layout_subject(const Experiment& experiment, const Text& text) {
  const LayoutKnobs& knobs = experiment.layout;
  const Layout& layout = find_layout(knobs.name);
  std::string words = text["option.layout.name." + knobs.name];
  const auto add = [&words](const std::string& part) { words += " · " + part; };
  if (takes(layout, "image")) {
    const bool tokens = knobs.size_by == "tokens";
    add(text.format(tokens ? "view.layout.size_tokens" : "view.layout.size_pixels",
                    {{"width", counted(knobs.width)},
                     {"height", counted(knobs.height)},
                     {"rows", counted(knobs.rows)},
                     {"columns", counted(knobs.columns)}}));
  }
  if (takes(layout, "frames") && knobs["frames"] > 1) {
    add(text.format("view.layout.frames", {{"count", counted(knobs["frames"])}}));
  }
  if (takes(layout, "text") && knobs["text"] > 0) {
    add(text.format("view.layout.text_tokens", {{"count", counted(knobs["text"])}}));
  }
  return words;
}

std::string axes_text(const TokenLayout& layout, const Text& text) {
  std::string axes;
  for (const LayoutAxis& axis : layout.axes) {
    axes += (axes.empty() ? "" : " · ") + axis_word(axis.name, text) + " " + std::to_string(axis.rotary_dim);
  }
  return axes;
}

std::string base_text(const TokenLayout& layout, const Text& text) {
  const double first = layout.axes.front().base;
  const bool same = std::all_of(layout.axes.begin(), layout.axes.end(),
                                [first](const LayoutAxis& axis) { return axis.base == first; });
  if (same && first == 0) return text["view.layout.no_base"];
  std::string words;
  for (const LayoutAxis& axis : layout.axes) {
    words += (words.empty() ? "" : text["list.between"]) + (same ? "" : axis_word(axis.name, text) + " ") +
             readable_number(axis.base);
    if (same) break;
  }
  return text.format("view.layout.base", {{"base", words}});
}

// --- Configs -------------------------------------------------------------------------------------------------------

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
