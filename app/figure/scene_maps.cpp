#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

// In ems of the tick labels.
constexpr double kBarGap = 1.1, kBarWidth = 0.95, kBarTickGap = 0.55, kBarLabelGap = 0.35, kBetweenBars = 1.4;
constexpr std::size_t kBarColours = 65;
constexpr double kHatchDistance = 0.55;

bool scene_maps_has_cells(const Map& map) {
  return map.cells && map.cells->columns > 0 && map.cells->rows > 0 &&
         map.cells->values.size() >= map.cells->columns * map.cells->rows;
}

/// Where a stretch of an axis lies, and whether its low end is at the far end.
struct Stretch {
  double from = 0, length = 0;
  bool flipped = false;
};
Stretch stretch_of(const AxisMap& axis, const Range& range) {
  const double low = axis.to_pixel(range.low), high = axis.to_pixel(range.high);
  return {std::min(low, high), std::abs(high - low), high < low};
}

/// "π/2", "−π", "3π/2": quarters of a turn.
std::string quarters_text(int quarters) {
  if (quarters == 0) return "0";
  const int halves = std::abs(quarters);
  const bool whole = halves % 2 == 0;
  const int count = whole ? halves / 2 : halves;
  return std::string(quarters < 0 ? "\u2212" : "") + (count == 1 ? "" : std::to_string(count)) + (whole ? "π" : "π/2");
}

std::vector<Tick> angle_ticks(const Range& range, double height, double gap) {
  const double first = std::ceil(range.low / (std::numbers::pi / 2) - 1e-6),
               last = std::floor(range.high / (std::numbers::pi / 2) + 1e-6);
  if (!(last - first >= 1 && last - first <= 64)) return {};
  std::vector<Tick> ticks;
  int stride = 1;
  while (stride < last - first && height * stride * (std::numbers::pi / 2) / (range.high - range.low) < gap)
    stride *= 2;
  for (double k = first; k <= last; ++k) {
    const int quarters = static_cast<int>(k);
    if (quarters % stride == 0) ticks.push_back({k * std::numbers::pi / 2, quarters_text(quarters), true});
  }
  return ticks;
}

std::vector<Tick> bar_ticks(const Map& map, double height, const FigureOptions& options, const MeasureText& measure) {
  const double line = measure("0", {options.text_size, FontWeight::regular}).y;
  const double gap = std::min(3.5 * options.text_size, std::max(1.4 * line, height / 4));
  if (map.colours == MapColours::angle) {
    std::vector<Tick> ticks = angle_ticks(map.range, height, 1.4 * line);
    if (!ticks.empty()) return ticks;
  }
  FigureAxis axis;
  axis.range = map.range;
  return make_ticks(axis, height, gap);
}

double height_of_one(double height, std::size_t count, const FigureOptions& options) {
  const double gaps = kBetweenBars * options.text_size * static_cast<double>(count - 1);
  return std::max(0.0, (height - gaps) / static_cast<double>(count));
}

void add_bar(Scene& scene, const SceneContext& context, const Map& map, const Rect& bar) {
  const double em = context.options.text_size;
  const TextStyle style = context.text_style();
  GradientItem gradient{bar, {}};
  const ColourTable table = colour_table(map.colours, context.palette);
  // The bar shows the table itself, from its first entry to its last.
  for (std::size_t i = 0; i < kBarColours; ++i) {
    const double share = static_cast<double>(i) / (kBarColours - 1);
    const std::size_t turn = static_cast<std::size_t>(share * 256) % 256;
    gradient.colours.push_back(map.colours == MapColours::angle ? table[turn]
                                                                : colour_at(table, {false, {0, 1}}, share));
  }
  scene.items.push_back(gradient);
  const AxisMap axis{drawable_range(map.range, AxisScale::linear), AxisScale::linear, bar.bottom(), bar.top};
  const Rect& rect = context.frame.rect;
  const double right = rect.right(), text_left = bar.right() + kBarTickGap * em;
  const double line = context.measure("0", style).y;
  double labels_right = text_left, last_top = 1e300;
  for (const Tick& tick : bar_ticks(map, bar.height, context.options, context.measure)) {
    const double y = axis.to_pixel(tick.value);
    const Vec2 size = context.measure(tick.label, style);
    if (tick.label.empty() || text_left + size.x > right || y + size.y / 2 > last_top) continue;
    if (y - size.y / 2 < rect.top || y + size.y / 2 > rect.bottom()) continue;
    scene.items.push_back(PathItem{
        {{bar.right(), y}, {bar.right() + 0.25 * em, y}}, context.palette.faint, context.hairline(), Dash::solid});
    scene.items.push_back(TextItem{{text_left, y}, 0, 0.5, tick.label, style, context.palette.secondary, false});
    labels_right = std::max(labels_right, text_left + size.x);
    last_top = y - size.y / 2;
  }
  const std::string label = leading_words(map.label, style, bar.height, context.measure);
  const double label_left = labels_right + kBarLabelGap * em;
  if (label.empty() || label_left + line > right + 1e-6) return;
  scene.items.push_back(
      TextItem{{label_left, bar.top + bar.height / 2}, 0, 0.5, label, style, context.palette.text, true});
}

}  // namespace

