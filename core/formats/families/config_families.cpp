// Tables of model families, one entry each, and their lookup. Read config_families.h first.
//
// Contents: Families; Language models.

#include "core/formats/families/config_families.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

#include "core/registry.h"

namespace ropescope {

// --- Families ------------------------------------------------------------------------------------------------------

namespace {

constexpr Pairing kAdjacent = Pairing::interleaved;

// clang-format off

constexpr VisionFamily kVisionFamilies[] = {
  {.model_type = "pixtral", .layout = VisionLayout::alternating, .hidden_size = 1024, .heads = 16},
  {.model_type = "vision_encoder", .layout = VisionLayout::alternating, .pairing = kAdjacent, .hidden_size = 1024,
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
  {.model_type = "mlcd_vision_model", .hidden_size = 1664, .heads = 16, .note = "config_note.class_token_apart"},
  {.model_type = "paddleocr_vl_vision", .hidden_size = 1152, .heads = 16},
  {.model_type = "video_llama_3_vision", .hidden_size = 768, .heads = 12},
  {.model_type = "step3p5_vision", .hidden_size = 1536, .heads = 16},
  {.model_type = "llama4_vision_model", .pairing = kAdjacent, .first_axis = "x", .second_axis = "y",
   .hidden_size = 768, .heads = 16, .note = "config_note.patches_from_1"},
  {.model_type = "gemma4_vision", .layout = VisionLayout::not_shown, .note = "config_why.own_blocks"},
  {.model_type = "kimi_k25_vision", .layout = VisionLayout::not_shown, .note = "config_why.by_turns"},
  {.model_type = "minimax_m3_vl_vision", .layout = VisionLayout::not_shown, .note = "config_why.three_axes"},
  {.model_type = "muse_glimmer_vision", .layout = VisionLayout::not_shown, .note = "config_why.columns_first"},
  {.model_type = "sam3_vision_model", .layout = VisionLayout::not_shown, .note = "config_why.windows"},
};

constexpr const char* kTextAtZero = "config_note.text_at_zero";
constexpr const char* kQwenImage = "config_note.qwen_image";
constexpr const char* kVideo = "config_note.video";
constexpr const char* kErnie = "config_note.ernie";
constexpr const char* kLtxNote = "config_why.ltx";

constexpr const char* kPlaces = "config_note.places";
constexpr const char* kAnimate = "config_note.animate";
constexpr const char* kSound = "config_note.sound";
constexpr const char* kInterleavedSections = "config_note.interleaved_sections";
constexpr const char* kGrid3 = "config_why.grid3";

constexpr ImageFamily kImageFamilies[] = {
  {.class_name = "FluxTransformer2DModel", .model = "FLUX.1", .axes = {16, 56, 56}, .note = kTextAtZero},
  {.class_name = "Flux2Transformer2DModel", .model = "FLUX.2", .base = 2000, .axes = {32, 32, 32, 32},
   .note = "config_note.flux_two"},
  {.class_name = "ChromaTransformer2DModel", .model = "Chroma", .axes = {16, 56, 56}, .note = kTextAtZero},
  {.class_name = "QwenImageTransformer2DModel", .model = "Qwen-Image", .axes = {16, 56, 56}, .note = kQwenImage},
  {.class_name = "NucleusMoEImageTransformer2DModel", .model = "Nucleus-MoE-Image", .axes = {16, 56, 56},
   .note = kQwenImage},
  {.class_name = "Lumina2Transformer2DModel", .model = "Lumina 2", .axes = {32, 32, 32},
   .note = "config_note.lumina"},
  {.class_name = "OmniGen2Transformer2DModel", .model = "OmniGen2", .axes = {32, 32, 32}},
  {.class_name = "ZImageTransformer2DModel", .model = "Z-Image", .base = 256, .axes = {32, 48, 48},
   .note = "config_note.z_image"},
  {.class_name = "BriaTransformer2DModel", .model = "BRIA 3", .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "BriaFiboTransformer2DModel", .model = "BRIA FIBO", .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "Krea2Transformer2DModel", .model = "Krea 2", .base = 1000, .axes = {32, 48, 48}, .note = kPlaces},
  {.class_name = "LongCatImageTransformer2DModel", .model = "LongCat-Image", .axes = {16, 56, 56}},
  {.class_name = "OvisImageTransformer2DModel", .model = "Ovis-Image", .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "HiDreamImageTransformer2DModel", .model = "HiDream", .axes = {32, 32}, .note = kTextAtZero},
  {.class_name = "PRXTransformer2DModel", .model = "PRX", .axes = {32, 32}, .note = kPlaces},
  {.class_name = "HunyuanImageTransformer2DModel", .model = "HunyuanImage", .base = 256, .axes = {64, 64},
   .note = "config_note.hunyuan_image"},
  {.class_name = "HunyuanVideoTransformer3DModel", .model = "HunyuanVideo", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "HunyuanVideo15Transformer3DModel", .model = "HunyuanVideo 1.5", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "HunyuanVideoTransformer3DModelPacked", .model = "FramePack", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "HunyuanVideoFramepackTransformer3DModel", .model = "FramePack", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = "config_note.frame_pack"},
  {.class_name = "MotifVideoTransformer3DModel", .model = "Motif-Video", .base = 256, .axes = {16, 56, 56},
   .profile = "video", .note = kVideo},
  {.class_name = "JoyImageEditTransformer3DModel", .model = "JoyImage-Edit", .base = 256, .axes = {16, 56, 56},
   .note = kPlaces},
  {.class_name = "JoyImageEditPlusTransformer3DModel", .model = "JoyImage-Edit Plus", .base = 256,
   .axes = {16, 56, 56}, .note = kPlaces},
  {.class_name = "Kandinsky5Transformer3DModel", .model = "Kandinsky 5", .axes = {16, 24, 24}, .profile = "video",
   .note = "config_note.kandinsky"},
  {.class_name = "HeliosTransformer3DModel", .model = "Helios", .axes = {44, 42, 42}, .profile = "video",
   .note = kPlaces},
  {.class_name = "MiniMaxH3Transformer3DModel", .model = "MiniMax H3", .pairing = Pairing::half_split,
   .axes = {32, 32, 32}, .head_dim = 128, .profile = "video", .note = kPlaces},
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
  {.class_name = "ChronoEditTransformer3DModel", .model = "ChronoEdit", .layout = ImageLayout::thirds, .head_dim = 128,
   .profile = "video", .note = "config_note.chrono"},
  {.class_name = "AnyFlowTransformer3DModel", .model = "AnyFlow", .layout = ImageLayout::thirds, .head_dim = 128,
   .profile = "video", .note = kVideo},
  {.class_name = "AnyFlowFARTransformer3DModel", .model = "AnyFlow FAR", .layout = ImageLayout::thirds,
   .head_dim = 128, .profile = "video", .note = "config_note.far"},
  {.class_name = "SanaVideoTransformer3DModel", .model = "SANA-Video", .layout = ImageLayout::thirds, .head_dim = 112,
   .profile = "video", .note = "config_note.sana_video"},
  {.class_name = "LongCatVideoTransformer3DModel", .model = "LongCat-Video", .layout = ImageLayout::thirds,
   .head_dim = 128, .profile = "video", .note = kVideo},
  {.class_name = "CogView4Transformer2DModel", .model = "CogView4", .layout = ImageLayout::halves,
   .pairing = Pairing::half_split, .head_dim = 40, .note = "config_note.cog_view"},
  {.class_name = "GlmImageTransformer2DModel", .model = "GLM-Image", .layout = ImageLayout::halves,
   .pairing = Pairing::half_split, .head_dim = 40, .note = "config_note.glm_image"},
  {.class_name = "Ideogram4Transformer2DModel", .model = "Ideogram 4", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 5e6, .head_dim = 256, .note = kInterleavedSections},
  {.class_name = "Cosmos3OmniTransformer", .model = "Cosmos 3", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 5e6, .head_dim = 128, .note = kInterleavedSections},
  {.class_name = "AceStepTransformer1DModel", .model = "ACE-Step 1.5", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 1e6, .head_dim = 128, .profile = "sound", .note = kSound},
  {.class_name = "LongCatAudioDiTTransformer", .model = "LongCat-Audio", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .base = 1e5, .head_dim = 64, .profile = "sound", .note = kSound},
  {.class_name = "StableAudioDiTModel", .model = "Stable Audio", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .head_dim = 64, .rotary_fraction = 0.5, .profile = "sound", .note = kSound},
  {.class_name = "StableAudio3DiTModel", .model = "Stable Audio 3", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .head_dim = 64, .rotary_fraction = 0.5, .profile = "sound", .note = kSound},
  {.class_name = "MiniMaxMusic3Transformer1DModel", .model = "MiniMax Music 3", .layout = ImageLayout::ladder,
   .pairing = Pairing::half_split, .head_dim = 64, .rotary_fraction = 0.5, .profile = "sound", .note = kSound},
  {.class_name = "CogVideoXTransformer3DModel", .model = "CogVideoX", .axes = {16, 24, 24}, .head_dim = 64,
   .profile = "video", .note = "config_note.cog_video"},
  {.class_name = "ConsisIDTransformer3DModel", .model = "ConsisID", .layout = ImageLayout::unsupported,
   .note = kGrid3},
  {.class_name = "EasyAnimateTransformer3DModel", .model = "EasyAnimate", .layout = ImageLayout::unsupported,
   .note = kGrid3},
  {.class_name = "AllegroTransformer3DModel", .model = "Allegro", .layout = ImageLayout::own_ladder,
   .note = "config_why.halves_by_axis"},
  {.class_name = "HunyuanDiT2DModel", .model = "Hunyuan-DiT", .layout = ImageLayout::unsupported, .note = kGrid3},
  {.class_name = "LuminaNextDiT2DModel", .model = "Lumina-Next", .layout = ImageLayout::unsupported,
   .note = "config_why.next"},
  {.class_name = "MochiTransformer3DModel", .model = "Mochi", .layout = ImageLayout::unsupported,
   .note = "config_why.mochi"},
  {.class_name = "OmniGenTransformer2DModel", .model = "OmniGen", .layout = ImageLayout::unsupported,
   .note = "config_why.omni_gen"},
  {.class_name = "LTXVideoTransformer3DModel", .model = "LTX-Video", .layout = ImageLayout::own_ladder,
   .note = kLtxNote},
  {.class_name = "Transformer3DModel", .model = "LTX-Video", .layout = ImageLayout::own_ladder, .note = kLtxNote},
  {.class_name = "AVTransformer3DModel", .model = "LTX-2", .layout = ImageLayout::own_ladder, .note = kLtxNote},
  {.class_name = "LTX2VideoTransformer3DModel", .model = "LTX-2", .layout = ImageLayout::own_ladder,
   .note = kLtxNote},
  {.class_name = "hunyuan_image_3_moe", .model = "HunyuanImage-3", .layout = ImageLayout::own_ladder,
   .note = "config_why.turns_on_one_ladder"},
  {.class_name = "CosmosTransformer3DModel", .model = "Cosmos", .layout = ImageLayout::unsupported,
   .note = "config_why.cosmos"},
  {.class_name = "dinov3_vit", .model = "DINOv3", .layout = ImageLayout::own_ladder, .note = "config_why.dino"},
  {.class_name = "EVA", .model = "EVA-02", .layout = ImageLayout::unsupported, .note = "config_why.eva"},
};
// clang-format on

// --- Language models -----------------------------------------------------------------------------------------------

constexpr const char* kBlt = "config_note.blt";
constexpr const char* kDecoder = "config_note.decoder";

// Default RoPE objects of classes, for files without one.
// clang-format off
constexpr const char* kApertusRope =
    R"({"rope_type": "llama3", "rope_theta": 12000000.0, "factor": 8.0)"
    R"(, "original_max_position_embeddings": 8192, "low_freq_factor": 1.0, "high_freq_factor": 4.0})";
constexpr const char* kCwmRope =
    R"({"rope_theta": 1000000.0, "factor": 16.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0)"
    R"(, "original_max_position_embeddings": 8192, "rope_type": "llama3"})";
constexpr const char* kGemma4Rope =
    R"({"sliding_attention": {"rope_type": "default", "rope_theta": 10000.0})"
    R"(, "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25)"
    R"(, "rope_theta": 1000000.0}})";
constexpr const char* kGptOssRope =
    R"({"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false)"
    R"(, "original_max_position_embeddings": 4096})";
constexpr const char* kHiggsRope =
    R"({"factor": 32.0, "rope_theta": 500000.0, "high_freq_factor": 0.5, "low_freq_factor": 0.125)"
    R"(, "original_max_position_embeddings": 1024, "rope_type": "llama3"})";
constexpr const char* kLagunaRope =
    R"({"full_attention": {"rope_type": "default", "rope_theta": 500000.0, "partial_rotary_factor": 0.5})"
    R"(, "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0}})";
