#include "core/formats/config_layout.h"
#include "core/message.h"
#include "tests/places.h"
#include "tests/said.h"

namespace ropescope {

namespace {

std::string find_config_layout_error(const std::string& text) {
  return refusal_of([&] { parse_layout_config(text, "config.json"); });
}

}  // namespace

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
  const fs::path folder = fs::path(source_folder()) / "../shared/configs";
  if (!fs::exists(folder)) GTEST_SKIP() << "the folder of published configs is not beside the source";
  for (const auto& [name, layout] : expected) {
    SCOPED_TRACE(name);
    std::ifstream file(folder / name);
    std::ostringstream text;
    text << file.rdbuf();
    LayoutConfig config = parse_layout_config(text.str(), name);
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
    std::ifstream file(folder / name);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_THAT(find_config_layout_error(text.str()), Says("error.config.layout_unsupported_as")) << name;
  }
}

TEST(LayoutConfig, ReadsWhatAModelFixes) {
  const LayoutConfig flux = parse_layout_config(
      R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [8, 28, 28], "rope_theta": 500})", "f");
  EXPECT_EQ(flux.request.axis_dims, (std::vector<int>{8, 28, 28}));
  EXPECT_EQ(flux.request.base, 500);
  const LayoutConfig wan = parse_layout_config(R"({"_class_name": "WanModel", "dim": 960, "num_heads": 10})", "f");
  EXPECT_EQ(wan.request.head_dim, 96);
  const LayoutConfig cog = parse_layout_config(
      R"({"_class_name": "CogView4Transformer2DModel", "rope_axes_dim": [128, 64], "attention_head_dim": 64})", "f");
  EXPECT_EQ(cog.request.position_grid, (std::vector<int>{128, 64}));
  EXPECT_TRUE(cog.request.axis_dims.empty());
  const LayoutConfig ltx = parse_layout_config(
      R"({"_class_name": "LTXVideoTransformer3DModel", "attention_head_dim": 64, "num_attention_heads": 16})", "f");
  EXPECT_EQ(ltx.request.head_dim, 1024);
  const auto ltx2 = [](const std::string& other) {
    return R"({"_class_name": "LTX2VideoTransformer3DModel", "attention_head_dim": 64, "num_attention_heads": )" +
           other + "}";
  };
  EXPECT_EQ(parse_layout_config(ltx2("32"), "f").request.head_dim, 2048);
  EXPECT_THAT(find_config_layout_error(ltx2("16")),
              Says("error.field", {{"field", "num_attention_heads"},
                                   {"found", "16"},
                                   {"expected", said(Message("config.only_known", {{"value", 32}}))}}));
  EXPECT_THAT(find_config_layout_error(ltx2(R"(32, "rope_type": "interleaved")")), HasSubstr("rope_type"));
  const LayoutConfig hidream = parse_layout_config(
      R"({"_class_name": "HiDreamImageTransformer2DModel", "axes_dims_rope": [64, 32, 32], "max_resolution": [64, 96]})",
      "f");
  EXPECT_EQ(hidream.request.numbers.at("padded_to"), 1536);
  const LayoutConfig allegro = parse_layout_config(
      R"({"_class_name": "AllegroTransformer3DModel", "attention_head_dim": 48, "interpolation_scale_t": 1.5,
          "interpolation_scale_w": 3})",
      "f");
  EXPECT_EQ(allegro.request.head_dim, 48);
  EXPECT_EQ(allegro.request.numbers.at("interpolation_scale_t"), 1.5);
  EXPECT_EQ(allegro.request.numbers.at("interpolation_scale_w"), 3);
  EXPECT_FALSE(allegro.request.numbers.contains("interpolation_scale_h"));
  const LayoutConfig hunyuan = parse_layout_config(
      R"({"model_type": "hunyuan_image_3_moe", "attention_head_dim": 64, "rope_theta": 500,
          "rope_scaling": {"type": "custom"}})",
      "f");
  EXPECT_EQ(hunyuan.layout, "hunyuan-image-3");
  EXPECT_EQ(hunyuan.request.head_dim, 64);
  EXPECT_EQ(hunyuan.request.base, 500);
  const LayoutConfig vl = parse_layout_config(
      R"({"model_type": "qwen3_vl", "text_config": {"rope_theta": 5000000,
          "rope_scaling": {"mrope_section": [8, 12, 12]}}, "vision_config": {"patch_size": 16, "spatial_merge_size": 2}})",
      "f");
  EXPECT_EQ(vl.layout, "qwen3-vl");
  EXPECT_EQ(vl.request.sections, (std::vector<int>{8, 12, 12}));
  EXPECT_EQ(vl.request.patch, 32);
  const LayoutConfig llama = parse_layout_config(
      R"({"model_type": "llama4", "vision_config": {"model_type": "llama4_vision_model", "hidden_size": 1408,
          "num_attention_heads": 16, "patch_size": 14, "rope_theta": 5000}})",
      "f");
  EXPECT_EQ(llama.layout, "torchtune-vision");
  EXPECT_EQ(llama.request.head_dim, 88);
  EXPECT_EQ(llama.request.patch, 14);
  EXPECT_EQ(llama.request.base, 5000);
  EXPECT_TRUE(fits_layout("flux.1", "flux.1-kontext"));
  EXPECT_FALSE(fits_layout("flux.2", "flux.1"));
}

