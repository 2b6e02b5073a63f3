// The loops of a product, written once for all register widths. Included only by the one source file for each kind of
// processor. Everything has internal linkage and calls no inline function defined elsewhere.
#pragma once

#include "core/matrix_products/product_path.h"

namespace ropescope {

namespace {

/// Loops with two registers for each of kRows rows: these sums, two registers of the right matrix and one number of the
/// left matrix must fit into the available registers.
template <class Cell, class Vector, int kRows>
struct ProductLoops {
  static constexpr int kLanes = sizeof(Vector) / sizeof(Cell);
  static constexpr int kColumns = 2 * kLanes;
  /// Number of columns of the right matrix kept in the second-level cache while rows of the left matrix are processed.
  static constexpr std::int64_t kNear = 16 * kColumns;
  /// Row stride: a whole number of cache lines plus one, so that rows do not map to the same cache sets.
  static constexpr std::int64_t kStep = kProductDepth + 64 / sizeof(Cell);

  static Vector load(const Cell* from) {
    Vector vector;
    __builtin_memcpy(&vector, from, sizeof(vector));
    return vector;
  }
  static void store(Cell* to, Vector vector) { __builtin_memcpy(to, &vector, sizeof(vector)); }

  /// kRows rows of the left matrix, `step` cells apart; or (kAcross) interleaved, number by number.
  struct LeftRows {
    const Cell* cells;
    std::int64_t step;
  };
  template <bool kAcross>
  static Cell factor_of(const LeftRows& left, std::int64_t i, std::int64_t p) {
    return left.cells[kAcross ? p * kRows + i : i * left.step + p];
  }

  /// Computes kRows rows and one or two registers of columns of the result; `out` rows `step` apart.
  template <bool kAcross, int kWidth>
  static void tile(LeftRows left, const Cell* right, std::int64_t depth, Cell* out, std::int64_t step, bool add) {
    Vector sums[kRows][kWidth] = {};
    for (std::int64_t p = 0; p < depth; ++p) {
      Vector numbers[kWidth];
#pragma GCC unroll 2
      for (int j = 0; j < kWidth; ++j) numbers[j] = load(right + p * kColumns + j * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Cell factor = factor_of<kAcross>(left, i, p);
#pragma GCC unroll 2
        for (int j = 0; j < kWidth; ++j) sums[i][j] += numbers[j] * factor;
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < kWidth; ++j) {
        Cell* const to = out + i * step + j * kLanes;
        store(to, add ? load(to) + sums[i][j] : sums[i][j]);
      }
    }
  }

  /// Computes a tile of which only some rows and columns are needed.
  template <bool kAcross>
  static void edge(LeftRows left, const Cell* right, std::int64_t depth, const ProductBlock<Cell>& block,
                   std::int64_t row, std::int64_t column, bool add) {
    Cell cells[kRows * kColumns];
    const std::int64_t rows = block.rows - row < kRows ? block.rows - row : kRows;
    const std::int64_t columns = block.columns - column < kColumns ? block.columns - column : kColumns;
    if (columns <= kLanes) {
      tile<kAcross, 1>(left, right, depth, cells, kColumns, false);
    } else {
      tile<kAcross, 2>(left, right, depth, cells, kColumns, false);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      Cell* const to = block.result + (row + i) * block.result_step + column;
      for (std::int64_t j = 0; j < columns; ++j)
        to[j] = add ? to[j] + cells[i * kColumns + j] : cells[i * kColumns + j];
    }
  }

