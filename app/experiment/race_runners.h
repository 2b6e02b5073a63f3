// The small models of a race, as named in RaceFields of experiment.h: encodings, kinds of attention, and individual
// rope settings. Used by app/views/race and the command `race`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// A runner of a race: an encoding with a kind of attention, and its individual rope settings. Other settings are the
/// rope's and may change during training.
struct RaceRunner {
  std::string encoding;
  bool linear = false;
  std::optional<double> base;
  std::optional<Extension> extension;  ///< "none" counts as an individual extension, too
  bool performer = false;              ///< for linear: with Performer's kernel
  bool operator==(const RaceRunner&) const = default;
};
inline constexpr std::size_t kMaxRaceRunners = 6;

/// Returns the runners in the fields: each encoding with the chosen kind of attention (for "both", with each supported
/// one), then those of RaceFields::also. Throws InputError if a further runner is invalid or a duplicate, if there are
/// no runners, or if there are more than kMaxRaceRunners.
std::vector<RaceRunner> race_runners(const RaceFields& fields);

/// Returns a runner in the form of RaceFields::also, in which softmax is implied: "rope", "none/linear",
/// "rope/base=500000/yarn=4". Only the factor of an extension is given.
std::string key_of(const RaceRunner& runner);

/// Returns the further runners plus RoPE with the rope's current base and extension; nullopt if runners do not support
/// that extension.
std::optional<std::string> add_current_rope(const RaceFields& fields, const RopeFields& rope);

}  // namespace ropescope
