// Architectures of GGUF files: what llama.cpp's code does with each that no file says, and factors stored as tensors.
// Read gguf.h first; gguf_config.h looks an architecture up here.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/formats/dumps/gguf.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Architectures -------------------------------------------------------------------------------------------------

/// Which channels of a head llama.cpp turns together: neighbours (its "normal"), halves ("neox"), halves with the pairs
/// dealt to position axes in contiguous sections ("mrope") or by turns ("imrope"). `sections` ones are dealt so only
/// where the file gives two sections at least.
enum class GgufPairs {
  neighbours,
  halves,
  contiguous_sections,
  sections_by_turns,
  neighbours_or_sections,
  halves_or_sections
};

/// The ladder of layers with a sliding window, where they have one of their own.
enum class GgufSliding {
  same,      ///< rope.freq_base_swa, else the base of the others; extended as they are
  plain,     ///< the base of the others; nothing extends it, and its amplitude is 1
  own,       ///< rope.freq_base_swa, else 10000; nothing extends it but rope.scaling.attn_factor
  own_base,  ///< rope.freq_base_swa, else the base of the others; nothing extends it, and its amplitude is 1
};

/// What yarn_log_multiplier is to an architecture.
enum class GgufLogMultiplier {
  unread,
  tenth,  ///< 0.1·mscale_all_dim: divided by 0.1
  whole,  ///< mscale_all_dim itself
};

/// What llama.cpp knows about an architecture and its files leave unsaid, one entry each.
struct GgufArchitecture {
  const char* name = "";  ///< general.architecture
  GgufPairs pairs = GgufPairs::halves;
  /// q and k of half-split weights are reordered at conversion, so that their pairs are neighbours.
  bool permuted = false;
  GgufSliding sliding = GgufSliding::same;
  bool needs_window = false;      ///< the sliding layers' own values count only where attention.sliding_window is > 0
  bool reads_factors = false;     ///< rope_freqs.weight, and rope_factors_* of type longrope
  bool always_longrope = false;   ///< rope_factors_* whatever rope.scaling.type says
  bool factors_of_all = true;     ///< rope_freqs.weight is for sliding layers too
  bool whole_head = false;        ///< a file whose rotary dimension is not the head's is refused
  bool reads_betas = false;       ///< yarn_beta_fast and yarn_beta_slow
  bool reads_ext_factor = false;  ///< yarn_ext_factor
  bool yarn_amplitude = true;     ///< YaRN has an amplitude
  double beta_fast = 32;
  GgufLogMultiplier log_multiplier = GgufLogMultiplier::unread;
  bool half_of_full = false;  ///< full-attention layers turn half of rope.dimension_count
  bool reads_alpha = false;   ///< rope.scaling.alpha: NTK with a fixed alpha
  bool compressed = false;    ///< compressed layers have a base of their own and are the ones extended
  bool switched = false;      ///< rotary unless rope.scaling.finetuned is false
  int unrotated_layers = 0;   ///< a model of so many layers is another one, without a rotary embedding (Baichuan 13B)
  int unrotated_every = 0;    ///< every so many layers one has no rotary embedding
  int full_every = 0;       ///< every so many layers one has no window, unless sliding_window_pattern is another number
  bool full_first = false;  ///< the first of so many, not the last; of unrotated_every too
  bool lists_sliding = false;  ///< attention.sliding_window_pattern as a list, one flag a layer
  int recurrent_every = 0;     ///< every so many layers one has attention, unless the file says which carry a state
  bool both_sides = false;     ///< the window is half before a token, half behind it
  std::string_view note = {};  ///< key of a text; empty: none
};

/// nullptr for an architecture that nobody entered. Source: llama.cpp of 18 August 2026 (as in ggml-org/whisper.cpp
/// 4834a2327d00, examples/talk-llama): llama_model_rope_type in llama-model.cpp, load_arch_hparams and graphs in
/// models/; which converters reorder q and k: conversion/*.py.
const GgufArchitecture* find_gguf_architecture(std::string_view name);

// --- Factors -------------------------------------------------------------------------------------------------------

/// Frequency factors: llama.cpp divides the frequency of pair i by the ith number of a tensor.
inline constexpr std::string_view kRopeFactors = "rope_freqs.weight";
inline constexpr std::string_view kLongFactors = "rope_factors_long.weight";
inline constexpr std::string_view kShortFactors = "rope_factors_short.weight";

/// Whether one of the files has the tensor.
bool has_factors(std::span<const GgufFile> parts, std::string_view name);

/// The first `pairs` numbers of a tensor of factors; none where no file has it. Throws InputError: another type than
/// float32, fewer numbers, one that is not above 0.
std::optional<std::vector<double>> read_factors(std::span<const GgufFile> parts, std::string_view name, int pairs);

/// What llama3 was asked for.
struct Llama3Numbers {
  double factor = 1, low = 1, high = 4, length = 8192;
};
/// The numbers of llama3 whose factors, rounded to float32, are these to within 4e-6 (the converters compute in
/// float32, some steps). A file keeps the factors alone, so that only length/low and length/high can be told: they are
/// said with low = 1. None where no numbers give them.
std::optional<Llama3Numbers> find_llama3(const RotaryAxis& axis, std::span<const double> factors);

/// Gemma 4's proportional ladder as converters write it: how many pairs turn where their factors are 1 and the others'
/// so large (10³⁰) that they stand still. None where the factors are others.
std::optional<int> find_live_pairs(std::span<const double> factors);

}  // namespace ropescope
