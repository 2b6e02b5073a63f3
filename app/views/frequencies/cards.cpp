#include "app/views/frequencies/cards.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/training_cards.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

/// The largest finite wavelength.
double slowest_of(const Eigen::VectorXd& frequencies) {
  double slowest = 0;
  for (const double frequency : frequencies) {
    if (frequency > 0) slowest = std::max(slowest, wavelength(frequency));
  }
  return slowest;
}

Readout slowest(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  const auto value_of = [](const LadderCurve& of) {
    return Quantity{with_digits(slowest_of(of.scaled.frequencies), 5), "positions"};
  };
  Readout readout = start_card("frequencies.slowest", text);
  const auto still = std::count(current.scaled.frequencies.begin(), current.scaled.frequencies.end(), 0.0);
  readout.note = text.format(still > 0 ? "readout.frequencies.slowest.still" : "readout.frequencies.slowest.note",
                             {{"count", counted(still)},
                              {"plain", readable_number(slowest_of(current.plain), 5)},
                              {"fastest", readable_number(wavelength(current.scaled.frequencies[0]), 4)}});
  return with_pin(std::move(readout), current, pinned, value_of, text);
}

/// Number of pairs with that treatment.
int count_treatment(const ScaledLadder& ladder, PairTreatment treatment) {
  return static_cast<int>(std::count(ladder.treatment.begin(), ladder.treatment.end(), treatment));
}

Readout amplitude(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  const auto value_of = [](const LadderCurve& of) { return Quantity{with_digits(of.scaled.amplitude, 5)}; };
  Readout readout = start_card("frequencies.amplitude", text);
  const auto count = [&](PairTreatment treatment) { return counted(count_treatment(current.scaled, treatment)); };
  readout.note =
      text.format("readout.frequencies.amplitude.note", {{"kept", count(PairTreatment::kept)},
                                                         {"blended", count(PairTreatment::blended)},
                                                         {"interpolated", count(PairTreatment::interpolated)}});
  return with_pin(std::move(readout), current, pinned, value_of, text);
}

}  // namespace

std::vector<Readout> frequencies_readouts(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  const TrainedPairs known = trained_pairs(&current, &current.scaled.frequencies), known_of_pin = trained_pairs(pinned);
  return {unseen_card("frequencies", known, known_of_pin, text),
          critical_card("frequencies", known, known_of_pin, text), slowest(current, pinned, text),
          amplitude(current, pinned, text)};
}

}  // namespace ropescope
