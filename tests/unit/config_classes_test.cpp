#include "core/formats/config.h"
#include "core/formats/models.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/scaling/scaling.h"
#include "tests/said.h"
#include "tests/unit/format_files.h"

namespace ropescope {
namespace {

ModelConfig parse_class_config(const std::string& text) {
  return parse_model_config(text, "config.json");
}
Profile parse_first_profile(const std::string& text) {
  return parse_class_config(text).profiles.at(0);
}
std::string find_class_error(const std::string& text) {
  return refusal_of([&] { parse_class_config(text); });
}
/// What a command that judges is refused with; "" where it may judge.
std::string doubt(const std::string& text) {
  const Profile profile = parse_first_profile(text);
  return refusal_of([&] { require_known_extension(profile, "config.json"); });
}
std::vector<std::string> names(const ModelConfig& config) {
  std::vector<std::string> names;
  for (const Profile& profile : config.profiles) names.push_back(profile.name);
  return names;
}
std::string to_llama_config(const std::string& more) {
  return R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, )" + more + "}";
}
/// What "config" says about layers that do not turn.
std::string unrotated(const std::string& text) {
  for (const Message& note : parse_first_profile(text).notes) {
    if (note.key == "config_note.unrotated" || note.key == "config_note.one_unrotated_in_of") return said(note);
  }
  return "";
}

struct Rung {
  std::size_t pair;
  double frequency;
};
void expect_rungs(const Profile& profile, std::size_t pairs, const std::vector<Rung>& rungs) {
  const auto found = head_ladder(profile.spec).frequencies;
  ASSERT_EQ(static_cast<std::size_t>(found.size()), pairs) << profile.name;
  for (const Rung& rung : rungs) {
    EXPECT_NEAR(found[static_cast<Eigen::Index>(rung.pair)] / rung.frequency, 1, 1e-8)
        << profile.name << ", pair " << rung.pair;
  }
}

// ---- classes --------------------------------------------------------------------------------------------------------

/// What a model has instead of a rotary embedding; "" where it has one, or where the file is of no use.
std::string answer_to(const std::string& text) {
  try {
    parse_class_config(text);
  } catch (const NoRotaryEmbedding& found) {
    return said(found.answer);
  } catch (const InputError&) {
  }
  return "";
}

/// The answer of a class that has something else.
std::string unrotated_class(const std::string& type, const Message& why) {
  return said(Message("config_note.unrotated_class", {{"class", "\"" + type + "\""}, {"why", why}}));
}

TEST(ConfigClasses, WithoutRotationAnswerWhatTheyHaveInstead) {
  EXPECT_EQ(answer_to(R"({"model_type": "gpt2", "n_positions": 1024})"),
            unrotated_class("gpt2", Message("config_why.vector_of_each", {{"count", 1024}, {"field", "n_positions"}})));
  EXPECT_EQ(answer_to(R"({"model_type": "openai-gpt"})"),
            unrotated_class("openai-gpt", Message("config_why.learned_vectors")));
  EXPECT_EQ(answer_to(R"({"model_type": "t5", "relative_attention_num_buckets": 32, "n_positions": 512})"),
            unrotated_class("t5", Message("config_why.number_of_each",
                                          {{"count", 32}, {"field", "relative_attention_num_buckets"}})));
  EXPECT_THAT(answer_to(R"({"model_type": "umt5"})"), Says("config_why.ranges"));
  EXPECT_THAT(answer_to(R"({"model_type": "bloom", "n_head": 16})"), Says("config_why.alibi"));
  EXPECT_THAT(answer_to(R"({"model_type": "xglm"})"), Says("config_why.sines"));
  EXPECT_THAT(answer_to(R"({"model_type": "deberta-v2"})"), Says("config_why.relative"));
  EXPECT_THAT(answer_to(R"({"model_type": "mamba", "state_size": 16})"), Says("config_why.state"));
  EXPECT_THAT(answer_to(R"({"model_type": "jamba", "rope_theta": 10000})"), Says("config_why.hybrid"));
  EXPECT_EQ(answer_to(R"({"model_type": "inkling_mm_model", "text_config": {"model_type": "inkling_text"}})"),
            unrotated_class("inkling_text", Message("config_why.relative")));
  // What the file says comes before what its class has.
  EXPECT_THAT(answer_to(R"({"model_type": "bert", "position_embedding_type": "alibi"})"), Says("config_why.alibi"));
  EXPECT_THAT(answer_to(R"({"model_type": "mpt", "max_seq_len": 2048, "attn_config": {"alibi": false}})"),
              Says("config_why.vector_of_each", {{"count", "2048"}, {"field", "max_seq_len"}}));
  EXPECT_EQ(answer_to(R"({"model_type": "llama"})"), "");
  EXPECT_EQ(answer_to(R"({"model_type": "resnet"})"), "");
}

