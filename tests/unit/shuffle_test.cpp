// Attention over reordered tokens, and the denominator of linear attention with rotation.

#include "core/attention/attention.h"

#include "tests/test.h"

namespace ropescope {
namespace {

constexpr int kTokens = 12, kShuffleDim = 8;

std::shared_ptr<const EncodingModel> shuffle_model(const std::string& name) {
  EncodingValues settings;
  settings.dim = settings.rotary_dim = kShuffleDim;
  return make_model(find_encoding(name), settings);
}

AttentionInput content(std::uint64_t seed = 3) {
  return make_content(ContentKind::random, kTokens, kShuffleDim, kShuffleDim, seed);
}

std::vector<Eigen::Index> backwards() {
  std::vector<Eigen::Index> order(kTokens);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

TEST(Shuffle, DealsEveryOrderAndTheSameForASeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Eigen::Index> order = draw_permutation(kTokens, seed);
    EXPECT_EQ(order, draw_permutation(kTokens, seed));
    std::sort(order.begin(), order.end());
    for (Eigen::Index i = 0; i < kTokens; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
  // All six orders of three tokens are dealt about equally often.
  std::map<std::vector<Eigen::Index>, int> times;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) ++times[draw_permutation(3, seed)];
  ASSERT_EQ(times.size(), 6u);
  for (const auto& [order, count] : times) EXPECT_NEAR(count, 1000, 120);
  EXPECT_EQ(draw_permutation(1, 5), std::vector<Eigen::Index>{0});
}

TEST(Shuffle, ChangesNothingWithoutAnEncodingAndAMask) {
  for (const AttentionKind kind : {AttentionKind::softmax, AttentionKind::linear}) {
    for (const LinearKernel kernel :
         {LinearKernel::elu_plus_one, LinearKernel::exponential, LinearKernel::softmax_of_q}) {
      AttentionOptions options{.kernel = kernel};
      const auto effect =
          shuffle_effect(*shuffle_model("none"), content(), kind, draw_permutation(kTokens, 9), options);
      EXPECT_LT(effect.relative, 1e-14);
      EXPECT_LT((effect.after - effect.before).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_LT(effect.change.maxCoeff(), 1e-13);
    }
  }
}

TEST(Shuffle, IsSeenWithAnEncodingOrAMask) {
  AttentionOptions causal{.causal = true};
  const auto order = draw_permutation(kTokens, 9);
  EXPECT_GT(shuffle_effect(*shuffle_model("none"), content(), AttentionKind::softmax, order, causal).relative, 0.01);
  for (const char* name : {"rope", "sinusoidal", "t5", "shaw", "alibi"}) {
    EXPECT_GT(shuffle_effect(*shuffle_model(name), content(), AttentionKind::softmax, order).relative, 1e-6) << name;
  }
  // Who sees |m − n| alone cannot tell a sentence from its mirror image.
  for (const char* name : {"alibi", "kerple", "sandwich"}) {
    EXPECT_LT(shuffle_effect(*shuffle_model(name), content(), AttentionKind::softmax, backwards()).relative, 1e-13)
        << name;
  }
  EXPECT_GT(shuffle_effect(*shuffle_model("rope"), content(), AttentionKind::softmax, backwards()).relative, 1e-6);
}

/// Written out: token a's weight on b is that of the places where they stand in the other order.
TEST(Shuffle, PutsTheWeightsBack) {
  const AttentionInput input = content();
  const auto order = draw_permutation(kTokens, 2);
  AttentionInput dealt = input;
  for (Eigen::Index place = 0; place < kTokens; ++place) {
    const Eigen::Index token = order[static_cast<std::size_t>(place)];
    dealt.queries.row(place) = input.queries.row(token);
    dealt.keys.row(place) = input.keys.row(token);
    dealt.values.row(place) = input.values.row(token);
  }
  AttentionOptions options{.causal = true};
  const auto rope = shuffle_model("rope");
  const auto other = softmax_attention<double>(*rope, dealt, options);
  const auto effect = shuffle_effect(*rope, input, AttentionKind::softmax, order, options);
  for (Eigen::Index row = 0; row < kTokens; ++row) {
    for (Eigen::Index column = 0; column < kTokens; ++column) {
      const double after = effect.after(order[static_cast<std::size_t>(row)], order[static_cast<std::size_t>(column)]);
      EXPECT_EQ(std::isnan(after), column > row);
      if (column <= row) EXPECT_EQ(after, other.weights(row, column));
      EXPECT_EQ(std::isnan(effect.before(row, column)), column > row);
    }
  }
}

/// Σ (R_m φ(q_m))·(R_n φ(k_n)), token by token.
TEST(TurnedDenominator, IsTheSumOfTheTurnedFeatures) {
  const AttentionInput input = content(4);
  const auto rope = shuffle_model("rope");
  for (const bool causal : {false, true}) {
    AttentionOptions options{.causal = causal};
    const Eigen::VectorXd plain = linear_attention_denominators(*rope, input, options);
    const auto numerators = linear_attention<double>(*rope, input, options).weights;
    options.turned_denominator = true;
    const Eigen::VectorXd turned = linear_attention_denominators(*rope, input, options);
    const auto attention = linear_attention<double>(*rope, input, options);
    const TokenMatrix outputs = linear_attention_outputs(*rope, input, options);
    for (Eigen::Index row = 0; row < kTokens; ++row) {
      // The numerators are the weights times what they were divided by.
      EXPECT_NEAR(turned[row], numerators.row(row).sum() * plain[row], 1e-11 * plain[row]);
      EXPECT_NEAR(attention.row_sums[row], 1, 1e-9) << "rows sum to 1 again";
      EXPECT_LT((attention.outputs.row(row) - outputs.row(row)).norm(), 1e-9 * attention.outputs.row(row).norm());
    }
    options.turned_denominator = false;
    const Eigen::VectorXd none = linear_attention_denominators(*shuffle_model("none"), input, options);
    options.turned_denominator = true;
    EXPECT_EQ(linear_attention_denominators(*shuffle_model("none"), input, options), none) << "nothing turns there";
  }
}

}  // namespace
}  // namespace ropescope
