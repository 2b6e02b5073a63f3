#include <algorithm>
#include <cmath>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

constexpr double kLargestWidth = 0.8, kLargestHeight = 0.6;  ///< shares of the plot
constexpr double kBackdropAlpha = 0.85;                      ///< behind the names, which may lie on a curve
constexpr std::size_t kMostColumns = 4;

/// The measures of a legend in columns: rows from the top, column after column.
struct Grid {
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

Grid grid_of(const std::vector<const Line*>& lines, std::size_t columns, const Layout& layout) {
  const double em = layout.options.text_size;
  Grid grid;
  grid.rows = (lines.size() + columns - 1) / columns;
  grid.columns = (lines.size() + grid.rows - 1) / grid.rows;
  grid.line = layout.measure("0", layout.text_style()).y;
  grid.row = 1.2 * grid.line;
  grid.sample = 2.2 * em;
  grid.gap = 0.6 * em;
  grid.padding = 0.4 * em;
  grid.widths.assign(grid.columns, 0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    double& width = grid.widths[i / grid.rows];
    width = std::max(width, grid.sample + grid.gap + layout.measure(lines[i]->label, layout.text_style()).x);
  }
  return grid;
}

/// How much of the curves a box would hide, in samples.
int hidden_samples(const Layout& layout, const Rect& box) {
  const int samples = static_cast<int>(2 * box.width / layout.options.text_size) + 1;
  int count = 0;
  for (const Line& line : layout.figure.lines) {
    if (!line.series || line.series->ys.empty()) continue;
    for (int i = 0; i < samples; ++i) {
      const double x = box.left + box.width * (i + 0.5) / samples;
      const double y = line.series->ys[nearest_index(*line.series, layout.frame.x.to_value(x))];
      count += box.contains({x, layout.frame.y.to_pixel(y)}) ? 1 : 0;
    }
  }
  return count;
}

struct Place {
  Grid grid;
  Rect box;
};

/// The corner and the number of columns that hide least; none where no number of columns fits. Where it makes no
/// difference few columns win, and the lower corners, as names of rules stand along the top.
std::optional<Place> best_place(const std::vector<const Line*>& lines, const Layout& layout) {
  const Rect& plot = layout.frame.plot;
  const double margin = 0.6 * layout.options.text_size;
  std::optional<Place> best;
  int least = 0;
  for (std::size_t columns = 1; columns <= std::min(lines.size(), kMostColumns); ++columns) {
    const Grid grid = grid_of(lines, columns, layout);
    const double width = grid.width(), height = grid.height();
    if (height > kLargestHeight * plot.height || width > kLargestWidth * plot.width) continue;
    const double left = plot.left + margin, right = plot.right() - margin - width;
    const double top = plot.top + margin, bottom = plot.bottom() - margin - height;
    for (const Vec2 corner : {Vec2{right, bottom}, Vec2{left, top}, Vec2{left, bottom}, Vec2{right, top}}) {
      const Rect box{corner.x, corner.y, width, height};
      const int hidden = hidden_samples(layout, box);
      if (best && hidden >= least) continue;
      best = Place{grid, box};
      least = hidden;
    }
  }
  return best;
}

}  // namespace

std::optional<Rect> add_legend(Scene& scene, const Layout& layout) {
  if (!layout.options.legend || !layout.figure.legend) return std::nullopt;
  std::vector<const Line*> lines;
  for (const Line& line : layout.figure.lines) {
    if (line.in_legend && !line.label.empty()) lines.push_back(&line);
  }
  const std::optional<Place> place = best_place(lines, layout);
  if (!place) return std::nullopt;
  const Rect& box = place->box;
  const Grid& grid = place->grid;
  scene.items.push_back(
      RectItem{box, with_alpha(layout.palette.canvas, kBackdropAlpha), 0.3 * layout.options.text_size});
  double left = box.left + grid.padding;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t row = i % grid.rows;
    if (row == 0 && i > 0) left += grid.widths[i / grid.rows - 1] + 2 * grid.gap;
    const double top = box.top + grid.padding + grid.row * static_cast<double>(row) + (grid.row - grid.line) / 2;
    const double middle = top + grid.line / 2;
    const LineStyle& style = lines[i]->style;
    const Stroke stroke = stroke_of(layout.palette, style);
    const double width = layout.options.line_width * (style.faint ? 0.6 : 1);
    scene.items.push_back(PathItem{{{left, middle}, {left + grid.sample, middle}}, stroke.colour, width, stroke.dash});
    scene.items.push_back(TextItem{
        {left + grid.sample + grid.gap, top}, 0, 0, lines[i]->label, layout.text_style(), layout.palette.text, false});
  }
  return box;
}

}  // namespace ropescope
