// Released models' layouts, compared with the files of tests/reference/layouts: the ids of all tokens that a file
// carries, and the tables of some.

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

/// Files of one layout that are compared in the same way.
struct LayoutCase {
  const char* name;
  const char* layout;
  const char* files;  ///< separated by spaces
  /// Of cos and sin: what an independent recomputation in float64 met (README of the reference data).
  double tolerance;
  void (*more)(const TokenLayout&, const json& config) = nullptr;  ///< what else the config determines
};

void PrintTo(const LayoutCase& one, std::ostream* out) {
  *out << one.name;
}

/// transformers computes tables in float32: half a unit of the largest angle, which the largest position gives.
constexpr double kFloat32OfPosition = 0;
double tolerance_of_float32(const json& file) {
  double largest = 1;
  for (const json& token : file["tokens"]) {
    for (const json& id : token["id"]) largest = std::max(largest, id.get<double>());
  }
  return 1.5e-7 * largest + 2e-7;
}
/// Tables of vision towers in transformers 5.17.
constexpr double kTowerOfTransformers = 5e-6;

void expect_snapped_reference(const TokenLayout& layout, const json& config) {
  ASSERT_EQ(layout.notes.size(), 1u);
  EXPECT_THAT(debug_text(layout.notes.front()), HasSubstr("new_width=1392 new_height=752"));
  const TokenBlock& reference = layout.blocks.back();
  EXPECT_EQ(reference.part, "reference1");
  EXPECT_EQ(reference.rows, config["cond_grid_h"].get<int>());
  EXPECT_EQ(reference.columns, config["cond_grid_w"].get<int>());
}

void expect_axis_dims(const TokenLayout& layout, const json& config) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(layout.axes[i].rotary_dim, config["axes_dim"][i].get<int>());
}

void expect_bases(const TokenLayout& layout, const json& config) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(layout.axes[i].base, config["effective_theta"][i].get<double>());
}

void expect_text_first(const TokenLayout& layout, const json& config) {
  EXPECT_EQ(first_row_of(layout, "image"), config["txt_len"].get<int>());
}
void expect_text_counted(const TokenLayout& layout, const json&) {
  EXPECT_EQ(layout.blocks[0].first_token, 226);
}
void expect_scale(const TokenLayout& layout, const json& config) {
  EXPECT_DOUBLE_EQ(1 / layout.axes[2].id_scale, config["scale_factor"][2].get<double>());
}
void expect_halves(const TokenLayout& layout, const json&) {
  EXPECT_TRUE(layout.halves_by_axis);
}
void expect_class_token(const TokenLayout& layout, const json&) {
  EXPECT_EQ(layout.blocks.back().part, "cls");
}