TEST(LayoutConfig, ReadsLanguageModelsThatSee) {
  const auto read = [](const char* text) { return parse_layout_config(text, "f"); };
  const LayoutConfig omni = read(R"({"model_type": "qwen2_5_omni", "thinker_config": {"position_id_per_seconds": 25,
      "text_config": {"rope_theta": 2000000, "rope_scaling": {"mrope_section": [8, 12, 12]}},
      "vision_config": {"patch_size": 14, "spatial_merge_size": 2}}})");
  EXPECT_EQ(omni.layout, "qwen2.5-omni");
  EXPECT_EQ(omni.request.base, 2e6);
  EXPECT_EQ(omni.request.sections, (std::vector<int>{8, 12, 12}));
  EXPECT_EQ(omni.request.patch, 28);
  EXPECT_THAT(find_config_layout_error(
                  R"({"model_type": "qwen3_omni_moe", "thinker_config": {"position_id_per_seconds": 25}})"),
              Says("error.field", {{"field", "position_id_per_seconds"},
                                   {"found", "25"},
                                   {"expected", said(Message("config.only_known", {{"value", 13}}))}}));
  EXPECT_EQ(read(R"({"model_type": "glm4v", "text_config": {"model_type": "glm4v_text"}})").request.pairing,
            Pairing::interleaved);
  const LayoutConfig glm = read(R"({"model_type": "glm4v_moe", "text_config": {
      "rope_parameters": {"rope_theta": 20000, "mrope_section": [8, 12, 12]}}})");
  EXPECT_EQ(glm.layout, "glm-4v");
  EXPECT_EQ(glm.request.pairing, Pairing::half_split);
  EXPECT_EQ(glm.request.base, 20000);
  const LayoutConfig ernie = read(R"({"model_type": "ernie4_5_vl_moe", "text_config": {
      "rope_parameters": {"rope_theta": 500000, "mrope_section": [22, 22, 20]}}})");
  EXPECT_EQ(ernie.layout, "ernie-4.5-vl");
  EXPECT_EQ(ernie.request.sections, (std::vector<int>{20, 22, 22}));
  const LayoutConfig paddle = read(R"({"model_type": "paddleocr_vl", "rope_theta": 500000,
      "rope_scaling": {"mrope_section": [16, 24, 24]}, "vision_config": {"patch_size": 14, "spatial_merge_size": 2}})");
  EXPECT_EQ(paddle.layout, "qwen2-vl");
  EXPECT_EQ(paddle.request.base, 500000);
  EXPECT_FALSE(paddle.request.tokens_per_second);
  const LayoutConfig hunyuan = read(R"({"model_type": "hunyuan_vl", "rope_theta": 10000,
      "rope_scaling": {"alpha": 1000, "type": "xdrope", "xdrope_section": [16, 16, 16, 16]}})");
  EXPECT_EQ(hunyuan.layout, "hunyuan-vl");
  EXPECT_TRUE(hunyuan.request.sections.empty()) << "the layout's own";
  EXPECT_THAT(
      find_config_layout_error(R"({"model_type": "hunyuan_vl", "rope_scaling": {"xdrope_section": [32, 16, 16]}})"),
      HasSubstr("[16, 16, 16, 16]"));
  EXPECT_NEAR(*hunyuan.request.base, find_layout("hunyuan-vl").axes[0].base, 1e-6);
}

