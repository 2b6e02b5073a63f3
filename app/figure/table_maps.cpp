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

bool has_cells(const Map& map) {
  return map.cells && map.cells->values.size() >= map.cells->columns * map.cells->rows;
}

/// The middle of a cell; whole positions come out whole.
double middle_of(const Range& range, std::size_t cells, std::size_t cell) {
  const double step = (range.high - range.low) / static_cast<double>(cells);
  const double middle = range.low + step * (static_cast<double>(cell) + 0.5), whole = std::round(middle);
  return std::abs(middle - whole) < 1e-9 * std::max(1.0, std::abs(middle)) ? whole : middle;
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

double value_of(const Map& map, std::size_t column, std::size_t row) {
  if (map.exact) {
    return map.exact(middle_of(map.x, map.cells->columns, column), middle_of(map.y, map.cells->rows, row));
  }
  return as_written(map.cells->values[row * map.cells->columns + column]);
}

bool same_cells(const Map& a, const Map& b) {
  return a.x == b.x && a.y == b.y && a.cells->columns == b.cells->columns && a.cells->rows == b.cells->rows;
}

Json numbers(const FigureAxis& axis, const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number(axis, value));
  return json;
}

Json ends(const Range& range) {
  return {number({}, range.low), number({}, range.high)};
}

Json map_json(const Map& map) {
  Json values = Json::array();
  const bool any = has_cells(map);
  const std::size_t columns = any ? map.cells->columns : 0, rows = any ? map.cells->rows : 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) values.push_back(number({}, value_of(map, column, row)));
  }
  return {{"key", map.key},     {"label", map.label}, {"x", ends(map.x)}, {"y", ends(map.y)},
          {"columns", columns}, {"rows", rows},       {"values", values}};
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

std::string maps_csv(const Figure& figure) {
  std::vector<const Map*> maps;
  for (const Map& map : figure.maps) {
    if (has_cells(map)) maps.push_back(&map);
  }
  std::string csv = quoted(figure.x.name) + "," + quoted(figure.y.name);
  for (const Map* map : maps) csv += "," + quoted(map->key);
  csv += "\n";
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto is_like = [&](std::size_t k) { return same_cells(*maps[i], *maps[k]); };
    bool written = false;
    for (std::size_t k = 0; k < i; ++k) written |= is_like(k);
    if (written) continue;
    const Map& map = *maps[i];
    for (std::size_t row = 0; row < map.cells->rows; ++row) {
      const std::string y = cell_of(figure.y, middle_of(map.y, map.cells->rows, row));
      for (std::size_t column = 0; column < map.cells->columns; ++column) {
        csv += cell_of(figure.x, middle_of(map.x, map.cells->columns, column)) + "," + y;
        for (std::size_t k = 0; k < maps.size(); ++k) {
          csv += ",";
          if (is_like(k)) csv += shortest_number(value_of(*maps[k], column, row));
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
  for (const Map& map : figure.maps) maps.push_back(map_json(map));
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
