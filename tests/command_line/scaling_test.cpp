#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/said.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

using ScalingCommand = InWorkplace;

json frequencies(const Workplace& place, const Words& arguments) {
  return json::parse(place.good(Words{"frequencies", "--json"} + arguments));
}

std::string to_scaling_list(const json& numbers) {
  std::string list;
  for (const json& number : numbers) list += (list.empty() ? "" : ",") + number.dump();
  return list;
}

/// The options that say the same as the config of a reference case.
Words options_of(const std::string& method, const json& config) {
  const std::map<std::string, std::string> options = {{"head_dim", "--dim"},
                                                      {"dim", "--dim"},
                                                      {"rope_theta", "--base"},
                                                      {"partial_rotary_factor", "--rotary-fraction"},
                                                      {"original_max_position_embeddings", "--trained-length"},
                                                      {"max_position_embeddings", "--trained-length"},
                                                      {"seq_len", "--length"},
                                                      {"factor", "--factor"},
                                                      {"scale", "--factor"},
                                                      {"alpha", "--factor"},
                                                      {"low_freq_factor", "--low-frequency-factor"},
                                                      {"high_freq_factor", "--high-frequency-factor"},
                                                      {"beta_fast", "--beta-fast"},
                                                      {"beta_slow", "--beta-slow"},
                                                      {"truncate", "--truncate"},
                                                      {"mscale", "--mscale"},
                                                      {"mscale_all_dim", "--mscale-all-dim"},
                                                      {"attention_factor", "--attention-factor"},
                                                      {"ntk_factor", "--ntk-factor"},
                                                      {"extrapolation_factor", "--extrapolation-factor"},
                                                      {"beta_0", "--beta-0"},
                                                      {"beta_1", "--beta-1"},
                                                      {"gamma_0", "--gamma-0"},
                                                      {"gamma_1", "--gamma-1"},
                                                      {"short_factor", "--short-factors"},
                                                      {"long_factor", "--long-factors"},
                                                      {"max_freq", "--max-frequency"}};
  Words words = {"--scaling", method};
  const bool has_base = config.contains("rope_theta");
  if (!has_base) words.insert(words.end(), {"--base", "10000"});
  for (const auto& [key, value] : config.items()) {
    const auto option = options.find(key);
    if (option == options.end() || value.is_null()) continue;
    if (method == "dynamic-yarn" && key == "scale") continue;  // follows from the length
    if (method == "longrope" && key == "max_position_embeddings") continue;
    words.push_back(option->second);
    words.push_back(value.is_array() ? to_scaling_list(value) : value.dump());
  }
  return words;
}

