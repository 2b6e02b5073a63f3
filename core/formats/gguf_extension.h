#pragma once

#include <span>

#include "core/formats/config.h"
#include "core/formats/gguf_architectures.h"
#include "core/formats/gguf_metadata.h"

namespace ropescope {

/// A GGUF as its profiles are read from it: all files of the model, the one with the metadata first.
struct GgufModel {
  std::span<const GgufFile> parts;
  GgufMetadata metadata;
  GgufArchitecture architecture;
  bool known = true;  ///< the architecture is one of the table

  const std::string& source() const { return parts.front().source; }
  Words program_default() const { return {"origin.default_of", {{"model", "llama.cpp"}}}; }
};

/// What extends layers with this axis: fills extension, amplitude and trained length of the profile, with their origins
/// and notes. freq_scale = 1/rope.scaling.factor (else the old rope.scale_linear) of the types "linear" (which stands
/// for none given), "yarn" and "longrope"; of "none" 1. With p_i = b^(−2i/d) and f_i the frequency factors (1 without):
///   linear, longrope: θ_i = p_i·freq_scale/f_i; amplitude rope.scaling.attn_factor (1).
///   yarn: θ_i = freq_scale·p_i·(1 − γ_i) + p_i·γ_i, γ falling from pair ⌊c(β_fast)⌋ to ⌈c(β_slow)⌉; amplitude
///   attn_factor·get(s, mscale)/get(s, mscale_all_dim), get(s, m) = 0.1·m·ln s + 1, mscale 1 (deepseek2:
///   mscale_all_dim), mscale_all_dim from yarn_log_multiplier; without that attn_factor·get(s, 1).
/// Source: llama.cpp llama-model.cpp (load_hparams), llama-context.cpp, models/*.cpp; ggml-cpu/ops.cpp (rope_yarn).
/// Throws InputError: a type that llama.cpp does not know, an ext_factor between, factors that do not fit.
void extend_profile(const GgufModel& model, Profile& profile);

/// The trained length of layers that nothing extends.
void read_length(const GgufModel& model, Profile& profile);

/// rope.scaling.attn_factor, for layers whose other values extend_profile does not read.
void read_amplitude(const GgufModel& model, Profile& profile);

/// Keys and tensors that say something about the extension and that llama.cpp does not read for this architecture.
void note_unread(const GgufModel& model, Words::List& notes);

}  // namespace ropescope
