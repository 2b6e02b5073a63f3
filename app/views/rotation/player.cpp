#include "app/views/rotation/player.h"

#include <algorithm>
#include <cmath>

#include "app/views/rotation/view.h"

namespace ropescope {

namespace {

constexpr double kPermuteSteps = 4;

/// How far both positions, or m alone, may still move upwards.
double room_above(const RotationKnobs& knobs) {
  return kMostRotationPosition -
         (knobs.locked ? std::max(knobs.query_position, knobs.key_position) : knobs.query_position);
}

double room_below(const RotationKnobs& knobs) {
  return knobs.locked ? std::min(knobs.query_position, knobs.key_position) : knobs.query_position;
}

void shift_rotation_player(RotationKnobs& knobs, double whole) {
  knobs.query_position += whole;
  if (knobs.locked) knobs.key_position += whole;
}

bool moves_channels(const RotationKnobs& knobs) {
  return knobs.show == "pairing";
}

bool rotation_player_playing(const Experiment& experiment) {
  return experiment.rotation.playing;
}

void play_rotation_player(Experiment& experiment, bool on) {
  RotationKnobs& knobs = experiment.rotation;
  if (on && moves_channels(knobs) && knobs.permute >= 1) knobs.permute = 0;
  if (on && !moves_channels(knobs) && room_above(knobs) <= 0) shift_rotation_player(knobs, -room_below(knobs));
  // Tokens stand at whole positions: only while it plays the picture may be between two.
  knobs.glide = 0;
  knobs.playing = on;
}

void advance_channels(RotationKnobs& knobs, double seconds) {
  knobs.permute = std::min(1.0, knobs.permute + seconds / kPermuteSeconds);
  if (knobs.permute >= 1) knobs.playing = false;
}

void advance_rotation_player(Experiment& experiment, double seconds) {
  RotationKnobs& knobs = experiment.rotation;
  if (!knobs.playing || !(seconds > 0)) return;
  if (moves_channels(knobs)) return advance_channels(knobs, seconds);
  const double room = room_above(knobs);
  const double onwards = std::min(knobs.glide + knobs.speed * seconds, room);
  const double whole = std::floor(onwards);
  shift_rotation_player(knobs, whole);
  knobs.glide = onwards - whole;
  if (onwards >= room) knobs.playing = false;
}

void step_rotation_player(Experiment& experiment, int steps) {
  RotationKnobs& knobs = experiment.rotation;
  if (moves_channels(knobs)) {
    const double place = knobs.permute * kPermuteSteps;
    knobs.permute = std::clamp((steps > 0 ? std::floor(place) : std::ceil(place)) + steps, 0.0, kPermuteSteps);
    knobs.permute /= kPermuteSteps;
    return;
  }
  // From between two positions, a step back goes to the one passed last.
  const double whole = steps < 0 && knobs.glide > 0 ? steps + 1 : steps;
  shift_rotation_player(knobs, std::clamp(whole, -room_below(knobs), room_above(knobs)));
  knobs.glide = 0;
}

}  // namespace

const Player kRotationPlayer{rotation_player_playing, play_rotation_player, advance_rotation_player,
                             step_rotation_player};

}  // namespace ropescope
