#include "app/views/frequencies/cards.h"

#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

Readout start(const Text& text, const std::string& key) {
  Readout readout;
  readout.key = key;
  readout.label = text["readout." + key + ".label"];
  readout.tooltip = text["readout." + key + ".tooltip"];
  return readout;
}

void compare(Readout& readout, const LadderCurve* pinned, const std::string& value, const Text& text) {
  if (pinned) readout.note = text.format("readout.pinned", {{"value", value}}) + " " + readout.note;
}

std::string unseen_value(const LadderCurve& curve, const Text& text) {
  const double length = curve.shown.rope->trained_length;
  if (length <= 0) return text["readout.none"];
  return text.format("readout.unseen.value", {{"count", readable_integer(unfinished_pairs(curve.trained, length))},
                                              {"pairs", readable_integer(static_cast<double>(curve.plain.size()))}});
}

Readout unseen(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  Readout readout = start(text, "unseen");
  const double length = current.shown.rope->trained_length;
  readout.value = unseen_value(current, text);
  readout.note = unseen_note(current.trained, length, text);
  compare(readout, pinned, pinned ? unseen_value(*pinned, text) : "", text);
  return readout;
}

std::string critical_value(const LadderCurve& curve, const Text& text) {
  const double length = curve.shown.rope->trained_length;
  if (length <= 0) return text["readout.none"];
  return readable_integer(critical_dimension(curve.trained, length));
}

Readout critical(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  Readout readout = start(text, "critical");
  const double length = current.shown.rope->trained_length;
  readout.value = critical_value(current, text);
  readout.note = length > 0 ? text.format("readout.critical.note", {{"length", readable_integer(length)}})
                            : text["readout.unseen.none"];
  compare(readout, pinned, pinned ? critical_value(*pinned, text) : "", text);
  return readout;
}

/// The largest finite wavelength.
double slowest_of(const Eigen::VectorXd& frequencies) {
  double slowest = 0;
  for (const double frequency : frequencies) {
    if (frequency > 0) slowest = std::max(slowest, wavelength(frequency));
  }
  return slowest;
}

Readout slowest(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  Readout readout = start(text, "slowest");
  readout.value = readable_number(slowest_of(current.scaled.frequencies), 5);
  const std::string plain = readable_number(slowest_of(current.plain), 5);
  const auto still = std::count(current.scaled.frequencies.begin(), current.scaled.frequencies.end(), 0.0);
  readout.note =
      still > 0
          ? text.format("readout.slowest.still",
                        {{"count", readable_integer(static_cast<double>(still))}, {"plain", plain}})
          : text.format("readout.slowest.note",
                        {{"plain", plain}, {"fastest", readable_number(wavelength(current.scaled.frequencies[0]), 4)}});
  compare(readout, pinned, pinned ? readable_number(slowest_of(pinned->scaled.frequencies), 5) : "", text);
  return readout;
}

Readout amplitude(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  Readout readout = start(text, "amplitude");
  readout.value = readable_number(current.scaled.amplitude, 5);
  const auto count = [&](PairTreatment treatment) {
    return readable_integer(count_treatment(current.scaled, treatment));
  };
  readout.note = text.format("readout.amplitude.note", {{"kept", count(PairTreatment::kept)},
                                                        {"blended", count(PairTreatment::blended)},
                                                        {"interpolated", count(PairTreatment::interpolated)}});
  compare(readout, pinned, pinned ? readable_number(pinned->scaled.amplitude, 5) : "", text);
  return readout;
}

}  // namespace

std::string unseen_note(const Eigen::VectorXd& trained, double length, const Text& text) {
  if (length <= 0) return text["readout.unseen.none"];
  const auto still = (trained.array() == 0).count();
  return text.format(still > 0 ? "readout.unseen.still" : "readout.unseen.note",
                     {{"length", readable_integer(length)}, {"still", readable_integer(static_cast<double>(still))}});
}

int count_treatment(const ScaledLadder& ladder, PairTreatment treatment) {
  return static_cast<int>(std::count(ladder.treatment.begin(), ladder.treatment.end(), treatment));
}

std::vector<Readout> frequencies_readouts(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  return {unseen(current, pinned, text), critical(current, pinned, text), slowest(current, pinned, text),
          amplitude(current, pinned, text)};
}

}  // namespace ropescope