void expect_case(const Workplace& place, const std::string& method, const json& entry) {
  SCOPED_TRACE(method + " " + entry["id"].get<std::string>());
  const json found = frequencies(place, options_of(method, entry["config"]));
  const bool exact = entry.contains("inv_freq_f64");
  const json& expected = exact                            ? entry["inv_freq_f64"]
                         : entry.contains("inv_freq_f32") ? entry["inv_freq_f32"]
                                                          : entry["freqs_f32"];
  ASSERT_EQ(found["frequencies"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = expected[i].get<double>();
    EXPECT_NEAR(found["frequencies"][i].get<double>(), value, (exact ? 1e-12 : 1e-6) * value) << i;
  }
  EXPECT_NEAR(found["amplitude"].get<double>(), entry.value("attention_factor", 1.0), 1e-12);
}

TEST_F(ScalingCommand, ReferenceValuesThroughOptions) {
  const std::map<std::string, std::string> files = {{"linear", "linear"},
                                                    {"ntk-aware", "ntk_aware"},
                                                    {"dynamic", "dynamic_ntk"},
                                                    {"ntk-by-parts-released", "ntk_by_parts"},
                                                    {"yarn", "yarn"},
                                                    {"llama3", "llama3"},
                                                    {"proportional", "proportional"},
                                                    {"dynamic-yarn", "dynamic_yarn"},
                                                    {"pixel", "pixel"}};
  for (const auto& [method, file] : files) {
    const json data = read_reference("freqs/" + file + ".json");
    for (const json& entry : data["cases"]) expect_case(place, method, entry);
  }
  const json longrope = read_reference("freqs/longrope.json");
  for (json entry : longrope["cases"]) {
    json& config = entry["config"];
    if (!config.contains("factor") || config["factor"].is_null()) {
      config["factor"] =
          config["max_position_embeddings"].get<double>() / config["original_max_position_embeddings"].get<double>();
    }
    expect_case(place, "longrope", entry);
  }
}

constexpr const char* kLlama31 = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8,
    "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})";

TEST_F(ScalingCommand, AConfigAppliesItsOwnExtension) {
  place.write("m.json", kLlama31);
  const json data = read_reference("freqs/llama3.json");
  const json found = frequencies(place, {"--config", "m.json"});
  for (std::size_t i = 0; i < 64; ++i) {
    const double expected = data["cases"][0]["inv_freq_f64"][i].get<double>();
    EXPECT_NEAR(found["frequencies"][i].get<double>(), expected, 1e-12 * expected) << i;
  }
  const Outcome outcome = place.run({"frequencies", "--config", "m.json"});
  EXPECT_EQ(outcome.errors, "");  // nothing is left out any more
  EXPECT_EQ(place.good({"frequencies", "--model", "llama-3.1-8b"}), outcome.output);
}

TEST_F(ScalingCommand, OptionsOverrideTheConfig) {
  place.write("m.json", kLlama31);
  const auto with = [&](const Words& more) { return frequencies(place, Words{"--config", "m.json"} + more); };
  const double plain = std::pow(500000, -126.0 / 128);
  const auto slowest = [](const json& found) { return found["frequencies"][63].get<double>(); };
  EXPECT_NEAR(slowest(with({"--scaling", "none"})), plain, 1e-15 * plain);
  EXPECT_NEAR(slowest(with({"--factor", "32"})), plain / 32, 1e-15 * plain);
  EXPECT_NEAR(slowest(with({"--scaling", "linear"})), plain / 8, 1e-15 * plain);  // keeps the factor
  EXPECT_NEAR(with({"--scaling", "linear"})["frequencies"][0].get<double>(), 1.0 / 8, 1e-15);
  EXPECT_NE(with({"--trained-length", "100000"})["frequencies"], with({})["frequencies"]);
  EXPECT_EQ(with({"--trained-length", "4096"})["trained_length"], 4096.0);
  EXPECT_NEAR(with({"--scaling", "yarn"})["amplitude"].get<double>(), 0.1 * std::log(8) + 1, 1e-15);
  EXPECT_NEAR(with({"--scaling", "yarn", "--attention-factor", "1.5"})["amplitude"].get<double>(), 1.5, 0);
  EXPECT_NE(with({"--scaling", "yarn", "--truncate", "false"})["frequencies"],
            with({"--scaling", "yarn", "--truncate", "true"})["frequencies"]);
}

TEST_F(ScalingCommand, OptionsMeanTheSameAsFields) {
  const Words rope = {"render", "decay"};
  const auto picture = [&](const Words& more, const std::string& name) {
    place.good(rope + more + Words{"-o", name});
    return place.read(name);
  };
  EXPECT_EQ(picture({"--model", "llama-2-7b", "--scaling", "yarn", "--factor", "16", "--beta-slow", "2"}, "a.csv"),
            picture({"--model", "llama-2-7b", "--set", "rope.scaling=yarn", "--set", "rope.factor=16", "--set",
                     "beta_slow=2"},
                    "b.csv"));
  EXPECT_EQ(picture({"--model", "llama-2-7b", "--scaling", "dynamic", "--factor", "2", "--length", "9000"}, "c.csv"),
            picture({"--model", "llama-2-7b", "--set", "scaling=dynamic", "--set", "factor=2", "--set", "length=9000"},
                    "d.csv"));
  EXPECT_NE(place.read("c.csv"), place.read("a.csv"));
}

TEST_F(ScalingCommand, WithoutALengthTheTrainedOneCounts) {
  const Words rope = {"--dim",    "64", "--base",           "10000", "--scaling", "dynamic",
                      "--factor", "4",  "--trained-length", "4096"};
  const auto with = [&](const Words& more) { return frequencies(place, rope + more)["frequencies"]; };
  EXPECT_EQ(with({}), frequencies(place, {"--dim", "64", "--base", "10000"})["frequencies"]);
  EXPECT_EQ(with({"--length", "4096"}), with({}));
  EXPECT_NE(with({"--length", "4097"}), with({}));
  // LongRoPE is short then.
  const json phi = frequencies(place, {"--model", "phi-3.5-mini-instruct"});
  EXPECT_NE(phi["frequencies"],
            frequencies(place, {"--model", "phi-3.5-mini-instruct", "--length", "4097"})["frequencies"]);
  EXPECT_EQ(phi["frequencies"],
            frequencies(place, {"--model", "phi-3.5-mini-instruct", "--length", "1"})["frequencies"]);
  EXPECT_NEAR(phi["amplitude"].get<double>(), std::sqrt(1 + std::log(32) / std::log(4096)), 1e-12);
}

// K(1000) as in the test of the Decay view.
TEST_F(ScalingCommand, WhatIsAskedDecidesWhereTheLadderLooksAtTheLength) {
  const auto at_1000 = [&](const Words& more) {
    const std::string rows = place.good(Words{"decay", "--model", "phi-3.5-mini-instruct"} + more);
    const std::size_t row = rows.find("\n1000,") + 6;
    return std::stod(rows.substr(row));
  };
  EXPECT_NEAR(at_1000({"--distances", "1000"}), 0.2190351372616378, 1e-12);
  EXPECT_NEAR(at_1000({"--distances", "1000,4096"}), 0.2190351372616378, 1e-12);
  EXPECT_NEAR(at_1000({"--distances", "1000,-131072"}), 0.5970190443566402, 1e-12);
  EXPECT_NEAR(at_1000({"--distances", "1000", "--length", "4097"}), 0.5970190443566402, 1e-12);
  const json phi = json::parse(place.good({"frequencies", "--model", "phi-3.5-mini-instruct", "--json"}));
  EXPECT_EQ(phi["ladder"], "longrope (factor 32), short list (4096)");
  // score: 1 at equal places times the squared amplitude, and the two lists beyond and before the trained length.
  const auto score = [&](const std::string& query) {
    std::string ones = "1";
    for (int channel = 1; channel < 96; ++channel) ones += ",1";
    return json::parse(place.good({"score", "rope", "--model", "phi-3.5-mini-instruct", "--query", ones, "--key", ones,
                                   "--query-position", query, "--key-position",
                                   std::to_string(std::stol(query) - 1000)}))["total"]
               .get<double>() /
           std::sqrt(96) / (1 + std::log(32) / std::log(4096));
  };
  EXPECT_NEAR(score("4095"), 0.2190351372616378, 1e-9);
  EXPECT_NEAR(score("4096"), 0.5970190443566402, 1e-9);
}

// A list for each pair is all that LongRoPE needs, whether it is given as options or as fields.
TEST_F(ScalingCommand, LongRopeFromOwnValues) {
  const Words own = {"--dim", "8", "--base", "10000", "--scaling", "longrope", "--trained-length", "100"};
  Words options = own + Words{"--short-factors", "1,1,1,1", "--long-factors", "1,2,4,8"};
  const json found = frequencies(place, options);
  EXPECT_NEAR(found["frequencies"][3].get<double>(), std::pow(10000, -0.75), 1e-18);
  options.insert(options.end(), {"--length", "101"});
  EXPECT_NEAR(frequencies(place, options)["frequencies"][3].get<double>(), std::pow(10000, -0.75) / 8, 1e-18);
  place.bad(Words{"frequencies"} + own, {"short_factors is missing", "each of the 4 pairs", "Phi-3.5 mini"});
}

TEST_F(ScalingCommand, HunyuansAlphaIsFixed) {
  place.write("m.json", R"({"model_type": "hunyuan", "head_dim": 128, "rope_theta": 10000,
      "max_position_embeddings": 32768, "rope_scaling": {"type": "dynamic", "factor": 1, "alpha": 1000}})");
  const double base = 10000 * std::pow(1000, 128.0 / 126);
  const json found = frequencies(place, {"--config", "m.json"});
  EXPECT_NEAR(found["frequencies"][1].get<double>(), std::pow(base, -2.0 / 128), 1e-14);
  EXPECT_EQ(frequencies(place, {"--config", "m.json", "--length", "100000"})["frequencies"], found["frequencies"]);
  for (const std::string name : {"ntk-alpha", "dynamic"}) {
    EXPECT_EQ(frequencies(place,
                          {"--dim", "128", "--base", "10000", "--scaling", name, "--ntk-alpha", "1000"})["frequencies"],
              found["frequencies"]);
  }
}

