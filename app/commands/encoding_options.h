#pragma once

#include <optional>
#include <string>

#include "app/commands/rope_options.h"
#include "app/commands/setting_options.h"
#include "core/encodings/encoding.h"

namespace ropescope {

/// The settings of position encodings, as given: what `encoding`, `score` and `attention` share. Each has an option of
/// its name; --dim, which means something else to each command, is added by these.
struct EncodingOptions {
  GivenSettings settings;
  /// What turns the pairs, where it is not the plain ladder of --dim and --base: --config or --model, with --profile
  /// and --axis, and the options of the context extension. Its other members are not options of these commands.
  RopeOptions rope;
  double asked_length = 0;  ///< of a ladder that looks at the current length (ask_length); 0: the trained one
};
void add_encoding_options(Arguments& arguments, EncodingOptions& options);
/// "Encodings: none, sinusoidal, …", for --help.
std::string encoding_names();

/// True where a model says what the settings of its head are.
bool names_model(const EncodingOptions& options);

/// The settings with what the options say; the rest is as in EncodingSettings, but pairs are half-split, as in every
/// subcommand, and a model gives dim, base, rotary_dim, pairing and its ladder. dim: of a head that is there; none:
/// --dim's. Throws InputError that names the option: not a number, or one that the encoding does not look at.
EncodingSettings settings_of(const EncodingOptions& options, const Encoding& encoding, std::optional<int> dim = {});
/// The same for commands that need --dim, or a model in its place.
EncodingSettings settings_with_dim(const EncodingOptions& options, const Encoding& encoding);

inline constexpr double kLargestPosition = 1125899906842624;  // 2^50
/// Whole numbers from text, each at most 2^50 in size. Throws InputError that names the option.
std::int64_t read_whole(const std::string& option, const std::string& text);

/// Throws InputError where a position is past a learned table.
void check_position(const EncodingModel& model, std::int64_t position);

}  // namespace ropescope