constexpr const char* kMellumRope =
    R"({"full_attention": {"rope_type": "default", "rope_theta": 500000.0})"
    R"(, "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}})";
constexpr const char* kMimoRope =
    R"({"full_attention": {"rope_type": "default", "rope_theta": 5000000.0, "partial_rotary_factor": 0.334})"
    R"(, "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.334}})";
constexpr const char* kMinistral3Rope =
    R"({"rope_theta": 1000000.0, "factor": 16.0, "original_max_position_embeddings": 16384)"
    R"(, "max_position_embeddings": 262144, "beta_fast": 32.0, "beta_slow": 1.0, "mscale_all_dim": 1.0)"
    R"(, "mscale": 1.0, "llama_4_scaling_beta": 0.1, "rope_type": "yarn"})";
constexpr const char* kMistral4Rope =
    R"({"rope_theta": 10000.0, "factor": 128.0, "original_max_position_embeddings": 8192)"
    R"(, "max_position_embeddings": 1048576, "beta_fast": 32.0, "beta_slow": 1.0, "mscale_all_dim": 1.0)"
    R"(, "mscale": 1.0, "llama_4_scaling_beta": 0.1, "partial_rotary_factor": 0.5, "rope_type": "yarn"})";
constexpr const char* kMoonshineRope =
    R"({"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.8})";
