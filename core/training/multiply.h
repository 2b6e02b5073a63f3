// Products of a training step, by panels that are packed once: the same numbers for any number of threads. piece.h
// stands on it; products outside training are those of core/products/products.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/training/parameters.h"

namespace ropescope {

// --- Limits of exponentials ----------------------------------------------------------------------------------------

/// Between which numbers elementwise.cpp computes eˣ in float32. They are defined in another source than its loops
/// because the compiler must not know them there: with constant limits it splits the loop in three (what is below,
/// between and above), which take twice the time.
struct ExponentialLimits {
  float least, most;
};
extern const ExponentialLimits kExponentialLimits;

// --- Products ------------------------------------------------------------------------------------------------------

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

 private:
  std::int64_t padded(std::int64_t columns) const { return (columns + panel_ - 1) / panel_ * panel_; }

  const ProductPath* path_;
  std::int64_t panel_, rows_;
};

// --- Packed weights ------------------------------------------------------------------------------------------------

/// The matrices of a model as the right sides of products, laid out once in a step for all pieces of its batch.
template <class Cell>
class PackedWeights {
 public:
  PackedWeights(const ModelShape& shape, const ParameterLayout& layout);
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;
  /// Cells that it takes.
  static std::int64_t cells_wanted(const ModelShape& shape, const ParameterLayout& layout);

  /// Every matrix is a job for the way forward and one for the way back, and does not depend on the others.
  std::int64_t jobs() const { return static_cast<std::int64_t>(2 * matrices_.size()); }
  void pack(std::int64_t job, const Cell* parameters);
  void pack_forward(const Cell* parameters);  ///< what forward() wants, by this thread

  struct Layer {
    PackedCells<Cell> qkv, out, up, down;
  };
  /// x·W of a layer.
  Layer forward(int layer) const;
  /// d·Wᵀ of a layer.
  Layer backward(int layer) const;
  PackedCells<Cell> tokens_transposed() const { return matrices_.front().forward; }
  PackedCells<Cell> tokens() const { return matrices_.front().backward; }

 private:
  struct Matrix {
    std::int64_t offset, rows, columns;
    PackedCells<Cell> forward, backward;
  };
  Multiplier<Cell> multiply_;
  std::vector<Matrix> matrices_;  // tokens, then four of every layer
  std::vector<Cell> cells_;
};

}  // namespace ropescope
