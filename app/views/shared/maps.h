#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "app/figure/figure.h"
#include "core/row_matrix.h"

namespace ropescope {

/// How many items share a cell, so that MapCells::kMost cells hold all of them.
std::int64_t items_per_cell(std::int64_t count);
/// The cells of a grid, without their values: one for each number, or for several where there are too many. `by`: what
/// a cell holds of them, see MapReduction.
MapCells cells_over(std::int64_t columns, std::int64_t rows, const char* by = "mean");
/// The numbers of a matrix, a cell each.
std::shared_ptr<const MapCells> cells_of(const RowMatrixXd& matrix);

/// Where the cells of a map are drawn: x = place.x + place.scale · column.
struct CellPlace {
  double x = 0, y = 0, scale = 1;
};
/// The extents of a map whose cells are there: the last cell of a reduced one reaches past the last item.
void reach_cells(Map& map, const CellPlace& place = {});

/// The number of a matrix at a place, its rows and columns counted from `first`; NaN beside it.
template <class Cell>
double entry_at(const RowMatrix<Cell>& matrix, double x, double y, double first = 0) {
  const double column = std::round(x) - first, row = std::round(y) - first;
  const bool inside = row >= 0 && column >= 0 && row < static_cast<double>(matrix.rows()) &&
                      column < static_cast<double>(matrix.cols());
  if (!inside) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)));
}

/// The largest size of the finite numbers; 0 where there is none.
template <class Values>
double largest_size(const Values& values) {
  double most = 0;
  for (const auto value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

}  // namespace ropescope