constexpr const char* kZayaRope =
    R"({"hybrid": {"rope_type": "default", "rope_theta": 5000000.0, "partial_rotary_factor": 0.5})"
    R"(, "hybrid_sliding": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}})";

constexpr TextFamily kTextFamilies[] = {
  {.model_type = "afmoe", .head_dim = 128, .hidden_size = 2048, .heads = 16, .length = 16384, .window = 1024,
   .full_every = 4, .note = kSlidingOnly},
  {.model_type = "apertus", .base = 12000000, .hidden_size = 4096, .heads = 32, .length = 65536,
   .rope = kApertusRope},
  {.model_type = "arcee", .hidden_size = 2560, .heads = 32, .length = 4096, .whole_head = true},
  {.model_type = "aria_text", .hidden_size = 4096, .heads = 32, .length = 2048, .whole_head = true},
  {.model_type = "axk1", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 7168, .heads = 64,
   .length = 32768},
  {.model_type = "axk2", .pairing = kAdjacent, .mla_rotary_dim = 32, .hidden_size = 2048, .heads = 32,
   .length = 131072},
  {.model_type = "bailing_hybrid", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "bamba", .rotary_fraction = 0.5, .hidden_size = 4096, .heads = 32, .length = 262144},
  {.model_type = "bitnet", .base = 500000, .hidden_size = 2560, .heads = 20, .length = 2048, .whole_head = true},
  {.model_type = "blt_global_transformer", .pairing = kAdjacent, .base = 500000, .hidden_size = 2048, .heads = 16,
   .length = 4096, .note = kBlt},
  {.model_type = "blt_local_decoder", .pairing = kAdjacent, .base = 500000, .hidden_size = 1024, .heads = 16,
   .length = 24576},
  {.model_type = "blt_local_encoder", .pairing = kAdjacent, .base = 500000, .hidden_size = 1024, .heads = 16,
   .length = 24576},
  {.model_type = "blt_patcher", .pairing = kAdjacent, .hidden_size = 768, .heads = 12, .length = 8192},
  {.model_type = "chameleon", .hidden_size = 4096, .heads = 32, .length = 4096},
  {.model_type = "codegen", .pairing = kAdjacent, .rotary_dim = 64, .hidden_size = 4096, .heads = 16, .length = 2048},
  {.model_type = "cohere", .pairing = kAdjacent, .base = 500000, .hidden_size = 8192, .heads = 64, .length = 8192,
   .whole_head = true},
  {.model_type = "cohere2", .pairing = kAdjacent, .hidden_size = 8192, .heads = 64, .length = 8192, .window = 4096,
   .full_every = 4, .note = kSlidingOnly},
  {.model_type = "cohere2_moe", .pairing = kAdjacent, .head_dim = 128, .hidden_size = 8192, .heads = 64,
   .length = 8192, .window = 4096, .full_every = 4, .note = kSlidingAndDense},
  {.model_type = "cohere_compass_text", .hidden_size = 8192, .heads = 64, .length = 8192, .window = 4096,
   .dealt = PairAssignment::interleaved, .sections = {24, 20, 20}},
  {.model_type = "cosmos3_edge_text", .base = 100000000, .head_dim = 128, .hidden_size = 2048, .heads = 16,
   .length = 131072, .dealt = PairAssignment::interleaved, .sections = {24, 20, 20}},
  {.model_type = "csm", .base = 500000, .hidden_size = 2048, .heads = 32, .length = 2048,
   .note = "config_note.depth_of_its_own"},
  {.model_type = "csm_depth_decoder_model", .base = 500000, .hidden_size = 1024, .heads = 8, .length = 33},
  {.model_type = "cwm", .base = 1000000, .head_dim = 128, .hidden_size = 6144, .heads = 48, .length = 131072,
   .window = 8192, .full_every = 4, .full_layer = FullLayer::first, .rope = kCwmRope},
  {.model_type = "dbrx", .hidden_size = 2048, .heads = 16, .length = 2048},
  {.model_type = "deepseek_ocr2_encoder", .hidden_size = 4096, .heads = 32, .length = 32768},
  {.model_type = "deepseek_ocr2_text", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "deepseek_v2", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 4096, .heads = 32,
   .length = 2048},
  {.model_type = "deepseek_v3", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 7168, .heads = 128,
   .length = 4096},
  {.model_type = "deepseek_v32", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 7168, .heads = 128,
   .length = 163840, .indexer_head_dim = 128},
  {.model_type = "deepseek_v4", .pairing = kAdjacent, .compressed_base = 160000, .mla_rotary_dim = 64, .head_dim = 512,
   .hidden_size = 4096, .heads = 64, .length = 1048576, .window = 128, .yarn_amplitude = 1},
  {.model_type = "dia_decoder", .head_dim = 128, .hidden_size = 2048, .heads = 16, .length = 3072},
  {.model_type = "dia_encoder", .head_dim = 128, .hidden_size = 1024, .heads = 16, .length = 1024},
  {.model_type = "diffllama", .hidden_size = 2048, .heads = 32, .length = 2048, .whole_head = true},
  {.model_type = "diffusion_gemma_text", .base = 1000000, .local_base = 10000, .head_dim = 256, .hidden_size = 2304,
   .heads = 8, .length = 131072, .window = 512, .global_head_dim = 512, .rope = kGemma4Rope},
  {.model_type = "doge", .hidden_size = 1024, .heads = 8, .length = 2048},
  {.model_type = "dots1", .hidden_size = 4608, .heads = 32, .length = 2048},
  {.model_type = "emu3_text_model", .base = 1000000, .hidden_size = 4096, .heads = 32, .length = 9216},
  {.model_type = "ernie4_5", .pairing = kAdjacent, .base = 500000, .head_dim = 128, .hidden_size = 1024, .heads = 16,
   .length = 131072},
  {.model_type = "ernie4_5_moe", .pairing = kAdjacent, .base = 500000, .hidden_size = 2560, .heads = 20,
   .length = 131072},
  {.model_type = "ernie4_5_vl_moe_text", .pairing = kAdjacent, .base = 500000, .hidden_size = 2560, .heads = 20,
   .length = 131072, .dealt = PairAssignment::alternating, .sections = {22, 22, 20}},
  {.model_type = "esm", .hidden_size = 768, .heads = 12, .length = 1026,
   .needs = {"position_embedding_type", "rotary", Instead::learned}},
  {.model_type = "eurobert", .hidden_size = 768, .heads = 12, .length = 8192},
  {.model_type = "evolla", .base = 500000, .hidden_size = 4096, .heads = 32, .length = 8192,
   .note = "config_note.proteins"},
  {.model_type = "exaone4", .hidden_size = 4096, .heads = 32, .length = 2048, .window = 4096, .full_every = 4,
   .note = kMixedOnly},
  {.model_type = "exaone_moe", .hidden_size = 4096, .heads = 32, .length = 2048, .window = 4096, .full_every = 4,
   .note = kMixedOnly},
  {.model_type = "falcon", .hidden_size = 4544, .heads = 71, .length = 2048},
  {.model_type = "falcon_h1", .hidden_size = 4096, .heads = 32, .length = 8192},
  {.model_type = "flex_olmo", .base = 500000, .hidden_size = 4096, .heads = 32, .length = 4096},
  {.model_type = "gemma", .head_dim = 256, .hidden_size = 3072, .heads = 16, .length = 8192, .whole_head = true},
  {.model_type = "gemma2", .head_dim = 256, .hidden_size = 2304, .heads = 8, .length = 8192, .window = 4096,
   .full_every = 2, .whole_head = true},
  {.model_type = "gemma3_text", .base = 1000000, .local_base = 10000, .head_dim = 256, .hidden_size = 2304, .heads = 8,
   .length = 131072, .window = 4096, .extends_full_layers_only = true, .full_every = 6},
  {.model_type = "gemma3n_text", .base = 1000000, .local_base = 10000, .head_dim = 256, .hidden_size = 2048,
   .heads = 8, .length = 32768, .window = 512, .extends_full_layers_only = true, .full_every = 5},
  {.model_type = "gemma4_text", .base = 1000000, .local_base = 10000, .head_dim = 256, .hidden_size = 2304, .heads = 8,
   .length = 131072, .window = 512, .global_head_dim = 512, .rope = kGemma4Rope},
  {.model_type = "gemma4_unified_text", .base = 1000000, .local_base = 10000, .head_dim = 256, .hidden_size = 2304,
   .heads = 8, .length = 262144, .window = 1024, .global_head_dim = 512, .rope = kGemma4Rope},
  {.model_type = "glm", .pairing = kAdjacent, .rotary_fraction = 0.5, .head_dim = 128, .hidden_size = 4096,
   .heads = 32, .length = 131072},
  {.model_type = "glm4", .pairing = kAdjacent, .rotary_fraction = 0.5, .head_dim = 128, .hidden_size = 4096,
   .heads = 32, .length = 131072},
  {.model_type = "glm4_moe", .rotary_fraction = 0.5, .hidden_size = 4096, .heads = 96, .length = 131072},
  {.model_type = "glm4_moe_lite", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 2048, .heads = 20,
   .length = 202752},
  {.model_type = "glm4v_moe_text", .rotary_fraction = 0.5, .hidden_size = 4096, .heads = 96, .length = 65536,
   .dealt = PairAssignment::contiguous, .sections = {8, 12, 12}},
  {.model_type = "glm4v_text", .pairing = kAdjacent, .hidden_size = 4096, .heads = 32, .length = 32768,
   .dealt = PairAssignment::contiguous, .sections = {8, 12, 12}},
  {.model_type = "glm_image_text", .hidden_size = 4096, .heads = 32, .length = 131072,
   .dealt = PairAssignment::contiguous, .sections = {8, 12, 12}},
  {.model_type = "glm_moe_dsa", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 6144, .heads = 64,
   .length = 202752, .indexer_head_dim = 128},
  {.model_type = "glm_ocr_text", .pairing = kAdjacent, .hidden_size = 1024, .heads = 16, .length = 131072,
   .dealt = PairAssignment::contiguous, .sections = {8, 12, 12}},
  {.model_type = "glmasr_encoder", .rotary_fraction = 0.5, .hidden_size = 1280, .heads = 20, .length = 1500},
  {.model_type = "gpt_neox", .rotary_fraction = 0.25, .hidden_size = 6144, .heads = 64, .length = 2048},
  {.model_type = "gpt_neox_japanese", .hidden_size = 2560, .heads = 32, .length = 2048},
  {.model_type = "gpt_oss", .base = 150000, .head_dim = 64, .hidden_size = 2880, .heads = 64, .length = 131072,
   .window = 128, .full_every = 2, .rope = kGptOssRope},
  {.model_type = "gptj", .pairing = kAdjacent, .rotary_dim = 64, .hidden_size = 4096, .heads = 16, .length = 2048},
  {.model_type = "granite", .hidden_size = 4096, .heads = 32, .length = 2048, .whole_head = true},
  {.model_type = "granite4_vision_text", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "granite_swa", .hidden_size = 2560, .heads = 20, .length = 8192, .window = 128, .full_every = 4,
   .full_layer = FullLayer::first},
  {.model_type = "granitemoe", .hidden_size = 4096, .heads = 32, .length = 2048, .whole_head = true},
  {.model_type = "granitemoe_swa", .hidden_size = 4096, .heads = 32, .length = 2048, .window = 128, .full_every = 4,
   .full_layer = FullLayer::first},
  {.model_type = "granitemoehybrid", .hidden_size = 4096, .heads = 32, .length = 2048,
   .needs = {"position_embedding_type", "rope", Instead::hybrid}},
  {.model_type = "granitemoeshared", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "helium", .pairing = kAdjacent, .base = 100000, .head_dim = 128, .hidden_size = 2560, .heads = 20,
   .length = 4096, .whole_head = true},
  {.model_type = "higgs_audio_v2", .base = 500000, .head_dim = 128, .hidden_size = 3072, .heads = 24, .length = 2048,
   .rope = kHiggsRope},
  {.model_type = "hrm_text", .head_dim = 128, .hidden_size = 1536, .heads = 12, .length = 2048},
  {.model_type = "hunyuan_v1_dense", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "hunyuan_v1_moe", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "hunyuan_vl_text", .hidden_size = 4096, .heads = 32, .length = 2048,
   .dealt = PairAssignment::doubled},
  {.model_type = "hy_v3", .base = 11158840, .head_dim = 128, .hidden_size = 4096, .heads = 64, .length = 131072},
  {.model_type = "hyperclovax", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "jais2", .hidden_size = 3328, .heads = 26, .length = 8192},
  {.model_type = "jetmoe", .head_dim = 128, .hidden_size = 2048, .heads = 32, .length = 4096},
  {.model_type = "jina_embeddings_v3", .base = 20000, .hidden_size = 1024, .heads = 16, .length = 8194},
  {.model_type = "kyutai_speech_to_text", .hidden_size = 2048, .heads = 32, .length = 750, .window = 375},
  {.model_type = "laguna", .base = 500000, .local_base = 10000, .head_dim = 128, .hidden_size = 2048, .heads = 48,
   .length = 131072, .window = 512, .rope = kLagunaRope},
  {.model_type = "lasr_encoder", .hidden_size = 512, .heads = 8, .length = 10000},
  {.model_type = "lfm2", .base = 1000000, .hidden_size = 2560, .heads = 32, .length = 128000},
  {.model_type = "lfm2_moe", .base = 1000000, .hidden_size = 2048, .heads = 32, .length = 128000},
  {.model_type = "llama", .hidden_size = 4096, .heads = 32, .length = 2048, .whole_head = true},
  {.model_type = "llama4_text", .pairing = kAdjacent, .base = 500000, .head_dim = 128, .hidden_size = 5120,
   .heads = 40, .length = 131072, .unrotated_every = 4},
  {.model_type = "longcat_flash", .pairing = kAdjacent, .base = 10000000, .mla_rotary_dim = 64, .hidden_size = 6144,
   .heads = 64, .length = 131072},
  {.model_type = "mellum", .base = 500000, .local_base = 10000, .head_dim = 128, .hidden_size = 2304, .heads = 32,
   .length = 131072, .window = 1024, .rope = kMellumRope},
  {.model_type = "mimi", .hidden_size = 512, .heads = 8, .length = 8000, .window = 250},
  {.model_type = "mimo_v2_flash", .base = 5000000, .local_base = 10000, .rotary_fraction = 0.334, .head_dim = 192,
   .hidden_size = 4096, .heads = 64, .length = 131072, .window = 128, .rope = kMimoRope},
  {.model_type = "minicpm3", .mla_rotary_dim = 32, .hidden_size = 2560, .heads = 40, .length = 32768},
  {.model_type = "minimax", .base = 1000000, .hidden_size = 4096, .heads = 32, .length = 131072, .full_every = 2,
   .full_layer = FullLayer::first, .others = "linear_attention", .whole_head = true, .layer_types = true},
  {.model_type = "minimax_m2", .base = 5000000, .head_dim = 128, .hidden_size = 3072, .heads = 48, .length = 196608,
   .rotary_dim_unread = true},
  {.model_type = "minimax_m3_vl_text", .base = 5000000, .rotary_dim = 64, .head_dim = 128, .hidden_size = 6144,
   .heads = 64, .length = 524288, .rotary_dim_unread = true},
  {.model_type = "ministral", .hidden_size = 4096, .heads = 32, .length = 131072, .window = 4096},
  {.model_type = "ministral3", .base = 1000000, .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 262144,
   .rope = kMinistral3Rope},
  {.model_type = "mistral", .hidden_size = 4096, .heads = 32, .length = 131072, .window = 4096, .whole_head = true},
  {.model_type = "mistral4", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 4096, .heads = 32,
   .length = 1048576, .rope = kMistral4Rope},
  {.model_type = "mixtral", .base = 1000000, .hidden_size = 4096, .heads = 32, .length = 131072, .whole_head = true},
  {.model_type = "mllama_text_model", .base = 500000, .hidden_size = 4096, .heads = 32, .length = 131072,
   .whole_head = true},
  {.model_type = "modernbert", .base = 160000, .local_base = 10000, .hidden_size = 768, .heads = 12, .length = 8192,
   .window = 128, .full_every = 3, .full_layer = FullLayer::first},
  {.model_type = "modernbert-decoder", .base = 160000, .local_base = 10000, .hidden_size = 768, .heads = 12,
   .length = 8192, .window = 128, .full_every = 3, .full_layer = FullLayer::first},
  {.model_type = "moonshine", .pairing = kAdjacent, .rotary_fraction = 0.9, .hidden_size = 288, .heads = 8,
   .length = 512},
  {.model_type = "moonshine_streaming", .pairing = kAdjacent, .hidden_size = 320, .heads = 8, .length = 4096,
   .rope = kMoonshineRope},
  {.model_type = "moshi", .hidden_size = 4096, .heads = 32, .length = 3000, .window = 3000,
   .note = "config_note.depth_unrotated"},
  {.model_type = "muse_glimmer_assistant", .base = 500000, .head_dim = 128, .hidden_size = 6656, .heads = 32,
   .length = 131072, .window = 2048},
  {.model_type = "muse_glimmer_text", .head_dim = 128, .hidden_size = 6656, .heads = 32, .length = 131072,
   .window = 2048, .full_every = 4, .full_layer = FullLayer::from_end, .note = kFourthFromLast},
  {.model_type = "nanochat", .hidden_size = 768, .heads = 6, .length = 2048, .note = "config_note.backwards"},
  {.model_type = "nemotron", .rotary_fraction = 0.5, .hidden_size = 6144, .heads = 48, .length = 4096},
  {.model_type = "nomic_bert", .base = 1000, .hidden_size = 768, .heads = 12, .length = 2048},
  {.model_type = "olmo", .hidden_size = 4096, .heads = 32, .length = 2048, .whole_head = true},
  {.model_type = "olmo2", .hidden_size = 4096, .heads = 32, .length = 2048, .whole_head = true},
  {.model_type = "olmo3", .base = 500000, .hidden_size = 4096, .heads = 32, .length = 2048, .window = 4096,
   .extends_full_layers_only = true, .full_every = 4},
  {.model_type = "olmo_hybrid", .hidden_size = 3840, .heads = 30, .length = 65536, .full_every = 4,
   .others = "linear_attention"},
  {.model_type = "olmoe", .hidden_size = 2048, .heads = 16, .length = 4096, .whole_head = true},
  {.model_type = "openai_privacy_filter", .pairing = kAdjacent, .base = 150000, .head_dim = 64, .hidden_size = 640,
   .heads = 14, .length = 131072, .window = 128, .rope = kGptOssRope},
  {.model_type = "paddleocr_vl_text", .base = 500000, .head_dim = 128, .hidden_size = 1024, .heads = 16,
   .length = 131072},
  {.model_type = "pe_audio_encoder", .pairing = kAdjacent, .base = 20000, .head_dim = 128, .hidden_size = 1792,
   .heads = 14, .length = 10000},
  {.model_type = "persimmon", .rotary_fraction = 0.5, .hidden_size = 4096, .heads = 64, .length = 16384},
  {.model_type = "phi", .rotary_fraction = 0.5, .hidden_size = 2048, .heads = 32, .length = 2048},
  {.model_type = "phi3", .hidden_size = 3072, .heads = 32, .length = 4096, .original_length = 4096,
   .yarn_is_longrope = true},
  {.model_type = "phi4_multimodal", .hidden_size = 3072, .heads = 32, .length = 131072, .original_length = 4096,
   .yarn_is_longrope = true},
  {.model_type = "phimoe", .base = 1000000, .hidden_size = 4096, .heads = 32, .length = 131072},
  {.model_type = "qwen2", .hidden_size = 4096, .heads = 32, .length = 32768, .whole_head = true, .layer_types = true},
  {.model_type = "qwen2_5_omni_dit", .pairing = kAdjacent, .head_dim = 64, .hidden_size = 1024, .heads = 16,
   .length = 32768, .note = "config_note.one_head"},
  {.model_type = "qwen2_5_omni_talker", .base = 1000000, .head_dim = 128, .hidden_size = 3584, .heads = 28,
   .length = 32768},
  {.model_type = "qwen2_5_omni_text", .base = 1000000, .hidden_size = 3584, .heads = 28, .length = 32768},
  {.model_type = "qwen2_5_vl_text", .base = 1000000, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "qwen2_moe", .hidden_size = 2048, .heads = 16, .length = 32768, .whole_head = true,
   .layer_types = true},
  {.model_type = "qwen2_vl_text", .base = 1000000, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "qwen3", .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 32768, .whole_head = true,
   .layer_types = true},
  {.model_type = "qwen3_5_moe_text", .rotary_fraction = 0.25, .head_dim = 256, .hidden_size = 2048, .heads = 16,
   .length = 32768, .full_every = 4, .others = "linear_attention", .dealt = PairAssignment::interleaved,
   .sections = {11, 11, 10}},
  {.model_type = "qwen3_5_text", .rotary_fraction = 0.25, .head_dim = 256, .hidden_size = 4096, .heads = 16,
   .length = 32768, .full_every = 4, .others = "linear_attention", .dealt = PairAssignment::interleaved,
   .sections = {11, 11, 10}},
  {.model_type = "qwen3_moe", .hidden_size = 2048, .heads = 32, .length = 32768, .whole_head = true,
   .layer_types = true},
  {.model_type = "qwen3_next", .rotary_fraction = 0.25, .head_dim = 256, .hidden_size = 2048, .heads = 16,
   .length = 32768, .full_every = 4, .others = "linear_attention"},
  {.model_type = "qwen3_omni_moe_talker_code_predictor", .head_dim = 128, .hidden_size = 1024, .heads = 16,
   .length = 32768},
  {.model_type = "qwen3_omni_moe_talker_text", .hidden_size = 1024, .heads = 16, .length = 32768},
  {.model_type = "qwen3_omni_moe_text", .base = 1000000, .hidden_size = 2048, .heads = 28, .length = 32768,
   .dealt = PairAssignment::interleaved, .sections = {24, 20, 20}},
  {.model_type = "qwen3_vl_moe_text", .base = 500000, .hidden_size = 2048, .heads = 16, .length = 128000,
   .dealt = PairAssignment::interleaved, .sections = {24, 20, 20}},
  {.model_type = "qwen3_vl_text", .base = 500000, .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 128000,
   .dealt = PairAssignment::interleaved, .sections = {24, 20, 20}},
  {.model_type = "qwen3_tts_talker", .base = 1000000, .head_dim = 128, .hidden_size = 2048, .heads = 16,
   .length = 32768},
  {.model_type = "recurrent_gemma", .rotary_fraction = 0.5, .hidden_size = 2560, .heads = 10, .window = 2048,
   .note = "config_note.half_turned"},
  {.model_type = "roformer", .pairing = kAdjacent, .hidden_size = 768, .heads = 12, .length = 1536},
  {.model_type = "seamless_m4t", .hidden_size = 1024, .heads = 16, .length = 1024,
   .needs = {"position_embeddings_type", "rotary", Instead::relative}},
  {.model_type = "seed_oss", .head_dim = 128, .hidden_size = 4096, .heads = 80, .length = 524288, .whole_head = true},
  {.model_type = "smollm3", .base = 2000000, .hidden_size = 2048, .heads = 16, .length = 32768, .unrotated_every = 4,
   .whole_head = true},
  {.model_type = "solar_open", .base = 1000000, .head_dim = 128, .hidden_size = 4096, .heads = 64, .length = 131072},
  {.model_type = "stablelm", .rotary_fraction = 0.25, .hidden_size = 2560, .heads = 32, .length = 4096},
  {.model_type = "starcoder2", .hidden_size = 3072, .heads = 24, .length = 4096, .whole_head = true},
  {.model_type = "step3p5", .head_dim = 128, .hidden_size = 4096, .heads = 64, .length = 128000},
  {.model_type = "t5_gemma_module", .head_dim = 256, .hidden_size = 2304, .heads = 8, .length = 8192, .window = 4096,
   .full_every = 2},
  {.model_type = "t5gemma2_decoder", .base = 1000000, .local_base = 10000, .head_dim = 256, .hidden_size = 2304,
   .heads = 8, .length = 131072, .window = 4096, .extends_full_layers_only = true, .full_every = 6},
  {.model_type = "t5gemma2_text", .base = 1000000, .local_base = 10000, .head_dim = 256, .hidden_size = 2304,
   .heads = 8, .length = 131072, .window = 4096, .extends_full_layers_only = true, .full_every = 6},
  {.model_type = "timesfm2_5", .head_dim = 80, .hidden_size = 1280, .heads = 16, .length = 16384},
  {.model_type = "vaultgemma", .head_dim = 256, .hidden_size = 2304, .heads = 8, .length = 8192, .window = 4096,
   .full_every = 2},
  {.model_type = "voxtral_realtime_encoder", .head_dim = 64, .hidden_size = 1280, .heads = 32, .length = 1500,
   .window = 750},
  {.model_type = "voxtral_realtime_text", .hidden_size = 4096, .heads = 32, .length = 131072, .window = 4096},
  {.model_type = "wav2vec2-bert", .hidden_size = 1024, .heads = 16,
   .needs = {"position_embeddings_type", "rotary", Instead::relative}},
  {.model_type = "wav2vec2-conformer", .hidden_size = 768, .heads = 12,
   .needs = {"position_embeddings_type", "rotary", Instead::relative}},
  {.model_type = "xcodec2", .head_dim = 64, .hidden_size = 1024, .heads = 16, .length = 4096},
  {.model_type = "youtu", .pairing = kAdjacent, .mla_rotary_dim = 64, .hidden_size = 2048, .heads = 16,
   .length = 131072},
  {.model_type = "zamba2", .head_dim = 160, .hidden_size = 2560, .heads = 32, .length = 4096,
   .needs = {"use_mem_rope", "true", Instead::hybrid}},
  {.model_type = "zaya", .head_dim = 128, .hidden_size = 2048, .heads = 8, .length = 131072, .rope = kZayaRope},
  // Files whose language model is at the root (older spellings) or in a separate object.
  {.model_type = "qwen2_vl", .base = 1e6, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "qwen2_5_vl", .base = 1e6, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "hunyuan_vl", .hidden_size = 4096, .heads = 32, .length = 2048, .dealt = PairAssignment::doubled},
  {.model_type = "paddleocr_vl", .base = 500000, .head_dim = 128, .hidden_size = 1024, .heads = 16, .length = 131072},
  {.model_type = "ernie4_5_moe_vl", .pairing = kAdjacent, .base = 500000, .hidden_size = 2560, .heads = 20,
   .length = 131072, .dealt = PairAssignment::alternating, .sections = {22, 22, 20}},
  {.model_type = "fuyu", .base = 25000, .rotary_fraction = 0.5, .hidden_size = 4096, .heads = 64, .length = 16384},
  {.model_type = "idefics", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "pe_audio_video_encoder", .pairing = kAdjacent, .base = 20000, .head_dim = 128, .hidden_size = 1792,
   .heads = 14, .length = 10000},
  {.model_type = "pe_video_encoder", .pairing = kAdjacent, .base = 20000, .head_dim = 128, .hidden_size = 1792,
   .heads = 14, .length = 10000},
  {.model_type = "blt", .section = "global_config", .note = kBlt},
  {.model_type = "dia", .section = "decoder_config", .note = kDecoder},
  {.model_type = "t5gemma", .section = "decoder", .note = kDecoder},
  {.model_type = "t5gemma2", .section = "decoder", .note = kDecoder},
  {.model_type = "musicflamingo", .section = "text_config", .note = "config_note.audio_times"},
  // Models outside huggingface/transformers. Sources: vllm-project/vllm of 22 August 2026, llama.cpp's conversion/ of
  // the same day, ml-explore/mlx-lm d78bf58.
  {.model_type = "afm7", .base = 50000},
  {.model_type = "baichuan", .hidden_size = 4096, .heads = 32, .length = 4096,
   .needs = {"hidden_size", "4096", Instead::alibi}},
  {.model_type = "bailing_moe_linear"},
  {.model_type = "bailing_moe_v3", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "codeshell", .length = 8192},
  {.model_type = "dots3_note", .pairing = kAdjacent, .local_base = 10000, .mla_rotary_dim = 64,
   .indexer_head_dim = 128, .indexer_adjacent = true},
  {.model_type = "exaone"},
  {.model_type = "internlm"},
  {.model_type = "grok-1", .head_dim = 128, .length = 8192},
  {.model_type = "minimax_m1"},
  {.model_type = "minimax_text_01"},
  {.model_type = "mpt", .length = 2048},
  {.model_type = "nemotron-nas"},
  {.model_type = "openelm"},
  {.model_type = "orion"},
  {.model_type = "phi3small", .base = 1000000},
  {.model_type = "plamo2"},
  {.model_type = "plamo3", .local_base = 10000, .window = 2048, .extends_full_layers_only = true, .full_every = 8},
  {.model_type = "smallthinker"},
  {.model_type = "telechat"},
  {.model_type = "xverse", .length = 8192},
  {.model_type = "qwen", .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 32768},
  {.model_type = "stablelm_epoch", .rotary_fraction = 0.25, .length = 4096},
  {.model_type = "RefinedWeb", .length = 2048},
  {.model_type = "RefinedWebModel", .length = 2048},
  {.model_type = "internlm2", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "minicpm"},
  {.model_type = "kimi_k2", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "chatglm", .pairing = kAdjacent, .rotary_fraction = 0.5, .head_dim = 128, .hidden_size = 4096,
   .heads = 32, .length = 2048},
  // Files without a model_type; detected by fields that only they have (config_text_layers.cpp).
  {.model_type = "mesh-transformer-jax", .pairing = kAdjacent},
  {.model_type = "native weights (params.json)", .pairing = kAdjacent},
};
// clang-format on

