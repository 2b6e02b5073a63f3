#include <algorithm>
#include <cmath>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

// Distances in ems of the tick labels.
constexpr double kTickGap = 0.7;    ///< from the y tick labels to the plot
constexpr double kLabelGap = 0.35;  ///< between tick labels and axis label
constexpr double kRightMargin = 1.2;
constexpr double kTitleGap = 0.5;
constexpr double kYTickDistance = 3.5;
constexpr double kWidestName = 9;  ///< of a y axis

TextStyle text_style(const FigureOptions& options) {
  return {options.text_size, FontWeight::regular};
}

double line_height(const FigureOptions& options, const MeasureText& measure) {
  return measure("0", text_style(options)).y;
}

/// What margins depend on.
struct Room {
  const Figure& figure;
  double width, height;
  const FigureOptions& options;
  const MeasureText& measure;
  double legend_height = 0;  ///< of a legend above the plot
};

TextStyle title_style(const FigureOptions& options) {
  return {options.text_size * 1.1, FontWeight::semibold};
}

/// A text in at most two lines; what is longer ends in an ellipsis.
std::vector<std::string> two_lines(const std::string& text, const TextStyle& style, double width,
                                   const MeasureText& measure) {
  std::vector<std::string> lines = wrapped(text, style, width, measure);
  if (lines.size() <= 2) return lines;
  const std::size_t first = text.find(lines[1], lines[0].size());
  return {lines[0], elided(std::string_view(text).substr(first), style, width, measure)};
}

std::vector<std::string> title_lines(const Room& room) {
  return two_lines(room.figure.title, title_style(room.options), room.width, room.measure);
}

std::vector<std::string> x_label_lines(const Room& room) {
  return two_lines(room.figure.x.label, text_style(room.options), room.width, room.measure);
}

/// The label of the y axis may reach half a line over the plot's ends: the x labels start lower, the title is inside
/// the plot's width. What two lines cannot hold is left out by whole words from the end.
std::vector<std::string> y_label_lines(const Room& room, double plot_height, bool has_title) {
  const TextStyle style = text_style(room.options);
  const double length = plot_height + (has_title ? line_height(room.options, room.measure) : 0);
  std::vector<std::string> lines = wrapped(room.figure.y.label, style, length, room.measure);
  const auto fits = [&](const std::string& text) { return room.measure(text, style).x <= length; };
  if (lines.size() > 2 || !std::all_of(lines.begin(), lines.end(), fits)) {
    lines = {leading_words(room.figure.y.label, style, length, room.measure)};
  }
  if (!lines.empty() && lines.front().empty()) lines.clear();
  return lines;
}

/// Below the plot: half a y tick label always, the x labels clear of it.
double bottom_margin(const Room& room, bool with_axis_label = true) {
  const auto& [figure, width, height, options, measure, legend] = room;
  const double line = line_height(options, measure);
  double margin = line / 2 + 1;
  // Half a label at the end of a colour bar.
  if (figure.bare) return bars_of(figure).empty() ? 0 : std::ceil(margin);
  if (options.show_x_labels) {
    const double names = upright_names_height(figure.x, width, options, measure);
    margin += (names > 0 ? names : line) + 0.2 * options.text_size;
    if (with_axis_label && !figure.x.label.empty()) {
      const std::size_t lines = std::max(x_label_lines(room).size(), options.least_lines.x_label);
      margin += line * static_cast<double>(lines) + kLabelGap * options.text_size;
    }
  }
  return std::ceil(margin);
}

double top_margin(const Room& room) {
  const auto& [figure, width, height, options, measure, legend] = room;
  const bool ticks = !figure.bare || !bars_of(figure).empty();
  const double half_tick_label = ticks ? line_height(options, measure) / 2 + 1 : 0;
  if (figure.title.empty()) return std::ceil(half_tick_label + legend);
  const std::size_t lines = std::max(title_lines(room).size(), options.least_lines.title);
  const double title = measure(figure.title, title_style(options)).y * static_cast<double>(lines);
  return std::ceil(title + legend + std::max(kTitleGap * options.text_size, half_tick_label));
}

