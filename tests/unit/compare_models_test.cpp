// Whole models: profiles that correspond, and every pair of the published configs.
#include "core/formats/models.h"

#include "check_configs.h"
#include "core/formats/json.h"
#include "core/scaling/scaling.h"

namespace ropescope {
namespace {

ModelSide parse_model_side(const std::string& text, const std::string& name = "config.json") {
  ModelSide side;
  side.layout = find_layout_config(text, name);
  if (!side.layout || side.layout->plain_ladders) side.profiles = parse_model_config(text, name).profiles;
  return side;
}

/// Lengths that no extension counts from, short enough for kernels of many pairs of models.
void shorten(ModelSide& side) {
  constexpr double kLongest = 1024;
  for (Profile& profile : side.profiles) {
    RotarySpec& spec = profile.spec;
    if (!find_scaling_method(spec.extension.method).needs_trained_length && spec.trained_length) {
      spec.trained_length = std::min(*spec.trained_length, kLongest);
    }
  }
}

/// Those of the published configs that can be read, by name.
std::map<std::string, ModelSide> load_published_sides() {
  std::map<std::string, ModelSide> sides;
  const fs::path folder = fs::path(source_folder()) / "../shared/configs";
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json" || name == "INDEX") continue;
    try {
      shorten(sides.emplace(name, parse_model_side(content_of(entry.path()), name)).first->second);
    } catch (const InputError&) {
      // Recognised and not supported: Cosmos, EVA-02.
    }
  }
  return sides;
}

/// "agrees", "disagrees" or why they cannot be compared.
std::string verdict(const ModelSide& a, const ModelSide& b) {
  std::string verdict;
  const std::string refusal = refusal_of([&] {
    const ModelComparison found = compare_models(a, b);
    EXPECT_EQ(found.agrees, found.differences.empty());
    verdict = found.agrees ? "agrees" : "disagrees";
  });
  return verdict + refusal;
}

std::vector<std::string> list_model_causes(const ModelComparison& found) {
  std::vector<std::string> names;
  for (const ModelDifference& difference : found.differences) names.push_back(difference.cause);
  return names;
}

constexpr const char* kModelLlama = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000, "max_position_embeddings": 131072)";
constexpr const char* kScaling = R"(, "rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
    "high_freq_factor": 4, "original_max_position_embeddings": 8192})";

}  // namespace

/// Layers that do not turn are told, and make two models that are alike else disagree; however a config says which.
TEST(CompareModels, LayersWithoutARotaryEmbeddingCount) {
  const auto of = [](const std::string& layers) {
    return parse_model_side(R"({"model_type": "smollm3", "hidden_size": 256, "num_attention_heads": 4,
        "max_position_embeddings": 64, "rope_theta": 5000000, )" +
                            layers + "}");
  };
  const ModelSide listed = of(R"("num_hidden_layers": 4, "no_rope_layers": [1, 1, 1, 0])");
  const ModelSide counted = of(R"("num_hidden_layers": 4, "no_rope_layer_interval": 4)");
  const ModelSide without_count = of(R"("no_rope_layer_interval": 4)");
  const ModelSide others = of(R"("num_hidden_layers": 4, "no_rope_layers": [1, 1, 0, 1])");
  const ModelSide by_threes = of(R"("no_rope_layer_interval": 3)");
  const ModelSide all_turn = of(R"("num_hidden_layers": 4, "no_rope_layers": [1, 1, 1, 1])");
  const std::vector<const ModelSide*> alike = {&listed, &counted, &without_count};
  for (const ModelSide* a : alike) {
    for (const ModelSide* b : alike) EXPECT_TRUE(compare_models(*a, *b).agrees);
    EXPECT_FALSE(compare_models(*a, all_turn).agrees);
    EXPECT_FALSE(compare_models(all_turn, *a).agrees);
  }
  EXPECT_FALSE(compare_models(listed, others).agrees);
  EXPECT_FALSE(compare_models(counted, by_threes).agrees);
  const ModelComparison found = compare_models(listed, all_turn);
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_THAT(said(found.differences[0].text), Says("compare.layers"));
}

TEST(CompareModels, EveryPublishedConfigAgreesWithItselfAndVerdictsAreSymmetric) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const std::map<std::string, ModelSide> sides = load_published_sides();
  EXPECT_GT(sides.size(), 50u);
  // Of 1 400 pairs every 17th.
  constexpr int kEvery = 17;
  int pair = 0;
  for (auto first = sides.begin(); first != sides.end(); ++first) {
    EXPECT_EQ(verdict(first->second, first->second), "agrees") << first->first;
    for (auto second = std::next(first); second != sides.end(); ++second) {
      if (pair++ % kEvery != 0) continue;
      EXPECT_EQ(verdict(first->second, second->second), verdict(second->second, first->second))
          << first->first << " " << second->first;
    }
  }
}