const LayoutCase kLayoutCases[] = {
    {"Flux1", "flux.1", "flux1_4x6 flux1_64x64 flux1_104x58", 4e-6},
    {"Flux1KontextSnapsItsReference", "flux.1-kontext", "flux1_kontext_16x9", 4e-6, expect_snapped_reference},
    {"Flux2WithReferences", "flux.2", "flux2_4x6_2refs flux2_64x64", 3e-8},
    {"QwenImageIsCentredAndItsTextComesAfter", "qwen-image", "qwen_4x6 qwen_5x7_odd qwen_64x64 qwen_edit_2images", 5e-6,
     expect_text_first},
    {"QwenImageLayeredNumbersItsLayers", "qwen-image-layered",
     "qwen_layered_5x7_2layers qwen_layered_2x4_4layers_fewrows", 5e-6},
    {"HunyuanImage3StandsOnTheDiagonal", "hunyuan-image-3", "hunyuan_image3_3x4 hunyuan_image3_5x7_odd", 3e-6},
    {"HunyuanImage3OfManyTokens", "hunyuan-image-3", "hunyuan_image3_80x48", 2.3e-4},
    {"CogView4", "cogview4", "cogview4_4x6 cogview4_64x64", 8e-6},
    {"ZImagePadsBothParts", "z-image", "z_image_4x6 z_image_64x40", 3e-6},
    {"OmniGen2StartsWhereReferencesEnd", "omnigen2", "omnigen2_4x6 omnigen2_3x5_2refs", 1e-14},
    {"HiDreamI1PadsAnImageOfDifferentSides", "hidream-i1", "hidream_i1_3x5 hidream_i1_4x4_square hidream_i1_48x85",
     3e-8},
    {"LongCatImageFollowsItsText", "longcat-image", "longcat_image_3x5 longcat_image_edit_3x5", 3e-8},
    {"Wan", "wan", "wan_3x4x6 wan_21x45x80 wan_4x5x3_hd96", 3e-8, expect_axis_dims},
    {"HunyuanVideo", "hunyuan-video", "hunyuan_video_2x4x6 hunyuan_video_33x34x60", 5e-6},
    {"CogVideoX15CountsPlainly", "cogvideox-1.5", "cogvideox15_3x5x7 cogvideox15_11x48x85", 2.4e-6,
     expect_text_counted},
    {"Kandinsky5DividesRowsAndColumns", "kandinsky-5",
     "kandinsky5_lite_3x5x7 kandinsky5_pro_2x5x7_hd kandinsky5_t2i_1x64x64", 2.1e-6, expect_scale},
    {"CosmosPredict25StretchesTwoBases", "cosmos-predict2.5", "cosmos_predict25_3x5x7 cosmos_predict25_24x44x80",
     4.6e-6, expect_bases},
    {"AllegroDividesAllAxes", "allegro", "allegro_3x5x7 allegro_22x45x80", 6e-7, expect_halves},
    {"LongCatVideoWithAReference", "longcat-video", "longcat_video_3x5x7 longcat_video_avatar_4x3x5_ref", 1.6e-6},
    {"RopeVitAxial", "vit-axial", "ropevit_axial_6x4 ropevit_axial_14x14 ropevit_axial_3x8", 3e-7},
    {"TorchtuneVisionCountsFromOneAndKeepsItsClassTokenStill", "torchtune-vision", "torchtune_vision_4x4", 7e-8,
     expect_class_token},
    {"QwenTowersBlockByBlockAndWindowByWindow", "qwen-vision",
     "qwen3_vl_tower_1x6x10 qwen3_vl_tower_2x4x6 qwen3_vl_tower_1x34x60 glm4v_tower_1x6x10 ernie45_vl_tower_1x6x10 "
     "paddleocr_vl_tower_1x6x10 qwen25_vl_tower_1x12x20 qwen25_vl_tower_2x6x10 qwen25_vl_tower_1x16x8",
     kTowerOfTransformers},
    {"PixtralTower", "pixtral", "pixtral_4x6 pixtral_44x64", kTowerOfTransformers},
    {"Vjepa2", "v-jepa-2", "vjepa2_3x5x5", kTowerOfTransformers},
    {"Qwen3Vl", "qwen3-vl", "qwen3_vl_image_3x5 qwen3_vl_image_34x60", kFloat32OfPosition},
    {"Qwen2Vl", "qwen2-vl", "qwen2_5_vl_image_3x5 qwen2_5_vl_image_34x60 paddleocr_vl_image_3x5", kFloat32OfPosition},
    {"Glm4v", "glm-4v", "glm4v_image_3x5 glm4v_image_24x43 glm4v_moe_image_3x5", kFloat32OfPosition},
    {"Ernie45Vl", "ernie-4.5-vl", "ernie45_vl_image_3x5 ernie45_vl_image_34x60 ernie45_vl_video_2x3x4",
     kFloat32OfPosition},
    {"Qwen25VlCountsSeconds", "qwen2-vl", "qwen2_5_vl_video_3x2x4", kFloat32OfPosition},
    // The tokens of a time are counted by the layout; the file was made with them.
    {"Qwen3VlWritesTimesBetweenFrames", "qwen3-vl", "qwen3_vl_video_3x2x4 qwen3_vl_video_3x2x3_slow",
     kFloat32OfPosition},
    {"GlmFramesAreImages", "glm-4v", "glm4v_video_3x2x3", kFloat32OfPosition},
    {"Qwen25OmniCountsTimeWithAndWithoutSound", "qwen2.5-omni",
     "qwen25_omni_image_3x5 qwen25_omni_video_3x2x3 qwen25_omni_video_4x2x3_15 qwen25_omni_audio_3x2x3 "
     "qwen25_omni_audio_5x2x3_short qwen25_omni_audio_2x3x4_long",
     kFloat32OfPosition},
    {"Qwen3OmniCountsTimeWithAndWithoutSound", "qwen3-omni",
     "qwen3_omni_image_3x5 qwen3_omni_video_3x2x3 qwen3_omni_video_4x2x3_15 qwen3_omni_audio_3x2x3 "
     "qwen3_omni_audio_5x2x3_short qwen3_omni_audio_2x3x4_long",
     kFloat32OfPosition},
};

class LayoutReferenceTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(LayoutReferenceTest, IsThatOfTheReleasedCode) {
  const LayoutCase& one = GetParam();
  std::istringstream files(one.files);
  for (std::string name; files >> name;) {
    SCOPED_TRACE(name);
    const json file = read_layout_file(name);
    const LayoutTables tables = tables_of(one.layout, request_of(one.layout, config_of(file)));
    const TokenLayout& layout = tables.layout();
    const double tolerance = one.tolerance == kFloat32OfPosition ? tolerance_of_float32(file) : one.tolerance;
    expect_counts(layout, file);
    expect_all_ids(layout, file);
    expect_tokens(tables, file["tokens"], tolerance, [&](const json& token) { return row_of(layout, file, token); });
    for (const json& token : file["tokens"]) {  // of Allegro
      if (!token.contains("cos_f64")) break;
      expect_table_row(tables, by_token(token), token["cos_f64"], token["sin_f64"], 1e-14);
    }
    if (one.more) one.more(layout, config_of(file));
  }
}

INSTANTIATE_TEST_SUITE_P(Released, LayoutReferenceTest, ::testing::ValuesIn(kLayoutCases),
                         [](const auto& entry) { return entry.param.name; });

}  // namespace
}  // namespace ropescope
