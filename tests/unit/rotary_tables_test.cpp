#include "core/rotary/rotary_tables.h"

#include "core/decay/kernel.h"
#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {
namespace {

constexpr std::int64_t kPairs = 64;
const Eigen::VectorXd kPlainLadder = plain_frequencies(2 * kPairs, 10000);

struct BothTables {
  std::vector<double> cosine, sine;
};

BothTables table_of(const std::vector<double>& positions, double amplitude = 1,
                    TableColumns columns = TableColumns::once) {
  const RotaryTables tables({{kPlainLadder, amplitude}}, TableAngles::exact, positions);
  BothTables both;
  both.cosine.resize(static_cast<std::size_t>(tables.row_count() * tables.width(columns)));
  both.sine.resize(both.cosine.size());
  tables.rows(0, tables.row_count(), columns, both.cosine.data(), both.sine.data());
  return both;
}

std::vector<double> many_positions() {
  std::vector<double> positions;
  for (int position = 0; position < 5000; ++position) positions.push_back(position);
  for (const double position : {-7.0, 0.5, 1.0 / 3, -2.25, 123456.0, 16777215.0, 16777216.0, 16777217.0, 1e9}) {
    positions.push_back(position);
  }
  return positions;
}

TEST(RotaryTables, AreWithinAUnitOfOtherCode) {
  const std::vector<double> positions = many_positions();
  const BothTables both = table_of(positions, 1.25);
  for (std::size_t row = 0; row < positions.size(); ++row) {
    for (Eigen::Index pair = 0; pair < kPairs; ++pair) {
      const Phasor expected = phasor(kPlainLadder[pair], positions[row]);
      const auto at = row * kPairs + static_cast<std::size_t>(pair);
      ASSERT_NEAR(both.cosine[at], 1.25 * expected.cosine, 3e-16) << positions[row] << " " << pair;
      ASSERT_NEAR(both.sine[at], 1.25 * expected.sine, 3e-16) << positions[row] << " " << pair;
    }
  }
}

TEST(RotaryTables, AreTheSameForOnePositionAndForMany) {
  const std::vector<double> positions = many_positions();
  const BothTables all = table_of(positions);
  for (std::size_t row = 0; row < positions.size(); row += 97) {
    const BothTables one = table_of({positions[row]});
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      ASSERT_EQ(one.cosine[pair], all.cosine[row * kPairs + pair]) << positions[row];
      ASSERT_EQ(one.sine[pair], all.sine[row * kPairs + pair]) << positions[row];
    }
  }
}

TEST(RotaryTables, RepeatTheirColumns) {
  const std::vector<double> positions = {3, 5};
  const BothTables once = table_of(positions), halves = table_of(positions, 1, TableColumns::halves),
                   adjacent = table_of(positions, 1, TableColumns::adjacent);
  for (std::size_t row = 0; row < positions.size(); ++row) {
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const double expected = once.sine[row * kPairs + pair];
      const std::size_t begin = 2 * row * kPairs;
      EXPECT_EQ(halves.sine[begin + pair], expected);
      EXPECT_EQ(halves.sine[begin + pair + kPairs], expected);
      EXPECT_EQ(adjacent.sine[begin + 2 * pair], expected);
      EXPECT_EQ(adjacent.sine[begin + 2 * pair + 1], expected);
    }
  }
}

TEST(RotaryTables, ConcatenateTheAxes) {
  const std::vector<double> positions = {1, 20, 2, 30};
  const RotaryTables tables({{kPlainLadder, 1}, {kPlainLadder.head(3), 2}}, TableAngles::exact, positions);
  ASSERT_EQ(tables.pair_count(), kPairs + 3);
  ASSERT_EQ(tables.row_count(), 2);
  std::vector<float> cosine(static_cast<std::size_t>(2 * (kPairs + 3))), sine(cosine.size());
  tables.rows(0, 2, TableColumns::once, cosine.data(), sine.data());
  EXPECT_FLOAT_EQ(cosine[0], static_cast<float>(std::cos(1.0)));
  EXPECT_FLOAT_EQ(sine[kPairs], static_cast<float>(2 * std::sin(20.0)));
  EXPECT_FLOAT_EQ(sine[2 * kPairs + 3], static_cast<float>(2 * std::sin(30.0)));
}

