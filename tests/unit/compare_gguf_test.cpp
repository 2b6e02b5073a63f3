// A config compared with GGUF files that the tests write, each with one error: every cause that metadata can have is
// reported, from either side. Then pairs of the published configs.

#include "check_configs.h"
#include "core/formats/families/gguf_config.h"
#include "core/formats/json.h"
#include "core/formats/models.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/unit/gguf_rows.h"
#include "tests/unit/reference_data.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

ModelSide config(const std::string& text) {
  ModelSide side;
  side.layout = find_layout_config(text, "config.json");
  if (!side.layout || side.layout->plain_ladders) side.profiles = parse_model_config(text, "config.json").profiles;
  return side;
}

ModelSide gguf(const GgufWriter& writer) {
  const std::string content = writer.file();
  const GgufFile file = read_gguf(bytes_of(content), "m.gguf");
  return {parse_gguf_config({&file, 1}).profiles, std::nullopt};
}

/// "base of text", each difference that changes scores.
std::vector<std::string> list_gguf_causes(const ModelComparison& found) {
  std::vector<std::string> names;
  for (const ModelDifference& difference : found.differences)
    names.push_back(difference.cause + " of " + difference.profile);
  return names;
}

/// The only difference, the same from either side and with a change of the score.
std::string only_cause(const std::string& text, const GgufWriter& writer) {
  const ModelSide a = config(text), b = gguf(writer);
  const ModelComparison found = compare_models(a, b);
  EXPECT_EQ(found.agrees, found.differences.empty());
  EXPECT_EQ(list_gguf_causes(compare_models(b, a)), list_gguf_causes(found));
  for (const ModelDifference& difference : found.differences)
    EXPECT_GT(difference.change.largest, 0) << difference.cause;
  const std::vector<std::string> names = list_gguf_causes(found);
  return names.empty() ? "agrees" : names.size() == 1 ? names[0] : names[0] + " and others";
}

// ---- models ---------------------------------------------------------------------------------------------------------

constexpr const char* kGgufQwen = R"({"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
    "rope_theta": 1000000.0, "max_position_embeddings": 32768})";
constexpr const char* kGgufLlama = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000.0, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
    "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";

struct Fault {
  std::string what;
  GgufWriter file;
  std::string cause;
};

GgufWriter qwen(double base = 1e6, const std::string& architecture = "qwen2", std::uint64_t length = 32768) {
  GgufWriter writer;
  add_model(writer, architecture, length, 3584, 28).real(architecture + ".rope.freq_base", base);
  return writer;
}

GgufWriter scaled(GgufWriter writer, const std::string& type, double factor,
                  const std::string& architecture = "qwen2") {
  return writer.text(architecture + ".rope.scaling.type", type).real(architecture + ".rope.scaling.factor", factor);
}

GgufWriter make_compared_llama(double base = 500000) {
  GgufWriter writer;
  add_model(writer, "llama", 131072, 4096, 32).whole("llama.rope.dimension_count", 128);
  return writer.real("llama.rope.freq_base", base);
}

/// What a converter writes for llama3, in float32.
std::vector<double> compute_compared_factors(double factor, double length) {
  RotarySpec spec;
  spec.axes.front().base = 500000;
  spec.trained_length = length;
  spec.extension = {"llama3", {{"factor", factor}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}};
  const Eigen::VectorXd plain = plain_frequencies(128, 500000), extended = head_ladder(spec).frequencies;
  std::vector<double> factors;
  for (Eigen::Index i = 0; i < plain.size(); ++i) factors.push_back(static_cast<float>(plain[i] / extended[i]));
  return factors;
}

void expect_causes(const char* text, std::vector<Fault> faults) {
  for (Fault& fault : faults) EXPECT_EQ(only_cause(text, fault.file), fault.cause) << fault.what;
}

std::string find_published_config(const std::string& name) {
  return content_of(fs::path(source_folder()) / "../shared/configs" / (name + ".json"));
}

}  // namespace

TEST(CompareGguf, WhatElseAFileSaysIsTheCauseOfItsRow) {
  std::size_t rows = 0;
  const json models = read_reference("gguf/compare.json")["models"];
  for (const json& model : models) {
    for (const json& row : model.at("rows")) {
      json values = model.at("start");
      values.merge_patch(row.at(1));
      EXPECT_EQ(only_cause(model.at("config").dump(), gguf_of(values)), row.at(2).get<std::string>()) << row;
      ++rows;
    }
  }
  EXPECT_EQ(rows, 23u);
}

TEST(CompareGguf, AModelWithATensorOfFactors) {
  const std::string freqs = "rope_freqs.weight";
  std::vector<double> odd = compute_compared_factors(8, 8192);
  odd[40] *= 1.5;
  expect_causes(kGgufLlama,
                {{"nothing", make_compared_llama().tensor(freqs, compute_compared_factors(8, 8192)), "agrees"},
                 {"its factors", make_compared_llama(), "scaling-missing of text"},
                 {"the factor", make_compared_llama().tensor(freqs, compute_compared_factors(32, 8192)),
                  "scaling-parameters of text"},
                 {"the length", make_compared_llama().tensor(freqs, compute_compared_factors(8, 4096)),
                  "scaling-parameters of text"},
                 {"one of the factors", make_compared_llama().tensor(freqs, odd), "scaling-kind of text"}});
}

