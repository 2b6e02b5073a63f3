// Tables of model families, one entry each, and their lookup. Read config_families.h first.
//
// Contents: Families; Language models.

#include "core/formats/families/config_families.h"

#include <algorithm>
#include <array>
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
  {"pixtral", {1024, 16}, {.layout = VisionLayout::alternating}},
  {"vision_encoder", {1024, 16}, {.layout = VisionLayout::alternating, .pairing = kAdjacent}},
  {"qwen2_vl", {1280, 16}, {.merge = 2}},
  {"qwen2_vl_vision", {1280, 16}, {.merge = 2}},
  {"qwen2_5_vl", {3584, 16}, {.merge = 2}},
  {"qwen2_5_vl_vision", {3584, 16}, {.merge = 2}},
  {"qwen2_5_omni_vision_encoder", {3584, 16}, {.merge = 2}},
  {"qwen3_vl", {1152, 16}, {.merge = 2}},
  {"qwen3_vl_vision", {1152, 16}, {.merge = 2}},
  {"qwen3_vl_moe", {1152, 16}, {.merge = 2}},
  {"qwen3_vl_moe_vision", {1152, 16}, {.merge = 2}},
  {"qwen3_omni_moe_vision_encoder", {1152, 16}, {.merge = 2}},
  {"qwen3_5", {1152, 16}, {.merge = 2}},
  {"qwen3_5_vision", {1152, 16}, {.merge = 2}},
  {"qwen3_5_moe", {1152, 16}, {.merge = 2}},
  {"qwen3_5_moe_vision", {1152, 16}, {.merge = 2}},
  {"cohere_compass_vision", {1152, 16}},
  {"cosmos3_edge_vision", {1152, 16}},
  {"ernie4_5_vl_moe_vision", {1280, 16}, {.merge = 2}},
  {"exaone4_5_vision", {3584, 16}, {.merge = 2}},
  {"glm4v_vision", {1536, 12}, {.merge = 2}},
  {"glm4v_moe_vision", {1536, 12}, {.merge = 2}},
  {"glm_ocr_vision", {1024, 16}, {.merge = 2}},
  {"mlcd_vision_model", {1664, 16}, {.note = "config_note.class_token_apart"}},
  {"paddleocr_vl_vision", {1152, 16}},
  {"video_llama_3_vision", {768, 12}},
  {"step3p5_vision", {1536, 16}},
  {"llama4_vision_model", {768, 16},
   {.pairing = kAdjacent, .first_axis = "x", .second_axis = "y", .note = "config_note.patches_from_1"}},
  {"gemma4_vision", {}, {.layout = VisionLayout::not_shown, .note = "config_why.own_blocks"}},
  {"kimi_k25_vision", {}, {.layout = VisionLayout::not_shown, .note = "config_why.by_turns"}},
  {"minimax_m3_vl_vision", {}, {.layout = VisionLayout::not_shown, .note = "config_why.three_axes"}},
  {"muse_glimmer_vision", {}, {.layout = VisionLayout::not_shown, .note = "config_why.columns_first"}},
  {"sam3_vision_model", {}, {.layout = VisionLayout::not_shown, .note = "config_why.windows"}},
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

