#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ropescope {

/// The folder of a diffusers pipeline that holds its rotary transformer, from the text of its model_index.json:
/// "transformer". Throws InputError: no JSON, a pipeline without a transformer (one with a U-Net knows no rotary
/// embedding).
std::string pipeline_transformer(std::string_view text, const std::string& source);

/// Pixels of a side that one latent stands for, from the text of a VAE's config.json; none where it does not say.
/// scale_factor_spatial or spatial_compression_ratio; else 2^(entries of temperal_downsample) (Wan, Qwen-Image);
/// patch_size·2^(true entries of spatio_temporal_scaling) (LTX-Video); 2^(entries of block_out_channels − 1). Source:
/// the pipelines of huggingface/diffusers. Throws InputError: no JSON, one of these fields that is something else.
std::optional<int> vae_stride(std::string_view text, const std::string& source);

/// Which file holds each tensor that is wanted, from the text of a model.safetensors.index.json. Throws InputError: no
/// JSON, no weight_map, a file of any tensor that is no plain name (it would lead out of the folder).
std::map<std::string, std::string> parse_weight_map(std::string_view text, const std::string& source,
                                                    const std::function<bool(std::string_view)>& wanted);

/// Whether a tensor's name is that of stored inverse frequencies of a language model: ….rotary_emb.inv_freq.
bool is_inverse_frequencies(std::string_view tensor);

}  // namespace ropescope
