#pragma once

#include <cstdint>

namespace ropescope {

struct ProductPath;

/// A matrix by rows, `step` cells apart, that lives elsewhere.
template <class Cell>
struct Cells {
  Cell* data = nullptr;
  std::int64_t rows = 0, columns = 0, step = 0;

  operator Cells<const Cell>() const { return {data, rows, columns, step}; }
};

template <class Cell>
Cells<Cell> cells(Cell* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, columns};
}

/// The right side B of products, laid out for the processor at hand (ProductBlock::right) in somebody's room.
template <class Cell>
struct PackedCells {
  const Cell* panels = nullptr;
  std::int64_t depth = 0, columns = 0;
};

/// Products of small matrices on the fastest path that this machine has (core/products), without a single allocation:
/// the right side is packed into room that the caller keeps. C is written, or added to where `add` is set.
template <class Cell>
class Multiplier {
 public:
  Multiplier();
  /// Cells of room that a right side B [depth × columns] takes.
  std::int64_t room(std::int64_t depth, std::int64_t columns) const { return depth * padded(columns); }
  /// Cells of room that a product of this depth, with so many rows and columns in its result, wants at most.
  std::int64_t room(std::int64_t rows, std::int64_t depth, std::int64_t columns) const;
  /// So many rows of a result at a time, or a multiple of them, keep the processor's registers full: 24 or 25.
  std::int64_t rows_at_once() const { return rows_; }

  PackedCells<Cell> pack(Cells<const Cell> b, Cell* room) const;
  PackedCells<Cell> pack_transposed(Cells<const Cell> b, Cell* room) const;
  /// C = A·B for the first columns of B, as many as C has, and as many of its rows from `first_row` on as A has
  /// columns.
  void by(Cells<const Cell> a, PackedCells<Cell> b, Cells<Cell> c, bool add, std::int64_t first_row = 0) const;
  /// C = Aᵀ·B, likewise.
  void across_by(Cells<const Cell> a, PackedCells<Cell> b, Cells<Cell> c, bool add, std::int64_t first_row = 0) const;

  /// C = A·B
  void plain(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;
  /// C = A·Bᵀ
  void by_transposed(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;
  /// C = Aᵀ·B
  void transposed_by(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;

 private:
  std::int64_t padded(std::int64_t columns) const { return (columns + panel_ - 1) / panel_ * panel_; }
  void pack(const Cell* b, std::int64_t row_step, std::int64_t column_step, std::int64_t depth, std::int64_t columns,
            Cell* panels) const;

  const ProductPath* path_;
  std::int64_t panel_, rows_;
};

}  // namespace ropescope
