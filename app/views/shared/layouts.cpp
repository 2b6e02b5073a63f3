// Arranges layouts for the store, reads anchors and targets, and fills layouts from configs.
//
// Contents: Layouts; Configs.

#include "app/views/shared/layouts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/picture.h"
#include "app/resources/models.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/view.h"
#include "core/formats/config_layout.h"
#include "core/layouts/layout.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

// --- Layouts -------------------------------------------------------------------------------------------------------

namespace {

/// Parses "64x48" as two numbers; nullopt for anything else.
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

std::vector<ImageSize> read_references(const LayoutFields& fields) {
  std::vector<ImageSize> sizes;
  const bool pixels = fields.size_by != SizeBy::tokens;
  std::string_view rest = fields.references;
  while (rest.find_first_not_of(' ') != std::string_view::npos) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto pair = read_pair(rest.substr(0, comma));
    if (!pair) {
      throw InputError(pixels ? "layout.sizes_in_pixels" : "layout.sizes_in_tokens",
                       {{"field", "layout.references"}, {"text", fields.references}});
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

void add_lists(const LayoutFields& fields, const Layout& layout, LayoutRequest& request) {
  request.fit = fields.fit && fields.size_by != SizeBy::tokens && !layout.sizes.source.empty();
  if (takes(layout, "references")) request.references = read_references(fields);
  if (takes(layout, "axis_dims")) request.axis_dims = read_whole_list(fields.axis_dims, "layout.axis_dims");
  if (takes(layout, "sections")) request.sections = read_whole_list(fields.sections, "layout.sections");
  if (takes(layout, "position_grid")) {
    request.position_grid = read_whole_list(fields.position_grid, "layout.position_grid");
  }
  if (takes(layout, "axes")) request.axes = read_custom_axes(fields.axes, "layout.axes");
}

/// Returns the number of channels in the fields' lists; 0 if the layout has none, or if they cannot be parsed.
double listed_channels(const LayoutFields& fields, const Layout& layout) {
  LayoutRequest request;
  try {
    add_lists(fields, layout, request);
  } catch (const InputError&) {
    return 0;
  }
  double sum = 0;
  for (const int dim : request.axis_dims) sum += dim;
  for (const CustomAxis& axis : request.axes) sum += axis.rotary_dim;
  return sum;
}

/// Returns the number of table entries of the axes: rows, columns and frames times pairs, never their product.
double table_size(const LayoutFields& fields, const Layout& layout) {
  const double pairs = std::max({64.0, fields["head_dim"] / 2, listed_channels(fields, layout) / 2});
  return pairs * (fields.rows + fields.columns + fields["frames"] + std::sqrt(fields["text"] + fields["text_after"]) +
                  (fields.width + fields.height) / 8);
}

/// Returns the fields that affect the arrangement.
LayoutFields keep_arrangement_fields(LayoutFields fields) {
  const LayoutFields initial;
  fields.config = initial.config;
  fields.frame = initial.frame;
  fields.anchor = initial.anchor;
  fields.targets = initial.targets;
  fields.click = initial.click;
  fields.colours = initial.colours;
  fields.axis = initial.axis;
  fields.pair = initial.pair;
  fields.picture = initial.picture;
  fields.picture_strength = initial.picture_strength;
  fields.zooms.reset();
  return fields;
}

/// Formats targets: "63,64".
std::string write_targets(const std::vector<std::int64_t>& targets) {
  return joined(targets, ",", [](std::int64_t target) { return std::to_string(target); });
}

constexpr std::size_t kMaxTargets = 64;

// --- Configs -------------------------------------------------------------------------------------------------------

std::string list_text(const std::vector<int>& numbers) {
  return joined(numbers, ",", [](int number) { return std::to_string(number); });
}

/// Returns a layout's default for an unset field, if it is a single number.
std::optional<double> own_value(const Layout& layout, const NumberField& field) {
  if (field.name == "base") return shared_base(layout);
  if (field.name == "patch") return layout.vae_factor * layout.patch;
  return std::nullopt;
}

/// Fills the fields with the config's values that differ from the layout's own.
void fill(const LayoutConfig& config, LayoutFields& fields) {
  const Layout& layout = find_layout(config.layout);
  const LayoutRequest& request = config.request;
  const bool same_family = fits_layout(config.layout, fields.name);
  if (!same_family) fields.name = config.layout;
  for (const LayoutField& field : all_layout_fields()) {
    if ((field.traits & kOfModel) == 0) continue;
    const LayoutField* taken = find_field(layout, field.name);
    const bool follows = taken && (taken->traits & kNoControl) != 0;
    const std::optional<double> value = value_of(request, field);
    fields[field.name] = follows || value == own_value(layout, field) ? 0 : value.value_or(0);
  }
  std::vector<int> own_dims;
  for (const AxisDefault& axis : layout.axes) own_dims.push_back(axis.rotary_dim);
  fields.axis_dims = request.axis_dims == own_dims ? std::string() : list_text(request.axis_dims);
  fields.sections = list_text(request.sections);
  fields.position_grid = list_text(request.position_grid);
}

/// Sets both sides to the nearest multiples of the step: an image of a vision tower is smaller than its patch times the
/// default grid.
void snap_size(LayoutFields& fields, int step) {
  const auto snapped = [step](double side) {
    const double most = static_cast<double>(8192 / step * step);
    return std::clamp(std::round(side / step) * step, static_cast<double>(step), most);
  };
  fields.width = snapped(fields.width);
  fields.height = snapped(fields.height);
}

}  // namespace

LayoutRequest request_of(const LayoutFields& fields) {
  const Layout& layout = find_layout(fields.name);
  const auto whole = [](double value) { return static_cast<int>(value); };
  LayoutRequest request;
  if (takes(layout, "image")) {
    request.image = fields.size_by == SizeBy::tokens ? ImageSize::tokens(whole(fields.rows), whole(fields.columns))
                                                     : ImageSize::pixels(whole(fields.width), whole(fields.height));
  }
  for (const LayoutField& declared : all_layout_fields()) {
    if (!declared.has_control || !uses_field(fields, layout, declared.name)) continue;
    const LayoutField& field = *find_field(layout, declared.name);
    const double value = fields[field.name];
    const bool stands_in = std::holds_alternative<std::monostate>(field.member) && value == field.initial;
    if (is_given(field, value) && !stands_in) set_value(request, field, value);
  }
  if (takes(layout, "pairing") && fields.pairing == Pairing::half_split) request.pairing = Pairing::half_split;
  if (takes(layout, "scaling")) request.scaling = fields.scaling;
  add_lists(fields, layout, request);
  return request;
}

std::size_t ArrangedLayout::bytes() const {
  std::size_t numbers = 0;
  for (const auto& block : tables->phasors()) {
    for (const AxisPhasors& axis : block) {
      numbers += static_cast<std::size_t>(2 * (axis.cosine.size() + axis.coarse_cosine.size()));
    }
  }
  return numbers * sizeof(double);
}

std::shared_ptr<const ArrangedLayout> try_arrange(const Layout& layout, const LayoutRequest& request) {
  auto result = std::make_shared<ArrangedLayout>();
  result->layout = &layout;
  result->pixels_per_token = pixels_per_token(layout, request);
  result->tables = std::make_shared<const LayoutTables>(arrange(layout, request));
  return result;
}

LayoutToArrange::LayoutToArrange(const LayoutFields& chosen, std::string name)
    : fields(keep_arrangement_fields(chosen)), other(std::move(name)) {}

double LayoutToArrange::cost() const {
  return 20 * table_size(fields, find_layout(other.empty() ? fields.name : other));
}

std::shared_ptr<const ArrangedLayout> arrange_layouts(const LayoutToArrange& from, const Work&) {
  const Layout& own = find_layout(from.fields.name);
  if (from.other.empty()) return try_arrange(own, request_of(from.fields));
  const TokenLayout shown = arrange(own, request_of(from.fields));
  const Layout& layout = find_layout(from.other);
  // Fields that the current layout ignores may be used by the other one.
  LayoutFields asked = from.fields;
  asked.name = from.other;
  asked.references.clear();
  if (!takes(own, "text")) asked["text"] = asked["text_after"] = 0;
  auto result = try_arrange(layout, counterpart_request(shown, request_of(asked), layout));
  require_same_image(shown, result->tables->layout());
  return result;
}

Store::Answer<ArrangedLayout> ask_layout(Store& store, const std::string& slot, const LayoutToArrange& from) {
  return store.request<arrange_layouts>({slot, from.cost(), true}, from);
}

SeenBlock main_seen(const LayoutFields& fields, const TokenLayout& layout) {
  return find_seen_block(layout, main_block(layout), static_cast<int>(fields.frame) - 1);
}

std::vector<int> visible_frames(const LayoutFields& fields, const TokenLayout& layout) {
  const TokenBlock& block = layout.blocks[main_block(layout)];
  const std::int64_t anchor = anchor_of(fields, layout) / (std::int64_t{block.rows} * block.columns);
  return shown_frames(block.frames, {static_cast<int>(fields.frame) - 1, static_cast<int>(anchor)});
}

FrameTiles main_tiles(const LayoutFields& fields, const TokenLayout& layout) {
  return frame_tiles(layout, main_block(layout), visible_frames(fields, layout));
}

std::int64_t anchor_of(const LayoutFields& fields, const TokenLayout& layout) {
  const std::int64_t last = layout.blocks[main_block(layout)].count() - 1;
  return std::min(static_cast<std::int64_t>(fields.anchor), last);
}

std::vector<std::int64_t> targets_of(const LayoutFields& fields, const TokenLayout& layout) {
  std::vector<std::int64_t> targets;
  if (fields.targets.find_first_not_of(' ') == std::string::npos) return targets;
  const auto count = static_cast<double>(layout.blocks[main_block(layout)].count());
  for (const double target : parse_list(fields.targets, "layout.targets", kMaxTargets)) {
    if (target < 0 || target != std::floor(target)) {
      throw InputError("layout.targets", {{"text", fields.targets}});
    }
    const auto token = target < count ? static_cast<std::int64_t>(target) : std::int64_t{-1};
    if (token >= 0 && std::find(targets.begin(), targets.end(), token) == targets.end()) targets.push_back(token);
  }
  return targets;
}

void click_token(LayoutFields& fields, std::int64_t token) {
  const bool extra = fields.click == LayoutClick::extra,
             waiting = fields.targets.find_first_not_of(' ') == std::string::npos;
  if (!extra) {
    if (waiting) {
      fields.targets = std::to_string(token);
    } else {
      fields.anchor = static_cast<double>(token);
      fields.targets.clear();
    }
    return;
  }
  std::vector<std::int64_t> targets;
  try {
    if (!waiting) {
      for (const double target : parse_list(fields.targets, "layout.targets", 63)) {
        targets.push_back(static_cast<std::int64_t>(target));
      }
    }
  } catch (const InputError&) {
    targets.clear();  // an invalid or full list restarts
  }
  if (std::erase(targets, token) == 0) targets.push_back(token);
  fields.targets = write_targets(targets);
}

LayoutControls controls_of(const LayoutFields& fields, bool colouring) {
  LayoutControls controls;
  controls.colouring = colouring;
  controls.frames = fields["frames"];
  try {
    const Layout& layout = find_layout(fields.name);
    const LayoutRequest request = request_of(fields);
    controls.step = pixels_per_token(layout, request);
    const TokenLayout arranged = arrange(layout, request);
    controls.tokens = static_cast<double>(arranged.blocks[main_block(arranged)].count());
    controls.pairs = static_cast<double>(arranged.pair_count());
    for (const LayoutAxis& axis : arranged.axes) controls.axes.push_back(axis.name);
    controls.notes = arranged.notes;
  } catch (const InputError&) {
    // The figure reports the error; every control keeps its widest range.
  }
  return controls;
}

bool uses_layout(const Experiment&) {
  return true;
}

std::shared_ptr<const Pixels> photograph_of(const FileStamp& file, const Work& work) {
  const std::shared_ptr<const MappedFile> mapped = map_file(file.path);
  const auto pixels = decode_photograph(characters_of(mapped->bytes()), file.path, work.stop);
  mapped->check_unchanged();
  return pixels;
}

void check_layout(const Experiment& experiment) {
  const LayoutFields& fields = experiment.layout;
  const TokenLayout layout = arrange(find_layout(fields.name), request_of(fields));
  targets_of(fields, layout);
  const std::int64_t count = layout.blocks[main_block(layout)].count();
  const LayoutFields initial;
  if (fields.targets != initial.targets && fields.targets.find_first_not_of(' ') != std::string::npos) {
    for (const double target : parse_list(fields.targets, "layout.targets", kMaxTargets)) {
      if (target < static_cast<double>(count)) continue;
      throw InputError("layout.no_token",
                       {{"token", readable_integer(target)}, {"tokens", readable_integer(static_cast<double>(count))}});
    }
  }
  if (!fields.picture.empty()) photograph_of(stamp_of(fields.picture), {});
}

std::string layout_subject(const Experiment& experiment, const Text& text) {
  const LayoutFields& fields = experiment.layout;
  const Layout& layout = find_layout(fields.name);
  std::string words = text["option.layout.name." + fields.name];
  const auto add = [&words](const std::string& part) { words += " · " + part; };
  if (takes(layout, "image")) {
    const bool tokens = fields.size_by == SizeBy::tokens;
    add(text.format(tokens ? "view.layout.size_tokens" : "view.layout.size_pixels",
                    {{"width", counted(fields.width)},
                     {"height", counted(fields.height)},
                     {"rows", counted(fields.rows)},
                     {"columns", counted(fields.columns)}}));
  }
  if (takes(layout, "frames") && fields["frames"] > 1) {
    add(text.format("view.layout.frames", {{"count", counted(fields["frames"])}}));
  }
  if (takes(layout, "text") && fields["text"] > 0) {
    add(text.format("view.layout.text_tokens", {{"count", counted(fields["text"])}}));
  }
  return words;
}

std::string axes_text(const TokenLayout& layout, const Text& text) {
  return joined(layout.axes, " · ", [&](const LayoutAxis& axis) {
    return axis_word(axis.name, text) + " " + std::to_string(axis.rotary_dim);
  });
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

void take_layout_config(const LayoutConfig& config, const std::string& path, LayoutFields& fields) {
  fill(config, fields);
  fields.config = path;
  const Layout& layout = find_layout(fields.name);
  const LayoutRequest request = request_of(fields);
  snap_size(fields, pixels_per_token(layout, request));
  fields.zooms.reset();
}

void fill_layout(Experiment& experiment, const std::string& path) {
  take_layout_config(require_layout_config(path), path, experiment.layout);
}

bool open_layout_config(Experiment& experiment, const std::string& path) {
  if (std::filesystem::path(path).extension() != ".json" && !is_folder(path)) return false;
  const bool images = find_view(experiment.view).shows_layout == uses_layout;
  std::optional<LayoutConfig> config;
  try {
    config = load_layout_config(path);
  } catch (const InputError&) {
    // Another reader may support the file; the caller reports the error.
    if (images) throw;
    return false;
  }
  if (!config || (!images && config->plain_ladders)) return false;
  take_layout_config(*config, path, experiment.layout);
  return true;
}

}  // namespace ropescope
