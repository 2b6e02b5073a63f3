#include "app/views/shared/maps.h"

namespace ropescope {

std::int64_t items_per_cell(std::int64_t count) {
  const auto most = static_cast<std::int64_t>(MapCells::kMost);
  return std::max<std::int64_t>(1, (count + most - 1) / most);
}

MapCells cells_over(std::int64_t columns, std::int64_t rows, const char* by) {
  const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  const std::int64_t across = items_per_cell(columns), down = items_per_cell(rows);
  MapCells cells;
  cells.columns = size((columns + across - 1) / across);
  cells.rows = size((rows + down - 1) / down);
  cells.reduction = {size(across), size(down), size(columns), size(rows), by};
  return cells;
}

std::shared_ptr<const MapCells> cells_of(const RowMatrixXd& matrix) {
  auto cells = std::make_shared<MapCells>();
  cells->columns = static_cast<std::size_t>(matrix.cols());
  cells->rows = static_cast<std::size_t>(matrix.rows());
  for (const double value : matrix.reshaped<Eigen::RowMajor>()) cells->values.push_back(static_cast<float>(value));
  return cells;
}

void reach_cells(Map& map, const CellPlace& place) {
  const auto reach = [&place](double first, std::size_t cells, std::size_t items) {
    return Range{first - 0.5 * place.scale, first + (static_cast<double>(cells * items) - 0.5) * place.scale};
  };
  map.x = reach(place.x, map.cells->columns, map.cells->reduction.columns_per_cell);
  map.y = reach(place.y, map.cells->rows, map.cells->reduction.rows_per_cell);
}

}  // namespace ropescope
