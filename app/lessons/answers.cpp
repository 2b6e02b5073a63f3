#include <algorithm>
#include <type_traits>
#include <variant>

#include "app/lessons/step.h"
#include "app/views/shared/readouts.h"

namespace ropescope {

namespace {

std::optional<double> number_in(const ReadoutValue& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) return quantity->number.value;
  if (const auto* named = std::get_if<NamedValues>(&value)) {
    for (const NamedValues::One& one : named->list) {
      if (!one.numbers.empty()) return one.numbers.front().value;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> number_of(const ViewResult& shown, std::string_view readout) {
  const Readout* found = find_readout(shown, readout);
  return found ? number_in(found->value) : std::nullopt;
}

std::string filled(std::string_view words, const ViewResult& shown) {
  std::string out;
  std::size_t from = 0;
  for (const Placeholder& place : placeholders_of(words)) {
    out += words.substr(from, place.begin - from);
    const Readout* readout = find_readout(shown, place.name);
    out += readout && !readout->text.empty() ? readout->text : "–";
    from = place.end;
  }
  return out + std::string(words.substr(from));
}

std::optional<std::size_t> right_choice(const LessonAsk& ask, const ViewResult& shown) {
  std::optional<std::size_t> right;
  for (std::size_t i = 0; i < ask.choices.size(); ++i) {
    const std::optional<Condition>& when = ask.choices[i].when;
    const std::optional<double> number = when ? number_of(shown, when->readout) : std::nullopt;
    if (!number || !holds(*when, *number)) continue;
    if (right) return std::nullopt;
    right = i;
  }
  return right;
}

bool reached(const LessonAsk& ask, const ViewResult& shown) {
  return !ask.goals.empty() && std::all_of(ask.goals.begin(), ask.goals.end(), [&](const Condition& goal) {
    const std::optional<double> number = number_of(shown, goal.readout);
    return number && holds(goal, *number);
  });
}

std::vector<std::string> covered(const LessonAsk& ask) {
  std::vector<std::string> names = ask.cover;
  for (const LessonAsk::Choice& choice : ask.choices) {
    if (choice.when) names.push_back(choice.when->readout);
  }
  if (!ask.answer.empty()) names.push_back(ask.answer);
  return names;
}

const Line* find_line(const ViewResult& shown, std::string_view figure, std::string_view key) {
  for (const Panel& panel : shown.panels) {
    if (panel.figure.name != figure) continue;
    for (const Line& line : panel.figure.lines) {
      if (line.key == key) return &line;
    }
  }
  return nullptr;
}

}  // namespace ropescope
