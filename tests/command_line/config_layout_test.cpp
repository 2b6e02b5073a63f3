#include "core/layouts/layout.h"
#include "tests/command_line/program.h"
#include "tests/places.h"

namespace ropescope {
namespace {

using ConfigLayoutCommand = InWorkplace;

const fs::path kConfigs = fs::path(source_folder()) / "../shared/configs";

/// Every image and video config of the folder, and the layout that it opens to.
const std::map<std::string, std::string> kLayouts = {{"cogview4-6b", "cogview4"},
                                                     {"dinov3-vits16", "dinov3"},
                                                     {"ernie-image", "ernie-image"},
                                                     {"flux.1-dev", "flux.1"},
                                                     {"flux.1-dev-resaved", "flux.1"},
                                                     {"flux.1-kontext-dev", "flux.1"},
                                                     {"flux.2-dev", "flux.2"},
                                                     {"framepack-hunyuanvideo", "hunyuan-video"},
                                                     {"hunyuanvideo", "hunyuan-video"},
                                                     {"llama-4-scout-17b-16e", "torchtune-vision"},
                                                     {"ltx-2-19b", "ltx-2"},
                                                     {"ltx-video-2b-diffusers", "ltx-video"},
                                                     {"ltx-video-2b-native", "ltx-video"},
                                                     {"lumina-image-2.0", "lumina-2"},
                                                     {"pixtral-12b", "pixtral"},
                                                     {"pixtral-12b-2409-params", "pixtral"},
                                                     {"qwen-image", "qwen-image"},
                                                     {"qwen2-vl-7b-instruct", "qwen2-vl"},
                                                     {"qwen2.5-vl-7b-instruct", "qwen2-vl"},
                                                     {"qwen3.5-27b", "qwen3-vl"},
                                                     {"wan2.1-t2v-14b-diffusers", "wan"},
                                                     {"wan2.1-t2v-14b-native", "wan"},
                                                     {"z-image", "z-image"}};
const std::map<std::string, std::string> kUnsupported = {{"cosmos-predict2-2b", "Cosmos"},
                                                         {"eva02-clip-l-14-336", "EVA-02"}};

TEST_F(ConfigLayoutCommand, EveryPublishedConfigShowsItsLayoutOrSaysThatItHasNone) {
  if (!fs::exists(kConfigs)) GTEST_SKIP() << "the folder of published configs is not beside the source";
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(kConfigs)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json" || name == "INDEX") continue;
    SCOPED_TRACE(name);
    seen.insert(name);
    const std::string path = entry.path().lexically_normal().string();
    if (const auto unsupported = kUnsupported.find(name); unsupported != kUnsupported.end()) {
      place.bad({"config", path}, {unsupported->second, "recognised", "not supported"});
      continue;
    }
    const json found = json::parse(place.good({"config", path, "--json"}));
    const auto expected = kLayouts.find(name);
    ASSERT_EQ(found.contains("layout"), expected != kLayouts.end());
    if (expected == kLayouts.end()) continue;
    EXPECT_EQ(found["layout"]["name"], expected->second);
    // The other description of the same file, where there is one for the image, has the same axes.
    for (const json& profile : found["profiles"]) {
      if (profile["name"] != "image" && profile["name"] != "video") continue;
      ASSERT_EQ(profile["axes"].size(), found["layout"]["axes"].size());
      for (std::size_t i = 0; i < profile["axes"].size(); ++i) {
        EXPECT_EQ(profile["axes"][i]["name"], found["layout"]["axes"][i]["name"]);
        EXPECT_EQ(profile["axes"][i]["rotary_dim"], found["layout"]["axes"][i]["rotary_dim"]);
        EXPECT_EQ(profile["axes"][i]["base"], found["layout"]["axes"][i]["base"]);
      }
    }
    EXPECT_THAT(place.good({"config", path}), AllOf(HasSubstr("\nlayout          " + expected->second + " ("),
                                                    HasSubstr("ropescope layout " + expected->second)));
  }
  for (const auto& [name, layout] : kLayouts) EXPECT_TRUE(seen.count(name)) << name;
  for (const auto& [name, model] : kUnsupported) EXPECT_TRUE(seen.count(name)) << name;
}

TEST_F(ConfigLayoutCommand, SaysAxesPairingSourceAndACommandThatWorks) {
  place.write("a b.json", R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 96})");
  const json layout = json::parse(place.good({"config", "a b.json", "--json"}))["layout"];
  EXPECT_EQ(layout["name"], "wan");
  ASSERT_EQ(layout["axes"].size(), 3u);
  EXPECT_EQ(layout["axes"][0]["name"], "t");
  EXPECT_EQ(layout["axes"][0]["rotary_dim"], 32);
  EXPECT_EQ(layout["axes"][2]["base"], 10000.0);
  EXPECT_EQ(layout["pairing"], "interleaved");
  EXPECT_EQ(layout["source"], find_layout("wan").source);
  EXPECT_EQ(layout["example"], "ropescope layout wan --size 1024x1024 --config 'a b.json'");
  EXPECT_EQ(parse_csv(place.good({"layout", "wan", "--size", "1024x1024", "--config", "a b.json"})).size(),
            1u + 64 * 64);
  const std::string text = place.good({"config", "a b.json"});
  EXPECT_THAT(text, AllOf(HasSubstr("t 32, row 32, column 32"), HasSubstr("transformer_wan.py")));
}