TEST(ConfigClasses, ASwitchThatIsOffIsAnAnswer) {
  EXPECT_EQ(answer_to(R"({"model_type": "granitemoehybrid", "position_embedding_type": "nope", "rope_theta": 10000})"),
            said(Message("config_note.switch", {{"place", "position_embedding_type"},
                                                {"found", Message("found.text", {{"text", "\"nope\""}})},
                                                {"class", "\"granitemoehybrid\""},
                                                {"field", "position_embedding_type"},
                                                {"value", "\"rope\""},
                                                {"why", Message("config_why.hybrid")}})));
  EXPECT_EQ(answer_to(R"({"model_type": "baichuan", "hidden_size": 5120, "num_attention_heads": 40})"),
            said(Message("config_note.switch", {{"place", "hidden_size"},
                                                {"found", "5120"},
                                                {"class", "\"baichuan\""},
                                                {"field", "hidden_size"},
                                                {"value", "4096"},
                                                {"why", Message("config_why.alibi")}})));
  EXPECT_EQ(answer_to(R"({"model_type": "falcon", "alibi": true})"),
            said(Message("config_note.unrotated_by",
                         {{"field", "alibi"}, {"found", "true"}, {"why", Message("config_why.alibi")}})));
  EXPECT_EQ(answer_to(R"({"model_type": "gptj", "rotary": false})"),
            said(Message("config_note.unrotated_by",
                         {{"field", "rotary"}, {"found", "false"}, {"why", Message("config_why.not_said")}})));
  EXPECT_THAT(answer_to(R"({"model_type": "zamba2", "use_mem_rope": false})"),
              Says("config_note.switch", {{"place", "use_mem_rope"}, {"found", "false"}}));
  EXPECT_THAT(answer_to(R"({"model_type": "new", "rope_theta": 9, "position_embedding_type": "learned"})"),
              Says("config_why.learned_vectors"));
  EXPECT_THAT(answer_to(R"({"model_type": "olmo_hybrid", "rope_parameters": {"rope_theta": null, "rope_type": "x"}})"),
              Says("config_note.unrotated_by", {{"field", "rope_parameters.rope_theta"}, {"found", "null"}}));
  EXPECT_THAT(answer_to(R"({"_class_name": "CogVideoXTransformer3DModel", "use_rotary_positional_embeddings": false})"),
              Says("config_note.not_rotary", {{"field", "use_rotary_positional_embeddings"}}));
}

TEST(ConfigClasses, WithoutRotationAreRefusedWhateverFieldsTheyHave) {
  const std::string fields = R"("head_dim": 128, "rope_theta": 10000, "partial_rotary_factor": 1.0})";
  for (const char* type : {"nemotron_h", "jamba", "zamba", "gpt2", "opt", "bloom", "mamba2", "t5"}) {
    EXPECT_THAT(find_class_error(R"({"model_type": ")" + std::string(type) + "\", " + fields),
                Says("config_note.unrotated_class", {{"class", "\"" + std::string(type) + "\""}}));
  }
  for (const char* type : {"bamba", "falcon_h1", "recurrent_gemma", "nemotron"}) {
    EXPECT_EQ(find_class_error(R"({"model_type": ")" + std::string(type) + "\", " + fields), "") << type;
  }
  EXPECT_THAT(find_class_error(R"({"architectures": ["NemotronHForCausalLM"], )" + fields),
              HasSubstr("\"nemotron_h\""));
  EXPECT_THAT(
      find_class_error(R"({"model_type": "brand_vl", "llm_config": {"model_type": "nemotron_h", )" + fields + "}"),
      HasSubstr("\"nemotron_h\""));
}

TEST(ConfigClasses, EncodersThatSayTheyTurnAreNotRefused) {
  const std::string fields =
      R"("model_type": "bert", "hidden_size": 768, "num_attention_heads": 12, "rope_theta": 1000)";
  EXPECT_NE(find_class_error("{" + fields + "}"), "");
  EXPECT_EQ(find_class_error("{" + fields + R"(, "position_embedding_type": "rotary"})"), "");
  const std::string mpt = R"("model_type": "mpt", "d_model": 64, "n_heads": 1, "rope_theta": 1000)";
  EXPECT_NE(find_class_error("{" + mpt + R"(, "attn_config": {"alibi": true, "rope": false}})"), "");
  EXPECT_EQ(find_class_error("{" + mpt + R"(, "attn_config": {"rope": true}})"), "");
}

TEST(ConfigClasses, LatentAttentionWithoutPositionsIsNotRotary) {
  const std::string kimi = R"({"model_type": "kimi_linear", "qk_rope_head_dim": 64, "rope_theta": 10000)";
  EXPECT_THAT(find_class_error(kimi + R"(, "mla_use_nope": true})"),
              Says("config_note.unrotated_by", {{"field", "mla_use_nope"}, {"found", "true"}}));
  EXPECT_EQ(find_class_error(kimi + R"(, "mla_use_nope": false})"), "");
  EXPECT_THAT(find_class_error(
                  R"({"model_type": "kimi_k3", "text_config": {"model_type": "kimi_k3_text", "mla_use_nope": true,
                          "qk_rope_head_dim": 64, "rope_theta": 10000}})"),
              Says("config_note.unrotated_by", {{"field", "text_config.mla_use_nope"}, {"found", "true"}}));
  EXPECT_THAT(find_class_error(to_llama_config(R"("use_rope": false)")),
              Says("config_note.unrotated_by", {{"field", "use_rope"}, {"found", "false"}}));
}

