// Which small models run in a race, as RaceFields of experiment.h name them: encodings, kinds of attention, and what
// each has of the rope by itself. app/views/race trains them, `race` on the command line too.
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

/// The runners that the fields name: each encoding under the chosen kind of attention (of "both" under each that it can
/// be used with), then those of RaceFields::also. Throws InputError where a further one cannot be read or stands twice,
/// where there is none, and where there are more than kMostRaceRunners.
std::vector<RaceRunner> race_runners(const RaceFields& fields);

/// A runner in the form that RaceFields::also has, softmax being what is not said: "rope", "none/linear",
/// "rope/base=500000/yarn=4". An extension is said by its factor alone.
std::string key_of(const RaceRunner& runner);

/// Adds RoPE as the rope turns it now, base and extension, to the further runners; none where a runner cannot have that
/// extension.
std::optional<std::string> with_present_rope(const RaceFields& fields, const RopeFields& rope);

}  // namespace ropescope
