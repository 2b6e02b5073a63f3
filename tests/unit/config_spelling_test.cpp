#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/formats/config.h"

namespace ropescope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Profile first(const std::string& text) {
  return parse_model_config(text, "config.json").profiles.at(0);
}
std::string llama(const std::string& more) {
  return R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, )" + more + "}";
}

TEST(ConfigSpelling, OldAndNewPlacesOfTheBaseAgree) {
  EXPECT_EQ(first(llama(R"("rope_theta": 500000)")).spec.axes[0].base, 500000);
  const Profile moved = first(llama(R"("rope_parameters": {"rope_theta": 500000, "rope_type": "default"})"));
  EXPECT_EQ(moved.spec.axes[0].base, 500000);
  EXPECT_EQ(moved.origin.at("base"), "rope_parameters.rope_theta");
  EXPECT_EQ(moved.spec.extension.method, "none");
}

TEST(ConfigSpelling, TypeAndRopeTypeAgreeAndRopeTypeWins) {
  EXPECT_EQ(first(llama(R"("rope_scaling": {"type": "linear", "factor": 2})")).spec.extension.method, "linear");
  const Profile both = first(llama(R"("rope_scaling": {"type": "mrope", "rope_type": "yarn", "factor": 2})"));
  EXPECT_EQ(both.spec.extension.method, "yarn");
  EXPECT_EQ(both.origin.at("extension"), "rope_scaling.rope_type");
}

TEST(ConfigSpelling, OldNamesOfMethodsBecomeTheNewOnes) {
  const auto method = [](const std::string& type) {
    const std::string numbers = R"(", "factor": 2, "alpha": 3, "short_factor": [1, 1], "long_factor": [1, 1]})";
    return first(llama(R"("head_dim": 4, "rope_scaling": {"type": ")" + type + numbers)).spec.extension.method;
  };
  EXPECT_EQ(method("su"), "longrope");
  EXPECT_EQ(method("deepseek_yarn"), "yarn");
  EXPECT_EQ(method("ntk"), "ntk-aware");
  EXPECT_EQ(method("dynamic"), "ntk-alpha");  // with an alpha
  EXPECT_EQ(method("xdrope"), "ntk-alpha");
  EXPECT_EQ(method("mrope"), "none");
  EXPECT_EQ(method("default"), "none");
}

TEST(ConfigSpelling, ParametersOfOtherMethodsAreLeftOut) {
  // As Hunyuan writes it.
  const Profile profile = first(llama(R"("rope_scaling": {"type": "dynamic", "alpha": 1000, "beta_fast": 32,
      "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0})"));
  EXPECT_EQ(profile.spec.extension, (Extension{"ntk-alpha", {{"ntk_alpha", 1000}}, {}}));
}

TEST(ConfigSpelling, NullIsAbsent) {
  const Profile profile = first(llama(R"("rope_theta": null, "rope_scaling": null, "head_dim": null)"));
  EXPECT_EQ(profile.spec.head_dim, 128);
  EXPECT_EQ(profile.spec.axes[0].base, 10000);
  EXPECT_EQ(profile.origin.at("base"), "default of model_type llama");
  EXPECT_EQ(profile.spec.extension, Extension{});
}

TEST(ConfigSpelling, TheLastOfDuplicateKeysCounts) {
  EXPECT_EQ(first(llama(R"("rope_theta": 5, "rope_theta": 7)")).spec.axes[0].base, 7);
}

TEST(ConfigSpelling, TheOriginalLengthIsFoundInTheObjectAndBesideIt) {
  const std::string inside =
      R"("rope_scaling": {"type": "yarn", "factor": 2, "original_max_position_embeddings": 4096})";
  EXPECT_EQ(first(llama(R"("max_position_embeddings": 9000, )" + inside)).spec.trained_length, 4096);
  const std::string beside =
      R"("original_max_position_embeddings": 4096, "rope_scaling": {"type": "yarn", "factor": 2})";
  EXPECT_EQ(first(llama(R"("max_position_embeddings": 9000, )" + beside)).spec.trained_length, 4096);
  EXPECT_EQ(first(llama(R"("max_position_embeddings": 9000)")).spec.trained_length, 9000);
  EXPECT_EQ(first(llama(R"("rope_theta": 10)")).spec.trained_length, 2048);
}

