#include "core/rotary/rotation.h"
#include "extended.h"

namespace ropescope {

namespace {

class ScalingLaws : public testing::TestWithParam<ScalingMethod> {
 protected:
  const ScalingMethod& method() const { return GetParam(); }

  /// Every method on small and large ladders, weak and strong, below, at and beyond the trained length.
  template <class Check>
  void for_all(const Check& check) const {
    for (const int dim : {2, 4, 64, 128, 512}) {
      for (const double base : {1.01, 100.0, 10000.0, 1e12}) {
        for (const double strength : {1.0, 1.5, 8.0, 1000.0}) {
          const RotarySpec spec = extended(method(), dim, base, strength);
          for (const double length : {1.0, 4096.0, 4097.0, 1e6}) {
            SCOPED_TRACE("d " + std::to_string(dim) + ", base " + std::to_string(base) + ", factor " +
                         std::to_string(strength) + ", length " + std::to_string(length));
            check(spec, scaled_ladder(spec, 0, length), plain_frequencies(dim, base));
          }
        }
      }
    }
  }
};

}  // namespace

TEST_P(ScalingLaws, FrequenciesAreFiniteAndPositiveUnlessStill) {
  for_all([](const RotarySpec&, const ScaledLadder& ladder, const Eigen::VectorXd& plain) {
    ASSERT_EQ(ladder.frequencies.size(), plain.size());
    ASSERT_EQ(ladder.treatment.size(), static_cast<std::size_t>(plain.size()));
    for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
      const double frequency = ladder.frequencies[pair];
      ASSERT_TRUE(std::isfinite(frequency)) << pair;
      const bool still = ladder.treatment[static_cast<std::size_t>(pair)] == PairTreatment::still;
      ASSERT_EQ(frequency == 0, still) << pair;
      ASSERT_GE(frequency, 0) << pair;
    }
  });
}

TEST_P(ScalingLaws, TreatmentSaysWhatHappened) {
  for_all([](const RotarySpec&, const ScaledLadder& ladder, const Eigen::VectorXd& plain) {
    for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
      const PairTreatment treatment = ladder.treatment[static_cast<std::size_t>(pair)];
      if (treatment == PairTreatment::kept) {
        ASSERT_EQ(ladder.frequencies[pair], plain[pair]) << pair;
      } else if (treatment == PairTreatment::interpolated) {
        ASSERT_LT(ladder.frequencies[pair], plain[pair]) << pair;
      }
    }
  });
}

TEST_P(ScalingLaws, NoPairTurnsFasterThanOnThePlainLadder) {
  if (!method().never_speeds_up_pairs) return;
  for_all([](const RotarySpec&, const ScaledLadder& ladder, const Eigen::VectorXd& plain) {
    for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
      ASSERT_LE(ladder.frequencies[pair], plain[pair] * (1 + 1e-15)) << pair;
    }
  });
}

TEST_P(ScalingLaws, FactorOneIsTheIdentity) {
  if (!method().identity_at_factor_one) return;
  for (const double length : {1.0, 4096.0, 1e6}) {
    const RotarySpec spec = extended(method(), 128, 10000, 1);
    const ScaledLadder ladder = scaled_ladder(spec, 0, length);
    EXPECT_EQ(ladder.frequencies, plain_frequencies(128, 10000));
    EXPECT_EQ(ladder.amplitude, 1);
    for (const PairTreatment treatment : ladder.treatment) EXPECT_EQ(treatment, PairTreatment::kept);
  }
}

TEST_P(ScalingLaws, AmplitudeIsAtLeastOneAndOnlyWhereDeclared) {
  bool changed = false;
  for_all([&](const RotarySpec&, const ScaledLadder& ladder, const Eigen::VectorXd&) {
    ASSERT_TRUE(std::isfinite(ladder.amplitude));
    ASSERT_GE(ladder.amplitude, 1);
    changed |= ladder.amplitude != 1;
  });
  EXPECT_EQ(changed, method().changes_amplitude);
}

TEST_P(ScalingLaws, LengthMattersOnlyWhereDeclared) {
  const RotarySpec spec = extended(method(), 128, 10000, 8);
  const ScaledLadder near = scaled_ladder(spec, 0, 100), far = scaled_ladder(spec, 0, 1e6);
  EXPECT_EQ(near.frequencies != far.frequencies, method().depends_on_length);
  // Without a length, the trained one.
  EXPECT_EQ(scaled_ladder(spec, 0).frequencies, scaled_ladder(spec, 0, 4096).frequencies);
}

TEST_P(ScalingLaws, GoesOnWithoutAJumpAtTheTrainedLength) {
  if (!method().depends_on_length || !method().lists.empty()) return;  // LongRoPE jumps to its other list
  if (method().name == "qwen-dynamic") return;                         // it rounds the doublings of the length up
  for (const double strength : {1.0, 8.0}) {
    const RotarySpec spec = extended(method(), 128, 10000, strength);
    const ScaledLadder at = scaled_ladder(spec, 0, 4096), beyond = scaled_ladder(spec, 0, 4096 * (1 + 1e-9));
    EXPECT_LT(((at.frequencies - beyond.frequencies).array() / at.frequencies.array()).abs().maxCoeff(), 1e-7);
    EXPECT_NEAR(at.amplitude, beyond.amplitude, 1e-7);
  }
}

TEST_P(ScalingLaws, AnEffectiveBaseGivesTheFrequencies) {
  for_all([](const RotarySpec& spec, const ScaledLadder& ladder, const Eigen::VectorXd&) {
    if (!ladder.effective_base) return;
    ASSERT_EQ(ladder.frequencies, plain_frequencies(spec.axes[0].rotary_dim, *ladder.effective_base));
  });
}

TEST_P(ScalingLaws, PositionZeroIsTheIdentityUpToTheAmplitude) {
  const RotarySpec spec = extended(method(), 64, 10000, 8);
  const HeadLadder head = head_ladder(spec, 1e6);
  const Eigen::VectorXd x = random_vector(64, 7);
  const Eigen::VectorXd rotated = rotate_elementwise(x, head.frequencies, spec.pairing, 0, head.amplitude);
  EXPECT_LT((rotated - head.amplitude * x).norm(), 1e-15 * x.norm());
}

TEST_P(ScalingLaws, IsFoundByItsName) {
  EXPECT_EQ(find_scaling_method(method().name).compute, method().compute);
  EXPECT_FALSE(method().source.empty());
  std::set<std::string_view> names;
  for (const ScalingField& parameter : method().parameters) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_LE(parameter.minimum, parameter.maximum);
    EXPECT_EQ(find_parameter(method(), parameter.name), &parameter);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ScalingLaws,
                         testing::ValuesIn(all_scaling_methods().begin(), all_scaling_methods().end()), kByName);

TEST(ScalingRegistry, NamesAreUniqueAndNoneComesFirst) {
  std::set<std::string_view> names;
  for (const ScalingMethod& method : all_scaling_methods()) EXPECT_TRUE(names.insert(method.name).second);
  EXPECT_EQ(all_scaling_methods().front().name, "none");
  EXPECT_GE(names.size(), 14u);
}

}  // namespace ropescope
