#include "core/formats/families/gguf_config.h"

#include "core/formats/families/gguf_architectures.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/gguf_files.h"
#include "tests/said.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

ModelConfig read_gguf_config(const std::string& content) {
  const GgufFile file = read_gguf(bytes_of(content), "m.gguf");
  return parse_gguf_config({&file, 1});
}
Profile parse_only_profile(const std::string& content) {
  const ModelConfig config = read_gguf_config(content);
  EXPECT_EQ(config.profiles.size(), 1u);
  return config.profiles.front();
}
std::string find_gguf_config_error(const std::string& content) {
  return refusal_of([&] { read_gguf_config(content); });
}

GgufWriter make_gguf_llama() {
  GgufWriter writer;
  add_model(writer, "llama", 131072, 4096, 32).whole("llama.rope.dimension_count", 128);
  writer.real("llama.rope.freq_base", 500000);
  return writer;
}
GgufWriter qwen2() {
  GgufWriter writer;
  add_model(writer, "qwen2", 32768, 3584, 28).real("qwen2.rope.freq_base", 1e6);
  return writer;
}

/// What a converter writes for llama3, in float32.
std::vector<double> compute_llama3_factors(double factor, double low, double high, double length) {
  RotarySpec spec;
  spec.axes.front().base = 500000;
  spec.trained_length = length;
  spec.extension = {"llama3", {{"factor", factor}, {"low_frequency_factor", low}, {"high_frequency_factor", high}}, {}};
  const Eigen::VectorXd plain = plain_frequencies(128, 500000), scaled = head_ladder(spec).frequencies;
  std::vector<double> factors;
  for (Eigen::Index i = 0; i < plain.size(); ++i) factors.push_back(static_cast<float>(plain[i] / scaled[i]));
  return factors;
}

TEST(GgufConfig, ALlamaMeansWhatItsOwnConfigMeans) {
  const std::string content =
      make_gguf_llama().tensor("rope_freqs.weight", compute_llama3_factors(8, 1, 4, 8192)).file();
  const Profile converted = parse_only_profile(content);
  const ModelConfig own = parse_model_config(
      R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
          "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
          "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})",
      "config.json");
  RotarySpec spec = converted.spec;
  EXPECT_EQ(spec.pairing, Pairing::interleaved);
  EXPECT_TRUE(converted.permuted);
  spec.pairing = Pairing::half_split;
  EXPECT_EQ(spec, own.profiles.front().spec);
  EXPECT_THAT(said(converted.notes), Contains(Says("gguf_note.permuted")));
  EXPECT_THAT(said(converted.notes), Contains(Says("gguf_note.llama3", {{"tensor", "rope_freqs.weight"}})));
  EXPECT_THAT(said(converted.notes), Contains(Says("config_note.lengths", {{"other", "llama.context_length"},
                                                                           {"length", "131072"},
                                                                           {"taken", "rope_freqs.weight"},
                                                                           {"trained", "8192"}})));
}

TEST(GgufConfig, FactorsOfOtherNumbersAreFound) {
  for (const auto& [factor, low, high, length] :
       {std::array{32.0, 1.0, 4.0, 8192.0}, std::array{16.0, 1.0, 2.0, 4096.0}, std::array{8.0, 1.0, 8.0, 65536.0}}) {
    const Profile profile = parse_only_profile(
        make_gguf_llama().tensor("rope_freqs.weight", compute_llama3_factors(factor, low, high, length)).file());
    EXPECT_EQ(profile.spec.extension.method, "llama3");
    EXPECT_EQ(profile.spec.extension.numbers.at("factor"), factor);
    EXPECT_EQ(profile.spec.extension.numbers.at("high_frequency_factor"), high);
    EXPECT_EQ(profile.spec.trained_length, length);
  }
  // Only length/low and length/high can be told: these are the same factors as those of 1, 4 and 8192.
  const Profile same =
      parse_only_profile(make_gguf_llama().tensor("rope_freqs.weight", compute_llama3_factors(8, 0.5, 2, 4096)).file());
  EXPECT_EQ(same.spec.trained_length, 8192);
}

