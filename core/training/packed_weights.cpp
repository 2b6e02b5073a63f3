#include "core/training/packed_weights.h"

#include <cstddef>

namespace ropescope {

namespace {

struct PackedWeightsPlace {
  std::int64_t offset, rows, columns;
};

std::vector<PackedWeightsPlace> places_of(const ModelShape& shape, const ParameterLayout& layout) {
  const std::int64_t width = shape.width, wide = 4 * width;
  std::vector<PackedWeightsPlace> places{{layout.tokens, shape.vocabulary, width}};
  for (const LayerOffsets& at : layout.layers) {
    places.push_back({at.qkv, width, 3 * width});
    places.push_back({at.out, width, width});
    places.push_back({at.up, width, wide});
    places.push_back({at.down, wide, width});
  }
  return places;
}

/// Whole lines of the cache.
std::int64_t packed_weights_rounded(std::int64_t cells) {
  return (cells + 15) / 16 * 16;
}

}  // namespace

template <class Cell>
PackedWeights<Cell>::PackedWeights(const ModelShape& shape, const ParameterLayout& layout)
    : cells_(static_cast<std::size_t>(cells_wanted(shape, layout))) {
  Cell* room = cells_.data();
  const auto take = [&](std::int64_t depth, std::int64_t columns) {
    const PackedCells<Cell> packed{room, depth, columns};
    room += packed_weights_rounded(multiply_.room(depth, columns));
    return packed;
  };
  for (const PackedWeightsPlace& place : places_of(shape, layout)) {
    const bool first = matrices_.empty();  // the output is tied to the tokens: what is W elsewhere is their transpose
    Matrix matrix{place.offset, place.rows, place.columns, {}, {}};
    const PackedCells<Cell> straight = take(place.rows, place.columns), turned = take(place.columns, place.rows);
    matrix.forward = first ? turned : straight;
    matrix.backward = first ? straight : turned;
    matrices_.push_back(matrix);
  }
}

template <class Cell>
std::int64_t PackedWeights<Cell>::cells_wanted(const ModelShape& shape, const ParameterLayout& layout) {
  const Multiplier<Cell> multiply;
  std::int64_t sum = 0;
  for (const PackedWeightsPlace& place : places_of(shape, layout)) {
    sum += packed_weights_rounded(multiply.room(place.rows, place.columns)) +
           packed_weights_rounded(multiply.room(place.columns, place.rows));
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
  const Matrix* const first = &matrices_[static_cast<std::size_t>(1 + 4 * layer)];
  return {first[0].forward, first[1].forward, first[2].forward, first[3].forward};
}

template <class Cell>
typename PackedWeights<Cell>::Layer PackedWeights<Cell>::backward(int layer) const {
  const Matrix* const first = &matrices_[static_cast<std::size_t>(1 + 4 * layer)];
  return {first[0].backward, first[1].backward, first[2].backward, first[3].backward};
}

template class PackedWeights<float>;
template class PackedWeights<double>;

}  // namespace ropescope
