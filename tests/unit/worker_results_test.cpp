// Results of several threads equal those of one to the last bit: limits, kernels, encodings, attention, the atlas and
// the maps of a check.

#include "app/views/atlas.h"
#include "app/views/check/view.h"
#include "core/attention/attention.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/encodings/sinusoid.h"
#include "core/layouts/tables.h"
#include "core/rotary/spec.h"
#include "tests/store_values.h"
#include "tests/test.h"

namespace ropescope {

namespace {

constexpr int kThreads[] = {2, 3, 8};

/// To the last bit, NaN too.
template <class Numbers>
bool same_bits(const Numbers& a, const Numbers& b) {
  const auto bytes = static_cast<std::size_t>(a.size()) * sizeof(*a.data());
  return a.size() == b.size() && (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0);
}

EncodingValues small_fields() {
  return {.dim = 16};
}

bool same_series(const std::shared_ptr<const Series>& a, const std::shared_ptr<const Series>& b) {
  return same_bits(a->ys, b->ys);
}

/// Tables of a rope with 10 000 rows, of which three fall into a cell of a map: no piece ends with one.
std::shared_ptr<const CheckOutcome> tall_outcome() {
  RotarySpec spec{.head_dim = 8, .axes = {RotaryAxis{.rotary_dim = 8, .base = 10000}}};
  std::vector<double> positions(10'000);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i);
  auto outcome = std::make_shared<CheckOutcome>();
  outcome->reference = reference_from_rope(spec, {}, positions);
  std::vector<double> cosine(40'000), sine(40'000);
  LayoutTables(outcome->reference.tokens).table_rows<double>(0, 10'000, cosine.data(), sine.data());
  outcome->inputs.cosine = store_values("cos", {10'000, 4}, cosine, Storage::bfloat16);
  outcome->inputs.sine = store_values("sin", {10'000, 4}, sine, Storage::bfloat16);
  return outcome;
}

}  // namespace

TEST(Threads, SearchesForLimitsEndAtTheSameNumbers) {
  const auto base = smallest_base({.context = 4096, .threads = 1});
  const auto windows = admissible_windows({.context = 4096, .highest = 40'000, .threads = 1});
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  const auto negative = first_negative_distance(frequencies, kFarthestDistance, {1});
  const Eigen::VectorXd slow = plain_frequencies(128, 1e6);
  constexpr std::int64_t kFar = 1 << 20;
  const auto far_negative = first_negative_distance(slow, kFar, {1});
  std::vector<double> bases;
  for (double each = 5000; each < 50'000; each *= 1.1) bases.push_back(each);
  const auto curve = limit_curve(128, bases, 100'000, {1});
  for (int time = 0; time < 2; ++time) {
    for (const int threads : kThreads) {
      EXPECT_EQ(smallest_base({.context = 4096, .threads = threads}), base);
      const auto again = admissible_windows({.context = 4096, .highest = 40'000, .threads = threads});
      EXPECT_TRUE(same_bits(again, windows));
      EXPECT_EQ(first_negative_distance(frequencies, kFarthestDistance, {threads}), negative);
      EXPECT_EQ(first_negative_distance(slow, kFar, {threads}), far_negative);
      EXPECT_TRUE(same_bits(limit_curve(128, bases, 100'000, {threads}), curve));
    }
  }
}

TEST(Threads, AnswersOfLimitsAreTheSame) {
  const auto robust = robust_base({.context = 1000, .threads = 1});
  ASSERT_TRUE(robust);
  const auto ladder = [](double factor) -> Eigen::VectorXd { return plain_frequencies(128, 10000) / factor; };
  const auto perturbed_ladder = [](double base) { return plain_frequencies(128, base); };
  ContextQuestion question;
  question.context = 8192;
  const auto factors = allowing_factors(ladder, question, {1});
  const auto shaken = perturbed_context(10000, perturbed_ladder, kFarthestDistance, {1});
  ASSERT_TRUE(factors && factors->smallest && shaken);
  for (const int threads : kThreads) {
    EXPECT_EQ(robust_base({.context = 1000, .threads = threads})->base, robust->base);
    const auto again = allowing_factors(ladder, question, {threads});
    EXPECT_EQ(again->smallest, factors->smallest);
    EXPECT_EQ(again->robust, factors->robust);
    const auto perturbed_again = perturbed_context(10000, perturbed_ladder, kFarthestDistance, {threads});
    EXPECT_EQ(perturbed_again->base, shaken->base);
    EXPECT_EQ(perturbed_again->negative, shaken->negative);
  }
}

TEST(Threads, KernelsAreTheSame) {
  KernelRequest request{.frequencies = plain_frequencies(128, 10000), .first = -3000, .count = 70'001, .threads = 1};
  const KernelCurves alone = kernel_curves(request);
  for (const int threads : kThreads) {
    request.threads = threads;
    const KernelCurves many = kernel_curves(request);
    EXPECT_TRUE(same_bits(many.similarity, alone.similarity)) << threads;
    EXPECT_TRUE(same_bits(many.bound, alone.bound)) << threads;
  }
}

TEST(Threads, EncodingsAreTheSame) {
  const AttentionInput input = make_content(ContentKind::random, 150, 16, 16, 3);
  std::vector<std::int64_t> distances(500);
  for (std::size_t i = 0; i < distances.size(); ++i) distances[i] = static_cast<std::int64_t>(i) - 250;
  const Eigen::VectorXd q = input.queries.row(0).transpose(), k = input.keys.row(1).transpose();
  for (const Encoding& encoding : all_encodings()) {
    SCOPED_TRACE(encoding.name);
    const auto model = make_model(encoding, small_fields());
    const auto by_distance = model->score_by_distance(q, k, distances, 300, {1});
    const auto matrix = model->score_matrix<float>(input.queries, input.keys, {.threads = 1});
    const auto diagonal = model->score_matrix<double>(input.queries.topRows(1), input.keys.topRows(1),
                                                      {.query_count = 70, .key_count = 90, .threads = 1});
    for (const int threads : kThreads) {
      const auto again = model->score_by_distance(q, k, distances, 300, {threads});
      EXPECT_TRUE(same_bits(again.terms, by_distance.terms));
      EXPECT_TRUE(same_bits(again.total, by_distance.total));
      EXPECT_TRUE(same_bits(model->score_matrix<float>(input.queries, input.keys, {.threads = threads}), matrix));
      EXPECT_TRUE(same_bits(model->score_matrix<double>(input.queries.topRows(1), input.keys.topRows(1),
                                                        {.query_count = 70, .key_count = 90, .threads = threads}),
                            diagonal));
      for (const std::string_view part : encoding.value_parts) {
        EXPECT_TRUE(same_bits(model->value_map(part, 0, 300, {threads}), model->value_map(part, 0, 300, {1}))) << part;
      }
    }
  }
}

TEST(Threads, LargeProductsAreTheSame) {
  // More keys than one thread prepares by itself.
  const AttentionInput input = make_content(ContentKind::random, 700, 16, 1, 4);
  const auto model = make_model(find_encoding("none"), small_fields());
  const auto alone = model->score_matrix<float>(input.queries, input.keys, {.threads = 1});
  for (const int threads : kThreads) {
    EXPECT_TRUE(same_bits(model->score_matrix<float>(input.queries, input.keys, {.threads = threads}), alone));
  }
}

TEST(Threads, AttentionIsTheSame) {
  const AttentionInput input = make_content(ContentKind::random, 200, 16, 16, 5);
  for (const Encoding& encoding : all_encodings()) {
    SCOPED_TRACE(encoding.name);
    const auto model = make_model(encoding, small_fields());
    AttentionOptions options{.causal = true, .threads = 1};
    const auto softmax = softmax_attention<float>(*model, input, options);
    const auto rows = attention_weights(AttentionKind::softmax, *model, input, 20, 90, options);
    const auto measured = measured_scores(*model, input, options);
    for (const int threads : kThreads) {
      options.threads = threads;
      const auto again = softmax_attention<float>(*model, input, options);
      EXPECT_TRUE(same_bits(again.weights, softmax.weights));
      EXPECT_TRUE(same_bits(again.row_sums, softmax.row_sums));
      EXPECT_TRUE(same_bits(again.outputs, softmax.outputs));
      EXPECT_TRUE(same_bits(attention_weights(AttentionKind::softmax, *model, input, 20, 90, options), rows));
      EXPECT_TRUE(same_bits(measured_scores(*model, input, options).mean, measured.mean));
      if (!encoding.linear_attention) continue;
      AttentionOptions one = options;
      one.threads = 1;
      const auto linear = linear_attention<float>(*model, input, one);
      const auto linear_again = linear_attention<float>(*model, input, options);
      EXPECT_TRUE(same_bits(linear_again.weights, linear.weights));
      EXPECT_TRUE(same_bits(linear_again.outputs, linear.outputs));
      EXPECT_TRUE(same_bits(attention_weights(AttentionKind::linear, *model, input, 20, 90, options),
                            attention_weights(AttentionKind::linear, *model, input, 20, 90, one)));
    }
  }
  const auto rope = make_model(find_encoding("rope"), small_fields());
  const MeanScoreBound alone = mean_score_bound(*rope, input, {1});
  for (const int threads : kThreads) {
    EXPECT_TRUE(same_bits(mean_score_bound(*rope, input, {threads}).bound, alone.bound));
  }
}

TEST(Threads, TheAtlasIsTheSame) {
  AtlasInput input;
  input.positions = 9001;
  std::vector<AtlasInput> inputs;
  for (const SinusoidPart part : {SinusoidPart::sine_cosine, SinusoidPart::angle}) {
    input.source.frequencies = plain_frequencies(32, 10000);
    input.source.part = part;
    inputs.push_back(input);
  }
  input.source.frequencies.resize(0);
  input.source.part = SinusoidPart::sine_cosine;
  input.source.table.dim = 16;
  inputs.push_back(input);
  for (const AtlasInput& each : inputs) {
    const auto alone = computed<atlas_of>(each, {1});
    for (const int threads : kThreads) {
      const auto many = computed<atlas_of>(each, {threads});
      EXPECT_TRUE(same_bits(many->cells->values, alone->cells->values)) << threads;
    }
  }
}

TEST(Threads, MapsOfACheckAreTheSame) {
  const auto outcome = tall_outcome();
  CheckedRows rows;
  rows.outcome = outcome;
  rows.by_tolerance = false;
  const auto alone = computed<check_difference_map>(rows, {1});
  const auto values_alone = computed<check_value_map>(rows, {1});
  ASSERT_TRUE(alone && values_alone);
  ASSERT_EQ(alone->step, 3);
  for (int time = 0; time < 3; ++time) {
    for (const int threads : kThreads) {
      const auto many = computed<check_difference_map>(rows, {threads});
      EXPECT_TRUE(same_bits(many->cells.map->values, alone->cells.map->values));
      EXPECT_EQ(many->worst_row, alone->worst_row);
      EXPECT_EQ(many->worst_pair, alone->worst_pair);
      EXPECT_TRUE(same_series(many->over_tokens, alone->over_tokens));
      EXPECT_TRUE(same_series(many->tolerance_over_tokens, alone->tolerance_over_tokens));
      EXPECT_TRUE(same_series(many->over_pairs, alone->over_pairs));
      EXPECT_TRUE(same_series(many->tolerance_over_pairs, alone->tolerance_over_pairs));
      const auto values_many = computed<check_value_map>(rows, {threads});
      EXPECT_TRUE(same_bits(values_many->mine.map->values, values_alone->mine.map->values));
      EXPECT_TRUE(same_bits(values_many->reference.map->values, values_alone->reference.map->values));
      EXPECT_EQ(values_many->range.high, values_alone->range.high);
    }
  }
}

}  // namespace ropescope
