// Maps, marks and lines of figures as CSV and JSON.
//
// Contents: Maps; Marks; Tables; Plotting.

#include "app/figure/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "app/figure/figure.h"
#include "app/figure/grid.h"
#include "app/figure/palette.h"
#include "app/resources/formulas.h"
#include "core/formats/nlohmann.h"

namespace ropescope {

// --- Maps ----------------------------------------------------------------------------------------------------------

namespace {

/// Returns whether a value is an integer of an integer axis, written with digits only so the column reads as integers.
bool is_plain_integer(const FigureAxis& axis, double value) {
  return axis.whole && value == std::round(value) && std::abs(value) < 1e15;
}

std::size_t part_of_a_cell(std::size_t whole, std::size_t cells, std::size_t per_cell) {
  return whole > 0 ? whole : cells * per_cell;
}

bool has_all_cells(const Map& map) {
  return map.cells && (map.exact || map.cells->values.size() >= map.cells->columns * map.cells->rows);
}

/// Returns the grid that a table lists: all of it if exact values are available, else the cells.
MapReduction find_map_grid(const Map& map) {
  const MapCells& cells = *map.cells;
  const MapReduction& made_of = cells.reduction;
  if (!map.exact) return {made_of.columns_per_cell, made_of.rows_per_cell, cells.columns, cells.rows};
  return {1, 1, part_of_a_cell(made_of.columns, cells.columns, made_of.columns_per_cell),
          part_of_a_cell(made_of.rows, cells.rows, made_of.rows_per_cell)};
}

/// Places of the columns or rows of the whole grid: the first one, and the step to the next.
struct Stand {
  double first = 0, step = 1;
  /// Returns the place at an index; integer positions are exact.
  double at(double index) const {
    const double place = first + step * index, whole = std::round(place);
    return std::abs(place - whole) < 1e-9 * std::max(1.0, std::abs(place)) ? whole : place;
  }
};

Stand stand_of(const Range& range, std::size_t cells, std::size_t per_cell) {
  const double step = (range.high - range.low) / static_cast<double>(cells) / static_cast<double>(per_cell);
  return {range.low + step / 2, step};
}

struct Stands {
  Stand x, y;
};
Stands stands_of(const Map& map) {
  const MapCells& cells = *map.cells;
  return {stand_of(map.x, cells.columns, cells.reduction.columns_per_cell),
          stand_of(map.y, cells.rows, cells.reduction.rows_per_cell)};
}

/// The first and the last column or row that a cell covers.
struct Members {
  double first = 0, last = 0;
};
Members members_of(const Stand& stand, std::size_t cell, std::size_t per_cell, std::size_t whole) {
  const std::size_t first = cell * per_cell, last = first + per_cell - 1;
  return {stand.at(static_cast<double>(first)),
          stand.at(static_cast<double>(whole > 0 ? std::min(last, whole - 1) : last))};
}

/// Converts 0.1f to 0.1, not 0.10000000149011612.
double to_written_decimal(float value) {
  if (!std::isfinite(value)) return static_cast<double>(value);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double read = 0;
  std::from_chars(text.data(), end, read);
  return read;
}

/// Returns the values of a grid row.
std::vector<double> row_of(const Map& map, const MapReduction& grid, const Stands& stands, std::size_t row) {
  std::vector<double> values(grid.columns);
  const double y = stands.y.at(static_cast<double>(row));
  if (map.exact && map.exact_row) {
    values = map.exact_row(y);
    values.resize(grid.columns, std::nan(""));
    return values;
  }
  for (std::size_t column = 0; column < grid.columns; ++column) {
    values[column] = map.exact ? map.exact(stands.x.at(static_cast<double>(column)), y)
                               : to_written_decimal(map.cells->values[row * grid.columns + column]);
  }
  return values;
}

bool same_cells(const Map& a, const Map& b) {
  const MapReduction &one = a.cells->reduction, &other = b.cells->reduction;
  return a.x == b.x && a.y == b.y && a.cells->columns == b.cells->columns && a.cells->rows == b.cells->rows &&
         one.columns_per_cell == other.columns_per_cell && one.rows_per_cell == other.rows_per_cell &&
         one.columns == other.columns && one.rows == other.rows &&
         static_cast<bool>(a.exact) == static_cast<bool>(b.exact);
}

/// Returns the maps that a table lists.
std::vector<const Map*> listed(const Figure& figure) {
  std::vector<const Map*> maps;
  for (const Map& map : figure.tables.empty() ? figure.maps : figure.tables) {
    if (has_all_cells(map)) maps.push_back(&map);
  }
  return maps;
}

Json numbers(const FigureAxis& axis, const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number(axis, value));
  return json;
}

Json ends(const Range& range) {
  return {number({}, range.low), number({}, range.high)};
}

/// Returns the first and last columns or rows of all cells.
Json members_json(const Stand& stand, std::size_t cells, std::size_t per_cell, std::size_t whole) {
  FigureAxis axis;
  axis.whole = true;
  Json json = Json::array();
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const Members members = members_of(stand, cell, per_cell, whole);
    json.push_back({number(axis, members.first), number(axis, members.last)});
  }
  return json;
}

