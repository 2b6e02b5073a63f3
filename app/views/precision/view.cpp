#include "app/views/precision/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/precision/cards.h"
#include "app/views/precision/curves.h"
#include "app/views/shared/ropes.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Largest values lie near the top over most of the positions: room above them for the names of the rules.
constexpr double kLabelRoom = 30;

/// A policy on screen: the colour and dash it keeps whatever stands beside it. The common ones have a colour each, the
/// others differ from their neighbours in the list of their format.
struct ShownPolicy {
  std::string_view name;
  int slot;
  bool common;
};
constexpr std::array<ShownPolicy, 15> kShown = {{{"float32", 0, true},
                                                 {"float32-frequencies", 6, false},
                                                 {"bfloat16-inputs", 1, true},
                                                 {"bfloat16-product", 5, false},
                                                 {"bfloat16-everything", 8, false},
                                                 {"bfloat16-tables", 2, true},
                                                 {"bfloat16-frequencies", 9, false},
                                                 {"bfloat16-rotation", 7, false},
                                                 {"float16-inputs", 3, true},
                                                 {"float16-product", 11, false},
                                                 {"float16-everything", 12, false},
                                                 {"float16-tables", 4, true},
                                                 {"float16-frequencies", 10, false},
                                                 {"float16-rotation", 14, false},
                                                 {"flux-bfloat16-ids", 15, false}}};

const ShownPolicy* shown_policy(std::string_view name) {
  const auto found =
      std::find_if(kShown.begin(), kShown.end(), [name](const ShownPolicy& shown) { return shown.name == name; });
  return found == kShown.end() ? nullptr : &*found;
}

LineStyle style_of(const PrecisionPolicy& policy) {
  const ShownPolicy* shown = shown_policy(policy.name);
  return {shown ? shown->slot : 16, false};
}

std::vector<const PrecisionPolicy*> chosen_policies(const PrecisionKnobs& knobs) {
  std::vector<const PrecisionPolicy*> chosen;
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    const ShownPolicy* shown = shown_policy(policy.name);
    const bool wanted = knobs.policies == "all" ||
                        (knobs.policies == "common" ? shown && shown->common : knobs.policies == format_of(policy));
    if (wanted) chosen.push_back(&policy);
  }
  return chosen;
}

/// The length that is asked about: the trained one, else the whole span.
double length_of(const RopeKnobs& rope, const PrecisionKnobs& knobs) {
  return rope.trained_length > 0 ? rope.trained_length : knobs.span;
}

FigureAxis position_axis(const PrecisionKnobs& knobs, const Text& text) {
  FigureAxis axis;
  axis.name = "position";
  axis.label = knobs.show == "shift"
                   ? text.format("view.precision.position_of_key", {{"distance", readable_integer(knobs.distance)}})
                   : text["view.precision.position"];
  axis.scale = AxisScale::log;
  axis.fit = {1, knobs.span};
  axis.range = knobs.position_range.value_or(axis.fit);
  // A zoomed range outlives a change of the span as far as it still has data.
  axis.range = {std::max(axis.range.low, axis.fit.low), std::min(axis.range.high, axis.fit.high)};
  if (!(axis.range.low < axis.range.high)) axis.range = axis.fit;
  axis.whole = true;
  axis.range_key = "precision.position_range";
  return axis;
}

/// From the decade under the smallest errors (one in `passed_over` of a line's may be smaller, none where it is 0) to
/// `headroom` times the largest.
Range fit_errors(const std::vector<Line>& lines, std::size_t passed_over, double headroom) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Line& line : lines) {
    std::vector<double> errors;
    for (const double y : line.series->ys) {
      if (y > 0) errors.push_back(y);
    }
    if (errors.empty()) continue;
    const auto part = errors.begin() + static_cast<std::ptrdiff_t>(passed_over > 0 ? errors.size() / passed_over : 0);
    std::nth_element(errors.begin(), part, errors.end());
    low = std::min(low, *part);
    high = std::max(high, *std::max_element(errors.begin(), errors.end()));
  }
  if (!(low <= high)) return {1e-3, 1};
  return {std::pow(10, std::floor(std::log10(low))), headroom * high};
}

