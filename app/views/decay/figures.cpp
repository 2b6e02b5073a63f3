#include "app/views/decay/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figure/number_text.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "app/views/shared/ropes.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

double smallest_positive(const std::vector<Line>& lines) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Line& line : lines) {
    for (const double y : line.series->ys) {
      if (y > 0) smallest = std::min(smallest, y);
    }
  }
  return smallest;
}

/// Fits an axis to its lines. Linear ends lie on a tenth of the size, so that dragging a knob does not make it tremble.
Range fit_values_decay(const std::vector<Line>& lines, AxisScale scale) {
  if (lines.empty()) return {0, 1};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Range data = widened({kInfinity, -kInfinity}, lines);
  if (scale == AxisScale::log) {
    const double low = smallest_positive(lines);
    if (!std::isfinite(low)) return {0.1, 1};
    return {std::max(std::pow(10, std::floor(std::log10(low))), data.high * 1e-6), data.high * 1.15};
  }
  const double size = std::max(std::abs(data.low), std::abs(data.high));
  if (size == 0) return {-1, 1};
  const double grain = 0.1 * std::pow(10, std::floor(std::log10(size)));
  const double low = data.low >= 0 ? 0 : grain * std::floor(data.low / grain - 0.25);
  return {low, data.high + 0.04 * (data.high - std::min(data.low, 0.0))};
}

FigureAxis decay_distance_axis(const DecayKnobs& knobs, const Text& text) {
  FigureAxis axis = named_axis("decay", "distance", text, axis_scale_of(knobs.distance_axis));
  axis.whole = true;
  return data_axis(axis, {axis.scale == AxisScale::log ? 1.0 : 0.0, knobs.span}, knobs.distance_range);
}

FigureAxis similarity_axis(const DecayKnobs& knobs, const Text& text, const std::vector<Line>& lines) {
  FigureAxis axis = named_axis("decay", "similarity", text, axis_scale_of(knobs.similarity_axis));
  const bool random = knobs.content == "random";
  if (random) axis.label = text["view.decay.score"];
  if (knobs.with_amplitude) {
    axis.label = text[random ? "view.decay.score_with_amplitude" : "view.decay.similarity_with_amplitude"];
  }
  return value_axis(axis, fit_values_decay(lines, axis.scale), knobs.similarity_range);
}

FigureAxis bound_axis(const DecayKnobs& knobs, const Text& text, const std::vector<Line>& lines) {
  FigureAxis axis = named_axis("decay", "bound", text, axis_scale_of(knobs.bound_axis));
  axis.name = "abel_bound";
  if (knobs.content == "random") axis.label = text["view.decay.bound_of_score"];
  return value_axis(axis, fit_values_decay(lines, axis.scale), knobs.bound_range);
}

void add_rules_decay(Figure& figure, const Experiment& experiment, const std::vector<DecayShown>& curves,
                     const Text& text) {
  std::vector<double> seen;
  for (const DecayShown& curve : curves) {
    const double length = curve.of.rope.trained_length;
    if (length <= 0 || is_hidden(experiment, curve.key)) continue;
    if (std::find(seen.begin(), seen.end(), length) != seen.end()) continue;
    seen.push_back(length);
    add_rule(figure, length, text.format("view.decay.trained", {{"length", counted(length)}}));
  }
  if (experiment.decay.marked_pairs.empty()) return;
  const Eigen::VectorXd& frequencies = curves.front().of.frequencies;
  for (const double pair : parse_list(experiment.decay.marked_pairs, "decay.marked_pairs", kMostMarkedPairs)) {
    // Marked on a larger dimension: comes back with it.
    if (!(pair >= 0 && pair < static_cast<double>(frequencies.size()))) continue;
    const double length = wavelength(frequencies[static_cast<Eigen::Index>(pair)]);
    if (!std::isfinite(length)) continue;
    add_rule(figure, length,
             text.format("view.decay.wavelength", {{"pair", counted(pair)}, {"length", readable_number(length, 4)}}),
             Role::curve, {0, false});
  }
}

/// The current rope without its extension, faint behind its own curve.
void add_plain_line(Figure& figure, const Experiment& experiment, const DecayShown& current, const Text& text,
                    Store& store) {
  if (!experiment.decay.show_plain || is_hidden(experiment, current.key)) return;
  const bool louder = experiment.decay.with_amplitude && current.of.amplitude != 1;
  if (current.of.frequencies == current.of.plain && !louder) return;
  DecayInput input = decay_input(current.of.plain, 1, experiment.decay);
  input.bound = input.trend = false;
  input.envelope = EnvelopeKind::none;
  const auto answer = store.get("current.plain", input);
  figure.stale |= !answer.current;
  if (!answer.result) return;
  figure.lines.push_back(
      {current.key + ".plain", text["view.decay.without"], {current.slot, true}, answer.result->similarity, true});
}

