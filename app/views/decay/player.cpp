#include "app/views/decay/player.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

bool moves(const Experiment& experiment) {
  return experiment.decay.show == "phasors";
}

bool decay_player_playing(const Experiment& experiment) {
  return experiment.decay.playing;
}

void play_decay_player(Experiment& experiment, bool on) {
  DecayKnobs& knobs = experiment.decay;
  if (on && knobs.distance >= kMostDecayDistance) knobs.distance = 0;
  // Tokens stand at whole distances: only while it plays the picture may be between two.
  knobs.glide = 0;
  knobs.playing = on;
}

void advance_decay_player(Experiment& experiment, double seconds) {
  DecayKnobs& knobs = experiment.decay;
  if (!knobs.playing || !(seconds > 0)) return;
  const double room = kMostDecayDistance - knobs.distance;
  const double onwards = std::min(knobs.glide + knobs.speed * seconds, room);
  knobs.distance += std::floor(onwards);
  knobs.glide = onwards - std::floor(onwards);
  if (onwards >= room) knobs.playing = false;
}

void step_decay_player(Experiment& experiment, int steps) {
  DecayKnobs& knobs = experiment.decay;
  // From between two distances, a step back goes to the one passed last.
  const double whole = steps < 0 && knobs.glide > 0 ? steps + 1 : steps;
  knobs.distance = std::clamp(knobs.distance + whole, 0.0, kMostDecayDistance);
  knobs.glide = 0;
}

}  // namespace

const Player kDecayPlayer{decay_player_playing, play_decay_player, advance_decay_player, step_decay_player, moves};

}  // namespace ropescope
