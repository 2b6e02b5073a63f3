// What is written beside what: labels of rules and points, names of ticks and lines, legends, none over another.
//
// Contents: Names; Names of lines; Legend; Labels.

#include "app/figure/scene/scene_labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/figure/scene/scene_axes.h"
#include "app/figure/scene/scene_marks.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

// --- Names ---------------------------------------------------------------------------------------------------------

namespace {

// In ems of the tick labels.
constexpr double kTallestName = 7;
constexpr double kNameGap = 0.6, kLeastNameGap = 0.45;  ///< wanted, and before a name is cut
constexpr double kRoomyName = 5.5;  ///< names with as much room lie, cut where one of them is longer
/// Fewer numbers are each worth being named.
constexpr std::size_t kFewNumbers = 8;

/// A number as people read it; NaN for any other text.
double number_of_scene_names(std::string text) {
  constexpr std::string_view kThinSpace = "\u2009", kNarrowSpace = "\u202f", kComma = ",", kMinus = "\u2212";
  for (const std::string_view mark : {kThinSpace, kNarrowSpace, kComma}) {
    for (std::size_t at; (at = text.find(mark)) != std::string::npos;) text.erase(at, mark.size());
  }
  const bool negative = text.starts_with(kMinus);
  if (negative) text.erase(0, kMinus.size());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nan("");
  return negative ? -value : value;
}

/// Many names that are ascending numbers, as the values of a field: nobody wants to read each of them.
struct CountedNames {
  std::vector<double> values;
  bool logarithmic = false;  ///< the steps between them are more alike there

  double value_at(double place) const {
    const double first = std::clamp(std::floor(place), 0.0, static_cast<double>(values.size()) - 2);
    const double low = values[static_cast<std::size_t>(first)], high = values[static_cast<std::size_t>(first) + 1];
    return logarithmic ? low * std::pow(high / low, place - first) : low + (high - low) * (place - first);
  }
  double place_of(double value) const {
    const auto above = std::upper_bound(values.begin() + 1, values.end() - 1, value);
    const double low = *(above - 1), high = *above, first = static_cast<double>(above - 1 - values.begin());
    return first + (logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low));
  }
};

double unevenness(const std::vector<double>& values, double (*of)(double)) {
  const double mean = (of(values.back()) - of(values.front())) / static_cast<double>(values.size() - 1);
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += std::abs(of(values[i]) - of(values[i - 1]) - mean);
  return sum / mean;
}

std::optional<CountedNames> counted_names(const FigureAxis& axis) {
  if (axis.names.size() <= kFewNumbers) return std::nullopt;
  CountedNames counted;
  for (const std::string& name : axis.names) {
    const double value = number_of_scene_names(name);
    const bool ascends = counted.values.empty() ? std::isfinite(value) : value > counted.values.back();
    if (!ascends) return std::nullopt;
    counted.values.push_back(value);
  }
  const auto plain = [](double value) { return value; };
  const auto logarithm = [](double value) { return std::log(value); };
  counted.logarithmic =
      counted.values.front() > 0 && unevenness(counted.values, logarithm) < unevenness(counted.values, plain);
  return counted;
}

}  // namespace

bool has_words(const FigureAxis& axis) {
  return !axis.names.empty() && !counted_names(axis);
}

