#include "app/views/race/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

/// How many steps all of a lane have.
std::size_t shared_steps(const RaceLane& lane) {
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (const RunnerState* runner : lane.runners) count = std::min(count, runner->curve.size());
  return lane.runners.empty() ? 0 : count;
}

/// Mean, least and largest of the seeds' losses at each step, and where the step stands on the axis.
struct LaneCurve {
  std::vector<double> xs, mean, least, most;
};
LaneCurve curve_of(const RaceLane& lane, bool seconds) {
  LaneCurve curve;
  for (std::size_t at = 0; at < shared_steps(lane); ++at) {
    double sum = 0, time = 0, least = std::numeric_limits<double>::infinity(), most = -least;
    for (const RunnerState* runner : lane.runners) {
      const double loss = runner->curve[at].loss;
      sum += loss;
      time += runner->curve[at].seconds;
      least = std::min(least, loss);
      most = std::max(most, loss);
    }
    const auto count = static_cast<double>(lane.runners.size());
    curve.xs.push_back(seconds ? time / count : static_cast<double>(lane.runners.front()->curve[at].step));
    curve.mean.push_back(sum / count);
    curve.least.push_back(least);
    curve.most.push_back(most);
  }
  return curve;
}

/// The mean of up to `count` numbers that end at each.
std::vector<double> smoothed(const std::vector<double>& values, std::size_t count) {
  std::vector<double> result;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i >= count) sum -= values[i - count];
    result.push_back(sum / static_cast<double>(std::min(i + 1, count)));
  }
  return result;
}

void add_lane(const RaceLane& lane, const RaceKnobs& knobs, Figure& figure) {
  const LaneCurve curve = curve_of(lane, knobs.over == "seconds");
  if (curve.xs.empty()) return;
  const auto count = static_cast<std::size_t>(knobs.smoothing);
  const bool seeds = lane.runners.size() > 1;
  figure.lines.push_back({lane.encoding + ".raw",
                          lane.label,
                          {lane.slot, true},
                          make_series(curve.xs, seeds ? curve.least : curve.mean),
                          false});
  if (seeds) {
    figure.lines.push_back(
        {lane.encoding + ".most", lane.label, {lane.slot, true}, make_series(curve.xs, curve.most), false});
  }
  figure.lines.push_back(
      {lane.encoding, lane.label, {lane.slot, false}, make_series(curve.xs, smoothed(curve.mean, count))});
}

FigureAxis way_axis(const RaceKnobs& knobs, const Text& text) {
  FigureAxis axis = named_axis("race", knobs.over == "seconds" ? "seconds" : "step", text, AxisScale::linear, "way");
  axis.whole = knobs.over != "seconds";
  return axis;
}

void add_rules(const RaceKnobs& knobs, const Race& race, const Text& text, Figure& figure) {
  const auto rule = [&figure](bool vertical, double at, const std::string& label) {
    Rule line;
    line.vertical = vertical;
    line.at = at;
    line.label = label;
    figure.rules.push_back(std::move(line));
  };
  rule(false, race.setup->task.unigram,
       text.format("view.race.unigram", {{"loss", readable_number(race.setup->task.unigram, 3)}}));
  if (race.setup->task.floor) rule(false, *race.setup->task.floor, text["view.race.floor"]);
  if (knobs.over == "seconds") return;
  for (const BaseChange& change : race.bases) {
    if (change.step == 0) continue;
    rule(true, static_cast<double>(change.step),
         text.format("view.race.base", {{"base", readable_number(change.base, 4)}}));
  }
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Lanes that have been tested, the least loss first.
std::vector<std::pair<double, const RaceLane*>> ranking_of(const std::vector<RaceLane>& lanes) {
  std::vector<std::pair<double, const RaceLane*>> ranking;
  for (const RaceLane& lane : lanes) {
    const std::vector<double> tests = lane.last_tests();
    if (!tests.empty()) ranking.emplace_back(mean_of(tests), &lane);
  }
  std::sort(ranking.begin(), ranking.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return ranking;
}

Readout ahead_card(const std::vector<std::pair<double, const RaceLane*>>& ranking, const Text& text) {
  Readout card = start_card("race.ahead", text);
  card.value = no_number();
  if (ranking.empty()) {
    card.note = text["readout.race.ahead.nobody"];
    return card;
  }
  const RaceLane& first = *ranking.front().second;
  card.value = Words("option.encoding." + first.encoding);
  if (ranking.size() < 2) {
    card.note = text["readout.race.ahead.alone"];
    return card;
  }
  const RaceLane& second = *ranking[1].second;
  const std::vector<RunnerComparison> compared =
      compare_finals({{first.label, first.last_tests()}, {second.label, second.last_tests()}});
  if (compared.empty()) return card;
  const RunnerComparison& found = compared.front();
  const char* note = !found.spread ? "one_seed" : found.told_apart ? "told_apart" : "not_told_apart";
  if (found.spread && !found.told_apart) card.value = Words("readout.race.ahead.not_told_apart");
  card.note = text.format(std::string("readout.race.ahead.") + note + "_note",
                          {{"first", first.label},
                           {"second", second.label},
                           {"difference", readable_number(found.difference, 3)},
                           {"spread", readable_number(found.spread.value_or(0), 2)},
                           {"seeds", counted(static_cast<std::size_t>(found.seeds))}});
  return card;
}

}  // namespace

std::vector<double> RaceLane::last_tests() const {
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const RunnerState* runner : runners) {
    std::int64_t tested = 0;
    for (const RacePoint& point : runner->curve) {
      if (point.test_loss) tested = point.step;
    }
    last = std::min(last, tested);
  }
  std::vector<double> losses;
  for (const RunnerState* runner : runners) {
    for (const RacePoint& point : runner->curve) {
      if (point.step == last && point.test_loss) losses.push_back(*point.test_loss);
    }
  }
  return losses;
}

