// A file's model_type, its architectures and its fields all indicate its class. Missing fields, and fields that are not
// understood, determine nothing.

#include "core/formats/config.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/programs/equivalents.h"
#include "core/message.h"
#include "tests/json.h"
#include "tests/said.h"

namespace ropescope {
namespace {

ModelConfig witness_of(const std::string& text) {
  return parse_model_config(text, "config.json");
}

Profile first_witness(const std::string& text) {
  return witness_of(text).profiles.at(0);
}

bool notes(const Profile& profile, const std::string& key) {
  return std::ranges::any_of(profile.notes, [&](const Message& note) { return note.key == "config_note." + key; });
}

TEST(ConfigWitness, FieldsThatLookRotary) {
  for (const char* name :
       {"rope_theta", "mrope_section", "layer3d_rope", "rope-magic", "rotary_base", "rotary_scaling",
        "seq_len_interpolation_factor", "theta", "yarn_factor", "inv_freq_base", "use_dynamic_ntk"}) {
    EXPECT_TRUE(field_looks_rotary(name)) << name;
  }
  for (const char* name : {"property", "activation_fn", "attention_bias", "moe_layer_freq", "scaling", "european"})
    EXPECT_FALSE(field_looks_rotary(name)) << name;
}

// xai-org/grok-2, config.json: model_type "git" (a captioning model without rotary embedding), Grok1ForCausalLM.
TEST(ConfigWitness, ArchitectureAndFieldsContradictTheType) {
  const Profile grok = first_witness(
      R"({"model_type": "git", "architectures": ["Grok1ForCausalLM"], "hidden_size": 8192, "num_attention_heads": 64,
          "head_dim": 128, "rope_theta": 208533496, "max_position_embeddings": 131072})");
  EXPECT_EQ(grok.spec.axes.at(0).base, 208533496);
  EXPECT_EQ(grok.spec.head_dim, 128);
  EXPECT_TRUE(notes(grok, "contradicted"));
  // amazon/chronos-2, config.json: model_type "t5", Chronos2Model.
  const Profile chronos = first_witness(
      R"({"model_type": "t5", "architectures": ["Chronos2Model"], "d_model": 768, "num_heads": 12, "d_kv": 64,
          "rope_theta": 10000.0})");
  EXPECT_EQ(chronos.spec.head_dim, 64);
  EXPECT_TRUE(notes(chronos, "contradicted"));
  EXPECT_REFUSED(witness_of(R"({"model_type": "t5", "d_model": 768, "num_heads": 12, "d_kv": 64})"), HasSubstr("t5"));
  // A class that nobody knows, named after the type, is that type.
  EXPECT_REFUSED(witness_of(R"({"model_type": "t5", "architectures": ["MyT5Model"], "d_model": 768, "num_heads": 12,
                    "d_kv": 64, "rope_theta": 10000.0})"),
                 HasSubstr("t5"));
}

TEST(ConfigWitness, AnUnknownMemberTakesTheHabitsOfItsFamily) {
  const auto rotated = [](const std::string& type) {
    return first_witness(R"({"model_type": ")" + type +
                         R"(", "hidden_size": 7168, "num_attention_heads": 64, "qk_rope_head_dim": 64,
          "rope_scaling": {"type": "yarn", "factor": 16, "original_max_position_embeddings": 65536}})");
  };
  const Profile known = rotated("deepseek_v4"), unknown = rotated("deepseek_v41");
  EXPECT_EQ(unknown.spec, known.spec);
  EXPECT_TRUE(notes(unknown, "relative"));
  EXPECT_FALSE(notes(known, "relative"));
  // Another generation has a head and a base of its own.
  for (const char* type : {"llama2", "llama3", "qwen9"}) {
    const Profile other = first_witness(R"({"model_type": ")" + std::string(type) +
                                        R"(", "hidden_size": 2048, "num_attention_heads": 32, "rope_theta": 10000.0})");
    EXPECT_FALSE(notes(other, "relative")) << type;
    EXPECT_EQ(other.spec.head_dim, 64) << type;
  }
}

