#include "app/views/race/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

/// Of the area between the seeds: more places could not be told apart.
constexpr std::size_t kMostPlaces = 512;

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

/// What the seeds that came so far say of each step: mean of the raw losses, and mean, least and largest of the
/// smoothed ones.
struct LaneCurve {
  std::vector<double> xs, raw, mean, least, most;
};
LaneCurve curve_of_race(const RaceLane& lane, bool seconds, std::size_t smoothing) {
  LaneCurve curve;
  std::vector<std::vector<double>> smooth;
  std::size_t steps = 0;
  for (const RunnerState* seed : lane.seeds) {
    std::vector<double> losses;
    for (const RacePoint& point : seed->curve) losses.push_back(point.loss);
    smooth.push_back(smoothed(losses, smoothing));
    steps = std::max(steps, losses.size());
  }
  for (std::size_t at = 0; at < steps; ++at) {
    double count = 0, raw = 0, sum = 0, time = 0, least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = 0; i < lane.seeds.size(); ++i) {
      if (at >= smooth[i].size()) continue;
      const RacePoint& point = lane.seeds[i]->curve[at];
      ++count, raw += point.loss, sum += smooth[i][at], time += point.seconds;
      least = std::min(least, smooth[i][at]), most = std::max(most, smooth[i][at]);
    }
    const double x = seconds ? time / count : static_cast<double>(at + 1);
    // Where a seed stopped, the others' mean of seconds may lie before it.
    curve.xs.push_back(curve.xs.empty() ? x : std::max(x, curve.xs.back()));
    curve.raw.push_back(raw / count), curve.mean.push_back(sum / count);
    curve.least.push_back(least), curve.most.push_back(most);
  }
  return curve;
}

/// The area between the least and the largest seed, of neighbours together where there are many.
Path area_of(const RaceLane& lane, const LaneCurve& curve) {
  Path path;
  path.key = lane.key + ".range";
  path.style = {lane.slot, true};
  path.filled = true;
  path.width = 0;
  const std::size_t count = curve.xs.size(), each = (count + kMostPlaces - 1) / kMostPlaces;
  std::vector<double> back_x, back_y;
  for (std::size_t begin = 0; begin < count; begin += each) {
    const auto first = static_cast<std::ptrdiff_t>(begin);
    const auto last = static_cast<std::ptrdiff_t>(std::min(count, begin + each));
    path.xs.push_back(curve.xs[begin]);
    path.ys.push_back(*std::max_element(curve.most.begin() + first, curve.most.begin() + last));
    back_x.push_back(curve.xs[begin]);
    back_y.push_back(*std::min_element(curve.least.begin() + first, curve.least.begin() + last));
  }
  path.xs.insert(path.xs.end(), back_x.rbegin(), back_x.rend());
  path.ys.insert(path.ys.end(), back_y.rbegin(), back_y.rend());
  return path;
}

void add_lane(const RaceLane& lane, const RaceKnobs& knobs, Figure& figure) {
  const bool seconds = knobs.over == "seconds";
  const LaneCurve curve = curve_of_race(lane, seconds, static_cast<std::size_t>(knobs.smoothing));
  if (curve.xs.empty()) return;
  const auto add = [&](const char* part, const std::vector<double>& ys, bool faint) {
    Line line;
    line.key = lane.key + part;
    line.label = lane.label;
    line.style = {lane.slot, faint};
    line.series = make_series(curve.xs, ys);
    line.in_legend = !faint;
    figure.lines.push_back(std::move(line));
  };
  add(".raw", curve.raw, true);
  if (lane.seeds.size() > 1) {
    add(".least", curve.least, true);
    add(".most", curve.most, true);
    figure.paths.push_back(area_of(lane, curve));
  }
  add("", curve.mean, false);
}

/// Where a runner's loss was no finite number any more.
void add_stops(const RaceLane& lane, const RaceKnobs& knobs, const Text& text, Figure& figure) {
  Points points;
  points.key = lane.key + ".stopped";
  points.label = lane.label;
  points.style = {lane.slot, false};
  for (const RunnerState* seed : lane.seeds) {
    if (!seed->fault || seed->curve.empty()) continue;
    const RacePoint& last = seed->curve.back();
    points.xs.push_back(knobs.over == "seconds" ? last.seconds : static_cast<double>(last.step));
    points.ys.push_back(last.loss);
    points.names.push_back(
        text.format("view.race.stopped", {{"runner", lane.label}, {"step", counted(seed->fault->step)}}));
  }
  if (!points.xs.empty()) figure.points.push_back(std::move(points));
}

