// Every displayed base must pass its own test when it is read back as printed.

#include "core/decay/limits.h"

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {
namespace {

/// The definition as it stands, without the library's search: one direct sum after the other.
bool holds_by_brute_force(int rotary_dim, double base, std::int64_t context) {
  const Eigen::VectorXd frequencies = plain_frequencies(rotary_dim, base);
  for (std::int64_t m = 1; m <= context; ++m) {
    if (similarity(frequencies, static_cast<double>(m)) < 0) return false;
  }
  return true;
}

/// As a base is printed with so many digits, and read back.
double round_trip_digits(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return std::strtod(text, nullptr);
}

TEST(RoundedBase, IsTheFewestDigitsInsideTheWindow) {
  const auto always = [](double) { return true; };
  const auto up = rounded_base({26952.339228, 26973.1}, true, 6, always);
  ASSERT_TRUE(up);
  EXPECT_EQ(up->value, 26952.4);
  EXPECT_EQ(up->digits, 6);
  EXPECT_EQ(rounded_base({26952.339228, 26973.17}, false, 6, always)->value, 26973.1);
  const auto needle = rounded_base({65374955.14408, 65374960.5}, true, 6, always);
  EXPECT_EQ(needle->value, 65374960);
  EXPECT_EQ(needle->digits, 7);
  EXPECT_EQ(rounded_base({65374955.14408, 65374955.2}, true, 6, always)->value, 65374955.2);
  EXPECT_EQ(rounded_base({9999996, 1e8}, true, 6, always)->value, 1e7) << "the digits roll over";
  EXPECT_EQ(rounded_base({100, 200}, true, 6, always)->value, 100);
}

TEST(RoundedBase, PassesOverWhatDoesNotHold) {
  EXPECT_EQ(rounded_base({1.00005, 3}, true, 3, [](double base) { return base > 1.015; })->value, 1.02);
  EXPECT_EQ(rounded_base({1.5, 3}, true, 3, [](double) { return false; }), std::nullopt);
  const double least = 26952.339227857868;
  const auto last = rounded_base({least, std::nextafter(least, 1e6)}, true, 6, [](double) { return true; });
  ASSERT_TRUE(last);
  EXPECT_GE(last->value, least);
  EXPECT_EQ(round_trip_digits(last->value, last->digits), last->value);
}

TEST(SmallestWindow, IsThatOfTheTheory) {
  const auto found = smallest_window({.context = 4096});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->exact, 26952.339227857868, 1e-10);
  EXPECT_EQ(found->rounded.value, 26952.4);
  EXPECT_NEAR(found->window.high, 26973.1, 0.1);
  EXPECT_TRUE(found->ends);
  EXPECT_TRUE(base_holds(128, found->window.low, 4096));
  EXPECT_TRUE(base_holds(128, found->window.high, 4096));
  EXPECT_FALSE(base_holds(128, found->window.high * (1 + 1e-9), 4096));
  EXPECT_FALSE(base_holds(128, 26952.3, 4096)) << "what was shown before";
}

TEST(SmallestWindow, OfAMillionPositionsIsANeedle) {
  const auto found = smallest_window({.context = 1'048'576, .lowest = 6.53e7});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->exact, 65374955.14408, 1e-4);
  EXPECT_FALSE(base_holds(128, 65374955, 1'048'576)) << "what was shown before";
  EXPECT_TRUE(base_holds(128, found->rounded.value, 1'048'576));
  EXPECT_EQ(round_trip_digits(found->rounded.value, found->rounded.digits), found->rounded.value);
  EXPECT_FALSE(base_holds(128, found->window.high * (1 + 1e-9), 1'048'576));
}

