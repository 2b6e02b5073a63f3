// Matrix products with one kernel per instruction set, selected at run time. encodings and attention compute their
// scores with RightMatrix; training uses its own packing (core/training/multiply.h).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "core/matrix_products/product_path.h"
#include "core/parallel.h"

namespace ropescope {

// --- Panels --------------------------------------------------------------------------------------------------------

/// Returns the fastest loops that this machine can run.
const ProductPath& best_product_path();

/// Return the number of columns of this path's panel, and compute A·B with this path.
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

/// The unpacked right side B [depth × columns] of products, in its original memory: cell (row, column) is at cells[row
/// · row_step + column · column_step]; one of the steps is 1.
template <class Cell>
struct RightSide {
  const Cell* cells;
  std::int64_t row_step, column_step, depth, columns;

  /// Returns the number of columns rounded up to whole panels.
  std::int64_t padded_columns(std::int64_t panel) const { return (columns + panel - 1) / panel * panel; }
};

/// Packs columns begin … end − 1, multiples of `panel`, into panels (ProductBlock::right). `panels` has space for all
/// columns: depth · padded_columns(panel) cells.
template <class Cell>
void pack_panels(const RightSide<Cell>& from, std::int64_t panel, std::int64_t begin, std::int64_t end, Cell* panels);

// --- Matrices ------------------------------------------------------------------------------------------------------

/// The right side B [depth × columns] of products A·B, packed once for the current processor and shared by all threads
/// that multiply blocks of rows by it. The path (AVX-512, AVX2 or portable) is chosen at run time, so a generic build
/// loses no speed. Sums run over the depth in the order of B's rows. A path with fused multiplications rounds once
/// where a path without them rounds twice.
template <class Cell>
class RightMatrix {
 public:
  /// Row-major and column-major matrices.
  using Matrix = Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Rows = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

  /// Packs B itself.
  static RightMatrix of(const Rows& matrix, const Work& work) {
    return RightMatrix(best_product_path(), {matrix.data(), matrix.outerStride(), 1, matrix.rows(), matrix.cols()},
                       work);
  }
  /// Packs B as the transpose of `matrix` [columns × depth].
  static RightMatrix of_transposed(const Rows& matrix, const Work& work) {
    return RightMatrix(best_product_path(), {matrix.data(), 1, matrix.outerStride(), matrix.cols(), matrix.rows()},
                       work);
  }

  /// Computes result = A·B, or result += A·B, for the columns first_column … of B, as many as `result` has. `left` is A
  /// [rows × depth], `result` [rows × columns]; first_column is a multiple of panel(). Asserts that sizes match.
  void multiply(const Rows& left, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> result, bool add = false,
                Eigen::Index first_column = 0) const;

  /// Returns the width of a panel in columns; first_column must be a multiple of it.
  static Eigen::Index panel() { return panel_columns<Cell>(best_product_path()); }

  /// Packs B for a given path, which this machine must support.
  RightMatrix(const ProductPath& path, const RightSide<Cell>& right, const Work& work);

 private:
  const ProductPath* path_;
  std::int64_t depth_, columns_, padded_columns_;
  std::vector<Cell> panels_;
};

/// Returns the path that products use on this machine: "avx512", "avx2" or "portable".
const char* product_path_name();

/// Computes A·B on a named path, for tests. Throws InputError if this machine cannot run it.
template <class Cell>
Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> product_on(
    const std::string& path, const Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& left,
    const Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& right);

}  // namespace ropescope