std::vector<Tick> axis_ticks(const FigureAxis& axis, double length, double gap, TickLabels labels) {
  const std::optional<CountedNames> names = counted_names(axis);
  if (!names) return make_ticks(axis, length, gap, labels);
  const Range range = drawable_range(axis.range, AxisScale::linear);
  FigureAxis counted;
  counted.range = {names->value_at(range.low), names->value_at(range.high)};
  counted.scale = names->logarithmic ? AxisScale::log : AxisScale::linear;
  counted.whole =
      std::all_of(names->values.begin(), names->values.end(), [](double value) { return value == std::round(value); });
  std::vector<Tick> ticks;
  // Where the steps are not alike, ticks stand nearer than they should.
  double last = -HUGE_VAL;
  for (Tick tick : make_ticks(counted, length, gap, labels)) {
    tick.value = names->place_of(tick.value);
    if (tick.value < range.low || tick.value > range.high) continue;
    const double at = (tick.value - range.low) / (range.high - range.low) * length;
    if (!tick.label.empty() && at - last < gap / 2) tick.label.clear();
    if (!tick.label.empty()) last = at;
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

std::vector<Tick> name_ticks(const FigureAxis& axis, double length, double gap) {
  const Range range = drawable_range(axis.range, axis.scale);
  const double per_name = length / (range.high - range.low);
  if (!(per_name > 0)) return {};
  const double first = std::max(0.0, std::ceil(range.low - 1e-9));
  const double last = std::min(static_cast<double>(axis.names.size()) - 1, std::floor(range.high + 1e-9));
  const double stride = std::max(1.0, std::ceil(gap / per_name - 1e-9));
  std::vector<Tick> ticks;
  for (double k = stride * std::ceil(first / stride); k <= last; k += stride) {
    const std::string& name = axis.names[static_cast<std::size_t>(k)];
    if (!name.empty()) ticks.push_back({k, name, true});
  }
  return ticks;
}

double upright_names_height(const FigureAxis& axis, double width, const FigureOptions& options,
                            const MeasureText& measure) {
  if (!has_words(axis)) return 0;
  const TextStyle style{options.text_size, FontWeight::regular};
  const Range range = drawable_range(axis.range, axis.scale);
  const double per_name = width / (range.high - range.low);
  double widest = 0;
  for (const Tick& tick : name_ticks(axis, width, 1.15 * measure("0", style).y)) {
    widest = std::max(widest, measure(tick.label, style).x);
  }
  if (widest + kNameGap * options.text_size <= per_name || per_name >= kRoomyName * options.text_size) return 0;
  return std::min(widest, kTallestName * options.text_size);
}

void fit_x_names(std::vector<Tick>& ticks, const Frame& frame, const FigureOptions& options,
                 const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const bool upright = frame.names_height > 0;
  double apart = frame.plot.width;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    apart = std::min(apart, std::abs(frame.x.to_pixel(ticks[i].value) - frame.x.to_pixel(ticks[i - 1].value)));
  }
  const double room = upright ? frame.names_height : apart - kLeastNameGap * options.text_size;
  double last_right = -1e300;
  for (Tick& tick : ticks) {
    tick.label = elided(tick.label, style, room, measure);
    if (tick.label.empty()) continue;
    const Rect box = box_of(x_tick_label(tick, frame, options, measure), measure);
    if (box.left < last_right || box.left < frame.rect.left || box.right() > frame.rect.right()) {
      tick.label.clear();
    } else {
      last_right = box.right();
    }
  }
}

// --- Names of lines ------------------------------------------------------------------------------------------------

namespace {

constexpr double kSceneLineNamesGap = 0.2;  ///< ems between a line and its name
constexpr int kSceneLineNamesSteps = 24;    ///< places tried along the line, each half as far as the plot is wide

/// Adds the name of a line at the label's own x, else as near to it as the name hides nothing: over its line, else
/// under it.
void add_line_name(Placer& placer, const Label& label, std::size_t line, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const Vec2 size = context.measure(label.text, context.text_style());
  const double gap = kSceneLineNamesGap * context.options.text_size, wanted = context.frame.x.to_pixel(label.x);
  std::optional<Rect> best;
  int least = 0;
  for (int step = 0; step <= 2 * kSceneLineNamesSteps; ++step) {
    const double away = (step % 2 == 0 ? 1 : -1) * ((step + 1) / 2) * plot.width / (2.0 * kSceneLineNamesSteps);
    const double left = wanted + away - size.x / 2;
    const CurveExtent extent = extent_of(context.frame, context.figure.lines[line], left, left + size.x);
    if (std::isnan(extent.top) || left < plot.left) continue;
    for (const double top : {extent.top - gap - size.y, extent.bottom + gap}) {
      const Rect box{left, top, size.x, size.y};
      if (!placer.is_free(box)) continue;
      const int hidden = curves.hidden_by(box, line);
      if (best && hidden >= least) continue;
      best = box;
      least = hidden;
      if (least == 0) return placer.place(box, label.text, ink_of(context, label.role, label.style));
    }
  }
  if (best) placer.place(*best, label.text, ink_of(context, label.role, label.style));
}

/// Adds the labels that name lines: at their lines, where these run free.
void add_line_names(Placer& placer, const CurveSamples& curves) {
  const Figure& figure = placer.context.figure;
  for (const Label& label : figure.labels) {
    const std::size_t line = line_named_by(label, figure);
    if (line < figure.lines.size() && !label.text.empty()) add_line_name(placer, label, line, curves);
  }
}

}  // namespace

std::size_t line_named_by(const Label& label, const Figure& figure) {
  std::size_t i = 0;
  for (; label.role == Role::curve && i < figure.lines.size(); ++i) {
    const Line& line = figure.lines[i];
    if (line.style.slot != label.style.slot || !line.series || line.series->ys.empty()) continue;
    if (line.series->ys[nearest_index(*line.series, label.x)] == label.y) return i;
  }
  return figure.lines.size();
}

// --- Legend --------------------------------------------------------------------------------------------------------

namespace {

constexpr double kLargestWidth = 0.8, kLargestHeight = 0.6;  ///< shares of the plot
constexpr double kLargestLine = 0.9;                         ///< of its height, for a legend of one line
constexpr int kSceneLegendSteps = 6;                         ///< places tried along each side of the plot, less one
constexpr std::size_t kMostColumns = 4;
constexpr int kMostHidden = 2;  ///< samples of curves

/// The measures of a legend in columns: rows from the top, column after column.
struct SceneLegendGrid {
  std::size_t rows = 0, columns = 0;
  std::vector<double> widths;  ///< of the columns
  double row = 0, line = 0, sample = 0, gap = 0, padding = 0;
  double width() const {
    double sum = 2 * padding + 2 * gap * static_cast<double>(columns - 1);
    for (const double width : widths) sum += width;
    return sum;
  }
  double height() const { return 2 * padding + row * static_cast<double>(rows); }
};

SceneLegendGrid grid_of_scene_legend(const std::vector<LegendEntry>& entries, std::size_t columns,
                                     const SceneContext& context) {
  const double em = context.options.text_size;
  SceneLegendGrid grid;
  grid.rows = (entries.size() + columns - 1) / columns;
  grid.columns = (entries.size() + grid.rows - 1) / grid.rows;
  grid.line = context.measure("0", context.text_style()).y;
  grid.row = 1.2 * grid.line;
  grid.sample = 2.2 * em;
  grid.gap = 0.6 * em;
  grid.padding = 0.4 * em;
  grid.widths.assign(grid.columns, 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    double& width = grid.widths[i / grid.rows];
    const double sample = entries[i].sample == LegendEntry::Sample::none ? 0 : grid.sample + grid.gap;
    width = std::max(width, sample + context.measure(entries[i].label, context.text_style()).x);
  }
  return grid;
}

struct SceneLegendPlace {
  SceneLegendGrid grid;
  Rect box;
};

/// Where a box may stand: the corner that is asked for; else the corners, the lower ones first, as names of rules stand
/// along the top, then in between.
std::vector<Vec2> places_of(const FigureOptions& options, const Rect& plot, double margin, double width,
                            double height) {
  const double left = plot.left + margin, right = plot.right() - margin - width;
  const double top = plot.top + margin, bottom = plot.bottom() - margin - height;
  if (!options.entries.empty()) {
    return {{options.corner.x > 0 ? right : left, options.corner.y > 0 ? bottom : top}};
  }
  std::vector<Vec2> places{{right, bottom}, {left, top}, {left, bottom}, {right, top}};
  for (int down = 0; down <= kSceneLegendSteps; ++down) {
    for (int along = 0; along <= kSceneLegendSteps; ++along) {
      places.push_back(
          {right + (left - right) * along / kSceneLegendSteps, top + (bottom - top) * down / kSceneLegendSteps});
    }
  }
  return places;
}

/// The place and the number of columns that hide least; none where no number of columns fits, or all hide more than a
/// touch of a curve: the names then stand above the plot. Where it makes no difference few columns win.
std::optional<SceneLegendPlace> best_place(const std::vector<LegendEntry>& entries, const SceneContext& context) {
  const Rect& plot = context.frame.plot;
  const double margin = 0.6 * context.options.text_size;
  const CurveSamples curves(context);
  // Dots on curves reach beyond them.
  const double air = context.figure.points.empty() ? 0 : 2.5 * context.options.line_width;
  const bool asked = !context.options.entries.empty();
  std::optional<SceneLegendPlace> best;
  int least = 0;
  for (std::size_t columns = 1; columns <= std::min(entries.size(), kMostColumns); ++columns) {
    const SceneLegendGrid grid = grid_of_scene_legend(entries, columns, context);
    const double width = grid.width(), height = grid.height();
    const double largest = grid.rows == 1 ? kLargestLine : kLargestHeight;
    if (height > largest * plot.height || width > kLargestWidth * plot.width) continue;
    const double inset = std::min(margin, (plot.height - height) / 2);
    for (const Vec2& place : places_of(context.options, plot, inset, width, height)) {
      const Rect box{place.x, place.y, width, height};
      const int hidden = curves.hidden_by({box.left - air, box.top - air, width + 2 * air, height + 2 * air});
      if (best && hidden >= least) continue;
      best = SceneLegendPlace{grid, box};
      least = hidden;
      if (least == 0) return best;
    }
  }
  return asked || least <= kMostHidden ? best : std::nullopt;
}

}  // namespace

namespace {

/// The stroke or disc before the words of an entry, from `at` on.
void add_sample(Scene& scene, const LegendEntry& entry, Vec2 at, double length, const Palette& palette,
                const FigureOptions& options) {
  const Stroke stroke = stroke_of(palette, entry.style);
  if (entry.sample == LegendEntry::Sample::disc) {
    scene.items.push_back(DiscItem{{at.x + length / 2, at.y}, 2 * options.line_width, stroke.colour});
  } else if (entry.sample == LegendEntry::Sample::line) {
    const double width = options.line_width * (entry.style.faint ? 0.6 : 1);
    scene.items.push_back(PathItem{{at, {at.x + length, at.y}}, stroke.colour, width, stroke.dash});
  }
}

}  // namespace

double add_legend_rows(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const double em = options.text_size, line = measure("0", style).y, row_height = 1.3 * line;
  const double sample = 2.2 * em, sample_gap = 0.6 * em, entry_gap = 1.8 * em;
  const int rows = static_cast<int>(room.height / row_height);
  if (entries.empty() || rows == 0 || room.width < sample + sample_gap + 3 * em) return 0;
  double x = room.left, y = room.top + 0.15 * line;
  int row = 1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LegendEntry& entry = entries[i];
    const double before = entry.sample == LegendEntry::Sample::none ? 0 : sample + sample_gap;
    const std::string text = elided(entry.label, style, room.width - before, measure);
    const double width = before + measure(text, style).x;
    const bool last_row = row == rows, last = i + 1 == entries.size();
    const std::string rest = "+" + std::to_string(entries.size() - i);
    const double rest_room = last_row && !last ? measure(rest, style).x + entry_gap : 0;
    if (x > room.left && x + width + rest_room > room.right()) {
      if (last_row) {
        scene.items.push_back(TextItem{{x, y}, 0, 0, rest, style, palette.secondary, false});
        break;
      }
      x = room.left;
      y += row_height;
      ++row;
    }
    add_sample(scene, entry, {x, y + line / 2}, sample, palette, options);
    const Colour colour = before > 0 ? palette.text : palette.secondary;
    scene.items.push_back(TextItem{{x + before, y}, 0, 0, text, style, colour, false});
    x += width + entry_gap;
  }
  return std::ceil(row * row_height);
}