/// Sources: huggingface/transformers 5.16 (attention and embeddings); llama.cpp as in gguf_architectures.h: its "gptj"
/// is not rotary and its "bert" is rotary only for other architectures of the same graph.
// clang-format off
constexpr UnrotatedClass kUnrotated[] = {
  {"nemotron_h", "nemotron_h", Instead::hybrid}, {"", "nemotron_h_moe", Instead::hybrid},
  {"jamba", "jamba", Instead::hybrid}, {"zamba", "", Instead::hybrid}, {"", "kimi-k3", Instead::hybrid},
  {"", "kimi-linear", Instead::hybrid}, {"mamba", "mamba", Instead::state}, {"mamba2", "mamba2", Instead::state},
  {"phi4flash", "", Instead::hybrid}, {"falcon_mamba", "", Instead::state}, {"rwkv", "", Instead::state}, {"rwkv5", "", Instead::state},
  {"rwkv6", "rwkv6", Instead::state}, {"rwkv7", "rwkv7", Instead::state}, {"rwkv6qwen2", "rwkv6qwen2", Instead::state},
  {"", "arwkv7", Instead::state}, {"xlstm", "", Instead::state}, {"gpt2", "gpt2", Instead::learned},
  {"gpt_bigcode", "starcoder", Instead::learned}, {"gpt_neo", "", Instead::learned},
  {"openai-gpt", "", Instead::learned}, {"opt", "", Instead::learned}, {"biogpt", "", Instead::learned},
  {"imagegpt", "", Instead::learned}, {"bert", "bert", Instead::learned}, {"roberta", "", Instead::learned},
  {"xlm-roberta", "", Instead::learned}, {"xlm-roberta-xl", "", Instead::learned},
  {"roberta-prelayernorm", "", Instead::learned}, {"camembert", "", Instead::learned},
  {"distilbert", "", Instead::learned}, {"albert", "", Instead::learned}, {"electra", "", Instead::learned},
  {"mpnet", "", Instead::learned}, {"megatron-bert", "", Instead::learned}, {"data2vec-text", "", Instead::learned},
  {"ernie", "", Instead::learned}, {"rembert", "", Instead::learned}, {"roc_bert", "", Instead::learned},
  {"splinter", "", Instead::learned}, {"nystromformer", "", Instead::learned}, {"xmod", "", Instead::learned},
  {"luke", "", Instead::learned}, {"longformer", "", Instead::learned}, {"big_bird", "", Instead::learned},
  {"bigbird_pegasus", "", Instead::learned}, {"reformer", "", Instead::learned}, {"flaubert", "", Instead::learned},
  {"xlm", "", Instead::learned}, {"bart", "", Instead::learned}, {"mbart", "", Instead::learned},
  {"led", "", Instead::learned}, {"mvp", "", Instead::learned}, {"plbart", "", Instead::learned},
  {"blenderbot", "", Instead::learned}, {"blenderbot-small", "", Instead::learned}, {"trocr", "", Instead::learned},
  {"git", "", Instead::learned}, {"xglm", "", Instead::sines}, {"ctrl", "", Instead::sines},
  {"pegasus", "", Instead::sines}, {"marian", "", Instead::sines}, {"m2m_100", "", Instead::sines},
  {"nllb-moe", "", Instead::sines}, {"fsmt", "", Instead::sines}, {"whisper", "", Instead::sines},
  {"speech_to_text", "", Instead::sines}, {"musicgen_decoder", "", Instead::sines}, {"kosmos-2", "", Instead::sines},
  {"kosmos_2_text_model", "", Instead::sines}, {"xlnet", "", Instead::relative}, {"transfo-xl", "", Instead::relative},
  {"funnel", "", Instead::relative}, {"deberta", "", Instead::relative}, {"deberta-v2", "", Instead::relative},
  {"inkling_text", "", Instead::relative}, {"inkling_mm_model", "", Instead::relative}, {"t5", "t5", Instead::buckets},
  {"", "t5encoder", Instead::buckets}, {"mt5", "", Instead::buckets}, {"umt5", "", Instead::buckets},
  {"longt5", "", Instead::buckets}, {"switch_transformers", "", Instead::buckets}, {"prophetnet", "", Instead::buckets},
  {"cpmant", "", Instead::buckets}, {"bloom", "bloom", Instead::alibi}, {"mpt", "mpt", Instead::alibi},
  {"jais", "jais", Instead::alibi}, {"gpt_refact", "refact", Instead::alibi}, {"", "jina-bert-v2", Instead::alibi},
  {"", "wavtokenizer-dec", Instead::nothing}, {"", "gptj", Instead::not_said},
};
// clang-format on

