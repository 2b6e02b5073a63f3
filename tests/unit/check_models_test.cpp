#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "check_dump.h"
#include "core/formats/config.h"

namespace ropescope {

namespace {

/// Every rope of every preset, at its trained length and at twice that, on positions near and far.
std::vector<CheckCase> model_cases() {
  std::vector<CheckCase> cases;
  std::vector<double> positions;
  for (int i = 0; i < 24; ++i) positions.push_back(i);
  positions.insert(positions.end(), {100, 1000, 4095, 30000});
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ROPESCOPE_SOURCE_DIR) + "/assets/models")) {
    if (entry.path().extension() != ".json") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const Preset preset = parse_preset(text.str(), entry.path().stem().string());
    for (const Profile& profile : preset.profiles) {
      const std::string name = preset.id + " " + profile.name;
      cases.push_back({name, reference_from_rope(profile.spec, {}, positions)});
      if (!profile.spec.trained_length) continue;
      cases.push_back({name + " long", reference_from_rope(profile.spec, 2 * *profile.spec.trained_length, positions)});
    }
  }
  return cases;
}

}  // namespace

TEST(CheckModels, EveryTrueTableAgrees) {
  const std::vector<CheckCase> cases = model_cases();
  EXPECT_GT(cases.size(), 10U);
  for (const CheckCase& one : cases) {
    const Dump dump = true_dump(one.reference);
    for (const Storage storage : {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16}) {
      CheckInputs inputs = tables_of(dump, storage, TableForm::repeated);
      put_vectors(inputs, dump, storage);
      put_frequencies(inputs, dump, storage);
      const CheckReport report = check(one.reference, inputs);
      EXPECT_EQ(names_of(report), "agrees") << one.name << " " << storage_name(storage);
    }
  }
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