struct VerticalPart {
  double top = 0, bottom = 0, height = 0;  ///< margins and what they leave to the plot
};
VerticalPart vertical_part(const Room& room) {
  VerticalPart part{top_margin(room), bottom_margin(room), 0};
  // Too low for labels and a plot: the axis label goes first, the plot is what a figure cannot do without.
  const double plot = 2.5 * room.options.text_size;
  if (room.height < part.top + part.bottom + plot) part.bottom = bottom_margin(room, false);
  if (room.height < part.top + part.bottom + plot) part.top = part.bottom = 0;
  part.height = std::max(room.height - part.top - part.bottom, 0.0);
  return part;
}

std::vector<Tick> y_ticks_of(const Room& room, const FigureAxis& axis, const VerticalPart& part) {
  const auto& [figure, width, height, options, measure, legend] = room;
  if (figure.bare) return {};
  const double line = line_height(options, measure);
  const double gap = std::min(kYTickDistance * options.text_size, std::max(1.4 * line, part.height / 4));
  std::vector<Tick> ticks =
      axis.names.empty() ? make_ticks(axis, part.height, gap) : name_ticks(axis, part.height, 1.2 * line);
  if (!axis.names.empty()) {
    const double widest = std::min(kWidestName * options.text_size, 0.35 * width);
    for (Tick& tick : ticks) tick.label = elided(tick.label, text_style(options), widest, measure);
  }
  // Without margins the outer half of a label would leave the rectangle.
  if (part.top == 0 || part.height < 2 * line) {
    for (Tick& tick : ticks) tick.label.clear();
  }
  return ticks;
}

double widest(const std::vector<Tick>& ticks, const FigureOptions& options, const MeasureText& measure) {
  double width = 0;
  for (const Tick& tick : ticks) {
    if (!tick.label.empty()) width = std::max(width, measure(tick.label, text_style(options)).x);
  }
  return width;
}

double left_margin(const Room& room, const std::vector<Tick>& y_ticks, const VerticalPart& part) {
  const FigureOptions& options = room.options;
  if (room.figure.bare) return 0;
  double margin = widest(y_ticks, options, room.measure);
  if (margin > 0) margin += kTickGap * options.text_size;
  if (!room.figure.y.label.empty()) {
    const auto lines = std::max<std::size_t>(1, y_label_lines(room, part.height, part.top > 0).size());
    margin += line_height(options, room.measure) * static_cast<double>(lines) + kLabelGap * options.text_size;
  }
  return std::ceil(std::max(margin, 0.5 * options.text_size));
}

/// At the right of the plot: colour bars, or room for half of a tick label.
double right_margin(const Figure& figure, double bars, const FigureOptions& options) {
  if (bars > 0) return bars;
  return figure.bare ? 0 : std::ceil(kRightMargin * options.text_size);
}

/// Whether labels keep clear of each other and of the rectangle's edge.
bool labels_fit(const std::vector<Tick>& ticks, const Frame& frame, const FigureOptions& options,
                const MeasureText& measure) {
  double last_right = -1e300;
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const Rect box = box_of(x_tick_label(tick, frame, options, measure), measure);
    if (box.left < last_right + 0.9 * options.text_size) return false;
    last_right = box.right();
  }
  return true;
}

/// From left to right.
std::vector<Tick> in_drawn_order(std::vector<Tick> ticks, const FigureAxis& axis) {
  if (axis.reversed) std::reverse(ticks.begin(), ticks.end());
  return ticks;
}

std::vector<Tick> x_ticks_of(const Room& room, const FigureAxis& axis, const Frame& frame) {
  const auto& [figure, width, height, options, measure, legend] = room;
  if (figure.bare) return {};
  std::vector<Tick> ticks;
  if (!axis.names.empty()) {
    const double apart = frame.names_height > 0 ? 1.15 * line_height(options, measure) : 2.5 * options.text_size;
    ticks = in_drawn_order(name_ticks(axis, frame.plot.width, apart), axis);
    fit_x_names(ticks, frame, options, measure);
    return ticks;
  }
  // Without a grid, a map shows more ticks: there is nothing else to count by.
  const double ems = axis.scale != AxisScale::linear ? 3 : figure.maps.empty() ? 7 : 4.5;
  double gap = ems * options.text_size;
  for (; gap < 1.5 * frame.plot.width + 6 * options.text_size; gap *= 1.25) {
    for (const TickLabels labels : {TickLabels::automatic, TickLabels::powers}) {
      // Short powers come before fewer labels, but not where a linear axis would turn scientific.
      if (labels == TickLabels::powers && axis.scale == AxisScale::linear) continue;
      ticks = in_drawn_order(make_ticks(axis, frame.plot.width, gap, labels), axis);
      if (labels_fit(ticks, frame, options, measure)) return ticks;
    }
  }
  // Not even two fit: the first one that does.
  bool kept = false;
  for (Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    if (kept || measure(tick.label, text_style(options)).x > frame.rect.width) tick.label.clear();
    kept = kept || !tick.label.empty();
  }
  return ticks;
}

