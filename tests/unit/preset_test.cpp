#include "app/resources/models.h"
#include "core/formats/config.h"
#include "core/rotary/spec.h"
#include "tests/said.h"
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
  RotarySpec expected;
  expected.head_dim = 64;
  expected.pairing = Pairing::interleaved;
  expected.axes = {{"t", 16, 100, Ladder::plain, 1, 1}, {"row", 16, 50.5, Ladder::proportional, 0.5, 2}};
  expected.trained_length = 100;
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

struct BadPreset {
  const char* what;
  std::string text;
  std::vector<testing::Matcher<const std::string&>> says;
};

std::string with_profile(const std::string& profile) {
  return R"({"name": "N", "source": "S", "profiles": [)" + profile + "]}";
}

std::string with_axis(const std::string& axis) {
  return with_profile(R"({"name": "text", "head_dim": 64, "pairing": "half", "axes": [)" + axis + "]}");
}

TEST(Presets, ALineBreakOfAFileStandsInNoLog) {
  const std::string axis =
      R"({"name": "a\nb", "rotary_dim": 56, "base": 10000, "ladder": "proportional", "live_fraction": 5.25})";
  try {
    parse_preset(with_axis(axis), "p.json");
    FAIL() << "no such part can turn";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

TEST(Presets, NameWhatIsWrong) {
  const std::string axis = R"({"name": "position", "rotary_dim": 64, "base": 10000})";
  const std::vector<BadPreset> cases = {
      {"unknown key",
       R"({"name": "N", "source": "S", "colour": 1, "profiles": []})",
       {Says("error.preset.unknown_key", {{"key", "\"colour\""}})}},
      {"no name", R"({"source": "S", "profiles": []})", {HasSubstr("name is missing")}},
      {"name is a number",
       R"({"name": 3, "source": "S", "profiles": []})",
       {HasSubstr("name is 3"), Says("expected.text")}},
      {"no profiles",
       R"({"name": "N", "source": "S", "profiles": []})",
       {HasSubstr("profiles is " + said(Message("found.list", {{"count", 0}})))}},
      {"profile is a text",
       with_profile("\"x\""),
       {HasSubstr("profiles[0] is " + said(Message("found.text", {{"text", "\"x\""}}))), Says("expected.object")}},
      {"unknown key of a profile",
       with_profile(R"({"name": "t", "heads": 3})"),
       {Says("error.preset.unknown_key_in", {{"key", "\"heads\""}, {"path", "profiles[0]"}}), HasSubstr("head_dim")}},
      {"pairing",
       with_profile(R"({"name": "t", "head_dim": 64, "pairing": "both", "axes": []})"),
       {HasSubstr("pairing"), HasSubstr("\"both\"")}},
      {"no base",
       with_axis(R"({"name": "position", "rotary_dim": 64})"),
       {HasSubstr("profiles[0].axes[0].base is missing")}},
      {"odd", with_axis(R"({"name": "position", "rotary_dim": 63, "base": 10000})"), {HasSubstr("63")}},
      {"too wide", with_axis(R"({"name": "position", "rotary_dim": 128, "base": 10000})"), {HasSubstr("128")}},
      {"base 1", with_axis(R"({"name": "position", "rotary_dim": 64, "base": 1})"), {HasSubstr("base")}},
      {"base as text",
       with_axis(R"({"name": "position", "rotary_dim": 64, "base": "10000"})"),
       {HasSubstr("base"), HasSubstr("\"10000\"")}},
      {"ladder",
       with_axis(R"({"name": "p", "rotary_dim": 64, "base": 10, "ladder": "steep"})"),
       {HasSubstr("ladder"), HasSubstr("\"steep\"")}},
      {"fraction of a plain ladder",
       with_axis(R"({"name": "p", "rotary_dim": 64, "base": 10, "live_fraction": 0.5})"),
       {HasSubstr("live_fraction"), HasSubstr("proportional")}},
      {"extension without method",
       with_profile(R"({"name": "t", "head_dim": 64, "pairing": "half", "extension": {}, "axes": [)" + axis + "]}"),
       {HasSubstr("extension.method is missing")}},
      {"unknown method",
       with_profile(R"({"name": "t", "head_dim": 64, "pairing": "half", "extension": {"method": "yran"}, "axes": [)" +
                    axis + "]}"),
       {HasSubstr("profiles[0].extension: "), Says("error.scaling.unknown", {{"name", "yran"}}), HasSubstr("yarn")}},
      {"factor below 1",
       with_profile(R"({"name": "t", "head_dim": 64, "pairing": "half", "extension": {"method": "linear",
                       "numbers": {"factor": 0.5}}, "axes": [)" +
                    axis + "]}"),
       {HasSubstr("linear: factor is 0.5")}},
      {"notes",
       with_profile(R"({"name": "t", "head_dim": 64, "pairing": "half", "notes": [1], "axes": [)" + axis + "]}"),
       {HasSubstr("notes")}},
      {"not JSON", "{", {Says("error.json.not_valid", {{"place", "line 1, column 2"}})}},
  };
  for (const BadPreset& bad : cases) {
    const std::string error = refusal_of([&] { parse_preset(bad.text, "mine"); });
    EXPECT_THAT(error, HasSubstr("preset mine: ")) << bad.what;
    for (const auto& part : bad.says) EXPECT_THAT(error, part) << bad.what;
  }
}

}  // namespace
}  // namespace ropescope