Json map_json(const Map& map) {
  Json values = Json::array();
  const bool any = has_all_cells(map);
  const MapReduction grid = any ? find_map_grid(map) : MapReduction{};
  const Stands stands = any ? stands_of(map) : Stands{};
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (const double value : row_of(map, grid, stands, row)) values.push_back(number({}, value));
  }
  Json json = {{"key", map.key},          {"label", map.label}, {"x", ends(map.x)}, {"y", ends(map.y)},
               {"columns", grid.columns}, {"rows", grid.rows},  {"values", values}};
  if (grid.columns_per_cell == 1 && grid.rows_per_cell == 1) return json;
  const MapReduction& made_of = map.cells->reduction;
  json["reduced_by"] = made_of.by;
  json["column_members"] = members_json(stands.x, grid.columns, grid.columns_per_cell, made_of.columns);
  json["row_members"] = members_json(stands.y, grid.rows, grid.rows_per_cell, made_of.rows);
  return json;
}

/// Returns an axis that gives the format of a single number.
FigureAxis axis_of_number(const ShownNumber& number) {
  FigureAxis axis;
  axis.whole = number.as == ShownNumber::As::whole;
  return axis;
}

/// Returns "row", or "row_first,row_last" if a cell of a map covers several rows.
std::string place_names(const FigureAxis& axis, bool reduced) {
  return reduced ? quote_cell(axis.name + "_first") + "," + quote_cell(axis.name + "_last") : quote_cell(axis.name);
}

std::string place_of(const FigureAxis& axis, const Stand& stand, std::size_t cell, std::size_t per_cell,
                     std::size_t whole, bool reduced) {
  const Members members = members_of(stand, cell, per_cell, whole);
  const std::string first = cell_of(axis, members.first);
  return reduced ? first + "," + cell_of(axis, members.last) : first;
}