/// How far the last label reaches over the rectangle's right edge if it stands in the middle under its tick.
double overhang(const Frame& frame, const FigureOptions& options, const MeasureText& measure) {
  double over = 0;
  for (const Tick& tick : frame.x_ticks) {
    if (tick.label.empty()) continue;
    const double half = measure(tick.label, text_style(options)).x / 2;
    over = std::max(over, frame.x.to_pixel(tick.value) + half - frame.rect.right());
  }
  return std::ceil(over);
}

void add_grid_line(Scene& scene, Vec2 from, Vec2 to, Colour colour, double width) {
  scene.items.push_back(PathItem{{from, to}, colour, width, Dash::solid});
}

}  // namespace

double left_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                      double width) {
  const Room room{figure, width, height, options, measure};
  const VerticalPart part = vertical_part(room);
  return left_margin(room, y_ticks_of(room, figure.y, part), part);
}

double right_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                       double width) {
  const VerticalPart part = vertical_part({figure, width, height, options, measure});
  return right_margin(figure, bars_width(figure, part.height, options, measure), options);
}

double x_labels_height(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width) {
  FigureOptions with = options, without = options;
  with.show_x_labels = true;
  without.show_x_labels = false;
  return bottom_margin({figure, width, 0, with, measure}) - bottom_margin({figure, width, 0, without, measure});
}

LabelLines label_lines_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure,
                          double width) {
  const Room room{figure, width, 0, options, measure};
  return {title_lines(room).size(), x_label_lines(room).size()};
}

TextItem x_tick_label(const Tick& tick, const Frame& frame, const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style = text_style(options);
  const bool upright = frame.names_height > 0;
  const Vec2 size = measure(tick.label, style);
  const double half = (upright ? size.y : size.x) / 2;
  const double x = std::clamp(frame.x.to_pixel(tick.value), std::min(frame.rect.left + half, frame.rect.right()),
                              std::max(frame.rect.right() - half, frame.rect.left + half));
  return {{x, frame.plot.bottom() + size.y / 2 + 1}, 0.5, 0, tick.label, style, {}, upright};
}

std::string leading_words(const std::string& text, const TextStyle& style, double width, const MeasureText& measure) {
  std::string words = text;
  while (!words.empty() && measure(words, style).x > width) {
    const std::size_t space = words.rfind(' ');
    words.resize(space == std::string::npos ? 0 : space);
  }
  return words;
}

