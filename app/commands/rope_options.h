// Options that describe a rope, its context extension or another position encoding. They become a Rope or the values of
// an encoding, with which the commands ask core. Read options.h and core/rotary/spec.h before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "core/encodings/encoding.h"
#include "core/formats/config.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Extensions ----------------------------------------------------------------------------------------------------

/// The options of ROPE about context extension, as given. They override what a config says and mean the same as the
/// fields of that name.
struct ScalingOptions {
  std::optional<std::string> scaling, trained_length, length;
  GivenFields parameters;  ///< and lists
};

bool changes_anything(const ScalingOptions& options);

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// The options that every command about a rotary embedding shares (ROPE in the README), as given.
struct RopeOptions {
  std::optional<std::string> config, profile, model;
  std::optional<std::string> config_text;  ///< what `config` holds, where that is no file of its own
  std::optional<std::string> dim, base, ladder, rotary_fraction, head_dim, pairing;
  std::optional<std::string> axis;
  ScalingOptions scaling;
};
void add_rope_options(Arguments& arguments, RopeOptions& options);
/// Adds "--axis NAME", for commands that look at one axis.
void add_axis_option(Arguments& arguments, RopeOptions& options);

/// A rotary embedding and where it came from.
struct Rope {
  Profile profile;
  std::string source;            ///< for messages: the config's path, "preset ID", "the options"
  std::string label;             ///< for people: file name or the preset's name; empty for own numbers
  std::string config, model;     ///< what was given; empty otherwise
  std::optional<double> length;  ///< current length in positions; none: what is asked (ask_length)
};

/// True where --config, --model or --dim names an embedding, or any option changes one.
bool names_source(const RopeOptions& options);
bool changes_anything(const RopeOptions& options);

/// All profiles of the config or preset. Throws InputError where neither is given.
std::vector<Profile> profiles_of(const RopeOptions& options);

/// The embedding that the options name, with what they override. Throws InputError that names the option or the file.
Rope resolve_rope(const RopeOptions& options);
/// Throws InputError where a config asks for an extension that is not understood and no --scaling says what it means:
/// for commands that judge by the embedding.
void require_understood(const RopeOptions& options, const Rope& rope);
/// Applies the overriding options alone to an embedding that is there. The result is valid.
void override_rope(const RopeOptions& options, Rope& rope);

/// --base of any command: any number above 1, where the window's slider ends before. `expected`: the text key of that,
/// with {least}. Throws InputError.
double read_base(const std::string& text, std::string_view expected);

/// Gives a rope the length that a command asks about, where the extension looks at one and --length gives none.
void ask_length(Rope& rope, double asked);
/// Whether the ladder of a rope depends on that length; and a text that says which ladder it is then.
bool depends_on_length(const Rope& rope);
std::string ladder_text(const Rope& rope);

/// The axis to look at: --axis, else the first.
const RotaryAxis& choose_axis(const RopeOptions& options, const Rope& rope);

/// The ladder of that axis under the extension at the current length.
ScaledLadder ladder_of(const RopeOptions& options, const Rope& rope);

// What is good to know beside a result; to be said once that is written, as bad input has one line only.

/// Says on standard error which axis was looked at, where there is a choice and --axis did not make it.
void notice_axis(const RopeOptions& options, const Rope& rope);
/// Says on standard error which ladder was taken, where the length decides and --length gave none.
void notice_length(const RopeOptions& options, const Rope& rope);

// --- Encodings -----------------------------------------------------------------------------------------------------

/// The fields of position encodings, as given: what `encoding`, `score` and `attention` share. Each has an option of
/// its name; --dim, which means something else to each command, is added by these.
struct EncodingOptions {
  GivenFields settings;
  /// What turns the pairs, where it is not the plain ladder of --dim and --base: --config or --model, with --profile
  /// and --axis, and the options of the context extension. Its other members are not options of these commands.
  RopeOptions rope;
  double asked_length = 0;  ///< of a ladder that looks at the current length (ask_length); 0: the trained one
};
void add_encoding_options(Arguments& arguments, EncodingOptions& options);
/// The list of encodings for --help: "Encodings: none, sinusoidal, …".
std::string encoding_names();

/// The fields with what the options say; the rest is as in EncodingValues, but pairs are half-split, as in every
/// subcommand, and a model gives dim, base, rotary_dim, pairing and its ladder. dim: of a head that is there; none:
/// --dim's. Throws InputError that names the option: not a number, or one that the encoding does not look at.
EncodingValues fields_of(const EncodingOptions& options, const Encoding& encoding, std::optional<int> dim = {});
/// The fields as by fields_of(), for commands that need --dim, or a model in its place.
EncodingValues settings_with_dim(const EncodingOptions& options, const Encoding& encoding);

/// Throws InputError where a position is past a learned table.
void check_position(const EncodingModel& model, std::int64_t position);

}  // namespace ropescope
