// The table of tensor names, for all families. Read core/formats/weights.h first.

#include "core/formats/weights.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace ropescope {

namespace {

using enum WeightRole;

// More specific names first.
constexpr WeightName kWeightNames[] = {
    // Llama, Mistral, Qwen, Gemma, Phi, Cohere, OLMo, StarCoder2, gpt-oss and their relatives
    {"layers.#.self_attn.q_proj", query},
    {"layers.#.self_attn.k_proj", key},
    {"layers.#.self_attn.q_norm", query_norm},
    {"layers.#.self_attn.k_norm", key_norm},
    {"layers.#.self_attn.q_layernorm", query_norm},
    {"layers.#.self_attn.k_layernorm", key_norm},
    {"layers.#.self_attn.query_layernorm", query_norm},
    {"layers.#.self_attn.key_layernorm", key_norm},
    {"layers.#.input_layernorm", input_norm},
    {"layers.#.attention_layernorm", input_norm},  // Apertus
    // RoFormer, ESM
    {"layer.#.attention.self.query", query},
    {"layer.#.attention.self.key", key},
    // DeepSeek, Kimi, MiniCPM 3: latent attention
    {"layers.#.self_attn.q_b_proj", latent_query},
    {"layers.#.self_attn.q_a_layernorm", latent_query_norm},
    {"layers.#.self_attn.kv_a_proj_with_mqa", latent_key},
    // Phi-3, Baichuan, Persimmon
    {"layers.#.self_attn.qkv_proj", fused},
    {"layers.#.self_attn.W_pack", fused},
    {"layers.#.self_attn.query_key_value", fused, FusedRows::grouped},
    // GPT-NeoX; Ling; Falcon; ChatGLM; InternLM 2
    {"gpt_neox.layers.#.attention.query_key_value", fused, FusedRows::grouped},
    {"layers.#.attention.query_key_value", fused},
    {"layers.#.attention.query_layernorm", query_norm},
    {"layers.#.attention.key_layernorm", key_norm},
    {"h.#.self_attention.query_key_value", fused, FusedRows::grouped},
    {"h.#.input_layernorm", input_norm},
    {"h.#.ln_attn", input_norm},
    {"layers.#.self_attention.query_key_value", fused},
    {"layers.#.attention.wqkv", fused, FusedRows::grouped},
    // weights as Meta and Mistral publish them; the config.json next to them is that of the reordered weights
    {"layers.#.attention.wq", query, FusedRows::concatenated, Pairing::interleaved},
    {"layers.#.attention.wk", key, FusedRows::concatenated, Pairing::interleaved},
    {"layers.#.attention_norm", input_norm},
    // GPT-J; Qwen; DBRX; ModernBERT and Nomic
    {"h.#.attn.q_proj", query},
    {"h.#.attn.k_proj", key},
    {"h.#.attn.c_attn", fused},
    {"h.#.ln_1", input_norm},
    {"blocks.#.norm_attn_norm.attn.Wqkv", fused},
    {"blocks.#.norm_attn_norm.norm_1", input_norm},
    {"layers.#.attn.Wqkv", fused},
    {"layers.#.attn_norm", input_norm},
    // models of `ropescope race --weights`
    {"layers.#.qkv", fused, FusedRows::columns},
    // GGUF
    {"blk.#.attn_q", query},
    {"blk.#.attn_k", key},
    {"blk.#.attn_qkv", fused},
    {"blk.#.attn_q_norm", query_norm},
    {"blk.#.attn_k_norm", key_norm},
    {"blk.#.attn_norm", input_norm},
    {"blk.#.attn_q_b", latent_query},
    {"blk.#.attn_q_a_norm", latent_query_norm},
    {"blk.#.attn_kv_a_mqa", latent_key},
};

constexpr std::string_view kOtherTowers[] = {"vis", "audio", "image", "speech", "vpm.", "projector", "talker"};

// Hugging Face transformers: GemmaRMSNorm and the norms that are derived from it, Nemotron's LayerNorm1P.
constexpr std::string_view kOnePlus[] = {"gemma",           "gemma2",           "gemma3",  "gemma3_text",
                                         "recurrent_gemma", "qwen3_next",       "qwen3_5", "qwen3_5_text",
                                         "qwen3_5_moe",     "qwen3_5_moe_text", "nemotron"};

/// Takes an ending off a text; returns whether it had it.
bool take_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

/// Takes the number at the end off a text; -1 if there is none.
int take_number(std::string_view& text) {
  const std::string_view digits = text.substr(text.find_last_not_of("0123456789") + 1);
  int number = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  text.remove_suffix(digits.size());
  return number;
}

}  // namespace

std::optional<MatchedWeight> match_weight(std::string_view tensor) {
  MatchedWeight matched;
  if (!take_end(tensor, ".weight")) {
    if (!take_end(tensor, ".bias")) return std::nullopt;
    matched.bias = true;
  }
  // StableLM 2 has one norm per head.
  if (const std::size_t of_heads = tensor.rfind(".norms."); of_heads != std::string_view::npos) {
    matched.head = take_number(tensor);
    if (matched.head < 0 || !take_end(tensor, ".norms.")) return std::nullopt;
  }
  for (const std::string_view tower : kOtherTowers) {
    if (tensor.find(tower) != std::string_view::npos) return std::nullopt;
  }
  for (const WeightName& entry : kWeightNames) {
    const std::size_t place = entry.name.find('#');
    std::string_view rest = tensor;
    if (!take_end(rest, entry.name.substr(place + 1))) continue;
    matched.layer = take_number(rest);
    matched.prefix = std::string(rest);
    if (matched.layer < 0 || !take_end(rest, entry.name.substr(0, place))) continue;
    if (!rest.empty() && rest.back() != '.') continue;
    matched.entry = &entry;
    return matched;
  }
  return std::nullopt;
}

bool adds_one_to_norms(std::string_view model_type) {
  return std::find(std::begin(kOnePlus), std::end(kOnePlus), model_type) != std::end(kOnePlus);
}

}  // namespace ropescope
