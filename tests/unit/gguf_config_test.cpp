#include "core/formats/families/gguf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/formats/families/gguf_architectures.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/gguf_files.h"
#include "tests/said.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ModelConfig read_gguf_config(const std::string& content) {
  const GgufFile file = read_gguf(bytes_of(content), "m.gguf");
  return parse_gguf_config({&file, 1});
}
Profile gguf_config_only(const std::string& content) {
  const ModelConfig config = read_gguf_config(content);
  EXPECT_EQ(config.profiles.size(), 1u);
  return config.profiles.front();
}
std::string gguf_config_refusal(const std::string& content) {
  return refusal_of([&] { read_gguf_config(content); });
}

GgufWriter gguf_config_llama() {
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
std::vector<double> gguf_config_llama3_factors(double factor, double low, double high, double length) {
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
      gguf_config_llama().tensor("rope_freqs.weight", gguf_config_llama3_factors(8, 1, 4, 8192)).file();
  const Profile converted = gguf_config_only(content);
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
  EXPECT_THAT(said(converted.notes), Contains(HasSubstr("reorders q and k")));
  EXPECT_THAT(said(converted.notes), Contains(HasSubstr("rope_freqs.weight holds the factors of llama3")));
  EXPECT_THAT(said(converted.notes),
              Contains(HasSubstr("llama.context_length is 131072, rope_freqs.weight 8192: the second is taken")));
}

TEST(GgufConfig, FactorsOfOtherNumbersAreFound) {
  for (const auto& [factor, low, high, length] :
       {std::array{32.0, 1.0, 4.0, 8192.0}, std::array{16.0, 1.0, 2.0, 4096.0}, std::array{8.0, 1.0, 8.0, 65536.0}}) {
    const Profile profile = gguf_config_only(
        gguf_config_llama().tensor("rope_freqs.weight", gguf_config_llama3_factors(factor, low, high, length)).file());
    EXPECT_EQ(profile.spec.extension.method, "llama3");
    EXPECT_EQ(profile.spec.extension.numbers.at("factor"), factor);
    EXPECT_EQ(profile.spec.extension.numbers.at("high_frequency_factor"), high);
    EXPECT_EQ(profile.spec.trained_length, length);
  }
  // Only length/low and length/high can be told: these are the same factors as those of 1, 4 and 8192.
  const Profile same = gguf_config_only(
      gguf_config_llama().tensor("rope_freqs.weight", gguf_config_llama3_factors(8, 0.5, 2, 4096)).file());
  EXPECT_EQ(same.spec.trained_length, 8192);
}

TEST(GgufConfig, OtherFactorsStayAList) {
  std::vector<double> factors(64, 1.0);
  factors[10] = 3;
  const Profile profile = gguf_config_only(gguf_config_llama().tensor("rope_freqs.weight", factors).file());
  EXPECT_EQ(profile.spec.extension.method, "longrope");
  EXPECT_EQ(profile.spec.extension.lists.at("short_factors"), factors);
  EXPECT_EQ(profile.spec.extension.lists.at("long_factors"), factors);
  EXPECT_EQ(head_ladder(profile.spec).amplitude, 1);
  EXPECT_THAT(said(profile.notes), Contains(HasSubstr("factors of its own")));
  factors[10] = 1;
  EXPECT_EQ(gguf_config_only(gguf_config_llama().tensor("rope_freqs.weight", factors).file()).spec.extension.method,
            "none");
}

TEST(GgufConfig, FactorsThatDoNotFit) {
  EXPECT_THAT(gguf_config_refusal(gguf_config_llama().tensor("rope_freqs.weight", {1, 2}).file()),
              HasSubstr("the tensor rope_freqs.weight has 2 numbers; one for each of 64 pairs was expected"));
  std::vector<double> factors(64, 1.0);
  EXPECT_THAT(gguf_config_refusal(gguf_config_llama().tensor("rope_freqs.weight", factors, 26).file()),
              HasSubstr("the tensor rope_freqs.weight has the type 26; 0 (float32) was expected"));
  factors[3] = 0;
  EXPECT_THAT(gguf_config_refusal(gguf_config_llama().tensor("rope_freqs.weight", factors).file()),
              HasSubstr("has 0 for pair 3"));
  factors[3] = NAN;
  EXPECT_THAT(gguf_config_refusal(gguf_config_llama().tensor("rope_freqs.weight", factors).file()),
              HasSubstr("for pair 3"));
  factors[3] = 2;
  GgufWriter both = gguf_config_llama();
  both.text("llama.rope.scaling.type", "yarn").real("llama.rope.scaling.factor", 4);
  EXPECT_THAT(gguf_config_refusal(both.tensor("rope_freqs.weight", factors).file()),
              HasSubstr("rope.scaling.type is yarn"));
}

TEST(GgufConfig, KeysOfAnotherTypeAreNamed) {
  GgufWriter base;
  add_model(base, "llama", 4096, 4096, 32).whole("llama.rope.freq_base", 10000);
  EXPECT_THAT(gguf_config_refusal(base.file()),
              HasSubstr("m.gguf: llama.rope.freq_base has the type uint32; float32 was expected"));
  GgufWriter count;
  add_model(count, "llama", 4096, 4096, 32).real("llama.rope.dimension_count", 128);
  EXPECT_THAT(gguf_config_refusal(count.file()),
              HasSubstr("llama.rope.dimension_count has the type float32; uint32 was expected"));
  GgufWriter name;
  EXPECT_THAT(gguf_config_refusal(name.whole("general.architecture", 3).file()),
              HasSubstr("general.architecture has the type uint32; text was expected"));
  GgufWriter type = qwen2();
  EXPECT_THAT(gguf_config_refusal(type.whole("qwen2.rope.scaling.type", 2).file()),
              HasSubstr("qwen2.rope.scaling.type has the type uint32; text was expected"));
  GgufWriter sections;
  add_model(sections, "qwen2vl", 32768, 3584, 28).texts("qwen2vl.rope.dimension_sections", {"16"});
  EXPECT_THAT(gguf_config_refusal(sections.file()),
              HasSubstr("has the type an array of text; an array of int32 was expected"));
  // Whole numbers may have any width.
  GgufWriter wide;
  add_model(wide, "qwen2", 32768, 3584, 28).whole("qwen2.attention.key_length", 64, GgufType::uint64);
  EXPECT_EQ(gguf_config_only(wide.file()).spec.head_dim, 64);
}

TEST(GgufConfig, ValuesOutOfRangeAreNamed) {
  EXPECT_THAT(gguf_config_refusal(qwen2().text("qwen2.rope.scaling.type", "magic").file()),
              HasSubstr("qwen2.rope.scaling.type is \"magic\"; none, linear, yarn, longrope was expected"));
  EXPECT_THAT(gguf_config_refusal(qwen2().real("qwen2.rope.scaling.factor", -4).file()),
              HasSubstr("qwen2.rope.scaling.factor is -4; a number from 0 was expected"));
  EXPECT_THAT(gguf_config_refusal(qwen2().real("qwen2.rope.scaling.factor", INFINITY).file()),
              HasSubstr("a finite number"));
  EXPECT_THAT(gguf_config_refusal(qwen2().real("qwen2.rope.scaling.attn_factor", 0).file()),
              HasSubstr("a number above 0"));
  EXPECT_THAT(gguf_config_refusal(qwen2().whole("qwen2.rope.dimension_count", 4096).file()), HasSubstr("m.gguf: "));
  EXPECT_THAT(gguf_config_refusal(qwen2().whole("qwen2.rope.dimension_count", 0).file()),
              HasSubstr("qwen2.rope.dimension_count is 0; a whole number above 0 was expected"));
  GgufWriter part;
  add_model(part, "llama", 4096, 4096, 32).whole("llama.rope.dimension_count", 64);
  EXPECT_THAT(gguf_config_refusal(part.file()),
              HasSubstr("llama.rope.dimension_count is 64, but a head has 128 channels"));
  GgufWriter headless;
  headless.text("general.architecture", "qwen2").real("qwen2.rope.freq_base", 1e6);
  EXPECT_THAT(gguf_config_refusal(headless.file()),
              HasSubstr("qwen2.attention.key_length, or qwen2.embedding_length with"));
}

TEST(GgufConfig, ArchitecturesWithoutARotaryEmbedding) {
  GgufWriter mamba;
  EXPECT_THAT(gguf_config_refusal(add_model(mamba, "mamba", 4096, 4096, 32).file()),
              HasSubstr("The architecture \"mamba\" has no rotary embedding in llama.cpp: its layers carry a state"));
  GgufWriter baichuan;  // 13B has ALiBi
  add_model(baichuan, "baichuan", 4096, 5120, 40);
  EXPECT_EQ(gguf_config_only(baichuan.file()).spec.head_dim, 128);
  GgufWriter larger;
  larger.text("general.architecture", "baichuan").whole("baichuan.block_count", 40);
  EXPECT_THAT(gguf_config_refusal(larger.file()), HasSubstr("has no rotary embedding in llama.cpp: ALiBi subtracts"));
  GgufWriter gpt;
  EXPECT_THAT(gguf_config_refusal(add_model(gpt, "gpt2", 1024, 768, 12).file()),
              HasSubstr("a learned vector to each of 1024 positions (gpt2.context_length)"));
  GgufWriter flux;
  EXPECT_THAT(gguf_config_refusal(flux.text("general.architecture", "flux").file()),
              HasSubstr("flux.rope.freq_base or flux.rope.dimension_count was expected"));
  GgufWriter nobody;
  EXPECT_THAT(gguf_config_refusal(nobody.file()), HasSubstr("general.architecture is missing"));
  GgufWriter granite;
  add_model(granite, "granite", 4096, 4096, 32).flag("granite.rope.scaling.finetuned", false);
  EXPECT_THAT(gguf_config_refusal(granite.file()), HasSubstr("has no rotary embedding"));
  GgufWriter unknown;
  add_model(unknown, "brand-new", 4096, 4096, 32).real("brand-new.rope.freq_base", 1e6);
  EXPECT_THAT(said(gguf_config_only(unknown.file()).notes), Contains(HasSubstr("half-split pairs are assumed")));
}

TEST(GgufConfig, WhatTheProgramDoesNotReadIsSaid) {
  const auto notes = [](GgufWriter writer) { return said(gguf_config_only(writer.file()).notes); };
  GgufWriter yarn = qwen2();
  yarn.text("qwen2.rope.scaling.type", "yarn").real("qwen2.rope.scaling.factor", 4);
  EXPECT_THAT(notes(yarn), IsEmpty());
  yarn.real("qwen2.rope.scaling.yarn_beta_fast", 16).real("qwen2.rope.scaling.yarn_log_multiplier", 0.1);
  EXPECT_THAT(notes(yarn),
              ElementsAre("qwen2.rope.scaling.yarn_beta_fast is 16; llama.cpp does not use it for the architecture "
                          "qwen2.",
                          "qwen2.rope.scaling.yarn_log_multiplier is 0.1; llama.cpp does not use it for the "
                          "architecture qwen2."));
  EXPECT_THAT(notes(qwen2().tensor("rope_freqs.weight", {1})),
              Contains(HasSubstr("has the tensor rope_freqs.weight, which llama.cpp does not read")));
  GgufWriter lists = gguf_config_llama();
  EXPECT_THAT(notes(lists.text("llama.rope.scaling.type", "longrope")), Contains(HasSubstr("applies none")));
}

TEST(GgufConfig, SectionsWindowsAndLayersWithoutTurns) {
  GgufWriter vision;
  add_model(vision, "qwen3vl", 32768, 4096, 32).wholes("qwen3vl.rope.dimension_sections", {24, 20, 20, 0});
  EXPECT_THAT(said(gguf_config_only(vision.file()).notes), ElementsAre(HasSubstr("24 + 20 + 20 pairs, interleaved")));
  GgufWriter glm;
  add_model(glm, "glm4", 32768, 4096, 32).wholes("glm4.rope.dimension_sections", {8, 12, 12, 0});
  EXPECT_EQ(gguf_config_only(glm.file()).spec.pairing, Pairing::half_split);
  EXPECT_TRUE(gguf_config_only(glm.file()).permuted);
  EXPECT_THAT(said(gguf_config_only(glm.file()).notes),
              Contains(HasSubstr("pair (i, i + d/2) here is pair (2i, 2i + 1)")));
  GgufWriter smol;
  add_model(smol, "smollm3", 32768, 2048, 16);
  EXPECT_THAT(said(gguf_config_only(smol.file()).notes), Contains(HasSubstr("One layer in 4")));
  GgufWriter gemma;
  add_model(gemma, "gemma3", 32768, 2560, 8).whole("gemma3.attention.key_length", 256);
  EXPECT_EQ(read_gguf_config(gemma.file()).profiles.size(), 1u);  // no window, no sliding layers
  gemma.whole("gemma3.attention.sliding_window", 1024).real("gemma3.rope.freq_base", 1e6);
  const ModelConfig two = read_gguf_config(gemma.file());
  ASSERT_EQ(two.profiles.size(), 2u);
  EXPECT_THAT(said(two.profiles[1].notes), Contains(HasSubstr("see 1024 positions")));
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
  for (const std::string& note : said(read_gguf_config(writer.file()).profiles.front().notes)) {
    if (note.find("rotary embedding") != note.npos && note.find(": layers") != note.npos) return note;
  }
  return "";
}

TEST(GgufConfig, LayersWithoutTurnsAreListedByNumber) {
  const auto windowed = [](const std::string& architecture, std::uint64_t layers) {
    return layered(architecture, layers).whole(architecture + ".attention.sliding_window", 4096);
  };
  EXPECT_THAT(unrotated_in(windowed("smallthinker", 52)),
              HasSubstr("One layer in 4 has no rotary embedding (13 of 52): layers 0, 4, …, 48, counted from 0."));
  EXPECT_EQ(unrotated_in(layered("smallthinker", 52)), "");
  EXPECT_THAT(unrotated_in(windowed("afmoe", 8)), HasSubstr("(2 of 8): layers 3, 7"));
  EXPECT_THAT(unrotated_in(windowed("cohere2", 32)), HasSubstr("8 of 32 layers have no rotary embedding: layers 3, 7"));
  EXPECT_THAT(unrotated_in(windowed("cohere2", 32).whole("cohere2.attention.sliding_window_pattern", 8)),
              HasSubstr("4 of 32 layers have no rotary embedding: layers 7, 15, …, 31"));
  EXPECT_THAT(unrotated_in(windowed("exaone4", 64)), HasSubstr("16 of 64 layers"));
  EXPECT_EQ(unrotated_in(layered("exaone4", 30)), "");
  const auto sparse = [&] { return windowed("cohere2moe", 9).whole("cohere2moe.leading_dense_block_count", 1); };
  EXPECT_THAT(unrotated_in(sparse()), HasSubstr("2 of 9 layers have no rotary embedding: layers 4, 8, counted"));
  EXPECT_THAT(unrotated_in(sparse().wholes("cohere2moe.attention.sliding_window_pattern", {0, 1, 1, 0, 1, 1, 1, 0, 1},
                                           GgufType::boolean)),
              HasSubstr("2 of 9 layers have no rotary embedding: layers 3, 7, counted"));
  EXPECT_THAT(
      unrotated_in(windowed("muse-glimmer", 4)
                       .wholes("muse-glimmer.attention.sliding_window_pattern", {0, 1, 1, 0}, GgufType::boolean)),
      HasSubstr("2 of 4 layers have no rotary embedding: layers 0, 3, counted"));
  EXPECT_THAT(unrotated_in(layered("granite_swa", 4).wholes("granite_swa.attention.rope_pattern", {0, 1, 1, 1})),
              HasSubstr("1 of 4 layers have no rotary embedding: layers 0, counted"));
}

TEST(GgufConfig, LayersWithoutAttentionAreListedByNumber) {
  EXPECT_THAT(unrotated_in(layered("lfm2", 4).wholes("lfm2.attention.head_count_kv", {0, 0, 8, 0})),
              HasSubstr("3 of 4 layers have no rotary embedding: layers 0, 1, 3, counted"));
  EXPECT_THAT(unrotated_in(layered("qwen3next", 8)),
              HasSubstr("6 of 8 layers have no rotary embedding: layers 0–2, 4–6"));
  EXPECT_THAT(unrotated_in(layered("qwen3next", 6).whole("qwen3next.full_attention_interval", 3)),
              HasSubstr("4 of 6 layers have no rotary embedding: layers 0, 1, 3, 4"));
  EXPECT_THAT(unrotated_in(layered("qwen35", 4).wholes("qwen35.attention.recurrent_layers", {1, 0, 1, 0})),
              HasSubstr("2 of 4 layers have no rotary embedding: layers 0, 2, counted"));
  EXPECT_THAT(unrotated_in(layered("minimax-01", 16)), HasSubstr("14 of 16 layers"));
  // Layers of multi-token prediction are none of these.
  EXPECT_THAT(unrotated_in(layered("qwen35moe", 5).whole("qwen35moe.nextn_predict_layers", 1)),
              HasSubstr("3 of 4 layers have no rotary embedding: layers 0–2"));
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
              Contains("2 of 13 layers are of this kind (full attention): layers 5, 11, counted from 0."));
  EXPECT_THAT(notes(gemma("gemma3", 13), 1), Contains(HasSubstr("layers 0–4, 6–10, 12, counted from 0.")));
  EXPECT_THAT(notes(gemma("modern-bert", 7), 0), Contains(HasSubstr("(full attention): layers 0, 3, 6, counted")));
  EXPECT_THAT(notes(gemma("modern-bert", 7), 1), Contains(HasSubstr("These layers see 64 positions on each side")));
  GgufWriter mimo = gemma("mimo2", 4);
  EXPECT_THAT(notes(mimo.wholes("mimo2.attention.sliding_window_pattern", {0, 1, 1, 0}, GgufType::boolean), 1),
              Contains(HasSubstr("2 of 4 layers are of this kind (sliding attention): layers 1, 2, counted")));
  EXPECT_THAT(notes(gemma("gemma2", 4), 0), Contains(HasSubstr("2 of 4 layers see 128 positions")));
}

