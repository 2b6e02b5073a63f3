// Axes with their ticks and titles: margins, the plot between them, the grid, and labels without overlap.
//
// Contents: Axes; Labels of axes.

#include "app/figure/scene/scene_axes.h"

#include <algorithm>
#include <cmath>

#include "app/figure/scene/scene_labels.h"
#include "app/figure/scene/scene_marks.h"
#include "app/figure/scene/scene_parts.h"
#include "app/figure/text_flow.h"

namespace ropescope {

// --- Axes ----------------------------------------------------------------------------------------------------------

namespace {

// Distances in ems of the tick labels.
constexpr double kRightMargin = 1.2;
constexpr double kTitleGap = 0.5;
constexpr double kYTickDistance = 3.5;
constexpr double kWidestName = 9;  ///< for a y axis
constexpr double kMinLine = 0.8;   ///< in a drawing of words, as a share of its line

TextStyle text_style(const FigureOptions& options) {
  return {options.text_size, FontWeight::regular};
}

/// The inputs of the margins.
struct Room {
  const Figure& figure;
  double width, height;
  const FigureOptions& options;
  const MeasureText& measure;
  double legend_height = 0;  ///< height of a legend above the plot
};

/// Returns the widest name of a y axis.
double widest_name(const Room& room) {
  return std::min(kWidestName * room.options.text_size, 0.35 * room.width);
}

double line_height(const FigureOptions& options, const MeasureText& measure) {
  return measure("0", text_style(options)).y;
}

TextStyle title_style(const FigureOptions& options) {
  return {options.text_size * 1.1, FontWeight::semibold};
}

/// Returns the height of lines with their formulas, but at least that of `least` plain lines.
double height_of(const std::vector<std::string>& lines, std::size_t least, const TextStyle& style,
                 const MeasureText& measure) {
  double height = 0;
  for (const std::string& line : lines) height += measure(line, style).y;
  if (lines.size() < least) height += measure("0", style).y * static_cast<double>(least - lines.size());
  return height;
}

/// Returns a text in at most so many lines; longer ones end in an ellipsis.
std::vector<std::string> few_lines(const std::string& text, const TextStyle& style, double width,
                                   const MeasureText& measure, std::size_t most) {
  std::vector<std::string> lines = wrapped(text, style, width, measure);
  if (lines.size() <= most) return lines;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < most; ++i) at = text.find(lines[i], at) + lines[i].size();
  const std::size_t last = text.find(lines[most - 1], at);
  lines.resize(most);
  lines.back() = elided(std::string_view(text).substr(last), style, width, measure);
  return lines;
}

std::vector<std::string> title_lines(const Room& room) {
  return few_lines(room.figure.title, title_style(room.options), room.width, room.measure, 3);
}

std::vector<std::string> x_label_lines(const Room& room) {
  return few_lines(room.figure.x.label, text_style(room.options), room.width, room.measure, 2);
}

/// Returns the approximate plot width: colour bars and names of the y axis are known, the width of its numbers is not.
double about_width(const Room& room) {
  const auto& [figure, width, height, options, measure, legend] = room;
  double left = options.left_margin;
  if (has_words(figure.y) && options.show_y_labels) {
    double names = 0;
    for (const std::string& name : figure.y.names) names = std::max(names, measure(name, text_style(options)).x);
    left = std::max(left, std::min(names, widest_name(room)) + kTickGap * options.text_size);
  }
  const double bars = bars_width(figure, height, options, measure);
  return std::min(0.85 * width, width - left - (bars > 0 ? bars : kRightMargin * options.text_size));
}

/// Returns the margin below the plot: at least half a y tick label, and the x labels.
double bottom_margin(const Room& room, bool with_axis_label = true) {
  const auto& [figure, width, height, options, measure, legend] = room;
  const double line = line_height(options, measure);
  double margin = line / 2 + 1;
  // Half a label at the end of a colour bar.
  if (figure.bare) return bars_of(figure).empty() ? 0 : std::ceil(margin);
  if (options.show_x_labels) {
    const double names = upright_names_height(figure.x, about_width(room), options, measure);
    margin += (names > 0 ? names : line) + 0.2 * options.text_size;
    if (with_axis_label && !figure.x.label.empty()) {
      const double label = height_of(x_label_lines(room), options.least_lines.x_label, text_style(options), measure);
      margin += label + kLabelGap * options.text_size;
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
  double top = 0, bottom = 0, height = 0;  ///< margins and the remaining plot height
};
VerticalPart vertical_part(const Room& room) {
  VerticalPart part{top_margin(room), bottom_margin(room), 0};
  // Too low for labels and a plot: the axis label goes last because nothing else names the axis.
  const double plot = kLowestPlot * room.options.text_size;
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
      has_words(axis) ? name_ticks(axis, part.height, 1.2 * line) : axis_ticks(axis, part.height, gap);
  if (has_words(axis)) {
    for (Tick& tick : ticks) tick.label = elided(tick.label, text_style(options), widest_name(room), measure);
  }
  // Without margins half of the outer labels would leave the rectangle.
  if (!options.show_y_labels || part.top == 0 || part.height < 2 * line || axis.unnumbered) {
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

/// Returns the lines of the y axis label. It may extend half a line beyond the plot's ends: the x labels start lower,
/// the title is within the plot's width. Whole words that do not fit in two lines are dropped from the end.
std::vector<std::string> y_label_lines(const Figure& figure, double plot_height, bool has_title,
                                       const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const double length = plot_height + (has_title ? measure("0", style).y : 0);
  std::vector<std::string> lines = wrapped(figure.y.label, style, length, measure);
  const auto fits = [&](const std::string& text) { return measure(text, style).x <= length; };
  if (lines.size() > 2 || !std::all_of(lines.begin(), lines.end(), fits) || !are_whole_words(lines, figure.y.label)) {
    lines = {leading_words(figure.y.label, style, length, measure)};
  }
  if (!lines.empty() && lines.front().empty()) lines.clear();
  return lines;
}

double left_margin(const Room& room, const std::vector<Tick>& y_ticks, const VerticalPart& part) {
  const FigureOptions& options = room.options;
  if (room.figure.bare) return 0;
  double margin = widest(y_ticks, options, room.measure);
  if (margin > 0) margin += kTickGap * options.text_size;
  if (options.show_y_labels && !room.figure.y.label.empty()) {
    const double label = height_of(y_label_lines(room.figure, part.height, part.top > 0, options, room.measure), 1,
                                   text_style(options), room.measure);
    margin += label + kLabelGap * options.text_size;
  }
  return std::ceil(std::max(margin, 0.5 * options.text_size));
}

/// Returns the ticks of the right axis, which always has names; empty if there is no such axis.
std::vector<Tick> right_ticks_of(const Room& room, const VerticalPart& part) {
  if (!room.figure.right) return {};
  FigureOptions named = room.options;
  named.show_y_labels = true;
  return y_ticks_of({room.figure, room.width, room.height, named, room.measure}, *room.figure.right, part);
}

/// Returns the right margin: colour bars, a second axis, or half a tick label.
double right_margin(const Room& room, const std::vector<Tick>& ticks, double bars) {
  if (bars > 0) return bars;
  if (room.figure.bare) return 0;
  double axis = widest(ticks, room.options, room.measure);
  if (axis > 0) {
    axis += kTickGap * room.options.text_size;
    if (!room.figure.right->label.empty()) {
      axis += room.measure(room.figure.right->label, text_style(room.options)).y + kLabelGap * room.options.text_size;
    }
  }
  return std::ceil(std::max(axis, kRightMargin * room.options.text_size));
}

/// Returns whether labels overlap neither each other nor the rectangle's edge.
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

/// Returns the ticks from left to right.
std::vector<Tick> in_drawn_order(std::vector<Tick> ticks, const FigureAxis& axis) {
  if (axis.reversed) std::reverse(ticks.begin(), ticks.end());
  return ticks;
}

std::vector<Tick> x_ticks_of(const Room& room, const FigureAxis& axis, const Frame& frame) {
  const auto& [figure, width, height, options, measure, legend] = room;
  if (figure.bare) return {};
  std::vector<Tick> ticks;
  if (has_words(axis)) {
    const double apart = frame.names_height > 0 ? 1.15 * line_height(options, measure) : 2.5 * options.text_size;
    ticks = in_drawn_order(name_ticks(axis, frame.plot.width, apart), axis);
    fit_x_names(ticks, frame, options, measure);
    return ticks;
  }
  // Without a grid, a map shows more ticks: nothing else marks its positions.
  const double ems = axis.scale != AxisScale::linear ? 3 : figure.maps.empty() ? 7 : 4.5;
  double gap = ems * options.text_size;
  for (; gap < 1.5 * frame.plot.width + 6 * options.text_size; gap *= 1.25) {
    for (const TickLabels labels : {TickLabels::automatic, TickLabels::powers}) {
      // Short powers are preferred to fewer labels, but a linear axis must not become scientific.
      if (labels == TickLabels::powers && axis.scale == AxisScale::linear) continue;
      ticks = in_drawn_order(axis_ticks(axis, frame.plot.width, gap, labels), axis);
      if (labels_fit(ticks, frame, options, measure)) return ticks;
    }
  }
  // Not even two fit: keep the first one that does.
  bool kept = false;
  for (Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    if (kept || measure(tick.label, text_style(options)).x > frame.rect.width) tick.label.clear();
    kept = kept || !tick.label.empty();
  }
  return ticks;
}

/// Returns how far the last label, centred under its tick, extends over the rectangle's right edge.
double overhang(const Frame& frame, const FigureOptions& options, const MeasureText& measure) {
  double over = 0;
  for (const Tick& tick : frame.x_ticks) {
    if (tick.label.empty()) continue;
    const double half = measure(tick.label, text_style(options)).x / 2;
    over = std::max(over, frame.x.to_pixel(tick.value) + half - frame.rect.right());
  }
  return std::ceil(over);
}

/// Sets axes with these ranges over the plot.
void set_axes(Frame& frame, const Figure& figure, const FigureAxis& x, const FigureAxis& y) {
  frame.y = {drawable_range(y.range, y.scale), y.scale, frame.plot.bottom(), frame.plot.top};
  frame.x = {drawable_range(x.range, x.scale), x.scale, frame.plot.left, frame.plot.right()};
  if (y.reversed) std::swap(frame.y.low, frame.y.high);
  frame.right = frame.y;
  if (const auto& right = figure.right) {
    frame.right = {drawable_range(right->range, right->scale), right->scale, frame.plot.bottom(), frame.plot.top};
  }
  if (x.reversed) std::swap(frame.x.low, frame.x.high);
}

Range grow_range(const Range& range, double length) {
  const double more = (length - (range.high - range.low)) / 2;
  return more > 0 ? Range{range.low - more, range.high + more} : range;
}

bool has_equal_axes(const Figure& figure) {
  return figure.equal_axes && figure.x.scale == AxisScale::linear && figure.y.scale == AxisScale::linear;
}

/// Shrinks the plot to the shape of all the data, centred in the width. Zooming does not change it.
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

/// Returns the factor by which a drawing must be smaller for the words in its corners to keep clear of the disc in its
/// middle; 1 unless words are kept clear.
double shrink_for_corners(const Figure& figure, const Rect& plot, const FigureOptions& options,
                          const MeasureText& measure) {
  constexpr double kDisc = 0.86, kMost = 1.6;  // the disc's share of the drawing, and the largest factor
  if (!figure.bare || !options.clear_words) return 1;
  const Range &x = figure.x.fit, &y = figure.y.fit;
  double least = HUGE_VAL;
  for (const double corner_x : {x.low, x.high}) {
    for (const double corner_y : {y.low, y.high}) {
      Vec2 words;
      for (const Label& label : figure.labels) {
        if (label.x != corner_x || label.y != corner_y) continue;
        const Vec2 size = measure(label.text, {std::max(label.size * options.text_size, options.least_text),
                                               label.semibold ? FontWeight::semibold : FontWeight::regular});
        words = {std::max(words.x, size.x), words.y + size.y};
      }
      if (words.y == 0) continue;
      least = std::min(least,
                       std::hypot(std::max(0.0, plot.width / 2 - words.x), std::max(0.0, plot.height / 2 - words.y)));
    }
  }
  const double unit = std::min(plot.width / (x.high - x.low), plot.height / (y.high - y.low));
  const double disc = kDisc / 2 * std::min(x.high - x.low, y.high - y.low) * unit;
  return std::clamp(disc / least, 1.0, kMost);
}

/// Extends one range until a unit has the same length on both axes, or with Figure::stretch less far, and first both by
/// a factor.
void grow_to_equal(FigureAxis& x, FigureAxis& y, const Rect& plot, double factor, double stretch) {
  if (!(plot.width > 0 && plot.height > 0)) return;
  x.range = drawable_range(x.range, x.scale);
  y.range = drawable_range(y.range, y.scale);
  x.range = grow_range(x.range, factor * (x.range.high - x.range.low));
  y.range = grow_range(y.range, factor * (y.range.high - y.range.low));
  const double x_unit = plot.width / (x.range.high - x.range.low), y_unit = plot.height / (y.range.high - y.range.low);
  const double unit = std::min(x_unit, y_unit);
  x.range = grow_range(x.range, plot.width / (unit * std::pow(x_unit / unit, stretch)));
  y.range = grow_range(y.range, plot.height / (unit * std::pow(y_unit / unit, stretch)));
}

/// Returns margins and the plot between them, for axes whose ranges may have grown.
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
  frame.names_height = options.show_x_labels ? upright_names_height(x, about_width(room), options, measure) : 0;
  frame.bars_width = bars_width(figure, part.height, options, measure);
  frame.right_ticks = right_ticks_of(room, part);
  double left = figure.bare ? 0 : std::max(options.left_margin, left_margin(room, frame.y_ticks, part));
  double right =
      std::max(right_margin(room, frame.right_ticks, frame.bars_width), figure.bare ? 0 : options.right_margin);
  if (rect.width < left + right + 4 * options.text_size) {
    left = std::min(left, 0.5 * rect.width);
    right = frame.bars_width = 0;
    // The labels would leave too small a plot.
    for (auto* ticks : {&frame.y_ticks, &frame.right_ticks}) {
      for (Tick& tick : *ticks) tick.label.clear();
    }
  }
  frame.plot = {rect.left + left, rect.top + part.top, rect.width - left - right, part.height};
  if (has_equal_axes(figure) && !figure.maps.empty()) shrink_to_data(frame, figure);
  set_axes(frame, figure, x, y);
  frame.x_ticks = x_ticks_of(room, x, frame);
  // Space for half of the last label; also without labels, so that linked panels keep equal widths.
  const double more = std::min(overhang(frame, options, measure), 3 * options.text_size);
  if (more > 0 && frame.plot.width - more > 4 * options.text_size) {
    frame.plot.width -= more;
    if (has_equal_axes(figure) && !figure.maps.empty()) shrink_to_data(frame, figure);
    set_axes(frame, figure, x, y);
    frame.x_ticks = x_ticks_of(room, x, frame);
  }
  return frame;
}

/// Returns the step between labelled ticks; 0 if there are fewer than two.
double step_of(const std::vector<Tick>& ticks) {
  double step = 0, last = std::nan("");
  for (const Tick& tick : ticks) {
    if (!tick.major) continue;
    const double apart = std::abs(tick.value - last);
    if (apart > 0 && !(step > 0 && step <= apart)) step = apart;
    last = tick.value;
  }
  return step;
}

/// Uses the coarser of both tick steps for rows and columns of one map, or any two axes over equal ranges, if two such
/// ticks fit on the other axis.
void count_alike(Frame& frame, const Figure& figure) {
  const auto plain = [](const FigureAxis& axis) { return axis.names.empty() && axis.scale == AxisScale::linear; };
  const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(a, b); };
  const double x_span = frame.x.range.high - frame.x.range.low, y_span = frame.y.range.high - frame.y.range.low;
  if (!plain(figure.x) || !plain(figure.y) || figure.x.whole != figure.y.whole) return;
  if (!figure.equal_axes && !same(x_span, y_span)) return;
  const double x_step = step_of(frame.x_ticks), y_step = step_of(frame.y_ticks), step = std::max(x_step, y_step);
  if (same(x_step, y_step) || !(std::min(x_step, y_step) > 0)) return;
  const bool is_x = x_step < y_step;
  const AxisMap& map = is_x ? frame.x : frame.y;
  std::vector<Tick>& finer = is_x ? frame.x_ticks : frame.y_ticks;
  FigureAxis axis = is_x ? figure.x : figure.y;
  axis.range = map.range;
  const double length = std::abs(map.high - map.low);
  std::vector<Tick> ticks = make_ticks(axis, length, step / (is_x ? x_span : y_span) * length);
  if (!same(step_of(ticks), step)) return;
  const bool labelled = std::any_of(finer.begin(), finer.end(), [](const Tick& tick) { return !tick.label.empty(); });
  for (Tick& tick : ticks) {
    if (!labelled) tick.label.clear();
  }
  finer = is_x ? in_drawn_order(std::move(ticks), axis) : std::move(ticks);
}

// --- Labels of axes ------------------------------------------------------------------------------------------------

void add_grid_line(Scene& scene, Vec2 from, Vec2 to, Colour colour, double width) {
  scene.items.push_back(PathItem{{from, to}, colour, width, Dash::solid});
}

/// Adds ticks, their labels and the title of a second axis, the title in the colour of its line.
void add_right_axis(Scene& scene, const SceneContext& context) {
  if (!context.figure.right) return;
  const Rect& plot = context.frame.plot;
  const TextStyle style = context.text_style();
  const double em = context.options.text_size, left = plot.right() + kTickGap * em;
  double labels_right = left;
  for (const Tick& tick : context.frame.right_ticks) {
    if (tick.label.empty()) continue;
    const double y = std::clamp(context.frame.right.to_pixel(tick.value), plot.top, plot.bottom());
    scene.items.push_back(PathItem{
        {{plot.right(), y}, {plot.right() + 0.25 * em, y}}, context.palette.faint, context.hairline(), Dash::solid});
    scene.items.push_back(TextItem{{left, y}, 0, 0.5, tick.label, style, context.palette.secondary, false});
    labels_right = std::max(labels_right, left + context.measure(tick.label, style).x);
  }
  const std::string label = elided(context.figure.right->label, style, plot.height, context.measure);
  const double label_left = labels_right + kLabelGap * em;
  if (label.empty() || label_left + context.measure(label, style).y > context.frame.rect.right() + 1) return;
  Colour colour = context.palette.text;
  for (const Line& line : context.figure.lines) {
    if (line.right) colour = stroke_of(context.palette, line.style).colour;
  }
  scene.items.push_back(TextItem{{label_left, plot.top + plot.height / 2}, 0, 0.5, label, style, colour, true});
}

/// Adds the labels of the ticks; returns the left edge of those of y.
double add_tick_labels(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  double labels_left = plot.left;
  for (const Tick& tick : frame.y_ticks) {
    if (tick.label.empty()) continue;
    const double y = std::clamp(frame.y.to_pixel(tick.value), plot.top, plot.bottom());
    const TextItem item{{plot.left - kTickGap * context.options.text_size, y},
                        1,
                        0.5,
                        tick.label,
                        context.text_style(),
                        context.palette.secondary,
                        false};
    labels_left = std::min(labels_left, box_of(item, context.measure).left);
    scene.items.push_back(item);
  }
  for (const Tick& tick : frame.x_ticks) {
    if (tick.label.empty()) continue;
    TextItem item = x_tick_label(tick, frame, context.options, context.measure);
    item.colour = context.palette.secondary;
    scene.items.push_back(item);
  }
  return labels_left;
}

/// Adds the label of x below those of its ticks, if there are any and it fits.
void add_x_label(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const TextStyle style = context.text_style();
  const double line = context.measure("0", style).y;
  const bool x_labelled = std::ranges::any_of(frame.x_ticks, [](const Tick& tick) { return !tick.label.empty(); });
  const double ticks_height = frame.names_height > 0 ? 0.5 * line + frame.names_height : 1.5 * line;
  const double label_top = plot.bottom() + ticks_height + 1 + kLabelGap * context.options.text_size;
  double x_label_height = 0;
  for (const std::string& text : frame.x_label) x_label_height += context.measure(text, style).y;
  double label_at = label_top;
  for (const std::string& text : frame.x_label) {
    if (!x_labelled || label_top + x_label_height > frame.rect.bottom() + 1) break;
    const Vec2 size = context.measure(text, style);
    const double half = size.x / 2;
    const double x = std::clamp(plot.left + plot.width / 2, frame.rect.left + half,
                                std::max(frame.rect.right() - half, frame.rect.left + half));
    scene.items.push_back(TextItem{{x, label_at}, 0.5, 0, text, style, context.palette.text, false});
    label_at += size.y;
  }
}

/// Adds the label of y to the left of those of its ticks, or its first words.
void add_y_label(Scene& scene, const SceneContext& context, double labels_left) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const TextStyle style = context.text_style();
  // The plot may have shrunk to its data after the margins were computed.
  std::vector<std::string> y_label;
  if (context.options.show_y_labels) {
    y_label = y_label_lines(context.figure, plot.height, frame.title_height > 0, context.options, context.measure);
  }
  const auto thickness = [&] {
    double sum = 0;
    for (const std::string& text : y_label) sum += context.measure(text, style).y;
    return sum;
  };
  const double y_room = labels_left - frame.label_left - kLabelGap / 2 * context.options.text_size;
  if (thickness() > y_room) {
    const double length = plot.height + (frame.title_height > 0 ? context.measure("0", style).y : 0);
    y_label = {leading_words(context.figure.y.label, style, length, context.measure)};
  }
  double label_left = frame.label_left;
  for (std::size_t i = 0; thickness() <= y_room && i < y_label.size(); ++i) {
    if (y_label[i].empty()) continue;
    scene.items.push_back(
        TextItem{{label_left, plot.top + plot.height / 2}, 0, 0.5, y_label[i], style, context.palette.text, true});
    label_left += context.measure(y_label[i], style).y;
  }
}

void add_title(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  double top = frame.rect.top, widest_line = 0;
  for (const std::string& text : frame.title) {
    widest_line = std::max(widest_line, context.measure(text, context.title_style()).x);
  }
  // Over the plot if it fits there, else from the figure's edge on.
  const double left = std::max(frame.rect.left, std::min(frame.plot.left, frame.rect.right() - widest_line));
  for (const std::string& text : frame.title) {
    scene.items.push_back(TextItem{{left, top}, 0, 0, text, context.title_style(), context.palette.text, false});
    top += context.measure(text, context.title_style()).y;
  }
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
  const Room room{figure, width, height, options, measure};
  const VerticalPart part = vertical_part(room);
  return right_margin(room, right_ticks_of(room, part), bars_width(figure, part.height, options, measure));
}

double least_height_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width,
                       double plot_ems) {
  const Room room{figure, width, 0, options, measure};
  // Labels that would touch are set smaller, down to the minimum size.
  const double lines = std::max(kMinLine, std::min(1.0, options.least_text / options.text_size));
  const double words = figure.least_lines * lines * line_height(options, measure);
  const double plot = std::max(words, figure.bare ? 0 : plot_ems * options.text_size);
  return top_margin(room) + bottom_margin(room) + std::ceil(plot);
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

Frame frame_of(const Figure& figure, const Rect& rect, const FigureOptions& options, const MeasureText& measure,
               double legend_height) {
  const Room room{figure, rect.width, rect.height, options, measure, legend_height};
  const VerticalPart part = vertical_part(room);
  Frame frame = frame_with(room, part, figure.x, figure.y, rect);
  if (has_equal_axes(figure)) {
    // Longer labels of the grown range may reduce the plot: measured twice, then only the range is adjusted.
    FigureAxis x = figure.x, y = figure.y;
    grow_to_equal(x, y, frame.plot, shrink_for_corners(figure, frame.plot, options, measure), figure.stretch);
    frame = frame_with(room, part, x, y, rect);
    x.range = figure.x.range;
    y.range = figure.y.range;
    grow_to_equal(x, y, frame.plot, shrink_for_corners(figure, frame.plot, options, measure), figure.stretch);
    set_axes(frame, figure, x, y);
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
  count_alike(frame, figure);
  if (!options.show_x_labels || part.bottom == 0) {
    for (Tick& tick : frame.x_ticks) tick.label.clear();
  }
  return frame;
}

bool are_whole_words(const std::vector<std::string>& lines, const std::string& text) {
  const std::vector<std::size_t> starts = line_starts(text);
  std::size_t at = 0;
  for (const std::string& line : lines) {
    at = text.find(line, at);
    if (at == std::string::npos || (at > 0 && !std::binary_search(starts.begin(), starts.end(), at))) return false;
    at += line.size();
  }
  return true;
}

std::string leading_words(const std::string& text, const TextStyle& style, double width, const MeasureText& measure) {
  std::string words = text;
  while (!words.empty() && measure(words, style).x > width) {
    const std::size_t space = words.rfind(' ');
    words.resize(space == std::string::npos ? 0 : space);
  }
  return words;
}

TextItem x_tick_label(const Tick& tick, const Frame& frame, const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const bool upright = frame.names_height > 0;
  const Vec2 size = measure(tick.label, style);
  const double half = (upright ? size.y : size.x) / 2;
  const double x = std::clamp(frame.x.to_pixel(tick.value), std::min(frame.rect.left + half, frame.rect.right()),
                              std::max(frame.rect.right() - half, frame.rect.left + half));
  return {{x, frame.plot.bottom() + size.y / 2 + 1}, 0.5, 0, tick.label, style, {}, upright};
}

void add_grid(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const double width = context.hairline();
  const Colour major = with_alpha(context.palette.line, 0.85), minor = with_alpha(context.palette.line, 0.4);
  // If only a part has ticks, lines through the rest would be meaningless.
  const bool counted = context.figure.x.counted || context.figure.y.counted;
  for (const bool majors : {false, true}) {
    if (counted) break;
    for (const Tick& tick : frame.x_ticks) {
      const double x = std::clamp(frame.x.to_pixel(tick.value), plot.left, plot.right());
      if (tick.major == majors) add_grid_line(scene, {x, plot.top}, {x, plot.bottom()}, majors ? major : minor, width);
    }
    for (const Tick& tick : frame.y_ticks) {
      if (context.figure.y.unnumbered) break;
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
  add_right_axis(scene, context);
  const double labels_left = add_tick_labels(scene, context);
  add_x_label(scene, context);
  add_y_label(scene, context, labels_left);
  if (context.frame.title_height > 0) add_title(scene, context);
}

}  // namespace ropescope
