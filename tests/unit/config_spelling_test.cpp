#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/message.h"
#include "core/scaling/scaling.h"
#include "tests/said.h"

namespace ropescope {
namespace {

Profile parse_spelled_profile(const std::string& text) {
  return parse_model_config(text, "config.json").profiles.at(0);
}
std::string to_spelled_llama(const std::string& more) {
  return R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, )" + more + "}";
}

/// A class that reads partial_rotary_factor, as Llama's does not.
std::string phi(const std::string& more) {
  return R"({"model_type": "phi3", "hidden_size": 4096, "num_attention_heads": 32, )" + more + "}";
}
std::string find_spelling_error(const std::string& text) {
  return refusal_of([&] { parse_model_config(text, "c.json"); });
}

TEST(ConfigSpelling, OldAndNewPlacesOfTheBaseAgree) {
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("rope_theta": 500000)")).spec.axes[0].base, 500000);
  const Profile moved =
      parse_spelled_profile(to_spelled_llama(R"("rope_parameters": {"rope_theta": 500000, "rope_type": "default"})"));
  EXPECT_EQ(moved.spec.axes[0].base, 500000);
  EXPECT_EQ(said(moved.origin.at("base")), "rope_parameters.rope_theta");
  EXPECT_EQ(moved.spec.extension.method, "none");
}

TEST(ConfigSpelling, TypeAndRopeTypeAgreeAndRopeTypeWins) {
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("rope_scaling": {"type": "linear", "factor": 2})"))
                .spec.extension.method,
            "linear");
  const Profile both =
      parse_spelled_profile(to_spelled_llama(R"("rope_scaling": {"type": "mrope", "rope_type": "yarn", "factor": 2})"));
  EXPECT_EQ(both.spec.extension.method, "yarn");
  EXPECT_EQ(said(both.origin.at("extension")), "rope_scaling.rope_type");
}

TEST(ConfigSpelling, OldNamesOfMethodsBecomeTheNewOnes) {
  const auto method = [](const std::string& type) {
    const std::string numbers = R"(", "factor": 2, "alpha": 3, "short_factor": [1, 1], "long_factor": [1, 1]})";
    return parse_spelled_profile(to_spelled_llama(R"("head_dim": 4, "rope_scaling": {"type": ")" + type + numbers))
        .spec.extension.method;
  };
  EXPECT_EQ(method("su"), "longrope");
  EXPECT_EQ(method("deepseek_yarn"), "yarn");
  EXPECT_EQ(method("ntk"), "ntk-aware");
  EXPECT_EQ(method("dynamic"), "ntk-alpha");  // with an alpha
  EXPECT_EQ(method("xdrope"), "ntk-alpha");
  EXPECT_EQ(method("mrope"), "none");
  EXPECT_EQ(method("default"), "none");
}

// As transformers: the type decides, except in Phi-3 (Phi3Config.convert_rope_params_to_dict).
TEST(ConfigSpelling, YarnWithListsIsLongRopeInPhi3Alone) {
  const auto profile = [](const std::string& model, const std::string& type) {
    return parse_spelled_profile(R"({"model_type": ")" + model + R"(", "hidden_size": 8, "num_attention_heads": 2,
        "max_position_embeddings": 8192, "original_max_position_embeddings": 4096, "rope_scaling": {"type": ")" +
                                 type + R"(", "factor": 2, "short_factor": [1, 1], "long_factor": [1, 3]}})");
  };
  const auto note = Says("config_note.unused_lists", {{"path", "rope_scaling"}});
  for (const char* type : {"yarn", "linear", "dynamic"}) {
    const Profile llama = profile("llama", type);
    EXPECT_EQ(llama.spec.extension.method, type);
    EXPECT_TRUE(llama.spec.extension.lists.empty());
    EXPECT_THAT(said(llama.notes), Contains(note));
    EXPECT_TRUE(llama.not_understood.empty()) << "it is known what they change: nothing";
  }
  for (const char* model : {"phi3", "phi4_multimodal"}) {
    const Profile phi = profile(model, "yarn");
    EXPECT_EQ(phi.spec.extension.method, "longrope");
    EXPECT_EQ(phi.spec.extension.lists.at("long_factors"), (std::vector<double>{1, 3}));
    EXPECT_THAT(said(phi.notes), Not(Contains(note)));
  }
}

TEST(ConfigSpelling, ParametersOfOtherMethodsAreLeftOut) {
  // As Hunyuan writes it.
  const Profile profile =
      parse_spelled_profile(to_spelled_llama(R"("rope_scaling": {"type": "dynamic", "alpha": 1000, "beta_fast": 32,
      "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0})"));
  EXPECT_EQ(profile.spec.extension, (Extension{"ntk-alpha", {{"ntk_alpha", 1000}}, {}}));
}

TEST(ConfigSpelling, NullIsAbsent) {
  const Profile profile =
      parse_spelled_profile(to_spelled_llama(R"("rope_theta": null, "rope_scaling": null, "head_dim": null)"));
  EXPECT_EQ(profile.spec.head_dim, 128);
  EXPECT_EQ(profile.spec.axes[0].base, 10000);
  EXPECT_EQ(said(profile.origin.at("base")), said(Message("origin.default_of_type", {{"type", "llama"}})));
  EXPECT_EQ(profile.spec.extension, Extension{});
}

