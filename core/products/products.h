// Products of matrices, a loop for each kind of processor, the fastest chosen when the program runs. encodings and
// attention compute their scores with RightMatrix; training packs into room of its own (core/training/multiply.h).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "core/products/product_path.h"

namespace ropescope {

// --- Panels --------------------------------------------------------------------------------------------------------

/// The fastest loops that this machine can run.
const ProductPath& best_product_path();

/// Columns of a panel of this path; A·B on it.
template <class Cell>
std::int64_t panel_columns(const ProductPath& path) {
  return std::is_same_v<Cell, float> ? path.float_columns : path.double_columns;
}
inline void run_product(const ProductPath& path, const ProductBlock<float>& block) {
  path.of_floats(block);
}
inline void run_product(const ProductPath& path, const ProductBlock<double>& block) {
  path.of_doubles(block);
}

/// The right side B [depth × columns] of products where it lies: its cell (row, column) stands at
/// cells[row · row_step + column · column_step]; one of the steps is 1.
template <class Cell>
struct RightSide {
  const Cell* cells;
  std::int64_t row_step, column_step, depth, columns;

  /// Of whole panels.
  std::int64_t padded_columns(std::int64_t panel) const { return (columns + panel - 1) / panel * panel; }
};

/// Fills the panels (ProductBlock::right) of columns begin … end − 1, multiples of `panel`, in room for all of them:
/// depth · padded_columns(panel) cells.
template <class Cell>
void pack_panels(const RightSide<Cell>& from, std::int64_t panel, std::int64_t begin, std::int64_t end, Cell* panels);

// --- Matrices ------------------------------------------------------------------------------------------------------

/// The right side B [depth × columns] of products A·B, laid out once for the processor at hand and then shared by all
/// threads that multiply blocks of rows with it. The path (AVX-512, AVX2 or portable) is chosen at run time, so that a
/// program that is compiled for every processor of a family loses nothing. Sums run over the depth in the order of the
/// rows of B; a path with fused multiplications rounds once where another rounds twice.
template <class Cell>
class RightMatrix {
 public:
  /// By rows, or by columns.
  using Matrix = Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Rows = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

  /// B itself.
  static RightMatrix of(const Rows& matrix, const Work& work) {
    return RightMatrix(best_product_path(), {matrix.data(), matrix.outerStride(), 1, matrix.rows(), matrix.cols()},
                       work);
  }
  /// B is the transpose of `matrix` [columns × depth].
  static RightMatrix of_transposed(const Rows& matrix, const Work& work) {
    return RightMatrix(best_product_path(), {matrix.data(), 1, matrix.outerStride(), matrix.cols(), matrix.rows()},
                       work);
  }

  /// result = A·B, or result += A·B, for the columns first_column … of B that `result` has. `left` is A [rows × depth],
  /// `result` [rows × columns]; first_column is a multiple of panel(). Sizes that do not fit are asserted.
  void multiply(const Rows& left, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> result, bool add = false,
                Eigen::Index first_column = 0) const;

  /// How many columns lie together: a product of some columns begins at a multiple of it.
  static Eigen::Index panel() { return panel_columns<Cell>(best_product_path()); }

  /// For a path that this machine can run.
  RightMatrix(const ProductPath& path, const RightSide<Cell>& right, const Work& work);

 private:
  const ProductPath* path_;
  std::int64_t depth_, columns_, padded_columns_;
  std::vector<Cell> panels_;
};

/// "avx512", "avx2" or "portable": the path that products take on this machine.
const char* product_path_name();

/// A·B on a named path, for tests. Throws InputError where this machine cannot run it.
template <class Cell>
Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> product_on(
    const std::string& path, const Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& left,
    const Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& right);

}  // namespace ropescope