Range fit_scores(const std::vector<Line>& lines, double exact) {
  double low = exact, high = exact;
  for (const Line& line : lines) {
    for (const double y : line.series->ys) {
      if (std::isnan(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  // On a tenth, so that dragging a knob does not make the axis tremble.
  return {std::floor(10 * low - 0.2) / 10, std::ceil(10 * high + 0.2) / 10};
}

void set_range(FigureAxis& axis, const std::optional<Range>& zoomed) {
  axis.range = zoomed.value_or(axis.fit);
  if (axis.scale == AxisScale::log && axis.range.low <= 0) {
    axis.range.low = axis.range.high > axis.fit.low ? axis.fit.low : axis.range.high / 10;
  }
  if (!(axis.range.low < axis.range.high)) axis.range = axis.fit;
}

Rule rule_at(double position, const std::string& label) {
  Rule rule;
  rule.at = position;
  rule.label = label;
  return rule;
}

/// Where positions of a format become their neighbour or overflow, once per format in the colour of its first policy;
/// and the trained length.
std::vector<Rule> rules_of(const PrecisionCurves& curves, const RopeKnobs& rope, const Text& text) {
  std::vector<Rule> rules;
  std::vector<std::string> formats;
  const auto add = [&](double position, const std::string& label, const PrecisionPolicy& policy) {
    if (!std::isfinite(position)) return;
    Rule rule = rule_at(position, label);
    rule.role = Role::curve;
    rule.style = style_of(policy);
    rules.push_back(rule);
  };
  for (const PolicyCurves& of : curves.policies) {
    const std::string format = format_of(*of.policy);
    const double repeated = first_repeated_position(*of.policy), lost = first_overflowing_position(*of.policy);
    if (!std::isfinite(repeated) || std::find(formats.begin(), formats.end(), format) != formats.end()) continue;
    formats.push_back(format);
    add(repeated,
        text.format("view.precision.repeated",
                    {{"position", readable_integer(repeated)}, {"next", readable_integer(repeated + 1)}}),
        *of.policy);
    add(lost, text.format("view.precision.overflow", {{"position", readable_integer(lost)}}), *of.policy);
  }
  if (rope.trained_length > 0) {
    rules.push_back(rule_at(rope.trained_length, text.format("view.precision.trained",
                                                             {{"length", readable_integer(rope.trained_length)}})));
  }
  return rules;
}

Line line_of(const PolicyCurves& of, const std::shared_ptr<const Series>& series, const Text& text) {
  return {std::string(of.policy->name), policy_label(*of.policy, text), style_of(*of.policy), series, true};
}

Figure error_figure(const PrecisionCurves& curves, const RopeKnobs& rope, const PrecisionKnobs& knobs,
                    const Text& text) {
  Figure figure;
  figure.name = "error";
  for (const PolicyCurves& of : curves.policies) figure.lines.push_back(line_of(of, of.error, text));
  figure.x = position_axis(knobs, text);
  figure.y.name = "error";
  figure.y.label = text["view.precision.error"];
  figure.y.scale = AxisScale::log;
  figure.y.fit = fit_errors(figure.lines, 0, kLabelRoom);
  figure.y.range_key = "precision.error_range";
  set_range(figure.y, knobs.error_range);
  figure.rules = rules_of(curves, rope, text);
  figure.legend = true;
  return figure;
}

Figure score_figure(const PrecisionCurves& curves, const RopeKnobs& rope, const PrecisionKnobs& knobs,
                    const Text& text) {
  const bool shift = knobs.show == "shift";
  Figure figure;
  figure.name = shift ? "shift" : "score";
  for (const PolicyCurves& of : curves.policies) {
    figure.lines.push_back(line_of(of, shift ? of.shifted : of.score_error, text));
  }
  figure.x = position_axis(knobs, text);
  figure.y.name = shift ? "score" : "score_error";
  figure.y.label = text[shift ? "view.precision.score" : "view.precision.score_error"];
  figure.y.scale = shift ? AxisScale::linear : AxisScale::log;
  // Where the error of a sum changes its sign it is tiny by chance.
  figure.y.fit = shift ? fit_scores(figure.lines, curves.exact_score) : fit_errors(figure.lines, 50, 2);
  figure.y.range_key = shift ? "precision.score_range" : "precision.score_error_range";
  set_range(figure.y, shift ? knobs.score_range : knobs.score_error_range);
  figure.rules = rules_of(curves, rope, text);
  for (Rule& rule : figure.rules) rule.label.clear();  // said once, in the panel above
  if (shift) {
    Rule exact = rule_at(curves.exact_score,
                         text.format("view.precision.exact", {{"score", readable_fixed(curves.exact_score, 4)}}));
    exact.vertical = false;
    figure.rules.push_back(exact);
  }
  return figure;
}

Figure message_figure(const std::string& message, const PrecisionKnobs& knobs, const Text& text) {
  Figure figure;
  figure.name = "error";
  figure.x = position_axis(knobs, text);
  figure.y.name = "error";
  figure.y.label = text["view.precision.error"];
  figure.y.scale = AxisScale::log;
  figure.y.fit = figure.y.range = fit_errors({}, 0, 1);
  figure.empty_message = message;
  return figure;
}

std::string status_of(const PrecisionCurves& curves, const ShownRope& rope, Eigen::Index pairs, const Text& text) {
  return text.format("view.precision.status", {{"rope", rope.label},
                                               {"positions", readable_integer(static_cast<double>(curves.positions))},
                                               {"pairs", readable_integer(static_cast<double>(pairs))},
                                               {"time", readable_number(curves.seconds * 1e3, 2)}});
}

ViewResult draw(const ShownRope& rope, const PrecisionKnobs& knobs, const Text& text, Store& store) {
  PrecisionInput input;
  input.policies = chosen_policies(knobs);
  input.frequencies = read_rope(*rope.rope).ladder.frequencies;
  input.span = knobs.span;
  input.distance = knobs.distance;
  input.length = length_of(*rope.rope, knobs);
  const auto answer = store.get(rope.key, input);
  ViewResult result;
  result.stale = !answer.current;
  result.status = text["view.precision.computing"];
  if (!answer.result) {
    result.panels.push_back({message_figure("", knobs, text), 1});
    result.panels.back().figure.stale = true;
    return result;
  }
  const PrecisionCurves& curves = *answer.result;
  result.panels.push_back({error_figure(curves, *rope.rope, knobs, text), 0.6});
  result.panels.push_back({score_figure(curves, *rope.rope, knobs, text), 0.4});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = precision_readouts(curves, input.length, knobs, text);
  if (!result.stale) result.status = status_of(curves, rope, input.frequencies.size(), text);
  return result;
}

void describe_precision(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.rope);
  describe(fields, experiment.precision);
}

ViewResult precision_figures(const Experiment& experiment, const Text& text, Store& store) {
  ViewResult result;
  try {
    const std::vector<ShownRope> ropes = shown_ropes(experiment, text);
    if (!ropes.empty()) return draw(ropes.front(), experiment.precision, text, store);
    result.panels.push_back({message_figure(text["view.precision.all_hidden"], experiment.precision, text), 1});
  } catch (const InputError& error) {
    result.panels.push_back({message_figure(error.what(), experiment.precision, text), 1});
  }
  return result;
}

}  // namespace

constinit const View kPrecisionView{
    .id = "precision", .group = "explore", .describe = describe_precision, .figures = precision_figures};

}  // namespace ropescope