Vec2 add_legend_column(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const double em = options.text_size, line = measure("0", style).y, sample = 2.2 * em, sample_gap = 0.6 * em;
  Vec2 filled;
  for (const LegendEntry& entry : entries) {
    const double before = entry.sample == LegendEntry::Sample::none ? 0 : sample + sample_gap;
    add_sample(scene, entry, {room.left, room.top + filled.y + line / 2}, sample, palette, options);
    const Colour colour = before > 0 ? palette.text : palette.secondary;
    for (const std::string& text : wrapped(entry.label, style, room.width - before, measure)) {
      scene.items.push_back(TextItem{{room.left + before, room.top + filled.y}, 0, 0, text, style, colour, false});
      filled = {std::max(filled.x, before + measure(text, style).x), filled.y + 1.1 * line};
    }
    filled.y += 0.3 * line;
  }
  return filled;
}

namespace {

/// What is named inside the plot.
std::vector<LegendEntry> entries_of(const SceneContext& context) {
  std::vector<LegendEntry> entries = context.options.entries;
  if (!entries.empty() || !context.options.legend || !context.figure.legend) return entries;
  for (const Line& line : context.figure.lines) {
    if (line.in_legend && !line.label.empty()) entries.push_back({line.label, line.style});
  }
  return entries;
}

/// Adds the legend inside the plot, where it hides least of the curves, or above it; returns the rectangle that it
/// takes, none where there is no legend.
std::optional<Rect> add_legend(Scene& scene, const SceneContext& context) {
  const std::vector<LegendEntry> entries = entries_of(context);
  const Rect& above = context.frame.legend;
  if (above.height > 0 && !entries.empty()) {
    add_legend_rows(scene, entries, above, context.palette, context.options, context.measure);
    return above;
  }
  const std::optional<SceneLegendPlace> place = best_place(entries, context);
  if (!place) return std::nullopt;
  const Rect& box = place->box;
  const SceneLegendGrid& grid = place->grid;
  // A sheet with an edge: without one the grid seems broken.
  const double radius = 0.3 * context.options.text_size, edge = context.hairline();
  scene.items.push_back(RectItem{{box.left - edge, box.top - edge, box.width + 2 * edge, box.height + 2 * edge},
                                 context.palette.line,
                                 radius + edge});
  scene.items.push_back(RectItem{box, context.palette.canvas, radius});
  double left = box.left + grid.padding;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t row = i % grid.rows;
    if (row == 0 && i > 0) left += grid.widths[i / grid.rows - 1] + 2 * grid.gap;
    const double top = box.top + grid.padding + grid.row * static_cast<double>(row) + (grid.row - grid.line) / 2;
    const bool words = entries[i].sample == LegendEntry::Sample::none;
    add_sample(scene, entries[i], {left, top + grid.line / 2}, grid.sample, context.palette, context.options);
    const Vec2 at{words ? left : left + grid.sample + grid.gap, top};
    const Colour colour = words ? context.palette.secondary : context.palette.text;
    scene.items.push_back(TextItem{at, 0, 0, entries[i].label, context.text_style(), colour, false});
  }
  return box;
}

}  // namespace

