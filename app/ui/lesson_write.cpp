// A lecture of one's own: the present state becomes its next step.

#include <algorithm>
#include <map>

#include "app/lessons/step.h"
#include "app/resources/files.h"
#include "app/ui/app.h"
#include "app/ui/lesson_play.h"
#include "core/error.h"

namespace ropescope::ui {

namespace {

std::map<std::string, std::string> values_of(const Experiment& experiment) {
  std::map<std::string, std::string> values;
  for (const std::string& assignment : set_arguments(experiment)) {
    const std::size_t equals = assignment.find('=');
    values.emplace(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return values;
}

/// The lines of `set` that turn the one into the other.
std::string settings_between(const Experiment& before, const Experiment& after) {
  const std::map<std::string, std::string> had = values_of(before), has = values_of(after);
  std::string lines = "view = " + after.view + "\n";
  for (const auto& [key, value] : has) {
    const auto same = had.find(key);
    if (key != "view" && (same == had.end() || same->second != value)) lines += key + " = " + value + "\n";
  }
  std::map<std::string, std::string> initial;
  for (const FieldInfo& field : list_fields()) initial.emplace(field.key, field.value);
  for (const auto& [key, value] : had) {
    if (key == "view" || has.contains(key)) continue;
    const auto found = initial.find(key);
    lines += key + " = " + (found == initial.end() ? "[]" : found->second) + "\n";
  }
  return lines;
}

}  // namespace

void add_step_to_lecture(App& app) {
  const bool own = app.lesson && app.lesson->source.ends_with(".md");
  if (!own) {
    app.messages.push_back({app.text["lesson.no_lecture"], false});
    return;
  }
  LessonPlay& play = *app.lesson;
  try {
    const std::size_t count = play.lesson.steps.size();
    const Experiment before = state_of(play.lesson, count - 1, app.places.assets).experiment;
    std::string name;
    for (std::size_t number = count + 1; name.empty() || find_step(play.lesson, name); ++number) {
      name = "step-" + std::to_string(number);
    }
    std::string content = read_file(play.lesson.file);
    while (!content.empty() && content.back() == '\n') content.pop_back();
    content += "\n\n## " + app.text["lesson.new_step"] + " {" + name + "}\n\n```set\n" +
               settings_between(before, app.history.current()) + "```\n\n" + app.text["lesson.new_words"] + "\n";
    write_file(play.lesson.file, content);
    play.looked_at = -1;
    app.messages.push_back({app.text.format("lesson.step_added", {{"name", name}}), false});
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

}  // namespace ropescope::ui
