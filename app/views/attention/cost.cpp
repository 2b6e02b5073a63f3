#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figure/number_text.h"
#include "app/views/attention/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/encodings.h"

namespace ropescope {

namespace {

constexpr int kSoftmaxSlot = 0, kLinearSlot = 1;

/// The first measured length from which on linear attention is the faster one.
std::optional<double> faster_from(const AttentionCost& cost) {
  std::optional<double> from;
  for (std::size_t i = cost.linear.tokens.size(); i-- > 0;) {
    if (cost.linear.seconds[i] >= cost.softmax.seconds[i]) break;
    from = cost.linear.tokens[i];
  }
  return from;
}

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
  double least = 1e300, most = 0;
  for (const Points& points : figure.points) {
    for (const double time : points.ys) least = std::min(least, time), most = std::max(most, time);
  }
  const Range lengths = {cost.softmax.tokens.front() / 1.2, cost.softmax.tokens.back() * 1.2};
  figure.x = cell_axis(named_axis("attention", "tokens", text, AxisScale::log), lengths, shown.knobs.length_range);
  figure.x.range_key = "attention.length_range";
  figure.y.name = "milliseconds";
  figure.y.label = text["view.attention.milliseconds"];
  figure.y.scale = AxisScale::log;
  figure.y.fit = figure.y.range = {std::pow(10, std::floor(std::log10(least))), 2 * most};
  figure.legend = true;
  return figure;
}

Readout slope_readout(const AttentionShown& shown, const std::string& key, const MeasuredCost& cost) {
  Readout readout = start_card("attention." + key, shown.text);
  const std::optional<double> slope = cost_slope(cost);
  readout.value = slope ? Quantity{with_decimals(*slope, 2), "", "readout.attention.slope.value"} : no_number();
  readout.note =
      cost.tokens.empty()
          ? shown.text.format("readout.attention.slope.none", {{"encoding", shown.text.say(title_of(*shown.encoding))}})
          : shown.text.format(
                "readout.attention.slope.note",
                {{"tokens", counted(cost.tokens.back())}, {"time", readable_number(1e3 * cost.seconds.back(), 3)}});
  return readout;
}

Readout crossing_readout(const AttentionShown& shown, const AttentionCost& cost) {
  Readout readout = start_card("attention.crossing", shown.text);
  const std::optional<double> from = faster_from(cost);
  readout.value = from ? Quantity{as_whole(*from), "tokens"} : no_number();
  readout.note =
      from ? shown.text.format("readout.attention.crossing.note",
                               {{"times", readable_number(cost.softmax.seconds.back() / cost.linear.seconds.back(), 2)},
                                {"tokens", counted(cost.linear.tokens.back())}})
           : shown.text["readout.attention.crossing.never"];
  return readout;
}

}  // namespace

std::optional<double> cost_slope(const MeasuredCost& cost) {
  const std::size_t first = cost.tokens.size() / 2, count = cost.tokens.size() - first;
  if (count < 2) return std::nullopt;
  double mean_x = 0, mean_y = 0, above = 0, below = 0;
  for (std::size_t i = first; i < cost.tokens.size(); ++i) {
    mean_x += std::log(cost.tokens[i]) / static_cast<double>(count);
    mean_y += std::log(cost.seconds[i]) / static_cast<double>(count);
  }
  for (std::size_t i = first; i < cost.tokens.size(); ++i) {
    const double x = std::log(cost.tokens[i]) - mean_x;
    above += x * (std::log(cost.seconds[i]) - mean_y);
    below += x * x;
  }
  return above / below;
}

ViewResult attention_cost(const AttentionShown& shown) {
  CostInput input;
  input.encoding = shown.subject.encoding;
  input.settings = shown.subject.settings;
  input.kernel = shown.subject.kernel;
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
  result.readouts = {slope_readout(shown, "softmax_cost", cost.softmax),
                     slope_readout(shown, "linear_cost", cost.linear)};
  if (!cost.linear.tokens.empty()) result.readouts.push_back(crossing_readout(shown, cost));
  result.status = shown.text.format("view.attention.status_cost", {{"runs", std::to_string(cost.softmax.runs)}});
  return result;
}

}  // namespace ropescope
