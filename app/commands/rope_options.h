#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/arguments.h"
#include "app/commands/scaling_options.h"
#include "core/formats/config.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// The options that every command about a rotary embedding shares (ROPE in the README), as given.
struct RopeOptions {
  std::optional<std::string> config, profile, model;
  std::optional<std::string> config_text;  ///< what `config` holds, where that is no file of its own
  std::optional<std::string> dim, base, rotary_fraction, head_dim, pairing;
  std::optional<std::string> axis;
  ScalingOptions scaling;
};
void add_rope_options(Arguments& arguments, RopeOptions& options);
/// "--axis NAME", for commands that look at one axis.
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
/// The overriding options alone, over an embedding that is there. The result is valid.
void override_rope(const RopeOptions& options, Rope& rope);

/// Takes the length that a command asks about, where the extension looks at one and --length gives none.
void ask_length(Rope& rope, double asked);
/// Whether its ladder depends on that length; what says which one it is then.
bool depends_on_length(const Rope& rope);
std::string ladder_text(const Rope& rope);

/// The axis to look at: --axis, else the first.
const RotaryAxis& choose_axis(const RopeOptions& options, const Rope& rope);

/// The ladder of that axis under the extension at the current length.
ScaledLadder ladder_of(const RopeOptions& options, const Rope& rope);

// What is good to know beside a result; to be said once that is written, as bad input has one line only.

/// Says on standard error which axis was looked at, where there is a choice and --axis did not make it.
void notice_axis(const RopeOptions& options, const Rope& rope);
/// Likewise which ladder was taken, where the length decides and --length did not.
void notice_length(const RopeOptions& options, const Rope& rope);

}  // namespace ropescope