FigureAxis way_axis(const RaceKnobs& knobs, const Text& text) {
  FigureAxis axis = named_axis("race", knobs.over == "seconds" ? "seconds" : "step", text, AxisScale::linear, "way");
  axis.whole = knobs.over != "seconds";
  return axis;
}

std::string change_words(const RaceCourse& before, const RaceCourse& after, const Text& text) {
  std::string words;
  if (after.base != before.base) words = text.format("view.race.base", {{"base", readable_number(after.base, 4)}});
  if (after.extension == before.extension) return words;
  return words + (words.empty() ? "" : " · ") + extension_words(after.extension, text);
}

void add_rules_race(const RaceKnobs& knobs, const Race& race, const Text& text, Figure& figure) {
  const auto rule = [&figure](bool vertical, double at, const std::string& label) {
    Rule line;
    line.vertical = vertical;
    line.at = at;
    line.label = label;
    figure.rules.push_back(std::move(line));
  };
  const Task& task = race.setup->task;
  rule(false, task.unigram, text.format("view.race.unigram", {{"loss", readable_number(task.unigram, 3)}}));
  if (task.floor) rule(false, *task.floor, text["view.race.floor"]);
  if (knobs.over == "seconds") return;
  for (std::size_t i = 1; i < race.changes.size(); ++i) {
    const CourseChange& change = race.changes[i];
    rule(true, static_cast<double>(change.step), change_words(race.changes[i - 1].course, change.course, text));
  }
}

std::string title_of_race(const Race& race, const Text& text) {
  const std::vector<RaceRunner>& runners = race.start.runners;
  const auto linear = std::count_if(runners.begin(), runners.end(), [](const RaceRunner& one) { return one.linear; });
  const RaceKnobs& knobs = race.start.knobs;
  const auto random =
      std::count_if(runners.begin(), runners.end(), [](const RaceRunner& one) { return one.performer; });
  const char* kind = linear == 0                                          ? "softmax"
                     : static_cast<std::size_t>(linear) != runners.size() ? "both"
                     : random == 0                                        ? "linear"
                     : random == linear                                   ? "performer"
                                                                          : "some_performer";
  std::string task = text["option.race.task." + knobs.task];
  if (knobs.task == "text" && knobs.objective == "masked") task = text["view.race.masked_text"];
  return text.format("view.race.title", {{"task", task}, {"attention", text[std::string("view.race.kind.") + kind]}});
}

}  // namespace

Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text) {
  const RaceKnobs& knobs = experiment.race;
  Figure figure;
  figure.name = "race";
  figure.title = title_of_race(race, text);
  for (const RaceLane& lane : lanes) add_lane(lane, knobs, figure);
  for (const RaceLane& lane : lanes) add_stops(lane, knobs, text, figure);
  add_rules_race(knobs, race, text, figure);
  double way = knobs.over == "seconds" ? 0 : static_cast<double>(race.step);
  Range losses = kNoRange;
  include(losses, race.setup->task.unigram);
  for (const Line& line : figure.lines) {
    way = std::max(way, line.series->xs.empty() ? 0 : line.series->xs.back());
    losses = widened(losses, *line.series);
  }
  if (race.setup->task.floor) include(losses, *race.setup->task.floor);
  figure.x = data_axis(way_axis(knobs, text), {0, std::max(way, 1.0)}, knobs.way_range);
  figure.y = value_axis(named_axis("race", "loss", text), with_room(losses, 0.06), knobs.loss_range);
  figure.legend = true;
  return figure;
}

Figure empty_race_figure(const Experiment& experiment, const Text& text) {
  const RaceKnobs& knobs = experiment.race;
  if (knobs.show == "beyond") {
    Figure figure = empty_figure("beyond", "position", "loss");
    figure.x = fixed_axis(named_axis("race", "position", text), {0, 8 * knobs.length});
    figure.y = fixed_axis(named_axis("race", "loss", text, AxisScale::linear, "beyond"), {0, 6});
    return figure;
  }
  Figure figure = empty_figure("race", "step", "loss");
  figure.x = fixed_axis(way_axis(knobs, text), {0, knobs.steps});
  figure.y = fixed_axis(named_axis("race", "loss", text), {0, 6});
  return figure;
}

}  // namespace ropescope