TEST(GgufConfig, OtherFactorsStayAList) {
  std::vector<double> factors(64, 1.0);
  factors[10] = 3;
  const Profile profile = parse_only_profile(make_gguf_llama().tensor("rope_freqs.weight", factors).file());
  EXPECT_EQ(profile.spec.extension.method, "longrope");
  EXPECT_EQ(profile.spec.extension.lists.at("short_factors"), factors);
  EXPECT_EQ(profile.spec.extension.lists.at("long_factors"), factors);
  EXPECT_EQ(head_ladder(profile.spec).amplitude, 1);
  EXPECT_THAT(said(profile.notes), Contains(Says("gguf_note.factors")));
  factors[10] = 1;
  EXPECT_EQ(parse_only_profile(make_gguf_llama().tensor("rope_freqs.weight", factors).file()).spec.extension.method,
            "none");
}

TEST(GgufConfig, FactorsThatDoNotFit) {
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", {1, 2}).file()),
              Says("error.gguf.few_factors", {{"name", "rope_freqs.weight"}, {"count", "2"}, {"pairs", "64"}}));
  std::vector<double> factors(64, 1.0);
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", factors, 26).file()),
              Says("error.gguf.factor_type", {{"name", "rope_freqs.weight"}, {"type", "26"}}));
  factors[3] = 0;
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", factors).file()),
              Says("error.gguf.factor", {{"found", "0"}, {"pair", "3"}}));
  factors[3] = NAN;
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", factors).file()),
              Says("error.gguf.factor", {{"pair", "3"}}));
  factors[3] = 2;
  GgufWriter both = make_gguf_llama();
  both.text("llama.rope.scaling.type", "yarn").real("llama.rope.scaling.factor", 4);
  EXPECT_THAT(find_gguf_config_error(both.tensor("rope_freqs.weight", factors).file()),
              Says("error.gguf.yarn_and_factors"));
}

auto WrongType(const std::string& key, const std::string& found, const std::string& expected) {
  return Says("error.gguf.wrong_type", {{"key", key}, {"found", found}, {"expected", expected}});
}

TEST(GgufConfig, KeysOfAnotherTypeAreNamed) {
  GgufWriter base;
  add_model(base, "llama", 4096, 4096, 32).whole("llama.rope.freq_base", 10000);
  EXPECT_THAT(find_gguf_config_error(base.file()),
              AllOf(HasSubstr("m.gguf: "), WrongType("llama.rope.freq_base", "uint32", "float32")));
  GgufWriter count;
  add_model(count, "llama", 4096, 4096, 32).real("llama.rope.dimension_count", 128);
  EXPECT_THAT(find_gguf_config_error(count.file()), WrongType("llama.rope.dimension_count", "float32", "uint32"));
  GgufWriter name;
  EXPECT_THAT(find_gguf_config_error(name.whole("general.architecture", 3).file()),
              WrongType("general.architecture", "uint32", "text"));
  GgufWriter type = qwen2();
  EXPECT_THAT(find_gguf_config_error(type.whole("qwen2.rope.scaling.type", 2).file()),
              WrongType("qwen2.rope.scaling.type", "uint32", "text"));
  GgufWriter sections;
  add_model(sections, "qwen2vl", 32768, 3584, 28).texts("qwen2vl.rope.dimension_sections", {"16"});
  EXPECT_THAT(find_gguf_config_error(sections.file()),
              WrongType("qwen2vl.rope.dimension_sections", said(Message("gguf.array_of", {{"type", "text"}})),
                        said(Message("gguf.array_of", {{"type", "int32"}}))));
  // Whole numbers may have any width.
  GgufWriter wide;
  add_model(wide, "qwen2", 32768, 3584, 28).whole("qwen2.attention.key_length", 64, GgufType::uint64);
  EXPECT_EQ(parse_only_profile(wide.file()).spec.head_dim, 64);
}

