#include "app/views/race/cards.h"

#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"

namespace ropescope {

namespace {

/// How a lane compares with one that is ahead of it; none: they have no seed in common.
RunnerComparison compared(const RaceLane& first, const RaceLane& second) {
  const std::vector<RunnerComparison> found =
      compare_finals({{first.label, first.last_tests()}, {second.label, second.last_tests()}});
  return found.empty() ? RunnerComparison{} : found.front();
}

const char* certainty(const RunnerComparison& found) {
  if (!found.spread) return "one_seed";
  return found.told_apart ? "told_apart" : "not_told_apart";
}

std::string said(const std::string& key, const RunnerComparison& found, const Text& text) {
  return text.format(key + certainty(found) + "_note", {{"first", found.ahead},
                                                        {"second", found.behind},
                                                        {"difference", readable_number(found.difference, 3)},
                                                        {"spread", readable_number(found.spread.value_or(0), 2)},
                                                        {"seeds", counted(static_cast<std::size_t>(found.seeds))}});
}

Readout ahead_card(const std::vector<std::pair<double, const RaceLane*>>& ranking, const Text& text) {
  Readout card = start_card("race.ahead", text);
  card.value = no_number();
  if (ranking.empty()) {
    card.note = text["readout.race.ahead.nobody"];
    return card;
  }
  const RaceLane& first = *ranking.front().second;
  card.value = as_it_is(first.label);
  if (ranking.size() < 2) {
    card.note = text["readout.race.ahead.alone"];
    return card;
  }
  const RaceLane& second = *ranking[1].second;
  const RunnerComparison found = compared(first, second);
  if (found.seeds == 0) return card;
  if (!found.told_apart) card.value = Words("readout.race.ahead.not_told_apart");
  card.note = said("readout.race.ahead.", found, text);
  return card;
}

Readout loss_card(double mean, const RaceLane& lane, const RaceLane& first, const Text& text) {
  Readout card = start_card("race.test_loss", text);
  card.name = "race.test_loss." + lane.card;
  card.label = text.format("readout.race.test_loss.of", {{"encoding", lane.label}});
  card.value = Quantity{with_digits(mean, 4), "nats"};
  std::vector<double> tests = lane.last_tests();
  std::erase_if(tests, [](double loss) { return !std::isfinite(loss); });
  const auto [low, high] = std::minmax_element(tests.begin(), tests.end());
  if (tests.size() < 2) {
    card.note = text.format("readout.race.test_loss.note",
                            {{"step", counted(static_cast<std::size_t>(lane.last_test_step()))}});
  } else {
    card.note = text.format(
        "readout.race.test_loss.range",
        {{"low", readable_number(*low, 4)}, {"high", readable_number(*high, 4)}, {"seeds", counted(tests.size())}});
  }
  if (&lane == &first) return card;
  const RunnerComparison found = compared(first, lane);
  if (found.seeds > 0) card.note = said("readout.race.test_loss.", found, text) + " " + card.note;
  return card;
}

}  // namespace

std::vector<Readout> race_readouts(const Race&, const std::vector<RaceLane>& lanes, const Words& fault,
                                   const Text& text) {
  const auto ranking = ranking_of(lanes);
  std::vector<Readout> readouts{ahead_card(ranking, text)};
  for (const auto& [mean, lane] : ranking) readouts.push_back(loss_card(mean, *lane, *ranking.front().second, text));
  if (!fault.empty()) {
    Readout card = start_card("race.saved", text);
    card.value = Words("readout.race.saved.fault");
    card.note = text.say(fault);
    readouts.push_back(std::move(card));
  }
  return readouts;
}

}  // namespace ropescope