  /// Copies rows row … row + kRows − 1 of the left matrix; rows beyond its end are 0.
  template <bool kAcross>
  static void copy_rows(const ProductBlock<Cell>& block, std::int64_t row, std::int64_t first, std::int64_t depth,
                        Cell* rows) {
    if constexpr (kAcross) {
      const std::int64_t count = block.rows - row < kRows ? block.rows - row : kRows;
      for (std::int64_t p = 0; p < depth; ++p) {
        const Cell* const from = block.left + (first + p) * block.left_step + row;
        Cell* const to = rows + p * kRows;
        if (count == kRows) {
          __builtin_memcpy(to, from, kRows * sizeof(Cell));
        } else {
          for (std::int64_t i = 0; i < kRows; ++i) to[i] = i < count ? from[i] : 0;
        }
      }
    } else {
      for (std::int64_t i = 0; i < kRows; ++i) {
        if (row + i >= block.rows) {
          for (std::int64_t p = 0; p < depth; ++p) rows[i * kStep + p] = 0;
          continue;
        }
        const Cell* const from = block.left + (row + i) * block.left_step + first;
        for (std::int64_t p = 0; p < depth; ++p) rows[i * kStep + p] = from[p];
      }
    }
  }

  /// Multiplies the part of the depth from `first` on that is in one packed part of B, whose first panel is `panels`
  /// and whose panels are `panel_depth` rows deep.
  template <bool kAcross>
  static void multiply_part(const ProductBlock<Cell>& block, std::int64_t first, std::int64_t depth, const Cell* panels,
                            std::int64_t panel_depth) {
    Cell rows[kRows * kStep];
    const bool add = block.add || first > 0;
    // Rows whose stride maps them to the same few cache sets are copied; so are the last rows.
    constexpr std::int64_t kBad = 1024 / sizeof(Cell), kShort = 128 / sizeof(Cell);
    const bool in_place = !kAcross && (block.left_step % kBad != 0 || depth <= kShort);
    for (std::int64_t near = 0; near < block.columns; near += kNear) {
      const std::int64_t end = near + kNear < block.columns ? near + kNear : block.columns;
      for (std::int64_t row = 0; row < block.rows; row += kRows) {
        LeftRows left{rows, kStep};
        if (in_place && row + kRows <= block.rows) {
          left = {block.left + row * block.left_step + first, block.left_step};
        } else {
          copy_rows<kAcross>(block, row, first, depth, rows);
        }
        for (std::int64_t column = near; column < end; column += kColumns) {
          const Cell* const panel = panels + column * panel_depth;
          Cell* const to = block.result + row * block.result_step + column;
          const std::int64_t columns = block.columns - column;
          if (row + kRows <= block.rows && columns >= kColumns) {
            tile<kAcross, 2>(left, panel, depth, to, block.result_step, add);
          } else if (row + kRows <= block.rows && columns == kLanes) {
            tile<kAcross, 1>(left, panel, depth, to, block.result_step, add);
          } else {
            edge<kAcross>(left, panel, depth, block, row, column, add);
          }
        }
      }
    }
  }

  static void multiply(const ProductBlock<Cell>& block) {
    for (std::int64_t done = 0; done < block.depth;) {
      const std::int64_t row = block.first_depth + done, part = row / kProductDepth * kProductDepth;
      const std::int64_t left = block.packed_depth - part;
      const std::int64_t panel_depth = left < kProductDepth ? left : kProductDepth;
      const std::int64_t here = part + panel_depth - row, wanted = block.depth - done;
      const std::int64_t depth = here < wanted ? here : wanted;
      const Cell* const panels =
          block.right + part * block.padded_columns + block.first_column * panel_depth + (row - part) * kColumns;
      if (block.across) {
        multiply_part<true>(block, done, depth, panels, panel_depth);
      } else {
        multiply_part<false>(block, done, depth, panels, panel_depth);
      }
      done += depth;
    }
  }
};

/// Returns a path with these registers.
template <class FloatVector, class DoubleVector, int kRows>
constexpr ProductPath product_path(const char* name) {
  using Floats = ProductLoops<float, FloatVector, kRows>;
  using Doubles = ProductLoops<double, DoubleVector, kRows>;
  return {name, Floats::kColumns, Doubles::kColumns, kRows, Floats::multiply, Doubles::multiply};
}

}  // namespace

}  // namespace ropescope