TEST(ConfigSpelling, TheLastOfDuplicateKeysCounts) {
  const Profile twice = parse_spelled_profile(to_spelled_llama(R"("rope_theta": 5, "rope_theta": 7)"));
  EXPECT_EQ(twice.spec.axes[0].base, 7);
  EXPECT_THAT(said(twice.notes), Contains(Says("config_note.doubled", {{"keys", "\"rope_theta\""}})));
}

TEST(ConfigSpelling, DuplicateKeysAreNamedWhereverTheyStand) {
  const auto notes = [](const std::string& text) { return said(parse_model_config(text, "c").profiles[0].notes); };
  EXPECT_THAT(notes(to_spelled_llama(
                  R"("x": 1, "x": 1, "rope_scaling": {"type": "linear", "factor": 3, "factor": 2, "factor": 2},
      "deep": [[], {"a": {"b\n": 1, "b\n": 2}}])")),
              Contains(Says("config_note.doubled", {{"keys", "\"x\", \"rope_scaling.factor\", \"deep[1].a.b \""}})));
  EXPECT_THAT(notes(to_spelled_llama(R"("a": {"x": 1}, "b": {"x": 1})")), IsEmpty());
  std::string many;
  for (int i = 0; i < 45'000; ++i) {
    const std::string key = "\"k" + std::to_string(i) + "\": 0, ";
    many += key + key;
  }
  const auto said_of_many = notes(to_spelled_llama(many + R"("y": 1)"));
  ASSERT_EQ(said_of_many.size(), 1u);
  EXPECT_LT(said_of_many[0].size(), 250u);
  // An image model, and one that is a layout alone.
  EXPECT_THAT(notes(R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [16, 56, 56], "x": 1, "x": 2})"),
              Contains(Says("config_note.doubled", {{"keys", "\"x\""}})));
  const std::string ltx = R"({"_class_name": "LTXVideoTransformer3DModel", "x": 1, "x": 2, "rope_spiral": 2})";
  EXPECT_THAT(said(parse_layout_config(ltx, "c").notes),
              ::testing::IsSupersetOf({Says("config_note.doubled", {{"keys", "\"x\""}}),
                                       Says("config_note.unread", {{"field", "\"rope_spiral\""}})}));
}

TEST(ConfigSpelling, TheOriginalLengthIsFoundInTheObjectAndBesideIt) {
  const std::string inside =
      R"("rope_scaling": {"type": "yarn", "factor": 2, "original_max_position_embeddings": 4096})";
  EXPECT_EQ(
      parse_spelled_profile(to_spelled_llama(R"("max_position_embeddings": 9000, )" + inside)).spec.trained_length,
      4096);
  const std::string beside =
      R"("original_max_position_embeddings": 4096, "rope_scaling": {"type": "yarn", "factor": 2})";
  EXPECT_EQ(
      parse_spelled_profile(to_spelled_llama(R"("max_position_embeddings": 9000, )" + beside)).spec.trained_length,
      4096);
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("max_position_embeddings": 9000, )" + beside)).context_length,
            9000);
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("max_position_embeddings": 9000)")).context_length, std::nullopt)
      << "not extended";
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("max_position_embeddings": 9000)")).spec.trained_length, 9000);
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("rope_theta": 10)")).spec.trained_length, 2048);
}

TEST(ConfigSpelling, DynamicAlwaysTakesTheLongestLength) {
  const std::string rope =
      R"("rope_scaling": {"type": "dynamic", "factor": 2, "original_max_position_embeddings": 4096})";
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("max_position_embeddings": 9000, )" + rope)).spec.trained_length,
            9000);
}

TEST(ConfigSpelling, FractionsTruncateAsPythonDoes) {
  // 0.334 of 192 is 64.128: int(), which the models' code takes, makes it 64.
  EXPECT_EQ(parse_spelled_profile(R"({"model_type": "phi3", "head_dim": 192, "partial_rotary_factor": 0.334})")
                .spec.axes[0]
                .rotary_dim,
            64);
  const Profile inside = parse_spelled_profile(
      R"({"model_type": "phi3", "head_dim": 256, "rope_parameters": {"partial_rotary_factor": 0.25}})");
  EXPECT_EQ(inside.spec.axes[0].rotary_dim, 64);
  EXPECT_EQ(said(inside.origin.at("rotary_dim")), "head_dim * rope_parameters.partial_rotary_factor");
}

TEST(ConfigSpelling, LayerTypesBecomeProfilesFullFirst) {
  const ModelConfig config = parse_model_config(R"({"model_type": "gemma3_text", "rope_parameters": {
      "a_sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"},
      "full_attention": {"rope_theta": 1000000.0, "rope_type": "linear", "factor": 8}}})",
                                                "config.json");
  ASSERT_EQ(config.profiles.size(), 2u);
  EXPECT_EQ(config.profiles[0].name, "full attention");
  EXPECT_EQ(config.profiles[0].spec.extension.method, "linear");
  EXPECT_EQ(config.profiles[1].spec.axes[0].base, 10000);
}

TEST(ConfigSpelling, SecondBasesMakeSecondProfiles) {
  const ModelConfig config = parse_model_config(
      R"({"model_type": "mimo_v2_flash", "head_dim": 192, "rope_theta": 5000000, "swa_rope_theta": 10000})",
      "config.json");
  ASSERT_EQ(config.profiles.size(), 2u);
  EXPECT_EQ(config.profiles[0].name, "full attention");
  EXPECT_EQ(config.profiles[1].name, "sliding attention");
  EXPECT_EQ(config.profiles[1].spec.axes[0].base, 10000);
  EXPECT_EQ(said(config.profiles[1].origin.at("base")), "swa_rope_theta");
}