/// Returns one row per cell: x and y of its middle, the value of each map (empty for maps with other cells).
std::string maps_csv(const Figure& figure) {
  const std::vector<const Map*> maps = listed(figure);
  bool reduced_x = false, reduced_y = false;
  for (const Map* map : maps) {
    reduced_x |= find_map_grid(*map).columns_per_cell > 1;
    reduced_y |= find_map_grid(*map).rows_per_cell > 1;
  }
  std::string csv = place_names(figure.x, reduced_x) + "," + place_names(figure.y, reduced_y);
  for (const Map* map : maps) {
    const MapReduction grid = find_map_grid(*map);
    const bool reduced = grid.columns_per_cell > 1 || grid.rows_per_cell > 1;
    csv += "," + quote_cell(reduced ? map->key + "_" + map->cells->reduction.by : map->key);
  }
  csv += "\n";
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto is_like = [&](std::size_t k) { return same_cells(*maps[i], *maps[k]); };
    bool written = false;
    for (std::size_t k = 0; k < i; ++k) written |= is_like(k);
    if (written) continue;
    const MapReduction grid = find_map_grid(*maps[i]);
    const Stands stands = stands_of(*maps[i]);
    const MapReduction& made_of = maps[i]->cells->reduction;
    std::vector<std::string> columns;
    for (std::size_t column = 0; column < grid.columns; ++column) {
      columns.push_back(place_of(figure.x, stands.x, column, grid.columns_per_cell, made_of.columns, reduced_x));
    }
    for (std::size_t row = 0; row < grid.rows; ++row) {
      const std::string y = place_of(figure.y, stands.y, row, grid.rows_per_cell, made_of.rows, reduced_y);
      std::vector<std::vector<double>> values(maps.size());
      for (std::size_t k = 0; k < maps.size(); ++k) {
        if (is_like(k)) values[k] = row_of(*maps[k], grid, stands, row);
      }
      for (std::size_t column = 0; column < grid.columns; ++column) {
        csv += columns[column] + "," + y;
        for (const std::vector<double>& of : values) {
          csv += ",";
          if (!of.empty()) csv += shortest_number(of[column]);
        }
        csv += "\n";
      }
    }
  }
  return csv;
}

/// Adds "maps", "boxes", "paths", "arrows" and "labels".
void add_marks_json(Json& json, const Figure& figure) {
  Json maps = Json::array(), boxes = Json::array(), paths = Json::array(), arrows = Json::array(),
       labels = Json::array();
  for (const Map& map : figure.tables.empty() ? figure.maps : figure.tables) maps.push_back(map_json(map));
  for (const Box& box : figure.boxes) boxes.push_back({{"x", ends(box.x)}, {"y", ends(box.y)}});
  for (const Path& path : figure.paths) {
    paths.push_back({{"key", path.key}, {"x", numbers(figure.x, path.xs)}, {"y", numbers(figure.y, path.ys)}});
  }
  for (const Arrow& arrow : figure.arrows) {
    arrows.push_back({{"key", arrow.key},
                      {"label", arrow.label},
                      {"from", {number(figure.x, arrow.x0), number(figure.y, arrow.y0)}},
                      {"to", {number(figure.x, arrow.x1), number(figure.y, arrow.y1)}}});
  }
  for (const Label& label : figure.labels) {
    if (label.hint) continue;
    labels.push_back({{"text", label.text}, {"x", number(figure.x, label.x)}, {"y", number(figure.y, label.y)}});
  }
  json["maps"] = maps;
  for (const Picture& picture : figure.pictures) {
    json["pictures"].push_back({{"key", picture.key}, {"x", ends(picture.x)}, {"y", ends(picture.y)}});
  }
  json["boxes"] = boxes;
  json["paths"] = paths;
  json["arrows"] = arrows;
  json["labels"] = labels;
  for (const Paragraph& paragraph : figure.paragraphs) json["paragraphs"].push_back(paragraph.text);
}

// --- Marks ---------------------------------------------------------------------------------------------------------

/// Rows of one figure; NaN leaves a cell empty.
class MarkRows {
 public:
  MarkRows(const Figure& figure, const Formulas* formulas) : figure_(figure), formulas_(formulas) {
    const auto name = [](const FigureAxis& axis, const char* plain) { return axis.name.empty() ? plain : axis.name; };
    csv = "mark,key,number," + quote_cell(name(figure.x, "x")) + "," + quote_cell(name(figure.y, "y")) + ",label\n";
  }

  void add(const char* mark, const std::string& key, std::size_t number, double x, double y, const std::string& label) {
    csv += std::string(mark) + "," + quote_cell(key) + "," + std::to_string(number) + "," + cell(figure_.x, x) + "," +
           cell(figure_.y, y) + "," + quote_cell(plain_text(formulas_, label)) + "\n";
  }

