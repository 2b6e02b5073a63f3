// Loading of models: presets, folders, GGUF, trained weights, reported results, dumps. Opens files and passes their
// bytes to the parsers in core/formats. Used by views and commands. Read files.h first.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/formats/dumps/dump.h"
#include "core/training/beyond.h"

namespace ropescope {

// --- Kinds of files ------------------------------------------------------------------------------------------------

/// Returns whether a file is, by its extension and first bytes, of the kind written for `format` ("svg", "pdf", "png",
/// "csv" or "json"): a save must not replace a user's table by a picture. "json" means an experiment, "csv" text with a
/// comma in its first line. Returns false if it cannot be read.
bool is_saved_as(const std::filesystem::path& path, const std::string& format);

// --- GGUF ----------------------------------------------------------------------------------------------------------

/// Returns whether a file begins with the GGUF magic bytes; false if it cannot be read.
bool is_gguf(const std::filesystem::path& path);
/// Returns whether a GGUF has no architecture, so it is not a model but a file of tensors (an imatrix, a dump). Returns
/// false if it cannot be read.
bool is_gguf_of_tensors(const std::filesystem::path& path);

/// Reads a GGUF with all its parts, mapped into memory: only their headers and the factors of the rotary embedding are
/// read, whatever the size. `path` may name any part. Throws InputError as parse_gguf_config does, and if a part is
/// missing or a file changes meanwhile.
ModelConfig load_gguf_config(const std::filesystem::path& path);

// --- Profiles ------------------------------------------------------------------------------------------------------

/// Returns whether a model's profile is for the tokens of images or videos.
bool is_of_images(const Profile& profile);

// --- Folders -------------------------------------------------------------------------------------------------------

/// A stored tensor of inverse frequencies: the .safetensors file and the tensor's name.
struct StoredFrequencies {
  std::string file, tensor;
};

/// The files that define a model's rotary embedding, found from the path that the user gave.
struct ModelFiles {
  std::string config;                            ///< the config.json or GGUF to read, or the given file
  std::optional<std::string> vae;                ///< vae/config.json of a diffusers pipeline
  std::optional<StoredFrequencies> frequencies;  ///< rotary_emb.inv_freq of a snapshot's weights
};

/// Finds the files of a model, named as for resolve_model(); a path to a file is used as is. A folder is a diffusers
/// pipeline (model_index.json: transformer/config.json and vae/config.json), a Hugging Face snapshot (config.json; of
/// its .safetensors only the headers are read) or a repository of one GGUF, in parts or not, without a config. Throws
/// InputError if a folder is none of these or has GGUFs of several models (which are named), if an index JSON cannot be
/// read, or if a part of the pipeline or the shard of rotary_emb.inv_freq is missing.
ModelFiles find_model_files(const std::string& name);

/// Returns whether a path is a folder; a folder may be given as a model wherever a config.json may be.
bool is_folder(const std::string& path);
/// Returns whether find_model_files accepts a folder: it has a config.json, a model_index.json or one GGUF.
bool is_model_folder(const std::string& path);

// --- Models --------------------------------------------------------------------------------------------------------

/// Loads the presets of assets/models, found by listing the folder, sorted by name.
std::vector<Preset> load_presets(const std::filesystem::path& assets);
/// Loads the preset with an id. Throws InputError with the nearest ids if there is none.
Preset load_preset(const std::filesystem::path& assets, const std::string& id);
/// A model as the user named it: a path, a preset or a repository of the Hugging Face hub.
struct NamedModel {
  std::string path;                   ///< what to load: the given path, the preset's file, the cached snapshot
  std::optional<std::string> preset;  ///< the preset's id
  bool exists = false;                ///< whether `path` exists
};
/// Resolves the name of a model, in this order: an existing path; a preset's id ("llama-3.1-8b"); a repository
/// ("meta-llama/Llama-3.1-8B") in the local Hugging Face cache; the preset whose numbers that repository published. No
/// network is used. Any other word is returned as the path of a missing file. Throws InputError if a word has the form
/// of a repository and is none of these: the message contains the searched folder and the command that downloads it,
/// with these words at its end.
NamedModel resolve_model(const std::string& name, const std::string& files = " config.json");
/// Returns the repositories in the local Hugging Face cache that resolve_model() finds, sorted.
std::vector<std::string> cached_repositories();
/// Returns the name of a config's profile: "full attention" in the current language; unchanged if the texts lack it.
std::string profile_label(const Text& text, const std::string& name);
/// Returns the displayed name of a file: many models are called config.json, so those are shown with their folder.
std::string short_name(const std::filesystem::path& path);
/// The folder of dropped files in a page. It is not a model's folder: a config.json in it is named without the folder.
inline constexpr const char* kDroppedFiles = "/files";
/// Returns a path as shown: without that folder, which only the page knows.
std::string shown_path(const std::filesystem::path& path);

// A model is given by a path or a name (resolve_model): a config.json, a preset's JSON (distinguished by its content),
// a GGUF with its parts (distinguished by their first bytes), or a folder with one (find_model_files).

/// Loads the rotary embeddings defined by a model's file. Inverse frequencies stored in a snapshot's weights are
/// compared with the first profile: a note reports whether they agree. Throws InputError.
ModelConfig load_model_config(const std::filesystem::path& path);
/// Loads the layout of an image or video model; nullopt for other models. The pixels per token are those of a
/// pipeline's own VAE. Throws InputError.
std::optional<LayoutConfig> load_layout_config(const std::filesystem::path& path);
/// Returns the layout of load_layout_config(); also throws InputError for a model without one.
LayoutConfig require_layout_config(const std::filesystem::path& path);
/// Returns whether a file is a saved experiment, not a config; false if it cannot be read.
bool is_experiment(const std::string& path);

// --- Trained -------------------------------------------------------------------------------------------------------

/// Returns a model's parameters as .safetensors, named as in ParameterBlock; vectors have one dimension. For a rotary
/// encoding, its notes contain what find_weight_model() reads.
std::string safetensors_of(const Trainer<float>& trainer, const RaceSetup& setup, const RunnerSpec& spec);

/// Returns queries, keys and values of all layers as a .safetensors in the form of an attention dump: q.0, k.0, v.0,
/// q.1, …, each [tokens × heads × channels]; for T5 also its trained values, bias [heads × (2·tokens − 1)]. The
/// metadata defines the scores: encoding, attention, causal, base, pairing, and for KERPLE r1 and r2 of every head.
std::string dump_of(const TrainedHeads& heads);

// --- Reported ------------------------------------------------------------------------------------------------------

/// A table of results as published. The displayed form of its names is in the texts.
struct ReportedTable {
  struct Row {
    std::string name;        ///< "roformer-512"
    std::string role;        ///< "baseline", "roformer", "longer" (the same at a longer length) or "other"
    bool other_set = false;  ///< measured on a different set from the other rows: no like-for-like comparison
    std::vector<double> values;
  };
  std::string name;  ///< "glue"
  int number = 0;    ///< in the paper
  int decimals = 0;  ///< as published
  std::vector<std::string> columns;
  std::vector<Row> rows;

