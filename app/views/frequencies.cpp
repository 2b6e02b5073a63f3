// The view Frequencies: figures and cards of ladders.
//
// Contents: Cards; Figures; View.

#include "app/views/views.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/decay/limits.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Cards ---------------------------------------------------------------------------------------------------------

namespace {

/// A rope on screen with its pairs: under its extension and plain.
struct LadderCurve {
  ShownRope shown;
  ScaledLadder scaled;
  Eigen::VectorXd plain, trained;  ///< trained: see trained_frequencies

  /// Returns whether every pair keeps its frequency.
  bool is_plain() const { return scaled.frequencies == plain; }
};

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

Readout amplitude(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  const auto value_of = [](const LadderCurve& of) { return Quantity{with_digits(of.scaled.amplitude, 5)}; };
  Readout readout = start_card("frequencies.amplitude", text);
  const auto count = [&](PairTreatment treatment) {
    return counted(std::count(current.scaled.treatment.begin(), current.scaled.treatment.end(), treatment));
  };
  readout.note =
      text.format(current.is_plain() ? "readout.frequencies.amplitude.plain" : "readout.frequencies.amplitude.note",
                  {{"kept", count(PairTreatment::kept)},
                   {"blended", count(PairTreatment::blended)},
                   {"interpolated", count(PairTreatment::interpolated)}});
  return with_pin(std::move(readout), current, pinned, value_of, text);
}

/// Unseen phases, critical dimension, slowest wavelength, amplitude; compared with the first pinned rope, if any.
std::vector<Readout> frequencies_readouts(const LadderCurve& current, const LadderCurve* pinned, const Text& text) {
  const TrainedPairs known = trained_pairs(&current, &current.scaled.frequencies), known_of_pin = trained_pairs(pinned);
  return {unseen_card("frequencies", known, known_of_pin, text),
          critical_card("frequencies", known, known_of_pin, text), slowest(current, pinned, text),
          amplitude(current, pinned, text)};
}

// --- Figures -------------------------------------------------------------------------------------------------------

std::shared_ptr<const Series> quantity_series(const Eigen::VectorXd& frequencies, bool wavelengths) {
  std::vector<double> values;
  for (const double frequency : frequencies) {
    const double value = wavelengths ? wavelength(frequency) : frequency;
    // A static pair has no position on a logarithmic axis, so the line ends there.
    values.push_back(std::isfinite(value) && value > 0 ? value : std::numeric_limits<double>::quiet_NaN());
  }
  return make_series(0, 1, std::move(values));
}

std::shared_ptr<const Series> ratio_series(const LadderCurve& curve) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < curve.plain.size(); ++i) values.push_back(curve.scaled.frequencies[i] / curve.plain[i]);
  return make_series(0, 1, std::move(values));
}

FigureAxis make_ladder_pair_axis(const std::vector<LadderCurve>& curves, const FrequenciesFields& fields,
                                 const Text& text) {
  Eigen::Index most = 0;
  for (const LadderCurve& curve : curves) most = std::max(most, curve.plain.size());
  return pair_axis("frequencies", most, fields.zooms, text);
}

FigureAxis quantity_axis(const FrequenciesFields& fields, const Text& text) {
  return named_axis("frequencies", word_of(fields.quantity), text, AxisScale::log, "value");
}

/// The decades around all positive values.
Range decades_of(const std::vector<Line>& lines) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Range all = widened({kInfinity, 0}, lines);
  // A power of ten also needs space on both sides.
  return all.low <= all.high ? decades({all.low * (1 - 1e-9), all.high * (1 + 1e-9)}) : Range{0.1, 10};
}

struct TreatmentLook {
  PairTreatment treatment;
  const char* text;
  LineStyle style;
  Role role;
};
constexpr TreatmentLook kLooks[] = {
    {PairTreatment::kept, "view.frequencies.kept", {2, false}, Role::curve},
    {PairTreatment::blended, "view.frequencies.blended", {1, false}, Role::curve},
    {PairTreatment::interpolated, "view.frequencies.interpolated", {3, false}, Role::curve},
    {PairTreatment::still, "view.frequencies.still", {0, false}, Role::secondary},
};

/// Adds runs of adjacent pairs with the same treatment as ranges of the pair axis. If all pairs that rotate are kept,
/// only static pairs are marked.
void add_treatments(Figure& figure, const ScaledLadder& ladder, const Text& text) {
  const std::size_t count = ladder.treatment.size();
  const bool all_kept = std::all_of(ladder.treatment.begin(), ladder.treatment.end(), [](PairTreatment each) {
    return each == PairTreatment::kept || each == PairTreatment::still;
  });
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && ladder.treatment[end] == ladder.treatment[begin]) ++end;
    for (const TreatmentLook& look : kLooks) {
      if (look.treatment != ladder.treatment[begin]) continue;
      if (look.treatment == PairTreatment::kept && all_kept) continue;
      const double low = std::max(0.0, static_cast<double>(begin) - 0.5);
      const double high = std::min(static_cast<double>(end) - 0.5, static_cast<double>(count - 1));
      figure.spans.push_back({true, low, high, look.style, look.role, text[look.text]});
    }
  }
}