  std::string csv;

 private:
  static std::string cell(const FigureAxis& axis, double value) {
    return std::isnan(value) ? std::string() : cell_of(axis, value);
  }
  const Figure& figure_;
  const Formulas* formulas_;
};

void add_rule_rows(const Figure& figure, MarkRows& rows) {
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

/// Returns whether a figure has points, arrows, paths, boxes or labels.
bool has_marks(const Figure& figure) {
  return !(figure.points.empty() && figure.paths.empty() && figure.arrows.empty() && figure.boxes.empty() &&
           figure.labels.empty());
}

/// Returns one row per point of a mark: tail and tip of an arrow, the corners of a box, the place of a label.
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
  for (const Note& note : figure.notes) {
    rows.add("note", "", 0, note.text_x, note.text_y, note.text);
    rows.add("note", "", 1, note.x, note.y, note.text);
  }
  add_rule_rows(figure, rows);
  return rows.csv;
}

// --- Tables --------------------------------------------------------------------------------------------------------

/// The part of a line inside the visible range.
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

/// Returns the lines, without trends ("current.trend") if other lines cover every distance: trends are sampled at their
/// own distances, and their columns would be empty nearly everywhere.
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
  Json json = {
      {"name", axis.name}, {"label", axis.label}, {"scale", scale_name(axis.scale)}, {"range", ends(axis.range)}};
  if (!axis.names.empty()) json["names"] = axis.names;
  if (axis.reversed) json["reversed"] = true;
  return json;
}

// --- Plotting ------------------------------------------------------------------------------------------------------

/// Returns the limits of an axis in the order in which they are drawn.
Json limits_json(const FigureAxis& axis) {
  Json low = number({}, axis.range.low), high = number({}, axis.range.high);
  return axis.reversed ? Json::array({high, low}) : Json::array({low, high});
}

/// Returns the axes by the names of a plotting library: ax.set(**plot).
Json axes_for_plot(const Figure& figure) {
  return {{"title", figure.title},
          {"xlabel", figure.x.label},
          {"ylabel", figure.y.label},
          {"xscale", scale_name(figure.x.scale)},
          {"yscale", scale_name(figure.y.scale)},
          {"xlim", limits_json(figure.x)},
          {"ylim", limits_json(figure.y)}};
}

