#include "core/training/multiply.h"

#include <algorithm>
#include <type_traits>

#include "core/processor.h"
#include "core/products/product_path.h"

namespace ropescope {

namespace {

const ProductPath& fastest_path() {
  if (kAvx512Product.of_floats && has_avx512()) return kAvx512Product;
  if (kAvx2Product.of_floats && has_avx2()) return kAvx2Product;
  return kPortableProduct;
}

/// to [columns × rows] = fromᵀ, in squares that stay in the first cache.
template <class Cell>
void transpose(Cells<const Cell> from, Cell* to) {
  constexpr std::int64_t kSquare = 16;
  for (std::int64_t i = 0; i < from.rows; i += kSquare) {
    const std::int64_t last_row = std::min(from.rows, i + kSquare);
    for (std::int64_t j = 0; j < from.columns; j += kSquare) {
      const std::int64_t last_column = std::min(from.columns, j + kSquare);
      for (std::int64_t row = i; row < last_row; ++row) {
        for (std::int64_t column = j; column < last_column; ++column) {
          to[column * from.rows + row] = from.data[row * from.step + column];
        }
      }
    }
  }
}

}  // namespace

template <class Cell>
Multiplier<Cell>::Multiplier() : path_(&fastest_path()) {
  panel_ = std::is_same_v<Cell, float> ? path_->float_columns : path_->double_columns;
}

template <class Cell>
std::int64_t Multiplier<Cell>::room(std::int64_t rows, std::int64_t depth, std::int64_t columns) const {
  return depth * (padded(columns) + rows);
}

template <class Cell>
void Multiplier<Cell>::pack(const Cell* b, std::int64_t row_step, std::int64_t column_step, std::int64_t depth,
                            std::int64_t columns, Cell* panels) const {
  for (std::int64_t first = 0; first < depth; first += kProductDepth) {
    const std::int64_t rows = std::min(kProductDepth, depth - first);
    for (std::int64_t column = 0; column < columns; column += panel_) {
      Cell* const to = panels + first * padded(columns) + column * rows;
      const std::int64_t wanted = std::min(panel_, columns - column);
      const Cell* const corner = b + first * row_step + column * column_step;
      if (wanted < panel_) std::fill_n(to, rows * panel_, Cell{0});
      if (column_step == 1) {
        for (std::int64_t p = 0; p < rows; ++p) std::copy_n(corner + p * row_step, wanted, to + p * panel_);
      } else {
        for (std::int64_t p = 0; p < rows; ++p) {
          for (std::int64_t j = 0; j < wanted; ++j) to[p * panel_ + j] = corner[p * row_step + j * column_step];
        }
      }
    }
  }
}

template <class Cell>
void Multiplier<Cell>::run(Cells<const Cell> a, const Cell* panels, std::int64_t depth, Cells<Cell> c, bool add) const {
  const ProductBlock<Cell> block{a.rows, depth,  c.columns, a.data, a.step, panels, padded(c.columns),
                                 0,      c.data, c.step,    add};
  if constexpr (std::is_same_v<Cell, float>) {
    path_->of_floats(block);
  } else {
    path_->of_doubles(block);
  }
}

template <class Cell>
void Multiplier<Cell>::plain(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const {
  pack(b.data, b.step, 1, b.rows, b.columns, room);
  run(a, room, b.rows, c, add);
}

template <class Cell>
void Multiplier<Cell>::by_transposed(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add,
                                     Cell* room) const {
  pack(b.data, 1, b.step, b.columns, b.rows, room);
  run(a, room, b.columns, c, add);
}

template <class Cell>
void Multiplier<Cell>::transposed_by(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add,
                                     Cell* room) const {
  Cell* const turned = room + b.rows * padded(b.columns);
  transpose(a, turned);
  pack(b.data, b.step, 1, b.rows, b.columns, room);
  run({turned, a.columns, a.rows, a.rows}, room, b.rows, c, add);
}

template class Multiplier<float>;
template class Multiplier<double>;

}  // namespace ropescope