TEST(ConfigSpelling, DynamicAlwaysTakesTheLongestLength) {
  const std::string rope =
      R"("rope_scaling": {"type": "dynamic", "factor": 2, "original_max_position_embeddings": 4096})";
  EXPECT_EQ(first(llama(R"("max_position_embeddings": 9000, )" + rope)).spec.trained_length, 9000);
}

TEST(ConfigSpelling, FractionsTruncateAsPythonDoes) {
  // 0.334 of 192 is 64.128: int() makes it 64 (SCHEMA, trap 9).
  EXPECT_EQ(
      first(R"({"model_type": "llama", "head_dim": 192, "partial_rotary_factor": 0.334})").spec.axes[0].rotary_dim, 64);
  const Profile inside =
      first(R"({"model_type": "llama", "head_dim": 256, "rope_parameters": {"partial_rotary_factor": 0.25}})");
  EXPECT_EQ(inside.spec.axes[0].rotary_dim, 64);
  EXPECT_EQ(inside.origin.at("rotary_dim"), "head_dim * rope_parameters.partial_rotary_factor");
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
      R"({"model_type": "mimo_v2_flash", "head_dim": 64, "rope_theta": 5000000, "swa_rope_theta": 10000})",
      "config.json");
  ASSERT_EQ(config.profiles.size(), 2u);
  EXPECT_EQ(config.profiles[0].name, "full attention");
  EXPECT_EQ(config.profiles[1].name, "sliding attention");
  EXPECT_EQ(config.profiles[1].spec.axes[0].base, 10000);
  EXPECT_EQ(config.profiles[1].origin.at("base"), "swa_rope_theta");
}

TEST(ConfigSpelling, AProportionalFactorDividesTheLadder) {
  const Profile profile = first(R"({"model_type": "gemma4_text", "head_dim": 256, "rope_parameters": {"full_attention":
      {"rope_type": "proportional", "partial_rotary_factor": 0.5, "factor": 4, "rope_theta": 1000}}})");
  EXPECT_EQ(profile.spec.extension, (Extension{"proportional", {{"live_fraction", 0.5}, {"factor", 4}}, {}}));
  EXPECT_EQ(profile.spec.axes[0].rotary_dim, 256);
}

TEST(ConfigSpelling, AFlagDecidesThePairing) {
  EXPECT_EQ(first(R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "rope_interleave": false})").spec.pairing,
            Pairing::half_split);
  EXPECT_EQ(first(llama(R"("rope_interleave": true)")).spec.pairing, Pairing::interleaved);
}

TEST(ConfigSpelling, LatentAttentionIgnoresTheHead) {
  const Profile profile =
      first(R"({"model_type": "glm_moe_dsa", "qk_rope_head_dim": 64, "head_dim": 192, "hidden_size": 6144})");
  EXPECT_EQ(profile.spec.head_dim, 64);
  EXPECT_EQ(profile.spec.axes[0].rotary_dim, 64);
}

TEST(ConfigSpelling, AnUnknownClassWithRotaryFieldsOpensWithANote) {
  const Profile profile = first(R"({"model_type": "brand_new", "head_dim": 64, "rope_theta": 1000})");
  EXPECT_EQ(profile.spec.pairing, Pairing::half_split);
  EXPECT_THAT(profile.notes, Contains(HasSubstr("not known")));
}

TEST(ConfigSpelling, NoRopeListsAreCounted) {
  EXPECT_THAT(first(llama(R"("no_rope_layers": [1, 0, 1, 0, 1])")).notes, Contains(HasSubstr("2 of 5 layers")));
}

TEST(ConfigSpelling, AnImageAxisWithoutChannelsIsLeftOut) {
  const Profile profile =
      first(R"({"_class_name": "BriaTransformer2DModel", "axes_dims_rope": [0, 48, 48], "attention_head_dim": 96})");
  ASSERT_EQ(profile.spec.axes.size(), 2u);
  EXPECT_EQ(profile.spec.axes[0].name, "row");
  EXPECT_EQ(profile.spec.axes[1].name, "column");
  EXPECT_THAT(profile.notes, Contains(HasSubstr("axis t has no channels")));
}

TEST(ConfigSpelling, WanSplitsAnyHead) {
  // 2 * (64 // 6) = 20 for rows and columns, what is left for t.
  const Profile profile = first(R"({"_class_name": "WanModel", "dim": 128, "num_heads": 2})");
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
  try {
    find("audio");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("config.json has no profile \"audio\"; it has \"full attention\", \"sliding attention\""));
  }
}

}  // namespace
}  // namespace ropescope
