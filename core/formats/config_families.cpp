#include "core/formats/config_families.h"

#include <array>

namespace ropescope {

namespace {

constexpr Pairing kAdjacent = Pairing::interleaved;

// clang-format off
constexpr TextFamily kTextFamilies[] = {
  {.model_type = "llama", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "mistral", .hidden_size = 4096, .heads = 32, .length = 131072},
  {.model_type = "mixtral", .base = 1e6, .hidden_size = 4096, .heads = 32, .length = 131072},
  {.model_type = "llama4_text", .pairing = kAdjacent, .base = 5e5, .head_dim = 128, .hidden_size = 5120, .heads = 40, .length = 131072,
   .unrotated_every = 4},
  {.model_type = "qwen", .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 32768},
  {.model_type = "qwen2", .hidden_size = 4096, .heads = 32, .length = 32768},
  {.model_type = "qwen2_moe", .hidden_size = 2048, .heads = 16, .length = 32768},
  {.model_type = "qwen2_vl", .base = 1e6, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "qwen2_vl_text", .base = 1e6, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "qwen2_5_vl", .base = 1e6, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "qwen2_5_vl_text", .base = 1e6, .hidden_size = 8192, .heads = 64, .length = 32768},
  {.model_type = "qwen3", .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 32768},
  {.model_type = "qwen3_moe", .hidden_size = 2048, .heads = 32, .length = 32768},
  {.model_type = "qwen3_next", .rotary_fraction = 0.25, .head_dim = 256, .length = 32768},
  {.model_type = "qwen3_vl_text", .base = 5e6, .head_dim = 128, .length = 128000},
  {.model_type = "qwen3_vl_moe_text", .base = 5e6, .head_dim = 128, .length = 128000},
  {.model_type = "qwen3_5_text", .rotary_fraction = 0.25, .head_dim = 256, .length = 32768},
  {.model_type = "qwen3_5_moe_text", .rotary_fraction = 0.25, .head_dim = 256, .length = 32768},
  {.model_type = "gemma", .head_dim = 256, .hidden_size = 3072, .heads = 16, .length = 8192},
  {.model_type = "gemma2", .head_dim = 256, .hidden_size = 2304, .heads = 8, .length = 8192},
  {.model_type = "gemma3_text", .base = 1e6, .local_base = 1e4, .head_dim = 256, .length = 131072, .extends_full_layers_only = true},
  {.model_type = "gemma4_text", .base = 1e6, .head_dim = 256, .length = 131072},
  {.model_type = "phi", .rotary_fraction = 0.5, .hidden_size = 2048, .heads = 32, .length = 2048},
  {.model_type = "phi3", .hidden_size = 3072, .heads = 32, .length = 4096},
  {.model_type = "phimoe", .base = 1e6, .hidden_size = 4096, .heads = 32, .length = 131072},
  {.model_type = "gpt_neox", .rotary_fraction = 0.25, .hidden_size = 6144, .heads = 64, .length = 2048},
  {.model_type = "gptj", .pairing = kAdjacent, .rotary_dim = 64, .hidden_size = 4096, .heads = 16, .length = 2048},
  {.model_type = "codegen", .pairing = kAdjacent, .rotary_dim = 64, .hidden_size = 4096, .heads = 16, .length = 2048},
  {.model_type = "stablelm", .rotary_fraction = 0.25, .hidden_size = 2560, .heads = 32, .length = 4096},
  {.model_type = "stablelm_epoch", .rotary_fraction = 0.25, .length = 4096},
  {.model_type = "falcon", .hidden_size = 4544, .heads = 71, .length = 2048},
  {.model_type = "RefinedWeb", .length = 2048},
  {.model_type = "RefinedWebModel", .length = 2048},
  {.model_type = "olmo", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "olmo2", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "olmo3", .hidden_size = 4096, .heads = 32, .length = 2048, .extends_full_layers_only = true},
  {.model_type = "olmoe", .hidden_size = 2048, .heads = 16, .length = 4096},
  {.model_type = "gpt_oss", .base = 150000, .head_dim = 64, .hidden_size = 2880, .heads = 64, .length = 131072},
  {.model_type = "starcoder2", .hidden_size = 3072, .heads = 24, .length = 4096},
  {.model_type = "nemotron", .rotary_fraction = 0.5, .hidden_size = 6144, .heads = 48, .length = 4096},
  {.model_type = "internlm2", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "minicpm"},
  {.model_type = "minicpm3", .mla_rotary_dim = 32},
  {.model_type = "minimax"},
  {.model_type = "mimo_v2_flash"},
  {.model_type = "granite", .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "smollm3", .base = 2e6, .unrotated_every = 4},
  {.model_type = "exaone4", .note = "Full-attention layers have no rotary embedding where the model mixes in sliding layers."},
  {.model_type = "hunyuan_v1_dense"},
  {.model_type = "hunyuan_v1_moe"},
  {.model_type = "cohere", .pairing = kAdjacent, .hidden_size = 8192, .heads = 64, .length = 8192},
  {.model_type = "cohere2", .pairing = kAdjacent, .hidden_size = 8192, .heads = 64, .length = 8192,
   .note = "Only the sliding layers have a rotary embedding; full-attention layers have none."},
  {.model_type = "deepseek_v2", .pairing = kAdjacent, .mla_rotary_dim = 64, .length = 2048},
  {.model_type = "deepseek_v3", .pairing = kAdjacent, .mla_rotary_dim = 64, .length = 4096},
  {.model_type = "deepseek_v32", .pairing = kAdjacent, .mla_rotary_dim = 64, .length = 4096},
  {.model_type = "deepseek_v4", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "kimi_k2", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "glm_moe_dsa", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "glm4_moe_lite", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "longcat_flash", .pairing = kAdjacent, .mla_rotary_dim = 64},
  {.model_type = "chatglm", .pairing = kAdjacent, .rotary_fraction = 0.5, .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 2048},
  {.model_type = "glm", .pairing = kAdjacent, .rotary_fraction = 0.5, .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 131072},
  {.model_type = "glm4", .pairing = kAdjacent, .rotary_fraction = 0.5, .head_dim = 128, .hidden_size = 4096, .heads = 32, .length = 131072},
  {.model_type = "glm4_moe", .rotary_fraction = 0.5, .hidden_size = 4096, .heads = 96, .length = 131072},
  {.model_type = "ernie4_5", .pairing = kAdjacent, .base = 5e5, .head_dim = 128, .length = 131072},
  {.model_type = "ernie4_5_moe", .pairing = kAdjacent, .base = 5e5, .length = 131072},
  {.model_type = "helium", .pairing = kAdjacent, .base = 1e5, .head_dim = 128, .length = 4096},
  {.model_type = "modernbert", .base = 160000, .local_base = 10000, .hidden_size = 768, .heads = 12, .length = 8192},
  {.model_type = "nomic_bert", .hidden_size = 768, .heads = 12, .length = 2048},
  {.model_type = "roformer", .pairing = kAdjacent, .hidden_size = 768, .heads = 12, .length = 1536},
  // Files without a model_type; detected by fields that only they have (config_text.cpp).
  {.model_type = "mesh-transformer-jax", .pairing = kAdjacent},
  {.model_type = "native weights (params.json)", .pairing = kAdjacent},
};

constexpr VisionFamily kVisionFamilies[] = {
  {.model_type = "pixtral", .layout = VisionLayout::alternating, .hidden_size = 1024, .heads = 16},
  {.model_type = "vision_encoder", .layout = VisionLayout::alternating, .pairing = kAdjacent, .hidden_size = 1024, .heads = 16},
  {.model_type = "qwen2_vl", .hidden_size = 1280, .heads = 16},
  {.model_type = "qwen2_5_vl", .hidden_size = 3584, .heads = 16},
  {.model_type = "qwen3_vl", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_vl_moe", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_5", .hidden_size = 1152, .heads = 16},
  {.model_type = "qwen3_5_moe", .hidden_size = 1152, .heads = 16},
  {.model_type = "llama4_vision_model", .pairing = kAdjacent, .first_axis = "x", .second_axis = "y", .hidden_size = 768, .heads = 16,
   .note = "Patches count from 1 on both axes; the class token is not rotated."},
  {.model_type = "gemma4_vision", .layout = VisionLayout::blocks},
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

constexpr ImageFamily kImageFamilies[] = {
  {.class_name = "FluxTransformer2DModel", .model = "FLUX.1", .axes = {16, 56, 56}, .note = kTextAtZero},
  {.class_name = "Flux2Transformer2DModel", .model = "FLUX.2", .base = 2000, .axes = {32, 32, 32, 32}, .note = kFluxTwo},
  {.class_name = "ChromaTransformer2DModel", .model = "Chroma", .axes = {16, 56, 56}, .note = kTextAtZero},
  {.class_name = "QwenImageTransformer2DModel", .model = "Qwen-Image", .axes = {16, 56, 56}, .note = kQwenImage},
  {.class_name = "Lumina2Transformer2DModel", .model = "Lumina 2", .axes = {32, 32, 32}, .note = kLumina},
  {.class_name = "ZImageTransformer2DModel", .model = "Z-Image", .base = 256, .axes = {32, 48, 48}, .note = kZImage},
  {.class_name = "HunyuanVideoTransformer3DModel", .model = "HunyuanVideo", .base = 256, .axes = {16, 56, 56}, .profile = "video", .note = kVideo},
  {.class_name = "HunyuanVideoTransformer3DModelPacked", .model = "FramePack", .base = 256, .axes = {16, 56, 56}, .profile = "video", .note = kVideo},
  {.class_name = "ERNIEImageModel", .model = "ERNIE-Image", .base = 256, .axes = {32, 48, 48}, .note = kErnie},
  {.class_name = "ErnieImageTransformer2DModel", .model = "ERNIE-Image", .base = 256, .axes = {32, 48, 48}, .note = kErnie},
  {.class_name = "WanTransformer3DModel", .model = "Wan", .layout = ImageLayout::thirds, .profile = "video"},
  {.class_name = "WanVACETransformer3DModel", .model = "Wan", .layout = ImageLayout::thirds, .profile = "video"},
  {.class_name = "WanModel", .model = "Wan", .layout = ImageLayout::thirds, .profile = "video"},
  {.class_name = "CogView4Transformer2DModel", .model = "CogView4", .layout = ImageLayout::halves, .pairing = Pairing::half_split, .note = kCogView},
  {.class_name = "CogVideoXTransformer3DModel", .model = "CogVideoX", .layout = ImageLayout::unsupported, .note = "positions interpolated to a base grid"},
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

const TextFamily* find_text_family(std::string_view model_type) {
  for (const TextFamily& family : kTextFamilies) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

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
