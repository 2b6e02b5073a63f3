#include "app/figure/scene.h"

#include <algorithm>

#include "app/figure/line_starts.h"
#include "app/figure/scene_parts.h"

namespace ropescope {

Rect box_of(const TextItem& item, const MeasureText& measure) {
  Vec2 size = measure(item.text, item.style);
  if (item.vertical) size = {size.y, size.x};
  return {item.at.x - item.anchor_x * size.x, item.at.y - item.anchor_y * size.y, size.x, size.y};
}

namespace {

constexpr double kSceneLegendShare = 0.45;  ///< of the plot, at most, for a legend that stands above it

/// Where the last whole character of the first `size` bytes ends: UTF-8 is never cut within a character.
std::size_t character_end(std::string_view text, std::size_t size) {
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return size;
}

std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  return at;
}

/// Bytes of the longest beginning that, followed by `tail`, is not wider than `width`; at whole characters.
std::size_t fitting(std::string_view text, std::string_view tail, const TextStyle& style, double width,
                    const MeasureText& measure) {
  std::size_t fits = 0, too_long = text.size() + 1;
  while (too_long - fits > 1) {
    const std::size_t middle = character_end(text, (fits + too_long) / 2);
    const std::size_t tried = middle > fits ? middle : next_character(text, fits);
    if (tried >= too_long) break;
    if (measure(std::string(text.substr(0, tried)) + std::string(tail), style).x <= width) {
      fits = tried;
    } else {
      too_long = tried;
    }
  }
  return fits;
}

}  // namespace

std::string elided(std::string_view text, const TextStyle& style, double width, const MeasureText& measure) {
  if (measure(text, style).x <= width) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  const std::size_t size = fitting(text, kEllipsis, style, width, measure);
  return size == 0 ? std::string() : std::string(text.substr(0, size)) + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view text, const TextStyle& style, double width,
                                 const MeasureText& measure) {
  std::vector<std::string> lines;
  const std::vector<std::size_t> starts = line_starts(std::string(text));
  std::size_t begin = 0;
  const auto length_within = [&](std::size_t end) {
    while (end > begin && text[end - 1] == ' ') --end;
    return end - begin;
  };
  while (begin < text.size()) {
    const std::string_view rest = text.substr(begin);
    std::size_t end = text.size();
    if (measure(rest, style).x > width) {
      const std::size_t fits = fitting(rest, "", style, width, measure);
      end = begin + std::max(fits, next_character(rest, 0));
      for (auto start = starts.rbegin(); start != starts.rend() && *start > begin; ++start) {
        if (length_within(*start) > fits || length_within(*start) == 0) continue;
        end = *start;
        break;
      }
    }
    lines.emplace_back(text.substr(begin, length_within(end)));
    begin = end;
    while (begin < text.size() && text[begin] == ' ') ++begin;
  }
  return lines;
}

FigureLayout lay_out(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                     const MeasureText& measure) {
  Frame frame = frame_of(figure, rect, options, measure);
  const double legend =
      legend_height_above({figure, frame, palette, options, measure}, kSceneLegendShare * frame.plot.height);
  if (legend > 0) frame = frame_of(figure, rect, options, measure, legend);
  FigureLayout result;
  result.plot = frame.plot;
  result.x = frame.x;
  result.y = frame.y;
  const SceneContext context{figure, frame, palette, options, measure};
  // Where there are maps spans tint them; else they lie under the grid.
  if (figure.maps.empty()) add_spans(result.scene, context);
  add_grid(result.scene, context);
  add_maps(result.scene, context);
  add_pictures(result.scene, context);
  if (!figure.maps.empty()) add_spans(result.scene, context);
  add_boxes_and_paths(result.scene, context);
  add_curves(result.scene, context);
  add_arrows(result.scene, context);
  add_tick_marks(result.scene, context);
  add_bars(result.scene, context);
  add_axis_labels(result.scene, context);
  add_inner_labels(result.scene, context);
  return result;
}

}  // namespace ropescope
