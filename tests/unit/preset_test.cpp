#include "app/resources/models.h"
#include "core/formats/config.h"
#include "core/rotary/spec.h"
#include "says.h"
#include "tests/unit/format_files.h"

namespace ropescope {
namespace {

std::vector<std::string> preset_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : fs::directory_iterator(preset_folder())) {
    if (entry.path().extension() == ".json") ids.push_back(entry.path().stem().string());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Preset read_preset(const std::string& id) {
  return parse_preset(read_file(preset_folder() / (id + ".json")), id);
}

TEST(Presets, AllParse) {
  const auto ids = preset_ids();
  EXPECT_GE(ids.size(), 20u);
  for (const std::string& id : ids) {
    const Preset preset = read_preset(id);
    EXPECT_EQ(preset.id, id);
    EXPECT_FALSE(preset.name.empty());
    EXPECT_FALSE(preset.source.empty());
    for (const Profile& profile : preset.profiles) EXPECT_NO_THROW(validate(profile.spec)) << id;
  }
}

TEST(Presets, AgreeWithThePublishedConfigs) {
  int compared = 0;
  for (const std::string& id : preset_ids()) {
    // Wan's config is here in two spellings, neither of which has the bare name.
    const std::string file = id == "wan2.1-t2v-14b" ? "wan2.1-t2v-14b-diffusers" : id;
    const auto path = shared_configs() / (file + ".json");
    if (!fs::exists(path)) continue;
    const Preset preset = read_preset(id);
    const ModelConfig config = parse_model_config(read_file(path), file);
    ASSERT_EQ(preset.profiles.size(), config.profiles.size()) << id;
    for (std::size_t i = 0; i < preset.profiles.size(); ++i) {
      EXPECT_EQ(preset.profiles[i].name, config.profiles[i].name) << id;
      EXPECT_EQ(preset.profiles[i].spec, config.profiles[i].spec) << id << " " << preset.profiles[i].name;
      EXPECT_EQ(preset.profiles[i].context_length, config.profiles[i].context_length) << id;
    }
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << shared_configs() << " is not here";
  EXPECT_GE(compared, 25);
}

TEST(Presets, ReadEveryKeyOfTheSchema) {
  const Preset preset = parse_preset(R"({"name": "N", "source": "S", "profiles": [{
      "name": "text", "head_dim": 64, "pairing": "interleaved", "trained_length": 100, "notes": ["a", {"key": "window_of_layers", "positions": "128"}],
      "axes": [{"name": "t", "rotary_dim": 16, "base": 100},
               {"name": "row", "rotary_dim": 16, "base": 50.5, "ladder": "proportional", "live_fraction": 0.5, "factor": 2}],
      "extension": {"method": "longrope", "numbers": {"factor": 4}, "lists": {
      "short_factors": [1, 1, 1, 1, 1, 1, 1, 1], "long_factors": [1, 2, 3, 4, 5, 6, 7, 8]}}}]})",
                                     "id");
  ASSERT_EQ(preset.profiles.size(), 1u);
  RotarySpec expected{.head_dim = 64,
                      .pairing = Pairing::interleaved,
                      .axes = {{"t", 16, 100, Ladder::plain, 1, 1}, {"row", 16, 50.5, Ladder::proportional, 0.5, 2}},
                      .trained_length = 100};
  expected.extension = {"longrope",
                        {{"factor", 4}},
                        {{"short_factors", {1, 1, 1, 1, 1, 1, 1, 1}}, {"long_factors", {1, 2, 3, 4, 5, 6, 7, 8}}}};
  EXPECT_EQ(preset.profiles[0].spec, expected);
  EXPECT_THAT(said(preset.profiles[0].notes),
              ElementsAre("a", Says("config_note.window_of_layers", {{"positions", "128"}})));
}

// In every language: a text that is said as it is would be English.
TEST(Presets, HoldNotesAsKeys) {
  for (const Preset& preset : load_presets(source_folder() + "/assets")) {
    for (const Profile& profile : preset.profiles) {
      for (const Message& note : profile.notes) {
        EXPECT_FALSE(note.key.empty()) << preset.id << ": " << debug_text(note);
        EXPECT_EQ(said(note).find('{'), std::string::npos) << said(note);
      }
    }
  }
}

TEST(Presets, ALineBreakOfAFileStandsInNoLog) {
  const std::string text =
      R"({"name": "N", "source": "S", "profiles": [{"name": "text", "head_dim": 64, "pairing": "half",
      "axes": [{"name": "a\nb", "rotary_dim": 56, "base": 10000, "ladder": "proportional", "live_fraction": 5.25}]}]})";
  try {
    parse_preset(text, "p.json");
    FAIL() << "no such part can turn";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

TEST(Presets, NameWhatIsWrong) {
  expect_refusals("presets", 19, [](const std::string& text) {
    const std::string error = refusal_of([&] { parse_preset(text, "mine"); });
    EXPECT_THAT(error, HasSubstr("preset mine: "));
    return error;
  });
}

}  // namespace
}  // namespace ropescope