TEST(GgufConfig, ValuesOutOfRangeAreNamed) {
  EXPECT_THAT(find_gguf_config_error(qwen2().text("qwen2.rope.scaling.type", "magic").file()),
              Says("error.gguf.value",
                   {{"key", "qwen2.rope.scaling.type"},
                    {"found", "\"magic\""},
                    {"expected", said(one_of(std::vector<std::string>{"none", "linear", "yarn", "longrope"}))}}));
  EXPECT_THAT(
      find_gguf_config_error(qwen2().real("qwen2.rope.scaling.factor", -4).file()),
      Says("error.gguf.value",
           {{"key", "qwen2.rope.scaling.factor"}, {"found", "-4"}, {"expected", said(Message("gguf.from_0"))}}));
  EXPECT_THAT(find_gguf_config_error(qwen2().real("qwen2.rope.scaling.factor", INFINITY).file()),
              Says("expected.finite"));
  EXPECT_THAT(find_gguf_config_error(qwen2().real("qwen2.rope.scaling.attn_factor", 0).file()),
              Says("expected.above_0"));
  EXPECT_THAT(find_gguf_config_error(qwen2().whole("qwen2.rope.dimension_count", 4096).file()), HasSubstr("m.gguf: "));
  EXPECT_THAT(find_gguf_config_error(qwen2().whole("qwen2.rope.dimension_count", 0).file()),
              Says("error.gguf.value", {{"key", "qwen2.rope.dimension_count"},
                                        {"found", "0"},
                                        {"expected", said(Message("expected.whole_above_0"))}}));
  GgufWriter part;
  add_model(part, "llama", 4096, 4096, 32).whole("llama.rope.dimension_count", 64);
  EXPECT_THAT(
      find_gguf_config_error(part.file()),
      Says("error.gguf.whole_head", {{"key", "llama.rope.dimension_count"}, {"rotary", "64"}, {"head", "128"}}));
  GgufWriter headless;
  headless.text("general.architecture", "qwen2").real("qwen2.rope.freq_base", 1e6);
  EXPECT_THAT(
      find_gguf_config_error(headless.file()),
      Says("error.gguf.no_head", {{"key", "qwen2.attention.key_length"}, {"embedding", "qwen2.embedding_length"}}));
}

TEST(GgufConfig, ArchitecturesWithoutARotaryEmbedding) {
  GgufWriter mamba;
  EXPECT_THAT(find_gguf_config_error(add_model(mamba, "mamba", 4096, 4096, 32).file()),
              Says("config_note.unrotated_architecture",
                   {{"architecture", "\"mamba\""}, {"why", said(Message("config_why.state"))}}));
  GgufWriter baichuan;  // 13B has ALiBi
  add_model(baichuan, "baichuan", 4096, 5120, 40);
  EXPECT_EQ(parse_only_profile(baichuan.file()).spec.head_dim, 128);
  GgufWriter larger;
  larger.text("general.architecture", "baichuan").whole("baichuan.block_count", 40);
  EXPECT_THAT(find_gguf_config_error(larger.file()),
              Says("config_note.unrotated_architecture", {{"why", said(Message("config_why.alibi"))}}));
  GgufWriter gpt;
  EXPECT_THAT(find_gguf_config_error(add_model(gpt, "gpt2", 1024, 768, 12).file()),
              Says("config_why.vector_of_each", {{"count", "1024"}, {"field", "gpt2.context_length"}}));
  GgufWriter flux;
  EXPECT_THAT(
      find_gguf_config_error(flux.text("general.architecture", "flux").file()),
      Says("error.gguf.nothing",
           {{"architecture", "\"flux\""}, {"base", "flux.rope.freq_base"}, {"rotary", "flux.rope.dimension_count"}}));
  GgufWriter nobody;
  EXPECT_THAT(find_gguf_config_error(nobody.file()),
              Says("error.gguf.no_architecture", {{"key", "general.architecture"}}));
  GgufWriter granite;
  add_model(granite, "granite", 4096, 4096, 32).flag("granite.rope.scaling.finetuned", false);
  EXPECT_THAT(find_gguf_config_error(granite.file()), Says("config_note.unrotated_architecture"));
  GgufWriter unknown;
  add_model(unknown, "brand-new", 4096, 4096, 32).real("brand-new.rope.freq_base", 1e6);
  EXPECT_THAT(said(parse_only_profile(unknown.file()).notes),
              Contains(Says("gguf_note.unknown_architecture", {{"architecture", "\"brand-new\""}})));
}

