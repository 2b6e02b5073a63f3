// ropescope weights: numbers of a checkpoint, and the order of the rows of two.

#include "app/resources/files.h"
#include "tests/command_line/program.h"
#include "tests/gguf_files.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using WeightsCommand = InWorkplace;

std::string numpy_model(const std::string& name) {
  return source_folder() + "/tests/reference/weights/" + name;
}

TEST_F(WeightsCommand, WritesTheNumbersOfEveryLayer) {
  const json expected = json::parse(read_file(numpy_model("expected.json")))[0];
  const json found = json::parse(place.good({"weights", numpy_model("qwen2"), "--json", "--threads", "1"}));
  EXPECT_EQ(found, json::parse(place.good({"weights", numpy_model("qwen2"), "--json", "--threads", "2"})));
  ASSERT_EQ(found["layers"].size(), 2u);
  EXPECT_EQ(found["heads"].size(), 8u);
  EXPECT_GE(found["heads"][0]["fast_share"], found["heads"][7]["fast_share"]);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (std::size_t head = 0; head < 4; ++head) {
      for (std::size_t pair = 0; pair < 4; ++pair) {
        const double norm = expected["layers"][layer]["norms"][head][pair];
        EXPECT_NEAR(found["layers"][layer]["norms"][head][pair], norm, 1e-6 * norm);
      }
    }
    EXPECT_FALSE(found["layers"][layer].contains("kernels")) << "only with --layer";
  }
  const json one = json::parse(place.good({"weights", numpy_model("qwen2"), "--layer", "1", "--json"}));
  ASSERT_EQ(one["layers"].size(), 1u);
  const json& kernels = one["layers"][0]["kernels"];
  EXPECT_EQ(kernels["distances"][3], 3);
  EXPECT_NEAR(kernels["biases"][2]["values"][3], expected["layers"][1]["kernels"][2][3], 1e-12);
  place.good({"weights", numpy_model("qwen3"), "-o", "norms.csv"});
  EXPECT_THAT(place.read("norms.csv"), StartsWith("layer,head,pair,wavelength,norm,share\n0,1,0,6.28"));
  EXPECT_THAT(place.good({"weights", numpy_model("qwen3")}), HasSubstr("norms"));
}

TEST_F(WeightsCommand, DecayPrintsTheirKernelBesideTheSimilarity) {
  const auto column = [](const std::string& csv, std::size_t index) {
    std::vector<double> numbers;
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream cells(line);
      for (std::size_t i = 0; i <= index; ++i) std::getline(cells, line, ',');
      numbers.push_back(std::stod(line));
    }
    return numbers;
  };
  for (const std::string name : {"qwen2", "qwen3"}) {
    const Words asked = {"decay",  "--weights", numpy_model(name), "--layer",    "1",
                         "--head", "3",         "--distances",     "0:40,-5,2.5"};
    const std::string csv = place.good(asked);
    EXPECT_THAT(csv, StartsWith("distance,similarity,abel_bound,weights,weights_bound\n"));
    const json found = json::parse(place.good({"weights", numpy_model(name), "--layer", "1", "--json"}));
    const json& kernels = found["layers"][0]["kernels"];
    const json& head = kernels[name == "qwen2" ? "biases" : "norms"][2];
    const std::vector<double> values = column(csv, 3), bounds = column(csv, 4);
    ASSERT_EQ(values.size(), 43u);
    for (std::size_t i = 0; i <= 40; ++i) {
      ASSERT_EQ(kernels["distances"][i], i);
      EXPECT_NEAR(values[i], head["values"][i], 1e-12);
      EXPECT_NEAR(bounds[i], head["bounds"][i], 1e-12);
    }
    // The rope is that of the weights, unless another one is named.
    Words same = asked, other = asked + Words{"--dim", "8", "--base", "10000"};
    other.insert(other.end(), {"--dim", "8", "--base", "500"});
    EXPECT_EQ(place.good(same), csv);
    EXPECT_NE(column(place.good(other), 3), values);
    EXPECT_EQ(column(place.good(other), 3)[0], values[0]) << "at distance 0 the frequencies do not matter";
  }
  const std::string path = numpy_model("qwen2");
  place.bad({"decay", "--weights", path, "--distances", "1", "--head", "5"}, {"--head", "5", "4"});
  place.bad({"decay", "--weights", path, "--distances", "1", "--layer", "7"}, {"--layer", "7"});
  place.bad({"decay", "--dim", "8", "--base", "1e4", "--distances", "1", "--layer", "1"}, {"--layer", "--weights"});
  place.bad({"decay", "--weights", "nothing", "--distances", "1"}, {"nothing"});
  place.bad({"decay", "--weights", path, "--dim", "6", "--base", "1e4", "--distances", "1"}, {"4 pairs", "3"});
  place.good({"render", "decay", "--set", "rope.rotary_dim=8", "--set", "decay.content=weights", "--set",
              "weights.path=" + path, "--set", "decay.span=64", "-o", "curve.csv"});
  place.bad({"render", "decay", "--set", "rope.rotary_dim=8", "--set", "decay.content=weights", "--set",
             "weights.path=missing.safetensors", "-o", "curve.csv"},
            {"missing.safetensors"});
}

