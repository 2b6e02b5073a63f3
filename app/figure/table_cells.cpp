#include "app/figure/table_cells.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/figure/table.h"
#include "app/figure/table_maps.h"

namespace ropescope {

namespace {

/// "rope.base," and "10000," of "rope.base=10000"; of several knobs one after the other.
std::pair<std::string, std::string> columns_of(const std::string& cell) {
  constexpr std::string_view kBetween = "; ";
  std::pair<std::string, std::string> columns;
  for (std::size_t begin = 0; begin < cell.size();) {
    const std::size_t end = std::min(cell.find(kBetween, begin), cell.size());
    const std::size_t equals = std::min(cell.find('=', begin), end);
    columns.first += quoted(cell.substr(begin, equals - begin)) + ",";
    columns.second += quoted(cell.substr(equals + 1, end - equals - 1)) + ",";
    begin = end + kBetween.size();
  }
  return columns;
}

/// Whose rope a column is of is said by the knobs of the cell.
Figure without_origins(Figure figure) {
  for (Line& line : figure.lines) line.origin.clear();
  return figure;
}

}  // namespace

std::string cells_csv(const ViewResult& view) {
  std::string all, header;
  for (const Panel& panel : view.panels) {
    const Figure& figure = panel.figure;
    if (figure.cell.empty()) return table_csv(figure, view.formulas.get());
    const std::string table = table_csv(without_origins(figure), view.formulas.get());
    const auto [names, values] = columns_of(figure.cell);
    std::size_t begin = table.find('\n') + 1;
    const std::string own = names + table.substr(0, begin);
    if (own != header) all += (all.empty() ? "" : "\n") + own;
    header = own;
    while (begin < table.size()) {
      const std::size_t end = table.find('\n', begin) + 1;
      all += values + table.substr(begin, end - begin);
      begin = end;
    }
  }
  return all;
}

}  // namespace ropescope
