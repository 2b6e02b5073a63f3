#include "app/resources/formulas.h"

#include <algorithm>

#include "app/lessons/lesson.h"

namespace ropescope {

namespace {

// More than any formula has: one that has no picture is shown as it is written, and such a one is not.
constexpr std::size_t kMostOfFormula = 1000;
constexpr int kMostNested = 50;

/// How deep its braces go.
int nesting_of(std::string_view tex) {
  int depth = 0, most = 0;
  for (const char c : tex) {
    if (c == '{') most = std::max(most, ++depth);
    if (c == '}') --depth;
  }
  return most;
}

/// Goes through all words of a lesson, each with its line.
class Replace {
 public:
  Replace(Lesson& lesson, const Formulas& formulas, bool signs) : lesson_(lesson), formulas_(formulas), signs_(signs) {}

  void words(std::string& text, int line) {
    for (const std::string& tex : tex_of(text)) {
      if (formulas_.find(tex)) continue;
      if (tex.size() > kMostOfFormula || nesting_of(tex) > kMostNested) {
        fault(line, Words("lesson.fault.formula_size", {{"bytes", kMostOfFormula}, {"nested", kMostNested}}));
        const std::size_t at = text.find("$" + tex + "$");
        if (at != std::string::npos) text.replace(at, tex.size() + 2, "…");
      } else {
        fault(line, Words("lesson.fault.formula", {{"tex", tex}}));
      }
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
  void fault(int line, Words reason) { lesson_.faults.push_back({lesson_.file, line, std::move(reason)}); }

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