TEST(RotaryTables, RoundFloat32AnglesAsReleasedCode) {
  const std::vector<double> positions = {0, 1, 77, 4095, 131071, 1e6};
  const RotaryTables tables({{kPlainLadder, 1}}, TableAngles::float32, positions);
  std::vector<float> cosine(positions.size() * kPairs), sine(cosine.size());
  tables.rows(0, tables.row_count(), TableColumns::once, cosine.data(), sine.data());
  for (std::size_t row = 0; row < positions.size(); ++row) {
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const float angle =
          static_cast<float>(positions[row]) * static_cast<float>(kPlainLadder[static_cast<Eigen::Index>(pair)]);
      EXPECT_EQ(cosine[row * kPairs + pair], static_cast<float>(std::cos(static_cast<double>(angle))));
      EXPECT_EQ(sine[row * kPairs + pair], static_cast<float>(std::sin(static_cast<double>(angle))));
    }
  }
}

TEST(RotaryTables, RotateRows) {
  for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    RotarySpec spec{.head_dim = 12};
    spec.axes.front().rotary_dim = 8;
    spec.pairing = pairing;
    const Eigen::VectorXd frequencies = axis_frequencies(spec.axes.front());
    const TableRow row = head_table_row(spec, frequencies, {5});
    Eigen::VectorXd vector = Eigen::VectorXd::LinSpaced(12, -1, 2);
    const Eigen::VectorXd expected = rotate_by_row(spec, row, vector);
    const std::vector<std::int64_t> rows = {0};
    rotate_rows<double>({{row.cosine.data(), 4}, {row.sine.data(), 4}, 4, 12, pairing == Pairing::interleaved}, rows,
                        vector.data(), vector.data());
    for (Eigen::Index channel = 0; channel < 12; ++channel) EXPECT_NEAR(vector[channel], expected[channel], 1e-15);
  }
}

TEST(RotaryTables, WritePhasorsAndWrappedAngles) {
  const std::span<const double> ladder(kPlainLadder.data(), kPairs);
  std::vector<double> cosine(kPairs), sine(kPairs), angles(kPairs);
  for (const double position : {0.0, 1.0, -1.0, 0.3, -17.25, 355.0, 131071.0, -16777215.0, 16777217.0, 1e9 + 0.5}) {
    write_phasors(ladder, position, cosine.data(), sine.data());
    write_wrapped_angles(ladder, position, angles.data());
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const Phasor expected = phasor(ladder[pair], position);
      ASSERT_NEAR(cosine[pair], expected.cosine, 3e-16) << position << " " << pair;
      ASSERT_NEAR(sine[pair], expected.sine, 3e-16) << position << " " << pair;
      ASSERT_GE(angles[pair], 0) << position << " " << pair;
      ASSERT_LT(angles[pair], kTurn) << position << " " << pair;
      ASSERT_NEAR(std::remainder(angles[pair] - std::atan2(expected.sine, expected.cosine), kTurn), 0, 1e-15)
          << position << " " << pair;
    }
  }
  const std::vector<double> odd = {std::nan(""), HUGE_VAL, 1};
  write_phasors(odd, 1, cosine.data(), sine.data());
  EXPECT_TRUE(std::isnan(cosine[0]) && std::isnan(sine[1]));
  EXPECT_EQ(cosine[2], std::cos(1.0));
}

TEST(RotaryTables, SumCosines) {
  for (const double position : {0.0, 0.3, -17.25, 4096.5, 1e6 + 0.1, 1e8}) {
    double expected = 0;
    for (const double frequency : kPlainLadder) expected += phasor(frequency, position).cosine;
    EXPECT_NEAR(sum_of_cosines(kPlainLadder, position), expected, 1e-13) << position;
  }
}

}  // namespace
}  // namespace ropescope
