#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/attention/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"

namespace ropescope {

namespace {

constexpr int kSoftmaxSlot = 0, kLinearSlot = 1;

void add_measured(Figure& figure, const std::string& key, const std::string& label, const MeasuredCost& cost,
                  int slot) {
  if (cost.tokens.empty()) return;
  std::vector<double> milliseconds;
  for (const double seconds : cost.seconds) milliseconds.push_back(1e3 * seconds);
  figure.points.push_back({key + ".points", {}, {slot, false}, cost.tokens, milliseconds, {}});
  figure.lines.push_back({key, label, {slot, false}, make_series(cost.tokens, std::move(milliseconds)), true});
}

/// What n² or n through the last measured point looks like.
void add_guide(Figure& figure, const std::string& key, const std::string& label, const MeasuredCost& cost, double power,
               int slot) {
  if (cost.tokens.empty()) return;
  std::vector<double> xs, ys;
  for (const double tokens : cost.tokens) {
    xs.push_back(tokens);
    ys.push_back(1e3 * cost.seconds.back() * std::pow(tokens / cost.tokens.back(), power));
  }
  figure.lines.push_back({key, label, {slot, true}, make_series(std::move(xs), std::move(ys)), true});
}

Figure cost_figure(const AttentionShown& shown, const AttentionCost& cost) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "cost";
  figure.title = text.format("view.attention.cost_of", {{"encoding", shown.text.say(title_of(*shown.encoding))},
                                                        {"dimension", counted(shown.subject.settings.dim)}});
  add_measured(figure, "softmax", text["view.attention.softmax"], cost.softmax, kSoftmaxSlot);
  add_measured(figure, "linear", text["view.attention.linear"], cost.linear, kLinearSlot);
  add_guide(figure, "square", text["view.attention.square"], cost.softmax, 2, kSoftmaxSlot);
  add_guide(figure, "proportional", text["view.attention.proportional"], cost.linear, 1, kLinearSlot);
  Range times = kNoRange;
  for (const Points& points : figure.points) {
    for (const double time : points.ys) include(times, time);
  }
  const Range lengths = {cost.softmax.tokens.front() / 1.2, cost.softmax.tokens.back() * 1.2};
  figure.x =
      cell_axis(named_axis("attention", "tokens", text, AxisScale::log, "length"), lengths, shown.knobs.length_range);
  figure.y =
      fixed_axis(named_axis("attention", "milliseconds", text, AxisScale::log), {decades(times).low, 2 * times.high});
  figure.legend = true;
  return figure;
}

}  // namespace

ViewResult attention_cost(const AttentionShown& shown) {
  CostInput input;
  input.encoding = shown.subject.encoding;
  input.settings = shown.subject.settings;
  input.kernel = shown.subject.kernel;
  input.random_features = shown.subject.random_features;
  input.turned_vectors = shown.subject.turned_vectors;
  input.causal = shown.subject.causal;
  input.longest = static_cast<int>(shown.knobs.longest);
  const auto answer = shown.store.get("attention.cost", input);
  if (!answer.result || !answer.current) {
    // Times of something else would stand under these words.
    ViewResult waiting = attention_message({}, true);
    waiting.status = shown.text["view.attention.measuring"];
    return waiting;
  }
  const AttentionCost& cost = *answer.result;
  if (!cost.fault.empty()) return attention_message(shown.text.say(cost.fault));
  ViewResult result;
  result.panels.push_back({cost_figure(shown, cost), 1});
  result.readouts = cost_readouts(shown, cost);
  result.status = shown.text.format("view.attention.status_cost", {{"runs", std::to_string(cost.softmax.runs)}});
  return result;
}

}  // namespace ropescope
