// Content of the axes: curves and the samples along them, spans, marks, and maps with their colour bars.
//
// Contents: Curves; Samples; Spans; Marks; Maps.

#include "app/figure/scene/scene_marks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/figure/figure.h"
#include "app/figure/scene/scene_axes.h"
#include "app/figure/scene/scene_parts.h"
#include "app/figure/scene/ticks.h"

namespace ropescope {

// --- Curves --------------------------------------------------------------------------------------------------------

namespace {

constexpr double kBandAlpha = 0.22;

/// The stroke of a line and the area where it may be drawn.
struct CurvePen {
  const SceneContext& context;
  const AxisMap& y;
  Stroke stroke;
  double width;
  Rect room;  ///< the plot with a margin for a stroke
};

CurvePen pen_of(const SceneContext& context, const LineStyle& style, const AxisMap& y) {
  const double width = context.options.line_width * width_of(style);
  const Rect& plot = context.frame.plot;
  const double margin = 4 * width;
  return {context,
          y,
          stroke_of(context.palette, style),
          width,
          {plot.left - margin, plot.top - margin, plot.width + 2 * margin, plot.height + 2 * margin}};
}

void add_band(Scene& scene, const std::vector<TraceVertex>& piece, const CurvePen& pen) {
  const AxisMap& y = pen.y;
  BandItem band;
  band.data = true;
  band.colour = pen.stroke.colour;
  band.colour.alpha = static_cast<std::uint8_t>(std::lround(band.colour.alpha * kBandAlpha));
  const auto add = [&](double x, double top, double bottom) {
    band.xs.push_back(x);
    if (y.high > y.low) std::swap(top, bottom);  // reversed: the maximum is below
    band.tops.push_back(std::clamp(top, pen.room.top, pen.room.bottom()));
    band.bottoms.push_back(std::clamp(bottom, pen.room.top, pen.room.bottom()));
  };
  const auto finish = [&] {
    if (band.xs.size() == 1) {
      // One column between two gaps: as wide as the column.
      const double x = band.xs[0], half = pen.context.options.column / 2, top = band.tops[0], bottom = band.bottoms[0];
      band.xs[0] = x - half;
      add(x + half, top, bottom);
    }
    if (!band.xs.empty()) scene.items.push_back(band);
    band.xs.clear();
    band.tops.clear();
    band.bottoms.clear();
  };
  // An area that the line itself hides needs no band.
  const auto is_dense = [&](std::size_t i) {
    if (i >= piece.size() || !(piece[i].minimum < piece[i].maximum)) return false;
    const double height = std::abs(y.to_pixel(piece[i].minimum) - y.to_pixel(piece[i].maximum));
    return !(height <= pen.width / 2);
  };
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const TraceVertex& vertex = piece[i];
    const double top = y.to_pixel(vertex.maximum);
    if (std::isnan(top) || !(is_dense(i) || is_dense(i + 1) || (i > 0 && is_dense(i - 1)))) {
      finish();
      continue;
    }
    // A log axis has no place for a minimum ≤ 0: the band continues beyond the plot.
    const double bottom = y.to_pixel(vertex.minimum), end = y.high > y.low ? pen.room.top : pen.room.bottom();
    add(std::clamp(vertex.x, pen.room.left, pen.room.right()), top, std::isnan(bottom) ? end : bottom);
  }
  finish();
}

/// An interval at a pixel of x.
struct BandEdge {
  double x = 0, top = 0, bottom = 0;
};

/// Returns the interval between two others at a pixel of x.
BandEdge between(const BandEdge& a, const BandEdge& b, double x) {
  const double share = (x - a.x) / (b.x - a.x);
  return {x, a.top + share * (b.top - a.top), a.bottom + share * (b.bottom - a.bottom)};
}

void add_mean(Scene& scene, const std::vector<TraceVertex>& piece, const CurvePen& pen) {
  const PathItem like{{}, pen.stroke.colour, pen.width, pen.stroke.dash, true};
  std::vector<Vec2> points;
  const auto finish = [&] {
    if (points.size() == 1 && pen.room.contains(points[0])) {
      scene.items.push_back(DiscItem{points[0], pen.width, pen.stroke.colour, true});
    }
    add_polyline(scene, points, pen.room, like);
    points.clear();
  };
  for (const TraceVertex& vertex : piece) {
    const double y = pen.y.to_pixel(vertex.mean);
    if (std::isfinite(y)) {
      points.push_back({vertex.x, y});
    } else {
      finish();
    }
  }
  finish();
}

/// Adds discs at the values of a line.
void add_markers(Scene& scene, const Line& line, const CurvePen& pen) {
  const Series& series = *line.series;
  for (std::size_t i = 0; i < series.ys.size(); ++i) {
    const Vec2 at{pen.context.frame.x.to_pixel(series.x_at(i)), pen.y.to_pixel(series.ys[i])};
    if (pen.room.contains(at)) scene.items.push_back(DiscItem{at, 2 * pen.width, pen.stroke.colour, true});
  }
}

/// Returns the pixel of an end of an interval, inside the room; an end that a log axis has no place for is below it.
double end_of_interval(double value, const CurvePen& pen) {
  const double pixel = pen.y.to_pixel(value);
  const double below = pen.y.high > pen.y.low ? pen.room.top : pen.room.bottom();
  return std::isnan(pixel) ? below : std::clamp(pixel, pen.room.top, pen.room.bottom());
}

/// Adds bars with caps from the low to the high ends of a line's intervals.
void add_bars_of(Scene& scene, const Line& line, const CurvePen& pen) {
  if (!line.bars) return;
  const double cap = 1.6 * pen.width, width = 0.6 * pen.width;
  const auto add = [&](Vec2 from, Vec2 to) {
    scene.items.push_back(PathItem{{from, to}, pen.stroke.colour, width, Dash::solid, true});
  };
  for (std::size_t i = 0; i < line.low->ys.size(); ++i) {
    const double x = pen.context.frame.x.to_pixel(line.low->x_at(i));
    if (!(x >= pen.room.left && x <= pen.room.right())) continue;
    const double low = end_of_interval(line.low->ys[i], pen), high = end_of_interval(line.high->ys[i], pen);
    add({x, low}, {x, high});
    for (const double y : {low, high}) add({x - cap, y}, {x + cap, y});
  }
}

/// Adds a band between the ends of a line's intervals.
void add_interval_band(Scene& scene, const Line& line, const CurvePen& pen) {
  BandItem band;
  band.data = true;
  band.colour = pen.stroke.colour;
  band.colour.alpha = static_cast<std::uint8_t>(std::lround(band.colour.alpha * kBandAlpha));
  const AxisMap& across = pen.context.frame.x;
  std::vector<BandEdge> corners;
  for (std::size_t i = 0; i < line.low->ys.size(); ++i) {
    const double x = across.to_pixel(line.low->x_at(i));
    if (!std::isfinite(x)) continue;
    double top = end_of_interval(line.high->ys[i], pen), bottom = end_of_interval(line.low->ys[i], pen);
    if (top > bottom) std::swap(top, bottom);
    corners.push_back({x, top, bottom});
  }
  if (!corners.empty() && corners.front().x > corners.back().x) std::reverse(corners.begin(), corners.end());
  const double left = pen.room.left, right = pen.room.right();
  const auto add = [&band](const BandEdge& corner) {
    band.xs.push_back(corner.x);
    band.tops.push_back(corner.top);
    band.bottoms.push_back(corner.bottom);
  };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const BandEdge& at = corners[i];
    // Corners outside are replaced by those where the edges leave the room.
    for (const double edge : {left, right}) {
      if (i > 0 && corners[i - 1].x < edge && at.x > edge) add(between(corners[i - 1], at, edge));
    }
    if (at.x >= left && at.x <= right) add(at);
  }
  if (band.xs.size() > 1) scene.items.push_back(std::move(band));
}

