#include <cmath>
#include <string>

#include "app/figure/table_maps.h"
#include "app/resources/formulas.h"

namespace ropescope {

namespace {

/// Rows of one figure; NaN leaves a cell empty.
class MarkRows {
 public:
  MarkRows(const Figure& figure, const Formulas* formulas) : figure_(figure), formulas_(formulas) {
    const auto name = [](const FigureAxis& axis, const char* plain) { return axis.name.empty() ? plain : axis.name; };
    csv = "mark,key,number," + quoted(name(figure.x, "x")) + "," + quoted(name(figure.y, "y")) + ",label\n";
  }

  void add(const char* mark, const std::string& key, std::size_t number, double x, double y, const std::string& label) {
    csv += std::string(mark) + "," + quoted(key) + "," + std::to_string(number) + "," + cell(figure_.x, x) + "," +
           cell(figure_.y, y) + "," + quoted(plain_text(formulas_, label)) + "\n";
  }

  std::string csv;

 private:
  static std::string cell(const FigureAxis& axis, double value) {
    return std::isnan(value) ? std::string() : cell_of(axis, value);
  }
  const Figure& figure_;
  const Formulas* formulas_;
};

void add_rules_table_marks(const Figure& figure, MarkRows& rows) {
  for (const Rule& rule : figure.rules) {
    rows.add("rule", "", 0, rule.vertical ? rule.at : std::nan(""), rule.vertical ? std::nan("") : rule.at, rule.label);
  }
  for (const Span& span : figure.spans) {
    for (const std::size_t end : {0u, 1u}) {
      const double at = end == 0 ? span.low : span.high;
      rows.add("span", "", end, span.vertical ? at : std::nan(""), span.vertical ? std::nan("") : at, span.label);
    }
  }
}

}  // namespace

bool has_marks(const Figure& figure) {
  return !(figure.points.empty() && figure.paths.empty() && figure.arrows.empty() && figure.boxes.empty() &&
           figure.labels.empty());
}

std::string marks_csv(const Figure& figure, const Formulas* formulas) {
  MarkRows rows(figure, formulas);
  for (const Points& points : figure.points) {
    for (std::size_t i = 0; i < points.xs.size(); ++i) {
      rows.add("point", points.key, i, points.xs[i], points.ys[i],
               i < points.names.size() ? points.names[i] : points.label);
    }
  }
  for (const Arrow& arrow : figure.arrows) {
    rows.add("arrow", arrow.key, 0, arrow.x0, arrow.y0, arrow.label);
    rows.add("arrow", arrow.key, 1, arrow.x1, arrow.y1, arrow.label);
  }
  for (const Path& path : figure.paths) {
    for (std::size_t i = 0; i < path.xs.size(); ++i) rows.add("path", path.key, i, path.xs[i], path.ys[i], "");
  }
  for (const Box& box : figure.boxes) {
    rows.add("box", "", 0, box.x.low, box.y.low, "");
    rows.add("box", "", 1, box.x.high, box.y.high, "");
  }
  for (const Label& label : figure.labels) {
    if (!label.hint) rows.add("label", "", 0, label.x, label.y, label.text);
  }
  for (const FigureNote& note : figure.notes) {
    rows.add("note", "", 0, note.text_x, note.text_y, note.text);
    rows.add("note", "", 1, note.x, note.y, note.text);
  }
  add_rules_table_marks(figure, rows);
  return rows.csv;
}

}  // namespace ropescope
