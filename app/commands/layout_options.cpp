#include "app/commands/layout_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/commands/encoding_options.h"
#include "app/commands/pairing_option.h"
#include "app/experiment/axis_list.h"
#include "app/experiment/entry_names.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/config_layout.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

// The order of --help. Those of the second list a rotary embedding has too, or they are of a layout's own heads.
constexpr std::string_view kOrder[] = {"text", "text_after", "frames", "frame_rate", "tokens_per_second", "patch"};
constexpr std::string_view kSharedOrder[] = {"head_dim", "base", "max_frequency", "head", "heads", "seed"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The settings that have an option: of layouts only, or those that stand in kSharedOrder.
std::vector<LayoutSetting> settings_of_options(bool shared) {
  std::vector<LayoutSetting> settings = in_order(all_layout_settings(), shared ? std::span(kSharedOrder) : kOrder);
  std::erase_if(settings, [shared](const LayoutSetting& setting) {
    return !setting.knob || (setting.traits & kNoOption) != 0 || is_one_of(kSharedOrder, setting.name) != shared;
  });
  return settings;
}

std::string layouts_with(std::string_view setting) {
  return joined(entry_names(all_layouts(), [&](const Layout& layout) { return takes(layout, setting); }));
}

/// Those with a video, by how many frames their VAE takes: "wan, hunyuan-video: 4n + 1; ltx-video: 8n + 1".
std::string layouts_with_video() {
  std::vector<std::pair<int, std::string>> groups;
  for (const Layout& layout : all_layouts()) {
    if (layout.frame_factor == 1) continue;
    const auto kin = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& group) { return group.first == layout.frame_factor; });
    if (kin == groups.end()) {
      groups.emplace_back(layout.frame_factor, layout.name);
    } else {
      kin->second += ", " + std::string(layout.name);
    }
  }
  std::string words;
  for (const auto& [factor, names] : groups) {
    words += (words.empty() ? "" : "; ") + names + ": " + std::to_string(factor) + "n + 1";
  }
  return words;
}

int read_count_layout_options(const std::string& option, const std::string& text) {
  const std::int64_t count = read_whole(option, text);
  if (count < 0 || count > (std::int64_t{1} << 30)) {
    throw InputError(option + " is " + text + "; a number from 0 to 1073741824 was expected");
  }
  return static_cast<int>(count);
}

double read_number_layout_options(const std::string& option, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    throw InputError(option + " is \"" + text + "\"; a number was expected");
  }
  return number;
}

/// "AxB" as two whole numbers.
std::pair<int, int> read_two(const std::string& option, const std::string& text, const char* expected) {
  const std::size_t cross = text.find('x');
  int numbers[2] = {0, 0};
  const auto read = [](const char* begin, const char* end, int& number) {
    const auto [stop, error] = std::from_chars(begin, end, number);
    return begin != end && error == std::errc() && stop == end && number >= 0;
  };
  const char* begin = text.data();
  if (cross == std::string::npos || !read(begin, begin + cross, numbers[0]) ||
      !read(begin + cross + 1, begin + text.size(), numbers[1])) {
    throw InputError(option + " is \"" + text + "\"; " + expected + " was expected");
  }
  return {numbers[0], numbers[1]};
}

ImageSize read_pixels_layout_options(const std::string& option, const std::string& text) {
  const auto [width, height] = read_two(option, text, "WIDTHxHEIGHT in pixels, as 1024x768,");
  return ImageSize::pixels(width, height);
}

ImageSize read_grid_layout_options(const std::string& option, const std::string& text) {
  const auto [rows, columns] = read_two(option, text, "ROWSxCOLUMNS in tokens, as 64x48,");
  return ImageSize::tokens(rows, columns);
}

LayoutConfig read_config_layout_options(const LayoutOptions& options) {
  if (!options.config) return {};
  LayoutConfig config = options.config_text ? parse_layout_config(*options.config_text, *options.config)
                                            : require_layout_config(*options.config);
  if (!fits_layout(config.layout, options.name)) {
    throw InputError(*options.config + ": this is a model of the layout " + config.layout + "; one of " + options.name +
                     " was expected");
  }
  return config;
}

void read_images(const LayoutOptions& options, LayoutRequest& request) {
  if (options.size && options.grid) throw InputError("--size and --grid are both given; one of them was expected");
  if (options.size) request.image = read_pixels_layout_options("--size", *options.size);
  if (options.grid) request.image = read_grid_layout_options("--grid", *options.grid);
  for (const auto& [name, text] : options.references) {
    request.references.push_back(name == "--reference" ? read_pixels_layout_options(name, text)
                                                       : read_grid_layout_options(name, text));
  }
}

/// Frames of tokens, counted themselves or by the frames of the video; 1 where neither is given.
int option_frames(const LayoutOptions& options) {
  const std::string* frames = options.settings.find("frames");
  if (frames && options.video_frames) {
    throw InputError("--frames and --video-frames are both given; one of them was expected");
  }
  if (frames) return read_count_layout_options("--frames", *frames);
  if (!options.video_frames) return 1;
  return frames_of_tokens(find_layout(options.name),
                          read_count_layout_options("--video-frames", *options.video_frames));
}

