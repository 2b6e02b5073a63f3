// Boxes of texts, texts cut or broken to a width, and the visible part of a map.

#include "app/figure/scene/scene_items.h"

#include <algorithm>
#include <cmath>

#include "app/figure/text_flow.h"
#include "core/utf8.h"

namespace ropescope {

namespace {

/// Returns the bytes of the longest start that, followed by `tail`, is at most `width` wide; whole characters only.
std::size_t fitting(std::string_view text, std::string_view tail, const TextStyle& style, double width,
                    const MeasureText& measure) {
  std::size_t fits = 0, too_long = text.size() + 1;
  while (too_long - fits > 1) {
    const std::size_t middle = start_of_character(text, (fits + too_long) / 2);
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

Rect box_of(const TextItem& item, const MeasureText& measure) {
  Vec2 size = measure(item.text, item.style);
  if (item.vertical) size = {size.y, size.x};
  return {item.at.x - item.anchor_x * size.x, item.at.y - item.anchor_y * size.y, size.x, size.y};
}

std::string elided(std::string_view text, const TextStyle& style, double width, const MeasureText& measure) {
  if (measure(text, style).x <= width) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  const std::size_t size = fitting(text, kEllipsis, style, width, measure);
  return size == 0 ? std::string() : std::string(text.substr(0, size)) + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view text, const TextStyle& style, double width,
                                 const MeasureText& measure) {
  const auto lines = text_lines(text, [&](std::string_view rest) {
    return measure(rest, style).x <= width ? rest.size() : fitting(rest, "", style, width, measure);
  });
  return {lines.begin(), lines.end()};
}

MapWindow window_of(const MapItem& item, Rect& at) {
  MapWindow window;
  const double left = std::round(std::max(item.rect.left, item.clip.left));
  const double right = std::round(std::min(item.rect.right(), item.clip.right()));
  const double top = std::round(std::max(item.rect.top, item.clip.top));
  const double bottom = std::round(std::min(item.rect.bottom(), item.clip.bottom()));
  at = {left, top, right - left, bottom - top};
  if (!(at.width > 0 && at.height > 0) || at.width > 65536 || at.height > 65536) return window;
  window.cells = item.cells;
  window.paint = item.paint;
  window.width = static_cast<int>(at.width);
  window.height = static_cast<int>(at.height);
  const double columns = static_cast<double>(item.cells->columns), rows = static_cast<double>(item.cells->rows);
  window.column_step = columns / item.rect.width;
  window.first_column = (left - item.rect.left) * window.column_step;
  window.row_step = rows / item.rect.height;
  window.first_row = (top - item.rect.top) * window.row_step;
  if (item.flip_x) {
    window.first_column = columns - window.first_column;
    window.column_step = -window.column_step;
  }
  if (item.flip_y) {
    window.first_row = rows - window.first_row;
    window.row_step = -window.row_step;
  }
  return window;
}

}  // namespace ropescope