TEST(CompareModels, TwoFilesOfOneModelAgree) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const std::map<std::string, ModelSide> sides = load_published_sides();
  for (const auto& [a, b] : {std::pair("flux.1-dev", "flux.1-dev-resaved"), std::pair("gpt-j-6b", "gpt-j-6b-original"),
                             std::pair("wan2.1-t2v-14b-diffusers", "wan2.1-t2v-14b-native"),
                             std::pair("ltx-video-2b-diffusers", "ltx-video-2b-native")}) {
    EXPECT_EQ(verdict(sides.at(a), sides.at(b)), "agrees") << a << " " << b;
  }
}

TEST(CompareModels, AConfigWithoutItsExtension) {
  const std::string plain = std::string(kModelLlama) + "}", extended = std::string(kModelLlama) + kScaling + "}";
  const ModelComparison found = compare_models(parse_model_side(extended), parse_model_side(plain));
  EXPECT_THAT(list_model_causes(found), ElementsAre("scaling-missing"));
  EXPECT_EQ(found.differences.front().profile, "text");
  EXPECT_GT(found.differences.front().change.largest, 0.05);
  ASSERT_EQ(found.notes.size(), 1u) << "8192 and 131072 positions";
  EXPECT_THAT(said(found.notes.front().text), Says("compare.length"));
}

TEST(CompareModels, KindsOfLayersMeetThoseOfTheirName) {
  const ModelSide gemma = parse_model_side(R"({"model_type": "gemma3_text"})");
  ModelSide other = gemma;
  ASSERT_EQ(other.profiles.size(), 2u);
  other.profiles[1].spec.axes.front().base = 1e6;
  const ModelComparison found = compare_models(gemma, other);
  EXPECT_THAT(list_model_causes(found), ElementsAre("base"));
  EXPECT_EQ(found.differences.front().profile, "sliding attention");
  // A side that knows only one kind says it of all layers.
  ModelSide one;
  one.profiles = {gemma.profiles[0]};
  one.profiles[0].name = "text";
  const ModelComparison single = compare_models(gemma, one);
  EXPECT_FALSE(single.agrees);
  for (const ModelDifference& difference : single.differences) EXPECT_EQ(difference.profile, "sliding attention");
  EXPECT_EQ(verdict(one, gemma), "disagrees");
}

TEST(CompareModels, AVisionTowerThatOneSideLeavesOutIsARemark) {
  const ModelSide both = parse_model_side(R"({"model_type": "qwen2_vl", "hidden_size": 512, "num_attention_heads": 4,
      "vision_config": {"embed_dim": 320, "num_heads": 4}})");
  ModelSide text;
  text.profiles = {both.profiles.front()};
  const ModelComparison found = compare_models(both, text);
  EXPECT_TRUE(found.agrees);
  EXPECT_THAT(said(found.remarks),
              ElementsAre(Says("compare.only_a", {{"profile", "vision"}}), Says("compare.layout_only_a")));
}

TEST(CompareModels, ReorderedWeightsPairOtherChannelsAndAgree) {
  const ModelSide config = parse_model_side(std::string(kModelLlama) + "}");
  ModelSide converted = config;
  converted.profiles[0].spec.pairing = Pairing::interleaved;
  EXPECT_THAT(list_model_causes(compare_models(config, converted)), ElementsAre("pairing"));
  converted.profiles[0].permuted = true;
  const ModelComparison found = compare_models(config, converted);
  EXPECT_TRUE(found.agrees);
  EXPECT_THAT(said(found.remarks), ElementsAre(Says("compare.permuted_b")));
}

TEST(CompareModels, LayoutsOfOtherFamilies) {
  const ModelSide flux = parse_model_side(R"({"_class_name": "FluxTransformer2DModel"})");
  const ModelSide qwen = parse_model_side(R"({"_class_name": "QwenImageTransformer2DModel"})");
  const ModelSide ltx = parse_model_side(R"({"_class_name": "LTXVideoTransformer3DModel"})");
  const ModelComparison centred = compare_models(flux, qwen);
  EXPECT_FALSE(centred.agrees);
  EXPECT_THAT(list_model_causes(centred), Contains("centring"));
  EXPECT_EQ(verdict(flux, ltx), "disagrees");
  EXPECT_EQ(verdict(ltx, ltx), "agrees");
  ModelSide preset;
  preset.profiles = flux.profiles;
  EXPECT_THAT(verdict(preset, ltx), Says("error.compare.nothing_common"));
  const ModelSide large = parse_model_side(R"({"_class_name": "WanTransformer3DModel", "in_channels": 48})");
  const ModelComparison patches =
      compare_models(parse_model_side(R"({"_class_name": "WanTransformer3DModel"})"), large);
  EXPECT_TRUE(patches.agrees);
  ASSERT_EQ(patches.notes.size(), 1u);
  EXPECT_THAT(said(patches.notes.front().text), Says("compare.pixels", {{"a", "16"}, {"b", "32"}}));
}

}  // namespace ropescope