/// Class names that differ from their model_type not only in signs and capitals.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"hunyuandensev1", "hunyuan_v1_dense"}, {"hunyuanmoev1", "hunyuan_v1_moe"}, {"rw", "RefinedWeb"},
    {"bailingmoev25", "bailing_hybrid"},    {"openaigpt", "openai-gpt"},        {"gptrefact", "gpt_refact"},
    {"qwen3ttstalker", "qwen3_tts_talker"}, {"decilm", "nemotron-nas"},         {"telechat2", "telechat"}};

constexpr RefusedFamily kRefused[] = {
    {"clvp", "config_why.turns_values"},
    {"clvp_encoder", "config_why.turns_values"},
    {"edgetam_video", "config_why.memory_of_two_grids"},
    {"efficientloftr", "config_why.four_heads"},
    {"eomt_dinov3", "config_why.as_dino"},
    {"lightglue", "config_why.learned"},
    {"pp_doclayout_v2", "config_why.boxes"},
    {"sam2_video", "config_why.memory_of_a_grid"},
    {"sam3", "config_why.vision_windows"},
    {"sam3_lite_text", "config_why.vision_windows"},
    {"sam3_tracker", "config_why.vision_windows"},
    {"sam3_tracker_video", "config_why.vision_and_memory"},
    {"sam3_video", "config_why.vision_windows"},
    {"sam3_vision_model", "config_why.windows"},
    {"sam3_vit_model", "config_why.windows"},
    {"sapiens2", "config_why.as_dino"},
    {"vjepa2", "config_why.repeated_angles"},
};

