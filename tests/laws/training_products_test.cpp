// Products into and from parts of matrices, as training uses them, on the path of this process (ctest also runs these
// with ROPESCOPE_PROCESSOR). With integers, every cell is compared exactly.

#include "core/training/multiply.h"
#include "core/training/parameters.h"
#include "tests/test.h"

namespace ropescope {
namespace {

template <class Cell>
struct Matrix {
  std::int64_t rows, columns;
  std::vector<Cell> numbers;

  Cell at(std::int64_t row, std::int64_t column) const {
    return numbers[static_cast<std::size_t>(row * columns + column)];
  }
  Cells<const Cell> part(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t breadth) const {
    return {numbers.data() + row * columns + column, height, breadth, columns};
  }
};

template <class Cell>
Matrix<Cell> whole_numbers(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix<Cell> matrix{rows, columns, {}};
  RandomStream random{seed};
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    matrix.numbers.push_back(static_cast<Cell>(random.below(17) - 8));
  }
  return matrix;
}

struct Case {
  std::int64_t rows, first, depth, columns;  // of B's 601 rows from `first` on, its first columns
};
/// Less and more than a tile in each direction, and depths that begin, end and cross where packed parts meet.
constexpr Case kCases[] = {{1, 0, 1, 1},     {24, 24, 104, 32},  {25, 5, 7, 33},
                           {12, 255, 2, 65}, {13, 256, 256, 31}, {61, 0, 601, 70},
                           {7, 511, 90, 64}, {48, 100, 412, 17}, {5, 600, 1, 70}};

template <class Cell>
class TrainingProducts : public testing::Test {};
using BothCells = testing::Types<float, double>;
TYPED_TEST_SUITE(TrainingProducts, BothCells);

TYPED_TEST(TrainingProducts, OfPartsAreExactForWholeNumbers) {
  using Cell = TypeParam;
  const Multiplier<Cell> multiply;
  const Matrix<Cell> b = whole_numbers<Cell>(601, 70, 1);
  Matrix<Cell> turned{70, 601, {}};
  for (std::int64_t i = 0; i < 70; ++i) {
    for (std::int64_t j = 0; j < 601; ++j) turned.numbers.push_back(b.at(j, i));
  }
  const Cell none = std::numeric_limits<Cell>::quiet_NaN();
  std::vector<Cell> room(static_cast<std::size_t>(multiply.room(601, 70)), none), other = room;
  const PackedCells<Cell> straight = multiply.pack(b.part(0, 0, 601, 70), room.data());
  const PackedCells<Cell> transposed = multiply.pack_transposed(turned.part(0, 0, 70, 601), other.data());
  for (const Case& size : kCases) {
    SCOPED_TRACE(testing::Message() << size.rows << " x " << size.first << "+" << size.depth << " x " << size.columns);
    const Matrix<Cell> a = whole_numbers<Cell>(size.rows + 3, size.depth + 5, 2);
    const Matrix<Cell> across = whole_numbers<Cell>(size.depth + 3, size.rows + 5, 3);
    for (const PackedCells<Cell>& packed : {straight, transposed}) {
      for (const bool turn : {false, true}) {
        Matrix<Cell> c{size.rows + 2, size.columns + 3, {}};
        c.numbers.assign(static_cast<std::size_t>(c.rows * c.columns), Cell{100});
        const Cells<Cell> to{c.numbers.data() + c.columns + 2, size.rows, size.columns, c.columns};
        for (const bool add : {false, true}) {
          if (turn) {
            multiply.across_by(across.part(2, 1, size.depth, size.rows), packed, to, add, size.first);
          } else {
            multiply.by(a.part(1, 2, size.rows, size.depth), packed, to, add, size.first);
          }
        }
        for (std::int64_t i = 0; i < c.rows; ++i) {
          for (std::int64_t j = 0; j < c.columns; ++j) {
            const std::int64_t row = i - 1, column = j - 2;
            Cell expected = 100;  // what is not asked for stays
            if (row >= 0 && row < size.rows && column >= 0 && column < size.columns) {
              expected = 0;
              for (std::int64_t p = 0; p < size.depth; ++p) {
                expected +=
                    2 * b.at(size.first + p, column) * (turn ? across.at(2 + p, 1 + row) : a.at(1 + row, 2 + p));
              }
            }
            ASSERT_EQ(c.at(i, j), expected) << i << ", " << j << (turn ? " across" : "");
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ropescope
