#include "specs.h"
#include "tests/rotate_head.h"

namespace ropescope {

namespace {

constexpr double kPositions[] = {0, 1, -3, 17, 2.5, 4095, 131071};

class RotationLaws : public testing::TestWithParam<NamedSpec> {
 protected:
  const RotarySpec& spec() const { return GetParam().spec; }
  Eigen::VectorXd frequencies() const { return pair_frequencies(spec()); }
  int rotated_channels() const { return total_rotary_dim(spec()); }
  Eigen::VectorXd head(std::uint64_t seed) const { return random_vector(spec().head_dim, seed); }
  /// A position for each axis, all different.
  std::vector<double> token(double position) const {
    std::vector<double> positions;
    for (std::size_t axis = 0; axis < spec().axes.size(); ++axis) {
      positions.push_back(position + 3 * static_cast<double>(axis));
    }
    return positions;
  }
};

/// largest |a − b|
double distance_between(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_P(RotationLaws, TheFourFormsAgree) {
  const Eigen::VectorXd x = head(1);
  const Eigen::Index rotated = rotated_channels(), rest = x.size() - rotated;
  for (const double position : kPositions) {
    SCOPED_TRACE(position);
    Eigen::VectorXd by_matrix = x;
    by_matrix.head(rotated) =
        rotation_matrix(frequencies(), spec().pairing, position, spec().amplitude) * x.head(rotated);
    const Eigen::VectorXd by_complex = rotate_complex(x, frequencies(), spec().pairing, position, spec().amplitude);
    const Eigen::VectorXd by_element = rotate_elementwise(x, frequencies(), spec().pairing, position, spec().amplitude);
    const Eigen::VectorXd by_blocks =
        rotate_blocks(x, rotation_blocks(frequencies(), position, spec().amplitude), spec().pairing);
    EXPECT_LE(distance_between(by_matrix, by_complex), 1e-15);
    EXPECT_LE(distance_between(by_matrix, by_element), 1e-15);
    EXPECT_LE(distance_between(by_matrix, by_blocks), 1e-15);
    for (const Eigen::VectorXd& each : {by_complex, by_element, by_blocks}) {
      EXPECT_EQ(each.tail(rest), x.tail(rest)) << "channels past the rotated ones";
    }
  }
}

TEST_P(RotationLaws, HeadIsTurnedAxisByAxis) {
  const Eigen::VectorXd x = head(2);
  for (const double position : kPositions) {
    const std::vector<double> positions = token(position);
    // The same rotation with one frequency vector: each pair's angle instead of its frequency, at position 1.
    Eigen::VectorXd angles = frequencies();
    Eigen::Index begin = 0;
    for (std::size_t axis = 0; axis < positions.size(); ++axis) {
      const Eigen::Index count = spec().axes[axis].rotary_dim / 2;
      angles.segment(begin, count) *= positions[axis];
      begin += count;
    }
    const Eigen::VectorXd expected = rotate_complex(x, angles, spec().pairing, 1, spec().amplitude);
    EXPECT_LE(distance_between(rotate_head(spec(), x, positions), expected), 1e-15) << position;
  }
}

TEST_P(RotationLaws, IsOrthogonalUpToTheAmplitude) {
  const double squared = spec().amplitude * spec().amplitude;
  for (const double position : kPositions) {
    const Eigen::MatrixXd r = rotation_matrix(frequencies(), spec().pairing, position, spec().amplitude);
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(r.rows(), r.cols());
    EXPECT_LE(distance_between(r.transpose() * r, squared * identity), 1e-14) << position;
  }
}

TEST_P(RotationLaws, KeepsNormsUpToTheAmplitude) {
  const Eigen::VectorXd x = head(3);
  const Eigen::Index rotated = rotated_channels();
  for (const double position : kPositions) {
    const Eigen::VectorXd y = rotate_head(spec(), x, token(position));
    EXPECT_NEAR(y.head(rotated).norm(), std::abs(spec().amplitude) * x.head(rotated).norm(), 1e-13) << position;
    EXPECT_EQ(y.tail(x.size() - rotated), x.tail(x.size() - rotated)) << position;
  }
}

TEST_P(RotationLaws, ProductDependsOnTheDifferenceOnly) {
  const std::pair<double, double> positions[] = {{0, 5}, {7, 7}, {100, 93}, {-4, 12}, {2048, 4100}};
  for (const auto& [m, n] : positions) {
    const Eigen::MatrixXd r_m = rotation_matrix(frequencies(), spec().pairing, m);
    const Eigen::MatrixXd r_n = rotation_matrix(frequencies(), spec().pairing, n);
    const Eigen::MatrixXd difference = rotation_matrix(frequencies(), spec().pairing, n - m);
    // The angle of a position of 4 100 is itself a double rounded by up to 5e-13.
    EXPECT_LE(distance_between(r_m.transpose() * r_n, difference), 2e-12) << m << ' ' << n;
  }
}

TEST_P(RotationLaws, ScoreIsUnchangedByAShiftOfBothTokens) {
  const Eigen::VectorXd q = head(4), k = head(5);
  const auto score = [&](double shift) {
    return rotate_head(spec(), q, token(20 + shift)).dot(rotate_head(spec(), k, token(3 + shift)));
  };
  for (const double shift : {1.0, 50.0, 1000.0}) EXPECT_NEAR(score(shift), score(0), 1e-11) << shift;
}

TEST_P(RotationLaws, PositionZeroIsTheIdentity) {
  const Eigen::VectorXd x = head(6);
  Eigen::VectorXd expected = x;
  expected.head(rotated_channels()) *= spec().amplitude;
  EXPECT_EQ(rotate_head(spec(), x, std::vector<double>(spec().axes.size(), 0)), expected);
  const Eigen::Index d = rotated_channels();
  EXPECT_EQ(rotation_matrix(frequencies(), spec().pairing, 0), Eigen::MatrixXd::Identity(d, d));
}

TEST_P(RotationLaws, ThePairingsAreOneMapUnderThePermutation) {
  const int rotated = rotated_channels();
  const std::vector<int> from = half_split_from_interleaved(rotated / 2);
  const auto reordered = [&](const Eigen::VectorXd& interleaved) {
    Eigen::VectorXd half_split = interleaved;
    for (int channel = 0; channel < rotated; ++channel) {
      half_split[channel] = interleaved[from[static_cast<std::size_t>(channel)]];
    }
    return half_split;
  };
  RotarySpec interleaved = spec(), half_split = spec();
  interleaved.pairing = Pairing::interleaved;
  half_split.pairing = Pairing::half_split;
  const Eigen::VectorXd x = head(7);
  for (const double position : kPositions) {
    EXPECT_EQ(rotate_head(half_split, reordered(x), token(position)),
              reordered(rotate_head(interleaved, x, token(position))))
        << position;
  }
}

TEST_P(RotationLaws, EveryChannelBelongsToOnePair) {
  const int pair_count = rotated_channels() / 2;
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half_split}) {
    std::vector<int> uses(static_cast<std::size_t>(2 * pair_count));
    for (int pair = 0; pair < pair_count; ++pair) {
      const auto [first, second] = pair_channels(pairing, pair, pair_count);
      ++uses.at(static_cast<std::size_t>(first));
      ++uses.at(static_cast<std::size_t>(second));
    }
    EXPECT_EQ(uses, std::vector<int>(uses.size(), 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, RotationLaws, testing::ValuesIn(law_specs()), kByName);

}  // namespace ropescope