TEST(ConfigWitness, AWrappersSectionTakesTheClassOfTheWrapper) {
  const auto wrapped = [](const std::string& type) {
    return first_witness(R"({"model_type": "qwen2_vl", "text_config": {)" + type +
                         R"("hidden_size": 3584, "num_attention_heads": 28}})");
  };
  EXPECT_EQ(wrapped("").spec, wrapped(R"("model_type": "qwen2_vl_text", )").spec);
  EXPECT_FALSE(notes(wrapped(""), "unknown_type"));
}

TEST(ConfigWitness, FieldsOfOtherProgramsAreRead) {
  // mlc-ai/mlc-llm, mlc-chat-config.json.
  const Profile mlc = first_witness(
      R"({"model_type": "llama", "model_config": {"hidden_size": 2048, "num_attention_heads": 32, "head_dim": 64,
          "position_embedding_base": 500000, "context_window_size": 131072}})");
  EXPECT_EQ(mlc.spec.axes.at(0).base, 500000);
  // NVIDIA/TensorRT-LLM, config.json of an engine.
  const Profile engine = first_witness(
      R"({"pretrained_config": {"architecture": "LlamaForCausalLM", "hidden_size": 4096, "num_attention_heads": 32,
          "rotary_base": 1000000.0, "position_embedding_type": "rope_gptj", "max_position_embeddings": 4096,
          "rotary_scaling": {"type": "linear", "factor": 4.0}}})");
  EXPECT_EQ(engine.spec.axes.at(0).base, 1000000);
  EXPECT_EQ(engine.spec.pairing, Pairing::interleaved);
  EXPECT_EQ(engine.spec.extension.method, "linear");
}

TEST(ConfigWitness, WhatIsNotUnderstoodRefusesAndWhatIsAnothersDoesNot) {
  const std::string start = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, )";
  for (const char* field :
       {R"("rope_magic": 3})", R"("rope_magic": true})", R"("rope_magic": "spiral"})", R"("rotary_twist": 0.5})",
        R"("seq_len_interpolation_factor": 4})", R"("rotary_seq_len_interpolation_factor": 4})",
        R"("rope_length_scaling": 2})", R"("rope_max_scale": 8})", R"("rope_cached_scaling": "yarn"})",
        R"("use_dynamic_ntk": true})", R"("rope_layer_scaling": {"factor": 4}})"}) {
    EXPECT_FALSE(first_witness(start + field).not_understood.empty()) << field;
  }
  for (const char* field :
       {R"("rope_magic": null})", R"("rope_magic": false})", R"("rope_magic": "none"})", R"("use_fused_rope": true})",
        R"("rope_dtype": "fp32"})", R"("rope_cache_length": 4096})", R"("activation_fn": "gelu"})",
        R"("apply_rope_fusion": true})", R"("use_rope": true})", R"("rope_version": 2})", R"("num_rope_heads": 32})"}) {
    EXPECT_TRUE(first_witness(start + field).not_understood.empty()) << field;
  }
  // Alibaba-NLP/new-impl, modeling.py: "ntk" is a base of its own with a factor over all.
  const Message::List gte = first_witness(R"({"model_type": "new", "hidden_size": 768, "num_attention_heads": 12,
      "rope_theta": 20000, "rope_scaling": {"type": "ntk", "factor": 2.0}})")
                                .not_understood;
  ASSERT_EQ(gte.size(), 1U);
  EXPECT_EQ(gte[0].key, "config_note.method_of_unknown_class");
  EXPECT_EQ(gte[0].values.at(1), Message::Named("method", "ntk")) << "the file's word";
  // huggingface/transformers, musicflamingo: the object at the top turns the times of the audio.
  EXPECT_TRUE(first_witness(R"({"model_type": "musicflamingo", "head_dim": 1280,
      "rope_parameters": {"rope_type": "default", "rope_theta": 1200.0, "partial_rotary_factor": 0.2},
      "text_config": {"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
                      "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}}})")
                  .not_understood.empty());
  // Beside a text model with its own fields too, a method or a factor is of the text.
  for (const char* field : {R"("rope_scaling": {"type": "yarn", "factor": 4})", R"("rope_scaling_factor": 4)"}) {
    EXPECT_FALSE(first_witness(R"({"model_type": "qwen2_vl", )" + std::string(field) +
                               R"(, "text_config": {"model_type": "qwen2_vl_text", "hidden_size": 3584,
                    "num_attention_heads": 28, "rope_theta": 1000000.0}})")
                     .not_understood.empty())
        << field;
  }
}