TEST(GgufConfig, WhatTheProgramDoesNotReadIsSaid) {
  const auto notes = [](GgufWriter writer) { return said(parse_only_profile(writer.file()).notes); };
  GgufWriter yarn = qwen2();
  yarn.text("qwen2.rope.scaling.type", "yarn").real("qwen2.rope.scaling.factor", 4);
  EXPECT_THAT(notes(yarn), IsEmpty());
  yarn.real("qwen2.rope.scaling.yarn_beta_fast", 16).real("qwen2.rope.scaling.yarn_log_multiplier", 0.1);
  EXPECT_THAT(
      notes(yarn),
      ElementsAre(
          Says("gguf_note.unread",
               {{"key", "qwen2.rope.scaling.yarn_beta_fast"}, {"value", "16"}, {"architecture", "\"qwen2\""}}),
          Says("gguf_note.unread",
               {{"key", "qwen2.rope.scaling.yarn_log_multiplier"}, {"value", "0.1"}, {"architecture", "\"qwen2\""}})));
  EXPECT_THAT(notes(qwen2().tensor("rope_freqs.weight", {1})),
              Contains(Says("gguf_note.unread_tensor", {{"tensor", "rope_freqs.weight"}})));
  GgufWriter lists = make_gguf_llama();
  EXPECT_THAT(notes(lists.text("llama.rope.scaling.type", "longrope")), Contains(Says("gguf_note.no_lists")));
}

TEST(GgufConfig, SectionsWindowsAndLayersWithoutTurns) {
  GgufWriter vision;
  add_model(vision, "qwen3vl", 32768, 4096, 32).wholes("qwen3vl.rope.dimension_sections", {24, 20, 20, 0});
  EXPECT_THAT(said(parse_only_profile(vision.file()).notes),
              ElementsAre(Says("config_note.interleaved_pairs", {{"pairs", "24 + 20 + 20"}})));
  GgufWriter glm;
  add_model(glm, "glm4", 32768, 4096, 32).wholes("glm4.rope.dimension_sections", {8, 12, 12, 0});
  EXPECT_EQ(parse_only_profile(glm.file()).spec.pairing, Pairing::half_split);
  EXPECT_TRUE(parse_only_profile(glm.file()).permuted);
  EXPECT_THAT(said(parse_only_profile(glm.file()).notes), Contains(Says("gguf_note.permuted_to_halves")));
  GgufWriter smol;
  add_model(smol, "smollm3", 32768, 2048, 16);
  EXPECT_THAT(said(parse_only_profile(smol.file()).notes),
              Contains(Says("config_note.one_unrotated_in_of", {{"interval", "4"}})));
  GgufWriter gemma;
  add_model(gemma, "gemma3", 32768, 2560, 8).whole("gemma3.attention.key_length", 256);
  EXPECT_EQ(read_gguf_config(gemma.file()).profiles.size(), 1u);  // no window, no sliding layers
  gemma.whole("gemma3.attention.sliding_window", 1024).real("gemma3.rope.freq_base", 1e6);
  const ModelConfig two = read_gguf_config(gemma.file());
  ASSERT_EQ(two.profiles.size(), 2u);
  EXPECT_THAT(said(two.profiles[1].notes),
              Contains(Says("config_note.window_of_these",
                            {{"positions", "1024"}, {"field", "gemma3.attention.sliding_window"}})));
}

