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

}  // namespace
}  // namespace ropescope
