#include "check_dump.h"

namespace ropescope {

namespace {

std::vector<CheckCase> some_cases() {
  return {rope_case("plain"), rope_case("yarn"), rope_case("partial"), layout_case("flux.1"), layout_case("vit-mixed")};
}

/// cos, or sin, of another dump.
CheckInputs with_one_of(const Dump& dump, const Dump& other, bool cosines, Storage storage) {
  CheckInputs inputs = tables_of(dump, storage);
  const CheckInputs others = tables_of(other, storage);
  (cosines ? inputs.cosine : inputs.sine) = cosines ? others.cosine : others.sine;
  return inputs;
}

}  // namespace

TEST(CheckAmplitude, OfOneOfTheTwoAlone) {
  for (const CheckCase& one : some_cases()) {
    const Dump truth = true_dump(one.reference);
    for (const double times : {1.1, 0.5, -1.0, 1.2079441541679836}) {
      for (const bool cosines : {true, false}) {
        if (times == -1 && !cosines) continue;  // that is the cause "sign"
        for (const Storage storage : {Storage::float64, Storage::float32, Storage::bfloat16}) {
          SCOPED_TRACE(one.name + (cosines ? " cos " : " sin ") + std::to_string(times) + " " +
                       std::string(storage_name(storage)));
          Dump other = truth;
          other.amplitude *= times;
          const CheckReport report = check(one.reference, with_one_of(truth, other, cosines, storage));
          ASSERT_EQ(names_of(report), "amplitude") << said(report.causes[0].evidence);
          EXPECT_EQ(text_of(report, "of"), cosines ? "cos" : "sin");
          EXPECT_NEAR(number_of(report, "amplitude"), other.amplitude, 2e-3);
          EXPECT_THAT(said(report.causes[0].evidence),
                      Says("check.amplitude.evidence_alone",
                           {{"one", cosines ? "cos" : "sin"}, {"other", cosines ? "sin" : "cos"}}));
          EXPECT_EQ(report.verdict, Verdict::disagrees);
          EXPECT_EQ(report.causes[0].input, cosines ? "cos" : "sin");
        }
      }
    }
  }
}

TEST(CheckAmplitude, MissingOnOneOfTheTwo) {
  const CheckCase one = rope_case("yarn");
  const Dump truth = true_dump(one.reference);
  Dump plain = truth;
  plain.amplitude = 1;
  for (const bool cosines : {true, false}) {
    const CheckReport report = check(one.reference, with_one_of(truth, plain, cosines, Storage::float32));
    EXPECT_TRUE(finds(report, "amplitude", {{"amplitude", 1}}));
    EXPECT_EQ(text_of(report, "of"), cosines ? "cos" : "sin");
  }
}

TEST(CheckAmplitude, OfOneAloneBesideAnotherCause) {
  const CheckCase one = rope_case("plain");
  CheckReference other = rope_case("plain").reference;
  other.rope->axes[0].base = 500000;
  const Dump rebased = true_dump(reference_from_rope(*other.rope, {}, other.positions));
  for (const bool cosines : {true, false}) {
    Dump larger = rebased;
    larger.amplitude = 1.3;
    const CheckReport report = check(one.reference, with_one_of(rebased, larger, cosines, Storage::float32));
    EXPECT_THAT(names_of(report), AnyOf("base + amplitude", "amplitude + base"));
  }
}

TEST(CheckAmplitude, OfOneAloneInVectors) {
  const CheckCase one = rope_case("plain");
  Dump dump = true_dump(one.reference);
  CheckInputs inputs = vectors_in(dump);
  std::vector<double> before(static_cast<std::size_t>(inputs.before->count())), after(before.size());
  read_rows(*inputs.before, 0, inputs.before->shape[0], before.data());
  read_rows(*inputs.after, 0, inputs.after->shape[0], after.data());
  // x cos - y sin, with half of the cosines' part taken away.
  const std::size_t pairs = dump.pairs(), channels = 2 * pairs, heads = 2;
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] -= 0.5 * before[i] * std::cos(dump.angle(i / (heads * channels), i % pairs));
  }
  inputs.after = store_values("q_after.npy", inputs.after->shape, after, Storage::float32);
  EXPECT_TRUE(finds(check(one.reference, inputs), "amplitude", {{"amplitude", 0.5}, {"of", "cos"}}));
}

}  // namespace ropescope
