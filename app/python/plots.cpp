// Panels of a figure as Python data, which ropescope/plots.py draws on matplotlib axes: the same numbers, labels and
// colours as in our own painters. Read figures.h and app/figure/figure.h first.

#include <pybind11/stl.h>

#include <cstdio>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/python/figures.h"

namespace ropescope::python {

namespace {

/// Returns "#0072b2ff".
std::string colour_text(const Colour& colour) {
  char text[10];
  std::snprintf(text, sizeof text, "#%02x%02x%02x%02x", colour.red, colour.green, colour.blue, colour.alpha);
  return text;
}

py::dict axis_data(const FigureAxis& axis) {
  py::dict data;
  data["label"] = axis.label;
  data["scale"] = std::string(kWordsOf<AxisScale>[static_cast<std::size_t>(axis.scale)]);
  data["range"] =
      axis.reversed ? py::make_tuple(axis.range.high, axis.range.low) : py::make_tuple(axis.range.low, axis.range.high);
  return data;
}

py::array_t<double> numbers_array(const std::vector<double>& numbers) {
  return array_of(numbers, {std::ssize(numbers)});
}

py::dict line_data(const Line& line, const Palette& colours) {
  const Series& series = *line.series;
  std::vector<double> xs(series.ys.size());
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = series.x_at(i);
  const Stroke stroke = stroke_of(colours, line.style);
  py::dict data;
  data["key"] = line.key;
  data["label"] = line.in_legend ? line.label : std::string();
  data["x"] = numbers_array(xs);
  data["y"] = numbers_array(series.ys);
  data["color"] = colour_text(stroke.colour);
  data["dashes"] = dash_pattern(stroke.dash, 1);
  data["width"] = line.style.faint ? 0.6 : 1.0;
  data["right"] = line.right;
  return data;
}

py::dict points_data(const Points& points, const Palette& colours) {
  py::dict data;
  data["label"] = points.label;
  data["x"] = numbers_array(points.xs);
  data["y"] = numbers_array(points.ys);
  data["color"] = colour_text(stroke_of(colours, points.style).colour);
  return data;
}

py::dict rule_data(const Rule& rule, const Palette& colours) {
  const Role role = rule.role == Role::line ? Role::secondary : rule.role;
  py::dict data;
  data["vertical"] = rule.vertical;
  data["at"] = rule.at;
  data["label"] = rule.label;
  data["dashed"] = rule.dashed;
  data["color"] =
      colour_text(rule.role == Role::curve ? stroke_of(colours, rule.style).colour : colour_of(colours, role));
  return data;
}

py::dict map_data(const Map& map, const Palette& colours) {
  std::vector<double> values(map.cells->values.begin(), map.cells->values.end());
  std::vector<std::string> table;
  for (const Colour& colour : colour_table(map.colours, colours)) table.push_back(colour_text(colour));
  py::dict data;
  data["label"] = map.label;
  data["bar"] = map.bar;
  data["values"] = array_of(
      std::move(values), {static_cast<std::int64_t>(map.cells->rows), static_cast<std::int64_t>(map.cells->columns)});
  data["extent"] = py::make_tuple(map.x.low, map.x.high, map.y.low, map.y.high);
  data["range"] = py::make_tuple(map.range.low, map.range.high);
  data["colors"] = table;
  return data;
}

template <class Parts, class Data>
py::list list_data(const Parts& parts, const Palette& colours, const Data& data) {
  py::list list;
  for (const auto& part : parts) list.append(data(part, colours));
  return list;
}

}  // namespace

py::list panels_for_plots(const std::vector<Panel>& panels, ThemeName theme) {
  const Palette colours = palette(theme);
  py::list list;
  for (const Panel& panel : panels) {
    const Figure& figure = panel.figure;
    py::dict data;
    data["name"] = figure.name;
    data["title"] = figure.title;
    data["x"] = axis_data(figure.x);
    data["y"] = axis_data(figure.y);
    data["right"] = figure.right ? py::object(axis_data(*figure.right)) : py::object(py::none());
    data["lines"] = list_data(figure.lines, colours, line_data);
    data["points"] = list_data(figure.points, colours, points_data);
    data["rules"] = list_data(figure.rules, colours, rule_data);
    data["maps"] = list_data(figure.maps, colours, map_data);
    data["equal_axes"] = figure.equal_axes;
    list.append(data);
  }
  return list;
}

}  // namespace ropescope::python
