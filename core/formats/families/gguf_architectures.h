// Architectures of GGUF files: properties that only llama.cpp's code defines, and factors stored as tensors. Read
// gguf.h first; gguf_config.h looks an architecture up here.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/formats/dumps/gguf.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Architectures -------------------------------------------------------------------------------------------------

/// Channels of a head that llama.cpp rotates together: adjacent ones (its "normal") or a half split ("neox"), also with
/// pairs assigned to position axes in contiguous sections ("mrope") or interleaved ("imrope"). The kinds with
/// `or_sections` use sections only if the file has at least two.
enum class GgufPairs {
  neighbours,
  halves,
  contiguous_sections,
  sections_by_turns,
  neighbours_or_sections,
  halves_or_sections
};

/// Frequency ladder of layers with a sliding window, if it may differ from that of the others.
enum class GgufSliding {
  same,      ///< rope.freq_base_swa, else the base of the other layers; extended like them
  plain,     ///< the base of the other layers; not extended, amplitude 1
  own,       ///< rope.freq_base_swa, else 10000; not extended, amplitude rope.scaling.attn_factor
  own_base,  ///< rope.freq_base_swa, else the base of the other layers; not extended, amplitude 1
};

/// Meaning of yarn_log_multiplier in an architecture.
enum class GgufLogMultiplier {
  unread,
  tenth,  ///< 0.1·mscale_all_dim: the reader divides by 0.1
  whole,  ///< mscale_all_dim itself
};

/// Properties of an architecture that llama.cpp's code defines and its files omit; one entry each.
struct GgufArchitecture {
  const char* name = "";  ///< general.architecture
  GgufPairs pairs = GgufPairs::halves;
  /// q and k of half-split weights are reordered at conversion, so that pairs are adjacent channels.
  bool permuted = false;
  GgufSliding sliding = GgufSliding::same;
  bool needs_window = false;      ///< the values of sliding layers apply only if attention.sliding_window is > 0
  bool reads_factors = false;     ///< rope_freqs.weight, and rope_factors_* of type longrope
  bool always_longrope = false;   ///< rope_factors_* for any rope.scaling.type
  bool factors_of_all = true;     ///< rope_freqs.weight applies to sliding layers too
  bool whole_head = false;        ///< a file is rejected if its rotary dimension is not the head's
  bool reads_betas = false;       ///< yarn_beta_fast and yarn_beta_slow
  bool reads_ext_factor = false;  ///< yarn_ext_factor
  bool yarn_amplitude = true;     ///< YaRN changes the amplitude
  double beta_fast = 32;
  GgufLogMultiplier log_multiplier = GgufLogMultiplier::unread;
  bool half_of_full = false;   ///< full-attention layers rotate half of rope.dimension_count
  bool reads_alpha = false;    ///< rope.scaling.alpha: NTK with a fixed alpha
  bool compressed = false;     ///< compressed layers have their own base and are the only ones extended
  bool switched = false;       ///< rotary unless rope.scaling.finetuned is false
  int unrotated_layers = 0;    ///< with this many layers it is another model without rotary embedding (Baichuan 13B)
  int unrotated_every = 0;     ///< one in this many layers has no rotary embedding
  int full_every = 0;          ///< one in this many layers has no window; sliding_window_pattern overrides the number
  bool full_first = false;     ///< the first layer of each group, not the last; also for unrotated_every
  bool lists_sliding = false;  ///< attention.sliding_window_pattern is a list, one flag per layer
  int recurrent_every = 0;     ///< one in this many layers has attention, unless the file lists the recurrent ones
  bool both_sides = false;     ///< half of the window is before a token, half after it
  bool mscale_of_all_dim = false;  ///< YaRN's mscale is mscale_all_dim
  bool extended_later = false;     ///< see take_pretrained_length()
  std::string_view note = {};      ///< key of a text; empty if there is no note
};

/// A note that applies only to files with a factor.
inline constexpr const char* kRoundedRamp = "gguf_note.rounded_ramp";

/// Returns the entry of an architecture; nullptr if there is none. Source: llama.cpp of 18 August 2026 (as in
/// ggml-org/whisper.cpp 4834a2327d00, examples/talk-llama): llama_model_rope_type in llama-model.cpp, load_arch_hparams
/// and graphs in models/; for converters that reorder q and k: conversion/*.py.
const GgufArchitecture* find_gguf_architecture(std::string_view name);

// --- Factors -------------------------------------------------------------------------------------------------------

/// Frequency factors: llama.cpp divides the frequency of pair i by number i of a tensor.
inline constexpr std::string_view kRopeFactors = "rope_freqs.weight";
inline constexpr std::string_view kLongFactors = "rope_factors_long.weight";
inline constexpr std::string_view kShortFactors = "rope_factors_short.weight";

/// Returns whether one of the files has the tensor.
bool has_factors(std::span<const GgufFile> parts, std::string_view name);

/// Reads the first `pairs` numbers of a tensor of factors; nullopt if no file has it. Throws InputError: a type other
/// than float32, too few numbers, a number that is not above 0.
std::optional<std::vector<double>> read_factors(std::span<const GgufFile> parts, std::string_view name, int pairs);

/// Parameters of llama3.
struct Llama3Numbers {
  double factor = 1, low = 1, high = 4, length = 8192;
};
/// Finds parameters of llama3 that give these factors to within 4e-6 (converters compute partly in float32). The
/// factors determine only length/low and length/high, so the result has low = 1. nullopt if no parameters fit.
std::optional<Llama3Numbers> find_llama3(const RotaryAxis& axis, std::span<const double> factors);

/// Returns how many pairs rotate in Gemma 4's proportional ladder as converters write it: factor 1 for rotated pairs,
/// and for static ones a factor so large (10³⁰) that they do not rotate. nullopt for other factors.
std::optional<int> find_live_pairs(std::span<const double> factors);

}  // namespace ropescope