TEST(ConfigSpelling, AProportionalFactorDividesTheLadder) {
  const Profile profile =
      parse_spelled_profile(R"({"model_type": "gemma4_text", "head_dim": 256, "rope_parameters": {"full_attention":
      {"rope_type": "proportional", "partial_rotary_factor": 0.5, "factor": 4, "rope_theta": 1000}}})");
  EXPECT_EQ(profile.spec.extension, (Extension{"proportional", {{"live_fraction", 0.5}, {"factor", 4}}, {}}));
  EXPECT_EQ(profile.spec.axes[0].rotary_dim, 512);  // global_head_dim of the class
}

TEST(ConfigSpelling, AFractionBesideTheObjectIsMovedIntoIt) {
  // transformers moves partial_rotary_factor into rope_parameters, over what stands there.
  const Profile beside =
      parse_spelled_profile(R"({"model_type": "llama", "head_dim": 256, "partial_rotary_factor": 0.25,
      "rope_parameters": {"rope_type": "proportional", "rope_theta": 1000}})");
  EXPECT_EQ(beside.spec.extension, (Extension{"proportional", {{"live_fraction", 0.25}}, {}}));
  EXPECT_EQ(beside.spec.axes[0].rotary_dim, 256);
  EXPECT_EQ(said(beside.origin.at("extension.live_fraction")), "partial_rotary_factor");
  const Profile layered =
      parse_spelled_profile(R"({"model_type": "gemma4_text", "partial_rotary_factor": 0.5, "rope_parameters": {
      "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000}}})");
  EXPECT_EQ(layered.spec.extension.numbers.at("live_fraction"), 0.5);
  const Profile linear =
      parse_spelled_profile(phi(R"("partial_rotary_factor": 0.25, "rope_scaling": {"type": "linear", "factor": 2,
      "partial_rotary_factor": 0.5})"));
  EXPECT_EQ(linear.spec.axes[0].rotary_dim, 32);
  // The plain ladder is computed from the object as it stands.
  const Profile plain =
      parse_spelled_profile(phi(R"("partial_rotary_factor": 0.25, "rope_parameters": {"rope_type": "default",
      "partial_rotary_factor": 0.5})"));
  EXPECT_EQ(plain.spec.axes[0].rotary_dim, 64);
  EXPECT_THAT(said(plain.notes),
              Contains(Says("config_note.fractions", {{"inside", "rope_parameters.partial_rotary_factor"},
                                                      {"fraction", "0.5"},
                                                      {"beside", "partial_rotary_factor"},
                                                      {"other", "0.25"},
                                                      {"taken", "rope_parameters.partial_rotary_factor"}})));
}

TEST(ConfigSpelling, AnOddRotaryDimensionHasOnePairMore) {
  // int(128 * 0.4) = 51: transformers computes arange(0, 51, 2) / 51, 26 frequencies, and turns 52 channels.
  for (const char* extension : {"", R"(, "rope_scaling": {"type": "linear", "factor": 4})"}) {
    const Profile profile =
        parse_spelled_profile(phi(R"("rope_theta": 500000, "partial_rotary_factor": 0.4)" + std::string(extension)));
    const double factor = *extension ? 4 : 1;
    const Eigen::VectorXd frequencies = scaled_ladder(profile.spec, 0).frequencies;
    ASSERT_EQ(frequencies.size(), 26);
    EXPECT_EQ(profile.spec.axes[0].rotary_dim, 52);
    for (int i = 0; i < 26; ++i) {
      EXPECT_NEAR(frequencies[i] * factor / std::pow(500000.0, -2.0 * i / 51), 1, 1e-13) << i;
    }
    EXPECT_EQ(said(profile.origin.at("base")), "(rope_theta)^(52/51)");
    EXPECT_THAT(said(profile.notes), Contains(Says("config_note.odd", {{"odd", "51"}, {"pairs", "26"}})));
  }
}

TEST(ConfigSpelling, DeepSeekV4ExtendsItsCompressedLayersOnly) {
  const ModelConfig config =
      parse_model_config(R"({"model_type": "deepseek_v4", "head_dim": 512, "qk_rope_head_dim": 64,
      "compress_ratios": [0, 0, 4, 128, 4], "compress_rope_theta": 160000, "rope_theta": 10000, "sliding_window": 128,
      "max_position_embeddings": 1048576, "rope_scaling": {"type": "yarn", "factor": 16, "beta_fast": 32,
      "beta_slow": 1, "original_max_position_embeddings": 65536}})",
                         "config.json");
  ASSERT_EQ(config.profiles.size(), 2u);
  const Profile& compressed = config.profiles[0];
  const Profile& sliding = config.profiles[1];
  EXPECT_EQ(compressed.name, "compressed attention");
  EXPECT_EQ(compressed.spec.axes[0].base, 160000);
  EXPECT_EQ(compressed.spec.extension.method, "yarn");
  EXPECT_EQ(sliding.name, "sliding attention");
  EXPECT_EQ(sliding.spec.axes[0].base, 10000);
  EXPECT_EQ(sliding.spec.extension.method, "none");
  for (const Profile& profile : config.profiles) {
    EXPECT_EQ(head_ladder(profile.spec).amplitude, 1) << profile.name;
    EXPECT_EQ(profile.spec.axes[0].rotary_dim, 64);
    EXPECT_EQ(profile.spec.pairing, Pairing::interleaved);
  }
}

