#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/scaling/scaling.h"
#include "tests/unit/says.h"

namespace ropescope {
namespace {

fs::path families_folder() {
  return fs::path(source_folder()) / "tests/reference/families";
}

json read_table(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// The frequencies of all pairs, axis after axis, without an amplitude.
std::vector<double> frequencies_of(const RotarySpec& spec) {
  std::vector<double> all;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    const ScaledLadder ladder = scaled_ladder(spec, axis);
    all.insert(all.end(), ladder.frequencies.begin(), ladder.frequencies.end());
  }
  return all;
}

/// Reference values are the released code's, in float32: torch's power is up to 4e-7 off, twice in a blend.
constexpr double kFloat32 = 2e-6;

void expect_profile(const json& expected, const Profile& profile) {
  EXPECT_EQ(profile.name, expected["name"].get<std::string>());
  EXPECT_EQ(profile.spec.pairing == Pairing::interleaved ? "interleaved" : "half",
            expected["pairing"].get<std::string>());
  EXPECT_NEAR(head_ladder(profile.spec).amplitude / expected["amplitude"].get<double>(), 1, kFloat32);
  const std::vector<double> frequencies = frequencies_of(profile.spec);
  ASSERT_EQ(frequencies.size(), expected["pairs"].get<std::size_t>());
  EXPECT_EQ(total_rotary_dim(profile.spec), 2 * static_cast<int>(frequencies.size()));
  for (const auto& [index, value] : expected["frequencies"].items()) {
    const double found = frequencies[std::stoul(index)];
    EXPECT_NEAR(found, value.get<double>(), kFloat32 * std::abs(value.get<double>())) << "pair " << index;
  }
}

/// Whether a config opens as a layout of tokens although it has no plain ladder.
bool opens_as_layout(const std::string& text) {
  try {
    const auto layout = find_layout_config(text, "config.json");
    return layout && !layout->plain_ladders;
  } catch (const InputError&) {
    return false;
  }
}

void expect_case_config_families(const std::string& how, const json& entry) {
  const std::string text = entry["config"].dump();
  EXPECT_EQ(opens_as_layout(text), how == "layout only") << text;
  if (how == "refused" || how == "layout only") {
    EXPECT_REFUSED(parse_model_config(text, "config.json"), says(entry["says"])) << text;
    return;
  }
  ModelConfig config;
  ASSERT_NO_THROW(config = parse_model_config(text, "config.json")) << text;
  ASSERT_EQ(config.profiles.size(), entry["profiles"].size()) << text;
  std::size_t notes = 0;
  for (std::size_t i = 0; i < config.profiles.size(); ++i) {
    SCOPED_TRACE(text.substr(0, 400));
    expect_profile(entry["profiles"][i], config.profiles[i]);
    notes += config.profiles[i].notes.size();
  }
  if (how == "exactly") {
    EXPECT_EQ(notes, 0u) << text;
  } else {
    EXPECT_THAT(said(config.profiles[entry.value("note_in", 0)].notes), Contains(says(entry["says"])));
  }
}

constexpr const char* kTables[] = {"transformers.json", "transformers_composite.json", "others.json", "diffusers.json"};

class FamiliesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FamiliesTest, AreReadAsTheTableSays) {
  const json table = read_table(families_folder() / GetParam());
  for (const json& family : table["families"]) {
    SCOPED_TRACE(family["family"].get<std::string>());
    for (const json& entry : family["cases"])
      expect_case_config_families(entry.value("how", family["how"].get<std::string>()), entry);
  }
}

INSTANTIATE_TEST_SUITE_P(Released, FamiliesTest, ::testing::ValuesIn(kTables), [](const auto& entry) {
  const std::string name = entry.param;
  return name.substr(0, name.find('.'));
});

/// The list for people is that of the tables.
TEST(Families, StandInTheListBesideThem) {
  std::ifstream file(families_folder() / "README.md");
  std::ostringstream text;
  text << file.rdbuf();
  std::set<std::string> seen;
  std::size_t rows = 0;
  for (const char* name : kTables) {
    const json table = read_table(families_folder() / name);
    for (const json& family : table["families"]) {
      const std::string row =
          "| `" + family["family"].get<std::string>() + "` | " + family["how"].get<std::string>() + " |\n";
      EXPECT_THAT(text.str(), HasSubstr(row));
      EXPECT_TRUE(seen.insert(name + row).second) << row;
      ++rows;
    }
  }
  EXPECT_GE(rows, 300u);
}

}  // namespace
}  // namespace ropescope
