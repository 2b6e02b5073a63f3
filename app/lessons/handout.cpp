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

void require_steps(const std::vector<Lesson>& lessons) {
  for (const Lesson& lesson : lessons) {
    if (!lesson.steps.empty()) continue;
    throw InputError(Words("error.within", {{"place", lesson.file}, {"what", Words("lesson.fault.no_step")}}));
  }
}

HandoutStep handout_step(const Lesson& lesson, std::size_t step, const StepState& state, const Text& text, Store& store,
                         const HandoutOptions& options) {
  HandoutStep made;
  made.experiment = state.experiment;
  made.whole = draw_view(find_view(made.experiment.view), made.experiment, text, store);
  if (options.fault) {
    for (const LessonFault& fault : file_faults_of(lesson, step)) options.fault(fault);
    for (const LessonFault& fault : faults_of(lesson, step, state, made.whole)) options.fault(fault);
  }
  made.covered = made.whole;
  if (lesson.steps[step].ask) cover(made.covered, *lesson.steps[step].ask, text);
  made.command = "ropescope render " + made.experiment.view + " -o figure.svg";
  for (const std::string& assignment : arguments_of(with_files_beside(lesson, made.experiment)))
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
