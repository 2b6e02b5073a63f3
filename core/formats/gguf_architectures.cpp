#include "core/formats/gguf_architectures.h"

#include <algorithm>
#include <iterator>

namespace ropescope {

namespace {

using enum GgufPairs;
using Sliding = GgufSliding;
using LogMultiplier = GgufLogMultiplier;

constexpr const char* kGgufArchitecturesSlidingOnly = "config_note.sliding_only";
constexpr const char* kGgufArchitecturesMixedOnly = "config_note.mixed_only";
constexpr const char* kRoundedRamp = "gguf_note.rounded_ramp";

// clang-format off
constexpr GgufArchitecture kArchitectures[] = {
  // Neighbours.
  {.name = "arcee", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "arctic", .pairs = neighbours, .permuted = true},
  {.name = "baichuan", .pairs = neighbours, .permuted = true, .unrotated_layers = 40},
  {.name = "bailingmoe", .pairs = neighbours, .permuted = true},
  {.name = "bailingmoe3", .pairs = neighbours},
  {.name = "chameleon", .pairs = neighbours, .permuted = true},
  {.name = "chatglm", .pairs = neighbours},
  {.name = "cohere2", .pairs = neighbours, .note = kGgufArchitecturesSlidingOnly},
  {.name = "cohere2moe", .pairs = neighbours, .note = kGgufArchitecturesSlidingOnly},
  {.name = "command-r", .pairs = neighbours},
  {.name = "deci", .pairs = neighbours, .permuted = true, .reads_factors = true, .whole_head = true},
  {.name = "deepseek", .pairs = neighbours, .permuted = true},
  {.name = "deepseek2", .pairs = neighbours, .log_multiplier = LogMultiplier::tenth},
  {.name = "deepseek32", .pairs = neighbours, .log_multiplier = LogMultiplier::tenth},
  {.name = "deepseek4", .pairs = neighbours, .yarn_amplitude = false, .compressed = true},
  {.name = "eagle3", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "ernie4_5", .pairs = neighbours},
  {.name = "ernie4_5-moe", .pairs = neighbours},
  {.name = "glm-dsa", .pairs = neighbours},
  {.name = "glm4", .pairs = neighbours_or_sections},
  {.name = "granite", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "granitehybrid", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "granitemoe", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "graniteswitch", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "internlm2", .pairs = neighbours, .permuted = true},
  {.name = "llada", .pairs = neighbours, .permuted = true},
  {.name = "llama", .pairs = neighbours, .permuted = true, .reads_factors = true, .whole_head = true},
  {.name = "llama-embed", .pairs = neighbours, .permuted = true, .reads_factors = true, .whole_head = true},
  {.name = "llama4", .pairs = neighbours, .reads_factors = true, .unrotated_every = 4},
  {.name = "maincoder", .pairs = neighbours},
  {.name = "minicpm", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "mistral3", .pairs = neighbours, .permuted = true, .reads_factors = true, .reads_betas = true,
   .log_multiplier = LogMultiplier::whole},
  {.name = "mistral4", .pairs = neighbours, .log_multiplier = LogMultiplier::tenth},
  {.name = "muse-glimmer", .pairs = neighbours, .sliding = Sliding::own_base, .note = kGgufArchitecturesSlidingOnly},
  {.name = "nanbeige", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "neo-bert", .pairs = neighbours},
  {.name = "olmo", .pairs = neighbours, .permuted = true},
  {.name = "plm", .pairs = neighbours},
  {.name = "pockettts", .pairs = neighbours},
  {.name = "smollm3", .pairs = neighbours, .permuted = true, .unrotated_every = 4},
  {.name = "xverse", .pairs = neighbours, .permuted = true},

  // Halves.
  {.name = "afmoe", .needs_window = true, .unrotated_every = 4},
  {.name = "apertus", .reads_factors = true},
  {.name = "bailingmoe2"}, {.name = "bitnet"}, {.name = "codeshell"}, {.name = "cogvlm"},
  {.name = "dbrx"}, {.name = "deepseek2-ocr"},  // its graph names halves itself
  {.name = "dflash"}, {.name = "dots1"}, {.name = "dream"}, {.name = "eurobert"},
  {.name = "exaone", .reads_factors = true},
  {.name = "exaone-moe", .reads_factors = true, .note = kGgufArchitecturesMixedOnly},
  {.name = "exaone4", .needs_window = true, .reads_factors = true, .note = kGgufArchitecturesMixedOnly},
  {.name = "falcon", .whole_head = true},
  {.name = "falcon-h1"},
  {.name = "gemma"}, {.name = "gemma2"},
  {.name = "gemma-embedding", .sliding = Sliding::own},
  {.name = "gemma3", .sliding = Sliding::own, .needs_window = true},
  {.name = "gemma3n", .sliding = Sliding::own},
  {.name = "gemma4", .sliding = Sliding::own, .reads_factors = true, .factors_of_all = false},
  {.name = "gemma4-assistant", .sliding = Sliding::own, .reads_factors = true, .factors_of_all = false},
  {.name = "gpt-oss", .note = kRoundedRamp},
  {.name = "gptneox"},
  {.name = "grok", .reads_betas = true, .reads_ext_factor = true, .beta_fast = 8},
  {.name = "grovemoe"}, {.name = "hunyuan-dense"}, {.name = "hunyuan-moe"}, {.name = "hy_v3"}, {.name = "jais2"},
  {.name = "jina-bert-v3"},
  {.name = "laguna", .sliding = Sliding::own_base, .needs_window = true},
  {.name = "lfm2"}, {.name = "lfm2moe"}, {.name = "llada-moe"},
  {.name = "mellum", .needs_window = true},
  {.name = "mimo2", .sliding = Sliding::own},
  {.name = "minicpm3", .always_longrope = true},
  {.name = "minimax-01"}, {.name = "minimax-m2"}, {.name = "minimax-m3"},
  {.name = "modern-bert", .sliding = Sliding::own, .needs_window = true},
  {.name = "nemotron"}, {.name = "nomic-bert"}, {.name = "nomic-bert-moe"},
  {.name = "olmo2", .sliding = Sliding::plain, .needs_window = true},
  {.name = "olmoe"}, {.name = "openelm"}, {.name = "orion"}, {.name = "pangu-embedded"}, {.name = "phi2"},
  {.name = "phi3", .always_longrope = true},
  {.name = "phimoe", .always_longrope = true},
  {.name = "plamo"}, {.name = "plamo2"},
  {.name = "plamo3", .sliding = Sliding::own, .needs_window = true},
  {.name = "qwen"}, {.name = "qwen2"}, {.name = "qwen2moe"}, {.name = "qwen3"}, {.name = "qwen3moe"},
  {.name = "qwen3next"}, {.name = "rnd1"}, {.name = "seed_oss"},
  {.name = "smallthinker", .needs_window = true, .unrotated_every = 4},
  {.name = "stablelm"}, {.name = "starcoder2"},
  {.name = "step35", .sliding = Sliding::own, .reads_factors = true, .factors_of_all = false, .half_of_full = true},
  {.name = "talkie"},

  // Halves with sections.
  {.name = "glm4moe", .pairs = halves_or_sections},
  {.name = "hunyuan_vl", .pairs = halves_or_sections, .reads_alpha = true},
  {.name = "paddleocr", .pairs = contiguous_sections},
  {.name = "qwen2vl", .pairs = contiguous_sections},
  {.name = "qwen35", .pairs = sections_by_turns},
  {.name = "qwen35moe", .pairs = sections_by_turns},
  {.name = "qwen3tts", .pairs = sections_by_turns},
  {.name = "qwen3vl", .pairs = sections_by_turns},
  {.name = "qwen3vlmoe", .pairs = sections_by_turns},
};
// clang-format on

}  // namespace

const GgufArchitecture* find_gguf_architecture(std::string_view name) {
  const auto found = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                  [name](const GgufArchitecture& one) { return one.name == name; });
  return found == std::end(kArchitectures) ? nullptr : found;
}

}  // namespace ropescope