TEST(CompareGguf, FactorsOfLongrope) {
  std::vector<double> near(48), far(48);
  for (std::size_t i = 0; i < 48; ++i) near[i] = 1 + 0.01 * static_cast<double>(i), far[i] = 1 + static_cast<double>(i);
  const auto list = [](const std::vector<double>& factors) {
    std::string text;
    for (const double factor : factors) text += (text.empty() ? "" : ", ") + std::to_string(factor);
    return "[" + text + "]";
  };
  const std::string text = R"({"model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32,
      "max_position_embeddings": 131072, "original_max_position_embeddings": 4096, "rope_theta": 10000.0,
      "rope_scaling": {"type": "longrope", "short_factor": )" +
                           list(near) + R"(, "long_factor": )" + list(far) + "}}";
  // What the converter computes of 131072 and 4096.
  const double attention = std::sqrt(1 + std::log(32.0) / std::log(4096.0));
  const auto file = [&](const std::vector<double>& shorts, const std::vector<double>& longs, double amplitude) {
    GgufWriter writer;
    add_model(writer, "phi3", 131072, 3072, 32).whole("phi3.rope.dimension_count", 96);
    writer.real("phi3.rope.freq_base", 10000).whole("phi3.rope.scaling.original_context_length", 4096);
    writer.real("phi3.rope.scaling.attn_factor", amplitude);
    return writer.tensor("rope_factors_long.weight", longs).tensor("rope_factors_short.weight", shorts);
  };
  std::vector<double> other = near;
  other[20] = 3;
  expect_causes(text.c_str(), {{"nothing", file(near, far, attention), "agrees"},
                               {"a short factor", file(other, far, attention), "scaling-parameters of text"},
                               {"the amplitude", file(near, far, 1), "amplitude of text"}});
}

TEST(CompareGguf, ReorderedWeightsAreARemark) {
  const ModelComparison found = compare_models(
      config(kGgufLlama), gguf(make_compared_llama().tensor("rope_freqs.weight", compute_compared_factors(8, 8192))));
  EXPECT_TRUE(found.agrees);
  EXPECT_THAT(said(found.remarks), Contains(Says("compare.permuted_b")));
  EXPECT_THAT(compare_models(config(kGgufQwen), gguf(qwen(1e6, "qwen2", 8192))).notes, SizeIs(1))
      << "the trained length";
}

// ---- published configs ----------------------------------------------------------------------------------------------

TEST(CompareGguf, PublishedConfigsAgreeWithWhatTheirConverterWrites) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const auto plain = [](const char* architecture, std::uint64_t length, std::uint64_t embedding, std::uint64_t heads,
                        double base) {
    GgufWriter writer;
    return add_model(writer, architecture, length, embedding, heads)
        .real(std::string(architecture) + ".rope.freq_base", base);
  };
  const std::pair<const char*, GgufWriter> models[] = {
      {"llama-3.1-8b", make_compared_llama().tensor("rope_freqs.weight", compute_compared_factors(8, 8192))},
      {"llama-2-7b", plain("llama", 4096, 4096, 32, 10000)},
      {"qwen2.5-7b-instruct", qwen()},
      {"qwen2.5-7b-instruct-yarn", scaled(qwen(), "yarn", 4)},
      {"gemma-2-2b", plain("gemma2", 8192, 2304, 8, 10000).whole("gemma2.attention.key_length", 256)},
      {"phi-2", plain("phi2", 2048, 2560, 32, 10000).whole("phi2.rope.dimension_count", 32)},
      {"command-r-08-2024", plain("command-r", 131072, 8192, 64, 4e6)},
      {"pythia-6.9b", plain("gptneox", 2048, 4096, 32, 10000).whole("gptneox.rope.dimension_count", 32)},
      {"qwen3-14b", plain("qwen3", 40960, 5120, 40, 1e6).whole("qwen3.attention.key_length", 128)}};
  for (const auto& [name, file] : models) {
    EXPECT_EQ(only_cause(find_published_config(name), file), "agrees") << name;
    // The same with one key that says something else.
    ModelSide other = gguf(file);
    for (Profile& profile : other.profiles) profile.spec.axes.front().base *= 2;
    EXPECT_FALSE(compare_models(config(find_published_config(name)), other).agrees) << name;
  }
}

TEST(CompareGguf, PairsOfPublishedConfigsDifferByTheseCauses) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const json pairs = read_reference("configs/pairs.json")["rows"];
  ASSERT_EQ(pairs.size(), 10u);
  for (const json& pair : pairs) {
    const ModelSide a = config(find_published_config(pair[0])), b = config(find_published_config(pair[1]));
    const auto causes = pair[2].get<std::vector<std::string>>();
    EXPECT_THAT(list_gguf_causes(compare_models(a, b)), testing::ElementsAreArray(causes)) << pair;
    EXPECT_THAT(list_gguf_causes(compare_models(b, a)), testing::UnorderedElementsAreArray(causes)) << pair;
  }
}

}  // namespace ropescope