/// A model of so many layers.
GgufWriter layered(const std::string& architecture, std::uint64_t layers) {
  GgufWriter writer;
  const std::string prefix = architecture + ".";
  writer.text("general.architecture", architecture).whole(prefix + "block_count", layers);
  writer.whole(prefix + "context_length", 131072).whole(prefix + "attention.key_length", 64);
  return writer;
}

/// What is said of its layers by number.
std::string unrotated_in(const GgufWriter& writer) {
  const auto config = read_gguf_config(writer.file());
  for (const Message& note : config.profiles.front().notes) {
    if (note.key == "config_note.unrotated" || note.key == "config_note.one_unrotated_in_of") return said(note);
  }
  return "";
}

TEST(GgufConfig, LayersWithoutTurnsAreListedByNumber) {
  const auto windowed = [](const std::string& architecture, std::uint64_t layers) {
    return layered(architecture, layers).whole(architecture + ".attention.sliding_window", 4096);
  };
  EXPECT_THAT(unrotated_in(windowed("smallthinker", 52)),
              Says("config_note.one_unrotated_in_of",
                   {{"interval", "4"}, {"count", "13"}, {"layers", "52"}, {"numbers", "0, 4, …, 48"}}));
  EXPECT_EQ(unrotated_in(layered("smallthinker", 52)), "");
  EXPECT_THAT(unrotated_in(windowed("afmoe", 8)),
              Says("config_note.one_unrotated_in_of",
                   {{"interval", "4"}, {"count", "2"}, {"layers", "8"}, {"numbers", "3, 7"}}));
  EXPECT_THAT(unrotated_in(windowed("cohere2", 32)),
              AllOf(Says("config_note.unrotated", {{"count", "8"}, {"layers", "32"}}), HasSubstr(" 3, 7")));
  EXPECT_THAT(unrotated_in(windowed("cohere2", 32).whole("cohere2.attention.sliding_window_pattern", 8)),
              AllOf(Says("config_note.unrotated", {{"count", "4"}, {"layers", "32"}}), HasSubstr(" 7, 15, …, 31")));
  EXPECT_THAT(unrotated_in(windowed("exaone4", 64)),
              Says("config_note.unrotated", {{"count", "16"}, {"layers", "64"}}));
  EXPECT_EQ(unrotated_in(layered("exaone4", 30)), "");
  const auto sparse = [&] { return windowed("cohere2moe", 9).whole("cohere2moe.leading_dense_block_count", 1); };
  EXPECT_THAT(unrotated_in(sparse()),
              Says("config_note.unrotated", {{"count", "2"}, {"layers", "9"}, {"numbers", "4, 8"}}));
  EXPECT_THAT(unrotated_in(sparse().wholes("cohere2moe.attention.sliding_window_pattern", {0, 1, 1, 0, 1, 1, 1, 0, 1},
                                           GgufType::boolean)),
              Says("config_note.unrotated", {{"count", "2"}, {"layers", "9"}, {"numbers", "3, 7"}}));
  EXPECT_THAT(
      unrotated_in(windowed("muse-glimmer", 4)
                       .wholes("muse-glimmer.attention.sliding_window_pattern", {0, 1, 1, 0}, GgufType::boolean)),
      Says("config_note.unrotated", {{"count", "2"}, {"layers", "4"}, {"numbers", "0, 3"}}));
  EXPECT_THAT(unrotated_in(layered("granite_swa", 4).wholes("granite_swa.attention.rope_pattern", {0, 1, 1, 1})),
              Says("config_note.unrotated", {{"count", "1"}, {"layers", "4"}, {"numbers", "0"}}));
}

