// Matrix products of a training step, with panels packed once and results independent of the number of threads. piece.h
// uses it; products outside training are in core/matrix_products/products.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/training/parameters.h"

namespace ropescope {

// --- Limits of exponentials ----------------------------------------------------------------------------------------

/// Limits between which elementwise.cpp computes eˣ in float32. They are defined in a different source file from its
/// loops because the compiler must not know them there: constant limits make it split the loop into three (below,
/// between and above), which takes twice the time.
struct ExponentialLimits {
  float least, most;
};
extern const ExponentialLimits kExponentialLimits;

// --- Products ------------------------------------------------------------------------------------------------------

struct ProductPath;

/// A row-major matrix view, rows `step` cells apart.
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

/// The right side B of products, packed for the current processor (ProductBlock::right) in the caller's memory.
template <class Cell>
struct PackedCells {
  const Cell* panels = nullptr;
  std::int64_t depth = 0, columns = 0;
};

/// Products of small matrices on the machine's fastest path (core/matrix_products), without allocation: the right side
/// is packed into memory of the caller. C is overwritten, or incremented if `add` is set.
template <class Cell>
class Multiplier {
 public:
  Multiplier();
  /// Returns the number of cells needed for a right side B [depth × columns].
  std::int64_t room(std::int64_t depth, std::int64_t columns) const { return depth * padded(columns); }
  /// Returns the number of result rows (24 or 25) that keeps the processor's registers full; multiples do so, too.
  std::int64_t rows_at_once() const { return rows_; }

  PackedCells<Cell> pack(Cells<const Cell> b, Cell* room) const;
  PackedCells<Cell> pack_transposed(Cells<const Cell> b, Cell* room) const;
  /// Computes C = A·B for the first columns of B, as many as C has, and the rows of B from `first_row` on, as many as A
  /// has columns.
  void by(Cells<const Cell> a, PackedCells<Cell> b, Cells<Cell> c, bool add, std::int64_t first_row = 0) const;
  /// Computes C = Aᵀ·B in the same way.
  void across_by(Cells<const Cell> a, PackedCells<Cell> b, Cells<Cell> c, bool add, std::int64_t first_row = 0) const;

  /// Computes C = A·B.
  void plain(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;
  /// Computes C = A·Bᵀ.
  void by_transposed(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const;

 private:
  std::int64_t padded(std::int64_t columns) const { return (columns + panel_ - 1) / panel_ * panel_; }

  const ProductPath* path_;
  std::int64_t panel_, rows_;
};

// --- Packed weights ------------------------------------------------------------------------------------------------

/// The place of a matrix among the parameters.
struct MatrixPlace {
  std::int64_t offset, rows, columns;
};

/// The matrices of a model as the right sides of products, packed once per step for all pieces of its batch.
template <class Cell>
class PackedWeights {
 public:
  PackedWeights(const ModelShape& shape, const ParameterLayout& layout);
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;
  /// Returns the number of cells needed.
  static std::int64_t cells_required(const ModelShape& shape, const ParameterLayout& layout);

  /// Returns the number of jobs: one per matrix for the forward pass and one for the backward pass, all independent.
  std::int64_t jobs() const { return static_cast<std::int64_t>(2 * matrices_.size()); }
  void pack(std::int64_t job, const Cell* parameters);
  void pack_forward(const Cell* parameters);  ///< packs what forward() needs, in this thread

  struct Layer {
    PackedCells<Cell> qkv, out, up, down;
  };
  /// Returns the matrices for x·W in a layer.
  Layer forward(int layer) const;
  /// Returns the matrices for d·Wᵀ in a layer.
  Layer backward(int layer) const;
  PackedCells<Cell> tokens_transposed() const { return matrices_.front().forward; }
  PackedCells<Cell> tokens() const { return matrices_.front().backward; }

 private:
  struct Matrix : MatrixPlace {
    PackedCells<Cell> forward, backward;
  };
  Multiplier<Cell> multiply_;
  std::vector<Matrix> matrices_;  // tokens, then four per layer
  std::vector<Cell> cells_;
};

}  // namespace ropescope