TEST(LayoutConfig, ReadsVisionTowers) {
  const auto read = [](const char* text) { return parse_layout_config(text, "f"); };
  const LayoutConfig qwen = read(R"({"model_type": "qwen2_vl_vision", "embed_dim": 1280, "hidden_size": 3584,
      "num_heads": 16, "patch_size": 14, "spatial_merge_size": 4})");
  EXPECT_EQ(qwen.layout, "qwen-vision");
  EXPECT_EQ(qwen.request.head_dim, 80);
  EXPECT_EQ(qwen.request.numbers.at("merge_size"), 4);
  const LayoutConfig windows = read(R"({"model_type": "qwen2_5_vl_vision", "hidden_size": 1280, "num_heads": 16,
      "patch_size": 14, "window_size": 112})");
  EXPECT_EQ(windows.request.numbers.at("merge_size"), 2);
  EXPECT_EQ(windows.request.numbers.at("window"), 8);
  EXPECT_THAT(find_config_layout_error(R"({"model_type": "qwen2_5_vl_vision", "patch_size": 14, "window_size": 100})"),
              HasSubstr("window_size"));
  const LayoutConfig paddle = read(R"({"model_type": "paddleocr_vl_vision", "hidden_size": 1152,
      "num_attention_heads": 16, "patch_size": 14, "spatial_merge_size": 2})");
  EXPECT_EQ(paddle.request.head_dim, 72);
  EXPECT_EQ(paddle.request.numbers.at("merge_size"), 1) << "its tower has patches row by row";
  const LayoutConfig moon = read(R"({"model_type": "kimi_vl", "vision_config": {"model_type": "moonvit",
      "hidden_size": 1152, "num_attention_heads": 16, "patch_size": 14}})");
  EXPECT_EQ(moon.layout, "moonvit");
  EXPECT_EQ(moon.request.head_dim, 72);
  const LayoutConfig minimax = read(R"({"model_type": "minimax_m3_vl", "vision_config": {
      "model_type": "minimax_m3_vl_vision", "hidden_size": 1280, "num_attention_heads": 16, "patch_size": 14,
      "rope_parameters": {"rope_theta": 500}}})");
  EXPECT_EQ(minimax.layout, "minimax-m3-vision");
  EXPECT_EQ(minimax.request.base, 500);
  const LayoutConfig sam = read(R"({"model_type": "sam3_vit_model", "hidden_size": 1024, "num_attention_heads": 16,
      "patch_size": 14, "window_size": 24})");
  EXPECT_EQ(sam.layout, "sam-3");
  EXPECT_EQ(sam.request.numbers.at("window"), 24);
  const LayoutConfig jepa =
      read(R"({"model_type": "vjepa2", "hidden_size": 1408, "num_attention_heads": 22, "patch_size": 16})");
  EXPECT_EQ(jepa.layout, "v-jepa-2");
  EXPECT_EQ(jepa.request.head_dim, 64);
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