/// Shades the phases that training did not cover, and marks the trained length and the critical dimension.
void add_training(Figure& figure, const LadderCurve& curve, bool wavelengths, const Text& text) {
  const double length = curve.shown.rope->trained_length;
  if (length <= 0) return;
  const double limit = wavelengths ? length : 2 * std::numbers::pi / length;
  Span unseen;
  unseen.vertical = false;
  unseen.low = wavelengths ? limit : 0;
  unseen.high = wavelengths ? std::numeric_limits<double>::max() : limit;
  unseen.style.faint = true;
  unseen.role = Role::secondary;
  unseen.label = text["view.frequencies.unseen"];
  figure.spans.push_back(unseen);
  add_level(figure, limit, trained_label(*curve.shown.rope, "view.frequencies.trained", text));
  const int dimension = 2 * static_cast<int>(curve.plain.size());
  const int critical = critical_dimension(curve.trained, length);
  if (critical <= 0 || critical >= dimension) return;
  // between the last pair that completes a turn and the first that does not
  add_rule(figure, critical / 2.0 - 0.5,
           text.format(curve.is_plain() ? "view.frequencies.critical" : "view.frequencies.critical_of_plain",
                       {{"dimension", counted(critical)}}));
}

/// Frequency or wavelength of every pair.
Figure quantity_figure(const std::vector<LadderCurve>& curves, const FrequenciesFields& fields, const Text& text) {
  const bool wavelengths = fields.quantity == LadderQuantity::wavelength;
  Figure figure = named_figure("frequencies");
  for (const LadderCurve& curve : curves) {
    figure.lines.push_back({curve.shown.key,
                            curve.shown.label,
                            {curve.shown.slot, false},
                            quantity_series(curve.scaled.frequencies, wavelengths)});
    figure.clocks.emplace_back(curve.scaled.frequencies.begin(), curve.scaled.frequencies.end());
  }
  if (!curves.front().is_plain()) {
    figure.lines.push_back({curves.front().shown.key + ".plain",
                            text["view.frequencies.plain"],
                            {curves.front().shown.slot, true},
                            quantity_series(curves.front().plain, wavelengths)});
    figure.clocks.emplace_back(curves.front().plain.begin(), curves.front().plain.end());
  }
  figure.x = make_ladder_pair_axis(curves, fields, text);
  figure.y = value_axis(quantity_axis(fields, text), decades_of(figure.lines), fields.zooms);
  add_treatments(figure, curves.front().scaled, text);
  if (fields.show_trained) add_training(figure, curves.front(), wavelengths, text);
  for (const Line& line : figure.lines) {
    if (line.key.ends_with(".plain")) name_line(figure, line, 0.85, line.label);
  }
  return figure;
}

/// The figure of the ratio of each ladder to the plain one.
Figure ratio_figure(const std::vector<LadderCurve>& curves, const FrequenciesFields& fields, const Text& text) {
  Figure figure = named_figure("ratio");
  for (const LadderCurve& curve : curves) {
    figure.lines.push_back({curve.shown.key, curve.shown.label, {curve.shown.slot, false}, ratio_series(curve)});
  }
  figure.x = make_ladder_pair_axis(curves, fields, text);
  const auto [low, high] = widened({0, 1}, figure.lines);
  figure.y = value_axis(named_axis("frequencies", "ratio", text), {low, 1.05 * high}, fields.zooms);
  figure.zero_line = true;
  add_treatments(figure, curves.front().scaled, text);
  for (Span& span : figure.spans) span.label.clear();  // only labelled in the panel above
  return figure;
}

/// Axes without curves.
Figure empty_frequencies_figure(const Experiment& experiment, const Text& text) {
  const FrequenciesFields& fields = experiment.frequencies;
  Figure figure = named_figure("frequencies");
  figure.x = make_ladder_pair_axis({}, fields, text);
  figure.y = quantity_axis(fields, text);
  return figure;
}

// --- View ----------------------------------------------------------------------------------------------------------

LadderCurve curve_of_frequencies(const ShownRope& shown) {
  const RopeReading rope = read_rope(*shown.rope);
  LadderCurve curve{shown, rope.ladder, rope.plain, {}};
  curve.trained = trained_frequencies(curve.plain, curve.scaled.frequencies);
  return curve;
}

void declare_frequencies_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.rope);
  declare_fields(list, experiment.frequencies);
}

ViewResult frequencies_figures(const Experiment& experiment, const Text& text, Store&) {
  const FrequenciesFields& fields = experiment.frequencies;
  std::vector<LadderCurve> curves;
  for (const ShownRope& shown : shown_ropes(experiment, text)) curves.push_back(curve_of_frequencies(shown));
  if (curves.empty()) return hint_result(empty_frequencies_figure(experiment, text), text["view.decay.all_hidden"]);
  ViewResult result;
  // A level line at 1 is not worth a panel.
  const bool flat =
      std::all_of(curves.begin(), curves.end(), [](const LadderCurve& curve) { return curve.is_plain(); });
  const bool ratio = fields.show_ratio && !flat;
  result.panels.push_back({quantity_figure(curves, fields, text), ratio ? 0.66 : 1.0});
  if (ratio) result.panels.push_back({ratio_figure(curves, fields, text), 0.34});
  const LadderCurve* pinned = curves.size() > 1 ? &curves[1] : nullptr;
  result.readouts = frequencies_readouts(curves.front(), pinned, text);
  add_ladder_in_use(result.readouts, "frequencies", *curves.front().shown.rope, text);
  result.status =
      text.format("view.frequencies.status", {{"pairs", counted(curves.front().plain.size())},
                                              {"amplitude", readable_number(curves.front().scaled.amplitude, 5)}});
  if (fields.show_ratio && flat) result.status += " · " + text["view.frequencies.flat"];
  return result;
}

}  // namespace

constinit const View kFrequenciesView{.id = "frequencies",
                                      .group = "explore",
                                      .declare_fields = declare_frequencies_fields,
                                      .figures = frequencies_figures,
                                      .empty = empty_frequencies_figure,
                                      .length = [](const Experiment&) { return 0.0; }};

}  // namespace ropescope
