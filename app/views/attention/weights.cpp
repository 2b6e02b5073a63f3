#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/attention/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// Sums that are all 1 stand in the middle of an axis of this length.
constexpr double kLeastReach = 0.4;
/// Of what marks the row that is looked at: seen on every map.
constexpr LineStyle kRowStyle{1, false};

struct Drawing {
  const AttentionShown& shown;
  const AttentionWeights& weights;
  Eigen::Index row = 0;  ///< whose weights are drawn as a curve
  const Text& text;

  const RowMatrix<float>& matrix() const { return *weights.picture.weights; }
  double tokens() const { return static_cast<double>(matrix().rows()); }
  LineStyle style() const { return {encoding_slot(shown.encoding->name), false}; }
};

Figure map_figure(const Drawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  Figure figure = weights_figure(drawing.weights.picture, "weights", drawing.text);
  figure.title = drawing.shown.about;
  figure.x = data_axis(figure.x, figure.x.fit, knobs.key_range);
  figure.x.range_key = "attention.key_range";
  figure.y = data_axis(figure.y, figure.y.fit, knobs.query_range);
  figure.y.range_key = "attention.query_range";
  mark_row(figure, static_cast<double>(drawing.row));
  // Text's colour would be lost on one of the maps.
  for (Box& box : figure.boxes) box.role = Role::curve, box.style = kRowStyle;
  for (Rule& rule : figure.rules) rule.role = Role::curve, rule.style = kRowStyle;
  return figure;
}

Figure row_figure(const Drawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  const Eigen::Index keys = drawing.weights.picture.causal ? drawing.row + 1 : drawing.matrix().cols();
  std::vector<double> values;
  double least = 0, most = 0;
  for (Eigen::Index key = 0; key < keys; ++key) {
    values.push_back(drawing.matrix()(drawing.row, key));
    if (std::isnan(values.back())) continue;
    least = std::min(least, values.back());
    most = std::max(most, values.back());
  }
  Figure figure;
  figure.name = "row";
  figure.title = drawing.text.format("view.attention.row", {{"query", counted(drawing.row)}});
  figure.x = cell_axis(named_axis("attention", "key", drawing.text), cell_range(drawing.tokens()), knobs.key_range);
  figure.y = value_axis(named_axis("attention", "weight", drawing.text), with_room({least, most}), knobs.weight_range);
  figure.lines.push_back({"weight", figure.title, drawing.style(), make_series(0, 1, std::move(values)), false});
  add_rule(figure, static_cast<double>(drawing.row), drawing.text["view.attention.itself"]);
  figure.zero_line = least < 0;
  return figure;
}

Figure sums_figure(const Drawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  Figure figure;
  figure.name = "sums";
  figure.title = drawing.text["view.attention.sums"];
  figure.x = cell_axis(named_axis("attention", "query", drawing.text), cell_range(drawing.tokens()), knobs.query_range);
  const AttentionWeights& weights = drawing.weights;
  // With 1 in any case: how far sums are from it is the question.
  const bool defined = weights.least_sum <= weights.most_sum;
  Range sums =
      with_room({defined ? std::min(1.0, weights.least_sum) : 1, defined ? std::max(1.0, weights.most_sum) : 1});
  if (sums.high - sums.low < kLeastReach) sums = {1 - kLeastReach / 2, 1 + kLeastReach / 2};
  figure.y = value_axis(named_axis("attention", "sum", drawing.text), sums, knobs.sum_range);
  figure.lines.push_back({"sum", figure.title, drawing.style(), weights.row_sums, false});
  add_level(figure, 1, drawing.text["view.attention.average"]);
  add_rule(figure, static_cast<double>(drawing.row), {}, Role::curve, kRowStyle).dashed = false;
  return figure;
}

