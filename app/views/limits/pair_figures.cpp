#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/views/decay/inputs.h"
#include "app/views/limits/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// Added to a slot: the same colour with the next dash, and another colour with the same dash.
constexpr int kOtherDash = 5, kOtherColour = 21;

FigureAxis pair_figures_shown_pairs(const LimitsKnobs& knobs, const std::vector<LimitsOf>& ropes, const Text& text) {
  Eigen::Index most = 0;
  for (const LimitsOf& of : ropes) most = std::max(most, of.frequencies.size());
  return pair_axis("limits", most, knobs.pair_range, text);
}

/// Shades the pairs of a ladder that do not finish a turn, and those that stand still; they stand at its end in this
/// order, as frequencies fall.
void add_unfinished(Figure& figure, const LimitsOf& of, const std::string& label, const std::string& still_label) {
  const auto still = (of.frequencies.array() == 0).count();
  const double last = static_cast<double>(of.frequencies.size() - 1);
  double high = last + 0.5;
  const auto add = [&](auto count, const std::string& words) {
    if (count == 0) return;
    Span span;
    span.low = std::max(0.0, high - static_cast<double>(count));
    span.high = std::min(last, high);
    span.role = Role::secondary;
    span.label = words;
    figure.spans.push_back(span);
    high = span.low;
  };
  add(still, still_label);
  add(of.information->below_turn, label);
}

/// The name of one of several curves of a rope. Short, as a legend names them all: "all 64 pairs", of a pinned rope
/// "all 64 pairs, pin 1".
std::string part_label(const std::string& part, const LimitsOf& of, const Text& text) {
  const std::string& key = of.shown.key;
  if (key.rfind("pin", 0) != 0) return part;
  return text.format("view.limits.of_pin", {{"part", part}, {"number", key.substr(3)}});
}

}  // namespace

Figure turns_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text) {
  const LimitsKnobs& knobs = experiment.limits;
  Figure figure;
  figure.name = "turns";
  figure.x = pair_figures_shown_pairs(knobs, ropes, text);
  for (const LimitsOf& of : ropes) {
    figure.lines.push_back({of.shown.key, of.shown.label, {of.shown.slot, false}, of.information->turns, true});
  }
  const Range turns = decades(widened({1, 1}, figure.lines));
  figure.y = value_axis(named_axis("limits", "turns", text, AxisScale::log),
                        turns.low < turns.high ? turns : Range{0.1, 10}, knobs.turns_range);
  figure.y.label = text.format("view.limits.turns", {{"length", counted(knobs.context)}});
  add_level(figure, 1, text["view.limits.one_turn"]);
  add_level(figure, 0.25, text["view.limits.quarter_turn"]);
  add_unfinished(figure, ropes.front(),
                 text.format("view.limits.unfinished", {{"count", counted(ropes.front().information->below_turn)}}),
                 text["view.frequencies.still"]);
  return figure;
}

Figure variance_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text) {
  const LimitsKnobs& knobs = experiment.limits;
  Figure figure;
  figure.name = "variance";
  figure.x = pair_figures_shown_pairs(knobs, ropes, text);
  for (const LimitsOf& of : ropes) {
    const Information& information = *of.information;
    const auto add = [&](const char* part, const std::shared_ptr<const Series>& series, int slot) {
      figure.lines.push_back({of.shown.key + "." + part,
                              part_label(text[std::string("view.limits.variance_") + part], of, text),
                              {slot, false},
                              series,
                              true});
    };
    add("cos", information.variance_cos, of.shown.slot);
    add("sin", information.variance_sin, of.shown.slot + kOtherDash);
  }
  figure.legend = true;
  const double most = widened({0, 0.5}, figure.lines).high;
  figure.y = value_axis(named_axis("limits", "variance", text), {0, 1.04 * most}, knobs.variance_range);
  add_unfinished(figure, ropes.front(), {}, {});  // named in the panel above
  return figure;
}

namespace {

FigureAxis pair_figures_distance_axis(const LimitsKnobs& knobs, const Text& text) {
  FigureAxis axis = named_axis("limits", "distance", text, AxisScale::log);
  axis.label = text["view.decay.distance"];
  axis.whole = true;
  return data_axis(axis, {1, knobs.context}, knobs.distance_range);
}

/// The similarity of some of the pairs, as a line; nothing where none is left.
void add_similarity(Figure& figure, const std::string& key, const Eigen::VectorXd& frequencies, const Line& like,
                    double span, Store& store) {
  if (frequencies.size() == 0) return;
  DecayInput input;
  input.frequencies = frequencies;
  input.span = static_cast<std::int64_t>(span);
  input.bound = false;
  const auto answer = store.get("limits." + key, input);
  figure.stale |= !answer.current;
  if (!answer.result) return;
  Line line = like;
  line.key = key;
  line.series = answer.result->similarity;
  figure.lines.push_back(line);
}

}  // namespace

Figure dropped_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text,
                      Store& store) {
  const LimitsKnobs& knobs = experiment.limits;
  Figure figure;
  figure.name = "dropped";
  figure.x = pair_figures_distance_axis(knobs, text);
  for (const LimitsOf& of : ropes) {
    const Eigen::VectorXd moving = finished_frequencies(of.frequencies, knobs.context);
    const std::string all_label = text.format("view.limits.all_pairs", {{"count", counted(of.frequencies.size())}});
    const std::string moving_label = text.format("view.limits.moving_pairs", {{"count", counted(moving.size())}});
    Line all{{}, part_label(all_label, of, text), {of.shown.slot, false}, nullptr, true};
    Line kept{{}, part_label(moving_label, of, text), {of.shown.slot + kOtherColour, false}, nullptr, true};
    add_similarity(figure, of.shown.key + ".all", of.frequencies, all, knobs.context, store);
    add_similarity(figure, of.shown.key + ".moving", moving, kept, knobs.context, store);
  }
  const double least = widened({0, 1}, figure.lines).low;
  figure.legend = true;
  figure.y = value_axis(named_axis("limits", "similarity", text),
                        {least < 0 ? 0.1 * std::floor(10 * least - 0.25) : 0, 1.04}, knobs.similarity_range);
  figure.y.label = text["view.decay.similarity"];
  figure.zero_line = true;
  return figure;
}

}  // namespace ropescope
