// The cards of the view Race, and its buttons.
//
// Contents: Cards; View.

#include <algorithm>
#include <cmath>

#include "app/figure/figure.h"
#include "app/views/race/figures.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/messages.h"
#include "app/views/views.h"

namespace ropescope {

// --- Cards ---------------------------------------------------------------------------------------------------------

namespace {

/// Compares a lane with one that is ahead of it; the result is empty if they have no seed in common.
RunnerComparison compared(const RaceLane& first, const RaceLane& second) {
  const std::vector<RunnerComparison> found =
      compare_finals({{first.label, first.last_tests()}, {second.label, second.last_tests()}});
  return found.empty() ? RunnerComparison{} : found.front();
}

Readout ahead_card(const std::vector<std::pair<double, const RaceLane*>>& ranking, const Text& text) {
  Readout card = make_card("race.ahead", no_number(), text);
  if (ranking.empty()) {
    card.note = text["readout.race.ahead.nobody"];
    return card;
  }
  const RaceLane& first = *ranking.front().second;
  card.value = verbatim(first.label);
  if (ranking.size() < 2) {
    card.note = text["readout.race.ahead.alone"];
    return card;
  }
  const RaceLane& second = *ranking[1].second;
  const RunnerComparison found = compared(first, second);
  if (found.seeds == 0) return card;
  if (!found.told_apart) card.value = Message("readout.race.ahead.not_told_apart");
  card.note = text.render(lead_words("readout.race.ahead.lead.", found));
  return card;
}

Readout loss_card(double mean, const RaceLane& lane, const RaceLane& first, const Text& text) {
  Readout card = start_card("race.test_loss", text);
  card.name = "race.test_loss." + lane.card;
  card.label = text.format("readout.race.test_loss.of", {{"encoding", lane.label}});
  card.value = Quantity{with_decimals(mean, 3), "nats"};
  std::vector<double> tests = lane.last_tests();
  std::erase_if(tests, [](double loss) { return !std::isfinite(loss); });
  const auto [low, high] = std::minmax_element(tests.begin(), tests.end());
  if (tests.size() < 2) {
    card.note = text.format("readout.race.test_loss.note",
                            {{"step", counted(static_cast<std::size_t>(lane.last_test_step()))}});
  } else {
    card.note = text.format(
        "readout.race.test_loss.range",
        {{"low", readable_fixed(*low, 3)}, {"high", readable_fixed(*high, 3)}, {"seeds", counted(tests.size())}});
  }
  if (&lane == &first) return card;
  const RunnerComparison found = compared(first, lane);
  if (found.seeds > 0) card.note = text.render(lead_words("readout.race.test_loss.lead.", found)) + " " + card.note;
  return card;
}

// --- View ----------------------------------------------------------------------------------------------------------

/// The rope fields of the runners; the rope's other fields follow from the network.
constexpr std::string_view kRopeControls[] = {"rope.base", "rope.scaling"};
/// The maximum size of a text that is read whenever it is shown.
constexpr std::uintmax_t kSmallText = 1 << 16;

void declare_race_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.race, add_current_rope(experiment.race, experiment.rope));
  std::vector<std::string_view> controls(std::begin(kRopeControls), std::end(kRopeControls));
  for (const ScalingField& parameter : all_scaling_fields()) controls.push_back(parameter.key);
  declare_embedding(list, experiment.rope, controls);
}

/// Shows a race that has not started: its requirements, and information on its text.
ViewResult race_to_come(const Experiment& experiment, const Text& text, const Message& found) {
  const RaceStart start = race_start(experiment);
  if (!start.file.path.empty() && start.file.size < kSmallText) race_setup(start);
  const RaceCourse course = race_course(experiment);
  ViewResult result =
      hint_result(empty_race_figure(experiment, text),
                  text.format("view.race.hint",
                              {{"runners", counted(runner_specs(start, course).size())},
                               {"memory", readable_number(std::ceil(race_bytes(start, course) / (1 << 20)), 3)}}));
  if (!found.empty()) result.status = text.render(found);
  return result;
}

std::string describe_race_status(const RaceNow& now, double steps, const Text& text) {
  const Race& race = *now.race;
  for (std::size_t i = 0; i < race.runners.size(); ++i) {
    const std::optional<RunnerError>& fault = race.runners[i].fault;
    if (!fault) continue;
    const std::size_t seeds = race.runners.size() / race.start.runners.size();
    return text.format("view.race.failed", {{"encoding", runner_label(race.start.runners[i / seeds], true, text)},
                                            {"step", counted(fault->step)}});
  }
  std::string words = text.format("view.race.status", {{"step", counted(race.step)},
                                                       {"steps", counted(steps)},
                                                       {"time", readable_number(1000 * race.seconds_per_step(), 2)}});
  if (now.kept.step < 0) return words;
  return words + " · " + text.format("view.race.saved_at", {{"step", counted(now.kept.step)}});
}