/// A model of the architecture llama, whose converter makes the channels of a pair adjacent.
std::string converted(const std::vector<double>& q, const std::vector<double>& k, bool permute) {
  constexpr std::size_t kDim = 8, kColumns = 16;
  const auto reorder = [permute](const std::vector<double>& rows) {
    std::vector<double> to(rows.size());
    for (std::size_t row = 0; row < rows.size() / kColumns; ++row) {
      const std::size_t channel = row % kDim, source = permute ? channel / 2 + channel % 2 * kDim / 2 : channel;
      for (std::size_t i = 0; i < kColumns; ++i) to[row * kColumns + i] = rows[(row - channel + source) * kColumns + i];
    }
    return to;
  };
  GgufWriter writer;
  add_model(writer, "llama", 64, kColumns, 2).real("llama.rope.freq_base", 1e4);
  return writer.matrix("blk.0.attn_q.weight", kColumns, reorder(q))
      .matrix("blk.0.attn_k.weight", kColumns, reorder(k))
      .file();
}

TEST_F(WeightsCommand, FindsAConversionThatForgotToPermute) {
  std::vector<double> q(256), k(256);
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = std::sin(3 * static_cast<double>(i * i)), k[i] = std::cos(5 * static_cast<double>(i * i));
  const std::string numbers = raw(q, Storage::float32) + raw(k, Storage::float32);
  place.write("model.safetensors",
              safetensors_file(R"({"model.layers.0.self_attn.q_proj.weight":{"dtype":"F32","shape":[16,16],)"
                               R"("data_offsets":[0,1024]},"model.layers.0.self_attn.k_proj.weight":{"dtype":"F32",)"
                               R"("shape":[16,16],"data_offsets":[1024,2048]}})",
                               numbers));
  place.write("config.json", R"({"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2,
      "max_position_embeddings": 64})");
  place.write("right.gguf", converted(q, k, true));
  place.write("forgotten.gguf", converted(q, k, false));
  EXPECT_THAT(place.good({"weights", "right.gguf", "--against", "model.safetensors"}), HasSubstr("agrees"));
  const Outcome wrong = place.run({"weights", "forgotten.gguf", "--against", "model.safetensors", "--json"});
  EXPECT_EQ(wrong.exit_code, 1);
  const json found = json::parse(wrong.output);
  EXPECT_EQ(found["layers"][0]["query"]["order"], "same");
  EXPECT_EQ(found["layers"][0]["expected"], "to-adjacent");
  place.write("more.safetensors",
              safetensors_file(R"({"model.layers.0.self_attn.q_proj.weight":{"dtype":"F32","shape":[16,16],)"
                               R"("data_offsets":[0,1024]},"model.layers.0.self_attn.k_proj.weight":{"dtype":"F32",)"
                               R"("shape":[16,16],"data_offsets":[1024,2048]},)"
                               R"("model.layers.1.self_attn.q_proj.weight":{"dtype":"F32","shape":[16,16],)"
                               R"("data_offsets":[2048,3072]},"model.layers.1.self_attn.k_proj.weight":{"dtype":"F32",)"
                               R"("shape":[16,16],"data_offsets":[3072,4096]}})",
                               numbers + numbers));
  const Outcome less = place.run({"weights", "right.gguf", "--against", "more.safetensors", "--json"});
  EXPECT_EQ(less.exit_code, 1);
  EXPECT_EQ(json::parse(less.output)["only_in_against"], json({1}));
  EXPECT_EQ(json::parse(less.output)["layers"][0]["agrees"], true);
  place.bad({"weights", "right.gguf", "--against", "model.safetensors", "-o", "w.csv"}, {"--against", "w.csv"});
  place.bad({"weights", "right.gguf", "--against", "model.safetensors", "--fast", "3"}, {"--against", "--fast"});
  place.bad({"weights", "right.gguf", "--json", "-o", "w.csv"}, {"--json", "w.csv"});
  place.bad({"weights", "right.gguf", "--layer", "5"}, {"--layer", "5"});
  place.bad({"decay", "--weights", "right.gguf", "--distances", "1"}, {"right.gguf", "layer 0", "head 1"});
  for (const std::string fast : {"x", "0.5", "1e10"}) {
    place.bad({"weights", "model.safetensors", "--fast", fast}, {"--fast", fast});
  }
}

}  // namespace
}  // namespace ropescope
