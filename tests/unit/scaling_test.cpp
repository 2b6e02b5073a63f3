#include "core/scaling/scaling.h"

#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "core/rotary/spec.h"
#include "says.h"

namespace ropescope {

namespace {

using enum PairTreatment;

constexpr double kScalingNan = std::numeric_limits<double>::quiet_NaN();

RotarySpec make_scaled_spec(const std::string& method, std::map<std::string, double> numbers, int dim = 128,
                            double base = 10000, std::optional<double> trained = 4096) {
  return {.head_dim = dim,
          .axes = {{.rotary_dim = dim, .base = base}},
          .trained_length = trained,
          .extension = {method, std::move(numbers), {}}};
}

RotarySpec longrope(std::vector<double> short_factors, std::vector<double> long_factors) {
  RotarySpec spec = make_scaled_spec("longrope", {{"factor", 8}}, 8);
  spec.extension.lists = {{"short_factors", std::move(short_factors)}, {"long_factors", std::move(long_factors)}};
  return spec;
}

std::string find_scaling_error(const RotarySpec& spec) {
  return refusal_of([&] { check_extension(spec); });
}

int count(const ScaledLadder& ladder, PairTreatment treatment) {
  return static_cast<int>(std::count(ladder.treatment.begin(), ladder.treatment.end(), treatment));
}

}  // namespace

TEST(Scaling, Llama31HasTheNumbersThatWereDrawn) {
  const RotarySpec spec = make_scaled_spec(
      "llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, 128, 500000, 8192);
  KernelRequest request{.frequencies = scaled_ladder(spec, 0).frequencies, .count = 131073};
  const std::vector<double> similarity = kernel_curves(request).similarity;
  const auto negative = std::find_if(similarity.begin(), similarity.end(), [](double k) { return k < 0; });
  EXPECT_EQ(negative - similarity.begin(), 85133);
  const auto half = std::find_if(similarity.rbegin(), similarity.rend(), [](double k) { return k > 0.5; });
  EXPECT_EQ(similarity.rend() - half - 1, 61127);
  EXPECT_NEAR(similarity[0] - similarity[1], 0.0221, 5e-5);
}

TEST(Scaling, TreatmentFollowsTheBandsOfLlama3) {
  const RotarySpec spec = make_scaled_spec(
      "llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, 128, 500000, 8192);
  const ScaledLadder ladder = scaled_ladder(spec, 0);
  const Eigen::VectorXd plain = plain_frequencies(128, 500000);
  for (Eigen::Index pair = 0; pair < 64; ++pair) {
    const double turn = wavelength(plain[pair]);
    EXPECT_EQ(ladder.treatment[static_cast<std::size_t>(pair)], turn < 2048   ? kept
                                                                : turn > 8192 ? interpolated
                                                                              : blended)
        << pair;
  }
  EXPECT_EQ(count(ladder, kept), 29);
  EXPECT_EQ(count(ladder, interpolated), 29);
}

TEST(Scaling, EqualFactorsOfLlama4AndEqualBetasLeaveNothingBetween) {
  const RotarySpec llama4 = make_scaled_spec(
      "llama3", {{"factor", 16}, {"low_frequency_factor", 1}, {"high_frequency_factor", 1}}, 128, 500000, 8192);
  EXPECT_EQ(count(scaled_ladder(llama4, 0), blended), 0);
  // Kimi K2: the ramp runs between neighbouring whole pairs.
  const RotarySpec kimi =
      make_scaled_spec("yarn", {{"factor", 32}, {"beta_fast", 1}, {"beta_slow", 1}}, 64, 50000, 4096);
  EXPECT_EQ(count(scaled_ladder(kimi, 0), blended), 0);
  RotarySpec paper = kimi;
  paper.extension.numbers["paper_ramp"] = 1;
  EXPECT_EQ(count(scaled_ladder(paper, 0), blended), 0);
}

TEST(Scaling, TreatmentOfTheOtherMethods) {
  const ScaledLadder linear = scaled_ladder(make_scaled_spec("linear", {{"factor", 4}}), 0);
  EXPECT_EQ(count(linear, interpolated), 64);
  EXPECT_FALSE(linear.effective_base);
  const ScaledLadder ntk = scaled_ladder(make_scaled_spec("ntk-aware", {{"factor", 4}}), 0);
  EXPECT_EQ(ntk.treatment[0], kept);
  EXPECT_EQ(count(ntk, blended), 63);
  const RotarySpec dynamic = make_scaled_spec("dynamic", {{"factor", 2}});
  EXPECT_EQ(count(scaled_ladder(dynamic, 0), kept), 64);
  EXPECT_EQ(count(scaled_ladder(dynamic, 0, 4096), kept), 64);
  EXPECT_EQ(count(scaled_ladder(dynamic, 0, 4097), blended), 63);
  const ScaledLadder gemma =
      scaled_ladder(make_scaled_spec("proportional", {{"live_fraction", 0.25}, {"factor", 8}}), 0);
  EXPECT_EQ(count(gemma, interpolated), 16);
  EXPECT_EQ(count(gemma, still), 48);
  const ScaledLadder yarn = scaled_ladder(make_scaled_spec("yarn", {{"factor", 16}}), 0);
  EXPECT_EQ(yarn.treatment.front(), kept);
  EXPECT_EQ(yarn.treatment.back(), interpolated);
  const ScaledLadder lists = scaled_ladder(longrope({1, 1, 1, 1}, {0.9, 1, 2, 8}), 0, 5000);
  EXPECT_EQ(lists.treatment, (std::vector{blended, kept, blended, interpolated}));
}

TEST(Scaling, ByPartsIsTheFormulaOfThePaper) {
  const ScaledLadder ladder = scaled_ladder(make_scaled_spec("ntk-by-parts", {{"factor", 8}}), 0);
  const Eigen::VectorXd plain = plain_frequencies(128, 10000);
  for (Eigen::Index pair = 0; pair < 64; ++pair) {
    const double turns = 4096 * plain[pair] / (2 * std::acos(-1.0));
    const double gamma = turns < 1 ? 0 : turns > 32 ? 1 : (turns - 1) / 31;
    EXPECT_NEAR(ladder.frequencies[pair], (1 - gamma) * plain[pair] / 8 + gamma * plain[pair], 1e-15) << pair;
  }
  EXPECT_EQ(ladder.amplitude, 1);
  // YaRN with the paper's ramp is the same ladder with an amplitude.
  const ScaledLadder yarn = scaled_ladder(make_scaled_spec("yarn", {{"factor", 8}, {"paper_ramp", 1}}), 0);
  EXPECT_EQ(yarn.frequencies, ladder.frequencies);
  EXPECT_NEAR(yarn.amplitude, 0.1 * std::log(8) + 1, 1e-15);
}

TEST(Scaling, MscaleCountsOnlyIfBothAreNonzero) {
  const auto amplitude = [](std::map<std::string, double> numbers) {
    numbers["factor"] = 40;
    return scaled_ladder(make_scaled_spec("yarn", numbers), 0).amplitude;
  };
  const double plain = 0.1 * std::log(40) + 1;
  EXPECT_DOUBLE_EQ(amplitude({}), plain);
  EXPECT_DOUBLE_EQ(amplitude({{"mscale", 0.707}}), plain);
  EXPECT_DOUBLE_EQ(amplitude({{"mscale", 0.707}, {"mscale_all_dim", 0}}), plain);
  EXPECT_DOUBLE_EQ(amplitude({{"mscale", 0.707}, {"mscale_all_dim", 0.707}}), 1);
  EXPECT_DOUBLE_EQ(amplitude({{"mscale", 1}, {"mscale_all_dim", 1}, {"attention_factor", 1.3}}), 1.3);
}

TEST(Scaling, DynamicAtFactorOneIsNotTheIdentityBeyondTheTrainedLength) {
  const RotarySpec spec = make_scaled_spec("dynamic", {{"factor", 1}});
  EXPECT_EQ(scaled_ladder(spec, 0, 4096).frequencies, plain_frequencies(128, 10000));
  const ScaledLadder doubled = scaled_ladder(spec, 0, 8192);
  EXPECT_LT(doubled.frequencies[63], 0.6 * plain_frequencies(128, 10000)[63]);
}

TEST(Scaling, LongRopeSwitchesPastTheTrainedLength) {
  const RotarySpec spec = longrope({1, 1, 1, 1}, {1, 2, 4, 8});
  const Eigen::VectorXd plain = plain_frequencies(8, 10000);
  EXPECT_EQ(scaled_ladder(spec, 0).frequencies, plain);
  EXPECT_EQ(scaled_ladder(spec, 0, 4096).frequencies, plain);
  EXPECT_EQ(scaled_ladder(spec, 0, 4097).frequencies[3], plain[3] / 8);
  EXPECT_DOUBLE_EQ(scaled_ladder(spec, 0).amplitude, std::sqrt(1 + std::log(8) / std::log(4096)));
}

TEST(Scaling, APairAloneNeverChangesItsBase) {
  for (const char* method : {"ntk-aware", "dynamic", "ntk-alpha"}) {
    RotarySpec spec = make_scaled_spec(method, {{"factor", 8}}, 2);
    if (spec.extension.method == "ntk-alpha") spec.extension.numbers = {{"ntk_alpha", 8}};
    const ScaledLadder ladder = scaled_ladder(spec, 0, 1e6);
    EXPECT_EQ(ladder.frequencies, Eigen::VectorXd::Ones(1)) << method;
  }
}

TEST(Scaling, HeadLadderJoinsTheAxesAndMultipliesTheAmplitudes) {
  RotarySpec spec = make_scaled_spec("yarn", {{"factor", 4}}, 32);
  spec.axes = {{.name = "row", .rotary_dim = 16}, {.name = "column", .rotary_dim = 8, .base = 100}};
  spec.amplitude = 0.5;
  const HeadLadder head = head_ladder(spec);
  ASSERT_EQ(head.frequencies.size(), 12);
  EXPECT_EQ(head.frequencies.head(8), scaled_ladder(spec, 0).frequencies);
  EXPECT_EQ(head.frequencies.tail(4), scaled_ladder(spec, 1).frequencies);
  EXPECT_DOUBLE_EQ(head.amplitude, 0.5 * (0.1 * std::log(4) + 1));
}

TEST(Scaling, DefaultsAreFilledInWhereThereAreSome) {
  const Extension yarn = fill_defaults({"yarn", {{"factor", 4}, {"beta_fast", 16}}, {}});
  const std::map<std::string, double> expected = {{"factor", 4},    {"beta_fast", 16}, {"beta_slow", 1},
                                                  {"truncate", 1},  {"mscale", 0},     {"mscale_all_dim", 0},
                                                  {"paper_ramp", 0}};
  EXPECT_EQ(yarn.numbers, expected);
  EXPECT_EQ(fill_defaults({}), Extension{});
}

TEST(ScalingErrors, NameMethodParameterAndExpectation) {
  for (const double factor : {0.5, 0.0, -1.0, kScalingNan, 1e300}) {
    for (const char* method : {"linear", "ntk-aware", "dynamic", "ntk-by-parts", "ntk-by-parts-released", "yarn",
                               "diffusers-ntk", "proportional"}) {
      EXPECT_THAT(find_scaling_error(make_scaled_spec(method, {{"factor", factor}})),
                  AllOf(HasSubstr(method), HasSubstr("factor is "), HasSubstr("from 1 to")))
          << factor;
    }
  }
  for (const double amplitude : {0.0, -1.0, kScalingNan}) {
    EXPECT_THAT(find_scaling_error(make_scaled_spec("yarn", {{"factor", 4}, {"attention_factor", amplitude}})),
                HasSubstr("attention_factor is "));
  }
}

TEST(ScalingErrors, NameLengthsAndLists) {
  const std::set<std::string> keys = {"method", "numbers", "dim", "trained_length", "lists"};
  expect_refusals("scaling", 13, [&](const json& given) {
    for (const auto& [name, value] : given.items()) EXPECT_TRUE(keys.contains(name)) << name;
    if (given.contains("trained_length")) EXPECT_TRUE(given["trained_length"].is_null()) << "it is left out";
    RotarySpec spec = make_scaled_spec(given["method"], given["numbers"], given.value("dim", 128));
    if (given.contains("trained_length")) spec.trained_length.reset();
    if (given.contains("lists")) given["lists"].get_to(spec.extension.lists);
    return find_scaling_error(spec);
  });
  for (const char* method : {"dynamic", "yarn", "ntk-by-parts", "ntk-by-parts-released"}) {
    EXPECT_THAT(find_scaling_error(make_scaled_spec(method, {{"factor", 4}}, 128, 10000, {})),
                Says("error.scaling.missing", {{"parameter", "trained_length"}}));
    for (const double length : {0.0, -5.0, kScalingNan}) {
      EXPECT_THAT(find_scaling_error(make_scaled_spec(method, {{"factor", 4}}, 128, 10000, length)),
                  HasSubstr("trained_length is "));
    }
  }
  EXPECT_REFUSED(scaled_ladder(make_scaled_spec("dynamic", {{"factor", 4}}), 0, 0),
                 Says("error.scaling.value", {{"parameter", "length"}, {"found", "0"}}));
  RotarySpec spec = longrope({1, 1, 1, 1}, {1, 1, 1, 1});
  spec.trained_length = 1;
  EXPECT_THAT(find_scaling_error(spec), Says("error.scaling.value", {{"parameter", "trained_length"}, {"found", "1"}}));
  spec = make_scaled_spec("linear", {{"factor", 2}});
  spec.extension.lists["short_factors"] = {1};
  EXPECT_THAT(find_scaling_error(spec), HasSubstr("linear has no list \"short_factors\""));
}

}  // namespace ropescope