/// Adds a button to each lane's card that opens the file of its heads. Returns false if some are not ready.
bool add_inside(const RaceNow& now, const std::vector<RaceLane>& lanes, const Text& text, Store& store,
                std::vector<Readout>& readouts) {
  bool all = true;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const RaceLane& lane = lanes[i];
    const auto card = std::find_if(readouts.begin(), readouts.end(),
                                   [&lane](const Readout& one) { return one.name.ends_with("." + lane.card); });
    if (card == readouts.end() || !can_look_into(lane.runner)) continue;
    const auto file = store.request<inside_file>({"race.inside." + lane.key, 1e9, true, true},
                                                 {RaceMoment(now.race), i, store.shelf()});
    all = all && file.current;
    if (!file.current || !file.result || file.result->empty()) continue;
    card->action =
        CardAction{inside_key(lane.runner, now.race->changes.back().course, *file.result), text["readout.race.look"]};
  }
  return all;
}

ViewResult losses_figures(const Experiment& experiment, const RaceNow& now, const std::vector<RaceLane>& lanes,
                          const Text& text) {
  ViewResult result;
  result.panels.push_back({race_figure(experiment, *now.race, lanes, text), 1});
  result.readouts = race_readouts(*now.race, lanes, now.found.empty() ? now.kept.fault : now.found, text);
  return result;
}

ViewResult race_figures(const Experiment& experiment, const Text& text, Store& store) {
  const RaceNow now = race_now(experiment, store);
  if (!now.race || now.race->step == 0) {
    if (!now.goes_on && !now.waits) return race_to_come(experiment, text, now.found);
    return make_message_result(empty_race_figure(experiment, text), text["view.computing"], true);
  }
  const std::vector<RaceLane> lanes = lanes_of(*now.race, text);
  const bool beyond = experiment.race.show == RaceShow::beyond;
  const double steps = experiment.race.steps;
  ViewResult result;
  if (!beyond) {
    result = losses_figures(experiment, now, lanes, text);
  } else if (now.goes_on) {
    result = hint_result(empty_race_figure(experiment, text), text["view.race.pause"]);
  } else {
    result = beyond_figures(experiment, now.race, lanes, text, store);
  }
  if (now.goes_on) result.progress = static_cast<double>(now.race->step) / steps;
  const bool inside =
      now.goes_on || store.at_once() || !store.shelf() || add_inside(now, lanes, text, store, result.readouts);
  // Requested again until it has stopped and all is saved.
  result.stale = result.stale || now.goes_on || now.waits || !inside;
  if (result.status.empty()) result.status = describe_race_status(now, steps, text);
  return result;
}

void step_race(Experiment& experiment, int steps) {
  if (steps > 0) ++experiment.race.single_steps;
}
/// The race continues by itself, see race_now().
const Player kRacePlayer{[](const Experiment& experiment) { return experiment.race.running; },
                         [](Experiment& experiment, bool on) { experiment.race.running = on; },
                         nullptr,
                         step_race,
                         nullptr,
                         false};

std::string subject_of_race(const Experiment& experiment, const Text& text) {
  return text["option.race.task." + word_of(experiment.race.task)];
}

Message settle_race(const Experiment& before, Experiment& after) {
  const RaceFields &was = before.race, &is = after.race;
  const bool anew = starting_fields(was) != starting_fields(is) || was.encodings != is.encodings ||
                    was.attention != is.attention || was.also != is.also;
  // Single steps that were requested belong to this race.
  if (anew && was.single_steps == is.single_steps) after.race.single_steps = 0;
  return {};
}

void check_runners(const Experiment& experiment) {
  race_runners(experiment.race);
}

std::vector<FileStamp> race_files(const Experiment& experiment) {
  const RaceFields& fields = experiment.race;
  if (fields.task != RaceTask::text || fields.file.empty()) return {};
  return {stamp_of(fields.file)};
}

}  // namespace

std::vector<Readout> race_readouts(const Race&, const std::vector<RaceLane>& lanes, const Message& fault,
                                   const Text& text) {
  const auto ranking = ranking_of(lanes);
  std::vector<Readout> readouts{ahead_card(ranking, text)};
  for (const auto& [mean, lane] : ranking) readouts.push_back(loss_card(mean, *lane, *ranking.front().second, text));
  if (!fault.empty()) {
    readouts.push_back(make_card("race.saved", Message("readout.race.saved.fault"), text, text.render(fault)));
  }
  return readouts;
}

constinit const View kRaceView{
    .id = "race",
    .group = "papers",
    .declare_fields = declare_race_fields,
    .figures = race_figures,
    .empty = empty_race_figure,
    .player = &kRacePlayer,
    .compares_ropes = false,
    .subject = subject_of_race,
    .act = [](Experiment& experiment, const std::string& key) { inspect_heads(experiment, key); },
    .files = race_files,
    .settle = settle_race,
    .check = check_runners};

}  // namespace ropescope
