#include "app/views/precision/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/figure/number_text.h"
#include "app/views/precision/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

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
constexpr std::array<ShownPolicy, 17> kShown = {{{"float32", 0, true},
                                                 {"float32-frequencies", 6, false},
                                                 {"float32-ggml-cpu", 13, false},
                                                 {"float32-ggml-gpu", 16, false},
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

LineStyle style_of_precision(const PrecisionPolicy& policy) {
  const ShownPolicy* shown = shown_policy(policy.name);
  return {shown ? shown->slot : 17, false};
}

FigureAxis precision_position_axis(const PrecisionKnobs& knobs, const Text& text) {
  FigureAxis axis = named_axis("precision", "position", text, AxisScale::log);
  if (knobs.show == "shift") {
    axis.label = text.format("view.precision.position_of_key", {{"distance", counted(knobs.distance)}});
  }
  axis.whole = true;
  return data_axis(axis, {1, knobs.span}, knobs.position_range);
}

FigureAxis precision_error_axis(const Range& fit, const std::optional<Range>& zoomed, const Text& text) {
  return value_axis(named_axis("precision", "error", text, AxisScale::log), fit, zoomed);
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

Range fit_scores_precision(const std::vector<Line>& lines, double exact) {
  const auto [low, high] = widened({exact, exact}, lines);
  // On a tenth, so that dragging a knob does not make the axis tremble.
  return {std::floor(10 * low - 0.2) / 10, std::ceil(10 * high + 0.2) / 10};
}

/// Where positions of a format become their neighbour or overflow, once per format in the colour of its first policy;
/// and the trained length.
void add_rules_precision(Figure& figure, const PrecisionCurves& curves, const RopeKnobs& rope, const Text& text) {
  std::vector<std::string> formats;
  for (const PolicyCurves& of : curves.policies) {
    const std::string format = format_of(*of.policy);
    const double repeated = first_repeated_position(*of.policy), lost = first_overflowing_position(*of.policy);
    if (!std::isfinite(repeated) || std::find(formats.begin(), formats.end(), format) != formats.end()) continue;
    formats.push_back(format);
    const LineStyle style = style_of_precision(*of.policy);
    add_rule(figure, repeated,
             text.format("view.precision.repeated", {{"position", counted(repeated)}, {"next", counted(repeated + 1)}}),
             Role::curve, style);
    if (!std::isfinite(lost)) continue;
    add_rule(figure, lost, text.format("view.precision.overflow", {{"position", counted(lost)}}), Role::curve, style);
  }
  if (rope.trained_length <= 0) return;
  add_rule(figure, rope.trained_length,
           text.format("view.precision.trained", {{"length", counted(rope.trained_length)}}));
}

Line line_of_precision(const PolicyCurves& of, const std::shared_ptr<const Series>& series, const Text& text) {
  return {std::string(of.policy->name), policy_label(*of.policy, text), style_of_precision(*of.policy), series, true};
}

}  // namespace

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

Figure error_figure(const PrecisionCurves& curves, const RopeKnobs& rope, const PrecisionKnobs& knobs,
                    const Text& text) {
  Figure figure;
  figure.name = "error";
  for (const PolicyCurves& of : curves.policies) figure.lines.push_back(line_of_precision(of, of.error, text));
  figure.x = precision_position_axis(knobs, text);
  figure.y = precision_error_axis(fit_errors(figure.lines, 0, kLabelRoom), knobs.error_range, text);
  add_rules_precision(figure, curves, rope, text);
  figure.legend = true;
  return figure;
}

Figure score_figure(const PrecisionCurves& curves, const RopeKnobs& rope, const PrecisionKnobs& knobs,
                    const Text& text) {
  const bool shift = knobs.show == "shift";
  Figure figure;
  figure.name = shift ? "shift" : "score";
  for (const PolicyCurves& of : curves.policies) {
    figure.lines.push_back(line_of_precision(of, shift ? of.shifted : of.score_error, text));
  }
  figure.x = precision_position_axis(knobs, text);
  if (shift) {
    figure.y = value_axis(named_axis("precision", "score", text),
                          fit_scores_precision(figure.lines, curves.exact_score), knobs.score_range);
  } else {
    // Where the error of a sum changes its sign it is tiny by chance.
    figure.y = value_axis(named_axis("precision", "score_error", text, AxisScale::log), fit_errors(figure.lines, 50, 2),
                          knobs.score_error_range);
  }
  add_rules_precision(figure, curves, rope, text);
  for (Rule& rule : figure.rules) rule.label.clear();  // said once, in the panel above
  if (shift) {
    add_level(figure, curves.exact_score,
              text.format("view.precision.exact", {{"score", readable_fixed(curves.exact_score, 4)}}));
  }
  return figure;
}

Figure empty_precision_figure(const PrecisionKnobs& knobs, const Text& text) {
  Figure figure;
  figure.name = "error";
  figure.x = precision_position_axis(knobs, text);
  figure.y = precision_error_axis(fit_errors({}, 0, 1), {}, text);
  return figure;
}

}  // namespace ropescope
