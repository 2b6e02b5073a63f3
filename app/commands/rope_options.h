// Options that describe a rope, its context extension or another position encoding. They become a Rope or the values of
// an encoding, which the commands pass to core. Read options.h and core/rotary/spec.h first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "core/encodings/encoding.h"
#include "core/formats/config.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// The options shared by all commands about rotary embeddings (ROPE in the README). Each number is valid by itself;
/// resolve_rope() checks whether they fit each other and the model.
struct RopeOptions {
  std::optional<std::string> config, profile, model, axis;
  std::optional<std::string> config_text;  ///< content of `config`, if it is not a separate file
  std::optional<std::string> given;        ///< the name that settle_source() resolved to `config`
  std::optional<std::string> ladder;       ///< as text; a file is replaced by its numbers
  std::optional<std::int64_t> dim;
  std::optional<int> head_dim;
  std::optional<double> base, rotary_fraction, trained_length, length;
  std::optional<Pairing> pairing;
  const ScalingMethod* scaling = nullptr;
  std::map<std::string, double> parameters;          ///< of a method, as Extension::numbers
  std::map<std::string, std::vector<double>> lists;  ///< as Extension::lists

  bool operator==(const RopeOptions&) const = default;
};
/// Adds the options. `stage`: of all but --config, --profile and --model.
void add_rope_options(Arguments& arguments, RopeOptions& options, int stage = 0);
/// Adds "--axis NAME", for commands that use a single axis.
void add_axis_option(Arguments& arguments, RopeOptions& options);

/// A rotary embedding and its origin.
struct Rope {
  Profile profile;
  std::string source;            ///< for messages: the config's path, "preset ID", "the options"
  std::string label;             ///< displayed: file name or the preset's name; empty for custom numbers
  std::string config, model;     ///< what was given; empty otherwise
  std::optional<double> length;  ///< current length in positions; nullopt: set by ask_length()
};

/// Returns whether --config, --model or --dim names an embedding.
bool names_source(const RopeOptions& options);

/// Resolves the name of a model (resolve_model): moves a preset from --config to --model, and a path or a cached
/// repository from --model to --config. Throws InputError.
void settle_source(RopeOptions& options);

/// Returns all profiles of the config or preset. Throws InputError if neither is given.
std::vector<Profile> profiles_of(const RopeOptions& options);

/// Returns the embedding from the options, with overrides. Throws InputError that names the option or the file.
Rope resolve_rope(const RopeOptions& options);
/// Returns an existing embedding with the overriding options. Throws InputError as above.
Rope resolve_rope(const RopeOptions& options, Rope rope);
/// Throws InputError if a config requests an unsupported extension and no --scaling replaces it. For commands whose
/// verdict depends on the embedding.
void require_known_extension(const RopeOptions& options, const Rope& rope);

/// Returns the field of --base of any command: any number above 1, without the limit of the window's slider.
NumberField any_base();

/// Sets the length that a command uses, if the extension depends on it and --length is not given.
void ask_length(Rope& rope, double asked);
/// Return whether the ladder of a rope depends on that length; and a text that describes the ladder used.
bool depends_on_length(const Rope& rope);
std::string ladder_text(const Rope& rope);

/// Returns the selected axis: --axis, otherwise the first.
const RotaryAxis& choose_axis(const RopeOptions& options, const Rope& rope);

/// Returns the ladder of that axis under the extension at the current length.
ScaledLadder ladder_of(const RopeOptions& options, const Rope& rope);

// Notices on a result. Print them after the result, because an input error prints only one line.

/// Reports on standard error which axis was used, if there are several and --axis is not given.
void notice_axis(const RopeOptions& options, const Rope& rope);
/// Reports on standard error which ladder was used, if it depends on the length and --length is not given.
void notice_length(const RopeOptions& options, const Rope& rope);

// --- Encodings -----------------------------------------------------------------------------------------------------

/// Fields of position encodings, shared by `encoding`, `score` and `attention`. Each has an option with its name. The
/// commands add --dim themselves because its meaning differs.
struct EncodingOptions {
  EncodingValues values{.pairing = Pairing::half_split};  ///< half split as in every subcommand
  std::set<std::string, std::less<>> given;               ///< names of the fields whose options are given
  /// The ladder that replaces the plain one of --dim and --base: --config or --model, with --profile and --axis, and
  /// the options of the context extension. The other members are not options of these commands.
  RopeOptions rope;
  double requested_length = 0;  ///< for a ladder that depends on the current length (ask_length); 0: the trained one
};
void add_encoding_options(Arguments& arguments, EncodingOptions& options);
/// Returns what the option of a field does: it sets the field, and rejects a text that is not a number of its kind.
Arguments::Take field_into(EncodingOptions& options, std::string_view name);
/// Returns the list of encodings for --help: "Encodings: none, sinusoidal, …".
std::string encoding_names();

/// Returns the fields of the options. A model sets dim, base, rotary_dim, pairing and its ladder. dim: of an existing
/// head; nullopt: from --dim. Throws InputError naming an option that the encoding does not use.
EncodingValues settings_of(const EncodingOptions& options, const Encoding& encoding, std::optional<int> dim = {});
/// Returns the fields as settings_of(), for commands that require --dim or a model.
EncodingValues settings_with_dim(const EncodingOptions& options, const Encoding& encoding);

/// Throws InputError if a position is past a learned table.
void check_position(const EncodingModel& model, std::int64_t position);

}  // namespace ropescope