TEST(ConfigClasses, AreToldByArchitecturesWhereTheTypeIsUnknownOrMissing) {
  const Profile glm =
      parse_first_profile(R"({"architectures": ["Glm4ForCausalLM"], "head_dim": 128, "rope_theta": 10000})");
  EXPECT_EQ(glm.spec.pairing, Pairing::interleaved);
  EXPECT_EQ(total_rotary_dim(glm.spec), 64);
  EXPECT_THAT(said(glm.notes), Contains(Says("config_note.by_architecture", {{"class", "\"Glm4ForCausalLM\""}})));
  const Profile renamed =
      parse_first_profile(R"({"model_type": "my_tune", "architectures": ["CohereForCausalLM"], "hidden_size": 64,
      "num_attention_heads": 1, "rope_theta": 8000000})");
  EXPECT_EQ(renamed.spec.pairing, Pairing::interleaved);
  // A type that is known wins, and of several classes the first that is known.
  EXPECT_EQ(parse_first_profile(R"({"model_type": "llama", "architectures": ["CohereForCausalLM"], "head_dim": 64})")
                .spec.pairing,
            Pairing::half_split);
  EXPECT_EQ(parse_first_profile(R"({"architectures": ["Foo", "GPTNeoXForCausalLM"], "head_dim": 64, "rope_theta": 9})")
                .spec.axes[0]
                .rotary_dim,
            16);
  const Profile unknown =
      parse_first_profile(R"({"model_type": "x", "architectures": ["BrandNewForCausalLM"], "head_dim": 64,
      "rope_theta": 9})");
  EXPECT_THAT(said(unknown.notes), Contains(Says("config_note.unknown_type")));
  EXPECT_THAT(said(notes_limiting_verdict(unknown)), Contains(Says("config_note.unknown_type")));
}

TEST(ConfigClasses, TowersAreFoundByTheirFieldsAtAnyDepth) {
  const Profile talker =
      parse_first_profile(R"({"model_type": "some_tts", "speaker_encoder_config": {"rope_theta": 5, "head_dim": 8},
      "talker_config": {"rope_theta": 1000000, "head_dim": 128, "code_predictor_config": {"rope_theta": 7}}})");
  EXPECT_EQ(talker.spec.axes[0].base, 1000000);
  EXPECT_THAT(said(talker.notes), Contains(Says("config_note.nested", {{"path", "talker_config"}})));
  EXPECT_THAT(said(talker.notes),
              Contains(Says("config_note.other_tower", {{"path", "\"talker_config.code_predictor_config\""}})));
  EXPECT_EQ(talker.not_understood.size(), 0u);
  EXPECT_EQ(
      parse_first_profile(R"({"model_type": "x", "outer_config": {"inner_config": {"decoder_config": {"rope_theta": 77,
      "head_dim": 8}}}})")
          .spec.axes[0]
          .base,
      77);
  // A class that is known is evidence enough, and what sees images is no language model.
  EXPECT_EQ(parse_first_profile(R"({"model_type": "x", "lm_config": {"model_type": "cohere", "hidden_size": 64,
      "num_attention_heads": 1}})")
                .spec.axes[0]
                .base,
            500000);
  EXPECT_NE(find_class_error(R"({"model_type": "x", "vision_config": {"rope_theta": 77, "head_dim": 8}})"), "");
  // Fields of the root count where its tower has none.
  EXPECT_EQ(
      parse_first_profile(R"({"model_type": "x", "rope_theta": 77, "head_dim": 8, "text_config": {"vocab_size": 9}})")
          .spec.axes[0]
          .base,
      77);
}

// ---- values for each layer, and values that disagree ----------------------------------------------------------------

std::string step(const std::string& more) {
  return R"({"model_type": "step3p5", "head_dim": 128, "num_hidden_layers": 4, "max_position_embeddings": 262144,
      "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention"], )" +
         more + "}";
}

