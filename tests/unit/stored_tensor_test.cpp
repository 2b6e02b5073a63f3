#include "core/precision/precision.h"
#include "tests/store_values.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

constexpr double kTensorInfinity = std::numeric_limits<double>::infinity();
constexpr Storage kReals[] = {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16,
                              Storage::int8,    Storage::int16,   Storage::int32,   Storage::int64,
                              Storage::uint8,   Storage::uint16,  Storage::uint32,  Storage::uint64};

TEST(StoredTensor, EveryStorageGivesBackWhatItHolds) {
  for (const Storage storage : kReals) {
    const StoredTensor tensor = store_values("x", {2, 3}, {0, 1, 2, 3, 100, 7}, storage);
    EXPECT_EQ(tensor.bytes.size(), 6 * storage_bytes(storage)) << storage_name(storage);
    EXPECT_THAT(numbers_of(tensor), ElementsAre(0, 1, 2, 3, 100, 7)) << storage_name(storage);
    EXPECT_FALSE(is_complex(storage));
  }
  for (const Storage storage : {Storage::complex64, Storage::complex128}) {
    const StoredTensor tensor = store_values("x", {2, 1}, {0.5, -1, 2, 0.25}, storage);
    EXPECT_EQ(tensor.bytes.size(), 2 * storage_bytes(storage));
    EXPECT_THAT(numbers_of(tensor), ElementsAre(0.5, -1, 2, 0.25));
    EXPECT_TRUE(is_complex(storage));
  }
  EXPECT_TRUE(is_integer(Storage::int8) && is_integer(Storage::uint64));
  EXPECT_FALSE(is_integer(Storage::bfloat16) || is_integer(Storage::complex64));
}

TEST(StoredTensor, BytesStandEitherWayRound) {
  for (const Storage storage : kReals) {
    const std::vector<double> values = {1, 2, 3, 120, 0, 5};
    const std::string content = raw(values, storage, true);
    StoredTensor tensor = store_values("x", {3, 2}, values, storage);
    tensor.bytes = bytes_of(content);
    tensor.big_endian = true;
    EXPECT_EQ(numbers_of(tensor), values) << storage_name(storage);
  }
  EXPECT_EQ(raw({1}, Storage::uint32, false), std::string("\x01\0\0\0", 4));
  EXPECT_EQ(raw({1}, Storage::uint32, true), std::string("\0\0\0\x01", 4));
}

TEST(StoredTensor, RowsComeRowMajorWhateverTheStrides) {
  // [row, i, j] = 100 row + 10 i + j.
  std::vector<double> values;
  for (int row = 0; row < 4; ++row) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 2; ++j) values.push_back(100 * row + 10 * i + j);
    }
  }
  const StoredTensor plain = store_values("x", {4, 3, 2}, values, Storage::float32);
  std::vector<double> rows(12);
  read_rows(plain, 1, 2, rows.data());
  EXPECT_EQ(rows, std::vector<double>(values.begin() + 6, values.begin() + 18));

  // The same numbers seen as [i, row, j]: a transposed tensor whose last axis is still dense.
  StoredTensor turned = plain;
  turned.shape = {3, 4, 2};
  turned.strides = {2, 6, 1};
  std::vector<double> one(8);
  read_rows(turned, 2, 1, one.data());
  EXPECT_THAT(one, ElementsAre(20, 21, 120, 121, 220, 221, 320, 321));

  // Every other row of a slice, and one column of it.
  StoredTensor slice = plain;
  slice.shape = {2, 3};
  slice.strides = {12, 2};
  EXPECT_THAT(numbers_of(slice), ElementsAre(0, 10, 20, 200, 210, 220));
}

TEST(StoredTensor, FortranOrderIsReadByRows) {
  // Column-major [2, 3] of complex numbers r + 10c.
  StoredTensor tensor = store_values("x", {2, 3}, {0, 0, 1, -1, 10, 0, 11, -1, 20, 0, 21, -1}, Storage::complex128);
  tensor.strides = {1, 2};
  EXPECT_THAT(numbers_of(tensor), ElementsAre(0, 0, 10, 0, 20, 0, 1, -1, 11, -1, 21, -1));
  std::vector<double> last(6);
  read_rows(tensor, 1, 1, last.data());
  EXPECT_THAT(last, ElementsAre(1, -1, 11, -1, 21, -1));
}

TEST(StoredTensor, ScalarsAndEmptyOnes) {
  const StoredTensor scalar = store_values("x", {}, {2.5});
  EXPECT_EQ(scalar.count(), 1);
  EXPECT_THAT(numbers_of(scalar), ElementsAre(2.5));
  StoredTensor empty = store_values("x", {0, 3}, {});
  double untouched = 7;
  read_rows(empty, 0, 0, &untouched);
  EXPECT_EQ(untouched, 7);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  empty.shape = {kMax, kMax, 0};
  EXPECT_EQ(empty.count(), 0);
  EXPECT_THROW(store_values("x", {2, 3}, {1, 2, 3}), std::invalid_argument);
}

