#include "core/formats/config_layout.h"
#include "tests/said.h"
#include "tests/unit/format_files.h"

namespace ropescope {

TEST(LayoutConfig, PublishedConfigsArrangeTheirLayout) {
  const fs::path folder = shared_configs();
  if (!fs::exists(folder)) GTEST_SKIP() << "the folder of published configs is not beside the source";
  int compared = 0;
  for (const json& row : published_configs()) {
    if (!row.contains("layout")) continue;
    const std::string name = row["file"], layout = row["layout"]["layout"];
    SCOPED_TRACE(name);
    ++compared;
    LayoutConfig config = parse_layout_config(read_file(folder / name), name);
    config.request.image = ImageSize::tokens(4, 6);
    const TokenLayout tokens = arrange(find_layout(layout), config.request);
    if (name.rfind("qwen3.5", 0) == 0) {
      EXPECT_EQ(tokens.pair_count(), 32);
      continue;
    }
    // These files say what the layouts have as defaults.
    LayoutRequest plain{.image = config.request.image};
    EXPECT_EQ(tokens.frequencies, arrange(find_layout(layout), plain).frequencies);
  }
  EXPECT_EQ(compared, 23);
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