constexpr auto kImageFamilies = [] {
  using enum ImageLayout;
  return std::to_array<ImageFamily>({
    {"FluxTransformer2DModel", "FLUX.1", listed, {.axes = {16, 56, 56}, .note = kTextAtZero}},
    {"Flux2Transformer2DModel", "FLUX.2", listed,
     {.base = 2000, .axes = {32, 32, 32, 32}, .note = "config_note.flux_two"}},
    {"ChromaTransformer2DModel", "Chroma", listed, {.axes = {16, 56, 56}, .note = kTextAtZero}},
    {"QwenImageTransformer2DModel", "Qwen-Image", listed, {.axes = {16, 56, 56}, .note = kQwenImage}},
    {"NucleusMoEImageTransformer2DModel", "Nucleus-MoE-Image", listed, {.axes = {16, 56, 56}, .note = kQwenImage}},
    {"Lumina2Transformer2DModel", "Lumina 2", listed, {.axes = {32, 32, 32}, .note = "config_note.lumina"}},
    {"OmniGen2Transformer2DModel", "OmniGen2", listed, {.axes = {32, 32, 32}}},
    {"ZImageTransformer2DModel", "Z-Image", listed, {.base = 256, .axes = {32, 48, 48}, .note = "config_note.z_image"}},
    {"BriaTransformer2DModel", "BRIA 3", listed, {.axes = {16, 56, 56}, .note = kPlaces}},
    {"BriaFiboTransformer2DModel", "BRIA FIBO", listed, {.axes = {16, 56, 56}, .note = kPlaces}},
    {"Krea2Transformer2DModel", "Krea 2", listed, {.base = 1000, .axes = {32, 48, 48}, .note = kPlaces}},
    {"LongCatImageTransformer2DModel", "LongCat-Image", listed, {.axes = {16, 56, 56}}},
    {"OvisImageTransformer2DModel", "Ovis-Image", listed, {.axes = {16, 56, 56}, .note = kPlaces}},
    {"HiDreamImageTransformer2DModel", "HiDream", listed, {.axes = {32, 32}, .note = kTextAtZero}},
    {"PRXTransformer2DModel", "PRX", listed, {.axes = {32, 32}, .note = kPlaces}},
    {"HunyuanImageTransformer2DModel", "HunyuanImage", listed,
     {.base = 256, .axes = {64, 64}, .note = "config_note.hunyuan_image"}},
    {"HunyuanVideoTransformer3DModel", "HunyuanVideo", listed,
     {.base = 256, .axes = {16, 56, 56}, .profile = "video", .note = kVideo}},
    {"HunyuanVideo15Transformer3DModel", "HunyuanVideo 1.5", listed,
     {.base = 256, .axes = {16, 56, 56}, .profile = "video", .note = kVideo}},
    {"HunyuanVideoTransformer3DModelPacked", "FramePack", listed,
     {.base = 256, .axes = {16, 56, 56}, .profile = "video", .note = kVideo}},
    {"HunyuanVideoFramepackTransformer3DModel", "FramePack", listed,
     {.base = 256, .axes = {16, 56, 56}, .profile = "video", .note = "config_note.frame_pack"}},
    {"MotifVideoTransformer3DModel", "Motif-Video", listed,
     {.base = 256, .axes = {16, 56, 56}, .profile = "video", .note = kVideo}},
    {"JoyImageEditTransformer3DModel", "JoyImage-Edit", listed, {.base = 256, .axes = {16, 56, 56}, .note = kPlaces}},
    {"JoyImageEditPlusTransformer3DModel", "JoyImage-Edit Plus", listed,
     {.base = 256, .axes = {16, 56, 56}, .note = kPlaces}},
    {"Kandinsky5Transformer3DModel", "Kandinsky 5", listed,
     {.axes = {16, 24, 24}, .profile = "video", .note = "config_note.kandinsky"}},
    {"HeliosTransformer3DModel", "Helios", listed, {.axes = {44, 42, 42}, .profile = "video", .note = kPlaces}},
    {"MiniMaxH3Transformer3DModel", "MiniMax H3", listed,
     {.pairing = Pairing::half_split, .axes = {32, 32, 32}, .head_dim = 128, .profile = "video", .note = kPlaces}},
    {"ERNIEImageModel", "ERNIE-Image", listed, {.base = 256, .axes = {32, 48, 48}, .note = kErnie}},
    {"ErnieImageTransformer2DModel", "ERNIE-Image", listed, {.base = 256, .axes = {32, 48, 48}, .note = kErnie}},
    {"WanTransformer3DModel", "Wan", thirds, {.head_dim = 128, .profile = "video"}},
    {"WanVACETransformer3DModel", "Wan", thirds, {.head_dim = 128, .profile = "video"}},
    {"WanModel", "Wan", thirds, {.head_dim = 128, .profile = "video"}},
    {"WanAnimateTransformer3DModel", "Wan-Animate", thirds, {.head_dim = 128, .profile = "video", .note = kAnimate}},
    {"WanAnimate2Transformer3DModel", "Wan-Animate 2", thirds, {.head_dim = 128, .profile = "video", .note = kAnimate}},
    {"SkyReelsV2Transformer3DModel", "SkyReels V2", thirds, {.head_dim = 128, .profile = "video", .note = kVideo}},
    {"ChronoEditTransformer3DModel", "ChronoEdit", thirds,
     {.head_dim = 128, .profile = "video", .note = "config_note.chrono"}},
    {"AnyFlowTransformer3DModel", "AnyFlow", thirds, {.head_dim = 128, .profile = "video", .note = kVideo}},
    {"AnyFlowFARTransformer3DModel", "AnyFlow FAR", thirds,
     {.head_dim = 128, .profile = "video", .note = "config_note.far"}},
    {"SanaVideoTransformer3DModel", "SANA-Video", thirds,
     {.head_dim = 112, .profile = "video", .note = "config_note.sana_video"}},
    {"LongCatVideoTransformer3DModel", "LongCat-Video", thirds, {.head_dim = 128, .profile = "video", .note = kVideo}},
    {"CogView4Transformer2DModel", "CogView4", halves,
     {.pairing = Pairing::half_split, .head_dim = 40, .note = "config_note.cog_view"}},
    {"GlmImageTransformer2DModel", "GLM-Image", halves,
     {.pairing = Pairing::half_split, .head_dim = 40, .note = "config_note.glm_image"}},
    {"Ideogram4Transformer2DModel", "Ideogram 4", ladder,
     {.pairing = Pairing::half_split, .base = 5e6, .head_dim = 256, .note = kInterleavedSections}},
    {"Cosmos3OmniTransformer", "Cosmos 3", ladder,
     {.pairing = Pairing::half_split, .base = 5e6, .head_dim = 128, .note = kInterleavedSections}},
    {"AceStepTransformer1DModel", "ACE-Step 1.5", ladder,
     {.pairing = Pairing::half_split, .base = 1e6, .head_dim = 128, .profile = "sound", .note = kSound}},
    {"LongCatAudioDiTTransformer", "LongCat-Audio", ladder,
     {.pairing = Pairing::half_split, .base = 1e5, .head_dim = 64, .profile = "sound", .note = kSound}},
    {"StableAudioDiTModel", "Stable Audio", ladder,
     {.pairing = Pairing::half_split, .head_dim = 64, .rotary_fraction = 0.5, .profile = "sound", .note = kSound}},
    {"StableAudio3DiTModel", "Stable Audio 3", ladder,
     {.pairing = Pairing::half_split, .head_dim = 64, .rotary_fraction = 0.5, .profile = "sound", .note = kSound}},
    {"MiniMaxMusic3Transformer1DModel", "MiniMax Music 3", ladder,
     {.pairing = Pairing::half_split, .head_dim = 64, .rotary_fraction = 0.5, .profile = "sound", .note = kSound}},
    {"CogVideoXTransformer3DModel", "CogVideoX", listed,
     {.axes = {16, 24, 24}, .head_dim = 64, .profile = "video", .note = "config_note.cog_video"}},
    {"ConsisIDTransformer3DModel", "ConsisID", unsupported, {.note = kGrid3}},
    {"EasyAnimateTransformer3DModel", "EasyAnimate", unsupported, {.note = kGrid3}},
    {"AllegroTransformer3DModel", "Allegro", own_ladder, {.note = "config_why.halves_by_axis"}},
    {"HunyuanDiT2DModel", "Hunyuan-DiT", unsupported, {.note = kGrid3}},
    {"LuminaNextDiT2DModel", "Lumina-Next", unsupported, {.note = "config_why.next"}},
    {"MochiTransformer3DModel", "Mochi", unsupported, {.note = "config_why.mochi"}},
    {"OmniGenTransformer2DModel", "OmniGen", unsupported, {.note = "config_why.omni_gen"}},
    {"LTXVideoTransformer3DModel", "LTX-Video", own_ladder, {.note = kLtxNote}},
    {"Transformer3DModel", "LTX-Video", own_ladder, {.note = kLtxNote}},
    {"AVTransformer3DModel", "LTX-2", own_ladder, {.note = kLtxNote}},
    {"LTX2VideoTransformer3DModel", "LTX-2", own_ladder, {.note = kLtxNote}},
    {"hunyuan_image_3_moe", "HunyuanImage-3", own_ladder, {.note = "config_why.turns_on_one_ladder"}},
    {"CosmosTransformer3DModel", "Cosmos", unsupported, {.note = "config_why.cosmos"}},
    {"dinov3_vit", "DINOv3", own_ladder, {.note = "config_why.dino"}},
    {"EVA", "EVA-02", unsupported, {.note = "config_why.eva"}},
  });
}();
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
  {"afmoe", {2048, 16, 128}, 16384, {.window = 1024, .full_every = 4, .note = kSlidingOnly}},
  {"apertus", {4096, 32}, 65536, {.base = 12000000, .rope = kApertusRope}},
  {"arcee", {2560, 32}, 4096, {.whole_head = true}},
  {"aria_text", {4096, 32}, 2048, {.whole_head = true}},
  {"axk1", {7168, 64}, 32768, {.pairing = kAdjacent, .mla_rotary_dim = 64}},
  {"axk2", {2048, 32}, 131072, {.pairing = kAdjacent, .mla_rotary_dim = 32}},
  {"bailing_hybrid", {}, 0, {.pairing = kAdjacent, .mla_rotary_dim = 64}},
  {"bamba", {4096, 32}, 262144, {.rotary_fraction = 0.5}},
  {"bitnet", {2560, 20}, 2048, {.base = 500000, .whole_head = true}},
  {"blt_global_transformer", {2048, 16}, 4096, {.pairing = kAdjacent, .base = 500000, .note = kBlt}},
  {"blt_local_decoder", {1024, 16}, 24576, {.pairing = kAdjacent, .base = 500000}},
  {"blt_local_encoder", {1024, 16}, 24576, {.pairing = kAdjacent, .base = 500000}},
  {"blt_patcher", {768, 12}, 8192, {.pairing = kAdjacent}},
  {"chameleon", {4096, 32}, 4096},
  {"codegen", {4096, 16}, 2048, {.pairing = kAdjacent, .rotary_dim = 64}},
  {"cohere", {8192, 64}, 8192, {.pairing = kAdjacent, .base = 500000, .whole_head = true}},
  {"cohere2", {8192, 64}, 8192, {.pairing = kAdjacent, .window = 4096, .full_every = 4, .note = kSlidingOnly}},
  {"cohere2_moe", {8192, 64, 128}, 8192,
   {.pairing = kAdjacent, .window = 4096, .full_every = 4, .note = kSlidingAndDense}},
  {"cohere_compass_text", {8192, 64}, 8192,
   {.window = 4096, .assignment = PairAssignment::interleaved, .sections = {24, 20, 20}}},
  {"cosmos3_edge_text", {2048, 16, 128}, 131072,
   {.base = 100000000, .assignment = PairAssignment::interleaved, .sections = {24, 20, 20}}},
  {"csm", {2048, 32}, 2048, {.base = 500000, .note = "config_note.depth_of_its_own"}},
  {"csm_depth_decoder_model", {1024, 8}, 33, {.base = 500000}},
  {"cwm", {6144, 48, 128}, 131072,
   {.base = 1000000, .window = 8192, .full_every = 4, .full_layer = FullLayer::first, .rope = kCwmRope}},
  {"dbrx", {2048, 16}, 2048},
  {"deepseek_ocr2_encoder", {4096, 32}, 32768},
  {"deepseek_ocr2_text", {4096, 32}, 2048},
  {"deepseek_v2", {4096, 32}, 2048, {.pairing = kAdjacent, .mla_rotary_dim = 64}},
  {"deepseek_v3", {7168, 128}, 4096, {.pairing = kAdjacent, .mla_rotary_dim = 64}},
  {"deepseek_v32", {7168, 128}, 163840, {.pairing = kAdjacent, .mla_rotary_dim = 64, .indexer_head_dim = 128}},
  {"deepseek_v4", {4096, 64, 512}, 1048576,
   {.pairing = kAdjacent, .compressed_base = 160000, .mla_rotary_dim = 64, .window = 128, .yarn_amplitude = 1}},
  {"dia_decoder", {2048, 16, 128}, 3072},
  {"dia_encoder", {1024, 16, 128}, 1024},
  {"diffllama", {2048, 32}, 2048, {.whole_head = true}},
  {"diffusion_gemma_text", {2304, 8, 256}, 131072,
   {.base = 1000000, .local_base = 10000, .window = 512, .global_head_dim = 512, .rope = kGemma4Rope}},
  {"doge", {1024, 8}, 2048},
  {"dots1", {4608, 32}, 2048},
  {"emu3_text_model", {4096, 32}, 9216, {.base = 1000000}},
  {"ernie4_5", {1024, 16, 128}, 131072, {.pairing = kAdjacent, .base = 500000}},
  {"ernie4_5_moe", {2560, 20}, 131072, {.pairing = kAdjacent, .base = 500000}},
  {"ernie4_5_vl_moe_text", {2560, 20}, 131072,
   {.pairing = kAdjacent, .base = 500000, .assignment = PairAssignment::alternating, .sections = {22, 22, 20}}},
  {"esm", {768, 12}, 1026, {.needs = {"position_embedding_type", "rotary", Instead::learned}}},
  {"eurobert", {768, 12}, 8192},
  {"evolla", {4096, 32}, 8192, {.base = 500000, .note = "config_note.proteins"}},
  {"exaone4", {4096, 32}, 2048, {.window = 4096, .full_every = 4, .note = kMixedOnly}},
  {"exaone_moe", {4096, 32}, 2048, {.window = 4096, .full_every = 4, .note = kMixedOnly}},
  {"falcon", {4544, 71}, 2048},
  {"falcon_h1", {4096, 32}, 8192},
  {"flex_olmo", {4096, 32}, 4096, {.base = 500000}},
  {"gemma", {3072, 16, 256}, 8192, {.whole_head = true}},
  {"gemma2", {2304, 8, 256}, 8192, {.window = 4096, .full_every = 2, .whole_head = true}},
  {"gemma3_text", {2304, 8, 256}, 131072, {.base = 1000000, .local_base = 10000, .window = 4096,
    .extends_full_layers_only = true, .full_every = 6, .extended_later = true}},
  {"gemma3n_text", {2048, 8, 256}, 32768,
   {.base = 1000000, .local_base = 10000, .window = 512, .extends_full_layers_only = true, .full_every = 5}},
  {"gemma4_text", {2304, 8, 256}, 131072,
   {.base = 1000000, .local_base = 10000, .window = 512, .global_head_dim = 512, .rope = kGemma4Rope}},
  {"gemma4_unified_text", {2304, 8, 256}, 262144,
   {.base = 1000000, .local_base = 10000, .window = 1024, .global_head_dim = 512, .rope = kGemma4Rope}},
  {"glm", {4096, 32, 128}, 131072, {.pairing = kAdjacent, .rotary_fraction = 0.5}},
  {"glm4", {4096, 32, 128}, 131072, {.pairing = kAdjacent, .rotary_fraction = 0.5}},
  {"glm4_moe", {4096, 96}, 131072, {.rotary_fraction = 0.5}},
  {"glm4_moe_lite", {2048, 20}, 202752, {.pairing = kAdjacent, .mla_rotary_dim = 64}},
  {"glm4v_moe_text", {4096, 96}, 65536,
   {.rotary_fraction = 0.5, .assignment = PairAssignment::contiguous, .sections = {8, 12, 12}}},
  {"glm4v_text", {4096, 32}, 32768,
   {.pairing = kAdjacent, .assignment = PairAssignment::contiguous, .sections = {8, 12, 12}}},
  {"glm_image_text", {4096, 32}, 131072, {.assignment = PairAssignment::contiguous, .sections = {8, 12, 12}}},
  {"glm_moe_dsa", {6144, 64}, 202752, {.pairing = kAdjacent, .mla_rotary_dim = 64, .indexer_head_dim = 128}},
  {"glm_ocr_text", {1024, 16}, 131072,
   {.pairing = kAdjacent, .assignment = PairAssignment::contiguous, .sections = {8, 12, 12}}},
  {"glmasr_encoder", {1280, 20}, 1500, {.rotary_fraction = 0.5}},
  {"gpt_neox", {6144, 64}, 2048, {.rotary_fraction = 0.25}},
  {"gpt_neox_japanese", {2560, 32}, 2048},
  {"gpt_oss", {2880, 64, 64}, 131072, {.base = 150000, .window = 128, .full_every = 2, .rope = kGptOssRope}},
  {"gptj", {4096, 16}, 2048, {.pairing = kAdjacent, .rotary_dim = 64}},
  {"granite", {4096, 32}, 2048, {.whole_head = true}},
  {"granite4_vision_text", {4096, 32}, 2048},
  {"granite_swa", {2560, 20}, 8192, {.window = 128, .full_every = 4, .full_layer = FullLayer::first}},
  {"granitemoe", {4096, 32}, 2048, {.whole_head = true}},
  {"granitemoe_swa", {4096, 32}, 2048, {.window = 128, .full_every = 4, .full_layer = FullLayer::first}},
  {"granitemoehybrid", {4096, 32}, 2048, {.needs = {"position_embedding_type", "rope", Instead::hybrid}}},
  {"granitemoeshared", {4096, 32}, 2048},
  {"helium", {2560, 20, 128}, 4096, {.pairing = kAdjacent, .base = 100000, .whole_head = true}},
  {"higgs_audio_v2", {3072, 24, 128}, 2048, {.base = 500000, .rope = kHiggsRope}},
  {"hrm_text", {1536, 12, 128}, 2048},
  {"hunyuan_v1_dense", {4096, 32}, 2048},
  {"hunyuan_v1_moe", {4096, 32}, 2048},
  {"hunyuan_vl_text", {4096, 32}, 2048, {.assignment = PairAssignment::doubled}},
  {"hy_v3", {4096, 64, 128}, 131072, {.base = 11158840}},
  {"hyperclovax", {4096, 32}, 2048},
  {"jais2", {3328, 26}, 8192},
  {"jetmoe", {2048, 32, 128}, 4096},
  {"jina_embeddings_v3", {1024, 16}, 8194, {.base = 20000}},
  {"kyutai_speech_to_text", {2048, 32}, 750, {.window = 375}},
  {"laguna", {2048, 48, 128}, 131072, {.base = 500000, .local_base = 10000, .window = 512, .rope = kLagunaRope}},
  {"lasr_encoder", {512, 8}, 10000},
  {"lfm2", {2560, 32}, 128000, {.base = 1000000}},
  {"lfm2_moe", {2048, 32}, 128000, {.base = 1000000}},
  {"llama", {4096, 32}, 2048, {.whole_head = true}},
  {"llama4_text", {5120, 40, 128}, 131072, {.pairing = kAdjacent, .base = 500000, .unrotated_every = 4}},
  {"longcat_flash", {6144, 64}, 131072, {.pairing = kAdjacent, .base = 10000000, .mla_rotary_dim = 64}},
  {"mellum", {2304, 32, 128}, 131072, {.base = 500000, .local_base = 10000, .window = 1024, .rope = kMellumRope}},
  {"mimi", {512, 8}, 8000, {.window = 250}},
  {"mimo_v2_flash", {4096, 64, 192}, 131072,
   {.base = 5000000, .local_base = 10000, .rotary_fraction = 0.334, .window = 128, .rope = kMimoRope}},
  {"minicpm3", {2560, 40}, 32768, {.mla_rotary_dim = 32}},
  {"minimax", {4096, 32}, 131072, {.base = 1000000, .full_every = 2, .full_layer = FullLayer::first,
    .others = "linear_attention", .whole_head = true, .layer_types = true, .own = OwnCode::minimax}},
  {"minimax_m2", {3072, 48, 128}, 196608, {.base = 5000000, .rotary_dim_unread = true}},
  {"minimax_m3_vl_text", {6144, 64, 128}, 524288, {.base = 5000000, .rotary_dim = 64, .rotary_dim_unread = true}},
  {"ministral", {4096, 32}, 131072, {.window = 4096}},
  {"ministral3", {4096, 32, 128}, 262144, {.base = 1000000, .rope = kMinistral3Rope}},
  {"mistral", {4096, 32}, 131072, {.window = 4096, .whole_head = true}},
  {"mistral4", {4096, 32}, 1048576, {.pairing = kAdjacent, .mla_rotary_dim = 64, .rope = kMistral4Rope}},
  {"mixtral", {4096, 32}, 131072, {.base = 1000000, .whole_head = true}},
  {"mllama_text_model", {4096, 32}, 131072, {.base = 500000, .whole_head = true}},
  {"modernbert", {768, 12}, 8192, {.base = 160000, .local_base = 10000, .window = 128, .full_every = 3,
    .full_layer = FullLayer::first, .window_sides = WindowSides::both, .lays_over_both = true}},
  {"modernbert-decoder", {768, 12}, 8192, {.base = 160000, .local_base = 10000, .window = 128, .full_every = 3,
    .full_layer = FullLayer::first, .window_sides = WindowSides::half_back, .lays_over_both = true}},
  {"moonshine", {288, 8}, 512, {.pairing = kAdjacent, .rotary_fraction = 0.9}},
  {"moonshine_streaming", {320, 8}, 4096, {.pairing = kAdjacent, .rope = kMoonshineRope}},
  {"moshi", {4096, 32}, 3000, {.window = 3000, .note = "config_note.depth_unrotated"}},
  {"muse_glimmer_assistant", {6656, 32, 128}, 131072, {.base = 500000, .window = 2048}},
  {"muse_glimmer_text", {6656, 32, 128}, 131072,
   {.window = 2048, .full_every = 4, .full_layer = FullLayer::from_end, .note = kFourthFromLast}},
  {"nanochat", {768, 6}, 2048, {.note = "config_note.backwards"}},
  {"nemotron", {6144, 48}, 4096, {.rotary_fraction = 0.5}},
  {"nomic_bert", {768, 12}, 2048, {.base = 1000, .own = OwnCode::nomic}},
  {"olmo", {4096, 32}, 2048, {.whole_head = true}},
  {"olmo2", {4096, 32}, 2048, {.whole_head = true}},
  {"olmo3", {4096, 32}, 2048, {.base = 500000, .window = 4096, .extends_full_layers_only = true, .full_every = 4}},
  {"olmo_hybrid", {3840, 30}, 65536, {.full_every = 4, .others = "linear_attention"}},
  {"olmoe", {2048, 16}, 4096, {.whole_head = true}},
  {"openai_privacy_filter", {640, 14, 64}, 131072,
   {.pairing = kAdjacent, .base = 150000, .window = 128, .rope = kGptOssRope}},
  {"paddleocr_vl_text", {1024, 16, 128}, 131072, {.base = 500000}},
  {"pe_audio_encoder", {1792, 14, 128}, 10000, {.pairing = kAdjacent, .base = 20000}},
  {"persimmon", {4096, 64}, 16384, {.rotary_fraction = 0.5}},
  {"phi", {2048, 32}, 2048, {.rotary_fraction = 0.5}},
  {"phi3", {3072, 32}, 4096, {.original_length = 4096, .yarn_is_longrope = true}},
  {"phi4_multimodal", {3072, 32}, 131072, {.original_length = 4096, .yarn_is_longrope = true}},
  {"phimoe", {4096, 32}, 131072, {.base = 1000000}},
  {"qwen2", {4096, 32}, 32768, {.whole_head = true, .layer_types = true}},
  {"qwen2_5_omni_dit", {1024, 16, 64}, 32768, {.pairing = kAdjacent, .note = "config_note.one_head"}},
  {"qwen2_5_omni_talker", {3584, 28, 128}, 32768, {.base = 1000000}},
  {"qwen2_5_omni_text", {3584, 28}, 32768, {.base = 1000000}},
  {"qwen2_5_vl_text", {8192, 64}, 32768, {.base = 1000000}},
  {"qwen2_moe", {2048, 16}, 32768, {.whole_head = true, .layer_types = true}},
  {"qwen2_vl_text", {8192, 64}, 32768, {.base = 1000000}},
  {"qwen3", {4096, 32, 128}, 32768, {.whole_head = true, .layer_types = true}},
  {"qwen3_5_moe_text", {2048, 16, 256}, 32768, {.rotary_fraction = 0.25, .full_every = 4, .others = "linear_attention",
    .assignment = PairAssignment::interleaved, .sections = {11, 11, 10}}},
  {"qwen3_5_text", {4096, 16, 256}, 32768, {.rotary_fraction = 0.25, .full_every = 4, .others = "linear_attention",
    .assignment = PairAssignment::interleaved, .sections = {11, 11, 10}}},
  {"qwen3_moe", {2048, 32}, 32768, {.whole_head = true, .layer_types = true}},
  {"qwen3_next", {2048, 16, 256}, 32768, {.rotary_fraction = 0.25, .full_every = 4, .others = "linear_attention"}},
  {"qwen3_omni_moe_talker_code_predictor", {1024, 16, 128}, 32768},
  {"qwen3_omni_moe_talker_text", {1024, 16}, 32768},
  {"qwen3_omni_moe_text", {2048, 28}, 32768,
   {.base = 1000000, .assignment = PairAssignment::interleaved, .sections = {24, 20, 20}}},
  {"qwen3_vl_moe_text", {2048, 16}, 128000,
   {.base = 500000, .assignment = PairAssignment::interleaved, .sections = {24, 20, 20}}},
  {"qwen3_vl_text", {4096, 32, 128}, 128000,
   {.base = 500000, .assignment = PairAssignment::interleaved, .sections = {24, 20, 20}}},
  {"qwen3_tts_talker", {2048, 16, 128}, 32768, {.base = 1000000}},
  {"recurrent_gemma", {2560, 10}, 0, {.rotary_fraction = 0.5, .window = 2048, .note = "config_note.half_turned"}},
  {"roformer", {768, 12}, 1536, {.pairing = kAdjacent}},
  {"seamless_m4t", {1024, 16}, 1024, {.needs = {"position_embeddings_type", "rotary", Instead::relative}}},
  {"seed_oss", {4096, 80, 128}, 524288, {.whole_head = true}},
  {"smollm3", {2048, 16}, 32768, {.base = 2000000, .unrotated_every = 4, .whole_head = true}},
  {"solar_open", {4096, 64, 128}, 131072, {.base = 1000000}},
  {"stablelm", {2560, 32}, 4096, {.rotary_fraction = 0.25}},
  {"starcoder2", {3072, 24}, 4096, {.whole_head = true}},
  {"step3p5", {4096, 64, 128}, 128000},
  {"t5_gemma_module", {2304, 8, 256}, 8192, {.window = 4096, .full_every = 2}},
  {"t5gemma2_decoder", {2304, 8, 256}, 131072,
   {.base = 1000000, .local_base = 10000, .window = 4096, .extends_full_layers_only = true, .full_every = 6}},
  {"t5gemma2_text", {2304, 8, 256}, 131072,
   {.base = 1000000, .local_base = 10000, .window = 4096, .extends_full_layers_only = true, .full_every = 6}},
  {"timesfm2_5", {1280, 16, 80}, 16384},
  {"vaultgemma", {2304, 8, 256}, 8192, {.window = 4096, .full_every = 2}},
  {"voxtral_realtime_encoder", {1280, 32, 64}, 1500, {.window = 750}},
  {"voxtral_realtime_text", {4096, 32}, 131072, {.window = 4096}},
  {"wav2vec2-bert", {1024, 16}, 0, {.needs = {"position_embeddings_type", "rotary", Instead::relative}}},
  {"wav2vec2-conformer", {768, 12}, 0, {.needs = {"position_embeddings_type", "rotary", Instead::relative}}},
  {"xcodec2", {1024, 16, 64}, 4096},
  {"youtu", {2048, 16}, 131072, {.pairing = kAdjacent, .mla_rotary_dim = 64}},
  {"zamba2", {2560, 32, 160}, 4096, {.needs = {"use_mem_rope", "true", Instead::hybrid}}},
  {"zaya", {2048, 8, 128}, 131072, {.rope = kZayaRope}},
  // Files whose language model is at the root (older spellings) or in a separate object.
  {"qwen2_vl", {8192, 64}, 32768, {.base = 1e6}},
  {"qwen2_5_vl", {8192, 64}, 32768, {.base = 1e6}},
  {"hunyuan_vl", {4096, 32}, 2048, {.assignment = PairAssignment::doubled}},
  {"paddleocr_vl", {1024, 16, 128}, 131072, {.base = 500000}},
  {"ernie4_5_moe_vl", {2560, 20}, 131072,
   {.pairing = kAdjacent, .base = 500000, .assignment = PairAssignment::alternating, .sections = {22, 22, 20}}},
  {"fuyu", {4096, 64}, 16384, {.base = 25000, .rotary_fraction = 0.5}},
  {"idefics", {4096, 32}, 2048},
  {"pe_audio_video_encoder", {1792, 14, 128}, 10000, {.pairing = kAdjacent, .base = 20000}},
  {"pe_video_encoder", {1792, 14, 128}, 10000, {.pairing = kAdjacent, .base = 20000}},
  {"blt", {}, 0, {.section = "global_config", .note = kBlt}},
  {"dia", {}, 0, {.section = "decoder_config", .note = kDecoder}},
  {"t5gemma", {}, 0, {.section = "decoder", .note = kDecoder}},
  {"t5gemma2", {}, 0, {.section = "decoder", .note = kDecoder}},
  {"musicflamingo", {}, 0, {.section = "text_config", .note = "config_note.audio_times"}},
  // Models outside huggingface/transformers. Sources: vllm-project/vllm of 22 August 2026, llama.cpp's conversion/ of
  // the same day, ml-explore/mlx-lm d78bf58.
  {"afm7", {}, 0, {.base = 50000}},
  {"baichuan", {4096, 32}, 4096, {.needs = {"hidden_size", "4096", Instead::alibi}}},
  {"bailing_moe_linear"},
  {"bailing_moe_v3", {}, 0, {.pairing = kAdjacent, .mla_rotary_dim = 64, .own = OwnCode::ling_3}},
  {"codeshell", {}, 8192},
  {"dots3_note", {}, 0, {.pairing = kAdjacent, .local_base = 10000, .mla_rotary_dim = 64, .indexer_head_dim = 128,
    .indexer_adjacent = true}},
  {"exaone"},
  {"internlm"},
  {"grok-1", {0, 0, 128}, 8192},
  {"minimax_m1"},
  {"minimax_text_01"},
  {"mpt", {}, 2048},
  {"nemotron-nas"},
  {"openelm"},
  {"orion"},
  {"phi3small", {}, 0, {.base = 1000000}},
  {"plamo2"},
  {"plamo3", {}, 0, {.local_base = 10000, .window = 2048, .extends_full_layers_only = true, .full_every = 8}},
  {"smallthinker"},
  {"telechat"},
  {"xverse", {}, 8192},
  {"qwen", {4096, 32, 128}, 32768, {.own = OwnCode::qwen}},
  {"stablelm_epoch", {}, 4096, {.rotary_fraction = 0.25}},
  {"RefinedWeb", {}, 2048},
  {"RefinedWebModel", {}, 2048},
  {"internlm2", {4096, 32}, 2048},
  {"minicpm"},
  {"kimi_k2", {}, 0, {.pairing = kAdjacent, .mla_rotary_dim = 64}},
  {"chatglm", {4096, 32, 128}, 2048, {.pairing = kAdjacent, .rotary_fraction = 0.5}},
  // Files without a model_type; detected by fields that only they have (config_text_layers.cpp).
  {"mesh-transformer-jax", {}, 0, {.pairing = kAdjacent}},
  {"native weights (params.json)", {}, 0, {.pairing = kAdjacent, .own = OwnCode::native}},
};
// clang-format on

