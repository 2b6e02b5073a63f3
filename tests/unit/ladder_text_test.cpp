// Ladders as numbers and as formulas: compared with the built-in ones, under every method that supports them, and
// hostile texts.
#include "core/formats/ladder_text.h"

#include <bit>

#include "app/experiment/rope_spec.h"
#include "core/scaling/scaling.h"
#include "says.h"

namespace ropescope {
namespace {

RotarySpec spec_with(const std::string& text, int dim = 128, double base = 10000) {
  RotarySpec spec;
  spec.axes.front().rotary_dim = dim;
  spec.axes.front().base = base;
  give_ladder(spec, text, "ladder");
  validate(spec);
  return spec;
}

std::string ladder_refusal(const std::string& text, int dim = 8) {
  return refusal_of([&] { spec_with(text, dim); });
}

std::int64_t units_apart(double a, double b) {
  return std::abs(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b));
}

// RoFormer's ladder as people write it, and as the program has it.
TEST(LadderText, TheReleasedLadderByFormulaIsTheBuiltInOne) {
  for (const double base : {10000.0, 500000.0, 1e6}) {
    const std::vector<double> ladder = spec_with("b^(-2*i/d)", 128, base).axes.front().frequencies;
    const Eigen::VectorXd plain = plain_frequencies(128, base);
    ASSERT_EQ(ladder.size(), 64u);
    for (int pair = 0; pair < 64; ++pair) {
      EXPECT_LE(units_apart(ladder[static_cast<std::size_t>(pair)], plain[pair]), 1) << base << " " << pair;
    }
  }
}

TEST(LadderText, AFormulaIsComputedForEveryPair) {
  const std::vector<double> ladder = spec_with("exp(-ln(b)*2*i/d) / (1 + 3*(i > 2))", 8).axes.front().frequencies;
  for (int pair = 0; pair < 4; ++pair) {
    const double due = std::exp(-std::log(10000.0) * pair / 4) / (pair > 2 ? 4 : 1);
    EXPECT_DOUBLE_EQ(ladder[static_cast<std::size_t>(pair)], due) << pair;
  }
  EXPECT_EQ(spec_with("_pi", 2).axes.front().frequencies.front(), std::numbers::pi);
  EXPECT_THAT(spec_with("i < 2 ? 1/(1+i) : 0", 8).axes.front().frequencies, ElementsAre(1, 0.5, 0, 0));
}

TEST(LadderText, NumbersAreThoseOfThePairs) {
  const RotarySpec spec = spec_with("1, 0.5,2.5e-1,0", 8);
  EXPECT_THAT(spec.axes.front().frequencies, ElementsAre(1, 0.5, 0.25, 0));
  EXPECT_EQ(ladder_numbers(spec), "1,0.5,0.25,0");
  EXPECT_EQ(scaled_ladder(spec, 0).treatment.back(), PairTreatment::still);
}

TEST(LadderText, AxesHaveTheirPartOfTheNumbersAndTheirOwnFormula) {
  RotarySpec spec;
  spec.axes = {RotaryAxis{.name = "row", .rotary_dim = 4, .base = 100},
               RotaryAxis{.name = "column", .rotary_dim = 2, .base = 16}};
  give_ladder(spec, "3,2,1", "ladder");
  EXPECT_THAT(spec.axes[0].frequencies, ElementsAre(3, 2));
  EXPECT_THAT(spec.axes[1].frequencies, ElementsAre(1));
  give_ladder(spec, "b + d", "ladder");
  EXPECT_THAT(spec.axes[0].frequencies, ElementsAre(104, 104));
  EXPECT_THAT(spec.axes[1].frequencies, ElementsAre(18));
}

TEST(LadderText, WhatCannotBeOneIsRefusedWithItsPlace) {
  expect_refusals("ladder_text", 18, [](const json& text) { return ladder_refusal(text); });
  EXPECT_THAT(ladder_refusal(std::string(2000, '-') + "i"),
              Says("error.ladder.long", {{"characters", "2001"}, {"most", "1000"}}));
  EXPECT_NE(ladder_refusal(std::string(999, '-') + "i"), "ends well, whatever it says");
  EXPECT_THAT(ladder_refusal(std::string(1 << 18, '1')), HasSubstr("at most 131072"));
  EXPECT_NE(ladder_refusal("2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2"), "");
}

// Scaling that looks at frequencies alone makes of the plain ladder what it makes of the same numbers when given.
TEST(LadderText, MethodsThatTakeAnyLadderDoWhatTheyDoToThePlainOne) {
  int taken = 0;
  for (const ScalingMethod& method : all_scaling_methods()) {
    RotarySpec plain{.trained_length = 4096};
    plain.extension.method = method.name;
    for (const ScalingField& field : method.parameters) {
      if (field.required) plain.extension.numbers[std::string(field.name)] = field.initial;
    }
    for (const ScalingList& list : method.lists) {
      plain.extension.lists[std::string(list.name)] = std::vector<double>(64, 1.5);
    }
    RotarySpec given = plain;
    RotaryAxis& axis = given.axes.front();
    axis.ladder = Ladder::given;
    const Eigen::VectorXd frequencies = plain_frequencies(axis.rotary_dim, axis.base);
    axis.frequencies.assign(frequencies.begin(), frequencies.end());
    if (method.uses_only_frequencies) {
      ++taken;
      EXPECT_EQ(scaled_ladder(given, 0, 8192).frequencies, scaled_ladder(plain, 0, 8192).frequencies) << method.name;
      axis.base = 7;  // of which nothing of it depends
      EXPECT_EQ(scaled_ladder(given, 0, 8192).frequencies, scaled_ladder(plain, 0, 8192).frequencies) << method.name;
    } else {
      EXPECT_REFUSED(scaled_ladder(given, 0, 8192),
                     Says("error.scaling.given_ladder", {{"method", std::string(method.name)},
                                                         {"known", "none, linear, ntk-by-parts, longrope, llama3"}}))
          << method.name;
    }
  }
  EXPECT_EQ(taken, 5);
}

TEST(LadderText, StandsInARopeAndComesBack) {
  RopeFields fields;
  fields.ladder = "b^(-2*i/d)/2";
  const RopeReading rope = read_rope(fields);
  EXPECT_EQ(rope.plain[0], 0.5);
  Profile profile;
  profile.spec = rope.spec;
  const RopeFields back = to_rope_fields(profile, "");
  EXPECT_EQ(read_rope(back).ladder.frequencies, rope.ladder.frequencies) << "to the last bit, as numbers";
  fields.ladder = "no_such.csv";
  EXPECT_REFUSED(spec_of(fields), Says("error.ladder.file", {{"file", "no_such.csv"}})) << "a rope opens no file";
}

}  // namespace
}  // namespace ropescope