TEST(GgufConfig, GraniteAndDotsTurnNeighbours) {
  EXPECT_EQ(gguf_config_only(layered("granite_swa", 4).file()).spec.pairing, Pairing::interleaved);
  EXPECT_TRUE(gguf_config_only(layered("granite_swa", 4).file()).permuted);
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
  EXPECT_THAT(said(dots.profiles[1].notes), Contains(HasSubstr("Latent attention")));
}

TEST(GgufConfig, OriginsNameTheKeys) {
  const Profile profile = gguf_config_only(qwen2().real("qwen2.rope.scale_linear", 2).file());
  EXPECT_EQ(said(profile.origin.at("base")), "qwen2.rope.freq_base");
  EXPECT_EQ(said(profile.origin.at("head_dim")), "qwen2.embedding_length / qwen2.attention.head_count");
  EXPECT_EQ(said(profile.origin.at("extension.factor")), "qwen2.rope.scale_linear");
  EXPECT_EQ(said(profile.origin.at("pairing")), "architecture qwen2 in llama.cpp");
  EXPECT_EQ(said(profile.origin.at("trained_length")), "qwen2.context_length");
}

TEST(GgufConfig, SplitFilesAreReadTogether) {
  const auto part = [](std::uint64_t number, std::uint64_t count, std::uint64_t tensors, GgufWriter writer) {
    return writer.whole("split.no", number, GgufType::uint16)
        .whole("split.count", count, GgufType::uint16)
        .whole("split.tensors.count", tensors, GgufType::int32)
        .file();
  };
  const std::string first = part(0, 2, 1, gguf_config_llama());
  const std::string second =
      part(1, 2, 1, GgufWriter().tensor("rope_freqs.weight", gguf_config_llama3_factors(8, 1, 4, 8192)));
  const GgufFile a = read_gguf(bytes_of(first), "m-00001-of-00002.gguf");
  const GgufFile b = read_gguf(bytes_of(second), "m-00002-of-00002.gguf");
  EXPECT_THAT(gguf_parts(a, "x/m-00001-of-00002.gguf"),
              ElementsAre("x/m-00001-of-00002.gguf", "x/m-00002-of-00002.gguf"));
  EXPECT_THAT(gguf_parts(b, "m-00002-of-00002.gguf"), ElementsAre("m-00001-of-00002.gguf", "m-00002-of-00002.gguf"));
  EXPECT_THAT(refusal_of([&] { gguf_parts(b, "m.gguf"); }),
              HasSubstr("the file is part 2 of 2, but its name does not end with -00002-of-00002.gguf"));
  const auto together = [](std::vector<GgufFile> parts) { return parse_gguf_config(parts); };
  EXPECT_EQ(together({a, b}).profiles.front().spec.extension.method, "llama3");
  EXPECT_THAT(refusal_of([&] { together({a}); }), HasSubstr("only 1 of 2 parts of the model are there"));
  EXPECT_THAT(refusal_of([&] { together({b, a}); }), HasSubstr("it is part 2 of 2; part 1 of 2 was expected"));
  const std::string claims = part(0, 2, 7, gguf_config_llama());
  EXPECT_THAT(refusal_of([&] {
                together({read_gguf(bytes_of(claims), "m"), b});
              }),
              HasSubstr("split.tensors.count is 7, but the parts hold 1 tensors"));
  EXPECT_THAT(refusal_of([&] { gguf_parts(read_gguf(bytes_of(part(5, 2, 1, gguf_config_llama())), "m"), "m"); }),
              HasSubstr("part 6 of 2; there is no such part"));
}

}  // namespace
}  // namespace ropescope
