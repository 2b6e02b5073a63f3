#include "app/views/race/lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "app/figure/number_text.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/ropes.h"

namespace ropescope {

namespace {

constexpr int kLanesColours = 5;

/// A lane keeps the slot of its encoding where none before it has that colour; the others take the first free one of
/// the colour that fewest have: curves that cross are told apart by colour first.
void give_slots(std::vector<RaceLane>& lanes) {
  std::array<int, kLanesColours> taken{};
  std::set<int> used;
  std::vector<RaceLane*> others;
  for (RaceLane& lane : lanes) {
    lane.slot = encoding_slot(lane.runner.encoding);
    int& count = taken[static_cast<std::size_t>(lane.slot % kLanesColours)];
    if (count > 0) {
      others.push_back(&lane);
      continue;
    }
    ++count;
    used.insert(lane.slot);
  }
  for (RaceLane* lane : others) {
    const auto colour = std::min_element(taken.begin(), taken.end());
    lane->slot = static_cast<int>(colour - taken.begin());
    while (used.contains(lane->slot)) lane->slot += kLanesColours;
    ++*colour;
    used.insert(lane->slot);
  }
}

/// The seeds that still run; all where none does.
std::vector<const RunnerState*> at_work(const std::vector<const RunnerState*>& seeds) {
  std::vector<const RunnerState*> running;
  for (const RunnerState* seed : seeds) {
    if (!seed->fault) running.push_back(seed);
  }
  return running;
}

}  // namespace

std::int64_t RaceLane::last_test_step() const {
  const std::vector<const RunnerState*> running = at_work(seeds);
  if (running.empty()) return 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const RunnerState* seed : running) {
    std::int64_t tested = 0;
    for (auto point = seed->curve.rbegin(); point != seed->curve.rend() && tested == 0; ++point) {
      if (point->test_loss) tested = point->step;
    }
    last = std::min(last, tested);
  }
  return last;
}

std::vector<double> RaceLane::last_tests() const {
  const std::int64_t step = last_test_step();
  if (step == 0) return {};
  std::vector<double> losses;
  for (const RunnerState* seed : seeds) {
    double loss = std::numeric_limits<double>::quiet_NaN();
    for (const RacePoint& point : seed->curve) {
      if (!seed->fault && point.step == step && point.test_loss) loss = *point.test_loss;
    }
    losses.push_back(loss);
  }
  return losses;
}

std::string extension_words(const Extension& extension, const Text& text) {
  RopeKnobs rope;
  rope.scaling = scaling_knobs_of(extension);
  const std::string label = extension_label(rope, text);
  return label.empty() ? text["view.race.plain"] : label;
}

std::string runner_label(const RaceRunner& runner, bool kinds_differ, const Text& text) {
  std::string label = text["option.encoding." + runner.encoding];
  if (kinds_differ && runner.linear) {
    label = text.format(runner.performer ? "view.race.performer" : "view.race.linear", {{"runner", label}});
  }
  if (runner.base) {
    label = text.format("view.race.of_base", {{"runner", label}, {"base", readable_number(*runner.base, 7)}});
  }
  if (!runner.extension) return label;
  return text.format("view.race.extended",
                     {{"runner", label}, {"extension", extension_words(*runner.extension, text)}});
}

std::vector<RaceLane> lanes_of(const Race& race, const Text& text) {
  const std::vector<RaceRunner>& runners = race.start.runners;
  const bool differ = std::any_of(runners.begin(), runners.end(), [&](const RaceRunner& runner) {
    return runner.linear != runners.front().linear || runner.performer != runners.front().performer;
  });
  const std::size_t seeds = race.runners.size() / std::max<std::size_t>(1, runners.size());
  std::vector<RaceLane> lanes;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    RaceLane lane;
    lane.runner = runners[i], lane.key = lane.card = key_of(runners[i]);
    lane.label = runner_label(runners[i], differ, text);
    for (char& c : lane.card) c = c == '/' || c == '=' ? '-' : c;
    for (std::size_t seed = 0; seed < seeds; ++seed) lane.seeds.push_back(&race.runners[i * seeds + seed]);
    lanes.push_back(std::move(lane));
  }
  give_slots(lanes);
  return lanes;
}

std::vector<std::pair<double, const RaceLane*>> ranking_of(const std::vector<RaceLane>& lanes) {
  std::vector<std::pair<double, const RaceLane*>> ranking;
  for (const RaceLane& lane : lanes) {
    double sum = 0, count = 0;
    for (const double loss : lane.last_tests()) {
      if (std::isfinite(loss)) sum += loss, ++count;
    }
    if (count > 0) ranking.emplace_back(sum / count, &lane);
  }
  std::stable_sort(ranking.begin(), ranking.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return ranking;
}

}  // namespace ropescope
