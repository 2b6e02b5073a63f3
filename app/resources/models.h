// Models that are there: presets, folders, GGUF, trained files, reported results, dumps. Opens files and hands their
// bytes to core/formats, which parses. Read files.h before; views and commands load models by this.
#pragma once

#include <filesystem>
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

/// Whether a file is of the kind that saving as `format` ("svg", "pdf", "png", "csv" or "json") makes, by its name's
/// end and its first bytes, so that nobody's table is replaced by a picture: for "json" an experiment, for "csv" text
/// with a comma in its first line. False also where it cannot be read.
bool is_saved_as(const std::filesystem::path& path, const std::string& format);

// --- GGUF ----------------------------------------------------------------------------------------------------------

/// Whether a file begins as a GGUF does; false where it cannot be read.
bool is_gguf(const std::filesystem::path& path);
/// Whether a GGUF says no architecture, so that it is no model but a file of tensors (an imatrix, a dump). False also
/// where it cannot be read.
bool is_gguf_of_tensors(const std::filesystem::path& path);

/// Reads a GGUF and the parts that belong to it, all mapped into memory: only their headers and the factors of the
/// rotary embedding are looked at, whatever the size. Any of the parts may be named. Throws InputError as
/// parse_gguf_config does, and: a part that is missing, a file that changes meanwhile.
ModelConfig load_gguf_config(const std::filesystem::path& path);

// --- Folders -------------------------------------------------------------------------------------------------------

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
/// Whether a path is a folder that find_model_files takes: it has a config.json, a model_index.json or one GGUF.
bool is_model_folder(const std::string& path);

// --- Models --------------------------------------------------------------------------------------------------------

/// The presets of assets/models, found by listing the folder, sorted by name.
std::vector<Preset> load_presets(const std::filesystem::path& assets);
/// The preset of an id. Throws InputError that names the nearest ids where there is none.
Preset load_preset(const std::filesystem::path& assets, const std::string& id);
/// Returns the id of the preset that a word names: by its id, or by the Hugging Face repository that published its
/// numbers ("meta-llama/Llama-2-7b-hf"). Returns nullopt if there is none.
std::optional<std::string> preset_named(const std::filesystem::path& assets, const std::string& word);
/// The layout of an image or video model's tokens, by its name; none for other models. Throws InputError as
/// load_preset().
std::optional<LayoutConfig> preset_layout(const std::filesystem::path& assets, const std::string& id);
/// What a profile of a config is called: "full attention" in the present language; a name that the texts do not know as
/// it is.
std::string profile_label(const Text& text, const std::string& name);
/// The name of a file as it is shown: half the world's models are called config.json, so those carry their folder.
std::string short_name(const std::filesystem::path& path);

// A model is given by a path: a config.json, a GGUF with its parts (told apart by how they begin), or a folder with one
// (find_model_files).

/// What a model's file says about rotary embeddings. Inverse frequencies stored in a snapshot's weights are compared
/// with the first profile: a note says whether they are the same. Throws InputError.
ModelConfig load_model_config(const std::filesystem::path& path);
/// What it says about the layout of an image or video model; none where it is another kind of model. The pixels per
/// token are those of a pipeline's own VAE. Throws InputError.
std::optional<LayoutConfig> load_layout_config(const std::filesystem::path& path);
/// The layout of an image model as load_layout_config() reads it; throws InputError for a model without one, too.
LayoutConfig require_layout_config(const std::filesystem::path& path);
/// Whether a file is an experiment that was saved, not a config; false where it cannot be read.
bool is_experiment(const std::string& path);

// --- Trained -------------------------------------------------------------------------------------------------------

/// A model's parameters as .safetensors, under the names of ParameterBlock; vectors have one dimension.
std::string safetensors_of(const Trainer<float>& trainer);

/// Queries, keys and values of all layers as a .safetensors that an attention dump is: q.0, k.0, v.0, q.1, …, each
/// [tokens × heads × channels]; of T5 its trained numbers as well, bias [heads × (2·tokens − 1)]. What makes scores of
/// them stands in its metadata: encoding, attention, causal, base, pairing, and for KERPLE r1 and r2 of every head.
std::string dump_of(const TrainedHeads& heads);

// --- Reported ------------------------------------------------------------------------------------------------------

/// A table of results as a paper printed it. What its names are called is in the texts.
struct ReportedTable {
  struct Row {
    std::string name;        ///< "roformer-512"
    std::string role;        ///< "baseline", "roformer", "longer" (the same read further) or "other"
    bool other_set = false;  ///< measured on another set than the other rows: no like-for-like comparison
    std::vector<double> values;
  };
  std::string name;  ///< "glue"
  int number = 0;    ///< in the paper
  int decimals = 0;  ///< as printed
  std::vector<std::string> columns;
  std::vector<Row> rows;

  /// The row of a role; null where there is none.
  const Row* row(const std::string& role) const;
};

/// assets/reported/roformer.json: every number confirmed against the paper's text.
struct ReportedPaper {
  std::string paper, source;  ///< "RoFormer", "arXiv 2104.09864v5"
  std::vector<ReportedTable> tables;
  int stages_number = 0;  ///< the table of the stages of pre-training
  int longest_stage = 0;  ///< most tokens of any of them

  /// The table of a name. Throws InputError where there is none.
  const ReportedTable& table(const std::string& name) const;
};
/// Reads the reported results of the assets. Throws InputError that names file and field.
ReportedPaper load_reported(const std::filesystem::path& assets);

// --- Dumps ---------------------------------------------------------------------------------------------------------

/// A dump and the file that its numbers may stand in.
struct LoadedDump {
  AttentionDump dump;
  std::shared_ptr<const MappedFile> file;

  /// One head's vectors (core/formats/dumps/dump.h). Throws InputError where the file was changed meanwhile, too.
  AttentionInput head(std::int64_t head, std::int64_t tokens, const std::string& path) const;
};

/// Opens a .npz or .npy of q, k and perhaps v (core/formats/dumps/dump.h). Throws InputError that names the file.
LoadedDump load_attention_dump(const std::string& path, const DumpReading& reading = {});

}  // namespace ropescope