std::vector<const Map*> bars_of(const Figure& figure) {
  std::vector<const Map*> bars;
  for (const Map& map : figure.maps) {
    const bool same = std::any_of(bars.begin(), bars.end(), [&](const Map* other) {
      return other->colours == map.colours && other->range == map.range && other->label == map.label;
    });
    if (map.bar && scene_maps_has_cells(map) && !same) bars.push_back(&map);
  }
  return bars;
}

double bars_width(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure) {
  const std::vector<const Map*> bars = bars_of(figure);
  if (bars.empty()) return 0;
  const TextStyle style{options.text_size, FontWeight::regular};
  double ticks = 0, label = 0;
  for (const Map* map : bars) {
    for (const Tick& tick : bar_ticks(*map, height_of_one(height, bars.size(), options), options, measure)) {
      ticks = std::max(ticks, measure(tick.label, style).x);
    }
    if (!map->label.empty()) label = measure("0", style).y + kBarLabelGap * options.text_size;
  }
  return std::ceil((kBarGap + kBarWidth + kBarTickGap) * options.text_size + ticks + label + 1);
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

void add_maps(Scene& scene, const SceneContext& context) {
  const Rect& plot = context.frame.plot;
  for (const Map& map : context.figure.maps) {
    if (!scene_maps_has_cells(map)) continue;
    const Stretch x = stretch_of(context.frame.x, map.x), y = stretch_of(context.frame.y, map.y);
    if (!(x.length > 0 && y.length > 0) || !std::isfinite(x.length + y.length)) continue;
    MapItem item;
    item.cells = map.cells;
    item.paint.table = colour_table(map.colours, context.palette);
    // Painters draw waves of size 1, which are looked up between correspondingly smaller ends.
    const Range range = {map.range.low / map.wave_size, map.range.high / map.wave_size};
    item.paint.place = {map.colours == MapColours::angle, range, map.wave};
    item.paint.ground = context.palette.canvas;
    item.paint.hatch = context.palette.dark ? Colour{0x3a, 0x40, 0x4b, 255} : Colour{0xc3, 0xc9, 0xd2, 255};
    item.paint.hatch_period = static_cast<int>(std::max(4.0, std::round(kHatchDistance * context.options.text_size)));
    item.rect = {x.from, y.from, x.length, y.length};
    item.clip = plot;
    item.flip_x = x.flipped;
    item.flip_y = y.flipped;
    scene.items.push_back(std::move(item));
  }
}

void add_pictures(Scene& scene, const SceneContext& context) {
  for (const Picture& picture : context.figure.pictures) {
    if (!picture.pixels || picture.pixels->values.empty() || !(picture.opacity > 0)) continue;
    const Stretch x = stretch_of(context.frame.x, picture.whole_x), y = stretch_of(context.frame.y, picture.whole_y);
    const Stretch seen_x = stretch_of(context.frame.x, picture.x), seen_y = stretch_of(context.frame.y, picture.y);
    if (!(x.length > 0 && y.length > 0) || !std::isfinite(x.length + y.length)) continue;
    const Rect& plot = context.frame.plot;
    const double left = std::max(seen_x.from, plot.left), top = std::max(seen_y.from, plot.top);
    const double right = std::min(seen_x.from + seen_x.length, plot.right());
    const double bottom = std::min(seen_y.from + seen_y.length, plot.bottom());
    if (!(right > left && bottom > top)) continue;
    PictureItem item;
    item.pixels = picture.pixels;
    item.rect = {x.from, y.from, x.length, y.length};
    item.clip = {left, top, right - left, bottom - top};
    item.opacity = std::clamp(picture.opacity, 0.0, 1.0);
    item.flip_x = x.flipped;
    // Its first row stands at the low end, which an upright axis has at the bottom.
    item.flip_y = y.flipped;
    scene.items.push_back(std::move(item));
  }
}

void add_bars(Scene& scene, const SceneContext& context) {
  const std::vector<const Map*> bars = bars_of(context.figure);
  if (bars.empty() || context.frame.bars_width == 0) return;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, height = height_of_one(plot.height, bars.size(), context.options);
  if (height < 3 * em) return;
  double top = plot.top;
  for (const Map* map : bars) {
    const double low = std::round(top + height), high = std::round(top);
    add_bar(scene, context, *map,
            {std::round(plot.right() + kBarGap * em), high, std::round(kBarWidth * em), low - high});
    top += height + kBetweenBars * em;
  }
}

void add_tick_marks(Scene& scene, const SceneContext& context) {
  if (context.figure.maps.empty()) return;
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const double length = 0.3 * context.options.text_size, width = context.hairline();
  for (const Tick& tick : frame.x_ticks) {
    const double x = std::clamp(frame.x.to_pixel(tick.value), plot.left, plot.right());
    if (tick.label.empty()) continue;
    scene.items.push_back(
        PathItem{{{x, plot.bottom()}, {x, plot.bottom() + length}}, context.palette.faint, width, Dash::solid});
  }
  for (const Tick& tick : frame.y_ticks) {
    const double y = std::clamp(frame.y.to_pixel(tick.value), plot.top, plot.bottom());
    if (tick.label.empty()) continue;
    scene.items.push_back(
        PathItem{{{plot.left - length, y}, {plot.left, y}}, context.palette.faint, width, Dash::solid});
  }
}

}  // namespace ropescope
