#include "core/precision/precision.h"

#include "core/rotary/spec.h"
#include "tests/said.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

/// A policy's counterpart in the reference, and how near it is met.
struct Counterpart {
  const char* policy;
  const char* reference;
  double absolute = 0, relative = 0, factor = 1;
};

constexpr Counterpart kCounterparts[] = {
    {"float32", "a0_float32_inv_freq_correctly_rounded", 2e-7},
    {"float32-frequencies", "a2_inv_freq_float32_rest_float64", 0, 0, 3},  // torch's own frequencies are a few ulp off
    {"bfloat16-inputs", "b1_bfloat16_inputs_float32_product", 0, 1e-3},
    {"bfloat16-product", "b2_bfloat16_product", 0, 1e-3},
    {"bfloat16-everything", "b3_bfloat16_everything", 0, 1e-3},
    {"bfloat16-tables", "c64_bfloat16_tables", 0, 1e-3},
    {"float16-inputs", "b1_float16_inputs_float32_product", 0, 1e-3},
    {"float16-product", "b2_float16_product", 0, 1e-3},
    {"float16-everything", "b3_float16_everything", 0, 1e-3},
    {"float16-tables", "c64_float16_tables", 0, 1e-3},
    {"flux-bfloat16-ids", "flux_rope_bfloat16_ids", 0, 1e-3},
};

struct PrecisionCase {
  Counterpart counterpart;
  std::string file;
};

class PrecisionReference : public testing::TestWithParam<PrecisionCase> {};

void expect_near(double found, const json& expected, const Counterpart& how, const std::string& where) {
  if (expected.is_string()) {
    EXPECT_EQ(expected, "nan") << where;
    EXPECT_TRUE(std::isnan(found)) << where << ": " << found;
    return;
  }
  const double value = expected.get<double>();
  if (how.factor > 1) {
    EXPECT_LT(found, how.factor * value) << where;
    EXPECT_GT(found, value / how.factor) << where;
  } else {
    EXPECT_NEAR(found, value, how.absolute + how.relative * value) << where;
  }
}

TEST_P(PrecisionReference, ErrorsAreMet) {
  const Counterpart& how = GetParam().counterpart;
  const json data = read_reference("precision/" + GetParam().file);
  const PrecisionPolicy& policy = find_precision_policy(how.policy);
  int compared = 0;
  for (const json& example : data["cases"]) {
    const json& expected = example["policies"][how.reference];
    const Eigen::VectorXd frequencies =
        plain_frequencies(example["config"]["d"].get<int>(), example["config"]["theta"].get<double>());
    for (std::size_t i = 0; i < example["positions"].size(); ++i) {
      const double position = example["positions"][i].get<double>();
      const std::string where = example["config"].dump() + " at " + example["positions"][i].dump();
      const PrecisionError error = precision_error(policy, frequencies, position);
      expect_near(error.max_abs, expected["max_abs_cos_err"][i], how, where + " max");
      expect_near(error.rms, expected["rms_rotation_err"][i], how, where + " rms");
      ++compared;
    }
  }
  EXPECT_EQ(compared, 28);
}

std::vector<PrecisionCase> every_case() {
  std::vector<PrecisionCase> cases;
  for (const Counterpart& counterpart : kCounterparts) {
    for (const char* file : {"d128.json", "d64_d256.json"}) cases.push_back({counterpart, file});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Policies, PrecisionReference, testing::ValuesIn(every_case()), [](const auto& entry) {
  std::string name = std::string(entry.param.counterpart.policy) + "_" + entry.param.file;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(Precision, PoliciesHaveTheNamesOfTheCommandLine) {
  std::vector<std::string> names;
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    names.emplace_back(policy.name);
    EXPECT_FALSE(said(Message("precision_policy." + std::string(policy.name))).empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "float32", "float32-frequencies", "float32-ggml-cpu", "float32-ggml-gpu", "bfloat16-inputs",
                       "bfloat16-product", "bfloat16-everything", "bfloat16-tables", "bfloat16-frequencies",
                       "bfloat16-rotation", "float16-inputs", "float16-product", "float16-everything", "float16-tables",
                       "float16-frequencies", "float16-rotation", "flux-bfloat16-ids"}));
  EXPECT_REFUSED(find_precision_policy("bf16"), AllOf(HasSubstr("\"bf16\""), HasSubstr("bfloat16-inputs")));
}

/// What ggml's two ways give, computed in NumPy's float32 step by step.
TEST(Precision, GgmlErrsAsItsOwnStepsDo) {
  const json rows = read_reference("precision/ggml.json")["rows"];
  ASSERT_EQ(rows.size(), 12u);
  for (const json& one : rows) {
    const PrecisionError error =
        precision_error(find_precision_policy(one["policy"].get<std::string>()),
                        plain_frequencies(128, one["base"].get<double>()), one["position"].get<double>());
    // cos and sin of NumPy are off by up to a unit in the last place of float32.
    const double largest = one["max"], rms = one["rms"];
    EXPECT_NEAR(error.max_abs, largest, 6e-8 + 1e-4 * largest) << one;
    EXPECT_NEAR(error.rms, rms, 6e-8 + 1e-4 * rms) << one;
  }
}

/// Released code in Python rounds each frequency once; a chain of products errs by more from pair to pair.
TEST(Precision, GgmlErrsByMoreThanOneRoundedFrequency) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  for (const char* name : {"float32-ggml-cpu", "float32-ggml-gpu"}) {
    EXPECT_GT(precision_error(find_precision_policy(name), frequencies, 131071).max_abs,
              2 * precision_error(find_precision_policy("float32"), frequencies, 131071).max_abs)
        << name;
  }
}

