// A config compared with GGUF files that the tests write, each with one error: every cause that metadata can have is
// reported, from either side. Then pairs of the published configs.

#include "check_configs.h"
#include "core/formats/families/gguf_config.h"
#include "core/formats/json.h"
#include "core/formats/models.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/gguf_files.h"
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
constexpr const char* kQwenYarn = R"({"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
    "rope_theta": 1000000.0, "max_position_embeddings": 32768,
    "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}})";
constexpr const char* kGgufLlama = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000.0, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
    "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";
constexpr const char* kGemma = R"({"model_type": "gemma3_text", "hidden_size": 2560, "num_attention_heads": 8,
    "head_dim": 256, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0, "max_position_embeddings": 131072,
    "sliding_window": 1024, "rope_scaling": {"rope_type": "linear", "factor": 8.0}})";
constexpr const char* kMistral = R"({"model_type": "mistral", "hidden_size": 5120, "num_attention_heads": 32,
    "head_dim": 128, "rope_theta": 1000000.0, "max_position_embeddings": 262144, "rope_parameters": {"rope_type": "yarn",
    "rope_theta": 1000000.0, "factor": 16.0, "beta_fast": 32.0, "beta_slow": 1.0,
    "original_max_position_embeddings": 16384}})";

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

GgufWriter gemma(bool extended = true) {
  GgufWriter writer;
  add_model(writer, "gemma3", 131072, 2560, 8).whole("gemma3.attention.key_length", 256);
  writer.real("gemma3.rope.freq_base", 1e6).whole("gemma3.attention.sliding_window", 1024);
  return extended ? scaled(writer, "linear", 8, "gemma3") : writer;
}

GgufWriter mistral() {
  GgufWriter writer;
  add_model(writer, "mistral3", 262144, 5120, 32).whole("mistral3.attention.key_length", 128);
  writer.real("mistral3.rope.freq_base", 1e6).whole("mistral3.rope.scaling.original_context_length", 16384);
  return scaled(writer, "yarn", 16, "mistral3");
}

void expect_causes(const char* text, std::vector<Fault> faults) {
  for (Fault& fault : faults) EXPECT_EQ(only_cause(text, fault.file), fault.cause) << fault.what;
}

std::string find_published_config(const std::string& name) {
  return content_of(fs::path(source_folder()) / "../shared/configs" / (name + ".json"));
}

}  // namespace

TEST(CompareGguf, APlainModel) {
  expect_causes(kGgufQwen,
                {{"nothing", qwen(), "agrees"},
                 {"its base", qwen(10000), "base of text"},
                 {"a base that was forgotten",
                  [] {
                    GgufWriter writer;
                    return add_model(writer, "qwen2", 32768, 3584, 28);
                  }(),
                  "base of text"},
                 {"its rotary dimension", qwen().whole("qwen2.rope.dimension_count", 64), "rotary-dimension of text"},
                 {"its head", qwen().whole("qwen2.attention.key_length", 96), "rotary-dimension of text"},
                 {"an amplitude", qwen().real("qwen2.rope.scaling.attn_factor", 1.25), "amplitude of text"},
                 {"an extension", scaled(qwen(), "linear", 4), "scaling-missing of text"},
                 {"an old extension", qwen().real("qwen2.rope.scale_linear", 2), "scaling-missing of text"},
                 {"pairs of neighbours", qwen(1e6, "command-r"), "pairing of text"},
                 {"its length", qwen(1e6, "qwen2", 8192), "agrees"}});
}

TEST(CompareGguf, AModelWithYarn) {
  const GgufWriter right = scaled(qwen(), "yarn", 4);
  const auto with = [&](const char* key, double value) {
    return GgufWriter(right).real(std::string("qwen2.rope.scaling.") + key, value);
  };
  expect_causes(kQwenYarn, {{"nothing", right, "agrees"},
                            {"its extension", qwen(), "scaling-missing of text"},
                            {"its method", scaled(qwen(), "linear", 4), "scaling-kind of text"},
                            {"its factor", scaled(qwen(), "yarn", 8), "scaling-parameters of text"},
                            {"the length that it counts from",
                             GgufWriter(right).whole("qwen2.rope.scaling.original_context_length", 8192),
                             "scaling-parameters of text"},
                            {"its amplitude", with("attn_factor", 0.5), "amplitude of text"},
                            {"its base", scaled(qwen(10000), "yarn", 4), "base of text"}});
  const GgufWriter betas = mistral();
  expect_causes(
      kMistral,
      {{"nothing", GgufWriter(betas).real("mistral3.rope.scaling.yarn_beta_fast", 32), "agrees"},
       {"beta_fast", GgufWriter(betas).real("mistral3.rope.scaling.yarn_beta_fast", 4), "scaling-parameters of text"},
       {"its amplitude", GgufWriter(betas).real("mistral3.rope.scaling.yarn_log_multiplier", 1), "amplitude of text"}});
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

TEST(CompareGguf, AModelWithTwoKindsOfLayers) {
  expect_causes(kGemma, {{"nothing", gemma(), "agrees"},
                         {"the extension", gemma(false), "scaling-missing of full attention"},
                         {"the base of the sliding layers", gemma().real("gemma3.rope.freq_base_swa", 20000),
                          "base of sliding attention"}});
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
