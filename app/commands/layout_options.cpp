#include "app/commands/layout_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/commands/encoding_options.h"
#include "app/commands/pairing_option.h"
#include "app/experiment/axis_list.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/config_layout.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

int read_count(const std::string& option, const std::string& text) {
  const std::int64_t count = read_whole(option, text);
  if (count < 0 || count > (std::int64_t{1} << 30)) {
    throw InputError(option + " is " + text + "; a number from 0 to 1073741824 was expected");
  }
  return static_cast<int>(count);
}

double read_number(const std::string& option, const std::string& text) {
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

ImageSize read_pixels(const std::string& option, const std::string& text) {
  const auto [width, height] = read_two(option, text, "WIDTHxHEIGHT in pixels, as 1024x768,");
  return ImageSize::pixels(width, height);
}

ImageSize read_grid(const std::string& option, const std::string& text) {
  const auto [rows, columns] = read_two(option, text, "ROWSxCOLUMNS in tokens, as 64x48,");
  return ImageSize::tokens(rows, columns);
}

LayoutConfig read_config(const LayoutOptions& options) {
  if (!options.config) return {};
  LayoutConfig config = parse_layout_config(read_file(*options.config, kLargestJsonBytes), *options.config);
  if (!fits_layout(config.layout, options.name)) {
    throw InputError(*options.config + ": this is a model of the layout " + config.layout + "; one of " + options.name +
                     " was expected");
  }
  return config;
}

void read_images(const LayoutOptions& options, LayoutRequest& request) {
  if (options.size && options.grid) throw InputError("--size and --grid are both given; one of them was expected");
  if (options.size) request.image = read_pixels("--size", *options.size);
  if (options.grid) request.image = read_grid("--grid", *options.grid);
  for (const auto& [name, text] : options.references) {
    request.references.push_back(name == "--reference" ? read_pixels(name, text) : read_grid(name, text));
  }
}

/// Frames of tokens, counted themselves or by the frames of the video; 1 where neither is given.
int option_frames(const LayoutOptions& options) {
  if (options.frames && options.video_frames) {
    throw InputError("--frames and --video-frames are both given; one of them was expected");
  }
  if (options.frames) return read_count("--frames", *options.frames);
  if (!options.video_frames) return 1;
  return frames_of_tokens(find_layout(options.name), read_count("--video-frames", *options.video_frames));
}

void read_options(const LayoutOptions& options, LayoutRequest& request) {
  read_images(options, request);
  if (options.text) request.text = read_count("--text", *options.text);
  if (options.text_after) request.text_after = read_count("--text-after", *options.text_after);
  request.frames = option_frames(options);
  if (options.frame_rate) request.frame_rate = read_number("--frame-rate", *options.frame_rate);
  if (options.tokens_per_second) {
    request.tokens_per_second = read_number("--tokens-per-second", *options.tokens_per_second);
  }
  if (options.head) request.head = read_count("--head", *options.head);
  if (options.heads) request.heads = read_count("--heads", *options.heads);
  if (options.seed) request.seed = static_cast<std::uint64_t>(read_count("--seed", *options.seed));
  if (options.head_dim) request.head_dim = read_count("--head-dim", *options.head_dim);
  if (options.base) request.base = read_number("--base", *options.base);
  if (options.patch) request.patch = read_count("--patch", *options.patch);
  if (options.axes) request.axes = read_custom_axes(*options.axes, "--axes");
  if (options.max_frequency) request.max_frequency = read_number("--max-frequency", *options.max_frequency);
  if (options.pairing) request.pairing = read_pairing(*options.pairing);
}

}  // namespace