/// Converts to lower-case letters and digits: "qwen2_moe" and "Qwen2Moe" become one name.
std::string plain_class(std::string_view name) {
  std::string plain;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) plain += static_cast<char>(std::tolower(c));
  }
  return plain;
}

/// Removes the task from a class name: "Qwen2Moe" of "Qwen2MoeForCausalLM", "GPT2" of "GPT2LMHeadModel".
std::string_view remove_task_suffix(std::string_view architecture) {
  for (std::size_t at = architecture.find("For"); at != std::string_view::npos; at = architecture.find("For", at + 1)) {
    const bool begins_a_task =
        at + 3 < architecture.size() && std::isupper(static_cast<unsigned char>(architecture[at + 3]));
    if (at > 0 && begins_a_task) return architecture.substr(0, at);
  }
  for (const std::string_view end : {"LMHeadModel", "Model"}) {
    if (architecture.size() > end.size() && architecture.ends_with(end)) {
      return architecture.substr(0, architecture.size() - end.size());
    }
  }
  return architecture;
}

}  // namespace

std::span<const VisionFamily> all_vision_families() {
  return kVisionFamilies;
}

const VisionFamily* find_vision_family(std::string_view model_type) {
  return find_entry_by(kVisionFamilies, &VisionFamily::model_type, model_type);
}

