#include "tests/command_line/program.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

using Frequencies = InWorkplace;

TEST_F(Frequencies, ReferenceValues) {
  const json data = read_reference("freqs/default.json");
  for (const json& example : data["cases"]) {
    const json& config = example["config"];
    Words arguments = {
        "frequencies", "--json", "--dim", config["head_dim"].dump(), "--base", config["rope_theta"].dump()};
    if (config.contains("partial_rotary_factor")) {
      arguments.insert(arguments.end(), {"--rotary-fraction", config["partial_rotary_factor"].dump()});
    }
    const json found = json::parse(place.good(arguments));
    EXPECT_EQ(found["head_dim"], config["head_dim"]);
    EXPECT_EQ(found["rotary_dim"].get<int>(), 2 * example["n_pairs"].get<int>());
    const json& expected = example["inv_freq_f64"];
    ASSERT_EQ(found["frequencies"].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double value = expected[i].get<double>();
      EXPECT_NEAR(found["frequencies"][i].get<double>(), value, 1e-15 * value) << example["id"];
    }
  }
}

TEST_F(Frequencies, ABaseGoesToBothHalvesOfAnAlternatingLadder) {
  place.write("m.json", R"({"model_type": "llava", "text_config": {"model_type": "mistral", "head_dim": 128},
      "vision_config": {"model_type": "pixtral", "head_dim": 64, "rope_theta": 10000}})");
  const std::string text =
      place.good({"frequencies", "--config", "m.json", "--profile", "vision", "--base", "256", "--json"});
  const json found = json::parse(text)["frequencies"];
  ASSERT_EQ(found.size(), 32u);
  for (int pair = 0; pair < 16; ++pair) {
    EXPECT_NEAR(found[pair].get<double>(), std::pow(256, -4.0 * pair / 64), 1e-15) << pair;
    EXPECT_NEAR(found[16 + pair].get<double>(), std::pow(256, -(4.0 * pair + 2) / 64), 1e-15) << pair;
  }
}

TEST_F(Frequencies, EveryTextConfig) {
  const fs::path folder = source_folder() + "/../shared/configs";
  if (!fs::exists(folder / "INDEX.json")) GTEST_SKIP() << "no " << folder;
  // Layouts that a later version reads; each says so.
  const std::set<std::string> image_layouts = {"cosmos-predict2-2b.json",     "dinov3-vits16.json",
                                               "eva02-clip-l-14-336.json",    "ltx-2-19b.json",
                                               "ltx-video-2b-diffusers.json", "ltx-video-2b-native.json"};
  int read = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "INDEX.json" || image_layouts.count(name)) continue;
    const std::string config = entry.path().string();
    const auto extended = parse_csv(place.good({"frequencies", "--config", config}));
    const auto plain = parse_csv(place.good({"frequencies", "--config", config, "--scaling", "none"}));
    ASSERT_GT(extended.size(), 1u) << name;
    ASSERT_EQ(extended.size(), plain.size()) << name;
    for (std::size_t i = 1; i < plain.size(); ++i) {
      EXPECT_LE(std::stod(plain[i][2]), 1) << name;
      EXPECT_GT(std::stod(plain[i][2]), 0) << name;
      // LongRoPE's lists go down to 0.9978 (MiniCPM).
      EXPECT_LE(std::stod(extended[i][2]), 1.003 * std::stod(plain[i][2])) << name;
      EXPECT_GE(std::stod(extended[i][4]), 1) << name;
    }
    EXPECT_EQ(plain[1][2], "1") << name;
    const json read_file = json::parse(place.good({"config", config, "--json"}))["profiles"][0];
    EXPECT_NEAR(read_file["amplitude"].get<double>(), std::stod(extended[1][4]), 1e-15) << name;
    // Dynamic is plain at the trained length.
    const std::string method = read_file["extension"]["method"];
    EXPECT_EQ(method == "none" || method == "dynamic", extended == plain) << name;
    ++read;
  }
  EXPECT_GE(read, 45);
}

}  // namespace
}  // namespace ropescope