/// Frequencies: vLLM's step3p5.py over get_rope, by numpy.
TEST(ConfigClasses, ListsForEachLayerMakeOneProfileForEachCombination) {
  const std::string scaling = R"("rope_scaling": {"rope_type": "llama3", "factor": 2.0,
      "original_max_position_embeddings": 131072, "low_freq_factor": 1.0, "high_freq_factor": 32.0})";
  const ModelConfig config =
      parse_class_config(step(R"("rope_theta": [5000000, 10000, 10000, 10000, 9], "partial_rotary_factors":
      [0.5, 1.0, 1.0, 1.0], "yarn_only_types": ["full_attention"], )" +
                              scaling));
  ASSERT_THAT(names(config), ElementsAre("full attention", "sliding attention"));
  expect_rungs(
      config.profiles[0], 32,
      {{10, 0.00806439652}, {14, 0.00103019612}, {16, 0.000283686439}, {18, 9.2305764e-05}, {31, 1.61935778e-07}});
  expect_rungs(config.profiles[1], 64, {{1, 0.865964323}, {63, 0.000115478198}});
  // The same base everywhere: the extension alone tells the kinds apart.
  const ModelConfig extended =
      parse_class_config(step(R"("rope_theta": 10000, "yarn_only_types": ["full_attention"], )" + scaling));
  ASSERT_THAT(names(extended), ElementsAre("full attention", "sliding attention"));
  EXPECT_EQ(extended.profiles[0].spec.extension.method, "llama3");
  EXPECT_EQ(extended.profiles[1].spec.extension.method, "none");
  // Types that do not tell the bases apart.
  EXPECT_THAT(names(parse_class_config(step(R"("rope_theta": [10000, 10000, 500, 10000])"))),
              ElementsAre("base 10000", "base 500"));
  EXPECT_THAT(names(parse_class_config(step(R"("rope_theta": [10000, 10000, 10000, 10000])"))), ElementsAre("text"));
  EXPECT_THAT(find_class_error(step(R"("rope_theta": [10000, -1, 2, 3])")), HasSubstr("rope_theta"));
  EXPECT_THAT(find_class_error(step(R"("rope_theta": 9, "partial_rotary_factors": [2, 1, 1, 1])")),
              HasSubstr("partial_rotary_factors"));
  EXPECT_THAT(unrotated(step(R"("rope_theta": [9, 8, 9, 9], "use_rope_layers": [true, false, true, true])")),
              Says("config_note.unrotated", {{"count", "1"}, {"layers", "4"}, {"numbers", "1"}}));
}

TEST(ConfigClasses, TwoValuesOfOneFieldGetANoteAndTheOneThatCounts) {
  const Profile base = parse_first_profile(
      to_llama_config(R"("rope_theta": 500000, "rope_parameters": {"rope_theta": 1000, "rope_type": "default"})"));
  EXPECT_EQ(base.spec.axes[0].base, 1000);
  EXPECT_THAT(said(notes_limiting_verdict(base)),
              Contains(Says("config_note.values", {{"taken", "rope_parameters.rope_theta"},
                                                   {"value", "1000"},
                                                   {"other", "rope_theta"},
                                                   {"otherwise", "500000"}})));
  const Profile same = parse_first_profile(
      to_llama_config(R"("rope_theta": 1000, "rope_parameters": {"rope_theta": 1000, "rope_type": "default"})"));
  EXPECT_THAT(said(same.notes), Not(Contains(Says("config_note.values"))));
  const Profile length =
      parse_first_profile(to_llama_config(R"("original_max_position_embeddings": 4096, "max_position_embeddings": 16384,
      "rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 8192})"));
  EXPECT_EQ(length.spec.trained_length, 4096);
  EXPECT_THAT(said(notes_limiting_verdict(length)),
              Contains(Says("config_note.values", {{"taken", "original_max_position_embeddings"},
                                                   {"value", "4096"},
                                                   {"other", "rope_scaling.original_max_position_embeddings"},
                                                   {"otherwise", "8192"}})));
  const Profile types =
      parse_first_profile(to_llama_config(R"("rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2})"));
  EXPECT_EQ(types.spec.extension.method, "yarn");
  EXPECT_THAT(said(notes_limiting_verdict(types)),
              Contains(Says("config_note.two_types", {{"taken", "rope_scaling.rope_type"},
                                                      {"value", "\"yarn\""},
                                                      {"other", "rope_scaling.type"},
                                                      {"otherwise", "\"linear\""}})));
}

// ---- extensions -----------------------------------------------------------------------------------------------------

/// Frequencies: meta-llama/llama-models @ a9c89c4, models/llama3/model.py and models/llama4/model.py, by numpy.
TEST(ConfigExtensions, OfMetasParamsStandInItsCode) {
  const std::string meta = R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "rope_theta": 500000.0)";
  const Profile third = parse_first_profile(meta + R"(, "use_scaled_rope": true})");
  expect_rungs(
      third, 64,
      {{20, 0.0165604401}, {28, 0.00321144599}, {32, 0.000524846161}, {36, 7.78465527e-05}, {63, 3.06892599e-07}});
  EXPECT_EQ(third.spec.pairing, Pairing::interleaved);
  EXPECT_EQ(third.spec.trained_length, 8192);
  EXPECT_EQ(parse_first_profile(meta + R"(, "use_scaled_rope": false})").spec.extension.method, "none");
  const Profile fourth =
      parse_first_profile(meta + R"(, "use_scaled_rope": true, "nope_layer_interval": 4, "moe_args": {}})");
  expect_rungs(fourth, 64, {{28, 0.00321144599}, {34, 0.00093847387}, {35, 4.77810618e-05}, {63, 1.53446299e-07}});
  const Profile told = parse_first_profile(
      meta + R"(, "use_scaled_rope": true, "rope_scaling_factor": 16, "rope_high_freq_factor": 2})");
  EXPECT_EQ(told.spec.extension.numbers.at("factor"), 16);
  EXPECT_EQ(told.spec.extension.numbers.at("high_frequency_factor"), 2);
}