TEST(ConfigSpelling, NomicIsTrainedWithLessThanItTakes) {
  const std::string nomic = R"({"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_positions": 8192,
      "max_trained_positions": 2048, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
      "rotary_emb_interleaved": false, "rotary_emb_scale_base": null, "rotary_scaling_factor": )";
  const Profile plain = parse_spelled_profile(nomic + "null}");
  EXPECT_EQ(plain.spec.trained_length, 2048);
  EXPECT_EQ(said(plain.origin.at("trained_length")), "max_trained_positions");
  EXPECT_EQ(plain.spec.axes[0].base, 1000);
  EXPECT_EQ(plain.spec.extension.method, "none");
  EXPECT_THAT(
      said(plain.notes),
      Contains(Says(
          "config_note.lengths",
          {{"other", "n_positions"}, {"length", "8192"}, {"taken", "max_trained_positions"}, {"trained", "2048"}})));
  EXPECT_EQ(parse_spelled_profile(nomic + "2}").spec.extension, (Extension{"dynamic", {{"factor", 2}}, {}}));
}

TEST(ConfigSpelling, HunyuanHasFourPositionAxes) {
  const Profile profile =
      parse_spelled_profile(R"({"model_type": "hunyuan_vl", "head_dim": 128, "rope_theta": 10000.0, "rope_scaling": {
      "alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0,
      "type": "xdrope", "xdrope_section": [16, 16, 16, 16]}})");
  EXPECT_EQ(profile.spec.extension, (Extension{"ntk-alpha", {{"ntk_alpha", 1000}}, {}}));
  EXPECT_THAT(said(profile.notes),
              Contains(Says(
                  "config_note.doubled_sections",
                  {{"count", "4"}, {"axes", said(Message("config_note.four_axes"))}, {"pairs", "16 + 16 + 16 + 16"}})));
}

TEST(ConfigSpelling, WindowsAndLengthsAreSaid) {
  const auto notes = [](const std::string& text) {
    Message::List all;
    for (const Profile& profile : parse_model_config(text, "config.json").profiles) {
      all.insert(all.end(), profile.notes.begin(), profile.notes.end());
    }
    return said(all);
  };
  const auto gemma = notes(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
      "sliding_window": 1024, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})");
  EXPECT_THAT(gemma, Contains(Says("config_note.window_of_these",
                                   {{"positions", "1024"}, {"field", "text_config.sliding_window"}})));
  EXPECT_THAT(gemma, Contains(Says("config_note.gemma")));
  EXPECT_THAT(notes(R"({"model_type": "mimo_v2_flash", "head_dim": 192, "swa_rope_theta": 10000,
      "partial_rotary_factor": 0.334, "sliding_window_size": 128})"),
              Contains(Says("config_note.window_of_these", {{"positions", "128"}, {"field", "sliding_window_size"}})));
  EXPECT_THAT(notes(R"({"model_type": "cohere", "max_position_embeddings": 8192, "model_max_length": 131072})"),
              Contains(Says("config_note.lengths", {{"other", "model_max_length"},
                                                    {"length", "131072"},
                                                    {"taken", "max_position_embeddings"},
                                                    {"trained", "8192"}})));
  EXPECT_THAT(notes(R"({"model_type": "gpt_oss", "sliding_window": 128,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]})"),
              Contains(Says("config_note.window_of_some",
                            {{"count", "2"}, {"layers", "3"}, {"positions", "128"}, {"field", "sliding_window"}})));
  // A window that is off is no window.
  for (const char* off : {R"("sliding_window": null)", R"("sliding_window": 4096, "use_sliding_window": false)"}) {
    EXPECT_THAT(notes(R"({"model_type": "mistral", "head_dim": 128, )" + std::string(off) + "}"), IsEmpty());
  }
}

TEST(ConfigSpelling, BasesOfSingleLayers) {
  const auto read = [](const char* bases) {
    return parse_model_config(R"({"model_type": "granite_swa", "layer_rope_theta": )" + std::string(bases) + "}", "c");
  };
  const ModelConfig two = read("[10000, 0, 500000, 10000]");
  ASSERT_EQ(two.profiles.size(), 2u);
  EXPECT_EQ(two.profiles[0].name, "base 10000");
  EXPECT_EQ(two.profiles[1].spec.axes[0].base, 500000);
  EXPECT_THAT(said(two.profiles[0].notes), Contains(Says("config_note.unrotated", {{"count", "1"}, {"layers", "4"}})));
  EXPECT_EQ(read("[20000, 20000]").profiles[0].name, "text");
  EXPECT_EQ(read("[20000, 20000]").profiles[0].spec.axes[0].base, 20000);
  EXPECT_THROW(read("[0, 0]"), InputError);
}

