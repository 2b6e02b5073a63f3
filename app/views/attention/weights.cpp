#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/attention/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// Sums that are all 1 stand in the middle of an axis of this length.
constexpr double kLeastReach = 0.4;
/// Of what marks the row that is looked at: seen on every map.
constexpr LineStyle kRowStyle{1, false};

struct AttentionWeightsDrawing {
  const AttentionShown& shown;
  const AttentionWeights& weights;
  Eigen::Index row = 0;  ///< whose weights are drawn as a curve
  const Text& text;

  const RowMatrix<float>& matrix() const { return *weights.picture.weights; }
  /// Named after words where the tokens are words.
  FigureAxis named(FigureAxis axis) const {
    axis.names = shown.subject.content.words;
    return axis;
  }
  double tokens() const { return static_cast<double>(matrix().rows()); }
  LineStyle style() const { return {encoding_slot(shown.encoding->name), false}; }
};

Figure attention_weights_map_figure(const AttentionWeightsDrawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  Figure figure = weights_figure(drawing.weights.picture, "weights", drawing.text);
  figure.title = drawing.shown.about;
  figure.x = data_axis(drawing.named(figure.x), figure.x.fit, knobs.key_range);
  figure.y = data_axis(drawing.named(figure.y), figure.y.fit, knobs.query_range);
  mark_row(figure, static_cast<double>(drawing.row));
  // Text's colour would be lost on one of the maps.
  for (Box& box : figure.boxes) box.role = Role::curve, box.style = kRowStyle;
  for (Rule& rule : figure.rules) rule.role = Role::curve, rule.style = kRowStyle;
  return figure;
}

Figure attention_weights_row_figure(const AttentionWeightsDrawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  const Eigen::Index keys = drawing.weights.picture.causal ? drawing.row + 1 : drawing.matrix().cols();
  std::vector<double> values;
  Range weights{0, 0};
  for (Eigen::Index key = 0; key < keys; ++key) {
    values.push_back(drawing.matrix()(drawing.row, key));
    include(weights, values.back());
  }
  Figure figure;
  figure.name = "row";
  figure.title = drawing.text.format("view.attention.row", {{"query", counted(drawing.row)}});
  figure.x = cell_axis(drawing.named(named_axis("attention", "key", drawing.text)), cell_range(drawing.tokens()),
                       knobs.key_range);
  figure.y = value_axis(named_axis("attention", "weight", drawing.text), with_room(weights, kRoom), knobs.weight_range);
  figure.lines.push_back({"weight", figure.title, drawing.style(), make_series(0, 1, std::move(values)), false});
  add_rule(figure, static_cast<double>(drawing.row), drawing.text["view.attention.itself"]);
  figure.zero_line = weights.low < 0;
  return figure;
}

Figure sums_figure(const AttentionWeightsDrawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  Figure figure;
  figure.name = "sums";
  figure.title = drawing.text["view.attention.sums"];
  figure.x = cell_axis(drawing.named(named_axis("attention", "query", drawing.text)), cell_range(drawing.tokens()),
                       knobs.query_range);
  const AttentionWeights& weights = drawing.weights;
  // With 1 in any case: how far sums are from it is the question.
  Range sums{1, 1};
  if (weights.least_sum <= weights.most_sum) include(sums, weights.least_sum), include(sums, weights.most_sum);
  sums = with_room(sums, kRoom);
  if (sums.high - sums.low < kLeastReach) sums = {1 - kLeastReach / 2, 1 + kLeastReach / 2};
  figure.y = value_axis(named_axis("attention", "sum", drawing.text), sums, knobs.sum_range);
  figure.lines.push_back({"sum", figure.title, drawing.style(), weights.row_sums, false});
  add_level(figure, 1, drawing.text["view.attention.average"]);
  add_rule(figure, static_cast<double>(drawing.row), {}, Role::curve, kRowStyle).dashed = false;
  return figure;
}

Figure distance_figure(const AttentionWeightsDrawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  const Series& mean = *drawing.weights.mean_by_distance;
  Figure figure;
  figure.name = "distance";
  figure.title = drawing.text["view.attention.mean_weight"];
  const double last = drawing.tokens() - 1;
  figure.x = cell_axis(named_axis("attention", "distance", drawing.text),
                       {drawing.weights.picture.causal ? 0 : -last, last}, knobs.distance_range);
  figure.y = fixed_axis(named_axis("attention", "mean_weight", drawing.text),
                        with_room(widened({0, std::numeric_limits<double>::lowest()}, mean), kRoom));
  figure.y.label = drawing.text["view.attention.weight"];
  figure.lines.push_back({"mean", figure.title, drawing.style(), drawing.weights.mean_by_distance, false});
  figure.zero_line = true;
  return figure;
}

std::string status_of_attention_weights(const AttentionWeightsDrawing& drawing) {
  const AttentionWeights& weights = drawing.weights;
  std::string status =
      drawing.text.format("view.attention.status",
                          {{"tokens", counted(drawing.tokens())}, {"time", readable_number(weights.seconds * 1e3, 2)}});
  if (weights.picture.shown < 0.999 * std::max(weights.largest, -weights.smallest)) {
    status +=
        " · " + drawing.text.format("view.attention.clipped", {{"size", readable_number(weights.picture.shown, 2)}});
  }
  if (weights.undefined_rows > 0) {
    status += " · " + drawing.text.format("view.attention.past_table", {{"rows", counted(weights.undefined_rows)}});
  }
  return status;
}

}  // namespace

ViewResult attention_weights(const AttentionShown& shown) {
  const auto answer = shown.store.get("attention.weights", WeightsInput{shown.subject});
  if (!answer.result) return attention_message({}, true);
  const AttentionWeights& weights = *answer.result;
  if (!weights.fault.empty()) return attention_message(shown.text.say(weights.fault), !answer.current);
  if (weights.undefined_rows == weights.picture.weights->rows()) {
    return attention_message(
        shown.text.format("view.attention.all_past_table", {{"encoding", shown.text.say(title_of(*shown.encoding))},
                                                            {"rows", counted(shown.subject.settings.trained_length)}}),
        !answer.current);
  }
  AttentionWeightsDrawing drawing{shown, weights, 0, shown.text};
  drawing.row = static_cast<Eigen::Index>(std::min(shown.knobs.row, drawing.tokens() - 1));
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({attention_weights_map_figure(drawing), 0.62, false, 0.5});
  result.panels.push_back({sums_figure(drawing), 0.62, true, 0.5});
  result.panels.push_back({attention_weights_row_figure(drawing), 0.38, false, 0.5});
  result.panels.push_back({distance_figure(drawing), 0.38, true, 0.5});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = weights_readouts(shown, weights, drawing.row);
  if (!result.stale) result.status = status_of_attention_weights(drawing);
  return result;
}

}  // namespace ropescope