/// An axis begins at its position again, a pair that stands still stays, and a factor is applied once.
TEST(Precision, GgmlBeginsEachAxisAnew) {
  Eigen::VectorXd two(8), still(4), halved(4);
  two << plain_frequencies(8, 10000), plain_frequencies(8, 10000);
  still << 1, 0.1, 0, 0;
  halved << plain_frequencies(8, 10000) / 2;
  for (const char* name : {"float32-ggml-cpu", "float32-ggml-gpu"}) {
    const PrecisionPolicy& policy = find_precision_policy(name);
    Eigen::VectorXd cosine, sine, once, once_sine;
    policy.table(two, 4095, cosine, sine);
    policy.table(plain_frequencies(8, 10000), 4095, once, once_sine);
    EXPECT_EQ(cosine.head(4), once) << name;
    EXPECT_EQ(cosine.tail(4), once) << name;
    policy.table(still, 4095, cosine, sine);
    EXPECT_EQ(cosine.tail(2), Eigen::VectorXd::Ones(2)) << name;
    EXPECT_EQ(sine.tail(2), Eigen::VectorXd::Zero(2)) << name;
    policy.table(halved, 8190, cosine, sine);
    EXPECT_EQ(cosine, once) << name;
  }
}

TEST(Precision, PositionZeroIsExact) {
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    if (policy.rotation) continue;
    const PrecisionError error = precision_error(policy, plain_frequencies(64, 10000), 0);
    EXPECT_EQ(error.max_abs, 0) << policy.name;
    EXPECT_EQ(error.rms, 0) << policy.name;
    EXPECT_EQ(error.score, 0) << policy.name;
  }
}

TEST(Precision, FirstRepeatedPositionByTrying) {
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    const double found = first_repeated_position(policy);
    if (!policy.position) {
      EXPECT_EQ(found, std::numeric_limits<double>::infinity()) << policy.name;
      continue;
    }
    double tried = 0;
    while (policy.position(tried) != policy.position(tried + 1)) ++tried;
    EXPECT_EQ(found, tried) << policy.name;
  }
  EXPECT_EQ(first_repeated_position(find_precision_policy("bfloat16-inputs")), 256);
  EXPECT_EQ(first_repeated_position(find_precision_policy("float16-product")), 2048);
  EXPECT_EQ(first_repeated_position(find_precision_policy("float32")), 16777216);
  EXPECT_EQ(first_repeated_position(find_precision_policy("flux-bfloat16-ids")), 256);
  EXPECT_TRUE(std::isinf(first_repeated_position(find_precision_policy("bfloat16-tables"))));
}

TEST(Precision, FirstOverflowingPosition) {
  const PrecisionPolicy& policy = find_precision_policy("float16-inputs");
  EXPECT_EQ(first_overflowing_position(policy), 65520);
  EXPECT_FALSE(std::isnan(precision_error(policy, plain_frequencies(8, 100), 65519).max_abs));
  EXPECT_TRUE(std::isnan(precision_error(policy, plain_frequencies(8, 100), 65520).max_abs));
  for (const char* name : {"float32", "bfloat16-inputs", "float16-tables", "flux-bfloat16-ids"}) {
    EXPECT_TRUE(std::isinf(first_overflowing_position(find_precision_policy(name)))) << name;
  }
}

TEST(Precision, EqualPositionsHaveEqualTables) {
  const Eigen::VectorXd frequencies = plain_frequencies(32, 10000);
  const PrecisionPolicy& policy = find_precision_policy("bfloat16-inputs");
  Eigen::VectorXd cosine, sine, next_cosine, next_sine;
  policy.table(frequencies, 256, cosine, sine);
  policy.table(frequencies, 257, next_cosine, next_sine);
  EXPECT_EQ(cosine, next_cosine);
  EXPECT_EQ(sine, next_sine);
  policy.table(frequencies, 258, next_cosine, next_sine);
  EXPECT_NE(cosine, next_cosine);
}

