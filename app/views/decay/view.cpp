#include "app/views/decay/view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/decay/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/decay/limits.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

/// More marked wavelengths than this make a plot unreadable.
constexpr std::size_t kMaximumMarkedPairs = 64;

/// Whether there is a panel above the bound.
bool shows_curves(const DecayKnobs& knobs) {
  return knobs.show_similarity || knobs.show_envelope || (knobs.show_trend && knobs.content == "aligned");
}

struct Curve {
  std::string key, label;
  RopeKnobs rope;
  int slot = 0;
  DecayCurvesOf of;
};

DecayInput input_of(const Eigen::VectorXd& frequencies, const DecayKnobs& knobs) {
  DecayInput input;
  input.frequencies = frequencies;
  if (knobs.content == "random") {
    input.content = random_content(static_cast<int>(input.frequencies.size()), static_cast<std::uint64_t>(knobs.seed));
  }
  input.order = knobs.order == "slow-first" ? PairOrder::slow_first : PairOrder::fast_first;
  input.span = static_cast<std::int64_t>(knobs.span);
  input.bound = knobs.show_bound;
  input.trend = true;
  if (knobs.show_envelope) {
    input.envelope = knobs.envelope == "window" ? EnvelopeKind::window : EnvelopeKind::from_here;
    // The width matters only to one kind; else a change of it would compute the same curve again.
    if (input.envelope == EnvelopeKind::window) input.window = static_cast<std::int64_t>(knobs.envelope_window);
  }
  return input;
}