Figure distance_figure(const Drawing& drawing) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  const Series& mean = *drawing.weights.mean_by_distance;
  Figure figure;
  figure.name = "distance";
  figure.title = drawing.text["view.attention.mean_weight"];
  const double last = drawing.tokens() - 1;
  figure.x = cell_axis(named_axis("attention", "distance", drawing.text),
                       {drawing.weights.picture.causal ? 0 : -last, last}, knobs.distance_range);
  figure.y.name = "mean_weight";
  figure.y.label = drawing.text["view.attention.weight"];
  figure.y.fit = figure.y.range = with_room(widened({0, std::numeric_limits<double>::lowest()}, mean));
  figure.lines.push_back({"mean", figure.title, drawing.style(), drawing.weights.mean_by_distance, false});
  figure.zero_line = true;
  return figure;
}

Readout smallest_readout(const Drawing& drawing) {
  const AttentionWeights& weights = drawing.weights;
  Readout readout = start_card("attention.smallest", drawing.text);
  readout.value = Quantity{with_digits(weights.smallest, 3)};
  if (weights.negative_share > 0) {
    readout.note = drawing.text.format("readout.attention.smallest.negative",
                                       {{"share", readable_number(100 * weights.negative_share, 3)}});
  } else {
    readout.note = drawing.text["readout.attention.smallest.positive"];
  }
  return readout;
}

Readout sums_readout(const Drawing& drawing) {
  const AttentionWeights& weights = drawing.weights;
  Readout readout = start_card("attention.sums", drawing.text);
  constexpr double kSame = 1e-5;
  if (std::abs(weights.least_sum - 1) < kSame && std::abs(weights.most_sum - 1) < kSame) {
    readout.value = Quantity{as_whole(1)};
    readout.note = drawing.text["readout.attention.sums.one"];
    return readout;
  }
  readout.value = Quantity{with_decimals(weights.least_sum, 3), "", "readout.attention.sums.range",
                           with_decimals(weights.most_sum, 3)};
  readout.note = drawing.text["readout.attention.sums.other"];
  return readout;
}

Readout denominator_readout(const Drawing& drawing) {
  Readout readout = start_card("attention.denominator", drawing.text);
  readout.value = Quantity{with_digits(drawing.weights.least_denominator, 3)};
  readout.note = drawing.text[drawing.weights.negative_share > 0 ? "readout.attention.denominator.turns"
                                                                 : "readout.attention.denominator.note"];
  return readout;
}

/// The key that counts most for the shown query.
Readout row_readout(const Drawing& drawing) {
  Readout readout = start_card("attention.row", drawing.text);
  readout.label = drawing.text.format("readout.attention.row.of", {{"query", counted(drawing.row)}});
  const Eigen::Index keys = drawing.weights.picture.causal ? drawing.row + 1 : drawing.matrix().cols();
  Eigen::Index best = -1;
  for (Eigen::Index key = 0; key < keys; ++key) {
    const float weight = drawing.matrix()(drawing.row, key);
    if (!std::isnan(weight) && (best < 0 || weight > drawing.matrix()(drawing.row, best))) best = key;
  }
  readout.value = no_number();
  if (best >= 0) readout.value = Quantity{with_digits(static_cast<double>(drawing.matrix()(drawing.row, best)), 3)};
  readout.note = best < 0 ? drawing.text["readout.attention.row.past"]
                          : drawing.text.format("readout.attention.row.note",
                                                {{"key", counted(best)},
                                                 {"distance", counted(drawing.row - best)},
                                                 {"even", readable_number(1 / static_cast<double>(keys), 3)}});
  return readout;
}

std::string status_of(const Drawing& drawing) {
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
  Drawing drawing{shown, weights, 0, shown.text};
  drawing.row = static_cast<Eigen::Index>(std::min(shown.knobs.row, drawing.tokens() - 1));
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({map_figure(drawing), 0.62, false, 0.5});
  result.panels.push_back({sums_figure(drawing), 0.62, true, 0.5});
  result.panels.push_back({row_figure(drawing), 0.38, false, 0.5});
  result.panels.push_back({distance_figure(drawing), 0.38, true, 0.5});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = {smallest_readout(drawing), sums_readout(drawing)};
  if (shown.subject.kind == AttentionKind::linear) result.readouts.push_back(denominator_readout(drawing));
  result.readouts.push_back(row_readout(drawing));
  if (!result.stale) result.status = status_of(drawing);
  return result;
}

}  // namespace ropescope
