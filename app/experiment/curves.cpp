#include "app/experiment/curves.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"

namespace ropescope {

namespace {

std::vector<std::string> references(const Experiment& experiment) {
  std::vector<std::string> keys{"current"};
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) keys.push_back(pin_key(pin));
  return keys;
}

bool has_reference(const Experiment& experiment) {
  const std::vector<std::string> keys = references(experiment);
  return std::find(keys.begin(), keys.end(), experiment.curves.relative_to) != keys.end();
}

}  // namespace

bool relates(const Experiment& experiment) {
  return experiment.curves.shown_as != CurveKnobs().shown_as;
}

std::optional<std::size_t> reference_pin(const Experiment& experiment) {
  for (std::size_t pin = 0; pin < experiment.pins.size(); ++pin) {
    if (experiment.curves.relative_to == pin_key(pin)) return pin;
  }
  return std::nullopt;
}

void check_curves(const Experiment& experiment) {
  if (!relates(experiment)) return;
  const CurveKnobs& knobs = experiment.curves;
  if (experiment.pins.empty()) throw InputError("curves.no_pins", {{"shown_as", knobs.shown_as}});
  if (has_reference(experiment)) return;
  throw InputError("curves.no_pin", {{"given", knobs.relative_to}, {"expected", one_of(references(experiment))}});
}

void settle_curves(Experiment& experiment) {
  if (experiment.pins.empty()) experiment.curves = {};
  if (!has_reference(experiment)) experiment.curves.relative_to = CurveKnobs().relative_to;
}

}  // namespace ropescope