TEST_F(ConfigLayoutCommand, AnImageModelWithoutPlainLaddersHasALayoutAlone) {
  place.write("ltx.json", R"({"_class_name": "LTXVideoTransformer3DModel"})");
  const json found = json::parse(place.good({"config", "ltx.json", "--json"}));
  EXPECT_EQ(found["model_type"], "LTXVideoTransformer3DModel");
  EXPECT_TRUE(found["profiles"].empty());
  EXPECT_EQ(found["layout"]["name"], "ltx-video");
  place.bad({"frequencies", "--config", "ltx.json"}, {"ltx.json", "LTX-Video", "recognised", "ropescope config"});
  place.write("cog.json", R"({"_class_name": "CogVideoXTransformer3DModel"})");
  EXPECT_THAT(place.good({"config", "cog.json"}), Not(HasSubstr("\nlayout")));
  place.bad({"layout", "cogvideox-1.5", "--grid", "2x2", "--config", "cog.json"},
            {"cog.json", "CogVideoX", "recognised", "not supported", "patch_size_t"});
}

TEST_F(ConfigLayoutCommand, SaysWhatElseTheFileMayBe) {
  place.write("kontext.json", R"({"axes_dim": [16, 56, 56], "theta": 10000, "hidden_size": 3072, "num_heads": 24})");
  EXPECT_THAT(place.good({"config", "kontext.json"}), AllOf(HasSubstr("flux.1 ("), HasSubstr("flux.1-kontext")));
  place.write("pack.json", R"({"_class_name": "HunyuanVideoTransformer3DModelPacked"})");
  const json layout = json::parse(place.good({"config", "pack.json", "--json"}))["layout"];
  EXPECT_THAT(layout["notes"].dump(), HasSubstr("FramePack"));
  const Outcome outcome = place.run({"layout", "hunyuan-video", "--grid", "2x2", "--config", "pack.json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("FramePack"));
}

TEST_F(ConfigLayoutCommand, ATextModelHasNone) {
  place.write("llama.json", R"({"model_type": "llama", "head_dim": 128, "rope_theta": 10000})");
  EXPECT_FALSE(json::parse(place.good({"config", "llama.json", "--json"})).contains("layout"));
  EXPECT_THAT(place.good({"config", "llama.json"}), Not(HasSubstr("layout")));
}

/// The answer to what a file says, and no more than that.
TEST_F(ConfigLayoutCommand, AModelWithoutRotationIsAnAnswer) {
  place.write("gpt2.json", R"({"model_type": "gpt2", "n_positions": 1024})");
  const std::string sentence =
      "The class \"gpt2\" has no rotary embedding: it adds a learned vector to each of 1024 positions (n_positions).";
  EXPECT_THAT(place.good({"config", "gpt2.json"}), AllOf(HasSubstr("gpt2"), HasSubstr("none"), HasSubstr(sentence)));
  const json read = json::parse(place.good({"config", "gpt2.json", "--json"}));
  EXPECT_EQ(read["model_type"], "gpt2");
  EXPECT_TRUE(read["profiles"].empty());
  EXPECT_EQ(read["notes"], json::array({sentence}));
  place.bad({"config", "gpt2.json", "--as", "llama.cpp"}, {"gpt2.json", "has no rotary embedding"});
  place.bad({"frequencies", "--config", "gpt2.json"}, {"gpt2.json", "has no rotary embedding"});
}

TEST_F(ConfigLayoutCommand, ValuesThatDoNotFitNameTheFile) {
  place.write("vl.json", R"({"model_type": "qwen2_vl", "hidden_size": 512, "num_attention_heads": 4,
      "rope_scaling": {"type": "mrope", "mrope_section": [16, 24]}})");
  place.bad({"config", "vl.json"}, {"vl.json", "sections"});
  place.write("flux.json", R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": []})");
  place.bad({"config", "flux.json"}, {"flux.json", "axes_dims_rope"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--config", "flux.json"}, {"flux.json", "axes_dims_rope"});
  place.write("wan.json", R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 4})");
  place.bad({"config", "wan.json"}, {"wan.json", "4", "from 6"});
}

TEST_F(ConfigLayoutCommand, QwenImageLayeredHasALayoutOfItsOwn) {
  place.write("layered.json", R"({"_class_name": "QwenImageTransformer2DModel",
      "attention_head_dim": 128, "axes_dims_rope": [16, 56, 56], "use_layer3d_rope": true, "rope_magic": true})");
  const json read = json::parse(place.good({"config", "layered.json", "--json"}));
  EXPECT_EQ(read["layout"]["name"], "qwen-image-layered");
  EXPECT_EQ(read["profiles"][0]["axes"].size(), 3u);
  EXPECT_THAT(read["profiles"][0]["notes"].dump(), HasSubstr("rope_magic"));
  place.bad({"layout", "qwen-image", "--size", "1024x1024", "--config", "layered.json"},
            {"layered.json", "qwen-image-layered"});
}

}  // namespace
}  // namespace ropescope
