// Scores by distance of all heads of a layer, and the weights of one head as figures.
//
// Contents: Heads; Weights.

#include <algorithm>
#include <cmath>

#include "app/figure/figure.h"
#include "app/views/attention/figures.h"
#include "app/views/attention/layers.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/ropes.h"
#include "core/message.h"

namespace ropescope {

// --- Heads ---------------------------------------------------------------------------------------------------------

namespace {

/// The maximum number of heads in one picture.
constexpr std::int64_t kHeadsShown = 16;
constexpr int kMeanSlot = 0, kBiasSlot = 1, kHeadsBoundSlot = 3;

/// The largest |mean| ÷ bound of a head, and its distance.
struct Nearest {
  double ratio = 0;
  std::size_t distance = 0;
};

Nearest nearest_of(const HeadScores& scores) {
  Nearest nearest;
  for (Eigen::Index distance = 0; distance < scores.mean.size(); ++distance) {
    if (!(scores.bound[distance] > 0)) continue;
    const double ratio = std::abs(scores.mean[distance]) / scores.bound[distance];
    if (ratio > nearest.ratio) nearest = {ratio, static_cast<std::size_t>(distance)};
  }
  return nearest;
}

std::int64_t columns_for(std::int64_t heads) {
  if (heads <= 1) return 1;
  if (heads <= 4) return 2;
  return heads <= 9 ? 3 : 4;
}

/// The heads on screen, and their scores.
struct HeadsPage {
  std::int64_t first = 0, count = 0, page = 1, pages = 1;
  std::vector<std::shared_ptr<const std::vector<HeadScores>>> sides;  ///< null until computed
};

HeadsPage page_of(const LayersShown& shown) {
  HeadsPage page;
  const std::int64_t heads = shown.shape().heads;
  page.pages = (heads + kHeadsShown - 1) / kHeadsShown;
  page.page = std::clamp<std::int64_t>(std::llround(shown.fields.page), 1, page.pages);
  page.first = (page.page - 1) * kHeadsShown;
  page.count = std::min(kHeadsShown, heads - page.first);
  for (const DumpSide& side : shown.sides) {
    ScoresOf of;
    of.layer = side.of(shown.layer, shown.tokens);
    of.pairing = side.pairing;
    of.frequencies = side.frequencies;
    of.factor = side.amplitude * side.amplitude / std::sqrt(static_cast<double>(side.shape->head_dim));
    of.first = page.first;
    of.count = page.count;
    const std::string slot = "attention.scores." + std::to_string(page.sides.size());
    page.sides.push_back(shown.store.request<compute_layer_scores>({slot, of.cost(), true}, of).present());
  }
  return page;
}

void add_head_lines(const LayersShown& shown, const HeadsPage& page, std::size_t head, Figure& figure) {
  const Text& text = shown.text;
  for (std::size_t side = 0; side < page.sides.size(); ++side) {
    if (!page.sides[side]) continue;
    const HeadScores& scores = (*page.sides[side])[head];
    const std::string key = side == 0 ? "" : "against_";
    const int offset = side == 0 ? 0 : 5;  // the second side has the same colour with another dash
    const auto label = [&](const char* name) {
      const std::string words = text[std::string("view.attention.") + name];
      return side == 0 ? words
                       : text.format("view.attention.of_other", {{"what", words}, {"file", shown.sides[1].name}});
    };
    figure.lines.push_back({key + "mean", label("mean_score"), {kMeanSlot + offset, false}, series_of(scores.mean)});
    figure.lines.push_back(
        {key + "bias", label("direction_bias"), {kBiasSlot + offset, false}, series_of(scores.bias)});
    if (side > 0) continue;
    figure.lines.push_back({"bound", label("bound"), {kHeadsBoundSlot, false}, series_of(scores.bound)});
    figure.lines.push_back({"lower_bound", label("bound"), {kHeadsBoundSlot, false}, series_of(-scores.bound), false});
  }
}

Figure head_figure(const LayersShown& shown, const HeadsPage& page, std::size_t head) {
  const Text& text = shown.text;
  Figure figure;
  const std::int64_t number = page.first + static_cast<std::int64_t>(head) + 1;
  figure.name = "head" + std::to_string(number);
  const Range distances{0, std::max(1.0, static_cast<double>(shown.tokens - 1))};
  figure.x = cell_axis(named_axis("attention", "distance", text), distances, shown.fields.zooms);
  figure.y = named_axis("attention", "score", text, AxisScale::symlog);
  figure.y.label = text["view.attention.symlog_score"];
  figure.title = text.format("view.attention.head", {{"head", std::to_string(number)}});
  if (page.sides.front()) {
    const double ratio = nearest_of((*page.sides.front())[head]).ratio;
    figure.title = text.format("view.attention.head_near",
                               {{"head", std::to_string(number)}, {"percent", readable_number(100 * ratio, 3)}});
  }
  add_head_lines(shown, page, head, figure);
  figure.zero_line = true;
  return figure;
}

/// Shares the axes of all panels and labels them only at the outer edges.
void share_axes(std::vector<Panel>& panels, std::int64_t columns) {
  Range scores{0, 0};
  for (const Panel& panel : panels) scores = widened(scores, panel.figure.lines);
  scores = add_margin(scores, 0.06);
  const auto count = std::ssize(panels);
  for (std::int64_t i = 0; i < count; ++i) {
    Figure& figure = panels[static_cast<std::size_t>(i)].figure;
    figure.y = fixed_axis(figure.y, scores);
    if (i % columns != 0) figure.y.label.clear();
    if (i + columns < count) figure.x.label.clear();
    panels[static_cast<std::size_t>(i)].beside = i % columns != 0;
  }
  for (std::int64_t i = count; i % columns != 0; ++i) {
    Panel gap;
    gap.figure.bare = true;
    gap.beside = true;
    panels.push_back(std::move(gap));
  }
}

std::vector<Readout> readouts_of_heads(const LayersShown& shown, const HeadsPage& page) {
  const Text& text = shown.text;
  Nearest nearest;
  double steepest = 0;
  std::int64_t near_head = 0, bias_head = 0;
  Eigen::Index bias_at = 0;
  for (std::int64_t head = 0; head < page.count; ++head) {
    const HeadScores& scores = (*page.sides.front())[static_cast<std::size_t>(head)];
    const Nearest own = nearest_of(scores);
    if (own.ratio > nearest.ratio) nearest = own, near_head = head;
    for (Eigen::Index distance = 0; distance < scores.bias.size(); ++distance) {
      if (std::abs(scores.bias[distance]) <= std::abs(steepest)) continue;
      steepest = scores.bias[distance];
      bias_head = head;
      bias_at = distance;
    }
  }
  Readout near = start_card("attention.nearest_bound", text), bias = start_card("attention.direction_bias", text);
  near.value = Quantity{with_digits(100 * nearest.ratio, 3), "percent", "readout.attention.bound.value"};
  near.note = text.format("readout.attention.nearest_bound.note",
                          {{"head", counted(page.first + near_head + 1)}, {"distance", counted(nearest.distance)}});
  bias.value = Quantity{with_digits(steepest, 4)};
  bias.note = text.format("readout.attention.nearest_bound.note",
                          {{"head", counted(page.first + bias_head + 1)}, {"distance", counted(bias_at)}});
  std::vector<Readout> readouts{near, bias};
  if (!page.sides[page.sides.size() - 1] || !shown.compared()) return readouts;
  Readout apart = start_card("attention.mean_apart", text);
  double most = 0;
  std::int64_t at_head = 0;
  Eigen::Index at = 0;
  for (std::int64_t head = 0; head < page.count; ++head) {
    const auto index = static_cast<std::size_t>(head);
    const Eigen::VectorXd change = (*page.sides[1])[index].mean - (*page.sides[0])[index].mean;
    Eigen::Index own = 0;
    if (change.cwiseAbs().maxCoeff(&own) <= std::abs(most)) continue;
    most = change[own], at_head = head, at = own;
  }
  apart.value = Quantity{with_digits(most, 4)};
  apart.note = text.format("readout.attention.nearest_bound.note",
                           {{"head", counted(page.first + at_head + 1)}, {"distance", counted(at)}});
  readouts.push_back(apart);
  return readouts;
}

// --- Weights -------------------------------------------------------------------------------------------------------

/// Minimum length of the axis of sums; if all sums are nearly 1, they are in its middle.
constexpr double kMinReach = 0.4;
/// The style of the mark of the selected row, visible on every map.
constexpr LineStyle kRowStyle{1, false};

struct WeightsDrawing {
  const AttentionShown& shown;
  const AttentionWeights& weights;
  Eigen::Index row = 0;  ///< the row whose weights are drawn as a curve
  const Text& text;

