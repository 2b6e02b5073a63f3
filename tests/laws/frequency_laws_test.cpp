#include "specs.h"
#include "tests/rotate_head.h"

namespace ropescope {

namespace {

class FrequencyLaws : public testing::TestWithParam<NamedSpec> {
 protected:
  const RotarySpec& spec() const { return GetParam().spec; }
};

}  // namespace

TEST_P(FrequencyLaws, SpecIsValid) {
  EXPECT_NO_THROW(validate(spec()));
}

TEST_P(FrequencyLaws, AxisDimensionsSumToTheRotaryDimension) {
  Eigen::Index pairs = 0;
  for (const RotaryAxis& axis : spec().axes) {
    EXPECT_EQ(axis_frequencies(axis).size(), axis.rotary_dim / 2);
    pairs += axis_frequencies(axis).size();
  }
  EXPECT_EQ(2 * pairs, total_rotary_dim(spec()));
  EXPECT_EQ(pair_frequencies(spec()).size(), pairs);
  EXPECT_LE(total_rotary_dim(spec()), spec().head_dim);
}

TEST_P(FrequencyLaws, AreFiniteAndPositiveUnlessDeclaredStill) {
  for (const RotaryAxis& axis : spec().axes) {
    const Eigen::VectorXd frequencies = axis_frequencies(axis);
    const bool may_be_still = axis.ladder == Ladder::proportional;
    const auto live = static_cast<Eigen::Index>(axis.live_fraction * axis.rotary_dim / 2);
    for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
      EXPECT_TRUE(std::isfinite(frequencies[pair])) << pair;
      if (may_be_still && pair >= live) {
        EXPECT_EQ(frequencies[pair], 0) << pair;
      } else {
        EXPECT_GT(frequencies[pair], 0) << pair;
      }
    }
  }
}

TEST_P(FrequencyLaws, NeverIncreaseWithinAnAxis) {
  for (const RotaryAxis& axis : spec().axes) {
    const Eigen::VectorXd frequencies = axis_frequencies(axis);
    EXPECT_DOUBLE_EQ(frequencies[0], 1 / axis.factor);
    for (Eigen::Index pair = 1; pair < frequencies.size(); ++pair) {
      EXPECT_LE(frequencies[pair], frequencies[pair - 1]) << pair;
    }
  }
}

TEST_P(FrequencyLaws, WavelengthTimesFrequencyIsOneTurn) {
  for (const double frequency : pair_frequencies(spec())) {
    if (frequency == 0) continue;
    EXPECT_DOUBLE_EQ(wavelength(frequency) * frequency, 2 * std::acos(-1.0));
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, FrequencyLaws, testing::ValuesIn(law_specs()), kByName);

}  // namespace ropescope
