#include "app/views/race/view.h"

#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/race/figures.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

void describe_race(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.race);
  fields.action({.key = "race.restart"}, [&experiment] { ++experiment.race.attempt; });
  describe(fields, experiment.rope);
}

/// That the runners take at most: each as if it were trained alone.
double mebibytes_of(const RaceStart& start, double base) {
  const RaceSetup setup = race_setup(start);
  double all = 0;
  for (const RunnerSpec& spec : race_runners(start, base)) {
    all += static_cast<double>(Runner::bytes_wanted(setup, spec, 1));
  }
  return std::ceil(all / (1 << 20));
}

ViewResult race_figures(const Experiment& experiment, const Text& text, Store& store) {
  const RaceNow now = race_now(experiment, store);
  if (!now.race || now.race->step == 0) {
    const Figure empty = empty_race_figure(experiment, text);
    if (now.goes_on) return message_result(empty, text["view.computing"], true);
    const RaceStart start = race_start(experiment);
    const double base = experiment.rope.base;
    return hint_result(empty,
                       text.format("view.race.hint", {{"runners", counted(race_runners(start, base).size())},
                                                      {"memory", readable_number(mebibytes_of(start, base), 3)}}));
  }
  const std::vector<RaceLane> lanes = lanes_of(*now.race, text);
  ViewResult result;
  result.panels.push_back({race_figure(experiment, *now.race, lanes, text), 1});
  result.readouts = race_readouts(*now.race, lanes, text);
  const double steps = experiment.race.steps;
  if (now.goes_on) result.progress = static_cast<double>(now.race->step) / steps;
  result.status = text.format("view.race.status", {{"step", counted(static_cast<std::size_t>(now.race->step))},
                                                   {"steps", counted(static_cast<std::size_t>(steps))},
                                                   {"time", readable_number(1000 * now.race->seconds_per_step(), 2)}});
  for (std::size_t i = 0; i < now.race->runners.size(); ++i) {
    const std::optional<RunnerFault>& fault = now.race->runners[i].fault;
    if (!fault) continue;
    result.status =
        text.format("view.race.failed", {{"encoding", text["option.encoding." + now.race->specs[i].encoding]},
                                         {"step", counted(static_cast<std::size_t>(fault->step))}});
  }
  return result;
}

bool running(const Experiment& experiment) {
  return experiment.race.running;
}
void run(Experiment& experiment, bool on) {
  experiment.race.running = on;
}
/// The race goes on by itself; see race_now().
void advance(Experiment&, double) {}
void step(Experiment& experiment, int steps) {
  if (steps > 0) ++experiment.race.single_steps;
}
const Player kRacePlayer{running, run, advance, step};

std::vector<FileStamp> race_files(const Experiment& experiment) {
  const RaceKnobs& knobs = experiment.race;
  if (knobs.task != "text" || knobs.file.empty()) return {};
  return {stamp_of(knobs.file)};
}

}  // namespace

constinit const View kRaceView{.id = "race",
                               .group = "papers",
                               .describe = describe_race,
                               .figures = race_figures,
                               .empty = empty_race_figure,
                               .player = &kRacePlayer,
                               .compares_ropes = false,
                               .files = race_files};

}  // namespace ropescope
