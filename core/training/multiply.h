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

/// Products of small matrices on the fastest path that this machine has (core/products), without a single allocation:
/// the right side is packed into room that the caller keeps. C is written, or added to where `add` is set.
template <class Cell>
class Multiplier {
 public:
  Multiplier();
  /// Cells of room that a product of this depth, with so many rows and columns in its result, wants at most.
  std::int64_t room(std::int64_t rows, std::int64_t depth, std::int64_t columns) const;

  /// C = A·B
  void plain(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;
  /// C = A·Bᵀ
  void by_transposed(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;
  /// C = Aᵀ·B
  void transposed_by(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;

 private:
  std::int64_t padded(std::int64_t columns) const { return (columns + panel_ - 1) / panel_ * panel_; }
  void run(Cells<const Cell> a, const Cell* panels, std::int64_t depth, Cells<Cell> c, bool add) const;
  void pack(const Cell* b, std::int64_t row_step, std::int64_t column_step, std::int64_t depth, std::int64_t columns,
            Cell* panels) const;

  const ProductPath* path_;
  std::int64_t panel_;
};

}  // namespace ropescope
