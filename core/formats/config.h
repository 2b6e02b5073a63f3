// Parsing of a model's config.json into profiles, with the origin of every value, and of presets. Start reading formats
// here; the stages of the parser are in config_parts.h and config_text.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// How one ladder is assigned to several position axes (M-RoPE): in contiguous sections of pairs; pair i to row or
/// column by i mod 3; rows and columns alternating, then time (ERNIE 4.5 VL); contiguous sections of the doubled table,
/// so that the two channels of a pair may belong to different axes (HunYuan's XD-RoPE as transformers has it).
enum class PairAssignment { contiguous, interleaved, alternating, doubled };

// Names of profiles. A single one for all layers is called "text".
inline constexpr const char *kTextProfile = "text", *kFullProfile = "full attention",
                            *kSlidingProfile = "sliding attention", *kCompressedProfile = "compressed attention",
                            *kLinearProfile = "linear attention", *kVisionProfile = "vision",
                            *kIndexerProfile = "indexer";

/// One rotary embedding of a model; a model whose layers differ (sliding and full, language and vision) has several.
struct Profile {
  std::string name;
  RotarySpec spec;
  /// Positions that the model supports with its extension (max_position_embeddings), if they are more than in its
  /// original training.
  std::optional<double> context_length = {};
  /// The source of each value of the spec ("head_dim", "rotary_dim", "base", "pairing", "extension", "trained_length",
  /// …): the field of the file, e.g. "rope_parameters.full_attention.rope_theta", or "default of model_type llama".
  std::map<std::string, Message> origin;
  /// Remarks on this profile, e.g. layers without rotary embedding.
  Message::List notes;
  /// The subset of `notes` on settings of these frequencies that are not supported: the profile allows no verdict.
  Message::List not_understood = {};
  /// GGUF: q and k were reordered at conversion. The spec, which describes the channels in the file, pairs adjacent
  /// channels where the model's own config pairs halves, or the reverse. Scores are unchanged.
  bool permuted = false;
  /// M-RoPE: pairs per section of the single ladder, in the order of the file; empty if the profile has one axis.
  std::vector<double> sections = {};
  PairAssignment assignment = PairAssignment::contiguous;  ///< how the ladder is assigned to the sections
  std::optional<double> query_beta = {};  ///< queries are scaled by 1 + β·ln(1 + ⌊p/L⌋) (Ministral 3)
  /// Vision towers: patches come in blocks of merge × merge, block by block.
  int merge = 1;
  std::optional<int> patch = {};  ///< vision towers: pixels per patch and side
};

/// A model without rotary embedding: an error for callers that need a ladder, an answer for callers that only describe
/// the file.
class NoRotaryEmbedding : public InputError {
 public:
  NoRotaryEmbedding(const Message& source, const Message& answer, std::string model_type = {});

  Message answer;          ///< one sentence, without the file name: what the model has instead
  std::string model_type;  ///< as in ModelConfig
};

/// The rotary embeddings that a config.json describes. Order of the profiles: global text layers before sliding ones,
/// vision last.
struct ModelConfig {
  std::string model_type;  ///< model_type or _class_name of the file; empty if it has neither
  std::vector<Profile> profiles;
};

/// Parses the text of a config.json (old and new spellings). `source` names the file in errors. Throws
/// NoRotaryEmbedding, and InputError if the text is not JSON (with line and column), not an object, nested too deeply,
/// larger than 64 MiB, has a field of the wrong type or out of range, or has an unknown class and no rotary fields
/// (lists the fields searched).
ModelConfig parse_model_config(std::string_view text, const std::string& source);

/// Throws InputError naming the settings of the profile that are not supported; `source` names the file.
void require_known_extension(const Profile& profile, const std::string& source);
/// Returns the notes that any verdict about the profile must include: a guessed class, values that disagree, fields
/// that are not supported, layers that are not rotated.
Message::List notes_limiting_verdict(const Profile& profile);

/// Returns the notes that some layers have no rotary embedding; empty if all layers of the profile are rotated.
Message::List notes_on_unrotated_layers(const Profile& profile);

/// A preset of assets/models in the project's own schema (see assets/models/README.md): name, source, profiles.
struct Preset {
  std::string id;      ///< file name without .json, e.g. "llama-3.1-8b"
  std::string name;    ///< e.g. "Llama 3.1 8B"
  std::string source;  ///< where the values were published
  std::vector<Profile> profiles;
};
Preset parse_preset(std::string_view text, const std::string& id);

/// Returns the profile called `name`; the first one if it is empty. Throws InputError listing the known names.
const Profile& find_profile(const std::vector<Profile>& profiles, const std::string& name, const std::string& source);

}  // namespace ropescope
