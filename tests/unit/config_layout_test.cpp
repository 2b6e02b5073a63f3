#include "core/formats/config_layout.h"
#include "tests/said.h"
#include "tests/unit/format_files.h"

namespace ropescope {

TEST(LayoutConfig, PublishedConfigsOpenToTheirLayout) {
  const std::map<std::string, std::string> expected = {{"flux.1-dev.json", "flux.1"},
                                                       {"flux.1-dev-resaved.json", "flux.1"},
                                                       {"flux.1-kontext-dev.json", "flux.1"},
                                                       {"flux.2-dev.json", "flux.2"},
                                                       {"qwen-image.json", "qwen-image"},
                                                       {"wan2.1-t2v-14b-diffusers.json", "wan"},
                                                       {"wan2.1-t2v-14b-native.json", "wan"},
                                                       {"hunyuanvideo.json", "hunyuan-video"},
                                                       {"framepack-hunyuanvideo.json", "hunyuan-video"},
                                                       {"cogview4-6b.json", "cogview4"},
                                                       {"lumina-image-2.0.json", "lumina-2"},
                                                       {"z-image.json", "z-image"},
                                                       {"ernie-image.json", "ernie-image"},
                                                       {"ltx-2-19b.json", "ltx-2"},
                                                       {"ltx-video-2b-diffusers.json", "ltx-video"},
                                                       {"ltx-video-2b-native.json", "ltx-video"},
                                                       {"dinov3-vits16.json", "dinov3"},
                                                       {"pixtral-12b.json", "pixtral"},
                                                       {"pixtral-12b-2409-params.json", "pixtral"},
                                                       {"llama-4-scout-17b-16e.json", "torchtune-vision"},
                                                       {"qwen2-vl-7b-instruct.json", "qwen2-vl"},
                                                       {"qwen2.5-vl-7b-instruct.json", "qwen2-vl"},
                                                       {"qwen3.5-27b.json", "qwen3-vl"}};
  const fs::path folder = shared_configs();
  if (!fs::exists(folder)) GTEST_SKIP() << "the folder of published configs is not beside the source";
  for (const auto& [name, layout] : expected) {
    SCOPED_TRACE(name);
    LayoutConfig config = parse_layout_config(read_file(folder / name), name);
    EXPECT_EQ(config.layout, layout);
    config.request.image = ImageSize::tokens(4, 6);
    const TokenLayout tokens = arrange(find_layout(layout), config.request);
    if (name.rfind("qwen3.5", 0) == 0) {
      EXPECT_EQ(tokens.pair_count(), 32);
      continue;
    }
    // These files say what the layouts have as defaults.
    LayoutRequest plain;
    plain.image = config.request.image;
    EXPECT_EQ(tokens.frequencies, arrange(find_layout(layout), plain).frequencies);
  }
  for (const char* name : {"cosmos-predict2-2b.json", "eva02-clip-l-14-336.json"}) {
    EXPECT_REFUSED(parse_layout_config(read_file(folder / name), name), Says("error.config.layout_unsupported_as"));
  }
}

TEST(LayoutConfig, Wan22HasALargerVae) {
  // TI2V-5B: 48 channels of latents, 16 x 16 pixels each; 1280 x 704 are 22 x 40 tokens, not 44 x 80.
  for (const char* text : {R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 128, "in_channels": 48,
                              "patch_size": [1, 2, 2]})",
                           R"({"_class_name": "WanModel", "dim": 3072, "num_heads": 24, "in_dim": 48})"}) {
    LayoutConfig config = parse_layout_config(text, "config.json");
    EXPECT_EQ(config.request.patch, 32);
    EXPECT_THAT(said(config.notes), Contains(Says("config_note.large_vae", {{"side", "32"}})));
    config.request.image = ImageSize::pixels(1280, 704);
    const TokenLayout layout = arrange(find_layout("wan"), config.request);
    EXPECT_EQ(layout.blocks[0].rows, 22);
    EXPECT_EQ(layout.blocks[0].columns, 40);
  }
  for (const char* channels : {"16", "36"}) {  // text, and image to video
    LayoutConfig config = parse_layout_config(
        R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 128, "patch_size": [1, 2, 2], "in_channels": )" +
            std::string(channels) + "}",
        "config.json");
    config.request.image = ImageSize::pixels(1280, 704);
    EXPECT_EQ(arrange(find_layout("wan"), config.request).blocks[0].rows, 44);
  }
}

TEST(LayoutConfig, FramesOfTheVideoAreNotThoseOfTokens) {
  EXPECT_EQ(count_token_frames(find_layout("wan"), 81), 21);
  EXPECT_EQ(count_token_frames(find_layout("wan"), 1), 1);
  EXPECT_EQ(count_token_frames(find_layout("hunyuan-video"), 129), 33);
  EXPECT_EQ(count_token_frames(find_layout("ltx-video"), 161), 21);
  const auto message = [](const char* layout, int frames) {
    return refusal_of([&] { count_token_frames(find_layout(layout), frames); });
  };
  EXPECT_THAT(message("wan", 80), Says("error.layouts.video_frames",
                                       {{"frames", "80"}, {"factor", "4"}, {"below", "77"}, {"above", "81"}}));
  EXPECT_THAT(message("wan", 0), Says("error.layouts.video_frames", {{"below", "1"}, {"above", "5"}}));
  EXPECT_THAT(message("flux.1", 5), Says("error.layouts.no_video"));
}

TEST(LayoutConfig, FitsALayoutAndItsSiblings) {
  EXPECT_TRUE(fits_layout("flux.1", "flux.1-kontext"));
  EXPECT_FALSE(fits_layout("flux.2", "flux.1"));
  EXPECT_FALSE(fits_layout("qwen-image-layered", "qwen-image"));
  EXPECT_FALSE(fits_layout("qwen-image", "qwen-image-layered"));
}

TEST(LayoutConfig, HunYuansAlphaIsInTheBaseOfItsLayout) {
  const char* text = R"({"model_type": "hunyuan_vl", "rope_theta": 10000,
      "rope_scaling": {"alpha": 1000, "type": "xdrope", "xdrope_section": [16, 16, 16, 16]}})";
  EXPECT_NEAR(*parse_layout_config(text, "config.json").request.base, find_layout("hunyuan-vl").axes[0].base, 1e-6);
}

}  // namespace ropescope