void add_rule_lines(Scene& scene, const SceneContext& context) {
  const Rect& plot = context.frame.plot;
  for (const Rule& rule : context.figure.rules) {
    const double at = (rule.vertical ? context.frame.x : context.frame.y).to_pixel(rule.at);
    const Vec2 from = rule.vertical ? Vec2{at, plot.top} : Vec2{plot.left, at};
    const Vec2 to = rule.vertical ? Vec2{at, plot.bottom()} : Vec2{plot.right(), at};
    if (!plot.contains(from) || !plot.contains(to)) continue;
    const Colour colour = rule.role == Role::curve ? stroke_of(context.palette, rule.style).colour
                                                   : colour_of(context.palette, rule.role);
    scene.items.push_back(
        PathItem{{from, to}, colour, context.hairline(), rule.dashed ? Dash::long_dash : Dash::solid});
  }
}

// --- Samples -------------------------------------------------------------------------------------------------------

/// Extends to a pixel; NaN is ignored.
void take(CurveExtent& extent, double pixel) {
  if (std::isnan(pixel)) return;
  extent.top = std::isnan(extent.top) ? pixel : std::min(extent.top, pixel);
  extent.bottom = std::isnan(extent.bottom) ? pixel : std::max(extent.bottom, pixel);
}

/// Returns the pixel of the stroke between two neighbours at a pixel of x; NaN if there is none.
double interpolate_pixel(const Frame& frame, const Line& line, std::size_t after, double x) {
  const Series& series = *line.series;
  const AxisMap& y = frame.y_of(line);
  if (after == 0 || after >= series.ys.size()) return std::nan("");
  const double x0 = frame.x.to_pixel(series.x_at(after - 1)), x1 = frame.x.to_pixel(series.x_at(after));
  const double y0 = y.to_pixel(series.ys[after - 1]), y1 = y.to_pixel(series.ys[after]);
  return x0 == x1 ? y0 : y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

// --- Spans ---------------------------------------------------------------------------------------------------------

constexpr double kOpacity = 0.12, kFaintOpacity = 0.06;

// --- Marks ---------------------------------------------------------------------------------------------------------

constexpr double kFillOpacity = 0.14;
constexpr double kHeadLength = 0.85, kHeadHalfWidth = 0.3;  ///< ems of the tick labels

Vec2 pixel_of(const SceneContext& context, double x, double y) {
  return {context.frame.x.to_pixel(x), context.frame.y.to_pixel(y)};
}

bool is_finite(Vec2 p) {
  return std::isfinite(p.x) && std::isfinite(p.y);
}

/// Returns the plot with a margin for a stroke.
Rect room_of(const SceneContext& context, double width) {
  const Rect& plot = context.frame.plot;
  const double margin = 4 * width;
  return {plot.left - margin, plot.top - margin, plot.width + 2 * margin, plot.height + 2 * margin};
}

Colour filled(Colour colour) {
  colour.alpha = static_cast<std::uint8_t>(std::lround(colour.alpha * kFillOpacity));
  return colour;
}

/// Adds an outline within the rectangle, so that adjacent boxes do not cover each other and none at the edge is cut.
/// Whole pixels on each side, the corners in one piece with the horizontal sides.
void add_outline(Scene& scene, Rect rect, const PathItem& like) {
  const double half = like.width / 2, in_x = std::min(half, rect.width / 4), in_y = std::min(half, rect.height / 4);
  rect = {rect.left + in_x, rect.top + in_y, rect.width - 2 * in_x, rect.height - 2 * in_y};
  const auto add = [&](Vec2 from, Vec2 to) {
    PathItem side = like;
    side.points = {from, to};
    scene.items.push_back(side);
  };
  for (const double y : {rect.top, rect.bottom()}) add({rect.left - half, y}, {rect.right() + half, y});
  for (const double x : {rect.left, rect.right()}) add({x, rect.top + half}, {x, rect.bottom() - half});
}

void add_box(Scene& scene, const SceneContext& context, const Box& box) {
  const Vec2 a = pixel_of(context, box.x.low, box.y.low), b = pixel_of(context, box.x.high, box.y.high);
  if (!is_finite(a) || !is_finite(b)) return;
  const double width = context.options.line_width;
  // Sides far away can be replaced by sides just outside.
  const Rect room = room_of(context, width);
  const double left = std::clamp(std::min(a.x, b.x), room.left, room.right());
  const double right = std::clamp(std::max(a.x, b.x), room.left, room.right());
  const double top = std::clamp(std::min(a.y, b.y), room.top, room.bottom());
  const double bottom = std::clamp(std::max(a.y, b.y), room.top, room.bottom());
  if (right <= room.left || left >= room.right() || bottom <= room.top || top >= room.bottom()) return;
  const Rect rect{left, top, right - left, bottom - top};
  const Colour colour = ink_of(context, box.role, box.style);
  if (box.filled) {
    scene.items.push_back(RectItem{rect, filled(colour), 0});
  } else {
    add_outline(scene, rect, PathItem{{}, colour, width * width_of(box.style), Dash::solid});
  }
}

/// Extends a closed stroke over its start, or a gap would be visible there.
void join_ends(std::vector<Vec2>& points, Colour colour) {
  if (points.size() < 4 || colour.alpha < 255) return;
  const Vec2 first = points.front(), last = points.back();
  if (std::hypot(first.x - last.x, first.y - last.y) < 0.5) points.push_back(points[1]);
}

void add_path(Scene& scene, const SceneContext& context, const Path& path) {
  const Colour colour = ink_of(context, path.role, path.style);
  const double width = context.options.line_width * width_of(path.style) * path.width;
  const Dash dash = path.dashed ? stroke_of(context.palette, path.style).dash : Dash::solid;
  // A drawing's own words are part of it, but large ones would be struck through by its strokes.
  const bool is_stroke = context.options.clear_words && width > 1.3 * context.hairline();
  const bool data = is_stroke || (path.role == Role::curve && !context.figure.bare);
  const Rect room = room_of(context, width);
  std::vector<Vec2> points;
  const auto finish = [&] {
    if (path.filled) add_polygon(scene, points, room, filled(colour));
    if (dash == Dash::solid) join_ends(points, colour);
    add_polyline(scene, points, room, PathItem{{}, colour, width, dash, data});
    points.clear();
  };
  for (std::size_t i = 0; i < std::min(path.xs.size(), path.ys.size()); ++i) {
    const Vec2 point = pixel_of(context, path.xs[i], path.ys[i]);
    if (is_finite(point)) {
      points.push_back(point);
    } else {
      finish();
    }
  }
  finish();
}

struct Ink {
  Colour colour;
  LineStyle style = {};
};

/// Adds a shaft that ends inside the head, whose tip is the point itself. Short arrows have a smaller head.
void add_shaft(Scene& scene, const SceneContext& context, Vec2 from, Vec2 tip, const Ink& ink) {
  const double em = context.options.text_size, length = std::hypot(tip.x - from.x, tip.y - from.y);
  const double width = 1.25 * context.options.line_width * width_of(ink.style);
  const Colour colour = ink.colour;
  const Rect room = room_of(context, em);
  if (length < width) {
    if (room.contains(tip)) scene.items.push_back(DiscItem{tip, width, colour});
    return;
  }
  const double size = std::min(1.0, 0.6 * length / (kHeadLength * em)) * (ink.style.faint ? 0.8 : 1);
  const Vec2 along{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const double head = size * kHeadLength * em, half = size * kHeadHalfWidth * em;
  const Vec2 base{tip.x - head * along.x, tip.y - head * along.y};
  // A faint shaft would be visible through the head where they overlap.
  const double overlap = colour.alpha == 255 ? 0.2 * head : 0;
  const Vec2 end{base.x + overlap * along.x, base.y + overlap * along.y};
  add_polyline(scene, {from, end}, room, PathItem{{}, colour, width, Dash::solid, context.options.clear_words});
  add_polygon(
      scene,
      {tip, {base.x - half * along.y, base.y + half * along.x}, {base.x + half * along.y, base.y - half * along.x}},
      room, colour);
}

void add_arrow(Scene& scene, const SceneContext& context, const Arrow& arrow) {
  const Vec2 from = pixel_of(context, arrow.x0, arrow.y0), tip = pixel_of(context, arrow.x1, arrow.y1);
  if (!is_finite(from) || !is_finite(tip)) return;
  add_shaft(scene, context, from, tip, {ink_of(context, arrow.role, arrow.style), arrow.style});
}

// --- Maps ----------------------------------------------------------------------------------------------------------

// In ems of the tick labels.
constexpr double kBarGap = 1.1, kBarWidth = 0.95, kBarTickGap = 0.55, kBarLabelGap = 0.35, kBetweenBars = 1.4;
constexpr std::size_t kBarColours = 65;
constexpr double kHatchDistance = 0.55;

bool can_draw_cells(const Map& map) {
  return map.cells && map.cells->columns > 0 && map.cells->rows > 0 &&
         map.cells->values.size() >= map.cells->columns * map.cells->rows;
}

/// An interval of an axis in pixels, and whether its low end is at the far end.
struct Stretch {
  double from = 0, length = 0;
  bool flipped = false;
};
Stretch stretch_of(const AxisMap& axis, const Range& range) {
  const double low = axis.to_pixel(range.low), high = axis.to_pixel(range.high);
  return {std::min(low, high), std::abs(high - low), high < low};
}

/// Returns multiples of π/2: "π/2", "−π", "3π/2".
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

void add_curves(Scene& scene, const SceneContext& context) {
  const Figure& figure = context.figure;
  scene.items.push_back(ClipItem{context.frame.plot});
  add_rule_lines(scene, context);
  std::vector<std::vector<std::vector<TraceVertex>>> traces;
  for (const Line& line : figure.lines) {
    traces.push_back(line.series ? trace(*line.series, context.frame.x, context.options.column)
                                 : std::vector<std::vector<TraceVertex>>());
  }
  // In reverse: the first line is the current one and lies on top; lines lie on top of all bands, and lines in the text
  // colour, which run in the middle of others, on top of all.
  for (std::size_t i = figure.lines.size(); i-- > 0;) {
    const Line& line = figure.lines[i];
    const CurvePen pen = pen_of(context, line.style, context.frame.y_of(line));
    if (line.low && !line.bars) add_interval_band(scene, line, pen);
    if (line.marks != LineMarks::line && line.marks != LineMarks::both) continue;
    for (const auto& piece : traces[i]) add_band(scene, piece, pen);
  }
  for (const bool neutral : {false, true}) {
    for (std::size_t i = figure.lines.size(); i-- > 0;) {
      if ((figure.lines[i].style.slot < 0) != neutral) continue;
      const CurvePen pen = pen_of(context, figure.lines[i].style, context.frame.y_of(figure.lines[i]));
      const LineMarks marks = figure.lines[i].marks;
      if (marks == LineMarks::line || marks == LineMarks::both) {
        for (const auto& piece : traces[i]) add_mean(scene, piece, pen);
      }
      if (figure.lines[i].low) add_bars_of(scene, figure.lines[i], pen);
      if (marks == LineMarks::markers || marks == LineMarks::both) add_markers(scene, figure.lines[i], pen);
    }
  }
  for (const Points& points : figure.points) {
    const CurvePen pen = pen_of(context, points.style, context.frame.y);
    for (std::size_t i = 0; i < std::min(points.xs.size(), points.ys.size()); ++i) {
      const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
      if (pen.room.contains(at)) scene.items.push_back(DiscItem{at, 2 * pen.width, pen.stroke.colour, true});
    }
  }
  scene.items.push_back(UnclipItem{});
}

CurveExtent extent_of(const Frame& frame, const Line& line, double left, double right) {
  const Series& series = *line.series;
  const AxisMap& y = frame.y_of(line);
  CurveExtent extent{std::nan(""), std::nan("")};
  const double a = frame.x.to_value(left), b = frame.x.to_value(right);
  const std::size_t begin = lower_index(series, std::min(a, b)), end = lower_index(series, std::max(a, b));
  take(extent, interpolate_pixel(frame, line, a <= b ? begin : end, left));
  take(extent, interpolate_pixel(frame, line, a <= b ? end : begin, right));
  const Summary summary = summarise(series, begin, end);
  if (summary.count == 0) return extent;
  const double lowest = y.to_pixel(summary.minimum);
  take(extent, y.to_pixel(summary.maximum));
  // A log axis has no place for a minimum ≤ 0: the band continues beyond the plot.
  take(extent, std::isnan(lowest) ? y.low : lowest);
  return extent;
}

Obstacles::Obstacles(const Scene& scene, const Rect& plot, const FigureOptions& options)
    : plot_(plot), step_(std::max(options.column, options.text_size / 6)) {
  columns_.resize(static_cast<std::size_t>(std::max(plot.width, 0.0) / step_) + 1);
  for (const SceneItem& item : scene.items) {
    if (const auto* path = std::get_if<PathItem>(&item); path && path->data) add_path(*path);
    if (const auto* band = std::get_if<BandItem>(&item); band && band->data) add_band(*band);
    if (const auto* disc = std::get_if<DiscItem>(&item); disc && disc->data) {
      const Vec2 c = disc->centre;
      add({c.x - disc->radius, c.y}, {c.x + disc->radius, c.y}, disc->radius, disc->radius);
    }
  }
}

std::size_t Obstacles::column_of(double x) const {
  const double column = std::floor((x - plot_.left) / step_);
  return static_cast<std::size_t>(std::clamp(column, 0.0, static_cast<double>(columns_.size() - 1)));
}

void Obstacles::add(Vec2 from, Vec2 to, double above, double below) {
  if (from.x > to.x) std::swap(from, to);
  if (!std::isfinite(from.x + from.y + to.x + to.y) || to.x < plot_.left || from.x > plot_.right()) return;
  const double slope = to.x > from.x ? (to.y - from.y) / (to.x - from.x) : 0;
  const std::size_t last = column_of(to.x);
  for (std::size_t column = column_of(from.x); column <= last; ++column) {
    const double left = plot_.left + step_ * static_cast<double>(column);
    double one = from.y, other = to.y;
    if (slope != 0) {
      one = from.y + slope * (std::clamp(left, from.x, to.x) - from.x);
      other = from.y + slope * (std::clamp(left + step_, from.x, to.x) - from.x);
    }
    const Piece piece{std::min(one, other) - above, std::max(one, other) + below};
    std::vector<Piece>& pieces = columns_[column];
    // A stroke passes through a column in one piece.
    if (!pieces.empty() && piece.top <= pieces.back().bottom && piece.bottom >= pieces.back().top) {
      pieces.back() = {std::min(pieces.back().top, piece.top), std::max(pieces.back().bottom, piece.bottom)};
    } else if (piece.bottom >= plot_.top && piece.top <= plot_.bottom()) {
      pieces.push_back(piece);
    }
  }
}

void Obstacles::add_path(const PathItem& path) {
  const double half = path.width / 2;
  for (std::size_t i = 1; i < path.points.size(); ++i) add(path.points[i - 1], path.points[i], half, half);
}

void Obstacles::add_band(const BandItem& band) {
  for (std::size_t i = 1; i < band.xs.size(); ++i) {
    const double top = std::min(band.tops[i - 1], band.tops[i]);
    const double bottom = std::max(band.bottoms[i - 1], band.bottoms[i]);
    add({band.xs[i - 1], top}, {band.xs[i], top}, 0, bottom - top);
  }
}

int Obstacles::count(std::size_t column, double top, double bottom) const {
  const auto is_hit = [top, bottom](const Piece& piece) { return piece.bottom >= top && piece.top <= bottom; };
  return static_cast<int>(std::count_if(columns_[column].begin(), columns_[column].end(), is_hit));
}

int Obstacles::hidden_by(const Rect& box, int most) const {
  if (box.right() < plot_.left || box.left > plot_.right()) return 0;
  int hidden = 0;
  const std::size_t last = column_of(box.right());
  for (std::size_t column = column_of(box.left); column <= last && hidden < most; ++column) {
    hidden += count(column, box.top, box.bottom());
  }
  return hidden;
}

int Obstacles::crossed_by(Vec2 from, Vec2 to) const {
  if (from.x > to.x) std::swap(from, to);
  const double slope = to.x > from.x ? (to.y - from.y) / (to.x - from.x) : 0;
  const std::size_t first = column_of(from.x), last = column_of(to.x);
  int crossed = 0;
  for (std::size_t column = first; column <= last; ++column) {
    const double left = plot_.left + step_ * static_cast<double>(column);
    double one = from.y, other = to.y;
    if (slope != 0) {
      one = from.y + slope * (std::clamp(left, from.x, to.x) - from.x);
      other = from.y + slope * (std::clamp(left + step_, from.x, to.x) - from.x);
    }
    crossed += count(column, std::min(one, other), std::max(one, other));
  }
  return crossed;
}

Rect find_shown_part(const SceneContext& context, const Span& span) {
  const Rect& plot = context.frame.plot;
  const AxisMap& map = span.vertical ? context.frame.x : context.frame.y;
  const double low = std::max(span.low, map.range.low), high = std::min(span.high, map.range.high);
  if (!(low < high)) return {};
  const double one = map.to_pixel(low), other = map.to_pixel(high);
  const double from = std::min(one, other), to = std::max(one, other);
  if (span.vertical) return {from, plot.top, to - from, plot.height};
  return {plot.left, from, plot.width, to - from};
}

Colour tint_of(const SceneContext& context, const Span& span) {
  const Colour colour =
      span.role == Role::curve ? stroke_of(context.palette, span.style).colour : colour_of(context.palette, span.role);
  return with_alpha(colour, span.style.faint ? kFaintOpacity : kOpacity);
}

void add_spans(Scene& scene, const SceneContext& context) {
  for (const Span& span : context.figure.spans) {
    const Rect part = find_shown_part(context, span);
    if (part.width > 0 && part.height > 0) scene.items.push_back(RectItem{part, tint_of(context, span), 0});
  }
}

Colour ink_of(const SceneContext& context, Role role, const LineStyle& style) {
  if (role == Role::curve) return stroke_of(context.palette, style).colour;
  const Colour colour = colour_of(context.palette, role);
  return style.faint ? with_alpha(colour, 0.5) : colour;
}

void add_boxes_and_paths(Scene& scene, const SceneContext& context) {
  if (context.figure.boxes.empty() && context.figure.paths.empty()) return;
  scene.items.push_back(ClipItem{context.frame.plot});
  for (const Box& box : context.figure.boxes) add_box(scene, context, box);
  for (const Path& path : context.figure.paths) add_path(scene, context, path);
  scene.items.push_back(UnclipItem{});
}

void add_pointer(Scene& scene, const SceneContext& context, Vec2 from, Vec2 tip) {
  add_shaft(scene, context, from, tip, {context.palette.text});
}

void add_arrows(Scene& scene, const SceneContext& context) {
  if (context.figure.arrows.empty()) return;
  scene.items.push_back(ClipItem{context.frame.plot});
  for (const Arrow& arrow : context.figure.arrows) add_arrow(scene, context, arrow);
  scene.items.push_back(UnclipItem{});
}

std::vector<const Map*> bars_of(const Figure& figure) {
  std::vector<const Map*> bars;
  for (const Map& map : figure.maps) {
    const bool same = std::any_of(bars.begin(), bars.end(), [&](const Map* other) {
      return other->colours == map.colours && other->range == map.range && other->label == map.label;
    });
    if (map.bar && can_draw_cells(map) && !same) bars.push_back(&map);
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

void add_maps(Scene& scene, const SceneContext& context) {
  const Rect& plot = context.frame.plot;
  for (const Map& map : context.figure.maps) {
    if (!can_draw_cells(map)) continue;
    const Stretch x = stretch_of(context.frame.x, map.x), y = stretch_of(context.frame.y, map.y);
    if (!(x.length > 0 && y.length > 0) || !std::isfinite(x.length + y.length)) continue;
    MapItem item{{{x.from, y.from, x.length, y.length}, plot, x.flipped, y.flipped}, map.cells};
    item.paint.table = colour_table(map.colours, context.palette);
    // Painters draw waves of size 1, so both ends of the range are divided by the wave size.
    const Range range = {map.range.low / map.wave_size, map.range.high / map.wave_size};
    item.paint.place = {map.colours == MapColours::angle, range, map.wave};
    item.paint.ground = context.palette.canvas;
    item.paint.hatch = context.palette.dark ? Colour{0x3a, 0x40, 0x4b, 255} : Colour{0xc3, 0xc9, 0xd2, 255};
    item.paint.hatch_period = static_cast<int>(std::max(4.0, std::round(kHatchDistance * context.options.text_size)));
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
    // The first row is at the low end, which is at the bottom of an upright axis.
    const ImagePlace place{
        {x.from, y.from, x.length, y.length}, {left, top, right - left, bottom - top}, x.flipped, y.flipped};
    scene.items.emplace_back(PictureItem{place, picture.pixels, std::clamp(picture.opacity, 0.0, 1.0)});
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
