// Two rotary embeddings that differ in one setting: it is reported, and its effect on the score is a number that is
// verified in another way.
#include "core/check/compare_specs/compare_specs.h"

#include "core/check/causes/cause.h"
#include "core/decay/kernel.h"
#include "core/scaling/scaling.h"
#include "tests/said.h"

namespace ropescope {
namespace {

RotarySpec make_llama_spec() {
  RotarySpec spec;
  spec.axes.front().base = 500000;
  spec.trained_length = 2048;
  return spec;
}

RotarySpec with_extension(Extension extension) {
  RotarySpec spec = make_llama_spec();
  spec.extension = std::move(extension);
  return spec;
}

RotarySpec make_llama3_spec() {
  return with_extension({"llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}});
}

/// The only difference, which changes scores.
SpecDifference find_only_difference(const RotarySpec& a, const RotarySpec& b) {
  const SpecComparison found = compare_specs(a, b);
  EXPECT_FALSE(found.agrees);
  EXPECT_FALSE(compare_specs(b, a).agrees);
  EXPECT_EQ(found.differences.size(), 1u);
  return found.differences.empty() ? SpecDifference() : found.differences.front();
}

/// The only difference, which changes none.
SpecDifference only_note(const RotarySpec& a, const RotarySpec& b) {
  const SpecComparison found = compare_specs(a, b);
  EXPECT_TRUE(found.agrees);
  EXPECT_TRUE(compare_specs(b, a).agrees);
  EXPECT_EQ(found.differences.size(), 1u);
  EXPECT_TRUE(!found.differences.empty() && found.differences.front().harmless);
  return found.differences.empty() ? SpecDifference() : found.differences.front();
}

double number(const SideValue& value) {
  return std::get<double>(value);
}

}  // namespace

TEST(CompareSpecs, TheSameAgrees) {
  const SpecComparison found = compare_specs(make_llama3_spec(), make_llama3_spec());
  EXPECT_TRUE(found.agrees);
  EXPECT_TRUE(found.differences.empty());
}

TEST(CompareSpecs, ABaseChangesTheScoreByWhatTheKernelSays) {
  RotarySpec other = make_llama_spec();
  other.axes.front().base = 10000;
  const SpecDifference found = find_only_difference(make_llama_spec(), other);
  EXPECT_EQ(found.cause, "base");
  EXPECT_EQ(number(found.a), 500000);
  EXPECT_EQ(number(found.b), 10000);
  EXPECT_THAT(said(found.text), Says("compare.base", {{"a", "500\u202f000"}, {"b", "10\u202f000"}}));
  const Eigen::VectorXd a = head_ladder(make_llama_spec()).frequencies, b = head_ladder(other).frequencies;
  double largest = 0, at = -1, first = -1;
  for (int distance = 0; distance <= 2048; ++distance) {
    const double change = std::abs(similarity(b, distance) - similarity(a, distance));
    if (change > largest) at = distance;
    largest = std::max(largest, change);
    if (change > 0.05 && first < 0) first = distance;
  }
  EXPECT_NEAR(found.change.largest, largest, 1e-10);
  EXPECT_EQ(found.change.at, at);
  ASSERT_TRUE(found.change.first);
  EXPECT_EQ(*found.change.first, first);
}

TEST(CompareSpecs, AnExtensionThatOneSideLacks) {
  const SpecDifference found = find_only_difference(make_llama3_spec(), make_llama_spec());
  EXPECT_EQ(found.cause, "scaling-missing");
  EXPECT_THAT(said(found.text), AllOf(Says("compare.scaling_only_a"), HasSubstr(" llama3 (factor 8")));
  EXPECT_THAT(said(find_only_difference(make_llama_spec(), make_llama3_spec()).text), Says("compare.scaling_only_b"));
  EXPECT_GT(found.change.largest, 0.05);
}

TEST(CompareSpecs, AnotherMethodAndOtherNumbers) {
  const RotarySpec linear = with_extension({"linear", {{"factor", 8}}, {}});
  EXPECT_EQ(find_only_difference(make_llama3_spec(), linear).cause, "scaling-kind");
  const RotarySpec four = with_extension({"linear", {{"factor", 4}}, {}});
  const SpecDifference found = find_only_difference(linear, four);
  EXPECT_EQ(found.cause, "scaling-parameters");
  EXPECT_THAT(said(found.text), Says("compare.scaling_parameter",
                                     {{"parameter", "factor"}, {"method", "linear"}, {"a", "8"}, {"b", "4"}}));
  const auto longrope = [](double last) {
    std::vector<double> near(64, 1), far(64, 4);
    near.back() = last;
    return with_extension({"longrope", {{"factor", 4}}, {{"short_factors", near}, {"long_factors", far}}});
  };
  const SpecDifference list = find_only_difference(longrope(1), longrope(2.5));
  EXPECT_EQ(list.cause, "scaling-parameters");
  EXPECT_THAT(said(list.text), Says("compare.scaling_list", {{"pair", "63"}, {"a", "1"}, {"b", "2.5"}}));
}

TEST(CompareSpecs, AmplitudesAreNamedWhateverMakesThem) {
  const RotarySpec yarn = with_extension({"yarn", {{"factor", 4}}, {}});
  RotarySpec given = yarn;
  given.extension.numbers["attention_factor"] = 1;
  const SpecDifference found = find_only_difference(yarn, given);
  EXPECT_EQ(found.cause, "amplitude");
  EXPECT_DOUBLE_EQ(number(found.a), 0.1 * std::log(4) + 1);
  EXPECT_EQ(number(found.b), 1);
  EXPECT_EQ(found.change.first, 0) << "K(0) is the square of the amplitude";
  // mscale alone says nothing, both together do.
  RotarySpec deepseek = yarn;
  deepseek.extension.numbers.insert({{"mscale", 1}, {"mscale_all_dim", 1}});
  EXPECT_EQ(find_only_difference(yarn, deepseek).cause, "amplitude");
  // The same number out of other parts.
  EXPECT_TRUE(compare_specs(given, deepseek).agrees);
  RotarySpec plain = make_llama_spec();
  plain.amplitude = 1.2;
  EXPECT_EQ(find_only_difference(make_llama_spec(), plain).cause, "amplitude");
}

TEST(CompareSpecs, OtherPairsAreMeasuredOnContentOfOnePair) {
  RotarySpec other = make_llama_spec();
  other.pairing = Pairing::interleaved;
  const SpecDifference found = find_only_difference(make_llama_spec(), other);
  EXPECT_EQ(found.cause, "pairing");
  EXPECT_GT(found.change.largest, 1);
  EXPECT_EQ(said(Message(std::get<Message>(found.a))), "half-split");
  RotarySpec narrow = make_llama_spec(), one_pair = other;
  narrow.head_dim = one_pair.head_dim = 2;
  narrow.axes.front().rotary_dim = one_pair.axes.front().rotary_dim = 2;
  only_note(narrow, one_pair);
}

TEST(CompareSpecs, ATrainedLengthThatChangesNoScoreIsANote) {
  RotarySpec longer = make_llama_spec();
  longer.trained_length = 8192;
  const SpecDifference note = only_note(make_llama_spec(), longer);
  EXPECT_TRUE(note.cause.empty());
  EXPECT_EQ(number(note.b), 8192);
  EXPECT_EQ(note.change.largest, 0);
  RotarySpec none = make_llama_spec();
  none.trained_length.reset();
  EXPECT_THAT(said(only_note(make_llama_spec(), none).text),
              Says("compare.length", {{"a", "2\u202f048"}, {"b", said(Message("compare.no_length"))}}));
}

TEST(CompareSpecs, ATrainedLengthThatAMethodCountsFrom) {
  RotarySpec longer = make_llama3_spec();
  longer.trained_length = 8192;
  EXPECT_EQ(find_only_difference(make_llama3_spec(), longer).cause, "scaling-parameters");
  const RotarySpec dynamic = with_extension({"dynamic", {{"factor", 2}}, {}});
  RotarySpec later = dynamic;
  later.trained_length = 4096;
  EXPECT_EQ(find_only_difference(dynamic, later).cause, "length-switch");
}

TEST(CompareSpecs, WhatFollowsTheLengthIsLookedAtBeyondIt) {
  const RotarySpec dynamic = with_extension({"dynamic", {{"factor", 2}}, {}});
  EXPECT_EQ(find_only_difference(dynamic, make_llama_spec()).cause, "scaling-missing")
      << "within the trained length they are the same";
  const RotarySpec four = with_extension({"dynamic", {{"factor", 4}}, {}});
  EXPECT_EQ(find_only_difference(dynamic, four).cause, "scaling-parameters");
}

TEST(CompareSpecs, DifferencesThatMakeUpForEachOtherAgree) {
  // NTK is another base.
  const RotarySpec ntk = with_extension({"ntk-aware", {{"factor", 4}}, {}});
  RotarySpec rebased = make_llama_spec();
  rebased.axes.front().base = *scaled_ladder(ntk, 0).effective_base;
  const SpecComparison found = compare_specs(ntk, rebased);
  EXPECT_TRUE(found.agrees);
  EXPECT_EQ(found.differences.size(), 2u);
  for (const SpecDifference& difference : found.differences) EXPECT_TRUE(difference.harmless);
  only_note(with_extension({"linear", {{"factor", 1}}, {}}), make_llama_spec());
}

TEST(CompareSpecs, NumbersThatAreTheSameInFloat32Agree) {
  RotarySpec rounded = make_llama_spec();
  rounded.axes.front().base = 1234567.1;
  RotarySpec exact = rounded;
  rounded.axes.front().base = static_cast<double>(static_cast<float>(exact.axes.front().base));
  ASSERT_NE(rounded.axes.front().base, exact.axes.front().base);
  only_note(exact, rounded);
}

TEST(CompareSpecs, RotaryDimensionsHeadsAndAxes) {
  RotarySpec half = make_llama_spec();
  half.axes.front().rotary_dim = 64;
  EXPECT_EQ(find_only_difference(make_llama_spec(), half).cause, "rotary-dimension");
  RotarySpec wide = half;
  wide.head_dim = 256;
  only_note(half, wide);
  RotarySpec flux{.axes = {{"t", 16, 10000}, {"row", 56, 10000}, {"column", 56, 10000}}};
  RotarySpec other = flux;
  other.axes[0].rotary_dim = 32;
  other.axes[2].rotary_dim = 40;
  EXPECT_EQ(find_only_difference(flux, other).cause, "axis-dimensions");
  RotarySpec swapped{.axes = {{"row", 40, 10000}, {"t", 16, 10000}, {"column", 72, 10000}}};
  RotarySpec order = swapped;
  std::swap(order.axes[0], order.axes[1]);
  EXPECT_TRUE(compare_specs(order, swapped).differences.front().cause == "axes-swapped");
  EXPECT_EQ(find_only_difference(flux, RotarySpec()).cause, "axis-dimensions") << "text has one axis";
  RotarySpec bases = flux;
  bases.axes[1].base = 100;
  const SpecDifference found = find_only_difference(flux, bases);
  EXPECT_EQ(found.cause, "base");
  EXPECT_THAT(said(found.text), Says("compare.base", {{"a", "10\u202f000"}, {"b", "(10\u202f000, 100, 10\u202f000)"}}));
}

TEST(CompareSpecs, CausesAreThoseOfTheCheck) {
  std::set<std::string> known;
  for (const Cause* cause : all_causes()) known.emplace(cause->name);
  std::vector<RotarySpec> specs = {make_llama_spec(), make_llama3_spec()};
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (!method.lists.empty()) continue;
    RotarySpec spec = make_llama_spec();
    spec.extension.method = method.name;
    for (const ScalingField& parameter : method.parameters) {
      if (parameter.required) spec.extension.numbers[std::string(parameter.name)] = parameter.initial;
    }
    specs.push_back(spec);
  }
  for (const RotarySpec& a : specs) {
    for (const RotarySpec& b : specs) {
      const SpecComparison found = compare_specs(a, b);
      EXPECT_EQ(found.agrees, compare_specs(b, a).agrees) << a.extension.method << " " << b.extension.method;
      for (const SpecDifference& difference : found.differences) {
        EXPECT_TRUE(difference.harmless || known.contains(difference.cause)) << difference.cause;
        EXPECT_EQ(difference.harmless, difference.change.largest == 0);
      }
    }
  }
}

TEST(CompareSpecs, TheSameForAnyNumberOfThreads) {
  Work one, three;
  one.threads = 1;
  three.threads = 3;
  const SpecComparison a = compare_specs(make_llama3_spec(), make_llama_spec(), one),
                       b = compare_specs(make_llama3_spec(), make_llama_spec(), three);
  EXPECT_EQ(a.differences.front().change.largest, b.differences.front().change.largest);
  EXPECT_EQ(a.differences.front().change.first, b.differences.front().change.first);
}

}  // namespace ropescope
