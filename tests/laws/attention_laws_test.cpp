#include "core/attention/attention.h"

#include "core/message.h"
#include "core/rotary/rotation.h"
#include "specs.h"
#include "tests/encode.h"

namespace ropescope {

namespace {

constexpr int kTokens = 150, kAttentionLawsDim = 12;
constexpr LinearKernel kKernels[] = {LinearKernel::elu_plus_one, LinearKernel::exponential, LinearKernel::softmax_of_q,
                                     LinearKernel::random_features};
constexpr int kBlocks = 2;  ///< of random features, each as large as a head

class AttentionLaws : public testing::TestWithParam<Encoding> {
 protected:
  const Encoding& encoding() const { return GetParam(); }
  std::shared_ptr<const EncodingModel> model() const {
    EncodingValues settings{.dim = kAttentionLawsDim, .clip = 9};
    return make_model(encoding(), settings);
  }
  static AttentionInput input() {
    return make_content(ContentKind::random, kTokens, kAttentionLawsDim, kAttentionLawsDim, 5);
  }
};

double gap(const TokenMatrix& a, const TokenMatrix& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

/// What a row of softmax attention is, written down as the formula stands.
Eigen::VectorXd softmax_row(const EncodingModel& model, const AttentionInput& input, int i, int seen) {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(kTokens);
  for (int j = 0; j < seen; ++j) row[j] = std::exp(model.score(input.queries.row(i), input.keys.row(j), i, j));
  return row / row.sum();
}

/// φ of lemma 1 of FAVOR+, arXiv 2009.14794, for the softmax kernel exp(q·k/√d).
Eigen::VectorXd random_feature(const TokenMatrix& directions, const Eigen::VectorXd& x) {
  const Eigen::VectorXd y = x / std::pow(static_cast<double>(x.size()), 0.25);
  return (directions * y).array().exp() * std::exp(-y.squaredNorm() / 2) / std::sqrt(directions.rows());
}

Eigen::VectorXd feature(LinearKernel kernel, bool of_query, const Eigen::VectorXd& x) {
  static const TokenMatrix directions = random_directions(kAttentionLawsDim, kBlocks * kAttentionLawsDim, 1);
  if (kernel == LinearKernel::random_features) return random_feature(directions, x);
  if (kernel == LinearKernel::elu_plus_one) return x.unaryExpr([](double v) { return v > 0 ? v + 1 : std::exp(v); });
  const Eigen::VectorXd e = x.array().exp();
  return kernel == LinearKernel::softmax_of_q && of_query ? Eigen::VectorXd(e / e.sum()) : e;
}

/// Weights of linear attention by the formula, one pair of tokens after the other.
TokenMatrix formula_weights(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options) {
  const bool before = !model.plan().rotates_features || options.turned_vectors;
  const int dim = model.settings().dim;
  // The features turn as a head does, block by block.
  const auto turned = [&](bool of_query, const Eigen::VectorXd& features, std::int64_t position) {
    Eigen::VectorXd result = features;
    for (Eigen::Index first = 0; first < features.size(); first += dim) {
      const Eigen::VectorXd block = features.segment(first, dim);
      result.segment(first, dim) = of_query ? encode_query(model, block, position) : encode_key(model, block, position);
    }
    return result;
  };
  TokenMatrix numerators = TokenMatrix::Zero(kTokens, kTokens), denominators = numerators;
  for (int i = 0; i < kTokens; ++i) {
    for (int j = 0; j < (options.causal ? i + 1 : kTokens); ++j) {
      const std::int64_t m = options.first_position + i, n = options.first_position + j;
      const Eigen::VectorXd q = input.queries.row(i), k = input.keys.row(j);
      const Eigen::VectorXd query = feature(options.kernel, true, before ? encode_query(model, q, m) : q);
      const Eigen::VectorXd key = feature(options.kernel, false, before ? encode_key(model, k, n) : k);
      numerators(i, j) = before ? query.dot(key) : turned(true, query, m).dot(turned(false, key, n));
      denominators(i, j) = query.dot(key);
    }
  }
  const Eigen::VectorXd sums = denominators.rowwise().sum();
  return sums.cwiseInverse().asDiagonal() * numerators;
}

}  // namespace

TEST_P(AttentionLaws, SoftmaxIsTheFormulaAndItsRowsSumToOne) {
  const auto model = this->model();
  const AttentionInput input = this->input();
  for (const bool causal : {false, true}) {
    const auto attention = softmax_attention<double>(*model, input, {.causal = causal});
    const auto floats = softmax_attention<float>(*model, input, {.causal = causal});
    for (int i = 0; i < kTokens; ++i) {
      const int seen = causal ? i + 1 : kTokens;
      const Eigen::VectorXd expected = softmax_row(*model, input, i, seen);
      EXPECT_LT((attention.weights.row(i).transpose() - expected).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((floats.weights.row(i).transpose().cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-4);
      EXPECT_TRUE((attention.weights.row(i).tail(kTokens - seen).array() == 0).all());
      EXPECT_NEAR(attention.row_sums[i], 1, 1e-13);
      Eigen::VectorXd output = input.values.transpose() * expected;
      for (int j = 0; j < seen && encoding().name == "shaw"; ++j) {
        output += expected[j] * model->values("value", std::vector<std::int64_t>{i - j}).row(0).transpose();
      }
      EXPECT_LT((attention.outputs.row(i).transpose() - output).cwiseAbs().maxCoeff(), 1e-12);
    }
    EXPECT_LT(gap(floats.outputs, attention.outputs), 1e-4);
    EXPECT_EQ(softmax_attention_outputs(*model, input, {.causal = causal}), floats.outputs);
  }
}

TEST_P(AttentionLaws, LinearAttentionByEitherWayIsTheFormula) {
  const auto model = this->model();
  const AttentionInput input = this->input();
  if (!encoding().linear_attention) {
    EXPECT_THROW(linear_attention<double>(*model, input), InputError);
    EXPECT_THROW(linear_attention_outputs(*model, input), InputError);
    EXPECT_THROW(linear_attention_denominators(*model, input), InputError);
    return;
  }
  for (const LinearKernel kernel : kKernels) {
    for (const auto& [causal, turned_vectors] : {std::pair(false, false), {true, false}, {true, true}}) {
      // What xPos damps is as long as the place says that it is counted from, which cancels only after the kernel.
      if (turned_vectors && encoding().causal_only) continue;
      SCOPED_TRACE(static_cast<int>(kernel));
      const AttentionOptions options{.causal = causal,
                                     .first_position = 17,
                                     .kernel = kernel,
                                     .random_features = kBlocks * kAttentionLawsDim,
                                     .turned_vectors = turned_vectors};
      const TokenMatrix weights = formula_weights(*model, input, options);
      const auto attention = linear_attention<double>(*model, input, options);
      EXPECT_LT(gap(attention.weights, weights), 1e-12);
      EXPECT_LT((attention.row_sums - weights.rowwise().sum()).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT(gap(attention.outputs, weights * input.values), 1e-11);
      EXPECT_LT(gap(linear_attention_outputs(*model, input, options), weights * input.values), 1e-11);
      EXPECT_LT(gap(linear_attention<float>(*model, input, options).weights.cast<double>(), weights), 1e-5);
      EXPECT_GT(linear_attention_denominators(*model, input, options).minCoeff(), 0);
    }
  }
}

TEST_P(AttentionLaws, VectorsThatTurnBeforeTheKernelGiveAverages) {
  if (!encoding().linear_attention) return;
  for (const LinearKernel kernel : kKernels) {
    const auto attention = linear_attention<double>(*model(), input(), {.kernel = kernel, .turned_vectors = true});
    EXPECT_GT(attention.weights.minCoeff(), 0);
    EXPECT_LT((attention.row_sums.array() - 1).abs().maxCoeff(), 1e-12);
  }
}

TEST_P(AttentionLaws, RandomFeaturesComeNearerToSoftmaxAsTheRootOfTheirNumber) {
  AttentionInput content = make_content(ContentKind::random, 60, kAttentionLawsDim, 1, 5);
  content.queries *= 0.25, content.keys *= 0.25, content.values.resize(0, 0);
  if (!encoding().linear_attention) {
    EXPECT_THROW(random_feature_error(*model(), content, {}), InputError);
    return;
  }
  // Added positions make long vectors, of which many features say little.
  if (!model()->plan().rotates_features) return;
  for (const bool causal : {false, true}) {
    double few = 0, many = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      few += random_feature_error(*model(), content,
                                  {.causal = causal, .random_features = kAttentionLawsDim, .feature_seed = seed});
      many += random_feature_error(*model(), content,
                                   {.causal = causal, .random_features = 16 * kAttentionLawsDim, .feature_seed = seed});
    }
    EXPECT_GT(few / many, 3) << causal;
    EXPECT_LT(few / many, 5.3) << causal;
    EXPECT_LT(many / 12, 0.1) << causal;
  }
}

TEST_P(AttentionLaws, OnlyTurnedLinearAttentionHasNegativeWeights) {
  if (!encoding().linear_attention) return;
  const bool turned = encoding().name == "rope" || encoding().name == "xpos" || encoding().name == "p-rope";
  const auto attention = linear_attention<double>(*model(), input());
  EXPECT_EQ(attention.weights.minCoeff() < 0, turned);
  EXPECT_EQ((attention.row_sums.array() - 1).abs().maxCoeff() > 1e-2, turned);
}

TEST_P(AttentionLaws, LargeNumbersDoNotOverflow) {
  if (!encoding().linear_attention) return;
  AttentionInput input = this->input();
  input.queries *= 200;
  input.keys.array() += 1500;
  for (const LinearKernel kernel : kKernels) {
    // e^(−|q − k|²/2) of so long vectors underflows, which random features say.
    if (kernel == LinearKernel::random_features) continue;
    EXPECT_TRUE(linear_attention_outputs(*model(), input, {.kernel = kernel}).allFinite());
  }
}

TEST_P(AttentionLaws, CausalOutputsKnowNothingOfTheFuture) {
  const auto model = this->model();
  const AttentionInput input = this->input();
  AttentionInput other = input;
  other.keys.bottomRows(50) *= -1;
  other.values.bottomRows(50).array() += 3;
  const auto early = [](const TokenMatrix& outputs) -> TokenMatrix { return outputs.topRows(kTokens - 50); };
  const AttentionOptions causal{.causal = true};
  EXPECT_EQ(early(softmax_attention<double>(*model, input, causal).outputs),
            early(softmax_attention<double>(*model, other, causal).outputs));
  EXPECT_GT(gap(early(softmax_attention<double>(*model, input).outputs),
                early(softmax_attention<double>(*model, other).outputs)),
            1e-2);
  if (!encoding().linear_attention) return;
  EXPECT_LT(gap(early(linear_attention_outputs(*model, input, causal)),
                early(linear_attention_outputs(*model, other, causal))),
            1e-12);
}

TEST_P(AttentionLaws, ShiftingAllPositionsLeavesOutputsWhereDeclaredRelative) {
  const auto model = this->model();
  const std::vector<std::int64_t> shifts = {0, 1, 100, 360};
  for (const AttentionKind kind : {AttentionKind::softmax, AttentionKind::linear}) {
    if (kind == AttentionKind::linear && !encoding().linear_attention) continue;
    const auto effects = shift_effects(*model, input(), kind, shifts, {.causal = true});
    ASSERT_EQ(effects.size(), shifts.size());
    for (const ShiftEffect& effect : effects) {
      EXPECT_EQ(effect.change.size(), kTokens);
      if (encoding().relative || effect.shift == 0) {
        EXPECT_LT(effect.relative, 1e-12) << effect.shift;
      } else {
        EXPECT_GT(effect.relative, 1e-4) << effect.shift;
      }
    }
  }
}

TEST_P(AttentionLaws, PastATableRowsThatSeeItAreNotNumbers) {
  const auto model = this->model();
  const AttentionInput input = this->input();
  const std::int64_t first = model->settings().trained_length - 100;
  const auto attention = softmax_attention<float>(*model, input, {.causal = true, .first_position = first});
  for (int i = 0; i < kTokens; ++i) {
    EXPECT_EQ(std::isfinite(attention.outputs(i, 0)), is_defined_at(encoding(), model->settings(), first + i)) << i;
  }
}

TEST_P(AttentionLaws, MeasuredScoresAreTheScores) {
  const auto model = this->model();
  const AttentionInput aligned = make_content(ContentKind::aligned, kTokens, kAttentionLawsDim, 1, 1);
  for (const bool causal : {false, true}) {
    const MeasuredScores measured = measured_scores(*model, aligned, {.causal = causal});
    ASSERT_EQ(measured.distances.size(), static_cast<std::size_t>(causal ? kTokens : 2 * kTokens - 1));
    for (std::size_t index = 0; index < measured.distances.size(); ++index) {
      const std::int64_t distance = measured.distances[index];
      double mean = 0;
      int count = 0;
      for (std::int64_t m = std::max<std::int64_t>(0, distance); m < kTokens && m - distance < kTokens; ++m, ++count) {
        mean += model->score(aligned.queries.row(0), aligned.keys.row(0), m, m - distance);
      }
      const auto row = static_cast<Eigen::Index>(index);
      EXPECT_NEAR(measured.mean[row], mean / count, 1e-5);
      if (encoding().relative) {
        EXPECT_LT(measured.deviation[row], 2e-3);
      }
    }
  }
}

TEST_P(AttentionLaws, WrongInputsAreNamed) {
  const auto model = this->model();
  AttentionInput input = this->input();
  input.keys.conservativeResize(kTokens - 1, kAttentionLawsDim);
  EXPECT_THROW(softmax_attention<float>(*model, input), InputError);
  input = this->input();
  input.values(3, 2) = std::nan("");
  EXPECT_THROW(softmax_attention<float>(*model, input), InputError);
  input = this->input();
  input.values.conservativeResize(7, kAttentionLawsDim);
  EXPECT_THROW(softmax_attention<float>(*model, input), InputError);
  input.values.resize(0, 0);
  EXPECT_EQ(softmax_attention<float>(*model, input).outputs.size(), 0);
  EXPECT_THROW(shift_effects(*model, input, AttentionKind::softmax, {}), InputError);
}

TEST_P(AttentionLaws, StopsWithoutHalfAResult) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(softmax_attention<float>(*model(), input(), {}, source.get_token()).weights.size(), 0);
  EXPECT_EQ(measured_scores(*model(), input(), {}, source.get_token()).mean.size(), 0);
  if (!encoding().linear_attention) return;
  EXPECT_EQ(linear_attention<float>(*model(), input(), {}, source.get_token()).weights.size(), 0);
  EXPECT_EQ(linear_attention_outputs(*model(), input(), {}, source.get_token()).size(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, AttentionLaws, testing::ValuesIn(all_encodings().begin(), all_encodings().end()),
                         kByName);

TEST_P(AttentionLaws, SomeRowsAloneAreTheRowsOfAll) {
  const auto model = this->model();
  const AttentionInput input = this->input();
  for (const AttentionKind kind : {AttentionKind::softmax, AttentionKind::linear}) {
    if (kind == AttentionKind::linear && !encoding().linear_attention) {
      EXPECT_THROW(attention_weights(kind, *model, input, 0, 1), InputError);
      continue;
    }
    for (const bool causal : {false, true}) {
      const AttentionOptions options{.causal = causal, .first_position = 17};
      const TokenMatrix all = kind == AttentionKind::linear ? linear_attention<double>(*model, input, options).weights
                                                            : softmax_attention<double>(*model, input, options).weights;
      for (const auto& [begin, count] : {std::pair(0, kTokens), std::pair(0, 1), std::pair(37, 100)}) {
        const TokenMatrix rows = attention_weights(kind, *model, input, begin, count, options);
        ASSERT_EQ(rows.rows(), count);
        EXPECT_LT(gap(rows, all.middleRows(begin, count)), 1e-12);
      }
    }
  }
}

TEST(LinearAttention, DenominatorsThatUnderflowAreNamed) {
  const auto model = make_model(find_encoding("rope"), {.dim = kAttentionLawsDim});
  AttentionInput input = make_content(ContentKind::random, kTokens, kAttentionLawsDim, 3, 5);
  input.keys.topRows(70).setConstant(-1000);
  input.keys.bottomRows(kTokens - 70).setConstant(1000);
  for (const LinearKernel kernel : kKernels) {
    if (kernel == LinearKernel::random_features) continue;
    SCOPED_TRACE(static_cast<int>(kernel));
    const AttentionOptions causal{.causal = true, .kernel = kernel}, all{.kernel = kernel};
    EXPECT_THROW(linear_attention<double>(*model, input, causal), InputError);
    EXPECT_THROW(linear_attention_outputs(*model, input, causal), InputError);
    EXPECT_THROW(linear_attention_denominators(*model, input, causal), InputError);
    // Where every row sees the large ones, all is well.
    EXPECT_GT(linear_attention_denominators(*model, input, all).minCoeff(), 0);
    EXPECT_TRUE(linear_attention<double>(*model, input, all).weights.allFinite());
    EXPECT_TRUE(linear_attention_outputs(*model, input, all).allFinite());
  }
}

TEST(MeanScoreBound, HoldsAndItsMeanIsTheMeasuredOne) {
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half_split}) {
    EncodingValues settings{.dim = kAttentionLawsDim, .base = 100, .pairing = pairing};
    const auto model = make_model(find_encoding("rope"), settings);
    AttentionInput input = make_content(ContentKind::random, kTokens, kAttentionLawsDim, 1, 8);
    // Content with something in common, so that the mean is not all noise.
    input.queries.rowwise() += Eigen::RowVectorXd::LinSpaced(kAttentionLawsDim, -1, 2);
    input.keys.rowwise() += Eigen::RowVectorXd::LinSpaced(kAttentionLawsDim, 1, -1);
    const MeanScoreBound bound = mean_score_bound(*model, input);
    const MeasuredScores measured = measured_scores(*model, input, {.causal = true});
    EXPECT_LT((bound.mean - measured.mean).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_TRUE((bound.mean.cwiseAbs().array() <= bound.bound.array() + 1e-12).all());
    // Not a bound that would always hold: within reach of the largest mean.
    EXPECT_LT(bound.bound.minCoeff(), 20 * bound.mean.cwiseAbs().maxCoeff());
  }
  EXPECT_THROW(mean_score_bound(*make_model(find_encoding("t5"), {.dim = kAttentionLawsDim}),
                                make_content(ContentKind::random, 4, kAttentionLawsDim, 1, 8)),
               InputError);
}

TEST(PairEnergy, FindsThePairThatIsUsed) {
  AttentionInput input = make_content(ContentKind::random, 40, kAttentionLawsDim, 1, 8);
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half_split}) {
    const auto [first, second] = pair_channels(pairing, 2, kAttentionLawsDim / 2);
    AttentionInput loud = input;
    loud.queries.col(first).setConstant(30);
    loud.queries.col(second).setConstant(40);
    const PairEnergy energy = pair_energy(loud, pairing);
    ASSERT_EQ(energy.product.size(), kAttentionLawsDim / 2);
    EXPECT_NEAR(energy.query[2], 50, 1e-12);
    Eigen::Index strongest = 0;
    energy.product.maxCoeff(&strongest);
    EXPECT_EQ(strongest, 2);
    double mean = 0;
    for (int i = 0; i < 40; ++i) {
      for (int j = 0; j < 40; ++j) {
        mean += std::hypot(loud.queries(i, first), loud.queries(i, second)) *
                std::hypot(loud.keys(j, first), loud.keys(j, second)) / 1600;
      }
    }
    EXPECT_NEAR(energy.product[2], mean, 1e-10);
  }
  EXPECT_EQ(pair_energy(input, Pairing::half_split, 4).product.size(), 2);
  EXPECT_THROW(pair_energy(input, Pairing::half_split, kAttentionLawsDim + 2), InputError);
}

TEST(Content, IsWhatItsKindSays) {
  const AttentionInput aligned = make_content(ContentKind::aligned, 5, kAttentionLawsDim, 3, 1);
  EXPECT_NEAR(aligned.queries.row(1).dot(aligned.keys.row(4)), kAttentionLawsDim / 2.0, 1e-12);
  const AttentionInput random = make_content(ContentKind::random, 2000, 8, 8, 1);
  EXPECT_NEAR(random.queries.array().square().mean(), 1, 0.05);
  EXPECT_NEAR(random.queries.mean(), 0, 0.05);
  EXPECT_NEAR((random.queries.array() * random.keys.array()).mean(), 0, 0.05);
  EXPECT_EQ(random.queries, make_content(ContentKind::random, 2000, 8, 8, 1).queries);
  EXPECT_NE(random.queries, make_content(ContentKind::random, 2000, 8, 8, 2).queries);
  EXPECT_THROW(make_content(ContentKind::random, 0, 8, 8, 1), InputError);
}

TEST(RandomFeatures, AreOrthogonalByBlocksAndAsLongAsNormalVectors) {
  constexpr int kWide = 24;
  const TokenMatrix directions = random_directions(kWide, 60, 3);
  ASSERT_EQ(directions.rows(), 60);
  for (int a = 0; a < 60; ++a) {
    for (int b = 0; b < a; ++b) {
      const double cosine =
          directions.row(a).dot(directions.row(b)) / (directions.row(a).norm() * directions.row(b).norm());
      // Rows of different blocks are independent.
      if (a / kWide == b / kWide) EXPECT_LT(std::abs(cosine), 1e-14) << a << " " << b;
      EXPECT_LT(std::abs(cosine), 0.9);
    }
  }
  // |ω|² is χ² with d degrees: mean d, variance 2d.
  const Eigen::ArrayXd squares = random_directions(kWide, 16 * kWide, 4).rowwise().squaredNorm();
  EXPECT_NEAR(squares.mean(), kWide, 4 * std::sqrt(2.0 * kWide / (16 * kWide)));
  EXPECT_NEAR((squares - squares.mean()).square().mean() / (2 * kWide), 1, 0.4);
  EXPECT_EQ(random_directions(kWide, 30, 3), directions.topRows(30)) << "more of them begin with the same blocks";
  for (const int count : {0, 16 * kWide + 1}) EXPECT_THROW(random_directions(kWide, count, 1), InputError) << count;
  EXPECT_THROW(random_directions(4096, 4096, 1), InputError);
}

TEST(RandomFeatures, AreTheSoftmaxKernelOnAverage) {
  const AttentionInput content = make_content(ContentKind::random, 2, kAttentionLawsDim, 1, 8);
  const Eigen::VectorXd q = 0.7 * content.queries.row(0), k = 0.7 * content.keys.row(1);
  double sum = 0, squares = 0;
  constexpr int kSeeds = 4000;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const TokenMatrix directions = random_directions(kAttentionLawsDim, kAttentionLawsDim, seed);
    const double product = random_feature(directions, q).dot(random_feature(directions, k));
    sum += product, squares += product * product;
  }
  const double mean = sum / kSeeds, deviation = std::sqrt((squares / kSeeds - mean * mean) / kSeeds);
  EXPECT_NEAR(mean, std::exp(q.dot(k) / std::sqrt(kAttentionLawsDim)), 4 * deviation);
  // Lemma 2: of independent directions; orthogonal ones are no worse.
  const double independent = std::exp(2 * q.dot(k) / std::sqrt(kAttentionLawsDim)) *
                             (std::exp((q + k).squaredNorm() / std::sqrt(kAttentionLawsDim)) - 1) / kAttentionLawsDim;
  EXPECT_LT(squares / kSeeds - mean * mean, 1.1 * independent);
}

TEST(RandomFeatures, TurnAsHeadsDoOrNotAtAll) {
  const auto rope = make_model(find_encoding("rope"), {.dim = kAttentionLawsDim});
  const AttentionInput content = make_content(ContentKind::random, 5, kAttentionLawsDim, 1, 8);
  AttentionOptions options{.kernel = LinearKernel::random_features, .random_features = kAttentionLawsDim + 2};
  EXPECT_THROW(linear_attention<double>(*rope, content, options), InputError);
  options.turned_vectors = true;
  EXPECT_NO_THROW(linear_attention<double>(*rope, content, options));
}

}  // namespace ropescope
