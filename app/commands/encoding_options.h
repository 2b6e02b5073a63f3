#pragma once

#include <optional>
#include <string>

#include "app/commands/arguments.h"
#include "core/encodings/encoding.h"

namespace ropescope {

/// The settings of a position encoding, as given: what `encoding`, `score` and `attention` share.
struct EncodingOptions {
  std::optional<std::string> dim, heads, head, seed, trained_length;  ///< fit every encoding, used or not
  std::optional<std::string> base, clip, buckets, max_distance, bidirectional, kerple_r1, kerple_r2, p, rotary_dim,
      pairing, xpos_scale_base, xpos_sequence_length, seeded_projections;
};
/// Adds the options but --dim, which means something else to each command.
void add_encoding_options(Arguments& arguments, EncodingOptions& options);
/// "Encodings: none, sinusoidal, …", for --help.
std::string encoding_names();

/// The settings with what the options say; the rest is as in EncodingSettings, but pairs are half-split, as in every
/// subcommand. Throws InputError that names the option: not a number, or one that the encoding does not look at.
EncodingSettings settings_of(const EncodingOptions& options, const Encoding& encoding);

inline constexpr double kLargestPosition = 1125899906842624;  // 2^50
/// Whole numbers from text, each at most 2^50 in size. Throws InputError that names the option.
std::int64_t read_whole(const std::string& option, const std::string& text);

/// Throws InputError where a position is past a learned table.
void check_position(const EncodingModel& model, std::int64_t position);

}  // namespace ropescope
