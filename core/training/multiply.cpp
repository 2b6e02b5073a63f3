// Matrix products of a training step, and packed weights. Read multiply.h first.
//
// Contents: Limits of exponentials; Packed weights; Products.

#include "core/training/multiply.h"

#include <algorithm>
#include <cstddef>

#include "core/machine.h"
#include "core/matrix_products/products.h"

namespace ropescope {

// --- Limits of exponentials ----------------------------------------------------------------------------------------

constinit const ExponentialLimits kExponentialLimits = {-87, 88};

// --- Packed weights ------------------------------------------------------------------------------------------------

namespace {

std::vector<MatrixPlace> places_of(const ModelShape& shape, const ParameterLayout& layout) {
  const std::int64_t width = shape.width, wide = 4 * width;
  std::vector<MatrixPlace> places{{layout.tokens, shape.vocabulary, width}};
  for (const LayerOffsets& at : layout.layers) {
    places.push_back({at.qkv, width, 3 * width});
    places.push_back({at.out, width, width});
    places.push_back({at.up, width, wide});
    places.push_back({at.down, wide, width});
  }
  return places;
}

/// Rounds up to whole cache lines.
std::int64_t whole_lines(std::int64_t cells) {
  return (cells + 15) / 16 * 16;
}

}  // namespace

template <class Cell>
PackedWeights<Cell>::PackedWeights(const ModelShape& shape, const ParameterLayout& layout)
    : cells_(static_cast<std::size_t>(cells_required(shape, layout))) {
  Cell* room = cells_.data();
  const auto take = [&](std::int64_t depth, std::int64_t columns) {
    const PackedCells<Cell> packed{room, depth, columns};
    room += whole_lines(multiply_.room(depth, columns));
    return packed;
  };
  for (const MatrixPlace& place : places_of(shape, layout)) {
    const bool first = matrices_.empty();  // output and tokens are tied: W of the output is the transposed token matrix
    Matrix matrix{place, {}, {}};
    const PackedCells<Cell> straight = take(place.rows, place.columns), turned = take(place.columns, place.rows);
    matrix.forward = first ? turned : straight;
    matrix.backward = first ? straight : turned;
    matrices_.push_back(matrix);
  }
}

template <class Cell>
std::int64_t PackedWeights<Cell>::cells_required(const ModelShape& shape, const ParameterLayout& layout) {
  const Multiplier<Cell> multiply;
  std::int64_t sum = 0;
  for (const MatrixPlace& place : places_of(shape, layout)) {
    sum +=
        whole_lines(multiply.room(place.rows, place.columns)) + whole_lines(multiply.room(place.columns, place.rows));
  }
  return sum;
}

template <class Cell>
void PackedWeights<Cell>::pack(std::int64_t job, const Cell* parameters) {
  const Matrix& matrix = matrices_[static_cast<std::size_t>(job / 2)];
  const PackedCells<Cell>& to = job % 2 == 0 ? matrix.forward : matrix.backward;
  Cell* const room = cells_.data() + (to.panels - cells_.data());
  const auto from = cells(parameters + matrix.offset, matrix.rows, matrix.columns);
  const bool turned = (job % 2 == 0) == (job / 2 == 0);
  if (turned) {
    multiply_.pack_transposed(from, room);
  } else {
    multiply_.pack(from, room);
  }
}

template <class Cell>
void PackedWeights<Cell>::pack_forward(const Cell* parameters) {
  for (std::int64_t job = 0; job < jobs(); job += 2) pack(job, parameters);
}

template <class Cell>
typename PackedWeights<Cell>::Layer PackedWeights<Cell>::forward(int layer) const {
  const Matrix* const first = &matrices_[1 + 4 * static_cast<std::size_t>(layer)];
  return {first[0].forward, first[1].forward, first[2].forward, first[3].forward};
}

template <class Cell>
typename PackedWeights<Cell>::Layer PackedWeights<Cell>::backward(int layer) const {
  const Matrix* const first = &matrices_[1 + 4 * static_cast<std::size_t>(layer)];
  return {first[0].backward, first[1].backward, first[2].backward, first[3].backward};
}

template class PackedWeights<float>;
template class PackedWeights<double>;

// --- Products ------------------------------------------------------------------------------------------------------

template <class Cell>
Multiplier<Cell>::Multiplier() : path_(&best_product_path()) {
  constexpr std::int64_t kRows = 24;
  panel_ = panel_columns<Cell>(*path_);
  rows_ = (kRows + path_->rows - 1) / path_->rows * path_->rows;
}

template <class Cell>
PackedCells<Cell> Multiplier<Cell>::pack(Cells<const Cell> b, Cell* room) const {
  pack_panels<Cell>({b.data, b.step, 1, b.rows, b.columns}, panel_, 0, padded(b.columns), room);
  return {room, b.rows, b.columns};
}

template <class Cell>
PackedCells<Cell> Multiplier<Cell>::pack_transposed(Cells<const Cell> b, Cell* room) const {
  pack_panels<Cell>({b.data, 1, b.step, b.columns, b.rows}, panel_, 0, padded(b.rows), room);
  return {room, b.columns, b.rows};
}

template <class Cell>
void Multiplier<Cell>::by(Cells<const Cell> a, PackedCells<Cell> b, Cells<Cell> c, bool add,
                          std::int64_t first_row) const {
  run_product(*path_, ProductBlock<Cell>{a.rows, a.columns, c.columns, a.data, a.step, false, b.panels,
                                         padded(b.columns), b.depth, first_row, 0, c.data, c.step, add});
}

template <class Cell>
void Multiplier<Cell>::across_by(Cells<const Cell> a, PackedCells<Cell> b, Cells<Cell> c, bool add,
                                 std::int64_t first_row) const {
  run_product(*path_, ProductBlock<Cell>{a.columns, a.rows, c.columns, a.data, a.step, true, b.panels,
                                         padded(b.columns), b.depth, first_row, 0, c.data, c.step, add});
}

template <class Cell>
void Multiplier<Cell>::plain(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add, Cell* room) const {
  by(a, pack(b, room), c, add);
}

template <class Cell>
void Multiplier<Cell>::by_transposed(Cells<const Cell> a, Cells<const Cell> b, Cells<Cell> c, bool add,
                                     Cell* room) const {
  by(a, pack_transposed(b, room), c, add);
}

template class Multiplier<float>;
template class Multiplier<double>;

}  // namespace ropescope
