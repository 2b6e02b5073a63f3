#include "core/decay/limits.h"

#include "core/decay/analysis.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "tests/sampled.h"
#include "tests/test.h"

namespace ropescope {
namespace {

constexpr double kLlamaBase = 10000;

/// Position interpolation of Llama 2's ladder.
Eigen::VectorXd linear(double factor) {
  return plain_frequencies(128, kLlamaBase) / factor;
}
/// NTK-aware: another base.
Eigen::VectorXd ntk(double factor) {
  return plain_frequencies(128, kLlamaBase * std::pow(factor, 128.0 / 126));
}

ContextQuestion question(ContextCriterion criterion, std::int64_t context, double level = 0) {
  return {criterion, context, level, plain_frequencies(128, kLlamaBase), 4096};
}

/// What is read back where six digits are printed.
double six_digits(double factor) {
  return nearest_decimal(factor, 6);
}
/// The largest factor of the grid below one.
double before(double factor) {
  return factor / kFactorRatio * (1 - 1e-6);
}

TEST(AllowingFactors, AreThoseWhoseLadderAllowsTheContext) {
  const std::vector<ContextQuestion> questions = {
      question(ContextCriterion::non_negative, 16384), question(ContextCriterion::level, 4096, 0.05),
      question(ContextCriterion::mean, 16384), question(ContextCriterion::seen, 16384)};
  Sample sample("factors that allow a context: criteria × ladders");
  for (std::size_t row = 0; row < questions.size(); ++row) {
    const ContextQuestion& asked = questions[row];
    for (const auto& ladder : sample.of(row, std::vector{linear, ntk})) {
      SCOPED_TRACE(criterion_name(asked.criterion));
      const auto found = allowing_factors(ladder, asked);
      ASSERT_TRUE(found && found->smallest && found->robust);
      EXPECT_LE(*found->smallest, *found->robust);
      EXPECT_TRUE(ladder_allows(ladder(*found->smallest), asked));
      EXPECT_TRUE(ladder_allows(ladder(*found->robust), asked));
      for (double factor = 1; factor < before(*found->smallest); factor *= 1.01) {
        EXPECT_FALSE(ladder_allows(ladder(factor), asked)) << factor;
      }
      const auto again = allowing_factors(ladder, asked, {1});
      EXPECT_EQ(again->smallest, found->smallest) << "on one thread";
      EXPECT_EQ(again->robust, found->robust) << "on one thread";
    }
  }
}

TEST(AllowingFactors, OfInterpolationAreWhatTheyShouldBe) {
  const auto seen = allowing_factors(linear, question(ContextCriterion::seen, 8192));
  ASSERT_TRUE(seen && seen->smallest);
  EXPECT_EQ(*seen->smallest, 2) << "twice as many positions in the same angles";
  EXPECT_EQ(seen->robust, seen->smallest);
  const auto mean = allowing_factors(linear, question(ContextCriterion::mean, 20000));
  EXPECT_NEAR(*mean->smallest, 20000 / *trend_zero(*trend_of(plain_frequencies(128, kLlamaBase))), 0.01);
  const auto sums = allowing_factors(linear, question(ContextCriterion::non_negative, 17060));
  EXPECT_NEAR(*sums->smallest, 10, 0.1) << "the plain ladder holds 1 706";
}

TEST(AllowingFactors, PassAsTheyArePrintedAndNoSmallerOneBesideThemDoes) {
  std::mt19937 random(7);
  const auto between = [&random](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  int answers = 0;
  const int rounds = sampled_count("factors as they are printed: random ladders", 8, 24);
  for (int round = 0; round < rounds; ++round) {
    const int d = 2 * static_cast<int>(between(8, 64));
    const double base = between(100, 1e6);
    const auto ladder = [&](double factor) -> Eigen::VectorXd {
      return round % 2 ? Eigen::VectorXd(plain_frequencies(d, base) / factor) : plain_frequencies(d, base * factor);
    };
    ContextQuestion asked{std::array{ContextCriterion::non_negative, ContextCriterion::level, ContextCriterion::mean,
                                     ContextCriterion::seen}[static_cast<std::size_t>(round) / 2 % 4],
                          static_cast<std::int64_t>(between(1000, 20000)), 0.1, plain_frequencies(d, base), 1000};
    SCOPED_TRACE(testing::Message() << criterion_name(asked.criterion) << " d " << d << " b " << base << " L "
                                    << asked.context << (round % 2 ? " linear" : " base"));
    const auto found = allowing_factors(ladder, asked);
    ASSERT_TRUE(found);
    answers += found->smallest ? 1 : 0;
    for (const std::optional<double>& factor : {found->smallest, found->robust}) {
      if (!factor) continue;
      EXPECT_TRUE(ladder_allows(ladder(*factor), asked)) << *factor;
      if (*factor == 1) continue;
      // Six digits wherever six can say it, and one unit of the last below the edge is met.
      EXPECT_EQ(six_digits(*factor), *factor);
      EXPECT_FALSE(ladder_allows(ladder(*factor * (1 - 1.2e-5)), asked)) << *factor;
    }
  }
  EXPECT_GT(answers, 2 * rounds / 3);
}

TEST(AllowingFactors, AreLookedForUpToTheStatedOne) {
  // Position interpolation: twice the angles of half the factor, so that the answer is known.
  const auto seen = question(ContextCriterion::seen, 4096 * std::int64_t{9'000});
  const auto far = allowing_factors(linear, seen);
  ASSERT_TRUE(far && far->smallest);
  EXPECT_DOUBLE_EQ(*far->smallest, 9'000);
  const auto beyond = allowing_factors(linear, question(ContextCriterion::seen, 4096 * std::int64_t{10'001}));
  EXPECT_EQ(beyond->smallest, std::nullopt);
  const auto last = allowing_factors(linear, question(ContextCriterion::seen, 4096 * std::int64_t{10'000}));
  EXPECT_EQ(last->smallest, kLargestSearchedFactor);
}

TEST(AllowingFactors, TellHowFarTheyAre) {
  double last = 0;
  int told = 0;
  allowing_factors(linear, question(ContextCriterion::seen, 8192), {1}, [&](double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
    ++told;
  });
  EXPECT_GT(told, 1000);
  EXPECT_GT(last, 0.9);
}

TEST(AllowingFactors, MayBeOneOrNone) {
  EXPECT_EQ(allowing_factors(linear, question(ContextCriterion::level, 100'000, -1))->smallest, 1);
  EXPECT_EQ(allowing_factors(linear, question(ContextCriterion::level, 100'000, -1))->robust, 1);
  const auto none = allowing_factors(linear, question(ContextCriterion::level, 100'000, 1));
  EXPECT_EQ(none->smallest, std::nullopt);
  EXPECT_EQ(none->robust, std::nullopt);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(allowing_factors(linear, question(ContextCriterion::mean, 100), {0, stopped.get_token()}), std::nullopt);
}

TEST(LadderAllows, IsWhatTheFirstNegativeDistanceSays) {
  const Eigen::VectorXd plain = plain_frequencies(128, kLlamaBase);
  EXPECT_TRUE(ladder_allows(plain, question(ContextCriterion::non_negative, 1706)));
  EXPECT_FALSE(ladder_allows(plain, question(ContextCriterion::non_negative, 1707)));
  EXPECT_TRUE(ladder_allows(plain, question(ContextCriterion::seen, 4096)));
  EXPECT_FALSE(ladder_allows(plain, question(ContextCriterion::seen, 4097)));
}

TEST(LadderAllows, RefusesWhatHasNoMeaning) {
  const Eigen::VectorXd plain = plain_frequencies(128, kLlamaBase);
  EXPECT_THROW(ladder_allows(Eigen::VectorXd(), question(ContextCriterion::mean, 1)), InputError);
  EXPECT_THROW(ladder_allows(plain, question(ContextCriterion::non_negative, 0)), InputError);
  EXPECT_THROW(ladder_allows(plain, question(ContextCriterion::level, 10, 1.5)), InputError);
  ContextQuestion unknown = question(ContextCriterion::seen, 10);
  unknown.trained_length = 0;
  EXPECT_THROW(ladder_allows(plain, unknown), InputError);
  EXPECT_THROW(ladder_allows(plain_frequencies(64, kLlamaBase), question(ContextCriterion::seen, 10)), InputError);
}

TEST(Criteria, HaveNames) {
  for (const auto criterion :
       {ContextCriterion::non_negative, ContextCriterion::level, ContextCriterion::mean, ContextCriterion::seen}) {
    EXPECT_EQ(criterion_of(criterion_name(criterion)), criterion);
  }
  EXPECT_EQ(criterion_of("other"), std::nullopt);
}

}  // namespace
}  // namespace ropescope
