#include "tests/command_line/program.h"
#include "tests/places.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

using Frequencies = InWorkplace;

TEST_F(Frequencies, Csv) {
  const auto rows = parse_csv(place.good({"frequencies", "--dim", "8", "--base", "10000"}));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_THAT(rows[0], ElementsAre("axis", "pair", "frequency", "wavelength", "amplitude"));
  EXPECT_THAT(rows[1], ElementsAre("position", "0", "1", "6.283185307179586", "1"));
  EXPECT_THAT(rows[2], ElementsAre("position", "1", "0.1", "62.83185307179586", "1"));
}

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

TEST_F(Frequencies, JsonKeys) {
  const json found = json::parse(place.good({"frequencies", "--dim", "4", "--base", "100", "--json"}));
  EXPECT_EQ(found["frequencies"], json({1.0, 0.1}));
  EXPECT_EQ(found["pairing"], "half");
  EXPECT_EQ(found["amplitude"], 1.0);
  EXPECT_TRUE(found["trained_length"].is_null());
  EXPECT_TRUE(found.contains("profile"));
  EXPECT_FALSE(found.contains("axes"));
}

TEST_F(Frequencies, TheLastOfARepeatedOptionCounts) {
  EXPECT_EQ(place.good({"frequencies", "--dim", "4", "--base", "7", "--dim", "8", "--base", "10000", "--base=100"}),
            place.good({"frequencies", "--dim", "8", "--base", "100"}));
}

TEST_F(Frequencies, OptionsOverrideTheConfig) {
  place.write("m.json", R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
      "rope_theta": 500000, "max_position_embeddings": 8192})");
  const auto read = [&](Words more) {
    return json::parse(place.good(Words{"frequencies", "--config", "m.json", "--json"} + more));
  };
  const json plain = read({});
  EXPECT_EQ(plain["rotary_dim"], 128);
  EXPECT_EQ(plain["trained_length"], 8192.0);
  const json base = read({"--base", "100"});
  EXPECT_NEAR(base["frequencies"][63].get<double>(), std::pow(100, -126.0 / 128), 1e-16);
  EXPECT_EQ(read({"--dim", "64"})["rotary_dim"], 64);
  EXPECT_EQ(read({"--dim", "64"})["head_dim"], 128);
  EXPECT_EQ(read({"--dim", "256"})["head_dim"], 256);
  EXPECT_EQ(read({"--rotary-fraction", "0.25"})["rotary_dim"], 32);
  EXPECT_EQ(read({"--rotary-fraction", "0.25"})["head_dim"], 128);
  EXPECT_EQ(read({"--head-dim", "200"})["head_dim"], 200);
  EXPECT_EQ(read({"--head-dim", "200"})["frequencies"], plain["frequencies"]);
  EXPECT_EQ(read({"--pairing", "interleaved"})["pairing"], "interleaved");
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

TEST_F(Frequencies, HeadDimOnlyAddsUntouchedChannels) {
  EXPECT_EQ(place.good({"frequencies", "--dim", "64", "--base", "100"}),
            place.good({"frequencies", "--dim", "64", "--base", "100", "--head-dim", "128"}));
}

TEST_F(Frequencies, SeveralAxes) {
  const Words flux = {"frequencies", "--model", "flux.1-dev"};
  const auto rows = parse_csv(place.good(flux));
  ASSERT_EQ(rows.size(), 65u);
  EXPECT_EQ(rows[1][0], "t");
  EXPECT_EQ(rows[9][0], "row");
  EXPECT_EQ(rows[9][1], "0");
  EXPECT_EQ(rows[9][2], "1");
  EXPECT_EQ(rows[37][0], "column");
  const json found = json::parse(place.good({"frequencies", "--model", "flux.1-dev", "--json"}));
  EXPECT_EQ(found["rotary_dim"], 128);
  EXPECT_EQ(found["frequencies"].size(), 64u);
  ASSERT_EQ(found["axes"].size(), 3u);
  EXPECT_EQ(found["axes"][1]["name"], "row");
  EXPECT_EQ(found["axes"][1]["rotary_dim"], 56);
  EXPECT_EQ(found["axes"][1]["base"], 10000.0);
  EXPECT_EQ(found["axes"][1]["frequencies"].size(), 28u);
  place.bad({"frequencies", "--model", "flux.1-dev", "--dim", "64"}, {"--dim", "flux.1-dev", "axes"});
}

TEST_F(Frequencies, AStillPairHasAnInfiniteWavelength) {
  const auto rows = parse_csv(place.good({"frequencies", "--model", "gemma-4-26b-a4b"}));
  ASSERT_EQ(rows.size(), 257u);
  EXPECT_EQ(rows.back()[2], "0");
  EXPECT_EQ(rows.back()[3], "inf");
  const json found = json::parse(place.good({"frequencies", "--model", "gemma-4-26b-a4b", "--json"}));
  EXPECT_EQ(found["rotary_dim"], 512);
  EXPECT_EQ(found["head_dim"], 512);
}

TEST_F(Frequencies, Profiles) {
  EXPECT_EQ(place.good({"frequencies", "--model", "gemma-3-4b-it", "--profiles"}),
            "full attention\nsliding attention\n");
  const json names = json::parse(place.good({"frequencies", "--model", "gemma-3-4b-it", "--profiles", "--json"}));
  EXPECT_EQ(names["profiles"][1], "sliding attention");
  EXPECT_NE(place.good({"frequencies", "--model", "gemma-3-4b-it"}),
            place.good({"frequencies", "--model", "gemma-3-4b-it", "--profile", "sliding attention"}));
  place.bad({"frequencies", "--model", "gemma-3-4b-it", "--profile", "slidng"},
            {"slidng", "full attention", "sliding attention"});
  place.bad({"frequencies", "--dim", "4", "--base", "5", "--profiles"}, {"--config", "--model"});
}

TEST_F(Frequencies, OutputFile) {
  EXPECT_EQ(place.good({"frequencies", "--dim", "8", "--base", "100", "-o", "f.csv"}), "");
  EXPECT_EQ(place.read("f.csv"), place.good({"frequencies", "--dim", "8", "--base", "100"}));
  EXPECT_EQ(place.files().size(), 1u);
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