double legend_height_above(const SceneContext& context, double most) {
  const std::vector<LegendEntry> entries = entries_of(context);
  if (entries.empty() || best_place(entries, context)) return 0;
  Scene measured;
  const Rect& rect = context.frame.rect;
  return add_legend_rows(measured, entries, {rect.left, rect.top, rect.width, most}, context.palette, context.options,
                         context.measure);
}

// --- Labels --------------------------------------------------------------------------------------------------------

namespace {

constexpr double kMessageWidth = 0.94;  ///< of the plot

void add_message(Placer& placer) {
  const SceneContext& context = placer.context;
  if (context.figure.empty_message.empty()) return;
  const Rect& plot = context.frame.plot;
  const TextStyle style = context.text_style();
  std::vector<std::string> lines =
      wrapped(context.figure.empty_message, style, kMessageWidth * plot.width, context.measure);
  const double line = context.measure("0", style).y;
  const auto room = static_cast<std::size_t>(std::max(std::floor(plot.height / (1.25 * line)), 0.0));
  if (room == 0) return;
  if (lines.size() > room) {
    lines.resize(room);
    lines.back() = elided(lines.back() + "…", style, kMessageWidth * plot.width, context.measure);
  }
  double top = plot.top + (plot.height - 1.25 * line * static_cast<double>(lines.size())) / 2;
  for (const std::string& text : lines) {
    const double width = context.measure(text, style).x;
    const Rect box{plot.left + (plot.width - width) / 2, top, width, line};
    if (is_inside(box, plot)) placer.place(box, text, context.palette.secondary);
    top += 1.25 * line;
  }
}

Colour label_colour(const SceneContext& context, const Rule& rule) {
  if (rule.role == Role::curve) return stroke_of(context.palette, rule.style).colour;
  return colour_of(context.palette, rule.role == Role::line ? Role::secondary : rule.role);
}

bool is_shown(const SceneContext& context, const Rule& rule) {
  const AxisMap& axis = rule.vertical ? context.frame.x : context.frame.y;
  const double at = axis.to_pixel(rule.at);
  return at >= std::min(axis.low, axis.high) && at <= std::max(axis.low, axis.high);
}

/// Words in lines, and the box that they fill.
struct WordBlock {
  std::vector<std::string> lines;
  Vec2 size;
};

WordBlock block_of(const SceneContext& context, const std::string& text, double width) {
  const TextStyle style = context.text_style();
  WordBlock block{wrapped(text, style, width, context.measure), {}};
  for (const std::string& line : block.lines) {
    const Vec2 size = context.measure(line, style);
    block.size = {std::max(block.size.x, size.x), block.size.y + size.y};
  }
  return block;
}

/// The words of a rule in one line, else in two or three where no word is torn.
std::vector<WordBlock> blocks_of(const SceneContext& context, const std::string& text) {
  const double width = context.measure(text, context.text_style()).x;
  std::vector<WordBlock> blocks{block_of(context, text, width + 1)};
  for (const std::size_t lines : {std::size_t{2}, std::size_t{3}}) {
    // Words do not part evenly: a little more than the share of a line.
    WordBlock block = block_of(context, text, 1.2 * width / static_cast<double>(lines));
    if (block.lines.size() == lines && are_whole_words(block.lines, text)) blocks.push_back(std::move(block));
  }
  return blocks;
}

void place_block(Placer& placer, const WordBlock& block, Vec2 at, Colour colour) {
  for (const std::string& line : block.lines) {
    const Vec2 size = placer.context.measure(line, placer.context.text_style());
    placer.place({at.x, at.y, size.x, size.y}, line, colour);
    at.y += size.y;
  }
}

/// Places the label of a vertical rule at the top beside it: right of it, else left, else a row lower; where no other
/// rule passes and it hides least of the curves; in several lines where it has no room in one.
void add_vertical_label(Placer& placer, const Rule& rule, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, at = context.frame.x.to_pixel(rule.at);
  const auto crossed = [&](const Rect& box) {
    return std::any_of(context.figure.rules.begin(), context.figure.rules.end(), [&](const Rule& other) {
      const double x = context.frame.x.to_pixel(other.at);
      return other.vertical && x > box.left - 0.2 * em && x < box.right() + 0.2 * em;
    });
  };
  constexpr int kCrossed = 1000;  // worse than any curve
  for (const WordBlock& block : blocks_of(context, rule.label)) {
    const int rows = std::max(1, static_cast<int>(0.6 * plot.height / (1.25 * block.size.y)));
    std::optional<Vec2> best;
    int least = 0;
    for (int row = 0; row < rows; ++row) {
      const double top = plot.top + 0.3 * em + row * 1.25 * block.size.y;
      for (const double left : {at + 0.5 * em, at - 0.5 * em - block.size.x}) {
        const Rect box{left, top, block.size.x, block.size.y};
        if (!placer.is_free(box)) continue;
        const int hidden = curves.hidden_by(box) + (crossed(box) ? kCrossed : 0);
        if (best && hidden >= least) continue;
        best = Vec2{left, top};
        least = hidden;
      }
    }
    if (best) return place_block(placer, block, *best, label_colour(context, rule));
  }
}

/// Places the label of a level on its rule at the right end, else under it, else at the left end, or in between; in
/// several lines, or away from it with an arrow to it, where it would hide curves else. Last where it hides least of
/// them; left out where that is much.
void add_horizontal_label(Placer& placer, const Rule& rule, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, at = context.frame.y.to_pixel(rule.at);
  const std::vector<WordBlock> blocks = blocks_of(context, rule.label);
  const Colour colour = label_colour(context, rule);
  std::optional<Vec2> best;
  const WordBlock* best_block = nullptr;
  int least = 0;
  for (const WordBlock& block : blocks) {
    const double right = plot.right() - 0.5 * em - block.size.x, left = plot.left + 0.5 * em;
    for (const double x : {right, left, (left + right) / 2, (left + 3 * right) / 4, (3 * left + right) / 4}) {
      for (const double top : {at - 0.15 * em - block.size.y, at + 0.15 * em}) {
        const Rect box{x, top, block.size.x, block.size.y};
        if (!placer.is_free(box)) continue;
        const int hidden = curves.hidden_by(box);
        if (hidden == 0) return place_block(placer, block, {x, top}, colour);
        if (best && (hidden >= least || best_block != &block)) continue;
        best = Vec2{x, top};
        best_block = &block;
        least = hidden;
      }
    }
  }
  constexpr int kSteps = 12;
  std::optional<Rect> away;
  for (const WordBlock& block : blocks) {
    const double room_x = plot.width - block.size.x - em, room_y = plot.height - block.size.y - 0.6 * em;
    for (int down = 0; room_x > 0 && room_y > 0 && down <= kSteps; ++down) {
      for (int along = kSteps; along >= 0; --along) {
        const Rect box{plot.left + em / 2 + room_x * along / kSteps, plot.top + 0.3 * em + room_y * down / kSteps,
                       block.size.x, block.size.y};
        if (!placer.is_free(box)) continue;
        const int hidden = curves.hidden_by(box);
        if (best_block && hidden >= least) continue;
        best = Vec2{box.left, box.top};
        best_block = &block;
        least = hidden;
        away = box;
      }
    }
  }
  // What a rule is can be left unsaid; where a curve runs cannot.
  constexpr double kMostHidden = 0.15;
  const bool hides_much = least > kMostHidden * plot.width / (0.5 * em);
  if (hides_much) return;
  if (away) {
    const double x = away->left + away->width / 2, edge = at > away->bottom() ? away->bottom() : away->top;
    add_pointer(placer.scene, context, {x, edge}, {x, at});
  }
  if (best) place_block(placer, *best_block, *best, colour);
}

/// Places the name of a point around it, where it hides least of the curves: at the sides, above and below, then at the
/// corners; and a little farther away.
std::optional<Rect> place_around(const Placer& placer, Vec2 at, Vec2 size, const CurveSamples& curves) {
  const double near = 2 * placer.context.options.line_width + 0.3 * placer.context.options.text_size;
  std::optional<Rect> best;
  int least = 0;
  for (const double lines : {0.0, 0.8, 1.6, 2.6, 3.6}) {
    const double gap = near + lines * size.y;
    const double left = at.x - gap - size.x, right = at.x + gap, above = at.y - gap - size.y, below = at.y + gap;
    const double centre = at.x - size.x / 2, middle = at.y - size.y / 2;
    for (const Vec2 corner : {Vec2{right, middle},
                              {left, middle},
                              {centre, above},
                              {centre, below},
                              {at.x, above},
                              {at.x - size.x, above},
                              {at.x, below},
                              {at.x - size.x, below}}) {
      const Rect box{corner.x, corner.y, size.x, size.y};
      if (!placer.is_free(box)) continue;
      const int hidden = curves.hidden_by(box);
      if (best && hidden >= least) continue;
      best = box;
      least = hidden;
    }
    if (best && least == 0) break;
  }
  return best;
}

/// The free place of a plot that is nearest to a point: for names whose letters keep their size.
std::optional<Rect> place_anywhere(const Placer& placer, Vec2 at, Vec2 size) {
  const Rect& plot = placer.context.frame.plot;
  const double room_x = plot.width - size.x, room_y = plot.height - size.y;
  if (room_x < 0 || room_y < 0) return std::nullopt;
  constexpr int kSteps = 24;
  std::optional<Rect> best;
  double least = 0;
  for (int down = 0; down <= kSteps; ++down) {
    for (int along = 0; along <= kSteps; ++along) {
      const Rect box{plot.left + room_x * along / kSteps, plot.top + room_y * down / kSteps, size.x, size.y};
      const double away =
          std::hypot(at.x - std::clamp(at.x, box.left, box.right()), at.y - std::clamp(at.y, box.top, box.bottom()));
      if ((best && away >= least) || !placer.is_free(box)) continue;
      best = box;
      least = away;
    }
  }
  return best;
}

/// Leads from a name to its point, where another point or name stands as near.
void add_leader(Placer& placer, const Rect& box, Vec2 at, Colour colour) {
  const SceneContext& context = placer.context;
  const double near = 2 * context.options.line_width + 0.3 * context.options.text_size;
  const Vec2 edge{std::clamp(at.x, box.left, box.right()), std::clamp(at.y, box.top, box.bottom())};
  if (std::hypot(edge.x - at.x, edge.y - at.y) <= 1.5 * near) return;
  placer.scene.items.push_back(PathItem{{edge, at}, colour, context.hairline(), Dash::solid});
}

void add_point_names(Placer& placer, const Points& points, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Colour colour = stroke_of(context.palette, points.style).colour;
  for (std::size_t i = 0; i < std::min({points.names.size(), points.xs.size(), points.ys.size()}); ++i) {
    const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
    if (points.names[i].empty() || !context.frame.plot.contains(at)) continue;
    const Vec2 size = context.measure(points.names[i], context.text_style());
    auto box = place_around(placer, at, size, curves);
    if (!box && context.options.least_text > 0) box = place_anywhere(placer, at, size);
    if (!box) continue;
    add_leader(placer, *box, at, colour);
    placer.place(*box, points.names[i], colour);
  }
}

}  // namespace

