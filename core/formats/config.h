// A model's config.json as core understands it: profiles, each with where every value came from, and presets. Begin
// reading formats here; the steps of the reader stand in config_parts.h and config_text.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

/// One rotary embedding of a model; a model whose layers differ (sliding and full, language and vision) has several.
struct Profile {
  std::string name;  ///< "full attention", "sliding attention", "text", "vision", … ; "text" where there is only one
  RotarySpec spec;
  /// Positions that the model takes with its extension (max_position_embeddings), where those are more than it was
  /// trained with before.
  std::optional<double> context_length = {};
  /// For each value of the spec ("head_dim", "rotary_dim", "base", "pairing", "extension", "trained_length", …): which
  /// field of the file it came from, e.g. "rope_parameters.full_attention.rope_theta", or "default of model_type
  /// llama".
  std::map<std::string, Words> origin;
  /// What a reader must know about this profile, e.g. layers without rotary embedding.
  Words::List notes;
  /// The notes among them that say what the file asks of these frequencies and nobody here understands: nothing can be
  /// judged by the profile.
  Words::List not_understood = {};
  /// GGUF: q and k were reordered at conversion, so that the spec, which is about the channels as they lie in the file,
  /// pairs neighbours where the model's own config pairs halves, or the other way round. Scores are the same.
  bool permuted = false;
  /// M-RoPE: pairs of each section of the one ladder, as the file lists them; empty if it has one axis.
  std::vector<double> sections = {};
  bool interleaved_sections = false;
  std::optional<double> query_beta = {};  ///< queries are scaled by 1 + β·ln(1 + ⌊p/L⌋) (Ministral 3)
  /// A vision tower's: patches come in blocks of so many rows and columns, block after block.
  int merge = 1;
  std::optional<int> patch = {};  ///< of a vision tower: pixels per patch and side
};

/// A model without any rotary embedding. Who wants a ladder cannot go on; to who asks what a file says it is the
/// answer.
class NotRotary : public InputError {
 public:
  NotRotary(const Words& source, const Words& answer, std::string model_type = {});

  Words answer;            ///< one sentence, without the file: what the model has instead
  std::string model_type;  ///< as in ModelConfig
};

/// What a config.json says about rotary embeddings. Profiles stand in this order: global text layers before sliding
/// ones, vision last.
struct ModelConfig {
  std::string model_type;  ///< model_type or _class_name of the file; empty if it has neither
  std::vector<Profile> profiles;
};

/// Parses the text of a config.json (old and new spellings). `source` names the file in
/// errors. Throws InputError: not JSON (with line and column), not an object, nested too deeply, larger than 64 MiB,
/// a field of the wrong type or out of range, an unknown class without rotary fields (says what it looked for); and
/// NotRotary.
ModelConfig parse_model_config(std::string_view text, const std::string& source);

/// Throws InputError that says what the file asks for and nobody here understands; `source` names the file.
void require_understood(const Profile& profile, const std::string& source);
/// The notes without which a verdict about the profile says more than is known: a class that was guessed, values that
/// disagree, fields that are not understood, layers that do not turn.
Words::List notes_for_verdicts(const Profile& profile);

/// A preset of assets/models in our own small schema (described in assets/models/README.md): name, source, profiles.
struct Preset {
  std::string id;      ///< file name without .json, e.g. "llama-3.1-8b"
  std::string name;    ///< e.g. "Llama 3.1 8B"
  std::string source;  ///< where the values were published
  std::vector<Profile> profiles;
};
Preset parse_preset(std::string_view text, const std::string& id);

/// The profile of that name; the first one for an empty name. Throws InputError that lists the names.
const Profile& find_profile(const std::vector<Profile>& profiles, const std::string& name, const std::string& source);

}  // namespace ropescope
