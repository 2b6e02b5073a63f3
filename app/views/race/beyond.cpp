#include "app/views/race/beyond.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "app/figure/number_text.h"
#include "app/views/race/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "core/error.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

constexpr int kBeyondColours = 5, kSlots = 25;
constexpr int kBeyondBuckets = 32;

/// How many times the trained length a runner can read: a learned table ends where its rows end, a text with its last
/// tenth.
int factor_of(const RaceSetup& setup, const RunnerSpec& spec) {
  if (find_encoding(spec.encoding).positions) return 1;
  for (int factor = kLargestBeyond; factor > 1; --factor) {
    try {
      require_text(setup, factor * setup.length);
      return factor;
    } catch (const InputError&) {
      continue;
    }
  }
  return 1;
}

/// Adds the numbers of a seed to the means; NaN where there is nothing.
void add_beyond(const BeyondLosses& losses, BeyondCurve& curve) {
  if (curve.positions.empty()) {
    for (const PositionBucket& bucket : losses.buckets) {
      curve.positions.push_back(0.5 * static_cast<double>(bucket.from + bucket.to - 1));
    }
    curve.losses.assign(losses.buckets.size(), 0);
  }
  for (std::size_t i = 0; i < losses.buckets.size(); ++i) curve.losses[i] += losses.buckets[i].loss;
  curve.within += losses.within.loss;
  curve.past += losses.past.tokens > 0 ? losses.past.loss : std::numeric_limits<double>::quiet_NaN();
}

/// One line of the picture.
struct BeyondShown {
  const RaceLane* lane;
  std::string method;
  std::shared_ptr<const BeyondCurve> curve;
};

/// The methods of the knobs that apply to a lane, the plain one first.
std::vector<std::string> methods_of(const RaceKnobs& knobs, const RunnerSpec& spec) {
  std::vector<std::string> methods;
  for (const std::string_view method : beyond_methods(spec)) {
    const auto wanted = std::find(knobs.extensions.begin(), knobs.extensions.end(), method);
    if (method == "none" || wanted != knobs.extensions.end()) methods.emplace_back(method);
  }
  return methods;
}

/// "yarn ×8".
std::string method_words(const std::string& method, int factor, const Text& text) {
  Extension extension{method, {}, {}};
  if (find_parameter(find_scaling_method(method), "factor")) extension.numbers["factor"] = factor;
  return extension_words(extension, text);
}

/// Colour of the lane, and the first dash of it that nobody has; where all are taken, any that is free.
int slot_of(const RaceLane& lane, const std::string& method, std::set<int>& taken) {
  int slot = lane.slot;
  if (method != "none") {
    slot %= kBeyondColours;
    while (slot < kSlots && taken.contains(slot)) slot += kBeyondColours;
    for (int any = 0; slot >= kSlots && any < kSlots; ++any) {
      if (!taken.contains(any)) slot = any;
    }
  }
  taken.insert(slot);
  return slot;
}

void add_line_beyond(const BeyondShown& shown, std::set<int>& taken, const Text& text, Figure& figure) {
  Line line;
  line.key = shown.lane->key;
  line.label = shown.lane->label;
  if (shown.method != "none") {
    line.key += "+" + shown.method;
    line.label =
        text.format("view.race.extended",
                    {{"runner", line.label}, {"extension", method_words(shown.method, shown.curve->factor, text)}});
  }
  line.style.slot = slot_of(*shown.lane, shown.method, taken);
  line.series = make_series(shown.curve->positions, shown.curve->losses);
  figure.lines.push_back(std::move(line));
}

void add_rule(bool vertical, double at, const std::string& label, Figure& figure) {
  Rule rule;
  rule.vertical = vertical;
  rule.at = at;
  rule.label = label;
  figure.rules.push_back(std::move(rule));
}

Figure figure_of_beyond(const Experiment& experiment, const Race& race, const std::vector<BeyondShown>& shown,
                        const Text& text) {
  const RaceKnobs& knobs = experiment.race;
  Figure figure = empty_race_figure(experiment, text);
  figure.title = text.format("view.race.beyond_title", {{"length", counted(race.setup->length)}});
  std::set<int> taken;
  for (const BeyondShown& one : shown) taken.insert(one.lane->slot);
  Range losses = kNoRange;
  double last = race.setup->length;
  for (const BeyondShown& one : shown) {
    add_line_beyond(one, taken, text, figure);
    losses = widened(losses, *figure.lines.back().series);
    last = std::max(last, one.curve->positions.empty() ? 0 : one.curve->positions.back());
  }
  include(losses, race.setup->task.unigram);
  add_rule(true, race.setup->length, text["view.race.trained_length"], figure);
  add_rule(false, race.setup->task.unigram,
           text.format("view.race.unigram", {{"loss", readable_number(race.setup->task.unigram, 3)}}), figure);
  if (race.setup->task.floor) {
    include(losses, *race.setup->task.floor);
    add_rule(false, *race.setup->task.floor, text["view.race.floor"], figure);
  }
  figure.x = data_axis(named_axis("race", "position", text), {0, last}, knobs.position_range);
  figure.x.whole = true;
  figure.y = value_axis(named_axis("race", "loss", text, AxisScale::linear, "beyond"), with_room(losses, 0.06),
                        knobs.beyond_range);
  figure.legend = true;
  return figure;
}