// Two pairs by hand: θ = 1 and θ = 1/3, which bfloat16 stores as 171·2⁻⁹.
TEST(Precision, OnlyTheFrequencyIsRounded) {
  const Eigen::VectorXd frequencies = Eigen::Vector2d(1, 1.0 / 3);
  const PrecisionError error = precision_error(find_precision_policy("bfloat16-frequencies"), frequencies, 1000);
  const double expected = std::abs(std::cos(1000 * 171.0 / 512) - std::cos(1000.0 / 3));
  EXPECT_NEAR(error.max_abs, expected, 1e-12);
  EXPECT_NEAR(error.score, expected / 2, 1e-12);
}

// The rotated unit vector (1, 1)/√2: each component is off by at most half a step of each product and of the sum.
TEST(Precision, TheRotatedVectorIsOffByAFewHalfSteps) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  const std::map<std::string, double> half_steps = {{"bfloat16-rotation", std::ldexp(1, -9)},
                                                    {"float16-rotation", std::ldexp(1, -12)}};
  for (const auto& [name, half_step] : half_steps) {
    double largest = 0;
    for (const double position : {0.0, 1.0, 1000.0, 1e6}) {
      const PrecisionError error = precision_error(find_precision_policy(name), frequencies, position);
      largest = std::max(largest, error.max_abs);
      EXPECT_LE(error.max_abs, 3 * half_step) << name << " at " << position;
      EXPECT_LE(error.rms, std::sqrt(2) * error.max_abs);
    }
    EXPECT_GT(largest, 0.7 * half_step) << name;
  }
}

TEST(Precision, RotationIsRoundedStepByStep) {
  const PrecisionPolicy& policy = find_precision_policy("bfloat16-rotation");
  const Eigen::VectorXd frequencies = Eigen::VectorXd::Constant(1, 0.5);
  const double x = round_to_bfloat16(std::sqrt(0.5));
  const auto step = round_to_bfloat16;
  const double c = step(x * std::cos(3.5)), s = step(x * std::sin(3.5));
  const double first = step(c - s) - x * (std::cos(3.5) - std::sin(3.5));
  const double second = step(c + s) - x * (std::cos(3.5) + std::sin(3.5));
  const PrecisionError error = precision_error(policy, frequencies, 7);
  // Not bit for bit: this file may be compiled with contracted products, core/precision is not.
  EXPECT_NEAR(error.max_abs, std::max(std::abs(first), std::abs(second)), 1e-15);
  EXPECT_NEAR(error.rms, std::hypot(first, second), 1e-15);
}

TEST(Precision, TheScoreDependsOnTheDistanceAloneOnlyWherePositionsHaveAPlace) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  const auto change = [&](const char* name, double shift) {
    const PrecisionPolicy& policy = find_precision_policy(name);
    return std::abs(policy_score(policy, frequencies, 64 + shift, shift) - policy_score(policy, frequencies, 64, 0));
  };
  EXPECT_LT(change("float32", 1000), 1e-5);
  EXPECT_GT(change("bfloat16-inputs", 1003), 1e-3);
  EXPECT_LT(change("bfloat16-tables", 1'000'001), 1e-2);
  EXPECT_TRUE(std::isnan(change("float16-inputs", 70000)));
}

TEST(Precision, ScoreOfExactPositionsIsTheKernel) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  double kernel = 0;
  for (const double frequency : frequencies) kernel += std::cos(100 * frequency) / 64;
  EXPECT_NEAR(policy_score(find_precision_policy("float32"), frequencies, 350, 250), kernel, 1e-5);
  EXPECT_NEAR(policy_score(find_precision_policy("float16-rotation"), frequencies, 350, 250), kernel, 1e-3);
}

TEST(Precision, OverflowOfAnyPairIsSeen) {
  const Eigen::VectorXd frequencies = Eigen::Vector3d(0.5, 2, 0.25);  // 40 000·2 has no place in float16
  EXPECT_TRUE(std::isnan(precision_error(find_precision_policy("float16-product"), frequencies, 40000).max_abs));
  EXPECT_FALSE(std::isnan(precision_error(find_precision_policy("float16-inputs"), frequencies, 40000).max_abs));
}

TEST(Precision, StillPairsStayStill) {
  const Eigen::VectorXd frequencies = Eigen::Vector3d(1, 0.5, 0);
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    Eigen::VectorXd cosine, sine;
    policy.table(frequencies, 1000, cosine, sine);
    EXPECT_EQ(cosine[2], 1) << policy.name;
    EXPECT_EQ(sine[2], 0) << policy.name;
  }
}

}  // namespace
}  // namespace ropescope
