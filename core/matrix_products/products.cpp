// Packing of panels and matrix products. Read products.h first.
//
// Contents: Panels; Matrices.

#include "core/matrix_products/products.h"

#include <algorithm>

#include "core/machine.h"
#include "core/message.h"
#include "core/parallel.h"

namespace ropescope {

namespace {

/// Returns the paths that this build has and this machine supports, fastest first.
std::vector<const ProductPath*> usable_products() {
  std::vector<const ProductPath*> paths;
  if (kAvx512Product.of_floats && has_avx512()) paths.push_back(&kAvx512Product);
  if (kAvx2Product.of_floats && has_avx2()) paths.push_back(&kAvx2Product);
  paths.push_back(&kPortableProduct);
  return paths;
}

/// Copies `count` numbers, too few for a call of memcpy.
template <class Cell>
void copy_few(const Cell* from, std::int64_t count, Cell* to) {
  constexpr std::int64_t kOnce = 32 / sizeof(Cell);
  std::int64_t i = 0;
  for (; i + kOnce <= count; i += kOnce) __builtin_memcpy(to + i, from + i, kOnce * sizeof(Cell));
  for (; i < count; ++i) to[i] = from[i];
}

/// Packs a column-major B: reads along each column, as far as a panel's part fits into the first-level cache.
template <class Cell>
void pack_across(const Cell* from, std::int64_t column_step, std::int64_t rows, std::int64_t columns,
                 std::int64_t panel, Cell* to) {
  constexpr std::int64_t kPart = 64;
  for (std::int64_t first = 0; first < rows; first += kPart) {
    const std::int64_t end = std::min(rows, first + kPart);
    for (std::int64_t j = 0; j < columns; ++j) {
      const Cell* const source = from + j * column_step;
      for (std::int64_t p = first; p < end; ++p) to[p * panel + j] = source[p];
    }
  }
}

}  // namespace

// --- Panels --------------------------------------------------------------------------------------------------------

const ProductPath& best_product_path() {
  return *usable_products().front();
}

template <class Cell>
void pack_panels(const RightSide<Cell>& from, std::int64_t panel, std::int64_t begin, std::int64_t end, Cell* panels) {
  for (std::int64_t first = 0; first < from.depth; first += kProductDepth) {
    const std::int64_t rows = std::min(kProductDepth, from.depth - first);
    for (std::int64_t column = begin; column < end; column += panel) {
      Cell* const to = panels + first * from.padded_columns(panel) + column * rows;
      const std::int64_t wanted = std::min(panel, from.columns - column);
      const Cell* const corner = from.cells + first * from.row_step + column * from.column_step;
      if (wanted < panel) std::fill_n(to, rows * panel, Cell{0});
      if (from.column_step == 1) {
        for (std::int64_t p = 0; p < rows; ++p) copy_few(corner + p * from.row_step, wanted, to + p * panel);
      } else {
        pack_across(corner, from.column_step, rows, wanted, panel, to);
      }
    }
  }
}

template void pack_panels(const RightSide<float>&, std::int64_t, std::int64_t, std::int64_t, float*);
template void pack_panels(const RightSide<double>&, std::int64_t, std::int64_t, std::int64_t, double*);

// --- Matrices ------------------------------------------------------------------------------------------------------

template <class Cell>
RightMatrix<Cell>::RightMatrix(const ProductPath& path, const RightSide<Cell>& right, const Work& work)
    : path_(&path),
      depth_(right.depth),
      columns_(right.columns),
      padded_columns_(right.padded_columns(panel_columns<Cell>(path))),
      panels_(static_cast<std::size_t>(padded_columns_ * depth_)) {
  // Few panels are packed before another thread has started.
  const std::int64_t panel = panel_columns<Cell>(path), at_once = 16 * panel;
  parallel_for_blocks(
      padded_columns_, at_once, {padded_columns_ <= at_once ? 1 : work.threads, work.stop},
      [&](std::int64_t begin, std::int64_t count) { pack_panels(right, panel, begin, begin + count, panels_.data()); });
}

template <class Cell>
void RightMatrix<Cell>::multiply(const Rows& left, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> result, bool add,
                                 Eigen::Index first_column) const {
  eigen_assert(left.cols() == depth_ && left.rows() == result.rows());
  eigen_assert(first_column % panel() == 0 && first_column + result.cols() <= columns_);
  if (depth_ == 0) {
    if (!add) result.setZero();
    return;
  }
  run_product(*path_, ProductBlock<Cell>{left.rows(), depth_, result.cols(), left.data(), left.outerStride(), false,
                                         panels_.data(), padded_columns_, depth_, 0, first_column, result.data(),
                                         result.outerStride(), add});
}

template class RightMatrix<float>;
template class RightMatrix<double>;

const char* product_path_name() {
  return best_product_path().name;
}

template <class Cell>
Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> product_on(
    const std::string& path, const Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& left,
    const Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& right) {
  for (const ProductPath* usable : usable_products()) {
    if (usable->name != path) continue;
    typename RightMatrix<Cell>::Matrix result(left.rows(), right.cols());
    RightMatrix<Cell>(*usable, {right.data(), right.outerStride(), 1, right.rows(), right.cols()}, {1})
        .multiply(left, result);
    return result;
  }
  throw InputError("machine.path", {{"path", path}, {"usable", product_path_name()}});
}

template RightMatrix<float>::Matrix product_on(const std::string&, const RightMatrix<float>::Matrix&,
                                               const RightMatrix<float>::Matrix&);
template RightMatrix<double>::Matrix product_on(const std::string&, const RightMatrix<double>::Matrix&,
                                                const RightMatrix<double>::Matrix&);

}  // namespace ropescope