TEST(ConfigSpelling, KeysThatLookRotaryAndAreNotUnderstoodGetANote) {
  EXPECT_THAT(
      said(parse_spelled_profile(to_spelled_llama(R"("rope_parameters": {"rope_theta": 10000, "spiral_section": [1]})"))
               .notes),
      Contains(Says("config_note.unknown_key", {{"path", "rope_parameters"}, {"key", "\"spiral_section\""}})));
  EXPECT_THAT(said(parse_spelled_profile(to_spelled_llama(R"("rope_spiral": 3)")).notes),
              Contains(Says("config_note.unread", {{"field", "\"rope_spiral\""}, {"value", "3"}})));
  EXPECT_THAT(said(parse_spelled_profile(to_spelled_llama(R"("rope_theta": 10000, "rope_scaling": null)")).notes),
              IsEmpty());
  EXPECT_THAT(
      said(parse_spelled_profile(to_spelled_llama(R"("vision_config": {"model_type": "new", "rope_theta": 100})"))
               .notes),
      Contains(Says("config_note.unread", {{"field", "\"vision_config.rope_theta\""}, {"value", "100"}})));
  const RotarySpec qwen =
      parse_spelled_profile(R"({"model_type": "qwen", "use_dynamic_ntk": true, "seq_length": 2048})").spec;
  EXPECT_EQ(qwen.extension.method, "qwen-dynamic");
  EXPECT_EQ(qwen.trained_length, 2048);
}