TEST(StoredTensor, FloatsRoundOnceToNearestEven) {
  // 257 and 259 lie midway between two bfloat16; 2^11 + 1 and + 3 between two float16.
  EXPECT_THAT(numbers_of(store_values("x", {3}, {257, 259, 1e39}, Storage::bfloat16)),
              ElementsAre(256, 260, kTensorInfinity));
  EXPECT_THAT(numbers_of(store_values("x", {3}, {2049, 2051, 65520}, Storage::float16)),
              ElementsAre(2048, 2052, kTensorInfinity));
  // By way of float32 this would be rounded twice, down to 1.
  EXPECT_THAT(numbers_of(store_values("x", {1}, {1 + 0x1p-8 + 0x1p-40}, Storage::bfloat16)), ElementsAre(1 + 0x1p-7));
  EXPECT_THAT(numbers_of(store_values("x", {2}, {1e300, -1e300}, Storage::float32)),
              ElementsAre(kTensorInfinity, -kTensorInfinity));
  EXPECT_TRUE(std::isnan(numbers_of(store_values("x", {1}, {std::nan("")}, Storage::bfloat16))[0]));
}

TEST(StoredTensor, EveryShortFloatIsItsOwnNearest) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const double half = float16_value(pattern), brain = bfloat16_value(pattern);
    if (std::isnan(half)) {
      EXPECT_TRUE(std::isnan(float16_value(float16_bits(half))));
    } else {
      EXPECT_EQ(float16_bits(half), pattern);
      EXPECT_EQ(round_to_float16(half), half);
    }
    if (!std::isnan(brain)) {
      EXPECT_EQ(bfloat16_bits(brain), pattern);
      EXPECT_EQ(round_to_bfloat16(brain), brain);
    }
  }
  EXPECT_EQ(float16_value(0x0001), 0x1p-24);
  EXPECT_EQ(float16_value(0x7BFF), 65504);
  EXPECT_EQ(bfloat16_value(0x4049), 3.140625);
}

TEST(StoredTensor, AnIntegerThatDoesNotFitIsNamed) {
  EXPECT_REFUSED(store_values("x", {1}, {128}, Storage::int8),
                 Says("error.check.integer_bits", {{"number", "128"}, {"bits", "8"}}));
  EXPECT_REFUSED(store_values("x", {1}, {-1}, Storage::uint64), HasSubstr("64 bits"));
  EXPECT_REFUSED(store_values("x", {1}, {std::nan("")}, Storage::int32), HasSubstr("32 bits"));
}

TEST(StoredTensor, HalfAUnitInTheLastPlace) {
  const auto unit = [](Storage storage, double value) {
    return half_unit(store_values("x", {1}, {0}, storage), value);
  };
  EXPECT_EQ(unit(Storage::float64, 1), 0x1p-53);
  EXPECT_EQ(unit(Storage::float32, 1), 0x1p-24);
  EXPECT_EQ(unit(Storage::float32, -0.75), 0x1p-25);
  EXPECT_EQ(unit(Storage::float16, 2047), 0.5);
  EXPECT_EQ(unit(Storage::bfloat16, 256), 1);
  EXPECT_EQ(unit(Storage::float16, 0), 0x1p-25);
  EXPECT_EQ(unit(Storage::float16, 65536), kTensorInfinity);
  EXPECT_EQ(half_unit(store_values("x", {1}, {0, 0}, Storage::complex64), 1), 0x1p-24);
  EXPECT_EQ(unit(Storage::int32, 1e6), 0);
}

TEST(StoredTensor, APrintedNumberSaysNoMoreThanItsDigits) {
  StoredTensor tensor = store_values("x", {1}, {0});
  tensor.printed = Printed{6, 7};  // as %.6f prints cos and sin
  EXPECT_DOUBLE_EQ(half_unit(tensor, 0.70710678), 0.5e-6);
  EXPECT_DOUBLE_EQ(half_unit(tensor, 0), 0.5e-6);
  tensor.printed = Printed{12, 6};  // as %g
  EXPECT_DOUBLE_EQ(half_unit(tensor, 0.70710678), 0.5e-6);
  EXPECT_DOUBLE_EQ(half_unit(tensor, 0.00012345678), 0.5e-9);
  EXPECT_DOUBLE_EQ(half_unit(tensor, 1234.5), 0.5e-2);
  tensor.printed = Printed{20, 17};  // all that a double holds
  EXPECT_LE(half_unit(tensor, 0.7), 0x1p-53);
}

}  // namespace
}  // namespace ropescope