/// Frequencies: the code of deepseek-ai/DeepSeek-V3.2-Exp @ 3b99a53, inference/model.py, by numpy.
TEST(ConfigExtensions, OfMistralsParamsAreYarnUnderOtherNames) {
  const std::string mistral = R"({"dim": 7168, "n_layers": 61, "head_dim": 192, "n_heads": 128, "rope_theta": 10000.0,
      "qk_rope_head_dim": 64, "yarn": {"factor": 36, "original_max_position_embeddings": 8192, "beta": 32, "alpha": 1, )";
  const Profile large = parse_first_profile(mistral + R"("apply_scale": false}})");
  expect_rungs(large, 32,
               {{10, 0.0562341325}, {13, 0.0219402738}, {16, 0.00700854701}, {20, 0.00127031667}, {31, 3.7042262e-06}});
  EXPECT_EQ(head_ladder(large.spec).amplitude, 1);
  EXPECT_THAT(doubt(mistral + R"("gamma": 2}})"), HasSubstr("\"yarn.gamma\""));
}

TEST(ConfigExtensions, OfDeepSeeksOwnCodeAreItsArguments) {
  const Profile own =
      parse_first_profile(R"({"dim": 7168, "n_layers": 61, "n_heads": 128, "n_routed_experts": 256, "route_scale": 2.5,
      "score_func": "sigmoid", "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_rope_head_dim": 64})");
  EXPECT_EQ(own.spec.pairing, Pairing::interleaved);
  EXPECT_EQ(head_ladder(own.spec).amplitude, 1);
  expect_rungs(own, 32,
               {{10, 0.0562341325}, {12, 0.0268793601}, {16, 0.0055}, {20, 0.000790569415}, {31, 3.33380358e-06}});
}

TEST(ConfigExtensions, ThatAreNotUnderstoodAreNotJudged) {
  const auto scaled = [](const std::string& object) { return to_llama_config(R"("rope_scaling": )" + object); };
  EXPECT_THAT(find_class_error(scaled(R"({"type": "something-new", "factor": 4})")), HasSubstr("something-new"));
  EXPECT_THAT(
      find_class_error(scaled(R"("yarn")")),
      Says("error.field", {{"field", "rope_scaling"}, {"found", said(Message("found.text", {{"text", "\"yarn\""}}))}}));
  EXPECT_THAT(find_class_error(scaled("4.0")), Says("error.field", {{"field", "rope_scaling"}, {"found", "4.0"}}));
  // Misspelt keys, keys without a type, keys of nobody.
  EXPECT_THAT(doubt(scaled(R"({"type": "yarn", "factor": 4, "beta_fasst": 64})")), HasSubstr("\"beta_fasst\""));
  EXPECT_THAT(doubt(scaled(R"({"factor": 4})")), Says("config_note.no_rope_type", {{"keys", "\"factor\""}}));
  EXPECT_THAT(doubt(scaled(R"({"roep_type": "linear", "factor": 4})")), HasSubstr("\"roep_type\""));
  EXPECT_THAT(doubt(scaled(R"({"long_factor": [1, 2], "short_factor": [1, 1]})")), Says("config_note.no_rope_type"));
  EXPECT_THAT(
      doubt(R"({"model_type": "phi3", "head_dim": 8, "rope_parameters": {"rope_theta": 9, "long_factor": [1, 2]}})"),
      Says("config_note.no_rope_type"));
  // Beside the object.
  EXPECT_THAT(doubt(to_llama_config(R"("rope_type": "yarn")")), HasSubstr("\"rope_type\""));
  EXPECT_THAT(doubt(to_llama_config(R"("use_scaled_rope": true)")), HasSubstr("\"use_scaled_rope\""));
  EXPECT_THAT(doubt(to_llama_config(R"("rope_scaling_factor": 8)")), HasSubstr("\"rope_scaling_factor\""));
  EXPECT_THAT(doubt(to_llama_config(R"("rope_scalling": {"type": "linear", "factor": 2})")),
              HasSubstr("\"rope_scalling"));
  EXPECT_THAT(doubt(to_llama_config(R"("yarn": {"factor": 36, "original_max_position_embeddings": 8192})")),
              HasSubstr("\"yarn"));
  EXPECT_THAT(doubt(to_llama_config(R"("scaling": {"type": "yarn", "factor": 4})")), HasSubstr("\"scaling"));
  EXPECT_THAT(doubt(R"({"model_type": "llava", "rope_scaling": {"type": "linear", "factor": 2}, "text_config":
                        {"model_type": "llama"}})"),
              HasSubstr("\"rope_scaling"));
}

TEST(ConfigExtensions, WhatAsksForNothingIsJudged) {
  for (const char* more :
       {R"("rope_scaling": null)", R"("rope_scaling": {})", R"("rope_scaling": {"rope_type": "default"})",
        R"("use_scaled_rope": false)", R"("rope_scaling_factor": 1.0)", R"("rope_type": "default")",
        R"("rope_scaling": {"type": "yarn", "factor": 4, "attn_factor": 1, "extrapolation_factor": 1})",
        R"("rope_scaling": {"type": "linear", "factor": 4, "beta_fast": null})",
        R"("rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24], "mrope_interleaved": true})",
        R"("rope_parameters": {"rope_type": "default", "rope_theta": 9, "original_max_position_embeddings": 4096})",
        R"("quantization_config": {"type": "linear", "bits": 4})", R"("vision_config": {"rope_scaling": {"x": 2}})"}) {
    EXPECT_EQ(doubt(to_llama_config(more)), "") << more;
  }
}