TEST(ConfigSpelling, UnreadFieldsAreToldInEveryObjectByTheirNames) {
  const auto fields = [](const std::string& text) {
    std::string told;
    for (const Profile& profile : parse_model_config(text, "c").profiles) {
      for (const Message& words : profile.notes) {
        if (words.key != "config_note.unread") continue;
        const std::string note = said(words);
        const std::size_t from = note.find('"') + 1;
        told += note.substr(from, note.find('"', from) - from) + " ";
      }
    }
    return told;
  };
  EXPECT_EQ(fields(to_spelled_llama(
                R"("rope_magic": true, "useLongRope": 1, "layer3d_rope": {}, "inv_freq": [1], "my_theta": "x",
      "x_yarn": 1, "NTK-factor": 2, "rotary2": [])")),
            "NTK-factor inv_freq layer3d_rope my_theta rope_magic rotary2 useLongRope x_yarn ");
  // Words that only hold these letters, names of classes, and what is null.
  EXPECT_EQ(fields(to_spelled_llama(
                R"("property": 1, "moe_layer_freq": 2, "base": 1, "max_position_embeddings": 9, "freq_dim": 2,
      "label2id": {"rope": 1}, "rope_magic": null)")),
            "");
  EXPECT_EQ(fields(R"({"model_type": "x", "rope_outer": 1, "text_config": {"model_type": "llama", "rope_inner": 2,
      "more": [[{"rope_listed": 3}]]}, "audio_config": {"rope_theta": 9}})"),
            "rope_outer text_config.more.rope_listed text_config.rope_inner ");
  // Qwen2.5-VL repeats fields of its language model.
  EXPECT_EQ(fields(R"({"model_type": "qwen2_5_vl", "rope_theta": 9, "rope_scaling": {"type": "mrope"}, "rope_pct": 1,
      "text_config": {"model_type": "qwen2_5_vl_text", "rope_theta": 9, "rope_scaling": {"type": "mrope"}}})"),
            "rope_pct ");
  EXPECT_EQ(fields(R"({"model_type": "pixtral", "text_config": {"model_type": "mistral"}, "vision_config": {
      "rope_spin": 1, "rope_parameters": {"rope_type": "default", "rope_theta": 9, "magic": 2}}})"),
            "vision_config.rope_parameters.magic vision_config.rope_spin ");
  EXPECT_EQ(fields(R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [16, 56, 56], "theta": 9,
      "rope_magic": true, "use_layer3d_rope": false, "time_theta": 3})"),
            "rope_magic ");
  EXPECT_EQ(
      fields(R"({"dim": 64, "n_layers": 1, "n_heads": 1, "rope_theta": 9, "rope_magic": true, "yarn": {"factor": 2,
      "original_max_position_embeddings": 9, "gamma": 1}})"),
      "rope_magic yarn.gamma ");
  // As many as anybody likes: a bounded number of notes.
  std::string many;
  for (int i = 0; i < 40'000; ++i) many += "\"rope" + std::to_string(i) + "\": 0, ";
  const auto notes = said(parse_spelled_profile(to_spelled_llama(many + R"("rope_scaling": {)" + many +
                                                                 R"("type": "linear", "factor": 2})"))
                              .notes);
  EXPECT_EQ(notes.size(), 26u);
  EXPECT_THAT(notes, Contains(said(Message("config_note.unread_more", {{"count", 39'988}}))));
  EXPECT_THAT(notes,
              Contains(said(Message("config_note.unknown_keys", {{"path", "rope_scaling"}, {"count", 39'988}}))));
}

TEST(ConfigSpelling, QwenImageLayeredIsNotReadAsQwenImage) {
  const auto of = [](const std::string& layered) {
    return R"({"_class_name": "QwenImageTransformer2DModel", "attention_head_dim": 128,
        "axes_dims_rope": [16, 56, 56])" +
           layered + "}";
  };
  const std::string layered = of(R"(, "use_layer3d_rope": true)");
  EXPECT_THAT(said(parse_spelled_profile(layered).notes), ElementsAre(Says("config_note.qwen_image")));
  EXPECT_EQ(find_layout_config(layered, "c")->layout, "qwen-image-layered");
  for (const char* plain : {"", R"(, "use_layer3d_rope": false)", R"(, "use_layer3d_rope": null)"}) {
    EXPECT_EQ(find_layout_config(of(plain), "c")->layout, "qwen-image") << plain;
  }
  EXPECT_FALSE(fits_layout("qwen-image-layered", "qwen-image"));
  EXPECT_FALSE(fits_layout("qwen-image", "qwen-image-layered"));
}

// ---- params.json ----------------------------------------------------------------------------------------------------

std::string native(const std::string& more) {
  return R"({"dim": 4096, "n_layers": 32, "n_heads": 32, )" + more + "}";
}

/// Reference: numpy, by the formulas of the YaRN paper with floor and ceil, and of Meta's apply_scaling.
void expect_ladder_near(const Profile& profile, const std::map<int, double>& frequencies, double amplitude) {
  const HeadLadder ladder = head_ladder(profile.spec);
  for (const auto& [pair, frequency] : frequencies) EXPECT_NEAR(ladder.frequencies[pair] / frequency, 1, 1e-11) << pair;
  EXPECT_NEAR(ladder.amplitude, amplitude, 1e-15);
}

TEST(ConfigSpelling, MistralsYarnIsReadAsItsConvertersReadIt) {
  const std::string yarn = R"("rope_theta": 1e6, "max_position_embeddings": 262144, "llama_4_scaling": {"beta": 0.1,
      "original_max_position_embeddings": 16384}, "yarn": {"factor": 16, "original_max_position_embeddings": 16384,
      "beta": 32, "alpha": 1, "apply_scale": )";
  const std::map<int, double> frequencies = {{0, 1},
                                             {1, 0.805842187761},
                                             {20, 0.0133352143216},
                                             {30, 0.000690702338894},
                                             {40, 1.11142463127e-05},
                                             {63, 7.7558610047e-08}};
  const Profile scaled = parse_spelled_profile(native(yarn + "true}")),
                kept = parse_spelled_profile(native(yarn + "false}"));
  expect_ladder_near(scaled, frequencies, 1.2772588722239782);
  expect_ladder_near(kept, frequencies, 1);
  for (const Profile& profile : {scaled, kept}) {
    EXPECT_EQ(profile.spec.trained_length, 16384);
    EXPECT_EQ(profile.context_length, 262144);
    EXPECT_EQ(said(profile.origin.at("extension")), "yarn");
    EXPECT_EQ(said(profile.origin.at("trained_length")), "yarn.original_max_position_embeddings");
    EXPECT_THAT(said(profile.notes), ElementsAre(Says("config_note.scaling_beta", {{"field", "llama_4_scaling"}})));
  }
  // Mistral Large 3: latent attention.
  const std::string large = R"("qk_rope_head_dim": 64, "rope_theta": 10000.0, "yarn": {"factor": 36,
      "original_max_position_embeddings": 8192, "beta": 32, "alpha": 1, "apply_scale": )";
  for (const char* scale : {"true}", "false}"}) {
    expect_ladder_near(parse_spelled_profile(native(large + scale)),
                       {{11, 0.0421696503429}, {15, 0.0103433393136}, {20, 0.00127031666691}, {31, 3.70422620045e-06}},
                       1);
  }
  EXPECT_EQ(parse_spelled_profile(native(R"("yarn": {})")).spec.extension.method, "none");
  EXPECT_THAT(find_spelling_error(native(R"("yarn": {"alpha": 1, "original_max_position_embeddings": 9})")),
              Says("error.json.missing", {{"field", "yarn.factor"}}));
  EXPECT_THAT(said(parse_spelled_profile(native(R"("max_seq_len": 32768)")).notes),
              Contains(Says("config_note.most_run", {{"field", "max_seq_len"}})));
}

TEST(ConfigSpelling, MetasScaledRopeHasTheNumbersOfItsCode) {
  const Profile eight = parse_spelled_profile(native(R"("rope_theta": 500000.0, "use_scaled_rope": true)"));
  expect_ladder_near(
      eight, {{0, 1}, {28, 0.00321144599475}, {29, 0.0021665707635}, {34, 0.000178507812768}, {63, 3.06892598891e-07}},
      1);
  EXPECT_EQ(eight.spec.trained_length, 8192);
  const Profile small = parse_spelled_profile(R"({"dim": 3072, "n_layers": 28, "n_heads": 24, "rope_theta": 500000.0,
      "use_scaled_rope": true})");
  expect_ladder_near(small, {{29, 0.00211840699678}, {35, 2.38905308849e-05}, {63, 7.67231497229e-08}}, 1);
  EXPECT_EQ(parse_spelled_profile(native(R"("use_scaled_rope": false)")).spec.extension.method, "none");
}

// ---- as transformers 5 reads ----------------------------------------------------------------------------------------

TEST(ConfigSpelling, RopeScalingComesBeforeRopeParameters) {
  const Profile both =
      parse_spelled_profile(to_spelled_llama(R"("rope_theta": 7, "rope_scaling": {"type": "linear", "factor": 2},
      "rope_parameters": {"rope_type": "dynamic", "factor": 4, "rope_theta": 9})"));
  EXPECT_EQ(both.spec.extension, (Extension{"linear", {{"factor", 2}}, {}}));
  EXPECT_EQ(both.spec.axes[0].base, 7);
  EXPECT_THAT(said(both.notes), ElementsAre(Says("config_note.both_objects",
                                                 {{"scaling", "rope_scaling"}, {"parameters", "rope_parameters"}})));
  // Neither an empty one nor the same twice is worth a word.
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("rope_scaling": {}, "rope_parameters": {"rope_theta": 9})"))
                .spec.axes[0]
                .base,
            9);
  EXPECT_THAT(said(parse_spelled_profile(
                       to_spelled_llama(R"("rope_scaling": {"rope_type": "linear", "factor": 2}, "rope_parameters":
      {"factor": 2, "rope_type": "linear"})"))
                       .notes),
              IsEmpty());
  const std::string layers = R"("rope_scaling": {"rope_type": "linear", "factor": 8}, "rope_parameters": {
      "full_attention": {"rope_theta": 5}, "sliding_attention": {"rope_theta": 7}}})";
  for (const auto& [type, sliding] : {std::pair{"gemma3_text", "none"}, {"modernbert", "linear"}}) {
    const auto profiles = parse_model_config(R"({"model_type": ")" + std::string(type) + "\", " + layers, "c").profiles;
    ASSERT_EQ(profiles.size(), 2u) << type;
    EXPECT_EQ(profiles[0].spec.axes[0].base, 5);
    EXPECT_EQ(profiles[0].spec.extension.method, "linear");
    EXPECT_EQ(profiles[1].spec.axes[0].base, 7);
    EXPECT_EQ(profiles[1].spec.extension.method, sliding) << type;
    EXPECT_THAT(
        said(profiles[0].notes),
        Contains(Says("config_note.laid_over", {{"scaling", "rope_scaling"}, {"parameters", "rope_parameters"}})));
  }
}

TEST(ConfigSpelling, ZeroesAreReadAsTransformersReadsThem) {
  const auto yarn = [](const std::string& more) {
    return to_spelled_llama(R"("rope_scaling": {"type": "yarn", )" + more + "}");
  };
  const Profile zero = parse_spelled_profile(yarn(R"("factor": 4, "beta_fast": 0, "beta_slow": 0)"));
  EXPECT_EQ(zero.spec.extension, (Extension{"yarn", {{"factor", 4}}, {}}));
  EXPECT_THAT(said(zero.notes),
              ElementsAre(Says("config_note.zero_beta", {{"field", "rope_scaling.beta_fast"}, {"value", "32"}}),
                          Says("config_note.zero_beta", {{"field", "rope_scaling.beta_slow"}, {"value", "1"}})));
  EXPECT_THAT(find_spelling_error(yarn(R"("factor": 4, "attention_factor": 0)")), Says("error.config.no_amplitude"));
  EXPECT_THAT(find_spelling_error(to_spelled_llama(R"("rope_theta": 1)")),
              Says("error.config.base_that_holds_still", {{"field", "rope_theta"}}));
  EXPECT_THAT(find_spelling_error(yarn(R"("original_max_position_embeddings": 1024)")),
              Says("error.config.no_yarn_factor", {{"field", "rope_scaling.factor"}}));
  EXPECT_EQ(parse_spelled_profile(yarn(R"("factor": null, "original_max_position_embeddings": 1024)"))
                .spec.extension.numbers.at("factor"),
            2);
}

TEST(ConfigSpelling, LlamaTurnsItsWholeHead) {
  const std::string half = R"("partial_rotary_factor": 0.5)";
  const Profile plain = parse_spelled_profile(to_spelled_llama(half));
  EXPECT_EQ(plain.spec.axes[0].rotary_dim, 128);
  EXPECT_THAT(said(plain.notes),
              ElementsAre(Says("config_note.whole_head", {{"field", "partial_rotary_factor"}, {"value", "0.5"}})));
  EXPECT_THAT(
      find_spelling_error(to_spelled_llama(half + R"(, "rope_scaling": {"type": "linear", "factor": 2})")),
      Says("error.config.whole_head", {{"field", "partial_rotary_factor"}, {"value", "0.5"}, {"method", "linear"}}));
  EXPECT_THAT(said(parse_spelled_profile(to_spelled_llama(R"("partial_rotary_factor": 1.0)")).notes), IsEmpty());
}

TEST(ConfigSpelling, ADictionaryOfLayersNeedsLayerTypes) {
  const std::string rope =
      R"("rope_theta": 9, "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 2,
      "rope_theta": 5000}})";
  const Profile flat = parse_spelled_profile(to_spelled_llama(rope));
  EXPECT_EQ(flat.spec.axes[0].base, 9);
  EXPECT_EQ(flat.spec.extension.method, "none");
  EXPECT_THAT(said(flat.notes), ElementsAre(Says("config_note.no_layer_types")));
  for (const std::string& text :
       {to_spelled_llama(rope + R"(, "layer_types": ["full_attention"])"), R"({"model_type": "qwen3", )" + rope + "}",
        R"({"model_type": "new", "head_dim": 8, )" + rope + "}"}) {
    EXPECT_EQ(parse_spelled_profile(text).spec.extension.method, "linear") << text;
    EXPECT_EQ(parse_spelled_profile(text).spec.axes[0].base, 5000) << text;
  }
  // One without a base takes the file's.
  EXPECT_EQ(parse_spelled_profile(R"({"model_type": "qwen3", "rope_theta": 9, "rope_parameters": {"full_attention": {
      "rope_type": "default"}}})")
                .spec.axes[0]
                .base,
            9);
}

