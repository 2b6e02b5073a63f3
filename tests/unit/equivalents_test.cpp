// Equivalents for other programs: they mean what we compute, and what they cannot express is stated.
#include "core/formats/programs/equivalents.h"

#include "check_configs.h"
#include "core/formats/models.h"
#include "core/scaling/scaling.h"
#include "equivalent_profiles.h"

namespace ropescope {
namespace {

Equivalent in_words(const char* name, const std::vector<Profile>& profiles, std::optional<double> length = {}) {
  return find_other_words(name).of({profiles, length});
}

/// The profiles that a text in transformers' words means to our own reader.
std::vector<Profile> parse_equivalent(const Equivalent& equivalent) {
  return parse_model_config(equivalent.text, "written.json").profiles;
}

}  // namespace

TEST(Equivalents, AnUnknownProgramIsRefusedByName) {
  EXPECT_REFUSED(find_other_words("mlx"), AllOf(HasSubstr("mlx"), HasSubstr("llama.cpp, transformers or numpy")));
}

TEST(Equivalents, TransformersReadBackMeansTheSame) {
  int said_of = 0;
  for (const NamedProfiles& model : profiles_to_say()) {
    std::vector<Profile> text = model.profiles;
    std::erase_if(text, [](const Profile& profile) { return profile.name == "vision"; });
    const Equivalent equivalent = in_words("transformers", text);
    const bool whole = equivalent.unsaid.size() == 1;  // the pairing, which is of the class
    if (equivalent.text.empty()) {
      EXPECT_THAT(equivalent.unsaid, Not(IsEmpty())) << model.name;
      continue;
    }
    if (!whole) continue;
    ModelSide written{parse_equivalent(equivalent), std::nullopt}, read{text, std::nullopt};
    for (ModelSide* side : {&written, &read}) {
      for (Profile& profile : side->profiles) {
        profile.spec.pairing = Pairing::half_split;
        profile.notes.clear();  // which layers turn stands in other fields of a config
      }
    }
    const ModelComparison found = compare_models(read, written);
    EXPECT_TRUE(found.agrees) << model.name << "\n" << equivalent.text;
    ++said_of;
  }
  EXPECT_GT(said_of, has_published_configs() ? 30 : 8);
}

TEST(Equivalents, TransformersHasOneObjectForEachKindOfLayers) {
  const json root = json::parse(in_words("transformers", parse_model_config(R"({"model_type": "gemma3_text",
      "rope_scaling": {"rope_type": "linear", "factor": 8}})",
                                                                            "c")
                                                             .profiles)
                                    .text);
  EXPECT_EQ(root["head_dim"], 256);
  EXPECT_EQ(root["max_position_embeddings"], 131072);
  EXPECT_EQ(root["rope_parameters"]["full_attention"],
            json({{"rope_type", "linear"}, {"rope_theta", 1e6}, {"factor", 8.0}}));
  EXPECT_EQ(root["rope_parameters"]["sliding_attention"], json({{"rope_type", "default"}, {"rope_theta", 10000.0}}));
}

TEST(Equivalents, TransformersSaysNtkAsABase) {
  const Profile profile = profile_with({"ntk-aware", {{"factor", 4}}, {}});
  const json rope = json::parse(in_words("transformers", {profile}).text)["rope_parameters"];
  EXPECT_EQ(rope["rope_type"], "default");
  EXPECT_EQ(rope["rope_theta"], *scaled_ladder(profile.spec, 0).effective_base);
}

TEST(Equivalents, TransformersHasNoWordsForAxesAndOtherMethods) {
  Profile image;
  image.name = "image";
  image.spec.axes = {{"t", 16, 10000}, {"row", 56, 10000}, {"column", 56, 10000}};
  const Equivalent axes = in_words("transformers", {image});
  EXPECT_TRUE(axes.text.empty());
  EXPECT_THAT(said(axes.unsaid).front(), HasSubstr("t, row, column"));
  const Equivalent parts = in_words("transformers", {profile_with({"ntk-by-parts", {{"factor", 4}}, {}})});
  EXPECT_TRUE(parts.text.empty());
  EXPECT_THAT(said(parts.unsaid).front(), HasSubstr("ntk-by-parts"));
}