const ImageFamily* find_image_family(std::string_view class_name) {
  return find_entry_by(kImageFamilies, &ImageFamily::class_name, class_name);
}

std::span<const ImageFamily> all_image_families() {
  return kImageFamilies;
}

std::span<const TextFamily> all_text_families() {
  return kTextFamilies;
}

const TextFamily* find_text_family(std::string_view model_type) {
  return find_entry_by(kTextFamilies, &TextFamily::model_type, model_type);
}

const UnrotatedClass* find_unrotated_type(std::string_view model_type) {
  return model_type.empty() ? nullptr : find_entry_by(kUnrotated, &UnrotatedClass::model_type, model_type);
}

const UnrotatedClass* find_unrotated_architecture(std::string_view architecture) {
  return architecture.empty() ? nullptr : find_entry_by(kUnrotated, &UnrotatedClass::architecture, architecture);
}

Message words_of(Instead instead, const std::optional<Read<int>>& count) {
  switch (instead) {
    case Instead::nothing:
      return Message("config_why.no_positions");
    case Instead::hybrid:
      return Message("config_why.hybrid");
    case Instead::state:
      return Message("config_why.state");
    case Instead::learned:
      if (!count) return Message("config_why.learned_vectors");
      return {"config_why.vector_of_each", {{"count", count->value}, {"field", count->origin}}};
    case Instead::sines:
      return Message("config_why.sines");
    case Instead::relative:
      return Message("config_why.relative");
    case Instead::buckets:
      if (!count) return Message("config_why.ranges");
      return {"config_why.number_of_each", {{"count", count->value}, {"field", count->origin}}};
    case Instead::alibi:
      return Message("config_why.alibi");
    case Instead::not_said:
      break;
  }
  return Message("config_why.not_said");
}

std::string_view type_of_architecture(std::string_view architecture) {
  const std::string name = plain_class(remove_task_suffix(architecture));
  if (name.empty()) return {};
  for (const auto& [plain, model_type] : kRenamed) {
    if (plain == name) return model_type;
  }
  // The table has a text-only class under the type of its tower: Gemma3ForCausalLM is gemma3_text.
  for (const std::string& wanted : {name, name + "text"}) {
    for (const TextFamily& family : kTextFamilies) {
      if (plain_class(family.model_type) == wanted) return family.model_type;
    }
    for (const RefusedFamily& family : kRefused) {
      if (plain_class(family.model_type) == wanted) return family.model_type;
    }
    for (const UnrotatedClass& one : kUnrotated) {
      if (plain_class(one.model_type) == wanted) return one.model_type;
    }
  }
  return {};
}

std::span<const RefusedFamily> all_refused_families() {
  return kRefused;
}

const RefusedFamily* find_refused_family(std::string_view model_type) {
  return find_entry_by(kRefused, &RefusedFamily::model_type, model_type);
}

}  // namespace ropescope
