#include "check_differences.h"
#include "check_dump.h"

namespace ropescope {

namespace {

std::vector<std::string> also_of(const CheckReport& report) {
  return report.causes.empty() ? std::vector<std::string>{} : report.causes[0].also;
}

CheckReport check_frequencies(const CheckCase& one, const std::function<double(int, int, double)>& of) {
  Dump dump = true_dump(one.reference);
  const auto pairs = static_cast<int>(dump.pairs());
  for (int pair = 0; pair < pairs; ++pair) {
    double& frequency = dump.frequencies[0][static_cast<std::size_t>(pair)];
    frequency = of(pair, pairs, frequency);
  }
  return check(one.reference, tables_of(dump));
}

}  // namespace

TEST(CheckTies, ColumnMajorOnASquareIsAnExchange) {
  const CheckCase one = layout_case("flux.1", 6, 6);
  Dump dump = true_dump(one.reference);
  for (auto& ids : dump.ids) std::swap(ids[1], ids[2]);
  const CheckReport report = check(one.reference, tables_of(dump));
  EXPECT_EQ(names_of(report), "axes-swapped");
  EXPECT_THAT(also_of(report), Contains("order"));
}

TEST(CheckTies, AGeometricLadderIsNamedByWhatTheConfigAsksFor) {
  const auto ladder = [](double base) {
    return [base](int pair, int pairs, double) { return std::pow(base, -static_cast<double>(pair) / pairs); };
  };
  const CheckReport plain = check_frequencies(rope_case("ntk-aware"), ladder(10000));
  EXPECT_EQ(names_of(plain), "scaling-missing");
  EXPECT_THAT(also_of(plain), Contains("base"));
  EXPECT_EQ(names_of(check_frequencies(rope_case("dynamic"), ladder(10000))), "scaling-missing");
  EXPECT_EQ(names_of(check_frequencies(rope_case("ntk-aware"), ladder(123456))), "scaling-parameters");
  EXPECT_EQ(names_of(check_frequencies(rope_case("dynamic"), ladder(123456))), "length-switch");
  const CheckReport inclusive = check_frequencies(rope_case("plain"), ladder(std::pow(10000, 128.0 / 126)));
  EXPECT_EQ(names_of(inclusive), "frequency-ladder");
  EXPECT_THAT(also_of(inclusive), Contains("base"));
  const CheckReport head = check_frequencies(rope_case("partial"), ladder(std::pow(10000, 32.0 / 80)));
  EXPECT_EQ(names_of(head), "rotary-dimension");
  EXPECT_THAT(also_of(head), Contains("base"));
  EXPECT_EQ(names_of(check_frequencies(rope_case("plain"), ladder(123456))), "base");
  // By the factor of the config it is NTK, where another method is asked for.
  for (const double base : {10000 * std::pow(4, 128.0 / 126), 40000.0}) {
    const CheckReport ntk = check_frequencies(rope_case("linear"), ladder(base));
    EXPECT_TRUE(finds(ntk, "scaling-kind", {{"factor", 4}}));
    EXPECT_THAT(also_of(ntk), Contains("base"));
  }
  const CheckReport other = check_frequencies(rope_case("linear"), ladder(123456));
  EXPECT_EQ(names_of(other), "base");
  EXPECT_THAT(said(other.causes[0].advice), Says("check.scaling-missing.advice", {{"method", "linear"}}));
}

TEST(CheckTies, AnotherBaseMayBeAnotherExponent) {
  const auto power = [](double times) {
    return [times](int pair, int pairs, double) { return std::pow(10000, -times * pair / pairs); };
  };
  const CheckReport half = check_frequencies(rope_case("plain"), power(0.5));
  EXPECT_TRUE(finds(half, "base", {{"base", 100}}));
  EXPECT_THAT(said(half.causes[0].evidence), Says("check.base.evidence_half"));
  EXPECT_THAT(said(half.causes[0].advice), Says("check.base.advice_exponent"));
  const CheckReport twice = check_frequencies(rope_case("plain"), power(2));
  EXPECT_EQ(number_of(twice, "base"), 1e8);
  EXPECT_THAT(said(twice.causes[0].evidence), Says("check.base.evidence_twice"));
  EXPECT_THAT(said(check_frequencies(rope_case("plain"), power(0.75)).causes[0].advice),
              Not(Says("check.base.advice_exponent")));
}

TEST(CheckTies, AFactorIsNamedByWhatTheConfigAsksFor) {
  const auto times = [](double factor) { return [factor](int, int, double old) { return factor * old; }; };
  EXPECT_EQ(names_of(check_frequencies(rope_case("linear"), times(4))), "scaling-missing");
  EXPECT_EQ(names_of(check_frequencies(rope_case("linear"), times(2))), "scaling-parameters");
  const CheckReport rung = check_frequencies(rope_case("plain"), times(std::pow(10000, -2.0 / 128)));
  EXPECT_EQ(names_of(rung), "frequency-ladder");
  EXPECT_THAT(also_of(rung), Contains("position-scale"));
  const CheckReport backwards = check_frequencies(rope_case("plain"), times(-1));
  EXPECT_EQ(names_of(backwards), "sign");
  EXPECT_EQ(backwards.verdict, Verdict::disagrees);
  EXPECT_EQ(names_of(check_frequencies(rope_case("plain"), times(0.8))), "position-scale");
}

TEST(CheckTies, ShiftsAreNamedByWhatTheyShift) {
  const CheckCase one = layout_case("qwen-image");
  const auto shifted = [&](const std::string& part, const std::vector<double>& by) {
    Dump dump = true_dump(one.reference);
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      if (!part.empty() && dump.parts[row] != part) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) dump.ids[row][axis] += by[axis];
    }
    return check(one.reference, tables_of(dump));
  };
  const CheckReport centred = shifted("image", {0, 1, 0});
  EXPECT_EQ(names_of(centred), "centring");
  EXPECT_THAT(also_of(centred), Contains("position-offset"));
  // Half an id is a middle of even sides only.
  EXPECT_EQ(names_of(shifted("image", {0, 0.5, -0.5})), "position-offset");
  // A layout that starts at 0 has no other centring.
  const CheckCase even = layout_case("flux.1", 4, 6);
  Dump halves = true_dump(even.reference);
  for (std::size_t row = 9; row < halves.rows(); ++row) halves.ids[row][1] -= 1.5, halves.ids[row][2] -= 2.5;
  EXPECT_EQ(names_of(check(even.reference, tables_of(halves))), "position-offset");
  EXPECT_EQ(names_of(shifted("image", {1, 1, 0})), "position-offset");
  EXPECT_EQ(names_of(shifted("image", {0, 7, 0})), "position-offset");
  EXPECT_TRUE(finds(shifted("text", {2, 2, 2}), "text-start", {{"start", 5}}));
  EXPECT_EQ(list_of(shifted("reference1", {3, 0, 0}), "indices"), std::vector<double>{4});
  EXPECT_EQ(list_of(shifted("", {0, 4, 4}), "offset"), (std::vector<double>{0, 4, 4}));
}