TEST(GgufConfig, LayersWithoutAttentionAreListedByNumber) {
  EXPECT_THAT(unrotated_in(layered("lfm2", 4).wholes("lfm2.attention.head_count_kv", {0, 0, 8, 0})),
              Says("config_note.unrotated", {{"count", "3"}, {"layers", "4"}, {"numbers", "0, 1, 3"}}));
  EXPECT_THAT(unrotated_in(layered("qwen3next", 8)),
              AllOf(Says("config_note.unrotated", {{"count", "6"}, {"layers", "8"}}), HasSubstr(" 0–2, 4–6")));
  EXPECT_THAT(unrotated_in(layered("qwen3next", 6).whole("qwen3next.full_attention_interval", 3)),
              AllOf(Says("config_note.unrotated", {{"count", "4"}, {"layers", "6"}}), HasSubstr(" 0, 1, 3, 4")));
  EXPECT_THAT(unrotated_in(layered("qwen35", 4).wholes("qwen35.attention.recurrent_layers", {1, 0, 1, 0})),
              Says("config_note.unrotated", {{"count", "2"}, {"layers", "4"}, {"numbers", "0, 2"}}));
  EXPECT_THAT(unrotated_in(layered("minimax-01", 16)),
              Says("config_note.unrotated", {{"count", "14"}, {"layers", "16"}}));
  // Layers of multi-token prediction are none of these.
  EXPECT_THAT(unrotated_in(layered("qwen35moe", 5).whole("qwen35moe.nextn_predict_layers", 1)),
              AllOf(Says("config_note.unrotated", {{"count", "3"}, {"layers", "4"}}), HasSubstr(" 0–2")));
  EXPECT_EQ(unrotated_in(layered("qwen3", 4).wholes("qwen3.attention.head_count_kv", {8, 8, 8, 8})), "");
}

TEST(GgufConfig, ProfilesSayWhichLayersTheyAreOf) {
  const auto notes = [](const GgufWriter& writer, std::size_t profile) {
    return said(read_gguf_config(writer.file()).profiles.at(profile).notes);
  };
  const auto gemma = [](const char* architecture, std::uint64_t layers) {
    const std::string prefix(architecture);
    return layered(prefix, layers)
        .whole(prefix + ".attention.sliding_window", 128)
        .real(prefix + ".rope.freq_base", 1e6);
  };
  EXPECT_THAT(notes(gemma("gemma3", 13), 0),
              Contains(Says("config_note.layers_of",
                            {{"count", "2"}, {"layers", "13"}, {"profile", "full attention"}, {"numbers", "5, 11"}})));
  EXPECT_THAT(notes(gemma("gemma3", 13), 1), Contains(Says("config_note.layers_of", {{"numbers", "0–4, 6–10, 12"}})));
  EXPECT_THAT(notes(gemma("modern-bert", 7), 0),
              Contains(Says("config_note.layers_of", {{"profile", "full attention"}, {"numbers", "0, 3, 6"}})));
  EXPECT_THAT(notes(gemma("modern-bert", 7), 1), Contains(Says("config_note.window_each_side", {{"positions", "64"}})));
  GgufWriter mimo = gemma("mimo2", 4);
  EXPECT_THAT(notes(mimo.wholes("mimo2.attention.sliding_window_pattern", {0, 1, 1, 0}, GgufType::boolean), 1),
              Contains(Says("config_note.layers_of",
                            {{"count", "2"}, {"layers", "4"}, {"profile", "sliding attention"}, {"numbers", "1, 2"}})));
  EXPECT_THAT(notes(gemma("gemma2", 4), 0),
              Contains(Says("config_note.window_of_some", {{"count", "2"}, {"layers", "4"}, {"positions", "128"}})));
}

