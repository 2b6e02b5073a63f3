// Text next to marks: labels of rules and points, names of ticks and lines, legends, without overlap.
//
// Contents: Names; Places; Names of lines; Legend; Labels.

#include "app/figure/scene/scene_labels.h"

#include <algorithm>
#include <charconv>
#include <climits>
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
constexpr double kNameGap = 0.6, kMinNameGap = 0.45;  ///< preferred, and before a name is cut
constexpr double kRoomyName = 5.5;  ///< names with this much space are horizontal, cut if one of them is longer
/// With fewer numbers, each one is named.
constexpr std::size_t kFewNumbers = 8;

/// Returns the value of a displayed number; NaN for any other text.
double parse_displayed_number(std::string text) {
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

/// Names that are many ascending numbers, such as the values of a field: not every one needs a label.
struct CountedNames {
  std::vector<double> values;
  bool logarithmic = false;  ///< the steps between them are more uniform there

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

std::optional<CountedNames> find_counted_names(const FigureAxis& axis) {
  if (axis.names.size() <= kFewNumbers) return std::nullopt;
  CountedNames counted;
  for (const std::string& name : axis.names) {
    const double value = parse_displayed_number(name);
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

// --- Places --------------------------------------------------------------------------------------------------------

/// Words in lines, and their box.
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

/// Returns the words of a rule in one line, and in two or three if no word is split.
std::vector<WordBlock> blocks_of(const SceneContext& context, const std::string& text) {
  const double width = context.measure(text, context.text_style()).x;
  std::vector<WordBlock> blocks{block_of(context, text, width + 1)};
  for (const std::size_t lines : {std::size_t{2}, std::size_t{3}}) {
    // Words vary in length: allow a little more than an equal share per line.
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

/// Counts the rules that pass through a box or closely by it.
int crossed_rules(const SceneContext& context, const Rect& box) {
  const double near = 0.1 * context.options.text_size;
  return static_cast<int>(
      std::count_if(context.figure.rules.begin(), context.figure.rules.end(), [&](const Rule& rule) {
        const double at = (rule.vertical ? context.frame.x : context.frame.y).to_pixel(rule.at);
        const double from = rule.vertical ? box.left : box.top, to = rule.vertical ? box.right() : box.bottom();
        return at > from - near && at < to + near;
      }));
}

/// Returns the distance of a name from its point.
double near_mark(const SceneContext& context) {
  return 2 * context.options.line_width + 0.3 * context.options.text_size;
}

Vec2 nearest_in(const Rect& box, Vec2 at) {
  return {std::clamp(at.x, box.left, box.right()), std::clamp(at.y, box.top, box.bottom())};
}

void put_leader(Placer& placer, const Segment& leader, Colour colour) {
  placer.scene.items.push_back(PathItem{{leader.from, leader.to}, colour, placer.context.hairline(), Dash::solid});
  placer.leaders.push_back(leader);
}

/// Places words away from their mark with a leader to it: the nearest place of the plot at which they cover nothing and
/// the leader crosses no other one; curves and rules in its way make a place count as farther. `tip` returns where a
/// leader from a box ends. Returns false if there is none.
template <class Tip>
bool place_away(Placer& placer, const WordBlock& block, Colour colour, const Tip& tip, bool over_rules = true) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, margin = 0.3 * em;
  const double room_x = plot.width - block.size.x - 2 * margin, room_y = plot.height - block.size.y - 2 * margin;
  if (room_x < 0 || room_y < 0) return false;
  constexpr int kSteps = 24;
  constexpr double kPerPiece = 0.4, kPerRule = 4;  // ems
  const double farthest = 0.7 * std::hypot(plot.width, plot.height);
  std::optional<Rect> best;
  Segment best_leader;
  double least = HUGE_VAL;
  for (int down = 0; down <= kSteps; ++down) {
    for (int along = 0; along <= kSteps; ++along) {
      const Rect box{plot.left + margin + room_x * along / kSteps, plot.top + margin + room_y * down / kSteps,
                     block.size.x, block.size.y};
      const Segment leader{nearest_in(box, tip(box)), tip(box)};
      if (!over_rules && crossed_rules(context, box) > 0) continue;
      double away = std::hypot(leader.to.x - leader.from.x, leader.to.y - leader.from.y);
      if (away == 0 || away >= std::min(least, farthest) || !placer.is_open(box) || !placer.can_lead(leader)) continue;
      const Rect spanned{std::min(leader.from.x, leader.to.x), std::min(leader.from.y, leader.to.y),
                         std::abs(leader.from.x - leader.to.x), std::abs(leader.from.y - leader.to.y)};
      away += kPerRule * em * (crossed_rules(context, box) + crossed_rules(context, spanned)) +
              kPerPiece * em * placer.data.crossed_by(leader.from, leader.to);
      if (away >= least) continue;
      best = box;
      best_leader = leader;
      least = away;
    }
  }
  if (!best) return false;
  put_leader(placer, best_leader, colour);
  place_block(placer, block, {best->left, best->top}, colour);
  return true;
}

// --- Names of lines ------------------------------------------------------------------------------------------------

constexpr double kLineNameGap = 0.2;  ///< ems between a line and its name
constexpr int kLineNameSteps = 24;    ///< places tried along the line, each side covering half the plot's width

/// Returns whether the legend above the plot has this name.
bool is_above(const SceneContext& context, const std::string& name) {
  return std::any_of(context.above.begin(), context.above.end(),
                     [&name](const LegendEntry& entry) { return entry.label == name; });
}

/// Adds the name of a line at the label's own x, or as near as it covers no curve: over its line, else under it, else
/// away from it with a leader.
void add_line_name(Placer& placer, const Label& label, const Line& line) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const Colour colour = ink_of(context, label.role, label.style);
  const Vec2 size = context.measure(label.text, context.text_style());
  const double gap = kLineNameGap * context.options.text_size, wanted = context.frame.x.to_pixel(label.x);
  for (int step = 0; step <= 2 * kLineNameSteps; ++step) {
    const double away = (step % 2 == 0 ? 1 : -1) * ((step + 1) / 2) * plot.width / (2.0 * kLineNameSteps);
    const double left = wanted + away - size.x / 2;
    const CurveExtent extent = extent_of(context.frame, line, left, left + size.x);
    if (std::isnan(extent.top) || left < plot.left) continue;
    for (const double top : {extent.top - gap - size.y, extent.bottom + gap}) {
      const Rect box{left, top, size.x, size.y};
      if (placer.is_open(box)) return placer.place(box, label.text, colour);
    }
  }
  if (context.options.names_lines && line.in_legend) return;
  const Vec2 tip{wanted, context.frame.y_of(line).to_pixel(label.y)};
  const WordBlock block{{label.text}, size};
  if (plot.contains(tip) && place_away(placer, block, colour, [tip](const Rect&) { return tip; })) return;
  LegendEntry entry = legend_entry_of(line);
  entry.label = label.text;
  placer.unplaced.push_back(std::move(entry));
}

/// Adds the labels that name lines: next to their lines, where nothing is in the way.
void add_line_names(Placer& placer) {
  const Figure& figure = placer.context.figure;
  for (const Label& label : figure.labels) {
    const std::size_t line = line_named_by(label, figure);
    if (line == figure.lines.size() || label.text.empty() || is_above(placer.context, label.text)) continue;
    add_line_name(placer, label, figure.lines[line]);
  }
}

// --- Legend --------------------------------------------------------------------------------------------------------

constexpr double kLargestWidth = 0.8, kLargestHeight = 0.6;  ///< shares of the plot
constexpr double kLargestLine = 0.9;                         ///< share of its height, for a legend of one line
constexpr int kLegendPlaceSteps = 6;                         ///< places tried along each side of the plot, minus one
constexpr std::size_t kMaxColumns = 4;
constexpr int kMaxHidden = 0;  ///< pieces of curves

/// The dimensions of a legend in columns: rows from the top, column after column.
struct LegendGrid {
  std::size_t rows = 0, columns = 0;
  std::vector<double> widths;  ///< widths of the columns
  double row = 0, line = 0, sample = 0, gap = 0, padding = 0;
  double width() const {
    double sum = 2 * padding + 2 * gap * static_cast<double>(columns - 1);
    for (const double width : widths) sum += width;
    return sum;
  }
  double height() const { return 2 * padding + row * static_cast<double>(rows); }
};

LegendGrid measure_legend_grid(const std::vector<LegendEntry>& entries, std::size_t columns,
                               const SceneContext& context) {
  const double em = context.options.text_size;
  LegendGrid grid;
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

struct PlacedLegend {
  LegendGrid grid;
  Rect box;
};

/// Returns candidate places of a box: the requested corner; else the corners, lower ones first because names of rules
/// are along the top, then places in between.
std::vector<Vec2> places_of(const FigureOptions& options, const Rect& plot, double margin, double width,
                            double height) {
  const double left = plot.left + margin, right = plot.right() - margin - width;
  const double top = plot.top + margin, bottom = plot.bottom() - margin - height;
  if (!options.entries.empty()) {
    return {{options.corner.x > 0 ? right : left, options.corner.y > 0 ? bottom : top}};
  }
  std::vector<Vec2> places{{right, bottom}, {left, top}, {left, bottom}, {right, top}};
  for (int down = 0; down <= kLegendPlaceSteps; ++down) {
    for (int along = 0; along <= kLegendPlaceSteps; ++along) {
      places.push_back(
          {right + (left - right) * along / kLegendPlaceSteps, top + (bottom - top) * down / kLegendPlaceSteps});
    }
  }
  return places;
}

/// Returns the place and number of columns that hide nothing; nullopt if there are none: the names are then above the
/// plot. A place that the user chose may hide something. On a tie, fewer columns win.
std::optional<PlacedLegend> best_place(const std::vector<LegendEntry>& entries, const SceneContext& context,
                                       const Obstacles& data) {
  const Rect& plot = context.frame.plot;
  const double margin = 0.6 * context.options.text_size;
  // Dots extend beyond their curves.
  const double air = context.figure.points.empty() ? 0 : 2.5 * context.options.line_width;
  const bool asked = !context.options.entries.empty();
  std::optional<PlacedLegend> best;
  int least = 0;
  for (std::size_t columns = 1; columns <= std::min(entries.size(), kMaxColumns); ++columns) {
    const LegendGrid grid = measure_legend_grid(entries, columns, context);
    const double width = grid.width(), height = grid.height();
    const double largest = grid.rows == 1 ? kLargestLine : kLargestHeight;
    if (height > largest * plot.height || width > kLargestWidth * plot.width) continue;
    const double inset = std::min(margin, (plot.height - height) / 2);
    for (const Vec2& place : places_of(context.options, plot, inset, width, height)) {
      const Rect box{place.x, place.y, width, height};
      const Rect covered{box.left - air, box.top - air, width + 2 * air, height + 2 * air};
      const int hidden = data.hidden_by(covered, INT_MAX) + (crossed_rules(context, covered) > 0 ? 1 : 0);
      if (best && hidden >= least) continue;
      best = PlacedLegend{grid, box};
      least = hidden;
      if (least == 0) return best;
    }
  }
  return asked || least <= kMaxHidden ? best : std::nullopt;
}

/// Adds the stroke, disc, area or rule before the label of an entry, from `at` on.
void add_sample(Scene& scene, const LegendEntry& entry, Vec2 at, double length, const Palette& palette,
                const FigureOptions& options) {
  using Sample = LegendEntry::Sample;
  const Stroke stroke = stroke_of(palette, entry.style);
  const Colour colour = entry.role == Role::curve ? stroke.colour : colour_of(palette, entry.role);
  const double height = 0.7 * options.text_size;
  if (entry.sample == Sample::area || entry.band) {
    const double alpha = entry.sample == Sample::area ? 0.3 : 0.22;
    scene.items.push_back(RectItem{{at.x, at.y - height / 2, length, height}, with_alpha(colour, alpha), 0});
  }
  if (entry.sample == Sample::line || entry.sample == Sample::both) {
    const double width = options.line_width * width_of(entry.style);
    scene.items.push_back(PathItem{{at, {at.x + length, at.y}}, colour, width, stroke.dash});
  }
  if (entry.sample == Sample::disc || entry.sample == Sample::both) {
    scene.items.push_back(DiscItem{{at.x + length / 2, at.y}, 2 * options.line_width, colour});
  }
  if (entry.sample == Sample::rule) {
    scene.items.push_back(PathItem{
        {at, {at.x + length, at.y}}, colour, options.line_width / 1.75, entry.dashed ? Dash::long_dash : Dash::solid});
  }
}

/// Returns whether a label names a line next to it.
bool is_named_by_label(const Figure& figure, std::size_t line) {
  return std::any_of(figure.labels.begin(), figure.labels.end(),
                     [&](const Label& label) { return !label.text.empty() && line_named_by(label, figure) == line; });
}

/// Returns the entries named inside the plot: lines without a name next to them.
std::vector<LegendEntry> entries_of(const SceneContext& context) {
  std::vector<LegendEntry> entries = context.options.entries;
  if (!entries.empty() || !context.options.legend || !context.figure.legend) return entries;
  for (std::size_t i = 0; i < context.figure.lines.size(); ++i) {
    const Line& line = context.figure.lines[i];
    if (line.in_legend && !line.label.empty() && !is_named_by_label(context.figure, i)) {
      entries.push_back(legend_entry_of(line));
    }
  }
  return entries;
}

/// Adds the legend above the plot, and the one inside it where it hides nothing; returns the rectangle of that one, or
/// nullopt without one. Entries without a place inside are added to those for the legend above.
std::optional<Rect> add_legend(Placer& placer) {
  const SceneContext& context = placer.context;
  Scene& scene = placer.scene;
  if (context.frame.legend.height > 0) {
    add_legend_rows(scene, context.above, context.frame.legend, context.palette, context.options, context.measure);
  }
  std::vector<LegendEntry> entries = entries_of(context);
  std::erase_if(entries, [&](const LegendEntry& entry) { return is_above(context, entry.label); });
  if (entries.empty()) return std::nullopt;
  const std::optional<PlacedLegend> place = best_place(entries, context, placer.data);
  if (!place) {
    placer.unplaced = std::move(entries);
    return std::nullopt;
  }
  const Rect& box = place->box;
  const LegendGrid& grid = place->grid;
  // A sheet with an outline: without one the grid seems broken.
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

// --- Labels --------------------------------------------------------------------------------------------------------

constexpr double kMessageWidth = 0.94;  ///< share of the plot
constexpr double kMessageAir = 1.2;     ///< ems around a message without a grid

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
  double top = plot.top + (plot.height - 1.25 * line * static_cast<double>(lines.size())) / 2, widest = 0;
  for (const std::string& text : lines) widest = std::max(widest, context.measure(text, style).x);
  // On a sheet that hides the grid, which would strike the words through.
  const double air = kMessageAir * context.options.text_size;
  const Rect sheet{plot.left + (plot.width - widest) / 2 - air, top - air, widest + 2 * air,
                   1.25 * line * static_cast<double>(lines.size()) + 2 * air};
  const double left = std::max(sheet.left, plot.left), right = std::min(sheet.right(), plot.right());
  placer.scene.items.push_back(
      RectItem{{left, sheet.top, right - left, sheet.height}, context.palette.canvas, 0.3 * context.options.text_size});
  for (const std::string& text : lines) {
    const double width = context.measure(text, style).x;
    const Rect box{plot.left + (plot.width - width) / 2, top, width, line};
    if (is_inside(box, plot)) {
      placer.take(box);
      placer.scene.items.push_back(TextItem{{box.left, box.top}, 0, 0, text, style, context.palette.secondary, false});
    }
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

/// Places the label of a rule beside it in one line, or in several; first where no other rule passes, then away from it
/// with a leader, then where one passes. `places` are the corners for a block, `tip` where a leader from a box ends.
template <class Places, class Tip>
void add_rule_label(Placer& placer, const Rule& rule, const Places& places, const Tip& tip) {
  const SceneContext& context = placer.context;
  const Colour colour = label_colour(context, rule);
  const std::vector<WordBlock> blocks = blocks_of(context, rule.label);
  for (const bool crossed : {false, true}) {
    for (const WordBlock& block : blocks) {
      for (const Vec2& corner : places(block.size)) {
        const Rect box{corner.x, corner.y, block.size.x, block.size.y};
        if (!placer.is_open(box) || (!crossed && crossed_rules(context, box) > 0)) continue;
        return place_block(placer, block, corner, colour);
      }
    }
    if (crossed) break;
    for (const WordBlock& block : blocks) {
      if (place_away(placer, block, colour, tip)) return;
    }
  }
  LegendEntry entry{rule.label, rule.style, LegendEntry::Sample::rule};
  entry.role = rule.role == Role::line ? Role::secondary : rule.role;
  entry.dashed = rule.dashed;
  placer.unplaced.push_back(std::move(entry));
}

/// Adds the label of a vertical rule: at the top or lower, right of it, else left.
void add_vertical_label(Placer& placer, const Rule& rule) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, at = context.frame.x.to_pixel(rule.at);
  const auto places = [&](Vec2 size) {
    std::vector<Vec2> corners;
    for (double top = plot.top + 0.3 * em; top + size.y <= plot.bottom(); top += 0.6 * em) {
      corners.push_back({at + 0.5 * em, top});
      corners.push_back({at - 0.5 * em - size.x, top});
    }
    return corners;
  };
  add_rule_label(placer, rule, places, [at](const Rect& box) { return Vec2{at, box.top + box.height / 2}; });
}

/// Adds the label of a level: on its rule at the right end, else under it, else at the left end, or in between.
void add_horizontal_label(Placer& placer, const Rule& rule) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, at = context.frame.y.to_pixel(rule.at);
  const auto places = [&](Vec2 size) {
    std::vector<Vec2> corners;
    const double right = plot.right() - 0.5 * em - size.x, left = plot.left + 0.5 * em;
    for (const double share : {1.0, 0.0, 0.5, 0.75, 0.25, 0.875, 0.625, 0.375, 0.125}) {
      const double x = left + share * (right - left);
      corners.push_back({x, at - 0.15 * em - size.y});
      corners.push_back({x, at + 0.15 * em});
    }
    return corners;
  };
  add_rule_label(placer, rule, places, [at](const Rect& box) { return Vec2{box.left + box.width / 2, at}; });
}

/// Places the name of a point around it: at the sides, above and below, then at the corners; and a little farther away.
/// With `crossed`, also where a rule passes.
std::optional<Rect> place_around(const Placer& placer, Vec2 at, Vec2 size, bool crossed) {
  const double near = near_mark(placer.context);
  for (const double lines : {0.0, 0.8, 1.6}) {
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
      if (!placer.is_open(box) || !placer.can_lead({nearest_in(box, at), at})) continue;
      if (crossed || crossed_rules(placer.context, box) == 0) return box;
    }
  }
  return std::nullopt;
}

/// Adds a line from a name to its point if another point or name is as near.
void add_leader(Placer& placer, const Rect& box, Vec2 at, Colour colour) {
  const Segment leader{nearest_in(box, at), at};
  if (std::hypot(leader.from.x - at.x, leader.from.y - at.y) <= 1.5 * near_mark(placer.context)) return;
  put_leader(placer, leader, colour);
}

/// Adds the names of points in this order; returns the number of those with a place.
int add_names_in(Placer& placer, const Points& points, const std::vector<std::size_t>& order) {
  const SceneContext& context = placer.context;
  const Colour colour = stroke_of(context.palette, points.style).colour;
  const bool is_large = context.options.clear_words;
  int placed = 0;
  for (const std::size_t i : order) {
    const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
    const Vec2 size = context.measure(points.names[i], context.text_style());
    const auto place = [&](bool crossed) {
      const auto box = place_around(placer, at, size, crossed);
      if (!box) return false;
      add_leader(placer, *box, at, colour);
      placer.place(*box, points.names[i], colour);
      return true;
    };
    const auto place_with_leader = [&] {
      const std::vector<WordBlock> blocks = blocks_of(context, points.names[i]);
      return std::any_of(blocks.begin(), blocks.end(), [&](const WordBlock& block) {
        // Large names where rules pass cannot be read.
        return place_away(
            placer, block, colour, [at](const Rect&) { return at; }, !is_large);
      });
    };
    placed += place(false) || place_with_leader() || (!is_large && place(true)) ? 1 : 0;
  }
  return placed;
}

/// Adds the names of points, in the first order in which most of them have a place: as given, from the top, from the
/// bottom, from the right.
void add_point_names(Placer& placer, const Points& points) {
  const SceneContext& context = placer.context;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < std::min({points.names.size(), points.xs.size(), points.ys.size()}); ++i) {
    const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
    if (!points.names[i].empty() && context.frame.plot.contains(at)) order.push_back(i);
  }
  const std::size_t items = placer.scene.items.size(), taken = placer.taken.size(), leaders = placer.leaders.size();
  const auto undo = [&] {
    placer.scene.items.resize(items);
    placer.taken.resize(taken);
    placer.leaders.resize(leaders);
  };
  const auto sorted = [&order](const auto& key) {
    std::vector<std::size_t> other = order;
    std::stable_sort(other.begin(), other.end(), [&key](std::size_t a, std::size_t b) { return key(a) > key(b); });
    return other;
  };
  std::vector<std::size_t> best = order;
  int most = add_names_in(placer, points, order);
  if (most == static_cast<int>(order.size())) return;
  for (const auto& tried : {sorted([&points](std::size_t i) { return points.ys[i]; }),
                            sorted([&points](std::size_t i) { return -points.ys[i]; }),
                            sorted([&points](std::size_t i) { return points.xs[i]; })}) {
    undo();
    const int placed = add_names_in(placer, points, tried);
    if (placed <= most) continue;
    most = placed;
    best = tried;
  }
  undo();
  add_names_in(placer, points, best);
}

/// Adds the label of a span at its bottom, or as near to it as it covers no curve; nothing if the span is too narrow.
void add_span_label(Placer& placer, const Span& span) {
  const SceneContext& context = placer.context;
  const Rect part = find_shown_part(context, span);
  const Vec2 size = context.measure(span.label, context.text_style());
  const double gap = 0.4 * context.options.text_size;
  if (span.label.empty() || is_above(context, span.label)) return;
  const double room_x = part.width - size.x - 2 * gap, room_y = part.height - size.y - 2 * gap;
  if (room_x < 0 || room_y < 0) return;
  constexpr int kSteps = 12;
  for (const bool crossed : {false, true}) {
    for (int up = 0; up <= kSteps; ++up) {
      for (const double along : {0.5, 0.25, 0.75, 0.0, 1.0}) {
        const Rect box{part.left + gap + along * room_x, part.top + gap + room_y * (kSteps - up) / kSteps, size.x,
                       size.y};
        if (!placer.is_open(box) || (!crossed && crossed_rules(context, box) > 0)) continue;
        return placer.place(box, span.label, context.palette.secondary);
      }
    }
  }
  LegendEntry entry{span.label, span.style, LegendEntry::Sample::area};
  entry.role = span.role;
  const auto same = [&span](const LegendEntry& other) { return other.label == span.label; };
  if (std::none_of(placer.unplaced.begin(), placer.unplaced.end(), same)) placer.unplaced.push_back(std::move(entry));
}

}  // namespace

bool has_words(const FigureAxis& axis) {
  return !axis.names.empty() && !find_counted_names(axis);
}

std::vector<Tick> axis_ticks(const FigureAxis& axis, double length, double gap, TickLabels labels) {
  const std::optional<CountedNames> names = find_counted_names(axis);
  if (!names) return make_ticks(axis, length, gap, labels);
  const Range range = drawable_range(axis.range, AxisScale::linear);
  FigureAxis counted;
  counted.range = {names->value_at(range.low), names->value_at(range.high)};
  counted.scale = names->logarithmic ? AxisScale::log : AxisScale::linear;
  counted.whole =
      std::all_of(names->values.begin(), names->values.end(), [](double value) { return value == std::round(value); });
  std::vector<Tick> ticks;
  // If steps vary, ticks are closer than intended.
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
  const double room = upright ? frame.names_height : apart - kMinNameGap * options.text_size;
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

std::size_t line_named_by(const Label& label, const Figure& figure) {
  std::size_t i = 0;
  for (; label.role == Role::curve && i < figure.lines.size(); ++i) {
    const Line& line = figure.lines[i];
    if (line.style.slot != label.style.slot || !line.series || line.series->ys.empty()) continue;
    if (line.series->ys[nearest_index(*line.series, label.x)] == label.y) return i;
  }
  return figure.lines.size();
}

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
    const bool last_row = row == rows, last = i + 1 == entries.size();
    const std::string rest = "+" + std::to_string(entries.size() - i);
    const double rest_width = last ? 0 : measure(rest, style).x + entry_gap;
    const std::string text = elided(entry.label, style, room.width - before - rest_width, measure);
    const double width = before + measure(text, style).x;
    const double rest_room = last_row ? rest_width : 0;
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

double legend_height_above(const std::vector<LegendEntry>& entries, const SceneContext& context, double most) {
  Scene measured;
  const Rect& rect = context.frame.rect;
  return add_legend_rows(measured, entries, {rect.left, rect.top, rect.width, most}, context.palette, context.options,
                         context.measure);
}

LegendEntry legend_entry_of(const Line& line) {
  using Sample = LegendEntry::Sample;
  LegendEntry entry{line.label, line.style};
  if (line.marks == LineMarks::markers) entry.sample = Sample::disc;
  if (line.marks == LineMarks::both) entry.sample = Sample::both;
  entry.band = line.low && !line.bars;
  if (line.marks == LineMarks::none) entry.sample = Sample::area;
  return entry;
}

std::vector<LegendEntry> add_inner_labels(Scene& scene, const SceneContext& context) {
  const Obstacles data(scene, context.frame.plot, context.options);
  Placer placer{scene, context, data};
  for (const SceneItem& item : scene.items) {
    if (const auto* text = std::get_if<TextItem>(&item)) placer.taken.push_back(box_of(*text, context.measure));
  }
  if (const auto legend = add_legend(placer)) placer.taken.push_back(*legend);
  for (const Points& points : context.figure.points) {
    const double radius = 2 * context.options.line_width;
    for (std::size_t i = 0; i < std::min(points.xs.size(), points.ys.size()); ++i) {
      const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
      placer.taken.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
    }
  }
  add_notes(placer);
  add_words(placer);
  add_line_names(placer);
  add_message(placer);
  std::vector<Rule> rules;
  for (const Rule& rule : context.figure.rules) {
    if (!rule.label.empty() && is_shown(context, rule) && !is_above(context, rule.label)) rules.push_back(rule);
  }
  // From left to right, so equal figures get equal places whatever the order of their rules.
  std::stable_sort(rules.begin(), rules.end(),
                   [](const Rule& a, const Rule& b) { return a.vertical != b.vertical ? a.vertical : a.at < b.at; });
  for (const Rule& rule : rules) {
    if (rule.vertical) {
      add_vertical_label(placer, rule);
    } else {
      add_horizontal_label(placer, rule);
    }
  }
  for (const Points& points : context.figure.points) add_point_names(placer, points);
  for (const Span& span : context.figure.spans) add_span_label(placer, span);
  return std::move(placer.unplaced);
}

}  // namespace ropescope
