#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/layouts/parts.h"

namespace ropescope {

namespace {

constexpr std::int64_t kMostText = std::int64_t{1} << 24;
constexpr std::int64_t kMostRows = std::int64_t{1} << 27;
constexpr int kMostFrames = 65536;

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return list;
}

/// Settings that are not at their default, under the names of Layout::settings, with words for the message.
struct GivenSetting {
  const char* name;
  const char* words;
  bool given;
};

std::array<GivenSetting, 18> given_settings(const LayoutRequest& request) {
  return {{{"image", "image size", request.image.has_value()},
           {"text", "text tokens", request.text != 0},
           {"text_after", "text tokens after the image", request.text_after != 0},
           {"references", "reference images", !request.references.empty()},
           {"frames", "frames", request.frames != 1},
           {"frame_rate", "frame rate", request.frame_rate.has_value()},
           {"tokens_per_second", "tokens per second", request.tokens_per_second.has_value()},
           {"unscaled", "unscaled positions", request.unscaled},
           {"head_dim", "head dimension", request.head_dim.has_value()},
           {"axis_dims", "channels of the axes", !request.axis_dims.empty()},
           {"base", "base", request.base.has_value()},
           {"patch", "patch", request.patch.has_value()},
           {"position_grid", "position grid", !request.position_grid.empty()},
           {"sections", "sections", !request.sections.empty()},
           {"max_frequency", "largest frequency", request.max_frequency.has_value() || request.language_ladder},
           {"axes", "axes", !request.axes.empty()},
           {"pairing", "pairing", request.pairing.has_value()},
           {"mixed_frequencies", "mixed frequencies",
            request.mixed_frequencies.size() != 0 || request.head != 0 || request.heads != 1 || request.seed != 0}}};
}

void require_range(const Layout& layout, const std::string& what, double value, double low, double high) {
  if (std::isfinite(value) && value >= low && value <= high) return;
  const auto text = [](double number) {
    return number == std::floor(number) && std::abs(number) < 1e15 ? std::to_string(static_cast<std::int64_t>(number))
                                                                   : std::to_string(number);
  };
  reject(layout, what + " is " + text(value), "a number from " + text(low) + " to " + text(high));
}

void check_numbers(const Layout& layout, const LayoutRequest& request) {
  const auto most_text = static_cast<double>(kMostText);
  require_range(layout, "the number of text tokens", static_cast<double>(request.text), 0, most_text);
  require_range(layout, "the number of text tokens after the image", static_cast<double>(request.text_after), 0,
                most_text);
  require_range(layout, "the number of frames", request.frames, 1, kMostFrames);
  require_range(layout, "the number of references", static_cast<double>(request.references.size()), 0, 1000);
  if (request.base && !(std::isfinite(*request.base) && *request.base > 1)) {
    reject(layout, "the base is " + std::to_string(*request.base), "a finite number greater than 1");
  }
  if (request.frame_rate && !(std::isfinite(*request.frame_rate) && *request.frame_rate > 0)) {
    reject(layout, "the frame rate is " + std::to_string(*request.frame_rate), "a finite number greater than 0");
  }
  if (request.tokens_per_second) {
    require_range(layout, "the number of tokens per second", *request.tokens_per_second, 1e-3, 1e6);
  }
  if (request.patch) require_range(layout, "the patch", *request.patch, 1, 1024);
  if (request.max_frequency) require_range(layout, "the largest frequency", *request.max_frequency, 2, 1e6);
  require_range(layout, "the head", request.head, 0, 1023);
  require_range(layout, "the number of heads", request.heads, 1, 64);
}

/// The largest multiple of `step` at most `length` and the smallest at least that, within 1 … kMostPixels.
std::vector<int> nearest_multiples(int length, int step) {
  std::vector<int> nearest;
  const int below = length / step * step, above = (length + step - 1) / step * step;
  if (below >= step) nearest.push_back(below);
  if (above != below && above <= 8192) nearest.push_back(above);
  return nearest;
}

}  // namespace

void reject(const Layout& layout, const std::string& found, const std::string& expected) {
  throw InputError(std::string(layout.name) + ": " + found + "; " + expected + " was expected");
}

int frames_of_tokens(const Layout& layout, int video_frames) {
  const int factor = layout.frame_factor;
  if (factor == 1)
    reject(layout, "frames of a video are given", "frames of tokens (the layout knows no video of its own)");
  if (video_frames >= 1 && (video_frames - 1) % factor == 0) return (video_frames - 1) / factor + 1;
  const int below = std::max(0, video_frames - 1) / factor * factor + 1;
  reject(layout, "a video of " + std::to_string(video_frames) + " frames",
         std::to_string(factor) + "n + 1, as " + std::to_string(below) + " or " + std::to_string(below + factor) + ",");
}

int pixels_per_token(const Layout& layout, const LayoutRequest& request) {
  return takes(layout, "patch") && request.patch ? *request.patch : layout.vae_factor * layout.patch;
}

TokenGrid grid_of(const Layout& layout, const LayoutRequest& request, const ImageSize& size, const std::string& what) {
  constexpr int kLongest = 8192;
  const std::string found =
      what + " is " +
      (size.in_pixels ? std::to_string(size.columns) + "x" + std::to_string(size.rows) + " pixels"
                      : std::to_string(size.rows) + " rows by " + std::to_string(size.columns) + " columns of tokens");
  if (size.rows < 1 || size.columns < 1 || size.rows > kLongest || size.columns > kLongest) {
    reject(layout, found, "a size from 1 to 8192 on each side");
  }
  if (!size.in_pixels) return {size.rows, size.columns};
  const int step = pixels_per_token(layout, request);
  if (size.rows % step == 0 && size.columns % step == 0) return {size.rows / step, size.columns / step};
  std::vector<std::string> nearest;
  for (const int height : nearest_multiples(size.rows, step)) {
    for (const int width : nearest_multiples(size.columns, step)) {
      nearest.push_back(std::to_string(width) + "x" + std::to_string(height));
    }
  }
  reject(layout, found + ", but a token is " + std::to_string(step) + "x" + std::to_string(step) + " pixels",
         "one of the nearest sizes that divide, " + list_of(nearest) + ",");
}

TokenLayout arrange(const Layout& layout, const LayoutRequest& request) {
  for (const GivenSetting& setting : given_settings(request)) {
    if (!setting.given || takes(layout, setting.name)) continue;
    throw InputError(std::string(layout.name) + ": it takes no " + setting.words);
  }
  check_numbers(layout, request);
  if (takes(layout, "image") && !request.image) reject(layout, "the image has no size", "a size in pixels or tokens");
  TokenLayout arranged = layout.arrange(layout, request);
  if (arranged.row_count() < 1) reject(layout, "there is no token", "at least one");
  if (arranged.row_count() > kMostRows) {
    reject(layout, "there are " + std::to_string(arranged.row_count()) + " tokens",
           "at most " + std::to_string(kMostRows));
  }
  return arranged;
}

}  // namespace ropescope