TEST(CheckTies, AGridFromZeroWithItsTextAfterItIsCentringFirst) {
  const CheckCase one = layout_case("qwen-image");
  Dump dump = true_dump(one.reference);
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    // 5 × 7 tokens: the grid from 0, the text from max(h, w) on in place of max(h // 2, w // 2); a reference of 3 × 4.
    const std::string& part = dump.parts[row];
    const std::vector<double> by = part == "text"    ? std::vector<double>{4, 4, 4}
                                   : part == "image" ? std::vector<double>{0, 3, 4}
                                                     : std::vector<double>{0, 2, 2};
    for (std::size_t axis = 0; axis < 3; ++axis) dump.ids[row][axis] += by[axis];
  }
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    const CheckReport report = check(one.reference, tables_of(dump, storage));
    ASSERT_TRUE(finds(report, "centring + text-start", {{"offset", std::vector<double>{0, 3, 4}}}))
        << storage_name(storage);
    EXPECT_EQ(std::get<double>(report.causes[1].parameters[0].value), 7);
    EXPECT_THAT(said(report.causes[1].evidence), Says("check.text-start.evidence", {{"due", "3"}}));
    for (const CheckCause& cause : report.causes) EXPECT_THAT(cause.also, Contains("position-offset"));
    const auto rows = static_cast<std::int64_t>(dump.rows());
    const CheckInputs inputs = tables_of(dump, storage);
    const CheckDifferences left = check_differences(one.reference, inputs, report.explained.get(), 0, rows);
    for (std::size_t i = 0; i < left.values.size(); ++i) EXPECT_LE(left.values[i], left.tolerance[i]);
  }
}

}  // namespace ropescope
