#pragma once

#include <optional>
#include <string>

namespace ropescope {

/// A stored tensor of inverse frequencies: a .safetensors and its name there.
struct StoredFrequencies {
  std::string file, tensor;
};

/// What says how a model turns, wherever a path leads that a person gave as a model.
struct ModelFiles {
  std::string config;                            ///< the config.json or GGUF to read, or the file that was given
  std::optional<std::string> vae;                ///< vae/config.json of a diffusers pipeline
  std::optional<StoredFrequencies> frequencies;  ///< rotary_emb.inv_freq of a snapshot's weights
};

/// A file stands for itself. A folder is a diffusers pipeline (model_index.json: transformer/config.json and
/// vae/config.json), a snapshot of Hugging Face (config.json; the headers of its .safetensors are looked at, nothing
/// else of them) or a repository of one GGUF, in parts or not, without a config. Throws InputError: a folder with none
/// of these, one with GGUFs of several models (which it names), a model_index.json or model.safetensors.index.json that
/// cannot be read, a part of the pipeline or the shard of rotary_emb.inv_freq that is missing.
ModelFiles find_model_files(const std::string& path);

/// Whether a path is a folder; one may be given as a model wherever a config.json may be.
bool is_folder(const std::string& path);
/// Whether it is one that find_model_files takes: it has a config.json, a model_index.json or one GGUF.
bool is_model_folder(const std::string& path);

}  // namespace ropescope