  /// Finds the row with a role; null if there is none.
  const Row* row(const std::string& role) const;
};

/// assets/reported/roformer.json: every number verified against the paper's text.
struct ReportedPaper {
  std::string paper, source;  ///< "RoFormer", "arXiv 2104.09864v5"
  std::vector<ReportedTable> tables;
  int stages_number = 0;  ///< number of the table of pre-training stages
  int longest_stage = 0;  ///< maximum number of tokens of any stage

  /// Returns the table with a name. Throws InputError if there is none.
  const ReportedTable& table(const std::string& name) const;
};
/// Reads the reported results of the assets. Throws InputError with file and field.
ReportedPaper load_reported(const std::filesystem::path& assets);

// --- Examples ------------------------------------------------------------------------------------------------------

/// An example of assets/examples: small files, the command that reads them, and its verdict.
struct CheckExample {
  std::string name;                           ///< "flux-axes-swapped"
  std::string command;                        ///< the subcommand that reads it: "check"
  std::vector<std::string> arguments;         ///< of that subcommand, with the full paths of the files
  std::optional<std::string> verdict, cause;  ///< of `check`; no cause if the tables agree
  int exit_code = 0;
  std::map<std::string, std::string> titles;  ///< by language code
};
/// Loads the examples in the order of assets/examples/index.json. Throws InputError if it cannot be read.
std::vector<CheckExample> load_examples(const std::filesystem::path& assets);

// --- Dumps ---------------------------------------------------------------------------------------------------------

/// A dump and the file that may contain its numbers.
struct LoadedDump {
  AttentionDump dump;
  std::shared_ptr<const MappedFile> file;

  /// Returns one head's vectors (core/formats/dumps/dump.h). Also throws InputError if the file changed meanwhile.
  AttentionInput head(std::int64_t head, std::int64_t tokens, const std::string& path) const;
};

/// Opens a .npz or .npy of q, k and optionally v (core/formats/dumps/dump.h). Throws InputError with the file's name.
LoadedDump load_attention_dump(const std::string& path, const DumpReading& reading = {});

}  // namespace ropescope