/// Returns a stroke by the names of a plotting library, in the colours of the light theme: ax.plot(x, y, **plot).
Json stroke_for_plot(const std::string& label, const LineStyle& style, LineMarks marks) {
  constexpr const char* kDashes[] = {"-", "--", ":", "-.", "--"};
  const Stroke stroke = stroke_of(palette(ThemeName::light), style);
  const bool joined = marks == LineMarks::line || marks == LineMarks::both;
  const bool discs = marks == LineMarks::markers || marks == LineMarks::both;
  return {{"label", label},
          {"color", hex(stroke.colour)},
          {"alpha", std::round(stroke.colour.alpha / 2.55) / 100},
          {"linestyle", joined ? kDashes[static_cast<std::size_t>(stroke.dash)] : "none"},
          {"marker", discs ? "o" : "none"}};
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
    if (part.line->right) lines.back()["axis"] = "right";
    for (const auto& [name, series] : {std::pair("low", part.line->low), std::pair("high", part.line->high)}) {
      if (!series) continue;
      const auto begin = series->ys.begin();
      lines.back()[name] = numbers(
          figure.y, {begin + static_cast<std::ptrdiff_t>(part.begin), begin + static_cast<std::ptrdiff_t>(part.end)});
    }
    lines.back()["plot"] = stroke_for_plot(part.line->label, part.line->style, part.line->marks);
  }
  for (const Points& some : figure.points) {
    points.push_back({{"key", some.key},
                      {"label", some.label},
                      {"x", numbers(figure.x, some.xs)},
                      {"y", numbers(figure.y, some.ys)},
                      {"names", some.names}});
    points.back()["plot"] = stroke_for_plot(some.label, some.style, LineMarks::markers);
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
  json["plot"] = axes_for_plot(figure);
  for (const auto& row : figure.grid) {
    Json texts = Json::array();
    for (const GridCell& cell : row) texts.push_back(cell.text);
    json["grid"].push_back(texts);
  }
  if (figure.right) json["right"] = axis_json(*figure.right);
  if (!figure.cell.empty()) json["cell"] = figure.cell;
  add_marks_json(json, figure);
  Json notes = Json::array();
  for (const Note& note : figure.notes) {
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
  return number(axis_of_number(shown), shown.value);
}

/// Returns a number, the numbers of a list or the ends of a range; null for a word.
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

/// Returns "current (Llama 3.1 8B; base 500000; d 128)": which curve, if there are several.
std::string column_name(const Line& line) {
  return line.origin.empty() ? line.key : line.key + " (" + line.origin + ")";
}

/// Returns a figure with further lines for the ends of intervals, "own.low" and "own.high", and without lines that have
/// only intervals.
Figure with_interval_columns(Figure figure) {
  std::vector<Line> lines;
  for (const Line& line : figure.lines) {
    if (line.marks != LineMarks::none) {
      lines.push_back(line);
      lines.back().low = lines.back().high = nullptr;
    }
    if (!line.low) continue;
    for (const auto& [name, series] : {std::pair(".low", line.low), std::pair(".high", line.high)}) {
      Line end = line;
      end.key += name;
      end.series = series;
      end.low = end.high = nullptr;
      lines.push_back(std::move(end));
    }
  }
  figure.lines = std::move(lines);
  return figure;
}

}  // namespace

/// Quotes a cell by RFC 4180.
std::string quote_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

std::string cell_of(const FigureAxis& axis, double value) {
  if (is_plain_integer(axis, value)) return std::to_string(static_cast<long long>(value));
  return shortest_number(value);
}

Json number(const FigureAxis& axis, double value) {
  if (is_plain_integer(axis, value)) return static_cast<long long>(value);
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string cell_of(const std::vector<ShownNumber>& numbers) {
  return joined(numbers, " ", [](const ShownNumber& shown) { return cell_of(axis_of_number(shown), shown.value); });
}

Json number(const std::vector<ShownNumber>& numbers) {
  Json list = Json::array();
  for (const ShownNumber& shown : numbers) list.push_back(number(axis_of_number(shown), shown.value));
  if (numbers.empty()) return nullptr;
  return numbers.size() == 1 ? list.front() : list;
}

std::string table_csv(const Figure& figure, const Formulas* formulas) {
  const auto has_interval = [](const Line& line) { return line.low != nullptr; };
  if (std::any_of(figure.lines.begin(), figure.lines.end(), has_interval)) {
    return table_csv(with_interval_columns(figure), formulas);
  }
  if (!figure.grid.empty()) return grid_text(figure, GridFormat::csv, formulas);
  if (!figure.paragraphs.empty()) {
    std::string csv = "paragraph\n";
    for (const Paragraph& paragraph : figure.paragraphs) csv += quote_cell(plain_text(formulas, paragraph.text)) + "\n";
    return csv;
  }
  if (figure.lines.empty() && !(figure.maps.empty() && figure.tables.empty())) return maps_csv(figure);
  if (figure.lines.empty() && has_marks(figure)) return marks_csv(figure, formulas);
  std::vector<TablePart> parts = column_parts(figure);
  std::string csv = quote_cell(figure.x.name);
  for (const TablePart& part : parts)
    csv += "," + quote_cell(parts.size() == 1 ? figure.y.name : column_name(*part.line));
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
  // A label that is not UTF-8 (from a user's file) must not lose the numbers.
  const std::string json = document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return without_separators(plain_text(view.formulas.get(), json));  // plain forms have nothing that JSON would escape
}

}  // namespace ropescope