  const RowMatrix<float>& matrix() const { return *weights.picture.weights; }
  /// Returns the axis with words as names if the tokens are words.
  FigureAxis named(FigureAxis axis) const {
    axis.names = shown.subject.content.words;
    return axis;
  }
  double tokens() const { return static_cast<double>(matrix().rows()); }
  LineStyle style() const { return {encoding_slot(shown.encoding().name), false}; }
};

Figure draw_weights_map(const WeightsDrawing& drawing) {
  const AttentionFields& fields = drawing.shown.fields;
  Figure figure = weights_figure(drawing.weights.picture, "weights", drawing.text);
  figure.title = drawing.shown.about;
  figure.x = data_axis(drawing.named(figure.x), figure.x.fit, fields.zooms);
  figure.y = data_axis(drawing.named(figure.y), figure.y.fit, fields.zooms);
  mark_row(figure, static_cast<double>(drawing.row));
  // The colour of text would be invisible on one of the maps.
  for (Box& box : figure.boxes) box.role = Role::curve, box.style = kRowStyle;
  for (Rule& rule : figure.rules) rule.role = Role::curve, rule.style = kRowStyle;
  return figure;
}

Figure draw_weights_row(const WeightsDrawing& drawing) {
  const AttentionFields& fields = drawing.shown.fields;
  const Eigen::Index keys = drawing.weights.picture.causal ? drawing.row + 1 : drawing.matrix().cols();
  std::vector<double> values;
  Range weights{0, 0};
  for (Eigen::Index key = 0; key < keys; ++key) {
    values.push_back(drawing.matrix()(drawing.row, key));
    include(weights, values.back());
  }
  Figure figure = named_figure("row", drawing.text.format("view.attention.row", {{"query", counted(drawing.row)}}));
  figure.x = cell_axis(drawing.named(named_axis("attention", "key", drawing.text)), cell_range(drawing.tokens()),
                       fields.zooms);
  figure.y =
      value_axis(named_axis("attention", "weight", drawing.text), add_margin(weights, kValueMargin), fields.zooms);
  figure.lines.push_back({"weight", figure.title, drawing.style(), make_series(0, 1, std::move(values)), false});
  add_rule(figure, static_cast<double>(drawing.row), drawing.text["view.attention.itself"]);
  figure.zero_line = weights.low < 0;
  return figure;
}

Figure sums_figure(const WeightsDrawing& drawing) {
  const AttentionFields& fields = drawing.shown.fields;
  Figure figure = named_figure("sums", drawing.text["view.attention.sums"]);
  figure.x = cell_axis(drawing.named(named_axis("attention", "query", drawing.text)), cell_range(drawing.tokens()),
                       fields.zooms);
  const AttentionWeights& weights = drawing.weights;
  // The range always includes 1, to show how far the sums are from it.
  Range sums{1, 1};
  if (weights.least_sum <= weights.most_sum) include(sums, weights.least_sum), include(sums, weights.most_sum);
  sums = add_margin(sums, kValueMargin);
  if (sums.high - sums.low < kMinReach) sums = {1 - kMinReach / 2, 1 + kMinReach / 2};
  figure.y = value_axis(named_axis("attention", "sum", drawing.text), sums, fields.zooms);
  figure.lines.push_back({"sum", figure.title, drawing.style(), weights.row_sums, false});
  add_level(figure, 1, drawing.text["view.attention.average"]);
  add_rule(figure, static_cast<double>(drawing.row), {}, Role::curve, kRowStyle).dashed = false;
  return figure;
}

Figure distance_figure(const WeightsDrawing& drawing) {
  const AttentionFields& fields = drawing.shown.fields;
  const Series& mean = *drawing.weights.mean_by_distance;
  Figure figure = named_figure("distance", drawing.text["view.attention.mean_weight"]);
  const double last = drawing.tokens() - 1;
  figure.x = cell_axis(named_axis("attention", "distance", drawing.text),
                       {drawing.weights.picture.causal ? 0 : -last, last}, fields.zooms);
  figure.y = fixed_axis(named_axis("attention", "mean_weight", drawing.text),
                        add_margin(widened({0, std::numeric_limits<double>::lowest()}, mean), kValueMargin));
  figure.y.label = drawing.text["view.attention.weight"];
  figure.lines.push_back({"mean", figure.title, drawing.style(), drawing.weights.mean_by_distance, false});
  figure.zero_line = true;
  return figure;
}

std::string describe_weights_status(const WeightsDrawing& drawing) {
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

ViewResult heads_picture(const LayersShown& shown) {
  const HeadsPage page = page_of(shown);
  ViewResult result;
  for (std::int64_t head = 0; head < page.count; ++head) {
    result.panels.push_back({head_figure(shown, page, static_cast<std::size_t>(head)), 1});
  }
  share_axes(result.panels, columns_for(page.count));
  result.panels.front().figure.legend = true;
  const auto finished = static_cast<std::size_t>(
      std::count_if(page.sides.begin(), page.sides.end(), [](const auto& side) { return side != nullptr; }));
  if (page.sides.front()) result.readouts = readouts_of_heads(shown, page);
  say_progress(shown, finished, page.sides.size(), result);
  if (!result.stale) {
    result.status = shown.text.format("view.attention.status_heads", {{"layer", counted(shown.layer)},
                                                                      {"first", counted(page.first + 1)},
                                                                      {"last", counted(page.first + page.count)},
                                                                      {"heads", counted(shown.shape().heads)},
                                                                      {"tokens", counted(shown.tokens)},
                                                                      {"page", counted(page.page)},
                                                                      {"pages", counted(page.pages)}});
  }
  return result;
}

ViewResult attention_weights(const AttentionShown& shown) {
  const double cost = shown.subject.content.matrix_cost();
  const auto answer = shown.store.request<compute_subject_weights>({"attention.weights", cost, true}, shown.subject);
  if (!answer.result) return message_of(answer, shown.text);
  const AttentionWeights& weights = *answer.result;
  if (weights.undefined_rows == weights.picture.weights->rows()) {
    return attention_message(shown.text.format("view.attention.all_past_table",
                                               {{"encoding", shown.text.render(title_of(shown.encoding()))},
                                                {"rows", counted(shown.subject.ready.settings.trained_length)}}),
                             !answer.current);
  }
  WeightsDrawing drawing{shown, weights, 0, shown.text};
  drawing.row = static_cast<Eigen::Index>(std::min(shown.fields.row, drawing.tokens() - 1));
  ViewResult result;
  result.stale = !answer.current;
  if (sums_are_one(weights)) {
    // The card says so: the row of the map belongs to the query's weights, which are over the same keys.
    result.panels.push_back({draw_weights_map(drawing), 0.62, false, 0.5});
    result.panels.push_back({draw_weights_row(drawing), 0.62, true, 0.5});
    result.panels.push_back({distance_figure(drawing), 0.38});
  } else {
    result.panels.push_back({draw_weights_map(drawing), 0.62, false, 0.5});
    result.panels.push_back({sums_figure(drawing), 0.62, true, 0.5});
    result.panels.push_back({draw_weights_row(drawing), 0.38, false, 0.5});
    result.panels.push_back({distance_figure(drawing), 0.38, true, 0.5});
  }
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = weights_readouts(shown, weights, drawing.row);
  if (!result.stale) result.status = describe_weights_status(drawing);
  return result;
}

}  // namespace ropescope