// ---- profiles and layers --------------------------------------------------------------------------------------------

/// Pairing and place: deepseek-ai's modeling in huggingface/transformers, DeepseekV32Indexer and GlmMoeDsaIndexer;
/// frequencies: inference/model.py of DeepSeek-V3.2-Exp @ 3b99a53, by numpy.
TEST(ConfigProfiles, AnIndexerHasAHeadAndAPairingOfItsOwn) {
  const std::string deepseek = R"({"model_type": "deepseek_v32", "qk_rope_head_dim": 64, "rope_theta": 10000,
      "max_position_embeddings": 163840, "rope_scaling": {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1,
      "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096}, "index_head_dim": )";
  const ModelConfig config = parse_class_config(deepseek + "128}");
  ASSERT_THAT(names(config), ElementsAre("text", "indexer"));
  const Profile& indexer = config.profiles[1];
  EXPECT_EQ(config.profiles[0].spec.pairing, Pairing::interleaved);
  EXPECT_EQ(indexer.spec.pairing, Pairing::half_split);
  EXPECT_EQ(indexer.spec.head_dim, 128);
  EXPECT_EQ(total_rotary_dim(indexer.spec), 64);
  expect_rungs(indexer, 32,
               {{10, 0.0562341325}, {12, 0.0268793601}, {16, 0.0055}, {20, 0.000790569415}, {31, 3.33380358e-06}});
  EXPECT_EQ(parse_class_config(deepseek + "96}").profiles[1].spec.head_dim, 96);
  const std::string glm =
      R"({"model_type": "glm_moe_dsa", "rope_parameters": {"rope_theta": 1000000, "rope_type": "default"})";
  EXPECT_EQ(parse_class_config(glm + "}").profiles.at(1).spec.pairing, Pairing::half_split);
  EXPECT_EQ(parse_class_config(glm + R"(, "indexer_rope_interleave": true})").profiles.at(1).spec.pairing,
            Pairing::interleaved);
  EXPECT_THAT(names(parse_class_config(R"({"model_type": "deepseek_v3"})")), ElementsAre("text"));
}

/// An indexer is no counterpart of another model's attention.
TEST(ConfigProfiles, AnIndexerIsComparedWithAnIndexer) {
  const ModelSide with{parse_class_config(R"({"model_type": "deepseek_v32"})").profiles, std::nullopt};
  const ModelSide without{
      parse_class_config(R"({"model_type": "deepseek_v3", "max_position_embeddings": 163840})").profiles, std::nullopt};
  EXPECT_TRUE(compare_models(with, without).agrees);
  EXPECT_TRUE(compare_models(without, with).agrees);
  EXPECT_TRUE(compare_models(with, with).agrees);
}

TEST(ConfigProfiles, LinearLayersThatTurnHaveOne) {
  const std::string sala =
      R"({"model_type": "minicpm_sala", "head_dim": 128, "rope_theta": 10000, "lightning_head_dim": 64,
      "lightning_use_rope": true, "num_hidden_layers": 4, "mixer_types": ["minicpm4", "lightning-attn", "lightning-attn",
      "minicpm4"], "attn_use_rope": )";
  const ModelConfig alone = parse_class_config(sala + "false}");
  ASSERT_THAT(names(alone), ElementsAre("linear attention"));
  EXPECT_EQ(alone.profiles[0].spec.head_dim, 64);
  EXPECT_THAT(unrotated(sala + "false}"),
              Says("config_note.unrotated", {{"count", "2"}, {"layers", "4"}, {"numbers", "0, 3"}}));
  ASSERT_THAT(names(parse_class_config(sala + "true}")), ElementsAre("text", "linear attention"));
  const ModelConfig ling = parse_class_config(
      R"({"model_type": "bailing_hybrid", "head_dim": 128, "qk_rope_head_dim": 64, "layer_group_size": 8,
      "partial_rotary_factor": 0.5, "rope_theta": 6000000, "max_position_embeddings": 131072})");
  ASSERT_THAT(names(ling), ElementsAre("text", "linear attention"));
  EXPECT_EQ(ling.profiles[0].spec.head_dim, 64);
  EXPECT_EQ(ling.profiles[0].spec.pairing, Pairing::interleaved);
  EXPECT_EQ(ling.profiles[1].spec.head_dim, 128);
  EXPECT_EQ(total_rotary_dim(ling.profiles[1].spec), 64);
  EXPECT_EQ(ling.profiles[1].spec.pairing, Pairing::half_split);
}

