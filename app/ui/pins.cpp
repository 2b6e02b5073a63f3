#include "app/ui/pins.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ropescope::ui {

namespace {

constexpr int kColours = 5;

std::string key_of(std::size_t index) {
  return "pin" + std::to_string(index + 1);
}

/// Which of so many pins are hidden.
std::vector<bool> hidden_pins(const Experiment& experiment) {
  std::vector<bool> hidden;
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    const auto& names = experiment.hidden;
    hidden.push_back(std::find(names.begin(), names.end(), key_of(i)) != names.end());
  }
  return hidden;
}

void hide_pins(Experiment& experiment, const std::vector<bool>& hidden) {
  std::erase_if(experiment.hidden, [](const std::string& name) { return name.starts_with("pin"); });
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i]) experiment.hidden.push_back(key_of(i));
  }
}

}  // namespace

void remove_pin(Experiment& experiment, std::size_t index) {
  if (index >= experiment.pins.size()) return;
  std::vector<bool> hidden = hidden_pins(experiment);
  const auto at = static_cast<std::ptrdiff_t>(index);
  hidden.erase(hidden.begin() + at);
  experiment.pins.erase(experiment.pins.begin() + at);
  hide_pins(experiment, hidden);
}

void move_pin(Experiment& experiment, std::size_t from, std::size_t to) {
  if (std::max(from, to) >= experiment.pins.size()) return;
  std::vector<bool> hidden = hidden_pins(experiment);
  const Pin pin = experiment.pins[from];
  const bool was_hidden = hidden[from];
  const auto out = static_cast<std::ptrdiff_t>(from), in = static_cast<std::ptrdiff_t>(to);
  experiment.pins.erase(experiment.pins.begin() + out);
  hidden.erase(hidden.begin() + out);
  experiment.pins.insert(experiment.pins.begin() + in, pin);
  hidden.insert(hidden.begin() + in, was_hidden);
  hide_pins(experiment, hidden);
}

int slot_with(int colour, Dash dash) {
  const int rounds = (static_cast<int>(dash) - colour + kColours) % kColours;
  const int slot = colour + kColours * rounds;
  return slot == 0 ? kPinSlots : slot;  // slot 0 is that of the current rope; this one looks the same
}

}  // namespace ropescope::ui