namespace {

/// Axes with these ranges over the plot.
void set_axes(Frame& frame, const FigureAxis& x, const FigureAxis& y) {
  frame.y = {drawable_range(y.range, y.scale), y.scale, frame.plot.bottom(), frame.plot.top};
  frame.x = {drawable_range(x.range, x.scale), x.scale, frame.plot.left, frame.plot.right()};
  if (y.reversed) std::swap(frame.y.low, frame.y.high);
  if (x.reversed) std::swap(frame.x.low, frame.x.high);
}

Range grown(const Range& range, double length) {
  const double more = (length - (range.high - range.low)) / 2;
  return more > 0 ? Range{range.low - more, range.high + more} : range;
}

bool has_equal_axes(const Figure& figure) {
  return figure.equal_axes && figure.x.scale == AxisScale::linear && figure.y.scale == AxisScale::linear;
}

/// The plot in the shape of all the data, in the middle of the room's width. Zooming does not change it.
void shrink_to_data(Frame& frame, const Figure& figure) {
  const Range x = drawable_range(figure.x.fit, AxisScale::linear), y = drawable_range(figure.y.fit, AxisScale::linear);
  const double unit = std::min(frame.plot.width / (x.high - x.low), frame.plot.height / (y.high - y.low));
  const double width = std::max(1.0, std::round(unit * (x.high - x.low)));
  const double spare = std::max(0.0, std::floor((frame.plot.width - width) / 2));
  frame.plot.left += spare;
  frame.label_left += spare;
  frame.plot.width = std::min(width, frame.plot.width);
  frame.plot.height = std::min(std::max(1.0, std::round(unit * (y.high - y.low))), frame.plot.height);
}

/// Grows one range until a unit is equally long on both axes.
void grow_to_equal(FigureAxis& x, FigureAxis& y, const Rect& plot) {
  if (!(plot.width > 0 && plot.height > 0)) return;
  x.range = drawable_range(x.range, x.scale);
  y.range = drawable_range(y.range, y.scale);
  const double unit = std::min(plot.width / (x.range.high - x.range.low), plot.height / (y.range.high - y.range.low));
  x.range = grown(x.range, plot.width / unit);
  y.range = grown(y.range, plot.height / unit);
}

/// Margins and the plot between them, for axes whose ranges may have grown.
Frame frame_with(const Room& room, const VerticalPart& part, const FigureAxis& x, const FigureAxis& y,
                 const Rect& rect) {
  const auto& [figure, width, height, options, measure, legend] = room;
  Frame frame;
  frame.rect = rect;
  frame.title_height = part.top;
  frame.title = title_lines(room);
  frame.x_label = x_label_lines(room);
  if (part.top > 0 && legend > 0) {
    const double title = figure.title.empty() ? 0 : measure(figure.title, title_style(options)).y;
    frame.legend = {rect.left, rect.top + title * static_cast<double>(frame.title.size()), rect.width, legend};
  }
  frame.label_left = rect.left;
  frame.y_ticks = y_ticks_of(room, y, part);
  frame.names_height = options.show_x_labels ? upright_names_height(x, width, options, measure) : 0;
  frame.bars_width = bars_width(figure, part.height, options, measure);
  double left = figure.bare ? 0 : std::max(options.left_margin, left_margin(room, frame.y_ticks, part));
  double right = std::max(right_margin(figure, frame.bars_width, options), figure.bare ? 0 : options.right_margin);
  if (rect.width < left + right + 4 * options.text_size) {
    left = std::min(left, 0.5 * rect.width);
    right = frame.bars_width = 0;
    // The labels would not fit beside a plot that is worth the name.
    for (Tick& tick : frame.y_ticks) tick.label.clear();
  }
  frame.plot = {rect.left + left, rect.top + part.top, rect.width - left - right, part.height};
  if (has_equal_axes(figure) && !figure.maps.empty()) shrink_to_data(frame, figure);
  set_axes(frame, x, y);
  frame.x_ticks = x_ticks_of(room, x, frame);
  // Room for half of the last label; also where labels are not shown, so that linked panels keep equal widths.
  const double more = std::min(overhang(frame, options, measure), 3 * options.text_size);
  if (more > 0 && frame.plot.width - more > 4 * options.text_size) {
    frame.plot.width -= more;
    if (has_equal_axes(figure) && !figure.maps.empty()) shrink_to_data(frame, figure);
    set_axes(frame, x, y);
    frame.x_ticks = x_ticks_of(room, x, frame);
  }
  return frame;
}

}  // namespace

Frame frame_of(const Figure& figure, const Rect& rect, const FigureOptions& options, const MeasureText& measure,
               double legend_height) {
  const Room room{figure, rect.width, rect.height, options, measure, legend_height};
  const VerticalPart part = vertical_part(room);
  Frame frame = frame_with(room, part, figure.x, figure.y, rect);
  if (has_equal_axes(figure)) {
    // Longer labels of the grown range may take some of the plot: measured twice, then only the range follows.
    FigureAxis x = figure.x, y = figure.y;
    grow_to_equal(x, y, frame.plot);
    frame = frame_with(room, part, x, y, rect);
    x.range = figure.x.range;
    y.range = figure.y.range;
    grow_to_equal(x, y, frame.plot);
    set_axes(frame, x, y);
    const double room_left = frame.plot.left - rect.left - kTickGap * options.text_size;
    VerticalPart drawn = part;
    drawn.height = frame.plot.height;
    const bool labelled = widest(frame.y_ticks, options, measure) > 0;
    frame.y_ticks = y_ticks_of(room, y, drawn);
    for (Tick& tick : frame.y_ticks) {
      if (!labelled || measure(tick.label, text_style(options)).x > room_left) tick.label.clear();
    }
    frame.x_ticks = x_ticks_of(room, x, frame);
  }
  if (!options.show_x_labels || part.bottom == 0) {
    for (Tick& tick : frame.x_ticks) tick.label.clear();
  }
  return frame;
}