TEST(ConfigSpelling, MiniMaxReadsItsFractionBeforeItsDimension) {
  const auto rotary = [](const std::string& more) {
    return parse_spelled_profile(R"({"model_type": "minimax_m2", "head_dim": 128, "rotary_dim": 64)" + more + "}");
  };
  EXPECT_EQ(rotary("").spec.axes[0].rotary_dim, 64);
  EXPECT_THAT(said(rotary("").notes), Contains(Says("config_note.rotary_dim_unread")));
  const Profile fraction = rotary(R"(, "partial_rotary_factor": 0.25)");
  EXPECT_EQ(fraction.spec.axes[0].rotary_dim, 32);
  EXPECT_THAT(said(fraction.notes), IsEmpty());
  EXPECT_EQ(rotary(R"(, "partial_rotary_factor": 0.25, "rope_parameters": {"partial_rotary_factor": 0.75})")
                .spec.axes[0]
                .rotary_dim,
            96);
}

TEST(ConfigSpelling, ClassesOfImageModelsThatAreNotKnownAreNamed) {
  const Profile unknown =
      parse_spelled_profile(R"({"_class_name": "NewTransformer2DModel", "axes_dims_rope": [16, 56, 56]})");
  EXPECT_EQ(said(unknown.origin.at("pairing")),
            said(Message("origin.default_of_unknown_class", {{"class", "\"NewTransformer2DModel\""}})));
  EXPECT_THAT(said(unknown.notes), Contains(Says("config_note.unknown_class")));
  EXPECT_EQ(said(parse_spelled_profile(R"({"axes_dims_rope": [16, 56, 56]})").origin.at("pairing")),
            said(Message("origin.default_without_class")));
  const Profile krea =
      parse_spelled_profile(R"({"_class_name": "Krea2Transformer2DModel", "axes_dims_rope": [32, 48, 48]})");
  EXPECT_EQ(krea.spec.axes[0].base, 1000);
  EXPECT_EQ(said(krea.origin.at("base")), said(Message("origin.default_of", {{"model", "Krea2Transformer2DModel"}})));
}

