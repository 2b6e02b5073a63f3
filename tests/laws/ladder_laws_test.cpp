#include "core/attention/attention.h"
#include "core/encodings/encoding.h"
#include "core/rotary/rotation.h"
#include "extended.h"

namespace ropescope {

namespace {

constexpr int kLadderLawsDim = 32;
constexpr double kLength = 16384;

/// Encodings that turn by a ladder, under a method of context extension.
class LadderLaws : public testing::TestWithParam<ScalingMethod> {
 protected:
  RotarySpec spec(double strength = 4) const { return extended(GetParam(), kLadderLawsDim, 10000, strength); }

  /// The fields of a head of `dim` channels under the spec's extension.
  static EncodingValues fields_of(const Encoding& encoding, const RotarySpec& spec, int dim) {
    EncodingValues settings{.dim = dim, .pairing = spec.pairing};
    put_ladder(settings, encoding, spec.axes[0], scaled_ladder(spec, 0, kLength));
    return settings;
  }

  /// Every encoding that turns, with heads of which all channels turn and of which the first ones do.
  template <class Check>
  void for_all(const Check& check) const {
    for (const Encoding& encoding : all_encodings()) {
      if (!encoding.takes_ladder) continue;
      for (const int dim : {kLadderLawsDim, kLadderLawsDim + 10}) {
        SCOPED_TRACE(std::string(encoding.name) + " in a head of " + std::to_string(dim));
        check(*make_model(encoding, fields_of(encoding, spec(), dim)), scaled_ladder(spec(), 0, kLength));
      }
    }
  }
};

/// Re Σ A² q_i conj(k_i) e^{i(m − n)θ_i} over the first `pairs` pairs, and q·k of the channels that no pair has.
long double phasor_score(const ScaledLadder& ladder, const Eigen::VectorXd& q, const Eigen::VectorXd& k,
                         std::int64_t distance, const std::function<long double(int)>& factor) {
  const int pairs = static_cast<int>(ladder.frequencies.size());
  const auto of_pair = [&](const Eigen::VectorXd& x, int pair) {
    const auto [first, second] = pair_channels(Pairing::half_split, pair, pairs);
    return std::complex<long double>(x[first], x[second]);
  };
  long double sum = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto turn = std::polar(1.0L, static_cast<long double>(distance) * ladder.frequencies[pair]);
    sum += factor(pair) * (of_pair(q, pair) * std::conj(of_pair(k, pair)) * turn).real();
  }
  sum *= static_cast<long double>(ladder.amplitude) * ladder.amplitude;
  for (Eigen::Index channel = 2 * pairs; channel < q.size(); ++channel) sum += q[channel] * k[channel];
  return sum;
}

}  // namespace

TEST_P(LadderLaws, OnlyTheDifferenceOfPositionsCounts) {
  for_all([](const EncodingModel& model, const ScaledLadder&) {
    const Eigen::VectorXd q = random_vector(model.settings().dim, 1), k = random_vector(model.settings().dim, 2);
    for (const auto& [m, n] : {std::pair{70, 3}, std::pair{3, 70}, std::pair{900, 900}}) {
      const double here = model.score(q, k, m, n);
      for (const std::int64_t shift : {1, 1000, 131072}) {
        EXPECT_NEAR(model.score(q, k, m + shift, n + shift), here, 1e-11) << m << ", " << n << " and " << shift;
      }
    }
  });
}

TEST_P(LadderLaws, WhereQueryAndKeyStandTogetherOnlyTheAmplitudeIsSeen) {
  for_all([](const EncodingModel& model, const ScaledLadder& ladder) {
    const Eigen::VectorXd q = random_vector(model.settings().dim, 3), k = random_vector(model.settings().dim, 4);
    const double turning = q.head(kLadderLawsDim).dot(k.head(kLadderLawsDim)), still = q.dot(k) - turning;
    const double expected = (ladder.amplitude * ladder.amplitude * turning + still) * model.scale();
    for (const std::int64_t position : {0, 1, 5000}) {
      EXPECT_NEAR(model.score(q, k, position, position), expected, 1e-13) << position;
    }
  });
}

TEST_P(LadderLaws, RopeScoresAreSumsOfPhasors) {
  for (const int dim : {kLadderLawsDim, kLadderLawsDim + 10}) {
    const Encoding& rope = find_encoding("rope");
    const auto model = make_model(rope, fields_of(rope, spec(), dim));
    const ScaledLadder ladder = scaled_ladder(spec(), 0, kLength);
    const Eigen::VectorXd q = random_vector(dim, 5), k = random_vector(dim, 6);
    for (const std::int64_t distance : {0, 1, 77, 4096, 16000, -16000}) {
      const long double expected = phasor_score(ladder, q, k, distance, [](int) { return 1.0L; });
      EXPECT_NEAR(model->score(q, k, 20000, 20000 - distance), static_cast<double>(expected) * model->scale(), 1e-11)
          << distance;
    }
  }
}

