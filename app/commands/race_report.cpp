#include "app/commands/race_report.h"

#include <cmath>
#include <limits>

#include "core/number_for_people.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

std::string nats(double loss) {
  return decimals_for_people(loss, 3) + " nats";
}

std::string fault_sentence(const RunnerSpec& spec, const RunnerFault& fault) {
  return name_of(spec) + ", seed " + std::to_string(spec.seed) + ", stopped at step " + std::to_string(fault.step) +
         ": " + (fault.by_gradient ? "its gradient" : "its loss") + " became infinite; a smaller --rate may help";
}

std::string seeds_text(int seeds) {
  return std::to_string(seeds) + (seeds == 1 ? " seed" : " seeds");
}

std::string sentence_of_race_report(const RunnerComparison& c) {
  if (c.seeds == 0) return c.ahead + " and " + c.behind + " are not compared: no seed of both was tested";
  if (c.seeds == 1) {
    return c.ahead + " and " + c.behind + " are not told apart: they differ by " + nats(c.difference) +
           ", and one seed says nothing about how much seeds differ";
  }
  const std::string evidence = nats(c.difference) + " over " + seeds_text(c.seeds) + ", spread " + nats(*c.spread);
  if (c.told_apart) return c.ahead + " is ahead of " + c.behind + " by " + evidence;
  return c.ahead + " and " + c.behind + " are not told apart: they differ by " + evidence;
}

double last_test(const RunnerState& state) {
  if (state.fault) return std::numeric_limits<double>::quiet_NaN();
  for (auto point = state.curve.rbegin(); point != state.curve.rend(); ++point) {
    if (point->test_loss) return *point->test_loss;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string race_table(const RacePlan& plan, const std::vector<RunnerState>& states) {
  std::string text = "run,seed,step,seconds,loss,test_loss\n";
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string head = name_of(plan.runners[i]) + "," + std::to_string(plan.runners[i].seed) + ",";
    for (const RacePoint& point : states[i].curve) {
      text += head + std::to_string(point.step) + "," + number_text(std::round(point.seconds * 1000) / 1000) + "," +
              number_text(point.loss) + "," + (point.test_loss ? number_text(*point.test_loss) : "") + "\n";
    }
  }
  return text;
}

std::vector<std::string> race_verdict(const RacePlan& plan, const std::vector<RunnerState>& states) {
  std::vector<std::string> sentences;
  std::vector<FinalLosses> finals;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].fault) sentences.push_back(fault_sentence(plan.runners[i], *states[i].fault));
    const std::string name = name_of(plan.runners[i]);
    if (finals.empty() || finals.back().name != name) finals.push_back({name, {}});
    finals.back().losses.push_back(last_test(states[i]));
  }
  const Task& task = plan.setup.task;
  sentences.push_back("who knows only how often each answer came in training loses " + nats(task.unigram) +
                      (task.floor ? "; the least possible is " + nats(*task.floor) : ""));
  for (const RunnerComparison& comparison : compare_finals(finals))
    sentences.push_back(sentence_of_race_report(comparison));
  return sentences;
}

}  // namespace ropescope