void add_grid(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const double width = context.hairline();
  const Colour major = with_alpha(context.palette.line, 0.85), minor = with_alpha(context.palette.line, 0.4);
  // Where only a part is counted, lines through the rest would measure nothing.
  const bool counted = context.figure.x.counted || context.figure.y.counted;
  for (const bool majors : {false, true}) {
    if (counted) break;
    for (const Tick& tick : frame.x_ticks) {
      const double x = std::clamp(frame.x.to_pixel(tick.value), plot.left, plot.right());
      if (tick.major == majors) add_grid_line(scene, {x, plot.top}, {x, plot.bottom()}, majors ? major : minor, width);
    }
    for (const Tick& tick : frame.y_ticks) {
      const double y = std::clamp(frame.y.to_pixel(tick.value), plot.top, plot.bottom());
      if (tick.major == majors) add_grid_line(scene, {plot.left, y}, {plot.right(), y}, majors ? major : minor, width);
    }
  }
  const double zero = frame.y.to_pixel(0);
  if (context.figure.zero_line && zero >= plot.top && zero <= plot.bottom()) {
    add_grid_line(scene, {plot.left, zero}, {plot.right(), zero}, context.palette.faint, width);
  }
}

void add_axis_labels(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const TextStyle style = context.text_style();
  const double em = context.options.text_size, line = line_height(context.options, context.measure);
  double labels_left = plot.left;
  for (const Tick& tick : frame.y_ticks) {
    if (tick.label.empty()) continue;
    const double y = std::clamp(frame.y.to_pixel(tick.value), plot.top, plot.bottom());
    const TextItem item{{plot.left - kTickGap * em, y}, 1, 0.5, tick.label, style, context.palette.secondary, false};
    labels_left = std::min(labels_left, box_of(item, context.measure).left);
    scene.items.push_back(item);
  }
  bool x_labelled = false;
  for (const Tick& tick : frame.x_ticks) {
    if (tick.label.empty()) continue;
    TextItem item = x_tick_label(tick, frame, context.options, context.measure);
    item.colour = context.palette.secondary;
    scene.items.push_back(item);
    x_labelled = true;
  }
  const double ticks_height = frame.names_height > 0 ? 0.5 * line + frame.names_height : 1.5 * line;
  const double label_top = plot.bottom() + ticks_height + 1 + kLabelGap * em;
  const double lines = static_cast<double>(frame.x_label.size());
  for (std::size_t i = 0; x_labelled && label_top + lines * line <= frame.rect.bottom() + 1 && i < frame.x_label.size();
       ++i) {
    const std::string& text = frame.x_label[i];
    const double half = context.measure(text, style).x / 2;
    const double x = std::clamp(plot.left + plot.width / 2, frame.rect.left + half,
                                std::max(frame.rect.right() - half, frame.rect.left + half));
    const Vec2 at{x, label_top + static_cast<double>(i) * line};
    scene.items.push_back(TextItem{at, 0.5, 0, text, style, context.palette.text, false});
  }
  // The plot may have shrunk to its data since the margins were taken.
  const Room room{context.figure, frame.rect.width, frame.rect.height, context.options, context.measure};
  std::vector<std::string> y_label = y_label_lines(room, plot.height, frame.title_height > 0);
  const double y_room = (labels_left - frame.label_left) / line;
  if (static_cast<double>(y_label.size()) > y_room) {
    const double length = plot.height + (frame.title_height > 0 ? line : 0);
    y_label = {leading_words(context.figure.y.label, style, length, context.measure)};
  }
  for (std::size_t i = 0; y_room >= 1 && i < y_label.size(); ++i) {
    if (y_label[i].empty()) continue;
    const Vec2 at{frame.label_left + static_cast<double>(i) * line, plot.top + plot.height / 2};
    scene.items.push_back(TextItem{at, 0, 0.5, y_label[i], style, context.palette.text, true});
  }
  if (frame.title_height <= 0) return;
  double top = frame.rect.top;
  for (const std::string& text : frame.title) {
    const Vec2 size = context.measure(text, context.title_style());
    // Over the plot where it has room there, else from the figure's edge on.
    const double left = std::max(frame.rect.left, std::min(plot.left, frame.rect.right() - size.x));
    scene.items.push_back(TextItem{{left, top}, 0, 0, text, context.title_style(), context.palette.text, false});
    top += size.y;
  }
}

}  // namespace ropescope