std::vector<Curve> curves_of(const Experiment& experiment, const Text& text, Store& store) {
  const bool dimensions_differ = labels_need_dimension(experiment);
  std::vector<Curve> curves;
  const auto add = [&](const std::string& key, const RopeKnobs& rope, int slot) {
    const RopeReading reading = read_rope(rope);
    const Eigen::VectorXd &frequencies = reading.ladder.frequencies, &plain = reading.plain;
    const DecayInput input = input_of(frequencies, experiment.decay);
    const auto answer = store.get(key, input);
    DecayCurvesOf of{
        rope,          frequencies,   plain,         trained_frequencies(plain, frequencies), reading.ladder.amplitude,
        input.content, answer.result, answer.current};
    curves.push_back({key, rope_label(rope, text, dimensions_differ), rope, slot, std::move(of)});
  };
  add("current", experiment.rope, 0);
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    add("pin" + std::to_string(i + 1), experiment.pins[i].rope, experiment.pins[i].slot);
  }
  return curves;
}

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
Range fit_values(const std::vector<Line>& lines, AxisScale scale) {
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

FigureAxis distance_axis(const DecayKnobs& knobs, const Text& text) {
  FigureAxis axis = named_axis("decay", "distance", text, axis_scale_of(knobs.distance_axis));
  axis.whole = true;
  return data_axis(axis, {axis.scale == AxisScale::log ? 1.0 : 0.0, knobs.span}, knobs.distance_range);
}

FigureAxis similarity_axis(const DecayKnobs& knobs, const Text& text, const std::vector<Line>& lines) {
  FigureAxis axis = named_axis("decay", "similarity", text, axis_scale_of(knobs.similarity_axis));
  if (knobs.content == "random") axis.label = text["view.decay.score"];
  return value_axis(axis, fit_values(lines, axis.scale), knobs.similarity_range);
}

FigureAxis bound_axis(const DecayKnobs& knobs, const Text& text, const std::vector<Line>& lines) {
  FigureAxis axis = named_axis("decay", "bound", text, axis_scale_of(knobs.bound_axis));
  axis.name = "abel_bound";
  if (knobs.content == "random") axis.label = text["view.decay.bound_of_score"];
  return value_axis(axis, fit_values(lines, axis.scale), knobs.bound_range);
}

/// Without curves.
Figure nothing(const Experiment& experiment, const Text& text) {
  Figure figure;
  figure.name = "similarity";
  figure.x = distance_axis(experiment.decay, text);
  figure.y = named_axis("decay", "similarity", text);
  return figure;
}

void add_rules(Figure& figure, const Experiment& experiment, const std::vector<Curve>& curves, const Text& text) {
  std::vector<double> seen;
  for (const Curve& curve : curves) {
    const double length = curve.rope.trained_length;
    if (length <= 0 || is_hidden(experiment, curve.key)) continue;
    if (std::find(seen.begin(), seen.end(), length) != seen.end()) continue;
    seen.push_back(length);
    add_rule(figure, length, text.format("view.decay.trained", {{"length", counted(length)}}));
  }
  if (experiment.decay.marked_pairs.empty()) return;
  const Eigen::VectorXd& frequencies = curves.front().of.frequencies;
  for (const double pair : parse_list(experiment.decay.marked_pairs, "decay.marked_pairs", kMaximumMarkedPairs)) {
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
void add_plain_line(Figure& figure, const Experiment& experiment, const Curve& current, const Text& text,
                    Store& store) {
  if (!experiment.decay.show_plain || is_hidden(experiment, current.key)) return;
  if (current.of.frequencies == current.of.plain) return;
  DecayInput input = input_of(current.of.plain, experiment.decay);
  input.bound = input.trend = false;
  input.envelope = EnvelopeKind::none;
  const auto answer = store.get("current.plain", input);
  figure.stale |= !answer.current;
  if (!answer.result) return;
  figure.lines.push_back(
      {current.key + ".plain", text["view.decay.without"], {current.slot, true}, answer.result->similarity, true});
}

/// Said over the bound: it bounds |K|, which is at most 1.
void add_largest_similarity(Figure& figure, const std::vector<Curve>& curves, const Text& text) {
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

/// Names the trend above its left part, where the similarity keeps close to it and the room above is free.
void name_trend(Figure& figure, const std::vector<Curve>& curves, const DecayKnobs& knobs, const Text& text) {
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
  label.anchor_x = -0.1;
  label.anchor_y = 1.8;
  figure.labels.push_back(label);
}

Figure similarity_figure(const Experiment& experiment, const std::vector<Curve>& curves, const Text& text,
                         Store& store) {
  const DecayKnobs& knobs = experiment.decay;
  Figure figure;
  figure.name = "similarity";
  for (const Curve& curve : curves) {
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
  figure.x = distance_axis(knobs, text);
  figure.y = similarity_axis(knobs, text, figure.lines);
  figure.zero_line = true;
  add_rules(figure, experiment, curves, text);
  if (!is_hidden(experiment, curves.front().key)) name_trend(figure, curves, knobs, text);
  if (figure.lines.empty()) figure.empty_message = text["view.decay.all_hidden"];
  return figure;
}

Figure bound_figure(const Experiment& experiment, const std::vector<Curve>& curves, const Text& text) {
  const DecayKnobs& knobs = experiment.decay;
  Figure figure;
  figure.name = "bound";
  for (const Curve& curve : curves) {
    if (!curve.of.curves || !curve.of.curves->bound || is_hidden(experiment, curve.key)) continue;
    figure.lines.push_back({curve.key, curve.label, {curve.slot, false}, curve.of.curves->bound, true});
    figure.stale |= !curve.of.current;
  }
  figure.x = distance_axis(knobs, text);
  figure.y = bound_axis(knobs, text, figure.lines);
  add_rules(figure, experiment, curves, text);
  for (Rule& rule : figure.rules) rule.label.clear();  // said once, in the panel above
  if (!shows_curves(knobs)) add_rules(figure, experiment, curves, text);
  add_largest_similarity(figure, curves, text);
  if (figure.lines.empty()) figure.empty_message = text["view.decay.all_hidden"];
  return figure;
}

std::string status_of(const DecayCurvesOf& current, const DecayKnobs& knobs, const Text& text) {
  return text.format("view.decay.status", {{"distances", counted(knobs.span + 1)},
                                           {"pairs", counted(current.frequencies.size())},
                                           {"time", readable_number(current.curves->seconds * 1e3, 2)}});
}

void describe_decay(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.rope);
  describe(fields, experiment.decay);
}

ViewResult decay_figures(const Experiment& experiment, const Text& text, Store& store) {
  try {
    ViewResult result;
    const std::vector<Curve> curves = curves_of(experiment, text, store);
    const DecayKnobs& knobs = experiment.decay;
    if (shows_curves(knobs)) {
      result.panels.push_back({similarity_figure(experiment, curves, text, store), knobs.show_bound ? 0.62 : 1.0});
    }
    if (knobs.show_bound) {
      result.panels.push_back({bound_figure(experiment, curves, text), result.panels.empty() ? 1.0 : 0.38});
    }
    if (result.panels.empty()) result = message_result(nothing(experiment, text), text["view.decay.all_hidden"]);
    for (const Curve& curve : curves) result.stale |= !curve.of.current;
    for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
    const DecayCurvesOf* pinned = curves.size() > 1 ? &curves[1].of : nullptr;
    result.readouts = decay_readouts(curves.front().of, pinned, text);
    if (!result.stale) result.status = status_of(curves.front().of, knobs, text);
    return result;
  } catch (const InputError& error) {
    return message_result(nothing(experiment, text), text.say(error.words()));
  }
}

/// What a text of marked pairs may hold, whatever the rope has.
constexpr double kMostPairs = 4096;

void check_marked_pairs(const Experiment& experiment) {
  const std::string& marked = experiment.decay.marked_pairs;
  if (marked.empty()) return;
  for (const double pair : parse_list(marked, "decay.marked_pairs", kMaximumMarkedPairs)) {
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
                                .check = check_marked_pairs};

}  // namespace ropescope