TEST_F(ScalingCommand, DecayFollowsTheExtension) {
  const auto rows =
      parse_csv(place.good({"decay", "--model", "llama-3.1-8b", "--distances", "0,1,61127,61128,85132,85133"}));
  const auto similarity = [&](std::size_t row) { return std::stod(rows[row][1]); };
  EXPECT_NEAR(similarity(1) - similarity(2), 0.0221, 5e-5);
  EXPECT_GT(similarity(3), 0.5);
  EXPECT_LE(similarity(4), 0.5);
  EXPECT_GE(similarity(5), 0);
  EXPECT_LT(similarity(6), 0);
}

TEST_F(ScalingCommand, RotationCarriesTheAmplitude) {
  const json data = read_reference("apply/yarn_mscale_d64.json");
  Tensor x;
  x.shape = {static_cast<std::int64_t>(data["q"].size()), 64};
  for (const json& row : data["q"]) {
    for (const json& value : row) x.values.push_back(value.get<double>());
  }
  const std::vector<std::byte> bytes = write_npy(x);
  place.write("x.npy", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  place.good({"rotate", "--dim", "64", "--base", "10000", "--scaling", "yarn", "--factor", "16", "--trained-length",
              "4096", "--input", "x.npy", "--positions", to_scaling_list(data["positions"]), "-o", "y.npy"});
  const std::string content = place.read("y.npy");
  const Tensor y = parse_npy(std::as_bytes(std::span(content)), "y.npy");
  std::size_t at = 0;
  const json& expected = data["outputs"]["q"];
  for (std::size_t row = 0; row < expected.size(); ++row) {
    const double position = data["positions"][row].get<double>();
    // The source multiplied float32 angles.
    for (const json& value : expected[row]) {
      EXPECT_NEAR(y.values[at++], value.get<double>(), 1e-6 + 4e-7 * position) << row;
    }
  }
  const double norm = std::hypot(x.values[0], x.values[32]);
  EXPECT_NEAR(std::hypot(y.values[0], y.values[32]), (0.1 * std::log(16) + 1) * norm, 1e-12);
}

TEST_F(ScalingCommand, ConfigShowsTheExtensionAsItIsApplied) {
  place.write("m.json", R"({"model_type": "qwen2", "head_dim": 128, "rope_theta": 1000000,
      "rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 32768}})");
  const json profile = json::parse(place.good({"config", "m.json", "--json"}))["profiles"][0];
  EXPECT_EQ(profile["extension"]["method"], "yarn");
  EXPECT_EQ(profile["extension"]["factor"], 4.0);
  EXPECT_EQ(profile["extension"]["beta_fast"], 32.0);
  EXPECT_NEAR(profile["amplitude"].get<double>(), 1.138629436111989, 1e-12);
  const std::string text = place.good({"config", "m.json"});
  for (const std::string word : {"yarn (factor 4)", "beta_fast 32", "truncate 1", "1.13862943611"}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
}

TEST_F(ScalingCommand, BadOptions) {
  const auto bad = [&](const Words& more, const Words& culprits) {
    place.bad(Words{"frequencies", "--dim", "64", "--base", "10000"} + more, culprits);
  };
  bad({"--scaling", "yran"}, {"--scaling", "yran", "yarn"});
  for (const std::string factor : {"0.5", "0", "-1", "nan", "inf", "x", ""}) {
    bad({"--scaling", "linear", "--factor", factor}, {"--factor", "\"" + factor + "\"", "from 1 to"});
  }
  bad({"--scaling", "linear"}, {"linear: factor is missing"});
  bad({"--factor", "4"}, {"--factor", "none", "--scaling"});
  bad({"--scaling", "linear", "--factor", "2", "--beta-fast", "3"}, {"--beta-fast", "linear"});
  bad({"--scaling", "yarn", "--factor", "2"}, {"yarn: trained_length is missing"});
  for (const std::string length : {"0", "-1", "nan", "1.5"}) {
    bad({"--scaling", "yarn", "--factor", "2", "--trained-length", length}, {"--trained-length", "\"" + length + "\""});
    bad({"--scaling", "dynamic", "--factor", "2", "--trained-length", "9", "--length", length}, {"--length"});
  }
  const Words yarn = {"--scaling", "yarn", "--factor", "2", "--trained-length", "4096"};
  const auto bad_yarn = [&](const Words& more, const Words& culprits) { bad(yarn + more, culprits); };
  bad_yarn({"--beta-fast", "1", "--beta-slow", "32"}, {"beta_fast is 1", "beta_slow", "32"});
  bad_yarn({"--truncate", "maybe"}, {"--truncate", "maybe", "true or false"});
  bad_yarn({"--attention-factor", "0"}, {"--attention-factor"});
  bad_yarn({"--short-factors", "1"}, {"--short-factors", "yarn"});
  bad({"--scaling", "llama3", "--factor", "8", "--trained-length", "8192", "--low-frequency-factor", "5"},
      {"high_frequency_factor is 4",
       said(Message("scaling.at_least", {{"lower", "low_frequency_factor"}, {"value", "5"}}))});
  bad({"--scaling", "longrope", "--factor", "8", "--trained-length", "8192", "--short-factors", "1,1", "--long-factors",
       "1,1"},
      {"short_factors has 2 numbers", "32 pairs"});
  bad({"--scaling", "longrope", "--trained-length", "8192", "--short-factors", "1,a"}, {"--short-factors", "\"a\""});
}

TEST_F(ScalingCommand, BadConfigs) {
  const auto bad = [&](const std::string& object, const Words& culprits) {
    place.write(
        "m.json",
        R"({"model_type": "llama", "head_dim": 64, "max_position_embeddings": 4096, "rope_scaling": )" + object + "}");
    place.bad({"frequencies", "--config", "m.json"}, culprits);
    place.bad({"config", "m.json"}, culprits);
  };
  bad(R"({"rope_type": "warp"})", {"m.json", "rope_scaling.rope_type", "\"warp\""});
  bad(R"({"type": "linear", "factor": 0.5})", {"m.json", "rope_scaling", "factor is 0.5"});
  bad(R"({"type": "yarn", "factor": 2, "beta_fast": 1, "beta_slow": 2})", {"m.json", "beta_fast is 1"});
  bad(R"({"type": "longrope", "short_factor": [1], "long_factor": [1]})", {"m.json", "short_factors has 1 numbers"});
  bad(R"({"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 1})", {"m.json", "low_frequency"});
}

}  // namespace
}  // namespace ropescope