TEST(GgufConfig, GraniteAndDotsTurnNeighbours) {
  EXPECT_EQ(parse_only_profile(layered("granite_swa", 4).file()).spec.pairing, Pairing::interleaved);
  EXPECT_TRUE(parse_only_profile(layered("granite_swa", 4).file()).permuted);
  const ModelConfig dots = read_gguf_config(layered("dots3note", 4)
                                                .whole("dots3note.attention.sliding_window", 512)
                                                .whole("dots3note.attention.kv_lora_rank", 512)
                                                .whole("dots3note.rope.dimension_count", 64)
                                                .real("dots3note.rope.freq_base", 1e7)
                                                .real("dots3note.rope.freq_base_swa", 1e4)
                                                .file());
  ASSERT_EQ(dots.profiles.size(), 2u);
  EXPECT_EQ(dots.profiles[0].spec.pairing, Pairing::interleaved);
  EXPECT_EQ(dots.profiles[0].spec.axes.front().base, 1e7);
  EXPECT_EQ(dots.profiles[1].spec.axes.front().base, 1e4);
  EXPECT_THAT(said(dots.profiles[1].notes), Contains(Says("config_note.latent_attention")));
}

TEST(GgufConfig, OriginsNameTheKeys) {
  const Profile profile = parse_only_profile(qwen2().real("qwen2.rope.scale_linear", 2).file());
  EXPECT_EQ(said(profile.origin.at("base")), "qwen2.rope.freq_base");
  EXPECT_EQ(said(profile.origin.at("head_dim")), "qwen2.embedding_length / qwen2.attention.head_count");
  EXPECT_EQ(said(profile.origin.at("extension.factor")), "qwen2.rope.scale_linear");
  EXPECT_EQ(said(profile.origin.at("pairing")), said(Message("origin.architecture", {{"architecture", "\"qwen2\""}})));
  EXPECT_EQ(said(profile.origin.at("trained_length")), "qwen2.context_length");
}

TEST(GgufConfig, SplitFilesAreReadTogether) {
  const auto part = [](std::uint64_t number, std::uint64_t count, std::uint64_t tensors, GgufWriter writer) {
    return writer.whole("split.no", number, GgufType::uint16)
        .whole("split.count", count, GgufType::uint16)
        .whole("split.tensors.count", tensors, GgufType::int32)
        .file();
  };
  const std::string first = part(0, 2, 1, make_gguf_llama());
  const std::string second =
      part(1, 2, 1, GgufWriter().tensor("rope_freqs.weight", compute_llama3_factors(8, 1, 4, 8192)));
  const GgufFile a = read_gguf(bytes_of(first), "m-00001-of-00002.gguf");
  const GgufFile b = read_gguf(bytes_of(second), "m-00002-of-00002.gguf");
  EXPECT_THAT(gguf_parts(a, "x/m-00001-of-00002.gguf"),
              ElementsAre("x/m-00001-of-00002.gguf", "x/m-00002-of-00002.gguf"));
  EXPECT_THAT(gguf_parts(b, "m-00002-of-00002.gguf"), ElementsAre("m-00001-of-00002.gguf", "m-00002-of-00002.gguf"));
  EXPECT_REFUSED(gguf_parts(b, "m.gguf"),
                 Says("error.gguf.split_name", {{"number", "2"}, {"count", "2"}, {"ending", "-00002-of-00002.gguf"}}));
  const auto together = [](std::vector<GgufFile> parts) { return parse_gguf_config(parts); };
  EXPECT_EQ(together({a, b}).profiles.front().spec.extension.method, "llama3");
  EXPECT_REFUSED(together({a}), Says("error.gguf.parts_missing", {{"there", "1"}, {"count", "2"}}));
  EXPECT_REFUSED(together({b, a}),
                 Says("error.gguf.other_part", {{"number", "2"}, {"count", "2"}, {"expected", "1"}, {"of", "2"}}));
  const std::string claims = part(0, 2, 7, make_gguf_llama());
  EXPECT_REFUSED(together({read_gguf(bytes_of(claims), "m"), b}),
                 Says("error.gguf.split_tensors", {{"declared", "7"}, {"there", "1"}}));
  EXPECT_REFUSED(gguf_parts(read_gguf(bytes_of(part(5, 2, 1, make_gguf_llama())), "m"), "m"),
                 Says("error.gguf.split", {{"number", "6"}, {"count", "2"}}));
}

}  // namespace
}  // namespace ropescope
