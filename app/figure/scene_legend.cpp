#include <algorithm>
#include <cmath>

#include "app/figure/scene_parts.h"

namespace ropescope {

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

SceneLegendGrid grid_of_scene_legend(const std::vector<const Line*>& lines, std::size_t columns,
                                     const SceneContext& context) {
  const double em = context.options.text_size;
  SceneLegendGrid grid;
  grid.rows = (lines.size() + columns - 1) / columns;
  grid.columns = (lines.size() + grid.rows - 1) / grid.rows;
  grid.line = context.measure("0", context.text_style()).y;
  grid.row = 1.2 * grid.line;
  grid.sample = 2.2 * em;
  grid.gap = 0.6 * em;
  grid.padding = 0.4 * em;
  grid.widths.assign(grid.columns, 0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    double& width = grid.widths[i / grid.rows];
    width = std::max(width, grid.sample + grid.gap + context.measure(lines[i]->label, context.text_style()).x);
  }
  return grid;
}

struct SceneLegendPlace {
  SceneLegendGrid grid;
  Rect box;
};

/// Where a box may stand: the corners, the lower ones first, as names of rules stand along the top; then in between.
std::vector<Vec2> places_of(const Rect& plot, double margin, double width, double height) {
  const double left = plot.left + margin, right = plot.right() - margin - width;
  const double top = plot.top + margin, bottom = plot.bottom() - margin - height;
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
std::optional<SceneLegendPlace> best_place(const std::vector<const Line*>& lines, const SceneContext& context) {
  const Rect& plot = context.frame.plot;
  const double margin = 0.6 * context.options.text_size;
  const CurveSamples curves(context);
  std::optional<SceneLegendPlace> best;
  int least = 0;
  for (std::size_t columns = 1; columns <= std::min(lines.size(), kMostColumns); ++columns) {
    const SceneLegendGrid grid = grid_of_scene_legend(lines, columns, context);
    const double width = grid.width(), height = grid.height();
    const double largest = grid.rows == 1 ? kLargestLine : kLargestHeight;
    if (height > largest * plot.height || width > kLargestWidth * plot.width) continue;
    for (const Vec2& place : places_of(plot, std::min(margin, (plot.height - height) / 2), width, height)) {
      const Rect box{place.x, place.y, width, height};
      const int hidden = curves.hidden_by(box);
      if (best && hidden >= least) continue;
      best = SceneLegendPlace{grid, box};
      least = hidden;
      if (least == 0) return best;
    }
  }
  return least <= kMostHidden ? best : std::nullopt;
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
    const std::string text = elided(entry.label, style, room.width - sample - sample_gap, measure);
    const double width = sample + sample_gap + measure(text, style).x;
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
    const Stroke stroke = stroke_of(palette, entry.style);
    const double middle = y + line / 2;
    if (entry.points) {
      scene.items.push_back(DiscItem{{x + sample / 2, middle}, 2 * options.line_width, stroke.colour});
    } else {
      const double stroke_width = options.line_width * (entry.style.faint ? 0.6 : 1);
      scene.items.push_back(PathItem{{{x, middle}, {x + sample, middle}}, stroke.colour, stroke_width, stroke.dash});
    }
    scene.items.push_back(TextItem{{x + sample + sample_gap, y}, 0, 0, text, style, palette.text, false});
    x += width + entry_gap;
  }
  return std::ceil(row * row_height);
}

namespace {

std::vector<const Line*> lines_in_legend(const SceneContext& context) {
  std::vector<const Line*> lines;
  if (!context.options.legend || !context.figure.legend) return lines;
  for (const Line& line : context.figure.lines) {
    if (line.in_legend && !line.label.empty()) lines.push_back(&line);
  }
  return lines;
}

std::vector<LegendEntry> entries_of(const std::vector<const Line*>& lines) {
  std::vector<LegendEntry> entries;
  for (const Line* line : lines) entries.push_back({line->label, line->style, false});
  return entries;
}

}  // namespace

double legend_height_above(const SceneContext& context, double most) {
  const std::vector<const Line*> lines = lines_in_legend(context);
  if (lines.empty() || best_place(lines, context)) return 0;
  Scene measured;
  const Rect& rect = context.frame.rect;
  return add_legend_rows(measured, entries_of(lines), {rect.left, rect.top, rect.width, most}, context.palette,
                         context.options, context.measure);
}

std::optional<Rect> add_legend(Scene& scene, const SceneContext& context) {
  const std::vector<const Line*> lines = lines_in_legend(context);
  const Rect& above = context.frame.legend;
  if (above.height > 0 && !lines.empty()) {
    add_legend_rows(scene, entries_of(lines), above, context.palette, context.options, context.measure);
    return above;
  }
  const std::optional<SceneLegendPlace> place = best_place(lines, context);
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
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t row = i % grid.rows;
    if (row == 0 && i > 0) left += grid.widths[i / grid.rows - 1] + 2 * grid.gap;
    const double top = box.top + grid.padding + grid.row * static_cast<double>(row) + (grid.row - grid.line) / 2;
    const double middle = top + grid.line / 2;
    const LineStyle& style = lines[i]->style;
    const Stroke stroke = stroke_of(context.palette, style);
    const double width = context.options.line_width * (style.faint ? 0.6 : 1);
    scene.items.push_back(PathItem{{{left, middle}, {left + grid.sample, middle}}, stroke.colour, width, stroke.dash});
    scene.items.push_back(TextItem{{left + grid.sample + grid.gap, top},
                                   0,
                                   0,
                                   lines[i]->label,
                                   context.text_style(),
                                   context.palette.text,
                                   false});
  }
  return box;
}

}  // namespace ropescope