TEST_P(LadderLaws, XposDampsTheSameTurns) {
  const Encoding& xpos = find_encoding("xpos");
  const auto model = make_model(xpos, fields_of(xpos, spec(), kLadderLawsDim));
  const Eigen::VectorXd q = random_vector(kLadderLawsDim, 7), k = random_vector(kLadderLawsDim, 8);
  for (const std::int64_t distance : {0, 1, 100, 2000}) {
    const auto damping = [distance](int pair) {
      return std::pow((2.0L * pair / kLadderLawsDim + 0.4L) / 1.4L, static_cast<long double>(distance) / 512);
    };
    const long double expected = phasor_score(scaled_ladder(spec(), 0, kLength), q, k, distance, damping);
    EXPECT_NEAR(model->score(q, k, 3000, 3000 - distance), static_cast<double>(expected) * model->scale(), 1e-12);
  }
}

TEST_P(LadderLaws, PRopeStopsTheLastPairsOfIt) {
  const Encoding& p_rope = find_encoding("p-rope");
  ScaledLadder ladder = scaled_ladder(spec(), 0, kLength);
  const auto model = make_model(p_rope, fields_of(p_rope, spec(), kLadderLawsDim));
  ladder.frequencies.tail(kLadderLawsDim / 2 - kLadderLawsDim * 3 / 8).setZero();
  const Eigen::VectorXd q = random_vector(kLadderLawsDim, 9), k = random_vector(kLadderLawsDim, 10);
  for (const std::int64_t distance : {0, 1, 100, 9000}) {
    const long double expected = phasor_score(ladder, q, k, distance, [](int) { return 1.0L; });
    EXPECT_NEAR(model->score(q, k, 9000, 9000 - distance), static_cast<double>(expected) * model->scale(), 1e-12);
  }
}

TEST_P(LadderLaws, ValuesAreTheTableOfTheLadder) {
  for_all([](const EncodingModel& model, const ScaledLadder& ladder) {
    const std::vector<std::int64_t> positions = {0, 1, 1000, 100000};
    const TokenMatrix cosine = model.values("cos", positions), sine = model.values("sin", positions);
    const TokenMatrix angle = model.values("angle", positions);
    ASSERT_EQ(cosine.cols(), ladder.frequencies.size());
    // p-RoPE's last pairs do not turn.
    const Eigen::Index live = model.encoding().name == "p-rope" ? kLadderLawsDim * 3 / 8 : kLadderLawsDim / 2;
    for (Eigen::Index row = 0; row < cosine.rows(); ++row) {
      const TableRow expected = table_row(
          ladder.frequencies, static_cast<double>(positions[static_cast<std::size_t>(row)]), ladder.amplitude);
      EXPECT_LT((cosine.row(row).transpose() - expected.cosine).head(live).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((sine.row(row).transpose() - expected.sine).head(live).cwiseAbs().maxCoeff(), 1e-9);
      const Eigen::RowVectorXd length = (cosine.row(row).cwiseAbs2() + sine.row(row).cwiseAbs2()).cwiseSqrt();
      EXPECT_LT((length.array() - ladder.amplitude).abs().maxCoeff(), 1e-14);
      const Eigen::RowVectorXd turned = ladder.amplitude * angle.row(row).array().cos().matrix();
      EXPECT_LT((turned - cosine.row(row)).cwiseAbs().maxCoeff(), 1e-14) << "the angle has no amplitude";
    }
    for (const char* part : {"cos", "sin", "angle"}) {
      const TokenMatrix exact = model.values(part, std::vector<std::int64_t>{40, 41, 42});
      const TokenMatrix gap = (model.value_map(part, 40, 3, {1}).cast<double>() - exact).cwiseAbs();
      // An angle of 0 is one of 2π.
      const double turn = std::string_view(part) == "angle" ? 2 * std::numbers::pi : std::numeric_limits<double>::max();
      EXPECT_LT(gap.cwiseMin((turn - gap.array()).matrix()).maxCoeff(), 1e-6) << part;
    }
  });
}

TEST_P(LadderLaws, SoftmaxWeightsSeeTheAmplitude) {
  const Encoding& rope = find_encoding("rope");
  EncodingValues settings = fields_of(rope, spec(), kLadderLawsDim);
  if (!settings.ladder) return;
  const AttentionInput input = make_content(ContentKind::random, 40, kLadderLawsDim, kLadderLawsDim, 1);
  const auto weights = softmax_attention<double>(*make_model(rope, settings), input).weights;
  const double squared = settings.ladder->amplitude * settings.ladder->amplitude;
  settings.ladder->amplitude = 1;
  const TokenMatrix scores = make_model(rope, settings)->score_matrix<double>(input.queries, input.keys);
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    const Eigen::RowVectorXd sized = (squared * (scores.row(row).array() - scores.row(row).maxCoeff())).exp();
    EXPECT_LT((weights.row(row) - sized / sized.sum()).cwiseAbs().maxCoeff(), 1e-12) << row;
  }
}

