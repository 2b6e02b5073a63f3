#include "app/views/frequencies/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "core/decay/limits.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

/// A still pair has no place on a logarithmic axis: the line ends there.
double on_log_axis(double value) {
  return std::isfinite(value) && value > 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

std::shared_ptr<const Series> quantity_series(const Eigen::VectorXd& frequencies, bool wavelengths) {
  std::vector<double> values;
  for (const double frequency : frequencies)
    values.push_back(on_log_axis(wavelengths ? wavelength(frequency) : frequency));
  return make_series(0, 1, std::move(values));
}

std::shared_ptr<const Series> ratio_series(const LadderCurve& curve) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < curve.plain.size(); ++i) values.push_back(curve.scaled.frequencies[i] / curve.plain[i]);
  return make_series(0, 1, std::move(values));
}

FigureAxis frequencies_shown_pairs(const std::vector<LadderCurve>& curves, const FrequenciesKnobs& knobs,
                                   const Text& text) {
  Eigen::Index most = 0;
  for (const LadderCurve& curve : curves) most = std::max(most, curve.plain.size());
  return pair_axis("frequencies", most, knobs.pair_range, text);
}

FigureAxis quantity_axis(const FrequenciesKnobs& knobs, const Text& text) {
  return named_axis("frequencies", knobs.quantity, text, AxisScale::log, "value");
}

/// The decades around all positive values.
Range decades_of(const std::vector<Line>& lines) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Range all = widened({kInfinity, 0}, lines);
  // A power of ten, too, has room on both sides.
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

/// Neighbouring pairs that the method treats alike, as stretches of the pair axis.
void add_treatments(Figure& figure, const ScaledLadder& ladder, const Text& text) {
  const std::size_t count = ladder.treatment.size();
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && ladder.treatment[end] == ladder.treatment[begin]) ++end;
    for (const TreatmentLook& look : kLooks) {
      if (look.treatment != ladder.treatment[begin]) continue;
      const double low = std::max(0.0, static_cast<double>(begin) - 0.5);
      const double high = std::min(static_cast<double>(end) - 0.5, static_cast<double>(count - 1));
      figure.spans.push_back({true, low, high, look.style, look.role, text[look.text]});
    }
  }
}

/// Shades what no phase of training has covered, and marks the trained length and the critical dimension.
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
  add_level(figure, limit, text.format("view.frequencies.trained", {{"length", counted(length)}}));
  const int dimension = 2 * static_cast<int>(curve.plain.size());
  const int critical = critical_dimension(curve.trained, length);
  if (critical <= 0 || critical >= dimension) return;
  // between the last pair that finishes a turn and the first that does not
  const bool plain = curve.scaled.frequencies == curve.plain;
  add_rule(figure, critical / 2.0 - 0.5,
           text.format(plain ? "view.frequencies.critical" : "view.frequencies.critical_of_plain",
                       {{"dimension", counted(critical)}}));
}

}  // namespace

Figure quantity_figure(const std::vector<LadderCurve>& curves, const FrequenciesKnobs& knobs, const Text& text) {
  const bool wavelengths = knobs.quantity == "wavelength";
  Figure figure;
  figure.name = "frequencies";
  for (const LadderCurve& curve : curves) {
    figure.lines.push_back({curve.shown.key,
                            curve.shown.label,
                            {curve.shown.slot, false},
                            quantity_series(curve.scaled.frequencies, wavelengths),
                            true});
    figure.clocks.emplace_back(curve.scaled.frequencies.begin(), curve.scaled.frequencies.end());
  }
  if (curves.front().scaled.frequencies != curves.front().plain) {
    figure.lines.push_back({curves.front().shown.key + ".plain",
                            text["view.frequencies.plain"],
                            {curves.front().shown.slot, true},
                            quantity_series(curves.front().plain, wavelengths),
                            true});
    figure.clocks.emplace_back(curves.front().plain.begin(), curves.front().plain.end());
  }
  figure.x = frequencies_shown_pairs(curves, knobs, text);
  figure.y = value_axis(quantity_axis(knobs, text), decades_of(figure.lines), knobs.value_range);
  add_treatments(figure, curves.front().scaled, text);
  add_training(figure, curves.front(), wavelengths, text);
  return figure;
}

Figure ratio_figure(const std::vector<LadderCurve>& curves, const FrequenciesKnobs& knobs, const Text& text) {
  Figure figure;
  figure.name = "ratio";
  for (const LadderCurve& curve : curves) {
    figure.lines.push_back({curve.shown.key, curve.shown.label, {curve.shown.slot, false}, ratio_series(curve), true});
  }
  figure.x = frequencies_shown_pairs(curves, knobs, text);
  const auto [low, high] = widened({0, 1}, figure.lines);
  figure.y = value_axis(named_axis("frequencies", "ratio", text), {low, 1.05 * high}, knobs.ratio_range);
  figure.zero_line = true;
  add_treatments(figure, curves.front().scaled, text);
  for (Span& span : figure.spans) span.label.clear();  // said once, in the panel above
  return figure;
}

Figure empty_frequencies_figure(const FrequenciesKnobs& knobs, const Text& text) {
  Figure figure;
  figure.name = "frequencies";
  figure.x = frequencies_shown_pairs({}, knobs, text);
  figure.y = quantity_axis(knobs, text);
  return figure;
}

}  // namespace ropescope
