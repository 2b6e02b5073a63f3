#include <algorithm>
#include <map>

#include "app/lessons/lesson.h"
#include "app/lessons/text_cuts.h"
#include "app/resources/formulas.h"

namespace ropescope {

namespace {

/// Everything that a step says, in one text.
std::string all_words(const LessonStep& step) {
  std::string all;
  for (const LessonParagraph& paragraph : step.text) all += text_of(paragraph) + "\n";
  if (!step.ask) return all;
  all += step.ask->question + "\n" + step.ask->after + "\n";
  for (const LessonAsk::Choice& choice : step.ask->choices) all += choice.text + "\n";
  return all;
}

/// Its placeholders and formulas, each as often as it stands there.
std::map<std::string, int> inserted(const LessonStep& step) {
  std::map<std::string, int> counts;
  const std::string all = all_words(step);
  for (const std::string& tex : tex_of(all)) ++counts["$" + tex + "$"];
  for (const Placeholder& place : placeholders_of(all)) ++counts["{" + place.name + "}"];
  return counts;
}

void compare_step(const LessonStep& own, const LessonStep& words, const std::string& file,
                  std::vector<LessonFault>& faults) {
  const auto fault = [&](Words reason) { faults.push_back({file, words.line, std::move(reason)}); };
  const std::map<std::string, int> wanted = inserted(own), found = inserted(words);
  for (const auto& [what, count] : wanted) {
    const auto place = found.find(what);
    if (place == found.end() || place->second != count) {
      fault(Words("lesson.fault.translation_lacks", {{"step", own.name}, {"what", what}}));
    }
  }
  for (const auto& [what, count] : found) {
    if (!wanted.contains(what)) fault(Words("lesson.fault.translation_adds", {{"step", own.name}, {"what", what}}));
  }
  const bool same_ask =
      own.ask.has_value() == words.ask.has_value() &&
      (!own.ask || (own.ask->kind == words.ask->kind && own.ask->choices.size() == words.ask->choices.size()));
  if (!same_ask) fault(Words("lesson.fault.translation_asks", {{"step", own.name}}));
}

}  // namespace

std::vector<Placeholder> placeholders_of(std::string_view text) {
  std::vector<Placeholder> found;
  bool formula = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '$') {
      formula = !formula;
    } else if (text[i] == '{' && !formula) {
      const std::size_t end = text.find('}', i);
      if (end == std::string_view::npos) break;
      found.push_back({trimmed(text.substr(i + 1, end - i - 1)), i, end + 1});
      i = end;
    }
  }
  return found;
}

void translate(Lesson& lesson, const Lesson& words) {
  lesson.language = words.language;
  lesson.title = words.title;
  lesson.lead = words.lead;
  lesson.faults.insert(lesson.faults.end(), words.faults.begin(), words.faults.end());
  for (LessonStep& step : lesson.steps) {
    const std::optional<std::size_t> found = find_step(words, step.name);
    if (!found) {
      lesson.faults.push_back({words.file, 1, Words("lesson.fault.translation_step", {{"step", step.name}})});
      continue;
    }
    const LessonStep& other = words.steps[*found];
    compare_step(step, other, words.file, lesson.faults);
    step.title = other.title;
    step.text = other.text;
    step.notes = other.notes;
    if (!step.ask || !other.ask || step.ask->choices.size() != other.ask->choices.size()) continue;
    step.ask->question = other.ask->question;
    step.ask->after = other.ask->after;
    for (std::size_t i = 0; i < step.ask->choices.size(); ++i) step.ask->choices[i].text = other.ask->choices[i].text;
  }
  for (const LessonStep& step : words.steps) {
    if (find_step(lesson, step.name)) continue;
    lesson.faults.push_back(
        {words.file, step.line, Words("lesson.fault.translation_unknown_step", {{"step", step.name}})});
  }
}

}  // namespace ropescope
