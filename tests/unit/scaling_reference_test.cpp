#include "core/scaling/scaling.h"
#include "reference_data.h"

namespace ropescope {

namespace {

constexpr double kScalingTolerance = 1e-12;  ///< against a source that ran in float64
constexpr double kSingle = 1e-6;             ///< against a source that ran in float32

double find_largest_relative_error(const Eigen::VectorXd& found, const Eigen::VectorXd& expected) {
  if (found.size() != expected.size()) return INFINITY;
  double largest = 0;
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    if (difference > 0) largest = std::max(largest, difference / std::abs(expected[i]));
  }
  return largest;
}

struct ScalingCase {
  RotarySpec spec;
  std::optional<double> length;
};

/// One axis of the rotated dimension and base of a case, with the numbers of its config that the method knows.
ScalingCase make_scaling_case(const std::string& method, const json& config) {
  const std::map<std::string, std::string> renamed = {{"low_freq_factor", "low_frequency_factor"},
                                                      {"high_freq_factor", "high_frequency_factor"},
                                                      {"max_freq", "max_frequency"},
                                                      {"scale", "factor"},
                                                      {"short_factor", "short_factors"},
                                                      {"long_factor", "long_factors"}};
  ScalingCase found;
  RotarySpec& spec = found.spec;
  const int head = config.contains("dim") ? config["dim"].get<int>() : config["head_dim"].get<int>();
  const double fraction = config.value("partial_rotary_factor", 1.0);
  const bool proportional = method == "proportional";
  spec.head_dim = head;
  spec.axes = {{.rotary_dim = proportional ? head : static_cast<int>(head * fraction)}};
  if (config.contains("rope_theta")) spec.axes[0].base = config["rope_theta"].get<double>();
  for (const char* key : {"max_position_embeddings", "original_max_position_embeddings"}) {
    if (config.contains(key)) spec.trained_length = config[key].get<double>();
  }
  if (config.contains("seq_len") && config["seq_len"].is_number()) found.length = config["seq_len"].get<double>();
  spec.extension.method = method;
  if (proportional) spec.extension.numbers["live_fraction"] = fraction;
  for (const auto& [key, value] : config.items()) {
    const std::string name = renamed.count(key) ? renamed.at(key) : key;
    if (value.is_array()) spec.extension.lists[name] = value.get<std::vector<double>>();
    if (!find_parameter(find_scaling_method(method), name) || value.is_null()) continue;
    spec.extension.numbers[name] = value.is_boolean() ? value.get<bool>() : value.get<double>();
  }
  return found;
}

void expect_scaling_case(const std::string& method, const json& entry) {
  SCOPED_TRACE(method + " " + entry["id"].get<std::string>());
  const ScalingCase input = make_scaling_case(method, entry["config"]);
  const ScaledLadder ladder = scaled_ladder(input.spec, 0, input.length);
  ASSERT_EQ(ladder.frequencies.size(), entry["n_pairs"].get<int>());
  EXPECT_EQ(ladder.treatment.size(), entry["n_pairs"].get<std::size_t>());
  int compared = 0;
  if (entry.contains("inv_freq_f64")) {
    EXPECT_LE(find_largest_relative_error(ladder.frequencies, vector_of(entry["inv_freq_f64"])), kScalingTolerance);
    ++compared;
  }
  for (const char* key : {"inv_freq_f32", "freqs_f32"}) {
    if (!entry.contains(key)) continue;
    EXPECT_LE(find_largest_relative_error(ladder.frequencies, vector_of(entry[key])), kSingle);
    ++compared;
  }
  EXPECT_GE(compared, 1);
  EXPECT_NEAR(ladder.amplitude, entry.value("attention_factor", 1.0), kScalingTolerance);
  if (entry.contains("effective_theta")) {
    ASSERT_TRUE(ladder.effective_base);
    const double expected = entry["effective_theta"].get<double>();
    EXPECT_NEAR(*ladder.effective_base, expected, kScalingTolerance * expected);
  }
}

}  // namespace

TEST(ScalingReference, MethodsWhoseFilesHaveTheirOwnNames) {
  const std::tuple<const char*, const char*, std::size_t> files[] = {{"none", "default", 7},
                                                                     {"linear", "linear", 3},
                                                                     {"dynamic", "dynamic_ntk", 8},
                                                                     {"ntk-by-parts-released", "ntk_by_parts", 2},
                                                                     {"yarn", "yarn", 11},
                                                                     {"llama3", "llama3", 3},
                                                                     {"proportional", "proportional", 4},
                                                                     {"dynamic-yarn", "dynamic_yarn", 2},
                                                                     {"pixel", "pixel", 2}};
  for (const auto& [method, name, cases] : files) {
    const json file = read_reference("freqs/" + std::string(name) + ".json");
    EXPECT_EQ(file["cases"].size(), cases) << name;
    for (const json& entry : file["cases"]) expect_scaling_case(method, entry);
  }
}

TEST(ScalingReference, NtkAware) {
  const json file = read_reference("freqs/ntk_aware.json");
  ASSERT_EQ(file["cases"].size(), 3u);
  for (json entry : file["cases"]) {
    entry["config"]["factor"] = entry["config"]["alpha"];
    expect_scaling_case("ntk-aware", entry);
    // Hunyuan's alpha is the same number under another name.
    entry["config"]["ntk_alpha"] = entry["config"]["alpha"];
    expect_scaling_case("ntk-alpha", entry);
    json diffusers = entry;
    diffusers["inv_freq_f64"] = entry["diffusers_ntk_factor"]["inv_freq_f64"];
    diffusers.erase("inv_freq_f32");
    diffusers.erase("effective_theta");
    expect_scaling_case("diffusers-ntk", diffusers);
  }
}

TEST(ScalingReference, LongRope) {
  const json file = read_reference("freqs/longrope.json");
  ASSERT_EQ(file["cases"].size(), 4u);
  for (json entry : file["cases"]) {
    json& config = entry["config"];
    if (!config.contains("factor") || config["factor"].is_null()) {
      config["factor"] =
          config["max_position_embeddings"].get<double>() / config["original_max_position_embeddings"].get<double>();
    }
    config.erase("max_position_embeddings");
    expect_scaling_case("longrope", entry);
  }
}

}  // namespace ropescope