TEST(ConfigSpelling, AFlagDecidesThePairing) {
  EXPECT_EQ(parse_spelled_profile(R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "rope_interleave": false})")
                .spec.pairing,
            Pairing::half_split);
  EXPECT_EQ(parse_spelled_profile(to_spelled_llama(R"("rope_interleave": true)")).spec.pairing, Pairing::interleaved);
}

TEST(ConfigSpelling, LatentAttentionIgnoresTheHead) {
  const Profile profile = parse_spelled_profile(
      R"({"model_type": "glm_moe_dsa", "qk_rope_head_dim": 64, "head_dim": 192, "hidden_size": 6144})");
  EXPECT_EQ(profile.spec.head_dim, 64);
  EXPECT_EQ(profile.spec.axes[0].rotary_dim, 64);
}

TEST(ConfigSpelling, AnUnknownClassWithRotaryFieldsOpensWithANote) {
  const Profile profile = parse_spelled_profile(R"({"model_type": "brand_new", "head_dim": 64, "rope_theta": 1000})");
  EXPECT_EQ(profile.spec.pairing, Pairing::half_split);
  EXPECT_THAT(said(profile.notes), Contains(Says("config_note.unknown_type")));
}

TEST(ConfigSpelling, NoRopeListsAreCounted) {
  EXPECT_THAT(said(parse_spelled_profile(to_spelled_llama(R"("no_rope_layers": [1, 0, 1, 0, 1])")).notes),
              Contains(Says("config_note.unrotated", {{"count", "2"}, {"layers", "5"}})));
}

TEST(ConfigSpelling, AnImageAxisWithoutChannelsIsLeftOut) {
  const Profile profile = parse_spelled_profile(
      R"({"_class_name": "BriaTransformer2DModel", "axes_dims_rope": [0, 48, 48], "attention_head_dim": 96})");
  ASSERT_EQ(profile.spec.axes.size(), 2u);
  EXPECT_EQ(profile.spec.axes[0].name, "row");
  EXPECT_EQ(profile.spec.axes[1].name, "column");
  EXPECT_THAT(said(profile.notes), Contains(Says("config_note.empty_axis", {{"axis", "t"}})));
}

TEST(ConfigSpelling, WanSplitsAnyHead) {
  // 2 * (64 // 6) = 20 for rows and columns, what is left for t.
  const Profile profile = parse_spelled_profile(R"({"_class_name": "WanModel", "dim": 128, "num_heads": 2})");
  ASSERT_EQ(profile.spec.axes.size(), 3u);
  EXPECT_EQ(profile.spec.axes[0].rotary_dim, 24);
  EXPECT_EQ(profile.spec.axes[1].rotary_dim, 20);
  EXPECT_EQ(profile.spec.axes[2].rotary_dim, 20);
}

TEST(FindProfile, TakesNamesAsPeopleTypeThem) {
  std::vector<Profile> profiles(3);
  profiles[0].name = "full attention";
  profiles[1].name = "sliding attention";
  profiles[2].name = "vision";
  const auto find = [&](const std::string& name) { return find_profile(profiles, name, "config.json").name; };
  EXPECT_EQ(find(""), "full attention");
  EXPECT_EQ(find("sliding attention"), "sliding attention");
  EXPECT_EQ(find("sliding_attention"), "sliding attention");
  EXPECT_EQ(find("Sliding"), "sliding attention");
  EXPECT_EQ(find("global"), "full attention");
  EXPECT_EQ(find("local attention"), "sliding attention");
  EXPECT_REFUSED(
      find("audio"),
      Says("error.config.no_profile",
           {{"source", "config.json"}, {"name", "\"audio\""}, {"names", "\"full attention\", \"sliding attention\""}}));
}

}  // namespace
}  // namespace ropescope
