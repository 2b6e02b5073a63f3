#include "core/encodings/ladder.h"

#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

bool is_plain(const ScaledLadder& ladder, const RotaryAxis& axis) {
  return ladder.amplitude == 1 && 2 * ladder.frequencies.size() == axis.rotary_dim &&
         ladder.frequencies == plain_frequencies(axis.rotary_dim, axis.base);
}

}  // namespace

void put_ladder(EncodingSettings& settings, const Encoding& encoding, const RotaryAxis& axis,
                const ScaledLadder& ladder) {
  if (takes(encoding, "base")) settings.base = axis.base;
  if (!encoding.takes_ladder) return;
  const bool narrow = axis.rotary_dim < settings.dim, says_rotary_dim = takes(encoding, "rotary_dim");
  if (narrow && says_rotary_dim) settings.rotary_dim = axis.rotary_dim;
  if (is_plain(ladder, axis) && (!narrow || says_rotary_dim)) return;
  settings.ladder = {{ladder.frequencies.begin(), ladder.frequencies.end()}, ladder.amplitude};
}

}  // namespace ropescope
