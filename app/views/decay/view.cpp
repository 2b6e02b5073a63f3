#include "app/views/decay/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/decay/differences.h"
#include "app/views/decay/figures.h"
#include "app/views/decay/phasors.h"
#include "app/views/decay/player.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/decay/limits.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

std::vector<DecayShown> curves_of(const Experiment& experiment, const Text& text, Store& store) {
  const bool dimensions_differ = labels_need_dimension(experiment);
  std::vector<DecayShown> curves;
  const auto add = [&](const std::string& key, const RopeKnobs& rope, const std::string& label, int slot) {
    const RopeReading reading = read_rope(rope);
    const Eigen::VectorXd &frequencies = reading.ladder.frequencies, &plain = reading.plain;
    const DecayInput input = decay_input(frequencies, reading.ladder.amplitude, experiment.decay);
    const auto answer = store.get(key, input);
    DecayCurvesOf of{
        rope,          frequencies,   plain,         trained_frequencies(plain, frequencies), reading.ladder.amplitude,
        input.content, answer.result, answer.current};
    curves.push_back({key, label, slot, std::move(of)});
  };
  add("current", experiment.rope, rope_label(experiment.rope, text, dimensions_differ), 0);
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    const Pin& pin = experiment.pins[i];
    add(pin_key(i), pin.rope, pin_label(pin, text, dimensions_differ), pin.slot);
  }
  return curves;
}

std::string status_of_decay(const DecayCurvesOf& current, const DecayKnobs& knobs, const Text& text) {
  return text.format("view.decay.status", {{"distances", counted(knobs.span + 1)},
                                           {"pairs", counted(current.frequencies.size())},
                                           {"time", readable_number(current.curves->seconds * 1e3, 2)}});
}

void describe_decay(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.rope);
  describe(fields, experiment.decay);
}

ViewResult phasor_figures(const Experiment& experiment, const Text& text) {
  const PhasorState state = phasor_state(experiment);
  ViewResult result;
  result.panels.push_back({phasors_figure(state, text), 1});
  result.panels.push_back({chain_figure(state, text), 1, true, 0.75});
  result.readouts = phasor_readouts(state, text);
  add_ladder_in_use(result.readouts, "decay", experiment.rope, text);
  result.status = text.format("view.decay.status_phasors", {{"pairs", counted(state.pairs())}});
  return result;
}

/// What is drawn above the differences: the similarity of all ropes, as the differences are of it.
Experiment shown_with_differences(Experiment experiment) {
  DecayKnobs& knobs = experiment.decay;
  knobs.show_similarity = true;
  knobs.show_bound = false;
  knobs.with_amplitude = true;
  knobs.content = "aligned";
  return experiment;
}

DifferencesShown differences_of(const Experiment& experiment, const Text& text, Store& store) {
  DifferencesShown shown{{}, {}, nullptr, true, text};
  if (experiment.pins.empty()) return shown;
  const Pin& first = experiment.pins.front();
  const bool dimensions_differ = labels_need_dimension(experiment);
  shown.a = pin_label(first, text, dimensions_differ);
  shown.b = rope_label(experiment.rope, text, dimensions_differ);
  const auto answer = store.get("differences", ComparisonInput(first.rope, experiment.rope));
  shown.found = answer.result;
  shown.current = answer.current;
  return shown;
}

ViewResult difference_figures(const Experiment& given, const Text& text, Store& store) {
  constexpr double kLeastTable = 0.4, kMostTable = 0.62, kHead = 0.19, kLine = 0.038;  // shares of the height
  const Experiment experiment = shown_with_differences(given);
  const std::vector<DecayShown> curves = curves_of(experiment, text, store);
  const DifferencesShown differences = differences_of(experiment, text, store);
  const double table = std::clamp(kHead + kLine * difference_lines(differences), kLeastTable, kMostTable);
  ViewResult result;
  result.panels.push_back({similarity_figure(experiment, curves, text, store), 1 - table});
  result.panels.push_back({differences_figure(differences), table});
  for (const DecayShown& curve : curves) result.stale |= !curve.of.current;
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  result.readouts = differences_readouts(differences);
  if (!result.stale) result.status = status_of_decay(curves.front().of, experiment.decay, text);
  return result;
}

ViewResult decay_figures(const Experiment& experiment, const Text& text, Store& store) {
  const DecayKnobs& knobs = experiment.decay;
  if (knobs.show == "phasors") return phasor_figures(experiment, text);
  if (knobs.show == "differences") return difference_figures(experiment, text, store);
  ViewResult result;
  const std::vector<DecayShown> curves = curves_of(experiment, text, store);
  if (shows_curves(knobs)) {
    result.panels.push_back({similarity_figure(experiment, curves, text, store), knobs.show_bound ? 0.62 : 1.0});
  }
  if (knobs.show_bound) {
    result.panels.push_back({bound_figure(experiment, curves, text), result.panels.empty() ? 1.0 : 0.38});
  }
  if (result.panels.empty()) {
    result = hint_result(empty_decay_figure(experiment, text), text["view.decay.all_hidden"]);
  }
  for (const DecayShown& curve : curves) result.stale |= !curve.of.current;
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  const DecayCurvesOf* pinned = curves.size() > 1 ? &curves[1].of : nullptr;
  result.readouts = decay_readouts(curves.front().of, pinned, text);
  if (knobs.with_amplitude && curves.front().of.amplitude != 1) {
    for (Readout& readout : result.readouts) {
      const bool of_curve = readout.name == "decay.first_negative" || readout.name == "decay.last_above_half" ||
                            readout.name == "decay.lowest";
      if (of_curve) readout.note += " " + text["readout.decay.of_k"];
    }
  }
  add_ladder_in_use(result.readouts, "decay", experiment.rope, text);
  if (!result.stale) result.status = status_of_decay(curves.front().of, knobs, text);
  return result;
}

/// The arrows are those of the curves, and may stand beyond them.
double longest_distance(const Experiment& experiment) {
  return std::max(experiment.decay.span, experiment.decay.show == "phasors" ? experiment.decay.distance : 0);
}

/// What a text of marked pairs may hold, whatever the rope has.
constexpr double kMostPairs = 4096;

void check_marked_pairs(const Experiment& experiment) {
  const std::string& marked = experiment.decay.marked_pairs;
  if (marked.empty()) return;
  for (const double pair : parse_list(marked, "decay.marked_pairs", kMostMarkedPairs)) {
    if (pair < 0 || pair >= kMostPairs || pair != std::floor(pair)) {
      throw InputError("whole_numbers",
                       {{"field", "decay.marked_pairs"}, {"text", in_quotes(marked)}, {"most", kMostPairs - 1}});
    }
  }
}

}  // namespace

constinit const View kDecayView{.id = "decay",
                                .group = "explore",
                                .describe = describe_decay,
                                .figures = decay_figures,
                                .empty = empty_decay_figure,
                                .player = &kDecayPlayer,
                                .length = longest_distance,
                                .check = check_marked_pairs};

}  // namespace ropescope
