// Matrix products on every path of this machine: integers give the same cells whatever is fused and in whatever order
// it is summed, so every cell is compared exactly.

#include "core/matrix_products/products.h"

#include "core/message.h"
#include "tests/test.h"

namespace ropescope {

namespace {

using Floats = RightMatrix<float>::Matrix;
using Doubles = RightMatrix<double>::Matrix;

template <class Matrix>
Matrix whole_numbers(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  Matrix matrix(rows, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) {
    matrix.data()[i] = static_cast<typename Matrix::Scalar>(static_cast<int>(random() % 17) - 8);
  }
  return matrix;
}

/// The definition, cell by cell.
template <class Matrix>
Matrix by_definition(const Matrix& left, const Matrix& right) {
  Matrix result(left.rows(), right.cols());
  for (Eigen::Index i = 0; i < result.rows(); ++i) {
    for (Eigen::Index j = 0; j < result.cols(); ++j) {
      typename Matrix::Scalar sum = 0;
      for (Eigen::Index p = 0; p < left.cols(); ++p) sum += left(i, p) * right(p, j);
      result(i, j) = sum;
    }
  }
  return result;
}

class Products : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      product_on<float>(GetParam(), Floats::Ones(1, 1), Floats::Ones(1, 1));
    } catch (const InputError&) {
      GTEST_SKIP() << "this machine cannot run " << GetParam();
    }
  }
};

struct Size {
  Eigen::Index rows, depth, columns;
};
/// One cell, less and more than a tile in each direction, whole tiles, and depths around a packed one.
constexpr Size kSizes[] = {{1, 1, 1},     {3, 7, 5},      {5, 4, 8},       {6, 16, 16},    {12, 32, 32},  {13, 33, 33},
                           {24, 64, 64},  {25, 255, 31},  {7, 256, 65},    {11, 257, 129}, {1, 600, 513}, {40, 513, 1},
                           {12, 512, 32}, {2, 300, 1025}, {128, 128, 300}, {9, 0, 4}};

}  // namespace

TEST_P(Products, AreExactForWholeNumbersOfEverySize) {
  unsigned seed = 1;
  for (const Size& size : kSizes) {
    SCOPED_TRACE(testing::Message() << size.rows << " x " << size.depth << " x " << size.columns);
    const Floats left = whole_numbers<Floats>(size.rows, size.depth, ++seed);
    const Floats right = whole_numbers<Floats>(size.depth, size.columns, ++seed);
    EXPECT_EQ(product_on<float>(GetParam(), left, right), by_definition(left, right));
    const Doubles exact = left.cast<double>(), other = right.cast<double>();
    EXPECT_EQ(product_on<double>(GetParam(), exact, other), by_definition(exact, other));
  }
}

TEST_P(Products, ANumberThatIsNoneStaysInItsRow) {
  Floats left = Floats::Ones(20, 10);
  const Floats right = Floats::Ones(10, 20);
  left(13, 4) = std::numeric_limits<float>::quiet_NaN();
  left(2, 9) = std::numeric_limits<float>::infinity();
  const Floats result = product_on<float>(GetParam(), left, right);
  for (Eigen::Index i = 0; i < 20; ++i) {
    for (Eigen::Index j = 0; j < 20; ++j) {
      if (i == 13) {
        EXPECT_TRUE(std::isnan(result(i, j)));
      } else {
        EXPECT_EQ(result(i, j), i == 2 ? std::numeric_limits<float>::infinity() : 10);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, Products, testing::Values("avx512", "avx2", "portable"),
                         [](const auto& path) { return std::string(path.param); });

TEST(RightMatrix, TransposedAddedAndFromSomeColumnOnGivesTheSame) {
  const Eigen::Index panel = RightMatrix<double>::panel();
  const Doubles left = whole_numbers<Doubles>(30, 300, 1), right = whole_numbers<Doubles>(300, 7 * panel + 3, 2);
  const Doubles expected = by_definition(left, right);
  const Doubles turned = right.transpose();
  for (const int threads : {1, 4}) {
    const auto straight = RightMatrix<double>::of(right, {threads});
    const auto transposed = RightMatrix<double>::of_transposed(turned, {threads});
    for (const auto* matrix : {&straight, &transposed}) {
      Doubles result(30, right.cols());
      matrix->multiply(left, result);
      EXPECT_EQ(result, expected);
      matrix->multiply(left, result, true);
      EXPECT_EQ(result, 2 * expected);
      Doubles some(30, 2 * panel + 1);
      matrix->multiply(left, some, false, 3 * panel);
      EXPECT_EQ(some, expected.middleCols(3 * panel, some.cols()));
    }
  }
}

TEST(RightMatrix, WorksOnBlocksOfLargerMatrices) {
  const Floats whole = whole_numbers<Floats>(50, 60, 1);
  const auto matrix = RightMatrix<float>::of(whole.block(3, 4, 20, 30), {1});
  Floats results = Floats::Constant(40, 50, -1);
  matrix.multiply(whole.block(10, 7, 15, 20), results.block(5, 6, 15, 30));
  const Floats left = whole.block(10, 7, 15, 20), right = whole.block(3, 4, 20, 30);
  Floats expected = Floats::Constant(40, 50, -1);
  expected.block(5, 6, 15, 30) = by_definition(left, right);
  EXPECT_EQ(results, expected);
}

TEST(RightMatrix, WithoutDepthTheProductIsZero) {
  const auto matrix = RightMatrix<float>::of(Floats(0, 5), {1});
  Floats result = Floats::Ones(3, 5);
  matrix.multiply(Floats(3, 0), result, true);
  EXPECT_EQ(result, Floats::Ones(3, 5));
  matrix.multiply(Floats(3, 0), result);
  EXPECT_EQ(result, Floats::Zero(3, 5));
}

TEST(RightMatrix, AnUnknownPathIsANamedError) {
  EXPECT_THROW(product_on<float>("neon", Floats::Ones(1, 1), Floats::Ones(1, 1)), InputError);
  EXPECT_NO_THROW(product_on<float>(product_path_name(), Floats::Ones(1, 1), Floats::Ones(1, 1)));
}

}  // namespace ropescope
