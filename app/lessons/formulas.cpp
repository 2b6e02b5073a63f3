#include "app/resources/formulas.h"

#include "app/lessons/lesson.h"

namespace ropescope {

namespace {

/// Goes through all words of a lesson, each with its line.
class Replace {
 public:
  Replace(Lesson& lesson, const Formulas& formulas, bool signs) : lesson_(lesson), formulas_(formulas), signs_(signs) {}

  void words(std::string& text, int line) {
    for (const std::string& tex : tex_of(text)) {
      if (!formulas_.find(tex))
        lesson_.faults.push_back({lesson_.file, line, Words("lesson.fault.formula", {{"tex", tex}})});
    }
    text = signs_ ? formulas_.with_signs(text) : formulas_.without_tex(text);
  }
  void paragraphs(std::vector<LessonParagraph>& list) {
    for (LessonParagraph& paragraph : list) {
      for (LessonWords& part : paragraph.words) {
        if (!part.code) words(part.text, paragraph.line);
      }
    }
  }

 private:
  Lesson& lesson_;
  const Formulas& formulas_;
  bool signs_;
};

}  // namespace

void set_formulas(Lesson& lesson, const Formulas& formulas, bool signs) {
  Replace replace(lesson, formulas, signs);
  replace.words(lesson.title, 1);
  replace.paragraphs(lesson.lead);
  for (LessonStep& step : lesson.steps) {
    replace.words(step.title, step.line);
    replace.paragraphs(step.text);
    replace.paragraphs(step.notes);
    if (!step.ask) continue;
    replace.words(step.ask->question, step.ask->line);
    replace.words(step.ask->after, step.ask->line);
    for (LessonAsk::Choice& choice : step.ask->choices) replace.words(choice.text, step.ask->line);
  }
}

}  // namespace ropescope