TEST(Equivalents, LlamaCppsOptionsOfYarn) {
  const Profile yarn = profile_with({"yarn", {{"factor", 4}}, {}});
  const Equivalent equivalent = in_words("llama.cpp", {yarn});
  EXPECT_EQ(equivalent.text,
            "--rope-scaling yarn --rope-freq-base 500000 --rope-freq-scale 0.25 --yarn-orig-ctx 8192 "
            "--yarn-ext-factor 1 --yarn-attn-factor 1 --yarn-beta-fast 32 --yarn-beta-slow 1");
  ASSERT_EQ(equivalent.unsaid.size(), 1u);
  EXPECT_THAT(said(equivalent.unsaid[0]), AllOf(HasSubstr("half"), HasSubstr("128 of 128")));
  // 0.1 ln 4 + 1 is taken out, as llama.cpp multiplies by it.
  const Profile given = profile_with({"yarn", {{"factor", 4}, {"attention_factor", 1}, {"truncate", 0}}, {}});
  const Equivalent other = in_words("llama.cpp", {given});
  EXPECT_THAT(other.text, HasSubstr("--yarn-attn-factor " + number_text(1 / (0.1 * std::log(4.0) + 1))));
  EXPECT_THAT(said(other.unsaid), Contains(HasSubstr("17945")));
  EXPECT_THAT(said(other.unsaid), Contains(HasSubstr("truncate")));
}

TEST(Equivalents, LlamaCppsOptionsOfOneBase) {
  const auto options = [](const Extension& extension, std::optional<double> length = {}) {
    return in_words("llama.cpp", {profile_with(extension)}, length).text;
  };
  EXPECT_EQ(options({}), "--rope-scaling none --rope-freq-base 500000");
  EXPECT_EQ(options({"linear", {{"factor", 8}}, {}}),
            "--rope-scaling linear --rope-freq-base 500000 --rope-freq-scale 0.125");
  const RotarySpec ntk = profile_with({"ntk-aware", {{"factor", 4}}, {}}).spec;
  EXPECT_EQ(options(ntk.extension),
            "--rope-scaling none --rope-freq-base " + number_text(*scaled_ladder(ntk, 0).effective_base));
  const Extension dynamic{"dynamic", {{"factor", 2}}, {}};
  EXPECT_EQ(options(dynamic), "--rope-scaling none --rope-freq-base 500000");
  EXPECT_NE(options(dynamic, 32768), options(dynamic));
  EXPECT_THAT(said(in_words("llama.cpp", {profile_with(dynamic)}, 32768).unsaid),
              Contains(HasSubstr("32768 positions")));
}

TEST(Equivalents, LlamaCppKeepsFactorsInTheFile) {
  const Profile llama3 =
      profile_with({"llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}});
  EXPECT_THAT(said(in_words("llama.cpp", {llama3}).unsaid), Contains(HasSubstr("rope_freqs.weight")));
  const std::vector<double> factors(64, 2);
  const Profile longrope =
      profile_with({"longrope", {{"factor", 4}}, {{"short_factors", factors}, {"long_factors", factors}}});
  EXPECT_THAT(said(in_words("llama.cpp", {longrope}).unsaid), Contains(HasSubstr("rope_factors_long.weight")));
  const std::vector<Profile> gemma = parse_model_config(R"({"model_type": "gemma3_text"})", "c").profiles;
  EXPECT_THAT(said(in_words("llama.cpp", gemma).unsaid), Contains(HasSubstr("sliding attention")));
}

TEST(Equivalents, EveryProgramSaysSomethingOfEveryModel) {
  for (const NamedProfiles& model : profiles_to_say()) {
    for (const OtherWords& words : all_other_words()) {
      const Equivalent equivalent = words.of({model.profiles, std::nullopt});
      EXPECT_TRUE(!equivalent.text.empty() || !equivalent.unsaid.empty()) << model.name << " " << words.name;
      EXPECT_FALSE(equivalent.text.ends_with("\n")) << model.name << " " << words.name;
      for (const std::string& sentence : said(equivalent.unsaid)) {
        EXPECT_EQ(sentence.find('{'), std::string::npos) << sentence;
        EXPECT_TRUE(sentence.ends_with(".")) << sentence;
      }
    }
  }
}

}  // namespace ropescope
