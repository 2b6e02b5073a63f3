#include "app/figure/table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/figure/number_text.h"
#include "app/figure/table_maps.h"
#include "app/resources/formulas.h"

namespace ropescope {

namespace {

/// The part of a line inside the shown range.
struct TablePart {
  const Line* line;
  std::size_t begin, end;
};

std::vector<TablePart> shown_parts(const Figure& figure) {
  std::vector<TablePart> parts;
  for (const Line& line : figure.lines) {
    if (!line.series) {
      parts.push_back({&line, 0, 0});
      continue;
    }
    const std::size_t begin = lower_index(*line.series, figure.x.range.low);
    std::size_t end = lower_index(*line.series, figure.x.range.high);
    while (end < line.series->ys.size() && line.series->x_at(end) <= figure.x.range.high) ++end;
    parts.push_back({&line, begin, std::max(begin, end)});
  }
  return parts;
}

/// Without trends ("current.trend") beside lines of every distance: they are sampled at distances of their own, and a
/// column of them would be empty nearly everywhere.
std::vector<TablePart> column_parts(const Figure& figure) {
  std::vector<TablePart> parts = shown_parts(figure);
  const auto is_trend = [](const TablePart& part) { return std::string_view(part.line->key).ends_with(".trend"); };
  if (!std::all_of(parts.begin(), parts.end(), is_trend)) std::erase_if(parts, is_trend);
  return parts;
}

const char* scale_name(AxisScale scale) {
  switch (scale) {
    case AxisScale::linear:
      return "linear";
    case AxisScale::log:
      return "log";
    case AxisScale::symlog:
      return "symlog";
  }
  return "linear";
}

Json axis_json(const FigureAxis& axis) {
  Json json = {{"name", axis.name},
               {"label", axis.label},
               {"scale", scale_name(axis.scale)},
               {"range", {number({}, axis.range.low), number({}, axis.range.high)}}};
  if (!axis.names.empty()) json["names"] = axis.names;
  if (axis.reversed) json["reversed"] = true;
  return json;
}

Json figure_json(const Figure& figure) {
  Json lines = Json::array(), points = Json::array(), rules = Json::array(), spans = Json::array();
  for (const TablePart& part : shown_parts(figure)) {
    Json xs = Json::array(), ys = Json::array();
    for (std::size_t i = part.begin; i < part.end; ++i) {
      xs.push_back(number(figure.x, part.line->series->x_at(i)));
      ys.push_back(number(figure.y, part.line->series->ys[i]));
    }
    lines.push_back({{"key", part.line->key}, {"label", part.line->label}, {"x", xs}, {"y", ys}});
  }
  for (const Points& some : figure.points) {
    Json xs = Json::array(), ys = Json::array();
    for (const double x : some.xs) xs.push_back(number(figure.x, x));
    for (const double y : some.ys) ys.push_back(number(figure.y, y));
    points.push_back({{"key", some.key}, {"label", some.label}, {"x", xs}, {"y", ys}, {"names", some.names}});
  }
  for (const Rule& rule : figure.rules) {
    const FigureAxis& axis = rule.vertical ? figure.x : figure.y;
    rules.push_back({{"axis", rule.vertical ? "x" : "y"}, {"at", number(axis, rule.at)}, {"label", rule.label}});
  }
  for (const Span& span : figure.spans) {
    const FigureAxis& axis = span.vertical ? figure.x : figure.y;
    spans.push_back({{"axis", span.vertical ? "x" : "y"},
                     {"low", number(axis, span.low)},
                     {"high", number(axis, span.high)},
                     {"label", span.label}});
  }
  Json json = {{"name", figure.name}, {"title", figure.title}, {"x", axis_json(figure.x)}, {"y", axis_json(figure.y)},
               {"lines", lines},      {"points", points},      {"rules", rules},           {"spans", spans}};
  if (!figure.cell.empty()) json["cell"] = figure.cell;
  add_marks_json(json, figure);
  Json notes = Json::array();
  for (const FigureNote& note : figure.notes) {
    notes.push_back({{"text", note.text},
                     {"x", number(figure.x, note.x)},
                     {"y", number(figure.y, note.y)},
                     {"text_x", number(figure.x, note.text_x)},
                     {"text_y", number(figure.y, note.text_y)}});
  }
  json["notes"] = notes;
  return json;
}

Json shown_number(const ShownNumber& shown) {
  FigureAxis axis;
  axis.whole = shown.as == ShownNumber::As::whole;
  return number(axis, shown.value);
}

/// A number, the numbers of a list or the ends of a range, null of a word.
Json named_json(const NamedValues::One& one) {
  if (one.numbers.empty()) return nullptr;
  if (!one.list && !one.range) return shown_number(one.numbers.front());
  Json list = Json::array();
  for (const ShownNumber& shown : one.numbers) list.push_back(shown_number(shown));
  return list;
}

Json named_json(const NamedValues& values) {
  if (values.list.size() == 1 && values.list.front().name.empty()) return named_json(values.list.front());
  Json json = Json::object();
  for (const NamedValues::One& one : values.list) json[one.name] = named_json(one);
  return json;
}

Json readout_json(const Readout& readout) {
  Json json = {{"name", readout.name}, {"label", readout.label}, {"number", nullptr}, {"unit", ""}};
  if (const auto* quantity = std::get_if<Quantity>(&readout.value)) {
    json["number"] = shown_number(quantity->number);
    if (quantity->other) json["other"] = shown_number(*quantity->other);
    json["unit"] = quantity->unit;
  } else if (const auto* position = std::get_if<Position>(&readout.value)) {
    json["number"] = position->ids;
  } else if (const auto* several = std::get_if<NamedValues>(&readout.value)) {
    json["number"] = named_json(*several);
  }
  if (!readout.cell.empty()) json["cell"] = readout.cell;
  json["value"] = readout.text;
  json["note"] = readout.note_is_hint ? std::string() : readout.note;
  return json;
}

}  // namespace

namespace {

/// "current (Llama 3.1 8B; base 500000; d 128)": which curve, where there are several.
std::string column_name(const Line& line) {
  return line.origin.empty() ? line.key : line.key + " (" + line.origin + ")";
}

}  // namespace

std::string table_csv(const Figure& figure, const Formulas* formulas) {
  if (figure.lines.empty() && !(figure.maps.empty() && figure.tables.empty())) return maps_csv(figure);
  if (figure.lines.empty() && has_marks(figure)) return marks_csv(figure, formulas);
  std::vector<TablePart> parts = column_parts(figure);
  std::string csv = quoted(figure.x.name);
  for (const TablePart& part : parts) csv += "," + quoted(parts.size() == 1 ? figure.y.name : column_name(*part.line));
  csv += "\n";
  while (true) {
    double x = std::numeric_limits<double>::infinity();
    for (const TablePart& part : parts) {
      if (part.begin < part.end) x = std::min(x, part.line->series->x_at(part.begin));
    }
    if (std::isinf(x)) break;
    csv += cell_of(figure.x, x);
    for (TablePart& part : parts) {
      csv += ",";
      if (part.begin == part.end || part.line->series->x_at(part.begin) != x) continue;
      csv += cell_of(figure.y, part.line->series->ys[part.begin++]);
    }
    csv += "\n";
  }
  return csv;
}

std::string table_json(const ViewResult& view) {
  Json figures = Json::array(), readouts = Json::array();
  for (const Panel& panel : view.panels) figures.push_back(figure_json(panel.figure));
  for (const Readout& readout : view.readouts) readouts.push_back(readout_json(readout));
  const Json document = {{"figures", figures}, {"readouts", readouts}};
  // A label that is no UTF-8 (from somebody's file) must not cost the numbers.
  const std::string json = document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return plain_text(view.formulas.get(), json);  // plain forms hold nothing that JSON would escape
}

}  // namespace ropescope
