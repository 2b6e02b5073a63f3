#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "check_dump.h"
#include "core/error.h"
#include "core/formats/config.h"
#include "core/formats/config_layout.h"

namespace ropescope {

namespace {

/// The ropes of a model, at the trained length and at twice that, on positions near and far.
void add_cases(const std::vector<Profile>& profiles, const std::string& model, std::vector<CheckCase>& cases) {
  std::vector<double> positions;
  for (int i = 0; i < 24; ++i) positions.push_back(i);
  positions.insert(positions.end(), {100, 1000, 4095, 30000});
  for (const Profile& profile : profiles) {
    const std::string name = model + " " + profile.name;
    cases.push_back({name, reference_from_rope(profile.spec, {}, positions)});
    if (!profile.spec.trained_length) continue;
    cases.push_back({name + " long", reference_from_rope(profile.spec, 2 * *profile.spec.trained_length, positions)});
  }
}

std::string content_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Every rope of every preset.
std::vector<CheckCase> model_cases() {
  std::vector<CheckCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ROPESCOPE_SOURCE_DIR) + "/assets/models")) {
    if (entry.path().extension() != ".json") continue;
    const Preset preset = parse_preset(content_of(entry.path()), entry.path().stem().string());
    add_cases(preset.profiles, preset.id, cases);
  }
  return cases;
}

/// Every rope and every image layout of the published configs beside the source.
std::vector<CheckCase> config_cases(const std::filesystem::path& folder) {
  std::vector<CheckCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "INDEX.json") continue;
    const std::string text = content_of(entry.path());
    // Files that are recognised and not supported are asserted by name in the tests of the configs.
    try {
      add_cases(parse_model_config(text, name).profiles, name, cases);
    } catch (const InputError&) {
    }
    try {
      if (auto found = find_layout_config(text, name)) {
        found->request.image = ImageSize::tokens(5, 7);
        cases.push_back({name + " layout", reference_from_layout(find_layout(found->layout), found->request)});
      }
    } catch (const InputError&) {
    }
  }
  return cases;
}

/// In every number format, as tables, frequencies, and q before and after.
void expect_agrees(const CheckCase& one, bool frequencies) {
  const Dump dump = true_dump(one.reference);
  for (const Storage storage : {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16}) {
    CheckInputs inputs = tables_of(dump, storage, TableForm::repeated);
    put_vectors(inputs, dump, storage);
    if (frequencies) put_frequencies(inputs, dump, storage);
    EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees") << one.name << " " << storage_name(storage);
  }
}

}  // namespace

TEST(CheckModels, EveryTrueTableAgrees) {
  const std::vector<CheckCase> cases = model_cases();
  EXPECT_GT(cases.size(), 10U);
  for (const CheckCase& one : cases) expect_agrees(one, true);
}

TEST(CheckModels, EveryTrueTableOfThePublishedConfigsAgrees) {
  const std::filesystem::path folder = std::filesystem::path(ROPESCOPE_SOURCE_DIR) / "../shared/configs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const std::vector<CheckCase> cases = config_cases(folder);
  EXPECT_GT(cases.size(), 80U);
  for (const CheckCase& one : cases) expect_agrees(one, one.reference.rope.has_value());
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
