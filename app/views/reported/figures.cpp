#include "app/views/reported/figures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/figure/number_text.h"
#include "app/views/shared/axes.h"

namespace ropescope {

namespace {

constexpr LineStyle kRoformer{0, false}, kOlder{1, false}, kWordBased{2, false};
constexpr double kReportedThick = 0.78;  ///< of a bar whose row is 1

/// A model keeps its colour in every table.
LineStyle style_of_reported(const ReportedTable::Row& row) {
  if (row.name.starts_with("roformer")) return kRoformer;
  return row.name.starts_with("wobert") ? kWordBased : kOlder;
}

std::string reported_row_name(const ReportedTable::Row& row, const Text& text) {
  return text["view.reported.row." + row.name];
}

/// Lines from below to the upper right across a bar.
Path hatch_of(const Box& bar, double full_width) {
  Path hatch;
  hatch.style = bar.style;
  hatch.width = 0.6;
  const double step = full_width / 60, lean = step;
  const auto add = [&](double x, double y) {
    hatch.xs.push_back(x);
    hatch.ys.push_back(y);
  };
  for (double from = bar.x.low - lean + step / 2; from < bar.x.high; from += step) {
    const double begin = std::max(from, bar.x.low), end = std::min(from + lean, bar.x.high);
    if (begin >= end) continue;
    const auto height = [&](double x) { return bar.y.high + (bar.y.low - bar.y.high) * (x - from) / lean; };
    add(begin, height(begin));
    add(end, height(end));
    add(std::nan(""), std::nan(""));
  }
  return hatch;
}

Box bar_at(const Range& along, double row, double thickness, const LineStyle& style) {
  Box box;
  box.x = along;
  box.y = {row - thickness / 2, row + thickness / 2};
  box.style = style;
  return box;
}

struct ReportedDrawing {
  Figure& figure;
  const ReportedChoice& choice;
  const Text& text;
  double most = 100;  ///< end of the bars' axis
};

void add_bar_reported(const ReportedDrawing& d, const Box& bar, bool hatched) {
  Box part = bar;
  for (const bool filled : {true, true, false}) {
    // What is hatched has no other filling.
    if (filled && hatched) continue;
    part.filled = filled;
    d.figure.boxes.push_back(part);
  }
  if (hatched) d.figure.paths.push_back(hatch_of(bar, d.most));
}

/// The bar of a number, with the number as it was printed behind it.
void add_number(const ReportedDrawing& d, const ReportedTable::Row& row, std::size_t column, double at,
                double thickness) {
  const double value = row.values[column];
  add_bar_reported(d, bar_at({0, value}, at, thickness, style_of_reported(row)), row.other_set);
  Label number;
  number.x = value;
  number.y = at;
  number.anchor_x = -0.18;
  number.text = readable_fixed(value, d.choice.table.decimals);
  d.figure.labels.push_back(number);
}

void add_frame(const ReportedDrawing& d, const Range& rows) {
  Box frame;
  frame.x = {0, d.figure.x.range.high};
  frame.y = rows;
  frame.role = Role::accent;
  d.figure.boxes.push_back(frame);
}

void add_words(const ReportedDrawing& d, double x, double y, const std::string& words, Role role) {
  Label label;
  label.x = x;
  label.y = y;
  label.anchor_x = 0;
  label.text = words;
  label.role = role;
  d.figure.labels.push_back(label);
}

/// Every column is a row of the picture with a bar for each model; who is who stands above.
void add_tasks(const ReportedDrawing& d) {
  const ReportedTable& table = d.choice.table;
  const auto bars = static_cast<double>(table.rows.size());
  const double each = kReportedThick / bars;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const auto at = static_cast<double>(column);
    d.figure.y.names.push_back(d.text["option.reported.task." + table.columns[column]]);
    if (column == d.choice.column) add_frame(d, {at - 0.5, at + 0.5});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      add_number(d, table.rows[i], column, at - kReportedThick / 2 + each * (static_cast<double>(i) + 0.5), 0.9 * each);
    }
  }
  d.figure.y.range = {-1.3, static_cast<double>(table.columns.size()) - 0.5};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const double left = (0.01 + 0.52 * static_cast<double>(i)) * d.most, wide = 0.035 * d.most;
    add_bar_reported(d, bar_at({left, left + wide}, -0.9, 0.5, style_of_reported(table.rows[i])),
                     table.rows[i].other_set);
    add_words(d, left + 1.35 * wide, -0.9, d.text["view.reported.legend." + table.rows[i].name], Role::text);
  }
}

/// Every model is a row of the picture, once for each column; several columns have their names above them.
void add_models_reported(const ReportedDrawing& d) {
  const ReportedTable& table = d.choice.table;
  const bool several = table.columns.size() > 1;
  double at = 0;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (several) {
      add_words(d, 0.01 * d.most, at, d.text["view.reported.column." + table.columns[column]], Role::secondary);
      d.figure.y.names.emplace_back();
      at += 1;
    }
    if (several && column == d.choice.column) {
      add_frame(d, {at - 1.5, at + static_cast<double>(table.rows.size()) - 0.5});
    }
    for (const ReportedTable::Row& row : table.rows) {
      d.figure.y.names.push_back(reported_row_name(row, d.text));
      add_number(d, row, column, at, several ? kReportedThick : 0.5);
      at += 1;
    }
  }
  d.figure.y.range = {-0.5, at - 0.5};
}

/// Round, and beyond the longest bar.
double end_of(const ReportedTable& table) {
  double most = 0;
  for (const ReportedTable::Row& row : table.rows) {
    for (const double value : row.values) most = std::max(most, value);
  }
  return 10 * std::ceil(most / 10);
}

}  // namespace

Figure reported_figure(const ReportedChoice& choice, const Text& text) {
  Figure figure;
  figure.name = "reported";
  figure.title = text.format(
      "view.reported.title." + choice.table.name,
      {{"paper", choice.paper.paper}, {"source", choice.paper.source}, {"table", std::to_string(choice.table.number)}});
  const ReportedDrawing drawing{figure, choice, text, end_of(choice.table)};
  figure.x.name = "value";
  figure.x.label = text["view.reported.measure." + choice.table.name];
  figure.x = fixed_axis(figure.x, {0, 1.1 * drawing.most});
  figure.x.counted = Range{0, drawing.most};
  figure.y.name = "row";
  figure.y.reversed = true;
  if (choice.table.name == "glue") {
    add_tasks(drawing);
  } else {
    add_models_reported(drawing);
  }
  figure.y.fit = figure.y.range;
  return figure;
}

}  // namespace ropescope
