// Lessons as JSON, and the search for faults step by step.

#include <algorithm>

#include "app/lessons/lesson.h"
#include "app/resources/formulas.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/view.h"
#include "core/formats/nlohmann.h"

namespace ropescope {

namespace {

using LessonValue = nlohmann::ordered_json;

/// Returns paragraphs separated by an empty line.
std::string text_of(const std::vector<LessonParagraph>& paragraphs, const ViewResult& shown) {
  std::string all;
  for (const LessonParagraph& paragraph : paragraphs) {
    if (!all.empty()) all += paragraph.item ? "\n" : "\n\n";
    all += (paragraph.item ? "• " : "") + filled(text_of(paragraph), shown);
  }
  return all;
}

LessonValue number_or_null(const std::optional<double>& number) {
  return number ? LessonValue(*number) : LessonValue(nullptr);
}

LessonValue ask_json(const LessonAsk& ask, const ViewResult& shown) {
  const std::optional<std::size_t> right = right_choice(ask, shown);
  LessonValue choices = LessonValue::array();
  for (std::size_t i = 0; i < ask.choices.size(); ++i) {
    choices.push_back({{"text", filled(ask.choices[i].text, shown)}, {"right", right == i}});
  }
  LessonValue answer = nullptr;
  if (ask.kind == LessonAsk::Kind::number) answer = number_or_null(number_of(shown, ask.answer));
  if (ask.kind == LessonAsk::Kind::choice && right) answer = filled(ask.choices[*right].text, shown);
  return {{"kind", LessonAsk::kKinds[static_cast<std::size_t>(ask.kind)]},
          {"question", filled(ask.question, shown)},
          {"choices", choices},
          {"answer", answer},
          {"after", filled(ask.after, shown)}};
}

LessonValue step_json(const LessonStep& step, const ViewResult& shown) {
  LessonValue set = LessonValue::object(), readouts = LessonValue::object();
  for (const LessonSetting& setting : step.set) set[setting.key] = setting.value;
  for (const Readout& readout : shown.readouts) {
    if (const std::optional<double> number = number_of(shown, readout.name)) readouts[readout.name] = *number;
  }
  return {{"name", step.name},
          {"reserve", step.reserve},
          {"title", filled(step.title, shown)},
          {"text", text_of(step.text, shown)},
          {"notes", text_of(step.notes, shown)},
          {"set", set},
          {"readouts", readouts},
          {"ask", step.ask ? ask_json(*step.ask, shown) : LessonValue(nullptr)}};
}

ViewResult draw(const Experiment& experiment, const Text& text, Store& store) {
  return draw_view(find_view(experiment.view), experiment, text, store);
}

}  // namespace

std::string lessons_json(const std::filesystem::path& assets) {
  const std::shared_ptr<const Formulas> formulas = Formulas::load(assets, false);
  LessonValue lessons = LessonValue::array();
  for (const LessonEntry& entry : list_lessons(assets)) {
    LessonValue titles = LessonValue::object(), steps = LessonValue::array();
    double minutes = 0;
    for (const std::string& language : entry.languages) {
      Lesson lesson = load_lesson(assets, entry.id, language);
      set_formulas(lesson, *formulas, false);
      titles[language] = lesson.title;
      minutes = lesson.minutes;
      if (!steps.empty()) continue;
      for (const LessonStep& step : lesson.steps) steps.push_back(step.name);
    }
    lessons.push_back(
        {{"id", entry.id}, {"minutes", minutes}, {"title", titles}, {"steps", steps}, {"languages", entry.languages}});
  }
  return lessons.dump(2) + "\n";
}

std::string lesson_json(const Lesson& lesson, std::optional<std::size_t> step, const std::filesystem::path& assets,
                        const Text& text, Store& store, const LessonProgress& progress) {
  LessonValue steps = LessonValue::array();
  StepStates states(lesson, assets);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const StepState state = states.next();
    if (step && *step != i) continue;
    steps.push_back(step_json(lesson.steps[i], draw(state.experiment, text, store)));
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(lesson.steps.size()));
  }
  const LessonValue json = {{"id", lesson.id},
                            {"language", lesson.language},
                            {"title", lesson.title},
                            {"minutes", lesson.minutes},
                            {"steps", steps}};
  return json.dump(2, ' ', false, LessonValue::error_handler_t::replace) + "\n";
}

std::vector<LessonError> all_faults(const Lesson& lesson, const std::filesystem::path& assets, const Text& text,
                                    Store& store, const LessonProgress& progress) {
  constexpr std::size_t kMaxErrors = 1000;
  std::vector<LessonError> faults = lesson.faults;
  StepStates states(lesson, assets);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const StepState state = states.next();
    const ViewResult shown = draw(state.experiment, text, store);
    const ViewResult solved = state.solved == state.experiment ? shown : draw(state.solved, text, store);
    for (const std::vector<LessonError>& more :
         {collect_file_errors(lesson, i), faults_of(lesson, i, state, shown, solved)}) {
      faults.insert(faults.end(), more.begin(), more.end());
    }
    if (faults.size() >= kMaxErrors && i + 1 < lesson.steps.size()) {
      faults.push_back({lesson.file, lesson.steps[i + 1].line, Message("lesson.fault.many_faults")});
      break;
    }
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(lesson.steps.size()));
  }
  std::stable_sort(faults.begin(), faults.end(), [](const LessonError& a, const LessonError& b) {
    return a.file != b.file ? a.file < b.file : a.line < b.line;
  });
  return faults;
}

std::string to_error_text(const LessonError& fault, const Text& text) {
  return fault.file + ":" + std::to_string(fault.line) + ": " + text.render(fault.reason);
}

}  // namespace ropescope