// The parts of Qwen3-Omni that speak; Qwen/Qwen3-Omni-30B-A3B-Instruct, config.json, has them under talker_config.
TEST(ConfigWitness, PartsThatSpeakAreProfiles) {
  const ModelConfig config = witness_of(R"({"model_type": "qwen3_omni_moe",
      "thinker_config": {"text_config": {"model_type": "qwen3_omni_moe_text", "hidden_size": 2048, "head_dim": 128,
                         "num_attention_heads": 32, "rope_theta": 1000000}},
      "talker_config": {
        "text_config": {"model_type": "qwen3_omni_moe_talker_text", "hidden_size": 1024, "num_attention_heads": 16,
                        "rope_theta": 1000000},
        "code_predictor_config": {"model_type": "qwen3_omni_moe_talker_code_predictor", "hidden_size": 1024,
                                  "num_attention_heads": 16, "head_dim": 128, "rope_theta": 20000}}})");
  ASSERT_EQ(config.profiles.size(), 3U);
  EXPECT_EQ(config.profiles[1].name, "talker");
  EXPECT_EQ(config.profiles[1].spec.head_dim, 64);
  EXPECT_EQ(config.profiles[2].name, "predictor");
  EXPECT_EQ(config.profiles[2].spec.axes.at(0).base, 20000);
  EXPECT_TRUE(config.profiles[0].not_understood.empty());
}

TEST(ConfigWitness, SectionsComeOutAgainAndTheirSumIsLookedAt) {
  const auto with_sections = [](const std::string& sections) {
    return first_witness(R"({"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28,
        "rope_scaling": {"type": "mrope", "mrope_section": )" +
                         sections + "}}");
  };
  const Profile right = with_sections("[16, 24, 24]");
  EXPECT_FALSE(notes(right, "sections_of_other_sum"));
  const std::vector<Profile> profiles = {right};
  const Equivalent out = find_other_words("transformers").of({profiles, {}});
  EXPECT_THAT(out.text, HasSubstr("mrope_section"));
  const auto written = [](const std::string& text) {
    const std::vector<Profile> one = {first_witness(text)};
    return json::parse(find_other_words("transformers").of({one, {}}).text).at("rope_parameters");
  };
  const json three = written(R"({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text",
      "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128, "rope_theta": 5000000,
      "rope_scaling": {"rope_type": "default", "mrope_section": [24, 20, 20], "mrope_interleaved": true}}})");
  EXPECT_EQ(three.at("mrope_section"), json::parse("[24, 20, 20]"));
  EXPECT_EQ(three.at("mrope_interleaved"), true);
  // ERNIE's sections alternate: neither of the two keys says so.
  const std::vector<Profile> ernie = {first_witness(R"({"model_type": "ernie4_5_moe_vl", "hidden_size": 2560,
      "num_attention_heads": 20, "head_dim": 128, "rope_theta": 500000, "rope_scaling": {"mrope_section": [22, 22, 20]}})")};
  const Equivalent llama = find_other_words("llama.cpp").of({ernie, {}});
  EXPECT_TRUE(std::any_of(llama.unsaid.begin(), llama.unsaid.end(),
                          [](const Message& words) { return words.key == "equivalent.alternating_sections"; }));
  const json ministral = written(R"({"model_type": "ministral3", "hidden_size": 4096,
      "num_attention_heads": 32, "head_dim": 128, "rope_parameters": {"rope_type": "yarn", "rope_theta": 1000000.0,
      "factor": 16.0, "original_max_position_embeddings": 16384, "mscale": 1.0, "mscale_all_dim": 1.0,
      "llama_4_scaling_beta": 0.1}})");
  EXPECT_EQ(ministral.at("llama_4_scaling_beta"), 0.1);
  for (const char* wrong : {"[32, 48, 48]", "[8, 12, 12]", "[16, 24, 25]"})
    EXPECT_TRUE(notes(with_sections(wrong), "sections_of_other_sum")) << wrong;
}

}  // namespace
}  // namespace ropescope
