#include "check_differences.h"
#include "check_dump.h"

namespace ropescope {

namespace {

float largest(const CheckDifferences& differences) {
  return *std::max_element(differences.values.begin(), differences.values.end());
}

}  // namespace

TEST(CheckDifferences, VanishWhenTheCauseIsApplied) {
  const CheckCase one = layout_case("flux.1");
  Dump dump = true_dump(one.reference);
  for (auto& ids : dump.ids) std::swap(ids[1], ids[2]);
  for (const TableForm form : {TableForm::once, TableForm::repeated}) {
    const CheckInputs inputs = tables_of(dump, Storage::float32, form);
    const CheckReport report = check(one.reference, inputs);
    ASSERT_EQ(names_of(report), "axes-swapped");
    const auto rows = static_cast<std::int64_t>(dump.rows());
    const CheckDifferences before = check_differences(one.reference, inputs, nullptr, 0, rows);
    const CheckDifferences after = check_differences(one.reference, inputs, report.causes[0].applied.get(), 0, rows);
    EXPECT_EQ(before.rows, rows);
    EXPECT_EQ(before.columns, 64);
    const double of_inputs = std::max(report.inputs[0].largest_difference, report.inputs[1].largest_difference);
    EXPECT_FLOAT_EQ(largest(before), static_cast<float>(of_inputs));
    EXPECT_LE(report.causes[0].residual_before, of_inputs);
    EXPECT_LT(largest(after), 1e-6F);
    EXPECT_EQ(check_differences(one.reference, inputs, nullptr, rows - 2, 10).rows, 2);
  }
}

TEST(CheckDifferences, OfVectorsAndIdsToo) {
  const CheckCase one = rope_case("plain");
  Dump dump = true_dump(one.reference);
  for (auto& ids : dump.ids) ids[0] += 3;
  CheckInputs vectors = vectors_in(dump);
  CheckInputs ids = ids_in(dump);
  for (const CheckInputs& inputs : {vectors, ids}) {
    const CheckReport report = check(one.reference, inputs);
    ASSERT_EQ(names_of(report), "position-offset");
    EXPECT_EQ(list_of(report, "offset"), std::vector<double>{3});
    EXPECT_GT(largest(check_differences(one.reference, inputs, nullptr, 0, 64)), 0.5F);
    EXPECT_LT(largest(check_differences(one.reference, inputs, report.explained.get(), 0, 64)), 1e-5F);
  }
}

TEST(CheckDifferences, AWrongFrequencyGrowsWithThePosition) {
  const CheckCase one = rope_case("plain");
  Dump dump = true_dump(one.reference);
  for (double& frequency : dump.frequencies[0]) frequency *= 1.0001;
  const CheckInputs tables = tables_of(dump);
  EXPECT_LT(3 * largest(check_differences(one.reference, tables, nullptr, 0, 8)),
            largest(check_differences(one.reference, tables, nullptr, 56, 8)));
}

TEST(CheckDifferences, TwoDumpsWithoutAModel) {
  RotarySpec spec;
  const CheckReference truth = reference_from_rope(spec, {}, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  Dump dump = true_dump(truth);
  const CheckInputs right = tables_of(dump, Storage::float32, TableForm::repeated);
  const CheckReference reference = reference_from_tables(*right.cosine, *right.sine);
  EXPECT_EQ(names_of(check(reference, right)), "agrees");
  EXPECT_EQ(names_of(check(reference, tables_of(dump, Storage::bfloat16))), "agrees");
  Dump shifted = dump;
  for (auto& ids : shifted.ids) ids[0] += 1;
  EXPECT_EQ(names_of(check(reference, tables_of(shifted))), "position-offset");
  // Tables of no line of positions are compared as they are.
  const Dump image = true_dump(layout_case("flux.1").reference);
  const CheckInputs of_image = tables_of(image);
  const CheckReference images = reference_from_tables(*of_image.cosine, *of_image.sine);
  EXPECT_EQ(names_of(check(images, of_image)), "agrees");
  // Nothing is known of their positions; of a line of positions there is.
  EXPECT_TRUE(check(images, of_image).reach.empty());
  EXPECT_EQ(check(reference, right).reach.size(), 1U);
  EXPECT_EQ(names_of(check(images, tables_of(image, Storage::bfloat16))), "agrees");
  Dump backwards = image;
  backwards.conjugate = true;
  const CheckReport turned = check(images, tables_of(backwards));
  EXPECT_EQ(names_of(turned), "sign");
  EXPECT_EQ(turned.verdict, Verdict::disagrees);
  CheckReference own = images;
  own.allowed = {"sign"};
  EXPECT_EQ(check(own, tables_of(backwards)).verdict, Verdict::agrees);
  Dump other = image;
  other.frequencies[1][30] *= 3;
  EXPECT_EQ(names_of(check(images, tables_of(other))), "unknown");
}

}  // namespace ropescope