/// Sources: huggingface/transformers 5.16 (attention and embeddings); llama.cpp as in gguf_architectures.h: its "gptj"
/// is not rotary and its "bert" is rotary only for other architectures of the same graph.
// clang-format off
constexpr auto kUnrotated = [] {
  using enum Instead;
  return std::to_array<UnrotatedClass>({
    {"nemotron_h", "nemotron_h", hybrid}, {"", "nemotron_h_moe", hybrid}, {"jamba", "jamba", hybrid},
    {"zamba", "", hybrid}, {"", "kimi-k3", hybrid}, {"", "kimi-linear", hybrid}, {"mamba", "mamba", state},
    {"mamba2", "mamba2", state}, {"phi4flash", "", hybrid}, {"falcon_mamba", "", state}, {"rwkv", "", state},
    {"rwkv5", "", state}, {"rwkv6", "rwkv6", state}, {"rwkv7", "rwkv7", state}, {"rwkv6qwen2", "rwkv6qwen2", state},
    {"", "arwkv7", state}, {"xlstm", "", state}, {"gpt2", "gpt2", learned}, {"gpt_bigcode", "starcoder", learned},
    {"gpt_neo", "", learned}, {"openai-gpt", "", learned}, {"opt", "", learned}, {"biogpt", "", learned},
    {"imagegpt", "", learned}, {"bert", "bert", learned}, {"roberta", "", learned}, {"xlm-roberta", "", learned},
    {"xlm-roberta-xl", "", learned}, {"roberta-prelayernorm", "", learned}, {"camembert", "", learned},
    {"distilbert", "", learned}, {"albert", "", learned}, {"electra", "", learned}, {"mpnet", "", learned},
    {"megatron-bert", "", learned}, {"data2vec-text", "", learned}, {"ernie", "", learned}, {"rembert", "", learned},
    {"roc_bert", "", learned}, {"splinter", "", learned}, {"nystromformer", "", learned}, {"xmod", "", learned},
    {"luke", "", learned}, {"longformer", "", learned}, {"big_bird", "", learned}, {"bigbird_pegasus", "", learned},
    {"reformer", "", learned}, {"flaubert", "", learned}, {"xlm", "", learned}, {"bart", "", learned},
    {"mbart", "", learned}, {"led", "", learned}, {"mvp", "", learned}, {"plbart", "", learned},
    {"blenderbot", "", learned}, {"blenderbot-small", "", learned}, {"trocr", "", learned}, {"git", "", learned},
    {"xglm", "", sines}, {"ctrl", "", sines}, {"pegasus", "", sines}, {"marian", "", sines}, {"m2m_100", "", sines},
    {"nllb-moe", "", sines}, {"fsmt", "", sines}, {"whisper", "", sines}, {"speech_to_text", "", sines},
    {"musicgen_decoder", "", sines}, {"kosmos-2", "", sines}, {"kosmos_2_text_model", "", sines},
    {"xlnet", "", relative}, {"transfo-xl", "", relative}, {"funnel", "", relative}, {"deberta", "", relative},
    {"deberta-v2", "", relative}, {"inkling_text", "", relative}, {"inkling_mm_model", "", relative},
    {"t5", "t5", buckets}, {"", "t5encoder", buckets}, {"mt5", "", buckets}, {"umt5", "", buckets},
    {"longt5", "", buckets}, {"switch_transformers", "", buckets}, {"prophetnet", "", buckets}, {"cpmant", "", buckets},
    {"bloom", "bloom", alibi}, {"mpt", "mpt", alibi}, {"jais", "jais", alibi}, {"gpt_refact", "refact", alibi},
    {"", "jina-bert-v2", alibi}, {"", "wavtokenizer-dec", nothing}, {"", "gptj", not_said},
  });
}();
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
  // In the order of Instead: a sentence, and one with the number of vectors or ranges.
  constexpr std::pair<const char*, const char*> kSentences[] = {
      {"config_why.no_positions", nullptr},
      {"config_why.hybrid", nullptr},
      {"config_why.state", nullptr},
      {"config_why.learned_vectors", "config_why.vector_of_each"},
      {"config_why.sines", nullptr},
      {"config_why.relative", nullptr},
      {"config_why.ranges", "config_why.number_of_each"},
      {"config_why.alibi", nullptr},
      {"config_why.not_said", nullptr}};
  const auto& [sentence, counted] = kSentences[static_cast<std::size_t>(instead)];
  if (!count || !counted) return Message(sentence);
  return {counted, {{"count", count->value}, {"field", count->origin}}};
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
