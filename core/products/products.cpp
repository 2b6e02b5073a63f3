// The choice of the path, and the packing of the right matrix.

#include "core/products/products.h"

#include <algorithm>

#include "core/machine.h"
#include "core/parallel.h"
#include "core/words.h"

namespace ropescope {

namespace {

/// The paths that this build has and this machine can run, the fastest first.
std::vector<const ProductPath*> usable_products() {
  std::vector<const ProductPath*> paths;
  if (kAvx512Product.of_floats && has_avx512()) paths.push_back(&kAvx512Product);
  if (kAvx2Product.of_floats && has_avx2()) paths.push_back(&kAvx2Product);
  paths.push_back(&kPortableProduct);
  return paths;
}

int panel_columns(const ProductPath& path, float) {
  return path.float_columns;
}
int panel_columns(const ProductPath& path, double) {
  return path.double_columns;
}
void run_products(const ProductPath& path, const ProductBlock<float>& block) {
  path.of_floats(block);
}
void run_products(const ProductPath& path, const ProductBlock<double>& block) {
  path.of_doubles(block);
}

std::int64_t padded_columns_of(std::int64_t columns, std::int64_t panel) {
  return (columns + panel - 1) / panel * panel;
}

/// A matrix whose cell (row, column) stands at cells[row · row_step + column · column_step].
template <class Cell>
struct Steps {
  const Cell* cells;
  std::int64_t row_step, column_step, depth, columns;
};

/// Fills the panels of columns begin … begin + count − 1, both multiples of `panel`. See ProductBlock::right.
template <class Cell>
void pack(const Steps<Cell>& from, std::int64_t panel, std::int64_t begin, std::int64_t count, Cell* panels) {
  const std::int64_t all = padded_columns_of(from.columns, panel);
  for (std::int64_t first = 0; first < from.depth; first += kProductDepth) {
    const std::int64_t depth = std::min(kProductDepth, from.depth - first);
    for (std::int64_t column = begin; column < begin + count; column += panel) {
      Cell* const to = panels + first * all + column * depth;
      const std::int64_t wanted = std::min(panel, from.columns - column);
      const Cell* const corner = from.cells + first * from.row_step + column * from.column_step;
      if (from.column_step == 1) {
        for (std::int64_t p = 0; p < depth; ++p) std::copy_n(corner + p * from.row_step, wanted, to + p * panel);
        continue;
      }
      for (std::int64_t j = 0; j < wanted; ++j) {
        const Cell* const source = corner + j * from.column_step;
        for (std::int64_t p = 0; p < depth; ++p) to[p * panel + j] = source[p * from.row_step];
      }
    }
  }
}

template <class Cell>
std::vector<Cell> packed(const Steps<Cell>& from, std::int64_t panel, int threads, const std::stop_token& stop) {
  std::vector<Cell> panels(static_cast<std::size_t>(padded_columns_of(from.columns, panel) * from.depth));
  // Few panels are packed before another thread has started.
  constexpr std::int64_t kPanelsAtOnce = 16;
  const std::int64_t all = padded_columns_of(from.columns, panel);
  const int workers = all <= panel * kPanelsAtOnce ? 1 : threads;
  share_blocks(all, panel * kPanelsAtOnce, workers, stop,
               [&](std::int64_t begin, std::int64_t count) { pack(from, panel, begin, count, panels.data()); });
  return panels;
}

}  // namespace

const ProductPath& best_product_path() {
  return *usable_products().front();
}

template <class Cell>
RightMatrix<Cell>::RightMatrix(const Cell* cells, std::int64_t row_step, std::int64_t column_step, std::int64_t depth,
                               std::int64_t columns, int threads, const std::stop_token& stop)
    : depth_(depth),
      columns_(columns),
      padded_columns_(padded_columns_of(columns, panel_columns(best_product_path(), Cell{}))),
      panels_(packed(Steps<Cell>{cells, row_step, column_step, depth, columns},
                     panel_columns(best_product_path(), Cell{}), threads, stop)) {}

template <class Cell>
void RightMatrix<Cell>::multiply(const Rows& left, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> result, bool add,
                                 Eigen::Index first_column) const {
  eigen_assert(left.cols() == depth_ && left.rows() == result.rows());
  eigen_assert(first_column % panel() == 0 && first_column + result.cols() <= columns_);
  if (depth_ == 0) {
    if (!add) result.setZero();
    return;
  }
  run_products(
      best_product_path(),
      ProductBlock<Cell>{left.rows(), depth_, result.cols(), left.data(), left.outerStride(), false, panels_.data(),
                         padded_columns_, depth_, 0, first_column, result.data(), result.outerStride(), add});
}

template <class Cell>
Eigen::Index RightMatrix<Cell>::panel() {
  return panel_columns(best_product_path(), Cell{});
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
    const std::int64_t panel = panel_columns(*usable, Cell{});
    const std::vector<Cell> panels =
        packed(Steps<Cell>{right.data(), right.outerStride(), 1, right.rows(), right.cols()}, panel, 1, {});
    typename RightMatrix<Cell>::Matrix result = RightMatrix<Cell>::Matrix::Zero(left.rows(), right.cols());
    run_products(*usable, ProductBlock<Cell>{left.rows(), right.rows(), right.cols(), left.data(), left.outerStride(),
                                             false, panels.data(), padded_columns_of(right.cols(), panel), right.rows(),
                                             0, 0, result.data(), result.outerStride(), false});
    return result;
  }
  throw InputError("machine.path", {{"path", path}, {"usable", product_path_name()}});
}

template RightMatrix<float>::Matrix product_on(const std::string&, const RightMatrix<float>::Matrix&,
                                               const RightMatrix<float>::Matrix&);
template RightMatrix<double>::Matrix product_on(const std::string&, const RightMatrix<double>::Matrix&,
                                                const RightMatrix<double>::Matrix&);

}  // namespace ropescope
