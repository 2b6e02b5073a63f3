#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
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

}  // namespace
}  // namespace ropescope