TEST(SmallestWindow, EndsWithTheBasesThatAreLookedAt) {
  const auto inside = smallest_window({.context = 4096, .lowest = 70'000, .highest = 70'100});
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->window.low, 70'000);
  EXPECT_EQ(inside->window.high, 70'100);
  EXPECT_FALSE(inside->ends);
  EXPECT_EQ(smallest_window({.context = 4096, .lowest = 1000, .highest = 20'000}), std::nullopt);
  EXPECT_EQ(smallest_window({.rotary_dim = 2, .context = 2}), std::nullopt) << "cos 2 < 0 whatever the base";
  const auto still = smallest_window({.rotary_dim = 2, .context = 1});
  ASSERT_TRUE(still);
  EXPECT_EQ(still->window.low, 1.01);
  EXPECT_EQ(still->window.high, 1e12);
}

// The property of the printed answers, over random dimensions and contexts.
TEST(PrintedAnswers, PassTheirOwnTest) {
  std::mt19937 random(18);
  for (int i = 0; i < 40; ++i) {
    const int dim = 2 * std::uniform_int_distribution(8, 100)(random);
    const auto context = static_cast<std::int64_t>(std::exp(std::uniform_real_distribution(1.0, 6.8)(random)));
    const BaseSearch search{.rotary_dim = dim, .context = context};
    SCOPED_TRACE(testing::Message() << "d = " << dim << ", L = " << context);
    const auto found = smallest_window(search);
    const auto robust = robust_base(search);
    ASSERT_TRUE(found && robust);
    const auto [low, high] = found->window;
    ASSERT_LE(found->exact, low);
    ASSERT_LE(low, high);
    for (const double base :
         {round_trip_digits(low, 17), round_trip_digits(low, kLongBase), round_trip_digits(high, kLongBase),
          round_trip_digits(found->rounded.value, found->rounded.digits)}) {
      EXPECT_GE(base, low);
      EXPECT_LE(base, high);
      EXPECT_TRUE(holds_by_brute_force(dim, base, context)) << base;
    }
    for (int k = 0; k < 20; ++k) {
      const double inside = low + (high - low) * std::uniform_real_distribution(0.0, 1.0)(random);
      EXPECT_TRUE(holds_by_brute_force(dim, inside, context)) << inside << " lies in the window";
    }
    if (found->ends) {
      EXPECT_FALSE(holds_by_brute_force(dim, high * (1 + 1e-9), context)) << high;
    }
    if (found->exact > 1.01) {
      EXPECT_FALSE(holds_by_brute_force(dim, found->exact * (1 - 1e-9), context));
    }
    for (const double base : {round_trip_digits(robust->base, kLongBase),
                              round_trip_digits(robust->rounded.value, robust->rounded.digits)}) {
      EXPECT_GE(base, found->exact);
      EXPECT_TRUE(holds_by_brute_force(dim, base, context)) << "robust: " << base;
    }
  }
}

TEST(RobustBase, NoBaseOfTheGridAboveItFailsAndTheOneBelowDoes) {
  for (const auto& [dim, context, highest] :
       {std::tuple(128, 300, 1e6), std::tuple(64, 60, 1e6), std::tuple(30, 200, 1e8), std::tuple(128, 4096, 3e5)}) {
    const auto robust = robust_base({.rotary_dim = dim, .context = context, .highest = highest});
    ASSERT_TRUE(robust);
    std::int64_t k = 0;
    double base = highest;
    for (; base > robust->base; base = highest * std::pow(kRobustRatio, -static_cast<double>(++k))) {
      ASSERT_TRUE(base_holds(dim, base, context, {1})) << dim << ", " << context << ": " << base;
    }
    EXPECT_FALSE(base_holds(dim, base, context)) << dim << ", " << context << ": " << base;
    EXPECT_LE(robust->base, base * kRobustRatio * (1 + 1e-12));
    EXPECT_LE(robust->rounded.value, base * kRobustRatio * (1 + 1e-12));
    EXPECT_FALSE(base_holds(dim, robust->base * (1 - 1e-9), context)) << "refined at its edge";
  }
  EXPECT_NEAR(robust_base({.context = 4096})->base, 58788, 2);
}

TEST(RobustBase, IsNoneWhereTheLargestFailsAndTheLowestWhereNoneDoes) {
  EXPECT_EQ(robust_base({.rotary_dim = 2, .context = 2}), std::nullopt);
  EXPECT_EQ(robust_base({.rotary_dim = 2, .context = 1})->base, 1.01);
  EXPECT_EQ(robust_base({.context = 4096, .highest = 27'000}), std::nullopt);
  EXPECT_EQ(robust_base({.context = 4096, .lowest = 70'000, .highest = 1e6})->base, 70'000);
  EXPECT_THROW(robust_base({.rotary_dim = 7}), InputError);
}

TEST(Answers, AreTheSameOnAnyNumberOfThreads) {
  const auto window = smallest_window({.context = 2048, .threads = 1});
  const auto robust = robust_base({.context = 2048, .threads = 1});
  ASSERT_TRUE(window && robust);
  for (const int threads : {2, 3, 8}) {
    const auto again = smallest_window({.context = 2048, .threads = threads});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->exact, window->exact);
    EXPECT_EQ(again->window.low, window->window.low);
    EXPECT_EQ(again->window.high, window->window.high);
    EXPECT_EQ(again->rounded.value, window->rounded.value);
    EXPECT_EQ(robust_base({.context = 2048, .threads = threads})->base, robust->base);
  }
}

TEST(Answers, HearAStopAndTellWhereTheyAre) {
  std::stop_source source;
  std::jthread stopper([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  const BaseSearch large{.rotary_dim = 4096, .context = 1 << 20};
  EXPECT_EQ(robust_base(large, source.get_token()), std::nullopt);
  EXPECT_EQ(smallest_window(large, source.get_token()), std::nullopt);
  std::vector<double> bases;
  robust_base({.context = 64, .threads = 1, .progress = [&](double base) { bases.push_back(base); }});
  ASSERT_FALSE(bases.empty());
  EXPECT_NEAR(bases.front(), 1e12, 1);
  EXPECT_TRUE(std::is_sorted(bases.rbegin(), bases.rend()));
}

TEST(PerturbedContext, IsTheLeastOfTheBasesAroundOne) {
  const auto ladder = [](double base) { return plain_frequencies(128, base); };
  const auto shaken = perturbed_context(26960, ladder);
  ASSERT_TRUE(shaken && shaken->negative);
  EXPECT_LT(*shaken->largest(), 4096) << "26 960 itself holds 4 096";
  EXPECT_EQ(first_negative_distance(ladder(round_trip_digits(shaken->base, kLongBase))), shaken->negative)
      << "read back";
  for (int k = -20; k <= 20; ++k) {
    const auto negative = first_negative_distance(ladder(26960 * std::pow(1.01, k / 20.0)));
    ASSERT_TRUE(negative);
    EXPECT_GE(*negative, *shaken->negative) << k;
  }
  for (const double base : {26960.0, 10000.0, 9999.9999999, 5e5, 1.2345678901234567e6}) {
    const auto printed = perturbed_context(base, ladder);
    ASSERT_TRUE(printed && printed->negative);
    EXPECT_EQ(first_negative_distance(ladder(printed->rounded.value)), printed->negative) << base;
    EXPECT_LE(std::max(printed->rounded.value / base, base / printed->rounded.value), 1.01 * (1 + 1e-14)) << base;
    EXPECT_EQ(nearest_decimal(printed->rounded.value, printed->rounded.digits), printed->rounded.value) << base;
  }
  const auto still = perturbed_context(
      10000, [](double) { return Eigen::VectorXd(Eigen::VectorXd::Zero(4)); }, 1000);
  ASSERT_TRUE(still);
  EXPECT_EQ(still->largest(), std::nullopt);
}

}  // namespace
}  // namespace ropescope
