#include "app/lessons/handout.h"

#include "app/lessons/lesson_page.h"
#include "app/lessons/step.h"
#include "app/views/shared/arguments.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

Paper parse_paper(const std::string& name) {
  if (name == "a4") return Paper::a4;
  if (name == "letter") return Paper::letter;
  throw InputError("page.paper", {{"found", name}});
}

std::string handout_title(const std::vector<Lesson>& lessons, const Text& text) {
  if (lessons.size() == 1) return lessons.front().title;
  return text.format("lesson.handout_title", {{"lessons", std::to_string(lessons.size())}});
}

HandoutStep handout_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                         Store& store) {
  HandoutStep made;
  made.experiment = state_of(lesson, step, assets).experiment;
  made.whole = draw_view(find_view(made.experiment.view), made.experiment, text, store);
  made.covered = made.whole;
  if (lesson.steps[step].ask) cover(made.covered, *lesson.steps[step].ask, text);
  made.command = "ropescope render " + made.experiment.view + " -o figure.svg";
  for (const std::string& assignment : arguments_of(made.experiment))
    made.command += " --set " + shell_quoted(assignment);
  return made;
}

std::string answer_words(const LessonAsk& ask, const ViewResult& shown) {
  std::string words;
  if (const std::optional<std::size_t> right = right_choice(ask, shown)) {
    words = std::to_string(*right + 1) + "  " + filled(ask.choices[*right].text, shown) + ". ";
  }
  return words + filled(ask.after, shown);
}

}  // namespace ropescope