void add_inner_labels(Scene& scene, const SceneContext& context) {
  Placer placer{scene, context, {}};
  for (const SceneItem& item : scene.items) {
    if (const auto* text = std::get_if<TextItem>(&item)) placer.taken.push_back(box_of(*text, context.measure));
  }
  if (const auto legend = add_legend(scene, context)) placer.taken.push_back(*legend);
  for (const Points& points : context.figure.points) {
    const double radius = 2 * context.options.line_width;
    for (std::size_t i = 0; i < std::min(points.xs.size(), points.ys.size()); ++i) {
      const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
      placer.taken.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
    }
  }
  add_notes(placer);
  const CurveSamples curves(context);
  add_words(placer);
  add_line_names(placer, curves);
  add_message(placer);
  std::vector<Rule> rules;
  for (const Rule& rule : context.figure.rules) {
    if (!rule.label.empty() && is_shown(context, rule)) rules.push_back(rule);
  }
  // From left to right, so that equal figures get equal places whatever the order of their rules.
  std::stable_sort(rules.begin(), rules.end(),
                   [](const Rule& a, const Rule& b) { return a.vertical != b.vertical ? a.vertical : a.at < b.at; });
  for (const Rule& rule : rules) {
    if (rule.vertical) {
      add_vertical_label(placer, rule, curves);
    } else {
      add_horizontal_label(placer, rule, curves);
    }
  }
  for (const Points& points : context.figure.points) add_point_names(placer, points, curves);
}

}  // namespace ropescope
