#include "check_configs.h"

namespace ropescope {

namespace {

/// In every number format, as tables, frequencies, and q before and after.
void expect_agree(const std::vector<CheckCase>& cases, const std::string& name) {
  Sample sample(name + " × formats");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CheckCase& one = cases[i];
    const Dump dump = true_dump(one.reference);
    const std::vector<Storage> formats = {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16};
    for (const Storage storage : sample.of(i, formats)) {
      CheckInputs inputs = tables_of(dump, storage, TableForm::repeated);
      put_vectors(inputs, dump, storage);
      if (one.reference.rope) put_frequencies(inputs, dump, storage);
      EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees") << one.name << " " << storage_name(storage);
    }
  }
}

}  // namespace

TEST(CheckModels, EveryTrueTableAgrees) {
  const std::vector<CheckCase> cases = model_cases();
  EXPECT_GT(cases.size(), 10U);
  expect_agree(cases, "true tables of the presets");
}

TEST(CheckModels, EveryTrueTableOfThePublishedConfigsAgrees) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const std::vector<CheckCase> cases = published_cases();
  EXPECT_GT(cases.size(), 80U);
  expect_agree(cases, "true tables of the published configs");
}

TEST(CheckModels, AShiftOfPositionsIsFoundInEveryModel) {
  for (const CheckCase& one : model_cases()) {
    Dump dump = true_dump(one.reference);
    for (auto& ids : dump.ids) {
      for (double& id : ids) id += 2;
    }
    const CheckReport report = check(one.reference, tables_of(dump));
    EXPECT_EQ(names_of(report), "position-offset") << one.name;
    EXPECT_EQ(list_of(report, "offset"), std::vector<double>(dump.axes(), 2)) << one.name;
  }
}

TEST(CheckModels, AMissingExtensionIsFoundInEveryModel) {
  for (const CheckCase& one : model_cases()) {
    RotarySpec plain = *one.reference.rope;
    if (plain.extension.method == "none" || plain.extension.method == "pixel") continue;
    plain.extension = Extension{};
    const Dump dump = true_dump(reference_from_rope(plain, {}, one.reference.positions));
    const Dump truth = true_dump(one.reference);
    if (dump.frequencies == truth.frequencies && dump.amplitude == truth.amplitude) continue;
    EXPECT_EQ(names_of(check(one.reference, tables_of(dump))), "scaling-missing") << one.name;
  }
}

}  // namespace ropescope
