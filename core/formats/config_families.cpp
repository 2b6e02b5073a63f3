#include "core/formats/config_families.h"

namespace ropescope {

namespace {

constexpr Pairing kConfigFamiliesAdjacent = Pairing::interleaved;

// clang-format off
constexpr const char* kThreeAxes = "config_why.three_axes";
constexpr const char* kConfigFamiliesByTurns = "config_why.by_turns";
constexpr const char* kOwnBlocks = "config_why.own_blocks";
constexpr const char* kWindows = "config_why.windows";

constexpr VisionFamily kVisionFamilies[] = {
  {.model_type = "pixtral", .layout = VisionLayout::alternating, .hidden_size = 1024, .heads = 16},
  {.model_type = "vision_encoder", .layout = VisionLayout::alternating, .pairing = kConfigFamiliesAdjacent, .hidden_size = 1024,
   .heads = 16},
  {.model_type = "qwen2_vl", .hidden_size = 1280, .heads = 16, .merge = 2},
  {.model_type = "qwen2_vl_vision", .hidden_size = 1280, .heads = 16, .merge = 2},
  {.model_type = "qwen2_5_vl", .hidden_size = 3584, .heads = 16, .merge = 2},
  {.model_type = "qwen2_5_vl_vision", .hidden_size = 3584, .heads = 16, .merge = 2},
  {.model_type = "qwen2_5_omni_vision_encoder", .hidden_size = 3584, .heads = 16, .merge = 2},
  {.model_type = "qwen3_vl", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_vl_vision", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_vl_moe", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_vl_moe_vision", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_omni_moe_vision_encoder", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_5", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_5_vision", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_5_moe", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "qwen3_5_moe_vision", .hidden_size = 1152, .heads = 16, .merge = 2},
  {.model_type = "cohere_compass_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "cosmos3_edge_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "ernie4_5_vl_moe_vision", .hidden_size = 1280, .heads = 16, .merge = 2},
  {.model_type = "exaone4_5_vision", .hidden_size = 3584, .heads = 16, .merge = 2},
  {.model_type = "glm4v_vision", .hidden_size = 1536, .heads = 12, .merge = 2},
  {.model_type = "glm4v_moe_vision", .hidden_size = 1536, .heads = 12, .merge = 2},
  {.model_type = "glm_ocr_vision", .hidden_size = 1024, .heads = 16, .merge = 2},
  {.model_type = "mlcd_vision_model", .hidden_size = 1664, .heads = 16,
   .note = "config_note.class_token_apart"},
  {.model_type = "paddleocr_vl_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "video_llama_3_vision", .hidden_size = 768, .heads = 12},
  {.model_type = "step3p5_vision", .hidden_size = 1536, .heads = 16},
  {.model_type = "llama4_vision_model", .pairing = kConfigFamiliesAdjacent, .first_axis = "x", .second_axis = "y",
   .hidden_size = 768, .heads = 16,
   .note = "config_note.patches_from_1"},
  {.model_type = "gemma4_vision", .layout = VisionLayout::not_shown, .note = kOwnBlocks},
  {.model_type = "kimi_k25_vision", .layout = VisionLayout::not_shown, .note = kConfigFamiliesByTurns},
  {.model_type = "minimax_m3_vl_vision", .layout = VisionLayout::not_shown, .note = kThreeAxes},
  {.model_type = "muse_glimmer_vision", .layout = VisionLayout::not_shown,
   .note = "config_why.columns_first"},
  {.model_type = "sam3_vision_model", .layout = VisionLayout::not_shown, .note = kWindows},
};

constexpr const char* kTextAtZero = "config_note.text_at_zero";
constexpr const char* kFluxTwo = "config_note.flux_two";
constexpr const char* kQwenImage = "config_note.qwen_image";
constexpr const char* kLumina = "config_note.lumina";
constexpr const char* kZImage = "config_note.z_image";
constexpr const char* kVideo = "config_note.video";
constexpr const char* kErnie = "config_note.ernie";
constexpr const char* kCogView = "config_note.cog_view";
constexpr const char* kConfigFamiliesLtx = "config_why.ltx";
constexpr const char* kCosmos = "config_why.cosmos";
constexpr const char* kDino = "config_why.dino";
constexpr const char* kEva = "config_why.eva";

constexpr const char* kPlaces = "config_note.places";
constexpr const char* kConfigFamiliesFramePack = "config_note.frame_pack";
constexpr const char* kChrono = "config_note.chrono";
constexpr const char* kAnimate = "config_note.animate";
constexpr const char* kFar = "config_note.far";
constexpr const char* kSanaVideo = "config_note.sana_video";
constexpr const char* kKandinsky = "config_note.kandinsky";
constexpr const char* kSound = "config_note.sound";
constexpr const char* kInterleavedSections = "config_note.interleaved_sections";
constexpr const char* kHunyuanImage = "config_note.hunyuan_image";
constexpr const char* kGlmImage = "config_note.glm_image";
constexpr const char* kOmniGen = "config_why.omni_gen";
constexpr const char* kGrid3 = "config_why.grid3";
constexpr const char* kMochi = "config_why.mochi";
constexpr const char* kNext = "config_why.next";

constexpr ImageFamily kImageFamilies[] = {
  {.class_name = "FluxTransformer2DModel", .model = "FLUX.1", .axes = {16, 56, 56}, .note = kTextAtZero},
  {.class_name = "Flux2Transformer2DModel", .model = "FLUX.2", .base = 2000, .axes = {32, 32, 32, 32},
   .note = kFluxTwo},
  {.class_name = "ChromaTransformer2DModel", .model = "Chroma", .axes = {16, 56, 56}, .note = kTextAtZero},
  {.class_name = "QwenImageTransformer2DModel", .model = "Qwen-Image", .axes = {16, 56, 56}, .note = kQwenImage},
  {.class_name = "NucleusMoEImageTransformer2DModel", .model = "Nucleus-MoE-Image", .axes = {16, 56, 56},
   .note = kQwenImage},
  {.class_name = "Lumina2Transformer2DModel", .model = "Lumina 2", .axes = {32, 32, 32}, .note = kLumina},
  {.class_name = "ZImageTransformer2DModel", .model = "Z-Image", .base = 256, .axes = {32, 48, 48}, .note = kZImage},
  {.class_name = "BriaTransformer2DModel", .model = "BRIA 3", .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "BriaFiboTransformer2DModel", .model = "BRIA FIBO", .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "Krea2Transformer2DModel", .model = "Krea 2", .base = 1000, .axes = {32, 48, 48}, .note = kPlaces},
  {.class_name = "LongCatImageTransformer2DModel", .model = "LongCat-Image", .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "OvisImageTransformer2DModel", .model = "Ovis-Image", .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "HiDreamImageTransformer2DModel", .model = "HiDream", .axes = {32, 32}, .note = kPlaces},
  {.class_name = "PRXTransformer2DModel", .model = "PRX", .axes = {32, 32}, .note = kPlaces},
  {.class_name = "HunyuanImageTransformer2DModel", .model = "HunyuanImage", .base = 256, .axes = {64, 64},
   .note = kHunyuanImage},
  {.class_name = "HunyuanVideoTransformer3DModel", .model = "HunyuanVideo", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "HunyuanVideo15Transformer3DModel", .model = "HunyuanVideo 1.5", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "HunyuanVideoTransformer3DModelPacked", .model = "FramePack", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "HunyuanVideoFramepackTransformer3DModel", .model = "FramePack", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kConfigFamiliesFramePack},
  {.class_name = "MotifVideoTransformer3DModel", .model = "Motif-Video", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "JoyImageEditTransformer3DModel", .model = "JoyImage-Edit", .base = 256, .axes = {16, 56, 56},
   .note = kPlaces},
  {.class_name = "JoyImageEditPlusTransformer3DModel", .model = "JoyImage-Edit Plus", .base = 256,
   .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "Kandinsky5Transformer3DModel", .model = "Kandinsky 5", .axes = {16, 24, 24}, .profile = "video",
   .note = kKandinsky},
  {.class_name = "HeliosTransformer3DModel", .model = "Helios", .axes = {44, 42, 42}, .profile = "video",
   .note = kPlaces},
  {.class_name = "MiniMaxH3Transformer3DModel", .model = "MiniMax H3", .pairing = Pairing::half_split,
   .axes = {32, 32, 32}, .head_dim = 128, .profile = "video",
   .note = kPlaces},
  {.class_name = "ERNIEImageModel", .model = "ERNIE-Image", .base = 256, .axes = {32, 48, 48}, .note = kErnie},
  {.class_name = "ErnieImageTransformer2DModel", .model = "ERNIE-Image", .base = 256, .axes = {32, 48, 48},
   .note = kErnie},
  {.class_name = "WanTransformer3DModel", .model = "Wan", .layout = ImageLayout::thirds, .head_dim = 128,
   .profile = "video"},
  {.class_name = "WanVACETransformer3DModel", .model = "Wan", .layout = ImageLayout::thirds, .head_dim = 128,
   .profile = "video"},
  {.class_name = "WanModel", .model = "Wan", .layout = ImageLayout::thirds, .head_dim = 128, .profile = "video"},
  {.class_name = "WanAnimateTransformer3DModel", .model = "Wan-Animate", .layout = ImageLayout::thirds,
   .head_dim = 128, .profile = "video", .note = kAnimate},
  {.class_name = "WanAnimate2Transformer3DModel", .model = "Wan-Animate 2", .layout = ImageLayout::thirds,
   .head_dim = 128, .profile = "video", .note = kAnimate},
  {.class_name = "SkyReelsV2Transformer3DModel", .model = "SkyReels V2", .layout = ImageLayout::thirds,
   .head_dim = 128, .profile = "video", .note = kVideo},
  {.class_name = "ChronoEditTransformer3DModel", .model = "ChronoEdit", .layout = ImageLayout::thirds,
   .head_dim = 128, .profile = "video", .note = kChrono},
  {.class_name = "AnyFlowTransformer3DModel", .model = "AnyFlow", .layout = ImageLayout::thirds, .head_dim = 128,
   .profile = "video", .note = kVideo},
  {.class_name = "AnyFlowFARTransformer3DModel", .model = "AnyFlow FAR", .layout = ImageLayout::thirds,
   .head_dim = 128, .profile = "video", .note = kFar},
  {.class_name = "SanaVideoTransformer3DModel", .model = "SANA-Video", .layout = ImageLayout::thirds,
   .head_dim = 112, .profile = "video", .note = kSanaVideo},
  {.class_name = "CogView4Transformer2DModel", .model = "CogView4", .layout = ImageLayout::halves,
   .pairing = Pairing::half_split, .head_dim = 40, .note = kCogView},
  {.class_name = "GlmImageTransformer2DModel", .model = "GLM-Image", .layout = ImageLayout::halves,
   .pairing = Pairing::half_split, .head_dim = 40, .note = kGlmImage},
  {.class_name = "Ideogram4Transformer2DModel", .model = "Ideogram 4", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 5e6, .head_dim = 256,
   .note = kInterleavedSections},
  {.class_name = "Cosmos3OmniTransformer", .model = "Cosmos 3", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 5e6, .head_dim = 128,
   .note = kInterleavedSections},
  {.class_name = "AceStepTransformer1DModel", .model = "ACE-Step 1.5", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 1e6, .head_dim = 128,
   .profile = "sound", .note = kSound},
  {.class_name = "LongCatAudioDiTTransformer", .model = "LongCat-Audio", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 1e5, .head_dim = 64,
   .profile = "sound", .note = kSound},
  {.class_name = "StableAudioDiTModel", .model = "Stable Audio", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .head_dim = 64, .rotary_fraction = 0.5,
   .profile = "sound", .note = kSound},
  {.class_name = "StableAudio3DiTModel", .model = "Stable Audio 3", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .head_dim = 64,
   .rotary_fraction = 0.5, .profile = "sound", .note = kSound},
  {.class_name = "MiniMaxMusic3Transformer1DModel", .model = "MiniMax Music 3", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .head_dim = 64,
   .rotary_fraction = 0.5, .profile = "sound", .note = kSound},
  {.class_name = "CogVideoXTransformer3DModel", .model = "CogVideoX", .layout = ImageLayout::unsupported,
   .note = kGrid3},
  {.class_name = "ConsisIDTransformer3DModel", .model = "ConsisID", .layout = ImageLayout::unsupported, .note = kGrid3},
  {.class_name = "EasyAnimateTransformer3DModel", .model = "EasyAnimate", .layout = ImageLayout::unsupported,
   .note = kGrid3},
  {.class_name = "AllegroTransformer3DModel", .model = "Allegro", .layout = ImageLayout::unsupported, .note = kGrid3},
  {.class_name = "HunyuanDiT2DModel", .model = "Hunyuan-DiT", .layout = ImageLayout::unsupported, .note = kGrid3},
  {.class_name = "LuminaNextDiT2DModel", .model = "Lumina-Next", .layout = ImageLayout::unsupported, .note = kNext},
  {.class_name = "MochiTransformer3DModel", .model = "Mochi", .layout = ImageLayout::unsupported, .note = kMochi},
  {.class_name = "OmniGenTransformer2DModel", .model = "OmniGen", .layout = ImageLayout::unsupported, .note = kOmniGen},
  {.class_name = "LTXVideoTransformer3DModel", .model = "LTX-Video", .layout = ImageLayout::own_ladder, .note = kConfigFamiliesLtx},
  {.class_name = "Transformer3DModel", .model = "LTX-Video", .layout = ImageLayout::own_ladder, .note = kConfigFamiliesLtx},
  {.class_name = "AVTransformer3DModel", .model = "LTX-2", .layout = ImageLayout::unsupported, .note = kConfigFamiliesLtx},
  {.class_name = "LTX2VideoTransformer3DModel", .model = "LTX-2", .layout = ImageLayout::unsupported, .note = kConfigFamiliesLtx},
  {.class_name = "CosmosTransformer3DModel", .model = "Cosmos", .layout = ImageLayout::unsupported, .note = kCosmos},
  {.class_name = "dinov3_vit", .model = "DINOv3", .layout = ImageLayout::own_ladder, .note = kDino},
  {.class_name = "EVA", .model = "EVA-02", .layout = ImageLayout::unsupported, .note = kEva},
};
// clang-format on

}  // namespace

const VisionFamily* find_vision_family(std::string_view model_type) {
  for (const VisionFamily& family : kVisionFamilies) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

const ImageFamily* find_image_family(std::string_view class_name) {
  for (const ImageFamily& family : kImageFamilies) {
    if (family.class_name == class_name) return &family;
  }
  return nullptr;
}

}  // namespace ropescope
