#include "core/formats/config_families.h"

namespace ropescope {

namespace {

constexpr Pairing kAdjacent = Pairing::interleaved;

// clang-format off
constexpr const char* kThreeAxes = "it also turns by time, in three parts of the head";
constexpr const char* kByTurns = "rows and columns share its pairs by turns, each with the whole ladder of half a head";
constexpr const char* kOwnBlocks = "it pairs channels inside a block for each axis";
constexpr const char* kWindows = "it turns by rows and columns in windows";

constexpr VisionFamily kVisionFamilies[] = {
  {.model_type = "pixtral", .layout = VisionLayout::alternating, .hidden_size = 1024, .heads = 16},
  {.model_type = "vision_encoder", .layout = VisionLayout::alternating, .pairing = kAdjacent, .hidden_size = 1024,
   .heads = 16},
  {.model_type = "qwen2_vl", .hidden_size = 1280, .heads = 16},
  {.model_type = "qwen2_vl_vision", .hidden_size = 1280, .heads = 16},
  {.model_type = "qwen2_5_vl", .hidden_size = 3584, .heads = 16},
  {.model_type = "qwen2_5_vl_vision", .hidden_size = 3584, .heads = 16},
  {.model_type = "qwen2_5_omni_vision_encoder", .hidden_size = 3584, .heads = 16},
  {.model_type = "qwen3_vl", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_vl_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_vl_moe", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_vl_moe_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_omni_moe_vision_encoder", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_5", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_5_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_5_moe", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_5_moe_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "cohere_compass_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "cosmos3_edge_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "ernie4_5_vl_moe_vision", .hidden_size = 1280, .heads = 16},
  {.model_type = "exaone4_5_vision", .hidden_size = 3584, .heads = 16},
  {.model_type = "glm4v_vision", .hidden_size = 1536, .heads = 12},
  {.model_type = "glm4v_moe_vision", .hidden_size = 1536, .heads = 12},
  {.model_type = "glm_ocr_vision", .hidden_size = 1024, .heads = 16},
  {.model_type = "mlcd_vision_model", .hidden_size = 1664, .heads = 16,
   .note = "The class token stands apart from the grid."},
  {.model_type = "paddleocr_vl_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "video_llama_3_vision", .hidden_size = 768, .heads = 12},
  {.model_type = "step3p5_vision", .hidden_size = 1536, .heads = 16},
  {.model_type = "llama4_vision_model", .pairing = kAdjacent, .first_axis = "x", .second_axis = "y",
   .hidden_size = 768, .heads = 16,
   .note = "Patches count from 1 on both axes; the class token is not rotated."},
  {.model_type = "gemma4_vision", .layout = VisionLayout::not_shown, .note = kOwnBlocks},
  {.model_type = "kimi_k25_vision", .layout = VisionLayout::not_shown, .note = kByTurns},
  {.model_type = "minimax_m3_vl_vision", .layout = VisionLayout::not_shown, .note = kThreeAxes},
  {.model_type = "muse_glimmer_vision", .layout = VisionLayout::not_shown,
   .note = "columns come before rows, in windows of their own"},
  {.model_type = "sam3_vision_model", .layout = VisionLayout::not_shown, .note = kWindows},
};

constexpr const char* kTextAtZero = "Text tokens all stand at position 0 of every axis.";
constexpr const char* kFluxTwo = "Text tokens count along the axis l; reference images stand at t = 10, 20, ...";
constexpr const char* kQwenImage = "Rows and columns are centred on the image; text runs on all three axes at once.";
constexpr const char* kLumina = "Text tokens count along the axis t; the image stands at t = caption length.";
constexpr const char* kZImage = "Text tokens count from 1 along the axis t; the image stands at t = padded caption length + 1.";
constexpr const char* kVideo = "Only video tokens are rotated.";
constexpr const char* kErnie =
    "Released code repeats the table for interleaved pairs but rotates half-split channels: norms are not kept there.";
constexpr const char* kCogView =
    "Positions are rescaled to a 256 x 256 grid (index * 256 // size); only image tokens are rotated.";
constexpr const char* kLtx = "fractional positions, one frequency ladder shared by all axes";
constexpr const char* kCosmos = "every axis has a base of its own, stretched by rope_scale";
constexpr const char* kDino = "coordinates in [-1, 1] times 2 pi, tiled for the half split";
constexpr const char* kEva = "positions rescaled to the grid of the pretraining";

constexpr const char* kPlaces = "Where its tokens stand is not known here.";
constexpr const char* kFramePack = "Only video tokens are rotated; new frames stand at indices of their own.";
constexpr const char* kChrono = "Where two frames are left, they stand at t = 0 and rope_temporal_skip_len - 1.";
constexpr const char* kAnimate = "Only video tokens are rotated; the reference image stands at a place of its own.";
constexpr const char* kFar = "Frames that the model has compressed turn by the mean of the angles of their patches.";
constexpr const char* kSanaVideo = "Linear attention: the numerator is rotated, the denominator is not.";
constexpr const char* kKandinsky = "Positions are divided by the scale factor of the size in use.";
constexpr const char* kSound = "Positions count the steps of the sound.";
constexpr const char* kInterleavedSections =
    "M-RoPE: pair i of this one ladder turns with the row where i mod 3 is 1, with the column where it is 2, while "
    "i < 3 * section, else with time.";
constexpr const char* kHunyuanImage = "Rows and columns count from 0; text is not rotated.";
constexpr const char* kGlmImage = "Rows and columns count from 0; only image tokens are rotated.";
constexpr const char* kOmniGen = "one LongRoPE ladder over text and image in one line";
constexpr const char* kGrid3 = "positions interpolated to a base grid";
constexpr const char* kMochi = "its positions are learned combinations of t, row and column";
constexpr const char* kNext = "two ladders stretched by the resolution and the step of the sampler";

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
   .profile = "video", .note = kFramePack},
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
  {.class_name = "LTXVideoTransformer3DModel", .model = "LTX-Video", .layout = ImageLayout::own_ladder, .note = kLtx},
  {.class_name = "Transformer3DModel", .model = "LTX-Video", .layout = ImageLayout::own_ladder, .note = kLtx},
  {.class_name = "AVTransformer3DModel", .model = "LTX-2", .layout = ImageLayout::unsupported, .note = kLtx},
  {.class_name = "LTX2VideoTransformer3DModel", .model = "LTX-2", .layout = ImageLayout::unsupported, .note = kLtx},
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