void add_layout_only_options(Arguments& arguments, LayoutOptions& options) {
  arguments.option("--size", "WxH", options.size, "Size of the image in pixels");
  arguments.option("--grid", "RxC", options.grid, "Size of the image in tokens: rows x columns");
  arguments.option("--text", "N", options.text, "Text tokens (default: 0)");
  arguments.option("--text-after", "N", options.text_after, "Text tokens after the image (qwen2-vl, qwen3-vl)");
  arguments.every("--reference", "WxH", options.references, "Size of a reference image in pixels; may be repeated");
  arguments.every("--reference-grid", "RxC", options.references,
                  "Size of a reference image in tokens; may be repeated");
  arguments.option("--frames", "F", options.frames, "Frames of tokens of a video, as its VAE leaves them (default: 1)");
  arguments.option("--video-frames", "F", options.video_frames,
                   "Frames of the video itself: 81 are 21 of tokens (wan, hunyuan-video: 4n + 1; ltx-video: 8n + 1)");
  arguments.option(
      "--frame-rate", "R", options.frame_rate,
      "Frames of the video per second (ltx-video; default: 25), or seen by the model (qwen2-vl; default: 2)");
  arguments.option("--tokens-per-second", "T", options.tokens_per_second,
                   "Ids of t per second, as in Qwen2.5-VL (qwen2-vl; default: frames count one by one)");
  arguments.option("--patch", "P", options.patch,
                   "Pixels per token and side (vision models, raster, custom; wan: 32 for Wan 2.2 TI2V-5B)");
  arguments.option("--axes", "LIST", options.axes, "Axes of the layout custom: t:16,row:56,column:56");
}

void add_layout_options(Arguments& arguments, LayoutOptions& options) {
  arguments.positional("NAME", options.name, "Which layout; the list is below");
  add_layout_only_options(arguments, options);
  arguments.option("--config", "FILE", options.config, "A model's config.json: channels, base, patch, sections");
  arguments.option("--head-dim", "D", options.head_dim, "Channels of a head (ltx-video: of all heads)");
  arguments.option("--base", "B", options.base, "Base of the frequencies");
  arguments.option("--max-frequency", "F", options.max_frequency, "Largest frequency of lucidrains' pixel ladder (10)");
  arguments.option("--pairing", "P", options.pairing, "interleaved or half (text, raster, custom)");
  arguments.option("--head", "H", options.head, "Which head's initial frequencies, 0 to 1023 (vit-mixed; default: 0)");
  arguments.option("--heads", "N", options.heads, "Heads side by side, from that one on (vit-mixed; default: 1)");
  arguments.option("--seed", "S", options.seed, "Of the initial frequencies (vit-mixed; default: 0)");
}

std::string layout_names() {
  std::string names;
  for (const Layout& layout : all_layouts()) names += (names.empty() ? "" : ", ") + std::string(layout.name);
  return names;
}

LayoutRequest layout_request(const LayoutOptions& options) {
  LayoutRequest request = read_config(options).request;
  read_options(options, request);
  if (!request.image && takes(find_layout(options.name), "image")) {
    throw InputError(options.name +
                     ": the image has no size; --size WIDTHxHEIGHT in pixels or --grid ROWSxCOLUMNS in "
                     "tokens was expected");
  }
  return request;
}

std::vector<std::string> option_notes(const LayoutOptions& options, const TokenLayout& layout) {
  std::vector<std::string> notes = said_in_english(read_config(options).notes);
  const auto counts = [](const TokenBlock& block) {
    return block.part == "text" || block.first_token > block.first_row;
  };
  const bool counted = std::any_of(layout.blocks.begin(), layout.blocks.end(), counts);
  if (options.text && read_count("--text", *options.text) > 0 && !counted) {
    notes.push_back("--text changes nothing here: " + layout.name +
                    " does not rotate text tokens, and none stand before "
                    "the image.");
  }
  const int factor = find_layout(layout.name).frame_factor;
  const int frames = option_frames(options);
  if (factor > 1 && frames > 1) {
    notes.push_back(std::to_string(frames) + " frames of tokens are " + std::to_string((frames - 1) * factor + 1) +
                    " frames of the video (" +
                    (options.frames ? "--frames counts the first, --video-frames the second" : "--video-frames") +
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