TEST_P(LadderLaws, LinearAttentionSeesItInTheNumeratorAlone) {
  const AttentionInput input = make_content(ContentKind::random, 30, kLadderLawsDim, kLadderLawsDim, 2);
  for (const Encoding& encoding : all_encodings()) {
    EncodingValues settings = fields_of(encoding, spec(), kLadderLawsDim);
    if (!settings.ladder) continue;
    SCOPED_TRACE(encoding.name);
    const double squared = settings.ladder->amplitude * settings.ladder->amplitude;
    const auto model = make_model(encoding, settings);
    const auto attention = linear_attention<double>(*model, input);
    const TokenMatrix outputs = linear_attention_outputs(*model, input);
    EXPECT_LT((outputs - attention.outputs).cwiseAbs().maxCoeff(), 1e-12 * outputs.cwiseAbs().maxCoeff());
    AttentionOptions turned{.turned_denominator = true};
    const auto even = linear_attention<double>(*model, input, turned);
    settings.ladder->amplitude = 1;
    const auto without = make_model(encoding, settings);
    const auto plain = linear_attention<double>(*without, input);
    EXPECT_LT((attention.weights - squared * plain.weights).cwiseAbs().maxCoeff(), 1e-13 * attention.weights.norm());
    const auto plain_even = linear_attention<double>(*without, input, turned);
    EXPECT_LT((even.weights - plain_even.weights).cwiseAbs().maxCoeff(), 1e-11 * even.weights.norm());
  }
}

TEST_P(LadderLaws, TheBoundHoldsForTheMeanScoreOfTheLadder) {
  const AttentionInput input = make_content(ContentKind::random, 60, kLadderLawsDim, 1, 3);
  const Encoding& rope = find_encoding("rope");
  const auto model = make_model(rope, fields_of(rope, spec(), kLadderLawsDim));
  const MeanScoreBound bound = mean_score_bound(*model, input);
  const MeasuredScores measured = measured_scores(*model, input, {.causal = true});
  for (Eigen::Index distance = 0; distance < bound.mean.size(); ++distance) {
    EXPECT_NEAR(bound.mean[distance], measured.mean[distance], 1e-5) << distance;
    EXPECT_LE(std::abs(bound.mean[distance]), bound.bound[distance] * (1 + 1e-12)) << distance;
  }
}

TEST_P(LadderLaws, FactorOneIsThePlainEncodingToTheLastBit) {
  if (!GetParam().identity_at_factor_one) return;
  for (const Encoding& encoding : all_encodings()) {
    SCOPED_TRACE(encoding.name);
    const EncodingValues settings = fields_of(encoding, spec(1), kLadderLawsDim);
    EncodingValues plain{.dim = kLadderLawsDim, .pairing = Pairing::half_split};
    EXPECT_EQ(settings, plain);
    // The plain ladder written out is the same again.
    EncodingValues written = plain;
    const Eigen::VectorXd frequencies = plain_frequencies(kLadderLawsDim, plain.base);
    written.ladder = {{frequencies.begin(), frequencies.end()}, 1};
    const AttentionInput input = make_content(ContentKind::random, 20, kLadderLawsDim, 1, 4);
    EXPECT_EQ(make_model(encoding, written)->score_matrix<double>(input.queries, input.keys),
              make_model(encoding, plain)->score_matrix<double>(input.queries, input.keys));
  }
}

TEST_P(LadderLaws, WhoDoesNotTurnDoesNotSeeIt) {
  EncodingValues extended{.dim = kLadderLawsDim, .trained_length = 50};
  EncodingValues plain = extended;
  const ScaledLadder ladder = scaled_ladder(spec(), 0, kLength);
  extended.ladder = {{ladder.frequencies.begin(), ladder.frequencies.end()}, ladder.amplitude};
  const bool same = ladder.amplitude == 1 && ladder.frequencies == plain_frequencies(kLadderLawsDim, 10000);
  const AttentionInput input = make_content(ContentKind::random, 20, kLadderLawsDim, 1, 5);
  for (const Encoding& encoding : all_encodings()) {
    const TokenMatrix with = make_model(encoding, extended)->score_matrix<double>(input.queries, input.keys);
    const TokenMatrix without = make_model(encoding, plain)->score_matrix<double>(input.queries, input.keys);
    EXPECT_EQ(with != without, encoding.takes_ladder && !same) << encoding.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LadderLaws, testing::ValuesIn(all_scaling_methods().begin(), all_scaling_methods().end()),
                         kByName);

}  // namespace ropescope