void read_options(const LayoutOptions& options, LayoutRequest& request) {
  read_images(options, request);
  request.frames = option_frames(options);
  for (const LayoutSetting& setting : all_layout_settings()) {
    const std::string* text = options.settings.find(setting.name);
    if (!text || setting.name == "frames") continue;
    const std::string option = option_name(setting);
    set_value(request, setting,
              setting.is_switch ? read_switch(option, *text)
              : setting.whole   ? read_count_layout_options(option, *text)
                                : read_number_layout_options(option, *text));
  }
  if (options.axes) request.axes = read_custom_axes(*options.axes, "--axes");
  if (options.pairing) request.pairing = read_pairing(*options.pairing);
}

/// Adds options of settings up to the one of that name; all of them where there is none.
void add_up_to(std::string_view last, std::vector<LayoutSetting>& settings, Arguments& arguments,
               LayoutOptions& options) {
  while (!settings.empty()) {
    const LayoutSetting setting = settings.front();
    settings.erase(settings.begin());
    add_option(arguments, setting, layouts_with(setting.name), options.settings);
    if (setting.name == last) return;
  }
}

}  // namespace

void add_layout_only_options(Arguments& arguments, LayoutOptions& options) {
  std::vector<LayoutSetting> settings = settings_of_options(false);
  arguments.option("--size", "WxH", options.size, "Size of the image in pixels");
  arguments.option("--grid", "RxC", options.grid, "Size of the image in tokens: rows x columns");
  add_up_to("text_after", settings, arguments, options);
  arguments.every("--reference", "WxH", options.references, "Size of a reference image in pixels; may be repeated");
  arguments.every("--reference-grid", "RxC", options.references,
                  "Size of a reference image in tokens; may be repeated");
  add_up_to("frames", settings, arguments, options);
  arguments.option(
      "--video-frames", "F", options.video_frames,
      "Frames of the video itself: 81 are 21 of tokens where 4n + 1 are taken (" + layouts_with_video() + ")");
  add_up_to("patch", settings, arguments, options);
  arguments.option("--axes", "LIST", options.axes, "Axes of the layout custom: t:16,row:56,column:56");
  add_up_to({}, settings, arguments, options);
}

void add_layout_options(Arguments& arguments, LayoutOptions& options) {
  arguments.positional("NAME", options.name, "Which layout; the list is below");
  add_layout_only_options(arguments, options);
  std::vector<LayoutSetting> settings = settings_of_options(true);
  arguments.option("--config", "FILE", options.config, "A model's config.json: channels, base, patch, sections");
  add_up_to("max_frequency", settings, arguments, options);
  arguments.option("--pairing", "P", options.pairing, "interleaved or half (" + layouts_with("pairing") + ")");
  add_up_to({}, settings, arguments, options);
}

std::string first_layout_option(const LayoutOptions& options) {
  if (!options.references.empty()) return options.references.front().first;
  if (options.size) return "--size";
  if (options.grid) return "--grid";
  for (const LayoutSetting& setting : settings_of_options(false)) {
    if (options.settings.find(setting.name)) return option_name(setting);
  }
  return options.video_frames ? "--video-frames" : options.axes ? "--axes" : "";
}

std::string layout_names() {
  return joined(entry_names(all_layouts()));
}

LayoutRequest layout_request(const LayoutOptions& options) {
  LayoutRequest request = read_config_layout_options(options).request;
  read_options(options, request);
  if (!request.image && takes(find_layout(options.name), "image")) {
    throw InputError(options.name +
                     ": the image has no size; --size WIDTHxHEIGHT in pixels or --grid ROWSxCOLUMNS in "
                     "tokens was expected");
  }
  return request;
}

std::vector<std::string> option_notes(const LayoutOptions& options, const TokenLayout& layout) {
  std::vector<std::string> notes = said_in_english(read_config_layout_options(options).notes);
  const auto counts = [](const TokenBlock& block) {
    return block.part == "text" || block.first_token > block.first_row;
  };
  const bool counted = std::any_of(layout.blocks.begin(), layout.blocks.end(), counts);
  const std::string* text = options.settings.find("text");
  if (text && read_count_layout_options("--text", *text) > 0 && !counted) {
    notes.push_back("--text changes nothing here: " + layout.name +
                    " does not rotate text tokens, and none stand before "
                    "the image.");
  }
  const int factor = find_layout(layout.name).frame_factor;
  const int frames = option_frames(options);
  if (factor > 1 && frames > 1) {
    notes.push_back(
        std::to_string(frames) + " frames of tokens are " + std::to_string((frames - 1) * factor + 1) +
        " frames of the video (" +
        (options.settings.find("frames") ? "--frames counts the first, --video-frames the second" : "--video-frames") +
        ").");
  }
  return notes;
}

LayoutRequest option_request(const LayoutOptions& options) {
  LayoutRequest request;
  read_options(options, request);
  return request;
}

}  // namespace ropescope