TEST(LayoutConfig, AClassThatIsNotKnownIsNoFlux) {
  EXPECT_FALSE(find_layout_config(R"({"_class_name": "New", "axes_dims_rope": [32, 32, 32, 32]})", "c").has_value());
  EXPECT_FALSE(find_layout_config(R"({"_class_name": "New", "axes_dim": [16, 56, 56]})", "c").has_value());
  EXPECT_EQ(find_layout_config(R"({"axes_dim": [16, 56, 56]})", "c")->layout, "flux.1");
  EXPECT_THAT(find_config_layout_error(R"({"use_rotary_positional_embeddings": true, "patch_size": 2})"),
              AllOf(HasSubstr("CogVideoX"), Says("config_why.without_field", {{"field", "patch_size_t"}})));
  EXPECT_THAT(find_config_layout_error(R"({"_class_name": "CogVideoXTransformer3DModel", "patch_size_t": null})"),
              Says("error.config.layout_unsupported_as"));
  EXPECT_EQ(find_layout_config(R"({"_class_name": "CogVideoXTransformer3DModel", "patch_size_t": 2})", "c")->layout,
            "cogvideox-1.5");
  EXPECT_FALSE(find_layout_config(R"({"use_rotary_positional_embeddings": false})", "c").has_value());
}

TEST(LayoutConfig, ReadsHowQwen25CountsSeconds) {
  const auto of = [](const std::string& vision) {
    return parse_layout_config(R"({"model_type": "qwen2_5_vl", "vision_config": {)" + vision + "}}", "f").request;
  };
  EXPECT_EQ(of(R"("tokens_per_second": 2, "temporal_patch_size": 2)").tokens_per_second, 2);
  EXPECT_EQ(of("").tokens_per_second, 4) << "as its class has it";
  EXPECT_FALSE(
      parse_layout_config(R"({"model_type": "qwen2_vl", "vision_config": {}})", "f").request.tokens_per_second);
  EXPECT_THAT(find_config_layout_error(R"({"model_type": "qwen2_5_vl", "vision_config": {"temporal_patch_size": 3}})"),
              HasSubstr("temporal_patch_size"));
}

TEST(LayoutConfig, SiblingsAndDifferencesAreNoted) {
  const auto notes = [](const char* text) { return said(parse_layout_config(text, "f").notes); };
  EXPECT_THAT(notes(R"({"axes_dim": [16, 56, 56]})"), ElementsAre(HasSubstr("flux.1-kontext")));
  EXPECT_THAT(notes(R"({"_class_name": "HunyuanVideoTransformer3DModelPacked"})"),
              ElementsAre(Says("config_note.frame_pack_layout")));
  EXPECT_TRUE(notes(R"({"_class_name": "ChromaTransformer2DModel"})").empty());
  EXPECT_TRUE(notes(R"({"_class_name": "HunyuanVideoTransformer3DModel"})").empty());
}

TEST(LayoutConfig, OthersAreNamed) {
  EXPECT_THAT(find_config_layout_error(R"({"model_type": "llama", "hidden_size": 64})"),
              Says("error.config.no_layout"));
  EXPECT_THAT(find_config_layout_error(R"({"_class_name": "CosmosTransformer3DModel"})"),
              Says("error.config.layout_unsupported_as", {{"model", "Cosmos"}, {"class", "CosmosTransformer3DModel"}}));
  EXPECT_THAT(find_config_layout_error(R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [1.5]})"),
              HasSubstr("axes_dims_rope"));
  EXPECT_THAT(find_config_layout_error(
                  R"({"_class_name": "LTXVideoTransformer3DModel", "positional_embedding_max_pos": [1, 2, 3]})"),
              HasSubstr("positional_embedding_max_pos"));
  EXPECT_THAT(find_config_layout_error(R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": []})"),
              HasSubstr("axes_dims_rope"));
  EXPECT_THAT(find_config_layout_error("{"), HasSubstr("config.json"));
}

}  // namespace ropescope
