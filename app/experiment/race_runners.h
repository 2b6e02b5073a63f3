#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// Who runs in a race: an encoding under a kind of attention, and what of the rope it has by itself. The rest is the
/// rope's, and may change on the way.
struct RaceRunner {
  std::string encoding;
  bool linear = false;
  std::optional<double> base;
  std::optional<Extension> extension;  ///< "none" is one of its own, too
  bool performer = false;              ///< of linear: with Performer's kernel
  bool operator==(const RaceRunner&) const = default;
};
inline constexpr std::size_t kMostRaceRunners = 6;

/// The runners that the knobs name: each encoding under the chosen kind of attention (of "both" under each that it can
/// be used with), then those of RaceKnobs::also. Throws InputError where a further one cannot be read or stands twice,
/// where there is none, and where there are more than kMostRaceRunners.
std::vector<RaceRunner> race_runners(const RaceKnobs& knobs);

/// "rope", "none/linear", "rope/base=500000/yarn=4": as RaceKnobs::also has it, softmax being what is not said. Of
/// extensions the factor alone is said.
std::string key_of(const RaceRunner& runner);

/// Whether a further runner can have this extension: its factor is all that it needs to be told.
bool can_race(const ScalingMethod& method);
/// Adds RoPE as the rope turns it now, base and extension, to the further runners; none where a runner cannot have that
/// extension.
std::optional<std::string> with_present_rope(const RaceKnobs& knobs, const RopeKnobs& rope);

}  // namespace ropescope