/// The order of huggingface/transformers' Qwen2VisionTransformer.rot_pos_emb: reshape to blocks, permute, flatten.
TEST(ConfigProfiles, ATowerTakesItsPatchesBlockByBlock) {
  const std::string qwen = R"({"model_type": "qwen2_vl", "hidden_size": 64, "num_attention_heads": 1, "vision_config":
      {"embed_dim": 64, "num_heads": 2, "patch_size": 14, "spatial_merge_size": )";
  const Profile vision = parse_class_config(qwen + "2}}").profiles.at(1);
  EXPECT_EQ(vision.merge, 2);
  EXPECT_EQ(vision.patch, 14);
  EXPECT_THAT(said(notes_limiting_verdict(vision)), Contains(Says("config_note.merged_patches", {{"merge", "2"}})));
  EXPECT_EQ(parse_class_config(qwen + "1}}").profiles.at(1).merge, 1);
  LayoutRequest request;
  request.image = ImageSize::tokens(2, 4);
  for (const RotaryAxis& axis : vision.spec.axes) request.axes.push_back({axis.name, axis.rotary_dim, axis.base});
  request.numbers["merge"] = vision.merge;
  const TokenLayout tokens = arrange(find_layout("custom"), request);
  const double rows[] = {0, 0, 1, 1, 0, 0, 1, 1}, columns[] = {0, 1, 0, 1, 2, 3, 2, 3};
  ASSERT_EQ(tokens.row_count(), 8);
  for (int token = 0; token < 8; ++token) {
    EXPECT_THAT(ids_of(tokens, token), ElementsAre(rows[token], columns[token])) << token;
  }
  request.image = ImageSize::tokens(3, 4);
  EXPECT_REFUSED(arrange(find_layout("custom"), request),
                 Says("error.layouts.merged_grid", {{"rows", "3"}, {"columns", "4"}, {"merge", "2"}}));
}

TEST(ConfigProfiles, LayersWithoutRotationAreListedByNumber) {
  const auto layers = [](const std::string& type, const std::string& more) {
    return unrotated(R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_attention_heads": 1, )" + more + "}");
  };
  EXPECT_THAT(layers("smollm3", R"("num_hidden_layers": 36)"),
              Says("config_note.one_unrotated_in_of",
                   {{"interval", "4"}, {"count", "9"}, {"layers", "36"}, {"numbers", "3, 7, …, 35"}}));
  EXPECT_THAT(layers("smollm3", R"("no_rope_layers": [1, 0, 0, 1, 1, 0])"),
              Says("config_note.unrotated", {{"count", "3"}, {"layers", "6"}, {"numbers", "1, 2, 5"}}));
  EXPECT_THAT(layers("llama4_text", R"("num_hidden_layers": 48, "no_rope_layer_interval": 6)"),
              HasSubstr(" 5, 11, …, 47,"));
  EXPECT_THAT(layers("cohere2", R"("num_hidden_layers": 8)"),
              AllOf(Says("config_note.unrotated", {{"count", "2"}, {"layers", "8"}}), HasSubstr(" 3, 7")));
  EXPECT_THAT(layers("cohere2", R"("layer_types": ["full_attention", "sliding_attention", "full_attention"])"),
              Says("config_note.unrotated", {{"count", "2"}, {"layers", "3"}, {"numbers", "0, 2"}}));
  EXPECT_THAT(layers("exaone4", R"("num_hidden_layers": 8, "sliding_window": 4096, "sliding_window_pattern": "LLLG")"),
              Says("config_note.unrotated", {{"count", "2"}, {"layers", "8"}, {"numbers", "3, 7"}}));
  EXPECT_EQ(layers("exaone4", R"("num_hidden_layers": 8, "sliding_window": null)"), "");
  EXPECT_THAT(layers("qwen3_next", R"("layer_types": ["linear_attention", "linear_attention", "linear_attention",
      "full_attention", "linear_attention", "linear_attention", "linear_attention", "full_attention"])"),
              AllOf(Says("config_note.unrotated", {{"count", "6"}, {"layers", "8"}}), HasSubstr(" 0–2, 4–6")));
  EXPECT_THAT(layers("qwen3_next", R"("num_hidden_layers": 8, "full_attention_interval": 4)"), HasSubstr(" 0–2, 4–6"));
  EXPECT_THAT(layers("qwen3_next", R"("num_hidden_layers": 48)"), HasSubstr(" 0–2, 4–6, …, 44–46,"));
  EXPECT_THAT(layers("lfm2", R"("layer_types": ["conv", "conv", "full_attention"])"),
              Says("config_note.unrotated", {{"count", "2"}, {"layers", "3"}, {"numbers", "0, 1"}}));
  EXPECT_THAT(layers("bamba", R"("num_hidden_layers": 6, "attn_layer_indices": [2, 5])"), HasSubstr(" 0, 1, 3, 4"));
  EXPECT_THAT(layers("x", R"("rope_theta": 9, "attn_type_list": [0, 0, 1, 0])"),
              Says("config_note.unrotated", {{"count", "3"}, {"layers", "4"}, {"numbers", "0, 1, 3"}}));
  EXPECT_EQ(layers("qwen3", R"("layer_types": ["full_attention", "full_attention"])"), "");
  EXPECT_THAT(
      layers("smallthinker", R"("num_hidden_layers": 8, "rope_theta": 9, "rope_layout": [0, 1, 1, 1, 0, 1, 1, 1])"),
      Says("config_note.unrotated", {{"count", "2"}, {"layers", "8"}, {"numbers", "0, 4"}}));
  EXPECT_THAT(layers("zamba2", R"("num_hidden_layers": 6, "use_mem_rope": true, "hybrid_layer_ids": [2, 5])"),
              AllOf(Says("config_note.unrotated", {{"count", "4"}, {"layers", "6"}}), HasSubstr(" 0, 1, 3, 4")));
  EXPECT_THAT(layers("plamo2", R"("num_hidden_layers": 8, "rope_theta": 9, "mamba_step": 2)"),
              AllOf(Says("config_note.unrotated", {{"count", "4"}, {"layers", "8"}}), HasSubstr(" 0, 2, …, 6")));
  EXPECT_THAT(layers("step3p5", R"("num_hidden_layers": 3, "use_rope_layers": [true, false, true, false])"),
              Says("config_note.unrotated", {{"count", "1"}, {"layers", "3"}, {"numbers", "1"}}));
  EXPECT_THAT(find_class_error(R"({"model_type": "smollm3", "no_rope_layers": [1, "0"]})"),
              HasSubstr("no_rope_layers"));
}

