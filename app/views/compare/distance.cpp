#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "app/figure/number_text.h"
#include "app/views/compare/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/error.h"

namespace ropescope {

namespace {

const Series& series_of_distance(const ShownCurve& shown, const CompareKnobs& knobs) {
  return *(knobs.normalised ? shown.curve->normalised : shown.curve->scores);
}

AxisScale distance_scale(const CompareKnobs& knobs) {
  const AxisScale scale = axis_scale_of(knobs.distance_axis);
  // A logarithmic axis has no place for later keys.
  return knobs.later_keys && scale == AxisScale::log ? AxisScale::symlog : scale;
}

FigureAxis distance_distance_axis(const CompareKnobs& knobs, const Text& text) {
  FigureAxis axis = named_axis("compare", "distance", text, distance_scale(knobs));
  axis.whole = true;
  return data_axis(axis, {knobs.later_keys ? -knobs.span : (axis.scale == AxisScale::log ? 1 : 0), knobs.span},
                   knobs.distance_range);
}

/// All finite values and 0, on a tenth of what is linear, so that dragging a knob does not make the axis tremble.
Range fit_scores_distance(const std::vector<Line>& lines) {
  const auto [low, high] = widened({0, 0}, lines);
  const double room = 0.05 * std::max(high - low, 0.1);
  return {low - (low < 0 ? room : 0), high + room};
}

/// Where a curve ends because the query's position has no row in the table any more.
std::optional<double> table_end(const ReadyEncoding& ready, const CompareKnobs& knobs) {
  if (!ready.encoding->positions) return std::nullopt;
  const double end = static_cast<double>(ready.encoding->positions(ready.settings)) - knobs.key_position;
  return end > 0 ? std::optional(end) : std::nullopt;
}

Figure distance_scores_figure(const std::vector<ShownCurve>& curves, const Experiment& experiment, const Text& text) {
  const CompareKnobs& knobs = experiment.compare;
  Figure figure;
  figure.name = "scores";
  figure.x = distance_distance_axis(knobs, text);
  for (const ShownCurve& shown : curves) {
    const LineStyle style{encoding_slot(shown.ready.encoding->name), false};
    const std::string name(shown.ready.encoding->name);
    figure.lines.push_back({name, encoding_label(*shown.ready.encoding, experiment.rope, text), style,
                            knobs.normalised ? shown.curve->normalised : shown.curve->scores, true});
    const auto end = table_end(shown.ready, knobs);
    const bool marked = end && std::any_of(figure.rules.begin(), figure.rules.end(),
                                           [&end](const Rule& rule) { return rule.at == *end; });
    if (!end || marked) continue;
    add_rule(figure, *end, text.format("view.compare.table_end", {{"rows", counted(*end + knobs.key_position)}}),
             Role::curve, style);
  }
  figure.y = value_axis(named_axis("compare", "score", text, axis_scale_of(knobs.score_axis)),
                        fit_scores_distance(figure.lines), knobs.score_range);
  if (knobs.normalised) {
    const bool louder = std::any_of(curves.begin(), curves.end(), [](const ShownCurve& shown) {
      return shown.ready.settings.ladder && shown.ready.settings.ladder->amplitude != 1;
    });
    figure.y.label = text[louder ? "view.compare.normalised_with_amplitude" : "view.compare.normalised"];
  }
  figure.zero_line = true;
  figure.legend = true;
  return figure;
}

/// Where a score stands on the axis, but for its scale.
double place_of_distance(double score, AxisScale scale) {
  if (scale != AxisScale::symlog || std::abs(score) <= 1) return score;
  return std::copysign(1 + std::log10(std::abs(score)), score);
}

/// The curve nearest to the mouse, or the first one.
const Encoding& looked_at_distance(const std::vector<ShownCurve>& curves, const Experiment& experiment,
                                   AxisScale scale) {
  const auto& pointer = experiment.pointer;
  const Encoding* nearest = curves.front().ready.encoding;
  if (!pointer || pointer->figure != "scores") return *nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const ShownCurve& shown : curves) {
    const Series& series = series_of_distance(shown, experiment.compare);
    const double score = series.ys[nearest_index(series, pointer->x)];
    const double away = std::abs(place_of_distance(score, scale) - place_of_distance(pointer->y, scale));
    if (away < least) least = away, nearest = shown.ready.encoding;
  }
  return *nearest;
}

DistanceCurveInput input_of_distance(const ReadyEncoding& ready, const CompareKnobs& knobs) {
  DistanceCurveInput input;
  input.encoding = ready.encoding->name;
  input.settings = ready.settings;
  input.content.random = knobs.content == "random";
  if (input.content.random) input.content.seed = static_cast<std::uint64_t>(knobs.seed);
  // A relative encoding's curve is the same wherever the key stands.
  if (!ready.encoding->relative) input.key_position = std::llround(knobs.key_position);
  input.last = std::llround(knobs.span);
  input.first = knobs.later_keys ? -input.last : 0;
  return input;
}

}  // namespace

ViewResult compare_distance(const Experiment& experiment, const Text& text, Store& store) {
  const CompareKnobs& knobs = experiment.compare;
  if (knobs.encodings.empty()) return message_result(no_scores(experiment, text), text["view.compare.none_chosen"]);
  Words::List faults;
  std::vector<ShownCurve> curves;
  ViewResult result;
  for (const ReadyEncoding& ready : ready_encodings(experiment, faults)) {
    const auto answer = store.get("compare." + std::string(ready.encoding->name), input_of_distance(ready, knobs));
    result.stale |= !answer.current;
    if (answer.result) curves.push_back({ready, answer.result});
  }
  if (curves.empty()) {
    if (!result.stale) throw InputError(faults.front());
    return message_result(no_scores(experiment, text), {}, true);
  }
  result.panels.push_back({distance_scores_figure(curves, experiment, text), 1});
  Figure& figure = result.panels.front().figure;
  figure.stale = result.stale;
  result.readouts =
      distance_readouts(looked_at_distance(curves, experiment, figure.y.scale), curves, faults, knobs, text);
  std::vector<EncodingShown> encodings;
  for (const ShownCurve& shown : curves) encodings.push_back({shown.ready.encoding, &shown.ready.settings});
  add_ladder_readout(result.readouts, "compare.ladder", encodings, experiment.rope, text);
  if (!result.stale) {
    result.status = text.format(
        "view.compare.status_distance",
        {{"encodings", counted(curves.size())}, {"distances", counted(curves.front().curve->scores->ys.size())}});
  }
  return result;
}

}  // namespace ropescope
