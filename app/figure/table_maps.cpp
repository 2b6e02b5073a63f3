#include "app/figure/table_maps.h"

#include <array>
#include <charconv>
#include <cmath>

#include "app/figure/number_text.h"

namespace ropescope {

namespace {

/// Whole numbers of a whole axis are digits only: a reader may take the column for integers.
bool is_plain_integer(const FigureAxis& axis, double value) {
  return axis.whole && value == std::round(value) && std::abs(value) < 1e15;
}

/// The grid that a table lists: where exact values can be had all of it, else the cells.
struct TableMapsGrid {
  std::size_t columns = 0, rows = 0;
  std::size_t columns_per_cell = 1, rows_per_cell = 1;  ///< of cells that stand for several columns or rows
};

std::size_t part_of_a_cell(std::size_t whole, std::size_t cells, std::size_t per_cell) {
  return whole > 0 ? whole : cells * per_cell;
}

bool table_maps_has_cells(const Map& map) {
  return map.cells && (map.exact || map.cells->values.size() >= map.cells->columns * map.cells->rows);
}

TableMapsGrid grid_of_table_maps(const Map& map) {
  const MapCells& cells = *map.cells;
  const MapReduction& made_of = cells.reduction;
  if (!map.exact) return {cells.columns, cells.rows, made_of.columns_per_cell, made_of.rows_per_cell};
  return {part_of_a_cell(made_of.columns, cells.columns, made_of.columns_per_cell),
          part_of_a_cell(made_of.rows, cells.rows, made_of.rows_per_cell)};
}

/// Where the columns or rows of the whole grid stand: the first one, and the way to the next.
struct Stand {
  double first = 0, step = 1;
  /// Whole positions come out whole.
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

/// The first and the last column or row that a cell was made of.
struct Members {
  double first = 0, last = 0;
};
Members members_of(const Stand& stand, std::size_t cell, std::size_t per_cell, std::size_t whole) {
  const std::size_t first = cell * per_cell, last = first + per_cell - 1;
  return {stand.at(static_cast<double>(first)),
          stand.at(static_cast<double>(whole > 0 ? std::min(last, whole - 1) : last))};
}

/// 0.1f as 0.1, not 0.10000000149011612.
double as_written(float value) {
  if (!std::isfinite(value)) return static_cast<double>(value);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double read = 0;
  std::from_chars(text.data(), end, read);
  return read;
}

/// The values of a row of the grid.
std::vector<double> row_of(const Map& map, const TableMapsGrid& grid, const Stands& stands, std::size_t row) {
  std::vector<double> values(grid.columns);
  const double y = stands.y.at(static_cast<double>(row));
  if (map.exact && map.exact_row) {
    values = map.exact_row(y);
    values.resize(grid.columns, std::nan(""));
    return values;
  }
  for (std::size_t column = 0; column < grid.columns; ++column) {
    values[column] = map.exact ? map.exact(stands.x.at(static_cast<double>(column)), y)
                               : as_written(map.cells->values[row * grid.columns + column]);
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

/// The maps that a table is of.
std::vector<const Map*> listed(const Figure& figure) {
  std::vector<const Map*> maps;
  for (const Map& map : figure.tables.empty() ? figure.maps : figure.tables) {
    if (table_maps_has_cells(map)) maps.push_back(&map);
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

/// The first and last columns or rows of all cells.
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
  const bool any = table_maps_has_cells(map);
  const TableMapsGrid grid = any ? grid_of_table_maps(map) : TableMapsGrid{};
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

}  // namespace

/// A cell as RFC 4180 wants it.
std::string quoted(const std::string& text) {
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

namespace {

/// "row", or "row_first,row_last" where a cell of a map was made of several rows.
std::string place_names(const FigureAxis& axis, bool reduced) {
  return reduced ? quoted(axis.name + "_first") + "," + quoted(axis.name + "_last") : quoted(axis.name);
}

std::string place_of(const FigureAxis& axis, const Stand& stand, std::size_t cell, std::size_t per_cell,
                     std::size_t whole, bool reduced) {
  const Members members = members_of(stand, cell, per_cell, whole);
  const std::string first = cell_of(axis, members.first);
  return reduced ? first + "," + cell_of(axis, members.last) : first;
}

}  // namespace

std::string maps_csv(const Figure& figure) {
  const std::vector<const Map*> maps = listed(figure);
  bool reduced_x = false, reduced_y = false;
  for (const Map* map : maps) {
    reduced_x |= grid_of_table_maps(*map).columns_per_cell > 1;
    reduced_y |= grid_of_table_maps(*map).rows_per_cell > 1;
  }
  std::string csv = place_names(figure.x, reduced_x) + "," + place_names(figure.y, reduced_y);
  for (const Map* map : maps) {
    const TableMapsGrid grid = grid_of_table_maps(*map);
    const bool reduced = grid.columns_per_cell > 1 || grid.rows_per_cell > 1;
    csv += "," + quoted(reduced ? map->key + "_" + map->cells->reduction.by : map->key);
  }
  csv += "\n";
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto is_like = [&](std::size_t k) { return same_cells(*maps[i], *maps[k]); };
    bool written = false;
    for (std::size_t k = 0; k < i; ++k) written |= is_like(k);
    if (written) continue;
    const TableMapsGrid grid = grid_of_table_maps(*maps[i]);
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
}

}  // namespace ropescope
