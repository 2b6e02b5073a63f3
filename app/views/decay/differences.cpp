#include "app/views/decay/differences.h"

#include <algorithm>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/model_sides.h"
#include "core/error.h"

namespace ropescope {

namespace {

RopeKnobs without_names(RopeKnobs rope) {
  rope.label.clear();
  rope.axis.clear();
  return rope;
}

FileStamp file_of(const RopeKnobs& rope) {
  return rope.config.empty() ? FileStamp() : stamp_of(rope.config);
}

/// The one that changes scores most; null: none does.
const ModelDifference* largest_of(const ModelComparison& found) {
  const auto largest =
      std::max_element(found.differences.begin(), found.differences.end(),
                       [](const auto& a, const auto& b) { return a.change.largest < b.change.largest; });
  return largest == found.differences.end() ? nullptr : &*largest;
}

/// The one that is noticed at the smallest distance; null: none is.
const ModelDifference* first_of(const ModelComparison& found) {
  const ModelDifference* first = nullptr;
  for (const ModelDifference& each : found.differences) {
    if (each.change.first && (!first || *each.change.first < *first->change.first)) first = &each;
  }
  return first;
}

/// The causes, each once, in their order.
std::vector<std::string> causes_of(const ModelComparison& found) {
  std::vector<std::string> causes;
  for (const ModelDifference& each : found.differences) {
    if (std::find(causes.begin(), causes.end(), each.cause) == causes.end()) causes.push_back(each.cause);
  }
  return causes;
}

Readout differences_verdict_readout(const DifferencesShown& shown) {
  const ModelComparison& found = shown.found->found;
  Readout readout = start_card("decay.compare", shown.text, "compare_verdict");
  readout.width_share = 1.4;
  const std::vector<std::string> causes = causes_of(found);
  if (found.agrees) {
    readout.value = Words("readout.check_verdict.agrees");
  } else if (causes.size() == 1) {
    readout.value = Words("readout.check_verdict.because", {{"cause", cause_words(causes.front(), shown.text)}});
  } else {
    readout.value = Words("readout.check_verdict.because_of_several", {{"count", causes.size()}});
  }
  readout.note = shown.text.format("readout.compare_verdict.note", {{"a", shown.a}, {"b", shown.b}});
  return readout;
}

Readout differences_largest_readout(const DifferencesShown& shown) {
  Readout readout = start_card("decay.compare_largest", shown.text, "compare_largest");
  const ModelDifference* largest = largest_of(shown.found->found);
  readout.value = Quantity{with_digits(largest ? largest->change.largest : 0, 3)};
  readout.note =
      largest ? shown.text.format("readout.compare_largest.note", {{"cause", cause_words(largest->cause, shown.text)},
                                                                   {"distance", counted(largest->change.at)}})
              : shown.text["readout.compare_largest.none"];
  return readout;
}

Readout first_readout(const DifferencesShown& shown) {
  Readout readout = start_card("decay.compare_first", shown.text, "compare_first");
  const ModelDifference* first = first_of(shown.found->found);
  const std::string limit = readable_number(kNoticedChange);
  readout.value = first ? Quantity{as_whole(*first->change.first), "tokens"} : no_number();
  readout.note = first ? shown.text.format("readout.compare_first.note",
                                           {{"cause", cause_words(first->cause, shown.text)}, {"limit", limit}})
                       : shown.text.format("readout.compare_first.none", {{"limit", limit}});
  return readout;
}

/// What one difference does, for lessons and files.
Readout differences_difference_readout(const ModelDifference& difference, std::size_t number, const Text& text) {
  Readout readout;
  readout.name = "decay.compare_difference" + std::to_string(number);
  readout.label = cause_words(difference.cause, text);
  readout.value = Quantity{with_digits(difference.change.largest, 3)};
  readout.note = text.say(difference.text);
  readout.tooltip = difference.cause + " (" + difference.profile + ")";
  readout.aside = true;
  return readout;
}

}  // namespace

ComparisonInput::ComparisonInput(const RopeKnobs& first, const RopeKnobs& second)
    : a(without_names(first)), b(without_names(second)), a_file(file_of(first)), b_file(file_of(second)) {}

std::shared_ptr<const RopeComparison> ComparisonInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<RopeComparison>();
  try {
    const ModelSide first = rope_side(a), second = rope_side(b);
    for (const auto& [side, rope] : {std::pair(&first, &a), std::pair(&second, &b)}) {
      for (const Profile& profile : side->profiles) require_understood(profile, rope->config);
    }
    result->found = compare_models(first, second, {threads, stop});
    Words::List& remarks = result->found.remarks;
    for (const ModelSide* side : {&first, &second}) {
      for (const Words& note : notes_of(*side)) {
        if (std::find(remarks.begin(), remarks.end(), note) == remarks.end()) remarks.push_back(note);
      }
    }
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  if (stop.stop_requested()) return nullptr;
  return result;
}

std::vector<Readout> differences_readouts(const DifferencesShown& shown) {
  if (!shown.found || !shown.found->fault.empty()) return {};
  std::vector<Readout> readouts{differences_verdict_readout(shown), differences_largest_readout(shown),
                                first_readout(shown)};
  std::size_t number = 0;
  for (const ModelDifference& difference : shown.found->found.differences) {
    readouts.push_back(differences_difference_readout(difference, ++number, shown.text));
  }
  return readouts;
}

}  // namespace ropescope
