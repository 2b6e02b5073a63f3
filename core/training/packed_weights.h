#pragma once

#include <cstdint>
#include <vector>

#include "core/training/multiply.h"
#include "core/training/parameters.h"

namespace ropescope {

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
