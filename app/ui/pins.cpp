#include "app/ui/pins.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/experiment/curves.h"

namespace ropescope::ui {

namespace {

constexpr int kColours = 5;

/// Which of so many pins are hidden.
std::vector<bool> hidden_pins(const Experiment& experiment) {
  std::vector<bool> hidden;
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    const auto& names = experiment.hidden;
    hidden.push_back(std::find(names.begin(), names.end(), pin_key(i)) != names.end());
  }
  return hidden;
}

void hide_pins(Experiment& experiment, const std::vector<bool>& hidden) {
  std::erase_if(experiment.hidden, [](const std::string& name) { return name.starts_with("pin"); });
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i]) experiment.hidden.push_back(pin_key(i));
  }
}

/// The curves stay relative to the same pin where it is another one by its number.
void follow_reference(Experiment& experiment, const std::optional<std::size_t>& before, std::size_t after) {
  if (before) experiment.curves.relative_to = pin_key(after);
}

}  // namespace

void remove_pin(Experiment& experiment, std::size_t index) {
  if (index >= experiment.pins.size()) return;
  std::vector<bool> hidden = hidden_pins(experiment);
  const auto reference = reference_pin(experiment);
  const auto at = static_cast<std::ptrdiff_t>(index);
  hidden.erase(hidden.begin() + at);
  experiment.pins.erase(experiment.pins.begin() + at);
  hide_pins(experiment, hidden);
  follow_reference(experiment, reference, reference.value_or(0) - (reference > index ? 1 : 0));
  if (reference == index) experiment.curves.relative_to = CurveKnobs().relative_to;
}

void move_pin(Experiment& experiment, std::size_t from, std::size_t to) {
  if (std::max(from, to) >= experiment.pins.size()) return;
  std::vector<bool> hidden = hidden_pins(experiment);
  const Pin pin = experiment.pins[from];
  const bool was_hidden = hidden[from];
  const auto reference = reference_pin(experiment);
  const auto out = static_cast<std::ptrdiff_t>(from), in = static_cast<std::ptrdiff_t>(to);
  experiment.pins.erase(experiment.pins.begin() + out);
  hidden.erase(hidden.begin() + out);
  experiment.pins.insert(experiment.pins.begin() + in, pin);
  hidden.insert(hidden.begin() + in, was_hidden);
  hide_pins(experiment, hidden);
  std::size_t moved = reference.value_or(0);
  if (moved == from) {
    moved = to;
  } else if (from < moved && moved <= to) {
    --moved;
  } else if (to <= moved && moved < from) {
    ++moved;
  }
  follow_reference(experiment, reference, moved);
}

int slot_with(int colour, Dash dash) {
  const int rounds = (static_cast<int>(dash) - colour + kColours) % kColours;
  const int slot = colour + kColours * rounds;
  return slot == 0 ? kPinSlots : slot;  // slot 0 is that of the current rope; this one looks the same
}

}  // namespace ropescope::ui