Readout past_card(const RaceLane& lane, const std::vector<BeyondShown>& shown, const Text& text) {
  Readout card = start_card("race.past", text);
  card.name += "." + lane.card;
  card.label = text.format("readout.race.past.of", {{"runner", lane.label}});
  const BeyondShown *plain = nullptr, *best = nullptr;
  for (const BeyondShown& one : shown) {
    if (one.lane != &lane) continue;
    if (one.method == "none") plain = &one;
    if (std::isfinite(one.curve->past) && (!best || one.curve->past < best->curve->past)) best = &one;
  }
  card.value = no_number();
  if (!plain) return card;
  const std::string within = readable_fixed(plain->curve->within, 3);
  if (!std::isfinite(plain->curve->past)) {
    card.value = Words("readout.race.past.nothing");
    card.note = text.format("readout.race.past.ends", {{"within", within}});
    return card;
  }
  card.value = Quantity{with_decimals(plain->curve->past, 3), "nats"};
  card.note = text.format("readout.race.past.note", {{"within", within}});
  if (best->method == "none") return card;
  card.note +=
      " " + text.format("readout.race.past.best", {{"extension", method_words(best->method, best->curve->factor, text)},
                                                   {"loss", readable_fixed(best->curve->past, 3)}});
  return card;
}

}  // namespace

std::shared_ptr<const BeyondCurve> BeyondInput::compute(int threads, const std::stop_token& stop) const {
  auto curve = std::make_shared<BeyondCurve>();
  const std::shared_ptr<const Race> race = moment.present();
  if (!race) return curve;  // computed before, and its race has gone on
  const std::size_t seeds = race->runners.size() / race->start.runners.size();
  double count = 0;
  try {
    for (std::size_t i = lane * seeds; i < (lane + 1) * seeds; ++i) {
      const RunnerState& state = race->runners[i];
      if (state.fault) continue;
      const RunnerSpec& spec = race->specs[i];
      const BeyondOptions options{method, factor_of(*race->setup, spec), 0, kBeyondBuckets};
      const auto parameters = std::span<const float>(state.cells).first(state.cells.size() / 3);
      curve->factor = options.factor;
      const BeyondLosses losses = beyond_losses(*race->setup, spec, parameters, options, race_workers(threads), stop);
      if (stop.stop_requested()) return nullptr;
      add_beyond(losses, *curve);
      ++count;
    }
  } catch (const InputError& error) {
    if (stop.stop_requested()) return nullptr;
    curve->fault = error.words();
    moment.release();
    return curve;
  }
  for (double& loss : curve->losses) loss /= count;
  curve->within /= count, curve->past /= count;
  moment.release();
  return curve;
}

ViewResult beyond_figures(const Experiment& experiment, const std::shared_ptr<const Race>& race,
                          const std::vector<RaceLane>& lanes, const Text& text, Store& store) {
  const std::size_t seeds = race->runners.size() / lanes.size();
  std::vector<BeyondShown> shown;
  std::size_t asked = 0;
  ViewResult result;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (const std::string& method : methods_of(experiment.race, race->specs[i * seeds])) {
      ++asked;
      const auto answer =
          store.get("race.beyond." + lanes[i].key + "." + method, BeyondInput{RaceMoment(race), i, method});
      if (!answer.current) continue;
      if (!answer.result->fault.empty()) result.status = text.say(answer.result->fault);
      if (!answer.result->positions.empty()) shown.push_back({&lanes[i], method, answer.result});
      --asked;
    }
  }
  result.panels.push_back({figure_of_beyond(experiment, *race, shown, text), 1});
  Figure& figure = result.panels.front().figure;
  if (shown.empty()) figure.empty_message = asked > 0 ? text["view.computing"] : result.status;
  for (const RaceLane& lane : lanes) result.readouts.push_back(past_card(lane, shown, text));
  result.stale = asked > 0;
  if (asked > 0) result.progress = static_cast<double>(shown.size()) / static_cast<double>(shown.size() + asked);
  return result;
}

}  // namespace ropescope
