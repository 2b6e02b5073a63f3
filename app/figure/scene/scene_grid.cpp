// Layout of a table figure: column widths, rules above, below and under the head. Read scene_parts.h first.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/figure/grid.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

namespace {

// In ems.
constexpr double kRowHeight = 1.9, kHeadLine = 1.35, kHeadWidth = 8, kColumnGap = 1.6, kWidestGap = 4;
constexpr double kMaxAbove = 2;
constexpr double kWidestRowName = 0.45;  ///< share of the width

struct GridColumn {
  double width = 0;
  std::vector<std::string> head;
  bool numbers = false;
};

/// A table set at a size, with the rows that fit.
class SetGrid {
 public:
  SetGrid(const Figure& figure, const Rect& rect, double em, const MeasureText& measure)
      : figure_(figure), rect_(rect), em_(em), measure_(measure) {
    for (std::size_t i = 0; i < figure.grid.front().size(); ++i) columns_.push_back(column_of(i));
    for (const GridColumn& column : columns_) {
      width_ += column.width;
      head_lines_ = std::max(head_lines_, column.head.size());
    }
    const double gaps = static_cast<double>(columns_.size() - 1);
    if (gaps > 0) gap_ = std::clamp((rect.width - width_) / gaps, kColumnGap * em, kWidestGap * em);
    width_ += gaps * gap_;
  }

  bool fits() const { return width_ <= rect_.width + 0.5 && height(figure_.grid.size() - 1) <= rect_.height + 0.5; }

  void add_to(Scene& scene, const Palette& palette, double hairline) const {
    if (height(0) > rect_.height) return;
    std::size_t rows = figure_.grid.size() - 1;
    while (rows > 0 && height(rows) > rect_.height + 0.5) --rows;
    // A little below the edge if space allows.
    double y = rect_.top + std::clamp((rect_.height - height(rows)) / 2, 0.0, kMaxAbove * em_);
    if (!figure_.title.empty()) {
      const TextStyle style{1.1 * em_, FontWeight::semibold};
      scene.items.push_back(
          TextItem{{left(), y}, 0, 0, elided(figure_.title, style, rect_.width, measure_), style, palette.text, false});
      y += title_height();
    }
    add_rule(scene, y, palette.text, 1.6 * hairline);
    add_head(scene, y + head_padding(), palette.secondary);
    y += head_height();
    add_rule(scene, y, palette.faint, hairline);
    for (std::size_t row = 1; row <= rows; ++row, y += kRowHeight * em_) add_row(scene, y, row, palette.text);
    add_rule(scene, y, palette.text, 1.6 * hairline);
    if (rows + 1 == figure_.grid.size()) return;
    const std::string rest = "+" + std::to_string(figure_.grid.size() - 1 - rows);
    const TextStyle style{em_, FontWeight::regular};
    if (y + measure_(rest, style).y > rect_.bottom()) return;
    scene.items.push_back(TextItem{{left(), y}, 0, 0, rest, style, palette.secondary, false});
  }

 private:
  GridColumn column_of(std::size_t index) const {
    GridColumn column;
    column.numbers = is_column_of_numbers(figure_, index);
    const TextStyle style{em_, FontWeight::regular}, bold{em_, FontWeight::semibold};
    for (std::size_t row = 1; row < figure_.grid.size(); ++row) {
      column.width = std::max(column.width, measure_(figure_.grid[row][index].text, style).x);
    }
    if (index == 0) column.width = std::min(column.width, kWidestRowName * rect_.width);
    column.head = wrapped(figure_.grid[0][index].text, bold, std::max(column.width, kHeadWidth * em_), measure_);
    for (const std::string& line : column.head) column.width = std::max(column.width, measure_(line, bold).x);
    return column;
  }

  double title_height() const { return figure_.title.empty() ? 0 : 1.9 * em_; }
  double head_padding() const { return 0.35 * em_; }
  double head_height() const { return kHeadLine * em_ * static_cast<double>(head_lines_) + 2 * head_padding(); }
  double height(std::size_t rows) const {
    return title_height() + head_height() + kRowHeight * em_ * static_cast<double>(rows) + 2;
  }
  double left() const { return rect_.left + std::max(0.0, (rect_.width - width_) / 2); }

  void add_rule(Scene& scene, double y, Colour colour, double width) const {
    const double right = std::min(left() + width_, rect_.right());
    scene.items.push_back(PathItem{{{left(), y}, {right, y}}, colour, width, Dash::solid});
  }

  void add_cell(Scene& scene, const GridColumn& column, Vec2 at, const std::string& text, const TextStyle& style,
                Colour colour) const {
    const double room = std::min(column.width, rect_.right() - at.x);
    const std::string shown = elided(text, style, std::max(room, 0.0), measure_);
    if (shown.empty()) return;
    const double x = column.numbers ? at.x + room : at.x;
    scene.items.push_back(TextItem{{x, at.y}, column.numbers ? 1.0 : 0.0, 0.5, shown, style, colour, false});
  }

  void add_head(Scene& scene, double top, Colour colour) const {
    double x = left();
    for (const GridColumn& column : columns_) {
      // On the last line of the tallest head.
      double y = top + kHeadLine * em_ * (static_cast<double>(head_lines_ - column.head.size()) + 0.5);
      for (const std::string& line : column.head) {
        add_cell(scene, column, {x, y}, line, {em_, FontWeight::semibold}, colour);
        y += kHeadLine * em_;
      }
      x += column.width + gap_;
    }
  }

  void add_row(Scene& scene, double top, std::size_t row, Colour colour) const {
    double x = left();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      add_cell(scene, columns_[i], {x, top + kRowHeight * em_ / 2}, figure_.grid[row][i].text,
               {em_, FontWeight::regular}, colour);
      x += columns_[i].width + gap_;
    }
  }

  const Figure& figure_;
  const Rect& rect_;
  double em_;
  const MeasureText& measure_;
  std::vector<GridColumn> columns_;
  double width_ = 0, gap_ = 0;
  std::size_t head_lines_ = 0;
};

}  // namespace

FigureLayout lay_out_grid(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                          const MeasureText& measure) {
  constexpr double kSmallestShare = 0.6, kShareStep = 0.05;
  FigureLayout result;
  // Nothing in it is a place of data.
  result.plot = {rect.left, rect.top, 0, 0};
  double share = 1;
  const auto size = [&] {
    return std::max(share * options.text_size, std::min(options.least_text, options.text_size));
  };
  while (share > kSmallestShare && !SetGrid(figure, rect, size(), measure).fits()) share -= kShareStep;
  SetGrid(figure, rect, size(), measure).add_to(result.scene, palette, options.line_width / 1.75);
  return result;
}

}  // namespace ropescope