std::vector<RaceLane> lanes_of(const Race& race, const Text& text) {
  std::vector<RaceLane> lanes;
  for (std::size_t i = 0; i < race.runners.size(); ++i) {
    const std::string& name = race.specs[i].encoding;
    if (lanes.empty() || lanes.back().encoding != name) {
      lanes.push_back({name, text["option.encoding." + name], encoding_slot(name), {}});
    }
    lanes.back().runners.push_back(&race.runners[i]);
  }
  return lanes;
}

Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text) {
  const RaceKnobs& knobs = experiment.race;
  Figure figure;
  figure.name = "race";
  figure.title = text.format("view.race.title", {{"task", text["option.race.task." + knobs.task]},
                                                 {"attention", text["option.race.attention." + knobs.attention]}});
  for (const RaceLane& lane : lanes) add_lane(lane, knobs, figure);
  add_rules(knobs, race, text, figure);
  double way = knobs.over == "seconds" ? 0 : static_cast<double>(race.step), most = race.setup->task.unigram,
         least = most;
  for (const Line& line : figure.lines) {
    way = std::max(way, line.series->xs.empty() ? 0 : line.series->xs.back());
    const Range range = range_of(line.series->ys);
    most = std::max(most, range.high);
    least = std::min(least, range.low);
  }
  if (race.setup->task.floor) least = *race.setup->task.floor;
  figure.x = data_axis(way_axis(knobs, text), {0, std::max(way, 1.0)}, knobs.way_range);
  figure.y = value_axis(named_axis("race", "loss", text), with_room({least, most}, 0.06), knobs.loss_range);
  figure.legend = true;
  return figure;
}

Figure empty_race_figure(const Experiment& experiment, const Text& text) {
  Figure figure = empty_figure("race", "step", "loss");
  figure.x = fixed_axis(way_axis(experiment.race, text), {0, experiment.race.steps});
  figure.y = fixed_axis(named_axis("race", "loss", text), {0, 6});
  return figure;
}

std::vector<Readout> race_readouts(const Race& race, const std::vector<RaceLane>& lanes, const Text& text) {
  const auto ranking = ranking_of(lanes);
  std::vector<Readout> readouts{ahead_card(ranking, text)};
  for (const auto& [mean, lane] : ranking) {
    Readout card = start_card("race.test_loss", text);
    card.name = "race.test_loss." + lane->encoding;
    card.label = text.format("readout.race.test_loss.of", {{"encoding", lane->label}});
    card.value = Quantity{with_digits(mean, 4), "nats"};
    const std::vector<double> tests = lane->last_tests();
    const auto [low, high] = std::minmax_element(tests.begin(), tests.end());
    card.note = tests.size() < 2 ? text.format("readout.race.test_loss.note",
                                               {{"step", counted(static_cast<std::size_t>(race.step))}})
                                 : text.format("readout.race.test_loss.range", {{"low", readable_number(*low, 4)},
                                                                                {"high", readable_number(*high, 4)},
                                                                                {"seeds", counted(tests.size())}});
    readouts.push_back(std::move(card));
  }
  return readouts;
}

}  // namespace ropescope