TEST(ConfigProfiles, SayWhichLayersTheyAreOf) {
  const ModelConfig gemma = parse_class_config(
      R"({"model_type": "gemma3_text", "num_hidden_layers": 12, "sliding_window": 512, "rope_theta": 1000000})");
  EXPECT_THAT(said(gemma.profiles.at(0).notes),
              Contains(Says("config_note.layers_of",
                            {{"count", "2"}, {"layers", "12"}, {"profile", "full attention"}, {"numbers", "5, 11"}})));
  EXPECT_THAT(
      said(gemma.profiles.at(1).notes),
      Contains(Says("config_note.layers_of",
                    {{"count", "10"}, {"layers", "12"}, {"profile", "sliding attention"}, {"numbers", "0–4, 6–10"}})));
  EXPECT_THAT(said(notes_limiting_verdict(gemma.profiles.at(1))),
              Contains(Says("config_note.layers_of", {{"count", "10"}, {"layers", "12"}})));
  const ModelConfig zaya =
      parse_class_config(R"({"model_type": "zaya", "num_hidden_layers": 2, "layer_types": ["hybrid", "hybrid"]})");
  EXPECT_THAT(said(zaya.profiles.at(1).notes),
              Contains(Says("config_note.no_layers_of", {{"layers", "2"}, {"profile", "hybrid sliding"}})));
  // One kind is not told from itself.
  EXPECT_THAT(said(parse_first_profile(R"({"model_type": "granite_swa", "layer_rope_theta": [0, 20000]})").notes),
              Not(Contains(AnyOf(Says("config_note.layers_of"), Says("config_note.no_layers_of")))));
}

// ---- files that were read wrongly -----------------------------------------------------------------------------------

TEST(ReportedConfigs, AreReadOrRefused) {
  const fs::path folder = shared_configs() / "reported";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not here";
  const auto of = [&](const std::string& name) { return read_file(folder / (name + ".json")); };
  EXPECT_THAT(names(parse_class_config(of("deepseek-ai--DeepSeek-V3.2"))), ElementsAre("text", "indexer"));
  EXPECT_THAT(find_class_error(of("kimi-linear-48b")),
              Says("config_note.unrotated_by", {{"field", "mla_use_nope"}, {"found", "true"}}));
  EXPECT_EQ(parse_first_profile(of("meta-llama31-params")).spec.extension.method, "llama3");
  EXPECT_EQ(parse_first_profile(of("mistral-large-3-params")).spec.extension.method, "yarn");
  EXPECT_THAT(find_class_error(of("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")), Says("config_note.unrotated_class"));
  EXPECT_EQ(total_rotary_dim(parse_first_profile(of("prf-both")).spec), 32);
  EXPECT_THAT(said(notes_limiting_verdict(parse_first_profile(of("prf-both")))),
              Contains(Says("config_note.fractions", {{"taken", "rope_parameters.partial_rotary_factor"}})));
  EXPECT_EQ(parse_first_profile(of("qwen3_tts_base")).spec.axes[0].base, 1e6);
  EXPECT_THAT(said(parse_first_profile(of("qwen3_tts_base")).notes),
              Contains(Says("config_note.interleaved_pairs", {{"pairs", "24 + 20 + 20"}})));
  EXPECT_EQ(total_rotary_dim(parse_first_profile(of("qwen_image_layered_20B")).spec), 128);
  EXPECT_THAT(names(parse_class_config(of("sgl-project--DeepSeek-V4-Pro-FP8"))),
              ElementsAre("compressed attention", "sliding attention"));
  EXPECT_THAT(names(parse_class_config(of("step3p5-flash"))), ElementsAre("full attention", "sliding attention"));
}

}  // namespace
}  // namespace ropescope