/// Said over the bound: it bounds |K|, which is at most 1.
void add_largest_similarity(Figure& figure, const std::vector<DecayShown>& curves, const Text& text) {
  const DecayCurvesOf& current = curves.front().of;
  if (!current.curves || !current.curves->bound || figure.lines.empty()) return;
  Rule rule;
  rule.vertical = false;
  rule.at = 1;
  const auto& telling = current.curves->first_telling;
  rule.label = telling ? text.format("view.decay.bound_tells", {{"distance", counted(*telling)}})
                       : text["view.decay.bound_says_nothing"];
  rule.role = Role::text;
  figure.rules.push_back(rule);
}

/// Names the trend at its left part, where the similarity keeps close to it and the room above is free.
void name_trend(Figure& figure, const std::vector<DecayShown>& curves, const DecayKnobs& knobs, const Text& text) {
  constexpr double kAlong = 0.3;
  const auto& current = curves.front().of.curves;
  if (!knobs.show_trend || !current || !current->trend) return;
  const Range& shown = figure.x.range;
  const bool linear = figure.x.scale == AxisScale::linear;
  const double low = std::max(shown.low, 1.0);
  Label label;
  label.x = linear ? shown.low + kAlong * (shown.high - shown.low) : low * std::pow(shown.high / low, kAlong);
  label.y = current->trend->ys[nearest_index(*current->trend, label.x)];
  label.text = text["view.decay.trend"];
  label.role = Role::curve;
  label.style = {-1 - curves.front().slot, false};
  figure.labels.push_back(label);
}

}  // namespace

bool shows_curves(const DecayKnobs& knobs) {
  return knobs.show_similarity || knobs.show_envelope || (knobs.show_trend && knobs.content == "aligned");
}

Figure empty_decay_figure(const Experiment& experiment, const Text& text) {
  Figure figure;
  figure.name = "similarity";
  figure.x = decay_distance_axis(experiment.decay, text);
  figure.y = named_axis("decay", "similarity", text);
  return figure;
}

Figure similarity_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text,
                         Store& store) {
  const DecayKnobs& knobs = experiment.decay;
  Figure figure;
  figure.name = "similarity";
  for (const DecayShown& curve : curves) {
    if (!curve.of.curves || is_hidden(experiment, curve.key)) continue;
    if (knobs.show_similarity) {
      figure.lines.push_back({curve.key, curve.label, {curve.slot, false}, curve.of.curves->similarity, true});
    }
    if (knobs.show_trend && curve.of.curves->trend) {
      figure.lines.push_back({curve.key + ".trend",
                              text.format("view.decay.trend_of", {{"rope", curve.label}}),
                              {-1 - curve.slot, false},
                              curve.of.curves->trend,
                              true});
    }
    if (knobs.show_envelope && curve.of.curves->envelope) {
      figure.lines.push_back({curve.key + ".envelope",
                              text.format("view.decay.envelope_of", {{"rope", curve.label}}),
                              {curve.slot, true},
                              curve.of.curves->envelope,
                              !knobs.show_similarity});
    }
    figure.stale |= !curve.of.current;
  }
  if (knobs.show_similarity) add_plain_line(figure, experiment, curves.front(), text, store);
  figure.x = decay_distance_axis(knobs, text);
  figure.y = similarity_axis(knobs, text, figure.lines);
  figure.zero_line = true;
  add_rules_decay(figure, experiment, curves, text);
  if (!is_hidden(experiment, curves.front().key)) name_trend(figure, curves, knobs, text);
  figure.empty_is_hint = figure.lines.empty();
  if (figure.empty_is_hint) figure.empty_message = text["view.decay.all_hidden"];
  return figure;
}

Figure bound_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text) {
  const DecayKnobs& knobs = experiment.decay;
  Figure figure;
  figure.name = "bound";
  for (const DecayShown& curve : curves) {
    if (!curve.of.curves || !curve.of.curves->bound || is_hidden(experiment, curve.key)) continue;
    figure.lines.push_back({curve.key, curve.label, {curve.slot, false}, curve.of.curves->bound, true});
    figure.stale |= !curve.of.current;
  }
  figure.x = decay_distance_axis(knobs, text);
  figure.y = bound_axis(knobs, text, figure.lines);
  add_rules_decay(figure, experiment, curves, text);
  for (Rule& rule : figure.rules) rule.label.clear();  // said once, in the panel above
  if (!shows_curves(knobs)) add_rules_decay(figure, experiment, curves, text);
  add_largest_similarity(figure, curves, text);
  figure.empty_is_hint = figure.lines.empty();
  if (figure.empty_is_hint) figure.empty_message = text["view.decay.all_hidden"];
  return figure;
}

}  // namespace ropescope
